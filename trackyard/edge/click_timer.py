"""How long clicks take, by two looks at the clock in a turn of the event loop."""

from time import perf_counter

from trackyard.base import metrics


class ClickTimer:
    """Counts clicks by the time of their turn; a click costs an addition.

    The answers of a turn are written together, so that the time of the turn is the longest of its clicks.

    began: when the first request of the turn was complete, seconds of perf_counter; 0.0 = there was none
    """

    def __init__(self) -> None:
        self.began = 0.0
        self._limits = list(metrics.CLICK_BUCKETS)
        self._counts = [0] * (len(self._limits) + 1)
        self._seconds = 0.0

    def begin(self) -> None:
        """Begin the turn with its first request."""
        if self.began == 0.0:
            self.began = perf_counter()

    def end(self, clicks: int) -> None:
        """End the turn: the answers to this many clicks were written."""
        if clicks and self.began:
            self.add(perf_counter() - self.began, clicks)
        self.began = 0.0

    def add(self, seconds: float, clicks: int) -> None:
        """Count clicks that took so long."""
        place = 0
        for limit in self._limits:  # most clicks are below one of the first
            if seconds <= limit:
                break
            place += 1
        self._counts[place] += clicks
        self._seconds += seconds * clicks

    def flush(self) -> None:
        """Add everything to the metric and begin at 0."""
        metrics.CLICK_SECONDS.add(self._counts, self._seconds)
        self._counts = [0] * len(self._counts)
        self._seconds = 0.0
