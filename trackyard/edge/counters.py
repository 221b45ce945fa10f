"""Counts of the hot path as plain integers, added to the metrics once a second."""

from collections import defaultdict
from http import HTTPStatus

from trackyard.base import metrics
from trackyard.domain.tracking.rejections import REJECTION_REASONS


class Counters:
    """Counts since the last flush; the most frequent ones are plain integers.

    unrecorded: answered and not recorded (edge/record_limits.py), by kind
    accepted: clicks; `clicks`: by reason
    redirected: answers to /click; `requests`: by (path, status)
    """

    def __init__(self) -> None:
        self.clicks: defaultdict[str, int] = defaultdict(int)
        self.postbacks = self.accepted = self.redirected = 0
        self.unrecorded: defaultdict[str, int] = defaultdict(int)
        self.requests: defaultdict[tuple[str, int], int] = defaultdict(int)
        for reason in (metrics.ACCEPTED, *REJECTION_REASONS):
            metrics.CLICKS.labels(reason)  # a series that is there at 0 shows its first click

    def flush(self) -> None:
        """Add everything to the metrics and begin at 0."""
        if self.accepted:
            self.clicks[metrics.ACCEPTED] += self.accepted
        if self.redirected:
            self.requests["/click", HTTPStatus.FOUND.value] += self.redirected
        for reason, count in self.clicks.items():
            metrics.CLICKS.labels(reason).inc(count)
        for (path, status), count in self.requests.items():
            metrics.EDGE_REQUESTS.labels(path, status).inc(count)
        metrics.POSTBACKS.inc(self.postbacks)
        for kind, count in self.unrecorded.items():
            metrics.UNRECORDED.labels(kind).inc(count)
        self.unrecorded.clear()
        self.clicks.clear()
        self.requests.clear()
        self.postbacks = self.accepted = self.redirected = 0
