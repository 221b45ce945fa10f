"""News for affiliates (docs/api/news.md)."""

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, true, update

from trackyard.domain.platform.news import News, NewsFilter
from trackyard.store.tables import news


def add_news(conn: Connection, new: News) -> None:
    """Store a piece of news."""
    conn.execute(insert(news).values(**asdict(new)))


def find_news(conn: Connection, news_id: str, *, drafts: bool, lock: bool = False) -> News | None:
    """Return the news of an id.

    drafts: also when it is not published.
    lock: no other transaction changes it until the end of this one.
    """
    statement = select(news).where(news.c.id == news_id, _conditions(NewsFilter(drafts=drafts)))
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else News(**row._mapping)


def list_news(conn: Connection, criteria: NewsFilter, *, skip: int, limit: int) -> tuple[list[News], int]:
    """Return `limit` of the chosen news after the first `skip`, and the number of all chosen.

    Pinned ones come first; each group is ordered newest first.
    """
    conditions = _conditions(criteria)
    total = conn.execute(select(func.count()).select_from(news).where(conditions)).scalar_one()
    query = select(news).where(conditions)
    ordered = query.order_by(news.c.pinned.desc(), news.c.created_at.desc(), news.c.id.desc())
    return [News(**row._mapping) for row in conn.execute(ordered.limit(limit).offset(skip))], total


def edit_news(conn: Connection, news_id: str, values: Mapping[str, Any]) -> None:
    """Set columns of news."""
    conn.execute(update(news).where(news.c.id == news_id).values(**values))


def remove_news(conn: Connection, news_id: str) -> None:
    """Remove news."""
    conn.execute(delete(news).where(news.c.id == news_id))


def _conditions(criteria: NewsFilter) -> ColumnElement[bool]:
    conditions: ColumnElement[bool] = true()
    if not criteria.drafts:
        conditions &= news.c.published.is_(True)
    if criteria.pinned is not None:
        conditions &= news.c.pinned.is_(criteria.pinned)
    return conditions
