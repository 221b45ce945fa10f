"""Counts of the hot path as plain integers, given to the metrics once a second."""

from collections import defaultdict

from trackyard.base import metrics


class Counters:
    """clicks: by reason, "" = accepted · calls · requests: by (path, status)."""

    __slots__ = ("calls", "clicks", "requests")

    def __init__(self) -> None:
        self.clicks: defaultdict[str, int] = defaultdict(int)
        self.calls = 0
        self.requests: defaultdict[tuple[str, int], int] = defaultdict(int)

    def flush(self) -> None:
        """Adds everything to the metrics and begins at 0."""
        for reason, count in self.clicks.items():
            metrics.CLICKS.labels(reason).inc(count)
        for (path, status), count in self.requests.items():
            metrics.EDGE_REQUESTS.labels(path, status).inc(count)
        metrics.CALLS.inc(self.calls)
        self.clicks.clear()
        self.requests.clear()
        self.calls = 0
