"""The declaration of pages: their paths, their audience, and the methods of the API that they call."""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from trackyard.base.strangers import StrangerAct
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.methods import Needs
from trackyard.console.frame.request import Audience, PageRequest
from trackyard.wire.response.errors import MethodNotAllowed, PageNotFound

Handler = Callable[[PageRequest], PageAnswer]
_PATHS: Final = 2048
"""Paths of which the pages are kept: a page asks for dozens of them, mostly the same ones."""
FORM_MAX: Final = 1024 * 1024
"""Bytes of a form."""


@dataclass(frozen=True, slots=True)
class PageRoute:
    """One page.

    needs: the methods of the API that the page needs. A person without the right to one gets a 403, and no link.
    body_max: the most bytes of a signed-in person's form; more than FORM_MAX where it has files.
    act: the act of a person who has not signed in, on pages for anyone.
    """

    method: str
    path: str
    handle: Handler
    audience: Audience
    needs: Needs
    body_max: int
    pattern: re.Pattern[str]
    act: StrangerAct | None = None


class Pages:
    """The pages of one file, in the order of their handlers."""

    def __init__(self) -> None:
        self.routes: list[PageRoute] = []

    def get(
        self,
        path: str,
        *,
        audience: Audience = "staff",
        needs: Needs = (),
        act: StrangerAct | None = None,
    ) -> Callable[[Handler], Handler]:
        """Declare a page that is looked at."""
        return self._declare("GET", path, audience, needs, act=act)

    def post(
        self,
        path: str,
        *,
        audience: Audience = "staff",
        needs: Needs = (),
        body_max: int = FORM_MAX,
        act: StrangerAct | None = None,
    ) -> Callable[[Handler], Handler]:
        """Declare what a form of a page is sent to."""
        return self._declare("POST", path, audience, needs, body_max, act)

    def _declare(
        self,
        method: str,
        path: str,
        audience: Audience,
        needs: Needs,
        body_max: int = FORM_MAX,
        act: StrangerAct | None = None,
    ) -> Callable[[Handler], Handler]:
        pattern = re.compile(re.sub(r"\{(\w+)\}", r"(?P<\1>[^/]{1,200})", path) + r"\Z")

        def declare(handler: Handler) -> Handler:
            self.routes.append(PageRoute(method, path, handler, audience, needs, body_max, pattern, act))
            return handler

        return declare


class PageTable:
    """The pages of the program by path."""

    def __init__(self, parts: Iterable[Pages]) -> None:
        self.routes = [route for part in parts for route in part.routes]
        self._looked_at = lru_cache(_PATHS)(self._find_looked_at)

    def has(self, path: str) -> bool:
        """Return whether a page can be looked at under a path."""
        return bool(self._looked_at(path))

    def _find_looked_at(self, path: str) -> tuple[PageRoute, ...]:
        return tuple(route for route in self.routes if route.method == "GET" and route.pattern.match(path))

    def find(self, method: str, path: str) -> tuple[PageRoute, dict[str, str]]:
        """Return a page and the values of its path's variables. Raises PageNotFound, MethodNotAllowed."""
        method = "GET" if method == "HEAD" else method
        found = [(route, match) for route in self.routes if (match := route.pattern.match(path))]
        if not found:
            raise PageNotFound
        for route, match in found:
            if route.method == method:
                return route, match.groupdict()
        raise MethodNotAllowed(sorted({route.method for route, _ in found}))

    def needs_of(self, path: str, audience: Audience) -> Needs | None:
        """Return the methods that a page of these people needs; None where they have no such page."""
        found = (each for each in self._looked_at(path) if each.audience in (audience, "person"))
        return next((route.needs for route in found), None)
