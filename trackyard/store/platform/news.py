"""News for affiliates (docs/api/news.md)."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, func, select

from trackyard.domain.platform.news import News, NewsFilter
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import news

_ROWS: Final = Rows[News, str](news, News)
add_news = _ROWS.add
edit_news = _ROWS.edit
remove_news = _ROWS.remove


def find_news(conn: Connection, news_id: str, *, drafts: bool, lock: bool = False) -> News | None:
    """Return the news of an id.

    drafts: also when it is not published.
    lock: no other transaction changes it until the end of this one.
    """
    return _ROWS.find_where(conn, news.c.id == news_id, *_conditions(NewsFilter(drafts=drafts)), lock=lock)


def list_news(conn: Connection, criteria: NewsFilter, *, skip: int, limit: int) -> tuple[list[News], int]:
    """Return `limit` of the chosen news after the first `skip`, and the number of all chosen.

    Pinned ones come first; each group is ordered newest first.
    """
    conditions = _conditions(criteria)
    total = conn.execute(select(func.count()).select_from(news).where(*conditions)).scalar_one()
    query = select(news).where(*conditions)
    ordered = query.order_by(news.c.pinned.desc(), news.c.created_at.desc(), news.c.id.desc())
    return _ROWS.read(conn, ordered.limit(limit).offset(skip)), total


def _conditions(criteria: NewsFilter) -> list[ColumnElement[bool]]:
    conditions: list[ColumnElement[bool]] = [] if criteria.drafts else [news.c.published.is_(True)]
    return conditions if criteria.pinned is None else [*conditions, news.c.pinned.is_(criteria.pinned)]
