"""kill -9 of every process during traffic: acknowledged records are there, once."""

import fcntl
import signal
import time
from collections import Counter
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.acknowledged import AcknowledgedTraffic, every_row
from tests.support.processes.program import KEY, RunningProgram, poll_until, request
from tests.support.processes.receiver import Receiver

pytestmark = pytest.mark.chaos


@pytest.mark.long  # tests/chaos kills them too, at random
def test_kill_of_every_process_loses_and_doubles_nothing(tmp_path: Path, receiver: Receiver) -> None:
    program = RunningProgram(tmp_path)
    program.start()
    story = create_offer_scenario(program, receiver.url("/pb?click={clickid}"))
    story.await_rules()
    with AcknowledgedTraffic(story) as traffic:
        traffic.grow(20)
        for child in ("edge 0", "core", "worker"):
            program.kill(child)
            traffic.grow(20)
        poll_until(program.is_ready, seconds=20, what="ready")
        program.stop(signal.SIGKILL)
        left_behind = tmp_path / "data" / "temporary" / "rows.raw"
        left_behind.write_bytes(b"rows on their way, with the addresses of visitors")
        program.start()
        assert not left_behind.exists()
        traffic.grow(20)

    acknowledged, called = set(traffic.clicks), set(traffic.calls)
    assert len(acknowledged) == len(traffic.clicks) and called <= acknowledged

    def settled() -> bool:
        conversions = program.api("GET", "/3.0/stats/conversions", {"limit": 1})["pagination"]["total_count"]
        row = story.figures(KEY)
        return bool(
            conversions >= len(called)
            and int(row["traffic"]["raw"]) >= len(acknowledged)
            and row["actions"]["total"]["count"] == conversions
        )

    poll_until(settled, seconds=30, what=f"{len(acknowledged)} clicks and {len(called)} calls")
    clicks = Counter(c["id"] for c in every_row(story, "clicks"))
    conversions = Counter(c["clickid"] for c in every_row(story, "conversions"))
    assert acknowledged <= set(clicks) and set(clicks.values()) == {1}
    assert called <= set(conversions) and set(conversions.values()) == {1}
    assert set(conversions) <= set(clicks)

    row = story.figures(KEY)
    assert int(row["traffic"]["raw"]) == len(clicks)
    confirmed = row["actions"]["confirmed"]
    count = len(conversions)
    assert (confirmed["count"], confirmed["charge"], confirmed["payouts"]) == (count, 10 * count, 7 * count)
    assert story.balance()["available"] == {"USD": 7 * count}

    def delivered() -> set[str]:
        return {parse_qs(urlsplit(r.path).query)["click"][0] for r in receiver.requests()}

    poll_until(lambda: delivered() == set(conversions), seconds=30, what="every postback")
    assert program.stop() == 0
    story_after = RunningProgram(tmp_path)
    story_after.api_port, story_after.tracking_port = program.api_port, program.tracking_port
    story_after.environment = program.environment
    story_after.start()
    assert story.figures(KEY) == row
    assert story_after.stop(signal.SIGINT) == 0


@pytest.mark.long
@pytest.mark.parametrize("how", ["service", "kill"])
def test_stop_during_start_is_clean(tmp_path: Path, how: str) -> None:
    """SIGTERM to the parent, as by a service manager; or a killed parent, which the roles must notice."""
    program = RunningProgram(tmp_path)
    program.start()
    assert program.stop() == 0
    for moment in range(3, 20):
        logged = program.log_file.stat().st_size
        program.start(ready=False)
        assert program.process is not None
        time.sleep(moment / 10)
        begun = time.monotonic()
        if how == "service":
            status = program.stop()
            if status == -signal.SIGTERM:  # on a busy machine the interpreter itself was still starting
                assert program.log_file.stat().st_size == logged
            else:
                assert status == 0, program.log_tail()
        else:
            program.stop(signal.SIGKILL)
            poll_until(lambda: not _is_locked(program), seconds=10, what="the roles noticed the death of their parent")
        assert time.monotonic() - begun < 10
    program.start()
    assert program.stop() == 0


def _is_locked(program: RunningProgram) -> bool:
    with (program.directory / "data" / "trackyard.lock").open() as lock:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return True
        return False


def test_role_that_keeps_dying_is_reported(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path)
    program.start()
    for _ in range(3):
        program.kill("worker")
    poll_until(lambda: not program.is_ready(), seconds=5, what="it is not ready")
    assert request(program.api_port, "GET", "/readyz").json == {"status": 2}
    answer = request(program.monitoring_port, "GET", "/readyz")
    assert answer.status == 503 and answer.json["reasons"] == ["the role worker dies again and again"]
    poll_until(program.is_ready, seconds=30, what="ready")
    assert program.stop() == 0
