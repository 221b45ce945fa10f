"""`trackyard explain` of every kind of id."""

import json

from tests.api.tracking.test_explain import URL, logged, queue, recorded_click
from tests.support.api import NOW, Api
from tests.support.command import run_command
from tests.support.delivery_attempts import add_attempt
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.base.ids import new_id
from trackyard.domain.conversions.statuses import Status
from trackyard.runtime.exit_codes import ExitCode


def test_explain_of_conversion_shows_its_states_and_its_click(api: Api) -> None:
    offer, (affiliate, _) = api.add_offer(), api.add_affiliate()
    made = add_conversion(
        api.deps, 1, offer_id=offer, affiliate_id=affiliate, status=Status.DECLINED, comment="Cap is reached",
        click={"time": NOW},
    )  # fmt: skip
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=affiliate, time=NOW)])
    found = run_command("explain", made.id, api=api)
    assert found.exit_code == 0, found.stderr
    lines = found.stdout.splitlines()
    assert lines[0] == f"{made.id} is a conversion of click {made.click_id}"
    assert lines[1].startswith(f"Click {made.click_id} of ")
    assert "    2023-11-14 22:13:21  declined, charge 10, payout 7 USD, by test: Cap is reached" in lines
    assert any(line.startswith("    What to do: Raise the cap") for line in lines)


def test_explain_of_unknown_id_exits_with_1(api: Api) -> None:
    found = run_command("explain", "e" * 24, api=api)
    assert (found.exit_code, "e" * 24 + " was not found" in found.stderr) == (ExitCode.FAILED, True)
    assert found.stdout == ""


def test_explain_of_conversion_without_recorded_click_shows_the_conversion(api: Api) -> None:
    offer, (affiliate, _) = api.add_offer(), api.add_affiliate()
    made = add_conversion(api.deps, 1, offer_id=offer, affiliate_id=affiliate, click={"time": NOW})
    found = run_command("explain", made.click_id, api=api)
    assert found.exit_code == 0
    assert found.stdout.splitlines()[0] == f"Click {made.click_id} is not recorded"
    assert f"Conversion {made.id} of 2023-11-14 22:13:21, goal 1: confirmed" in found.stdout


def test_explain_of_click_shows_failed_postbacks_and_what_to_do(api: Api) -> None:
    click = recorded_click(api)
    record = logged(api, click.id, "Access denied")
    found = run_command("explain", click.id, api=api)
    assert found.exit_code == 0
    assert "changed nothing: Access denied." in found.stdout
    assert f"  2023-11-14 22:13:25  {record}  Access denied\n    GET from 192.0.2.9: clickid={click.id}" in found.stdout
    assert "    What to do: Copy the URL from `postback_url` of the advertiser" in found.stdout


def test_explain_of_delivery_shows_every_attempt_with_masked_address(api: Api) -> None:
    made = add_conversion(api.deps, 1, offer_id=1, affiliate_id=7, click={"time": NOW})
    job, of = new_id(NOW + 1000), {"conversion_id": made.id, "affiliate": 7, "url": URL}
    failed = {"http_code": 0, "outcome": "failed", "error": "no address", "started_at": NOW + 2000}
    add_attempt(api.deps.analytics, **of, job_id=job, time=NOW + 2000, **failed)
    sent = {"milliseconds": 12, "started_at": NOW + 7000, "answer": "ok"}
    add_attempt(api.deps.analytics, **of, job_id=job, time=NOW + 7012, **sent)
    queue(api, made.id, new_id(NOW), postback_id=2)
    lines = run_command("explain", job, api=api).stdout.splitlines()
    assert f"  Delivery {job} to postback 1: conversion {made.id} is confirmed: sent" in lines
    assert "    https://***@a.example/in?cid=7&api_token=***" in lines
    assert "    2023-11-14 22:13:22  no answer, 0 ms, failed: no address" in lines
    assert "    2023-11-14 22:13:27  HTTP 200, 12 ms, sent  'ok'" in lines
    assert "  The delivery to postback 2 is queued." in lines


def test_explain_of_action_of_several_clicks_lists_them_and_exits_with_1(api: Api) -> None:
    for number, offer in ((1, 4), (2, 5)):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=7, action_id="A-1", click={"time": NOW})
    found = run_command("explain", "A-1", api=api)
    assert found.exit_code == ExitCode.FAILED
    assert found.stdout.count("offer 4, advertiser") == found.stdout.count("offer 5, advertiser") == 1
    one = run_command("explain", "A-1", "--offer", "5", "--json", api=api)
    answer = json.loads(one.stdout)
    assert (one.exit_code, answer["kind"], answer["conversions"][0]["offer_id"]) == (0, "action", 5)
    assert run_command("explain", "A-1", "--advertiser", "x", api=api).exit_code == ExitCode.USAGE
