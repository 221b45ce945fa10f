"""Counts of the hot path as plain integers, given to the metrics once a second."""

from collections import defaultdict
from http import HTTPStatus

from trackyard.base import metrics


class Counters:
    """clicks: by reason, "" = accepted · calls · requests: by (path, status). What nearly all are is counted apart:
    accepted clicks, and redirected answers to /click."""

    __slots__ = ("accepted", "clicks", "postbacks", "redirected", "requests")

    def __init__(self) -> None:
        self.clicks: defaultdict[str, int] = defaultdict(int)
        self.postbacks = self.accepted = self.redirected = 0
        self.requests: defaultdict[tuple[str, int], int] = defaultdict(int)

    def flush(self) -> None:
        """Adds everything to the metrics and begins at 0."""
        if self.accepted:
            self.clicks[""] += self.accepted
        if self.redirected:
            self.requests["/click", HTTPStatus.FOUND.value] += self.redirected
        for reason, count in self.clicks.items():
            metrics.CLICKS.labels(reason).inc(count)
        for (path, status), count in self.requests.items():
            metrics.EDGE_REQUESTS.labels(path, status).inc(count)
        metrics.POSTBACKS.inc(self.postbacks)
        self.clicks.clear()
        self.requests.clear()
        self.postbacks = self.accepted = self.redirected = 0
