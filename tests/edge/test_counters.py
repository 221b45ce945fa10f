"""Counts of the hot path in the metrics."""

from tests.support.counted import counted
from trackyard.edge.counters import Counters


def test_edge_counts_are_added_to_metrics_once() -> None:
    counters = Counters()
    counters.accepted, counters.redirected, counters.postbacks = 3, 4, 2
    counters.clicks["bot"] += 1
    before = {reason: counted("trackyard_clicks_total", reason=reason) for reason in ("accepted", "bot", "")}
    postbacks = counted("trackyard_inbound_postbacks_total")
    counters.flush()
    counters.flush()
    after = {reason: counted("trackyard_clicks_total", reason=reason) for reason in before}
    assert {reason: after[reason] - before[reason] for reason in before} == {"accepted": 3, "bot": 1, "": 0}
    assert counted("trackyard_inbound_postbacks_total") - postbacks == 2
