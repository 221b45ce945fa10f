"""Components that are lost and come back: one line for each change."""

import logging

import pytest

from tests.support.counted import counted
from trackyard.base.logs.outages import Component, first_line


class Watch:
    """A clock that is set by hand."""

    now = 100.0

    def __call__(self) -> float:
        return self.now


def logged(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(line.levelname, line.message) for line in caplog.records]


LOST, BACK = ("WARNING", "component lost"), ("INFO", "component back")


def test_component_that_fails_often_is_logged_once_until_it_is_back(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.INFO)
    watch = Watch()
    component = Component("SQL database", watch)
    outages = counted("trackyard_outages_total", component="SQL database")
    component.worked()
    for _ in range(100):
        component.failed(OSError("refused\nat length"))
        watch.now += 1
    assert logged(caplog) == [LOST]
    assert counted("trackyard_outages_total", component="SQL database") == outages + 1
    assert caplog.records[0].__dict__["error"] == "refused" and caplog.records[0].exc_info is None
    component.worked()
    watch.now += 2
    component.worked()
    component.worked()
    assert logged(caplog) == [LOST, BACK]
    assert (caplog.records[1].__dict__["failures"], caplog.records[1].__dict__["seconds"]) == (100, 102)


def test_component_traceback_is_for_debug_alone(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    component = Component("SQL database")
    component.failed(OSError("refused"))
    component.failed(OSError("refused"))
    assert [(line.levelname, line.exc_info is not None) for line in caplog.records] == [
        ("WARNING", False), ("DEBUG", True), ("DEBUG", True),
    ]  # fmt: skip


def test_component_that_cannot_write_is_not_back_by_reading(caplog: pytest.LogCaptureFixture) -> None:
    """A full disk: reads work, and a line for each of them would be a flood."""
    caplog.set_level(logging.INFO)
    watch = Watch()
    component = Component("SQL database", watch)
    component.failed(OSError("full"), writing=True)
    watch.now += 60
    component.worked()
    assert logged(caplog) == [LOST]
    component.worked(writing=True)
    assert logged(caplog) == [LOST, BACK]


@pytest.mark.parametrize(("error", "line"), [(OSError(""), "OSError"), (OSError(" away.\nDetails"), "away")])
def test_first_line_of_error_is_a_part_of_a_sentence(error: Exception, line: str) -> None:
    assert first_line(error) == line
