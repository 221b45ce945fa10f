"""News of the network, for affiliates and advertisers (docs/spec/console.md#portal)."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.platform import news as news_api
from trackyard.api.platform.news import NewsListAnswer, NewsView
from trackyard.base.errors import Unavailable
from trackyard.base.texts.marks import ngettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.navigation import RailNumber
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import Audience, PageRequest
from trackyard.console.portal.words import moment_text
from trackyard.wire.endpoint import Endpoint

pages = Pages()

PER_PAGE: Final = 20
ON_HOME: Final = 3
"""News that the first page shows."""


@dataclass(frozen=True, slots=True)
class NewsDoor:
    """A page of news.

    method: the list of its readers.
    """

    path: str
    audience: Audience
    method: Endpoint[Deps, NewsListAnswer]


@dataclass(frozen=True, slots=True)
class HomeNews:
    """The news on the first page of a portal.

    rows: with the time of each. unread: how many in words, "" = none. path: of all.
    """

    rows: Sequence[tuple[NewsView, str]]
    unread: str
    path: str


_DOORS: Final = (
    NewsDoor("/portal/news", "affiliate", news_api.list_),
    NewsDoor("/advertiser/news", "advertiser", news_api.list_for_advertisers),
)
_DOOR_OF: Final = {each.audience: each for each in _DOORS}


def _page(door: NewsDoor, request: PageRequest) -> PageAnswer:
    """Show the news, pinned ones first, and mark them as read, unless staff look at the portal."""
    page = request.address.page
    sent = [("limit", str(PER_PAGE)), ("skip", str((page - 1) * PER_PAGE))]
    answer = request.calls.ask(door.method, sent)
    if request.calls.may(news_api.seen):
        request.calls.ask(news_api.seen)
    return request.page(
        "portal/news.html",
        rows=_with_times(request, answer),
        total=answer.all_items,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        api_request_path=request.calls.address(door.method, sent),
    )


def news_of_home(request: PageRequest) -> HomeNews | None:
    """Return the first news for the first page of a portal; None without any."""
    door = _DOOR_OF[request.person.audience]
    if not request.calls.may(door.method):
        return None
    answer = request.calls.ask(door.method, [("limit", str(ON_HOME))])
    unread = count_unread_news(request).get(door.path)
    return HomeNews(_with_times(request, answer), unread.text if unread else "", door.path) if answer.items else None


def count_unread_news(request: PageRequest) -> dict[str, RailNumber]:
    """Return how many news the person has not read, by the path of their page; empty without any.

    Without the database it is empty, so that the page can show that it is unavailable.
    """
    door = _DOOR_OF[request.person.audience]
    try:
        number = request.calls.ask(news_api.unread).unread if request.calls.may(news_api.unread) else 0
    except Unavailable:
        return {}
    text = ngettext("%(num)d unread", "%(num)d unread", number)
    return {door.path: RailNumber(number, text)} if number else {}


def _with_times(request: PageRequest, answer: NewsListAnswer) -> list[tuple[NewsView, str]]:
    return [(each, moment_text(each.created_at, request.zone)) for each in answer.items.values()]


for _door in _DOORS:
    pages.get(_door.path, audience=_door.audience, needs=(_door.method,))(partial(_page, _door))
