"""Imports and edits by staff survive a kill, and every report shows the same."""

import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.offer_scenario import create_offer_scenario, period_around_today
from tests.support.processes.program import KEY, RunningProgram, poll_until
from tests.support.processes.receiver import Receiver


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path)
    running.start()
    yield running
    assert running.stop() == 0


@pytest.mark.chaos
def test_accepted_edits_and_imports_are_applied_in_order_after_kill(
    program: RunningProgram, receiver: Receiver
) -> None:
    story = create_offer_scenario(program, receiver.url("/pb?a={action_id}&status={status}&sum={sum}&geo={geo}"))
    one = {"offer": story.offer, "pid": story.affiliate}
    both = {f"list[{place}][{name}]": value for place in (0, 1) for name, value in one.items()}
    named = {"list[0][action_id]": "A", "list[1][action_id]": "B", "list[0][ip]": "1.1.1.1"}
    program.api("POST", "/3.0/admin/conversions/import", both | named | {"list[1][status]": "pending"})
    program.stop(signal.SIGKILL)
    program.start()

    def made() -> dict[str, Any]:
        found = program.api("GET", "/3.0/stats/conversions", period_around_today())["conversions"]
        return {item["action_id"]: item for item in found}

    poll_until(lambda: len(made()) == 2, seconds=20, what="the imports")
    assert {name: (item["status"], item["country"]) for name, item in made().items()} == {
        "A": ("confirmed", "AU"),
        "B": ("pending", ""),
    }
    program.api("POST", "/3.0/admin/conversion/edit", {"action_ids[0]": "A", "action_ids[1]": "B", "payouts": "2.5"})
    program.api("POST", "/3.0/admin/conversion/edit", {"ids": made()["B"]["id"], "status": "confirmed"})
    program.stop(signal.SIGKILL)
    program.start()
    poll_until(lambda: story.balance()["balance"] == {"USD": 5}, seconds=20, what="the edits")
    poll_until(
        lambda: story.figures(KEY).get("actions", {}).get("confirmed", {}).get("payouts") == 5, seconds=10, what="sums"
    )
    called = poll_until(
        lambda: len(paths := {request.path for request in receiver.requests()}) == 3 and paths,
        seconds=20,
        what="the calls to the affiliate, one of which a kill may have repeated",
    )
    assert sorted(called) == [
        "/pb?a=A&status=1&sum=7&geo=AU",
        "/pb?a=B&status=1&sum=2.5&geo=",
        "/pb?a=B&status=2&sum=7&geo=",
    ]
    log = poll_until(
        lambda: (
            len(found := program.api("GET", "/3.0/stats/serverpostbacks", period_around_today())["postbacks"]) == 5
            and found
        ),
        seconds=10,
        what="the log",
    )
    assert {item["response"] for item in log} == {""}
    history = program.api("GET", f"/3.1/stats/conversion/{made()['B']['id']}/history")["history"]
    assert [(item["status"], item["payouts"]) for item in history] == [
        ("pending", 7),
        ("pending", 2.5),
        ("confirmed", 2.5),
    ]
