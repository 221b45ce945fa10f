"""Growth of the file of visitors in a thread, before a bucket is full (docs/decisions/0017)."""

from concurrent.futures import Future, ThreadPoolExecutor

from trackyard.edge.state.unique import UniqueVisitors


class VisitorsGrowth:
    """Lets a file grow, and return what it no longer needs, while its visitors are claimed."""

    def __init__(self, visitors: UniqueVisitors) -> None:
        self._visitors = visitors
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix="visitors-growth")
        self._running: Future[None] | None = None
        self._looked_s = 0

    def tick(self, now_s: int) -> None:
        """Take over what the thread did; once a second look whether it has something to do."""
        if self._running is not None:
            if not self._running.done():
                return
            self._finish(self._running, now_s)
        if now_s == self._looked_s:
            return
        self._looked_s = now_s
        visitors = self._visitors
        visitors.refresh()
        expired = visitors.find_expired_segment(now_s)
        if expired >= 0:
            self._running = self._thread.submit(visitors.release, expired)
        elif visitors.is_crowded(now_s):
            visitors.growing = True
            self._running = self._thread.submit(visitors.grow, visitors.segments, now_s)

    def close(self) -> None:
        """Wait until the thread ends."""
        self._thread.shutdown(wait=True)

    def _finish(self, done: Future[None], now_s: int) -> None:
        self._running = None
        visitors = self._visitors
        if not visitors.growing:
            return  # blocks that stay on the disk do no harm
        visitors.growing = False
        fault = done.exception()
        if visitors.refresh() or fault is not None:
            visitors.set_growth_result(fault, now_s)
