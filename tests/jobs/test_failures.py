"""Failures of jobs: what is logged, and how long a job waits."""

import logging

import pytest
from sqlalchemy.exc import OperationalError

from trackyard.base.errors import Unavailable
from trackyard.jobs.failures import JobFailures

LOG = logging.getLogger("trackyard.test")


class Hand:
    """A clock that is set by hand."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


def failed_twice(error: type[Exception]) -> list[Exception]:
    found: list[Exception] = []
    for _ in range(2):
        try:
            raise error("broken")
        except error as caught:
            found.append(caught)
    return found


def lines(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(line.levelname, line.message) for line in caplog.records]


def test_job_that_fails_waits_twice_as_long_each_time() -> None:
    failures = JobFailures(LOG, "worker", "job", first_s=1, most_s=30)
    assert [failures.failed(ValueError()) for _ in range(7)] == [1, 2, 4, 8, 16, 30, 30]
    failures.worked()
    assert failures.failed(ValueError()) == 1


def test_job_defect_is_logged_once_in_ten_minutes(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    hand = Hand()
    failures = JobFailures(LOG, "worker", "counters", clock=hand)
    first, second = failed_twice(ValueError)
    failures.failed(first)
    failures.failed(second)
    hand.now = 599
    failures.failed(first)
    assert lines(caplog) == [("ERROR", "job failed")]
    assert (caplog.records[0].__dict__["task"], caplog.records[0].exc_info is not None) == ("counters", True)
    hand.now = 600
    failures.failed(first)
    assert lines(caplog) == [("ERROR", "job failed")] * 2


def test_job_defect_at_another_place_is_logged(caplog: pytest.LogCaptureFixture) -> None:
    failures = JobFailures(LOG, "worker", "job")
    failures.failed(failed_twice(ValueError)[0])
    failures.failed(failed_twice(KeyError)[0])
    assert lines(caplog) == [("ERROR", "job failed")] * 2


def test_job_that_works_again_says_so_where_it_said_that_it_failed(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    failures = JobFailures(LOG, "worker", "job")
    failures.worked()
    failures.failed(ValueError())
    failures.worked()
    failures.worked()
    failures.failed(ValueError())  # within ten minutes
    failures.worked()
    assert lines(caplog) == [("ERROR", "job failed"), ("INFO", "job works again")]


@pytest.mark.parametrize("error", [OperationalError("SELECT", {}, Exception("server closed")), Unavailable()])
def test_job_without_its_store_leaves_the_line_to_the_component(
    caplog: pytest.LogCaptureFixture, error: Exception
) -> None:
    caplog.set_level(logging.INFO)
    failures = JobFailures(LOG, "worker", "job")
    failures.failed(error)
    failures.worked()
    assert lines(caplog) == []
