"""Pages that refuse when there is too much to do (docs/spec/console.md#turns).

Each is made once for many requests.
"""

import time
from collections.abc import Callable
from typing import Final

import anyio.to_thread
from anyio import CapacityLimiter
from starlette.requests import Request
from starlette.responses import Response

from trackyard.base.errors import RequestError, TooManyRequests
from trackyard.base.rate_limits import MonotonicClock
from trackyard.base.strangers import StrangersBusy
from trackyard.base.texts.languages import ENGLISH
from trackyard.console.frame import sessions
from trackyard.console.frame.answers import html_response
from trackyard.console.turns import PagesBusy, TooManyPages

KEPT_S: Final = 10.0
"""Time after which such a page is renewed: the network may have changed its name."""


def is_overload(refusal: RequestError | None) -> bool:
    """Return whether there is too much to do, for any person."""
    is_over_rate = isinstance(refusal, TooManyRequests) and refusal.code == TooManyRequests.code
    return is_over_rate or isinstance(refusal, StrangersBusy | TooManyPages | PagesBusy)


class OverloadPages:
    """The pages by language, status and code.

    make: returns the content of a page by its refusal and language. It runs in a thread.
    """

    def __init__(self, make: Callable[[RequestError, str], str], seconds: MonotonicClock = time.monotonic) -> None:
        self._make, self._seconds = make, seconds
        self._made: dict[tuple[str, int, str], tuple[float, str]] = {}
        self._thread = CapacityLimiter(1)

    async def respond(self, request: Request, refusal: RequestError) -> Response:
        """Return the page of a refusal, without anything of the person who asked."""
        language = sessions.language_of(request) or ENGLISH
        key = (language, refusal.status, refusal.code)
        content = self._find(key)
        if content is None:
            async with self._thread:
                content = self._find(key)
                if content is None:
                    content = await anyio.to_thread.run_sync(self._make, refusal, language)
                    self._made[key] = (self._seconds() + KEPT_S, content)
        response = html_response(content, refusal.status)
        if refusal.retry_after is not None:
            response.headers["Retry-After"] = str(refusal.retry_after)
        return response

    def _find(self, key: tuple[str, int, str]) -> str | None:
        until, content = self._made.get(key, (0.0, ""))
        return content if self._seconds() < until else None
