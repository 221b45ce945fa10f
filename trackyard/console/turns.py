"""Fair shares of people in what the console makes (docs/spec/console.md#turns).

Everything runs in the event loop of the console, so nothing is locked.
"""

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Final

from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import TooManyRequests, Unavailable
from trackyard.base.metrics.turns import PAGES_REFUSED
from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.callers import Caller, StaffCaller

OF_PERSON: Final = 3
"""Turns that one person has at once."""
FOR_STAFF: Final = 3
"""Turns that affiliates and advertisers together leave to staff."""
WAIT_S: Final = 5.0
MOST_WAITING: Final = 20
"""Turns that one person waits for; a further one is refused at once."""
_RETRY_S: Final = 5
_OWN: Final = lazy_gettext("Your other pages are still being made. Wait for them, then open this page again.")
_OTHERS: Final = lazy_gettext("Many people open pages now. Open this page again in a few seconds.")


class TooManyPages(TooManyRequests):
    """A person requests more pages at once than one person may."""

    def __init__(self) -> None:
        super().__init__(_RETRY_S, _OWN, code=ErrorCode.TOO_MANY_PAGES)


class PagesBusy(Unavailable):
    """Other people have all turns that this person may have."""

    def __init__(self) -> None:
        super().__init__(_OTHERS, code=ErrorCode.BUSY, retry_after=_RETRY_S)


@dataclass(frozen=True, slots=True)
class _Waiting:
    """A turn that a person waits for. began: is done when it begins."""

    name: str
    is_staff: bool
    began: "asyncio.Future[None]"


class Turns:
    """Limits how many pages people may load at once.

    most: how many turns all people may have together. wait_s: how long a request waits for its turn.
    """

    def __init__(self, most: int, wait_s: float = WAIT_S) -> None:
        self._most, self._wait_s = most, wait_s
        self._staff, self._others = Counter[str](), Counter[str]()
        self._waiting: list[_Waiting] = []

    @asynccontextmanager
    async def turn(self, caller: Caller) -> AsyncIterator[None]:
        """Let the block be the turn of a person. Raises TooManyPages, PagesBusy."""
        name, is_staff = caller.name, isinstance(caller, StaffCaller)
        await self._begin(name, is_staff=is_staff)
        try:
            yield
        finally:
            self._end(name, is_staff=is_staff)

    async def _begin(self, name: str, *, is_staff: bool) -> None:
        if self._fits(name, is_staff=is_staff):  # a page that waits does not fit
            self._running(is_staff=is_staff)[name] += 1
            return
        if sum(each.name == name for each in self._waiting) >= MOST_WAITING:
            raise self._refusal(name, is_staff=is_staff)
        waiting = _Waiting(name, is_staff, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(self._wait_s):
                await waiting.began
        except BaseException as fault:
            if waiting.began.done() and not waiting.began.cancelled():
                self._end(name, is_staff=is_staff)  # it began in the same moment
            else:
                self._waiting.remove(waiting)
            if isinstance(fault, TimeoutError):
                raise self._refusal(name, is_staff=is_staff) from None
            raise

    def _end(self, name: str, *, is_staff: bool) -> None:
        running = self._running(is_staff=is_staff)
        running[name] -= 1
        if not running[name]:
            del running[name]
        for each in [*self._waiting]:
            if not each.began.done() and self._fits(each.name, is_staff=each.is_staff):
                self._waiting.remove(each)
                self._running(is_staff=each.is_staff)[each.name] += 1
                each.began.set_result(None)

    def _fits(self, name: str, *, is_staff: bool) -> bool:
        others = self._others.total()
        if self._running(is_staff=is_staff)[name] >= OF_PERSON or others + self._staff.total() >= self._most:
            return False
        return is_staff or others < self._most - FOR_STAFF

    def _running(self, *, is_staff: bool) -> Counter[str]:
        return self._staff if is_staff else self._others

    def _refusal(self, name: str, *, is_staff: bool) -> TooManyPages | PagesBusy:
        is_own = self._running(is_staff=is_staff)[name] >= OF_PERSON
        PAGES_REFUSED.labels("share" if is_own else "busy").inc()
        return TooManyPages() if is_own else PagesBusy()
