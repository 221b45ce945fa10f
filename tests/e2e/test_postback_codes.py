"""Postbacks need a code in a new installation, and a program that needs none says so."""

import json
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlencode

import pytest

from tests.support.offer_scenario import OfferScenario, click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import RunningProgram, poll_until, request


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="none")
    running.start()
    yield running
    assert running.stop() == 0


def responses(story: OfferScenario) -> list[str]:
    """The results of postbacks in the server postback log, the oldest first."""
    rows = story.program.api("GET", "/3.0/stats/serverpostbacks", period_around_today())["postbacks"]
    return [row["response"] for row in reversed(rows)]


def test_postback_without_code_counts_only_in_mode_none_which_is_reported(program: RunningProgram) -> None:
    story = create_offer_scenario(program)
    story.await_rules()
    assert story.code == ""
    assert story.call(click_id_of(story.click())).status == 200
    poll_until(lambda: story.balance()["balance"]["USD"] == 7, seconds=10, what="the conversion")

    advice = "set TRACKYARD_POSTBACK_CODE=generate"
    [warning] = request(program.monitoring_port, "GET", "/readyz").json["warnings"]
    audited = program.command("audit")
    [logged] = [line for line in program.log_lines() if line["message"] == "postbacks need no code"]
    assert advice in warning and advice in logged["advice"]
    assert audited.returncode == 0 and f"WARNING {warning}" in audited.stdout.splitlines()
    poll_until(lambda: "no code is asked" in program.out_file.read_text(), seconds=10, what="the greeting")

    assert program.stop() == 0
    program.environment["TRACKYARD_POSTBACK_CODE"] = "generate"
    program.out_file.unlink()
    program.start()
    shown = "/postback?clickid=CLICK&secure=CODE"
    poll_until(lambda: shown in program.out_file.read_text(), seconds=10, what="the form of addresses")
    assert request(program.monitoring_port, "GET", "/readyz").json["warnings"] == []
    assert story.call(click_id_of(story.click())).status == 200
    poll_until(lambda: responses(story)[-1:] == ["Access denied"], seconds=10, what="the refused postback")
    platform = program.api("GET", "/3.0/admin/settings")["settings"]["hash_password"]
    assert story.call(click_id_of(story.click()), secure=platform).status == 200
    poll_until(lambda: story.balance()["balance"]["USD"] == 14, seconds=10, what="the conversion with the code")
    made = program.api("POST", "/3.0/admin/advertiser", {"title": "New"})["advertiser"]
    assert made["hash_password"] not in ("", None, platform)
    assert made["postback_url"].endswith(f"/postback?clickid=CLICK&secure={made['hash_password']}")
    assert platform not in json.dumps(list(program.log_lines()))


@pytest.fixture
def new_program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


def test_pixel_on_a_foreign_page_with_the_visitors_cookie_makes_no_confirmed_conversion(
    new_program: RunningProgram,
) -> None:
    story = create_offer_scenario(new_program)
    story.await_rules()

    def report(response: str, **sent: str) -> None:
        before = len(responses(story))
        click_id = click_id_of(story.click())
        query = urlencode({"offer_id": story.offer, "afprice": "100", "afid": click_id} | sent)
        headers = {"Cookie": f"afclick_{story.offer}={click_id}", "Referer": "https://attacker.example/"}
        answer = new_program.track(f"/success.jpg?{query}", **headers)
        assert (answer.status, answer.headers["content-type"]) == (200, "image/gif")
        poll_until(lambda: len(responses(story)) > before, seconds=10, what="the pixel in the log")
        assert responses(story)[-1] == response

    def edit(**fields: str) -> str:
        path = f"/3.0/admin/offer/{story.offer}"
        return str(new_program.api("POST", path, fields)["offer"]["pixel_code"])

    code = edit(notes="")
    report("Access denied")
    report("Access denied", afsecure=story.code)
    report("", afsecure=code, afstatus="1")
    edit(**{"pixel_pages[]": "shop.example"})
    report("Current page is denied", afsecure=code)
    edit(pixels="0")
    report("Pixels are disabled", afsecure=code)
    [made] = new_program.api("GET", "/3.0/stats/conversions", period_around_today())["conversions"]
    assert made["status"] == "pending" and story.balance()["balance"].get("USD", 0) == 0
    stolen = story.call(click_id_of(story.click()), secure=code)
    assert stolen.status == 200
    poll_until(lambda: responses(story)[-1] == "Access denied", seconds=10, what="the postback with the pixel's code")
    assert story.call(made["clickid"], action_id=made["clickid"]).status == 200
    poll_until(lambda: story.balance()["balance"].get("USD") == 7, seconds=10, what="the advertiser's confirmation")
