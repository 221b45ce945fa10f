"""How long clicks take: by turn of the event loop, in buckets."""

import pytest

from tests.support.counted import counted
from trackyard.base.metrics import CLICK_BUCKETS
from trackyard.edge.click_timer import ClickTimer

SHOWN = "trackyard_click_duration_seconds"


def test_click_times_are_added_to_the_metric_once() -> None:
    timer = ClickTimer()
    timer.add(0.0004, 3)
    timer.add(0.005, 1)
    timer.add(7.0, 2)
    limits = ("0.0005", "0.005", "1.0", "+Inf")
    before = {limit: counted(f"{SHOWN}_bucket", le=limit) for limit in limits}
    count, total = counted(f"{SHOWN}_count"), counted(f"{SHOWN}_sum")
    timer.flush()
    timer.flush()
    added = [counted(f"{SHOWN}_bucket", le=limit) - before[limit] for limit in limits]
    assert added == [3, 4, 4, 6]
    assert counted(f"{SHOWN}_count") == count + 6
    assert counted(f"{SHOWN}_sum") - total == pytest.approx(3 * 0.0004 + 0.005 + 14)


def test_click_time_is_that_of_the_turn_of_its_first_request() -> None:
    timer = ClickTimer()
    count = counted(f"{SHOWN}_count")
    timer.begin()
    began = timer.began
    timer.begin()
    assert timer.began == began > 0
    timer.end(2)
    assert timer.began == 0
    timer.begin()
    timer.end(0)  # a turn without clicks
    timer.end(5)  # answers to requests that were refused unread
    timer.flush()
    assert counted(f"{SHOWN}_count") == count + 2
    assert len(CLICK_BUCKETS) < 15
