"""Postbacks need a code in a new installation, and a program that needs none says so."""

import json
from collections.abc import Iterator
from pathlib import Path

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


@pytest.mark.long
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
