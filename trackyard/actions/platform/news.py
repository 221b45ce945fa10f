"""News: read by all, written by staff (docs/api/news.md); drafts only by callers that may write."""

from dataclasses import replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.base.errors import required
from trackyard.base.ids import new_id
from trackyard.domain.people.callers import Caller, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.news import News, NewsFilter
from trackyard.store.engine.database import Connection
from trackyard.store.platform import news


def list_news(deps: Deps, caller: Caller, *, pinned: bool | None, skip: int, limit: int) -> tuple[list[News], int]:
    """Return `limit` news after the first `skip`, and the total. pinned: None is both.

    Pinned ones come first; each group is ordered newest first.
    """
    chosen = NewsFilter(drafts=_sees_drafts(caller), pinned=pinned)
    with deps.database.read() as conn:
        return news.list_news(conn, chosen, skip=skip, limit=limit)


def get_news(deps: Deps, caller: Caller, news_id: str) -> News:
    """Return the news of an id.

    Raises NotFound, also for drafts of callers that may not write news.
    """
    with deps.database.read() as conn:
        return required(news.find_news(conn, news_id, drafts=_sees_drafts(caller)))


def add_news(deps: Deps, *, title: str, summary: str, body: str, published: bool, pinned: bool) -> News:
    """Create news."""
    now = deps.clock.now_ms()
    new = News(new_id(now), title, summary, body, published, pinned, created_at=now, updated_at=now)
    with deps.database.write() as conn:
        news.add_news(conn, new)
    return new


def edit_news(deps: Deps, news_id: str, changes: dict[str, Any]) -> News:
    """Change columns of news. Raises NotFound."""
    values = changes | {"updated_at": deps.clock.now_ms()}
    with deps.database.write() as conn:
        before = _locked(conn, news_id)
        news.edit_news(conn, before.id, values)
    return replace(before, **values)


def remove_news(deps: Deps, news_id: str) -> News:
    """Remove news and return the removed record. Raises NotFound."""
    with deps.database.write() as conn:
        removed = _locked(conn, news_id)
        news.remove_news(conn, removed.id)
    return removed


def _sees_drafts(caller: Caller) -> bool:
    return isinstance(caller, StaffCaller) and caller.may(Permission.NEWS_WRITE)


def _locked(conn: Connection, news_id: str) -> News:
    return required(news.find_news(conn, news_id, drafts=True, lock=True))
