"""A start after kill -9 with clicks that nothing loaded yet: the API answers first."""

import http.client
import signal
import time
from pathlib import Path
from typing import Any

import pytest

from tests.support.clicks.backlog import journal_clicks
from tests.support.offer_scenario import create_offer_scenario
from tests.support.processes.program import KEY, HttpAnswer, RunningProgram, poll_until, request

pytestmark = pytest.mark.chaos

BACKLOG = 200_000


def ask(program: RunningProgram, path: str) -> HttpAnswer | None:
    """Returns the answer of the API, None when nothing listens."""
    try:
        return request(program.api_port, "GET", path, headers={"API-Key": KEY})
    except (OSError, http.client.HTTPException):
        return None


def until_answered(program: RunningProgram, path: str) -> float:
    """Starts a program; the seconds to the first good answer."""
    begun = time.monotonic()
    program.start(ready=False)

    def is_answered() -> bool:
        answer = ask(program, path)
        return answer is not None and answer.status == 200

    poll_until(is_answered, seconds=60, what=f"{path}; the log ends {program.log_tail()}")
    return time.monotonic() - begun


def readiness(program: RunningProgram) -> Any:
    """What the monitoring listener says of the machine."""
    return request(program.monitoring_port, "GET", "/readyz").json


@pytest.mark.long
def test_start_with_a_backlog_answers_before_it_is_loaded(tmp_path: Path) -> None:
    program = RunningProgram(tmp_path)
    program.start()
    story = create_offer_scenario(program)
    story.await_rules()
    poll_until(lambda: story.figures(KEY), seconds=30, what="the first click")
    program.stop(signal.SIGKILL)
    path = f"/3.0/offer/{story.offer}"
    without_s = until_answered(program, path)
    before = int(story.figures(KEY)["traffic"]["raw"])
    program.stop(signal.SIGKILL)
    journal_clicks(tmp_path / "data", BACKLOG, offer=story.offer, affiliate=story.affiliate, age_ms=60_000)
    with_s = until_answered(program, path)
    loaded = int(story.figures(KEY)["traffic"]["raw"])
    shown = readiness(program)
    assert loaded < before + BACKLOG, "it answers next to the load"
    assert shown["lag_seconds"]["journal"] > 30 and "MB of journals are being loaded" in str(shown["warnings"])
    assert with_s < without_s * 2 + 2, "the backlog delays the start no more than a busy machine does"
    poll_until(
        lambda: int(story.figures(KEY)["traffic"]["raw"]) == before + BACKLOG, seconds=90, what="every click, once"
    )
    poll_until(lambda: readiness(program)["lag_seconds"]["journal"] < 5, seconds=20, what="no lag")
    assert not [line for line in readiness(program)["warnings"] if "journals" in line]
    assert program.stop() == 0
