"""News: what staff tell affiliates (docs/api/news.md)."""

from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, true, update

from trackyard.store.tables import news


@dataclass(frozen=True, slots=True)
class News:
    """A row of the table. published: whether affiliates see it · pinned: before the others · times UTC ms."""

    id: str
    title: str
    summary: str
    body: str
    published: bool
    pinned: bool
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class NewsFilter:
    """Which news. drafts: those that are not published too · pinned None = both."""

    drafts: bool
    pinned: bool | None = None

    def conditions(self) -> ColumnElement[bool]:
        """As a condition."""
        criteria: ColumnElement[bool] = true()
        if not self.drafts:
            criteria &= news.c.published.is_(True)
        if self.pinned is not None:
            criteria &= news.c.pinned.is_(self.pinned)
        return criteria


def add_news(conn: Connection, new: News) -> None:
    """Stores a new one."""
    conn.execute(insert(news).values(**asdict(new)))


def find_news(conn: Connection, news_id: str, *, drafts: bool, lock: bool = False) -> News | None:
    """The news of an id; `drafts`: also when it is not published · `lock`: nobody else changes it until this
    transaction ends."""
    statement = select(news).where(news.c.id == news_id, NewsFilter(drafts=drafts).conditions())
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else News(**row._mapping)


def list_news(conn: Connection, criteria: NewsFilter, *, skip: int, limit: int) -> tuple[list[News], int]:
    """`limit` of the chosen news after the first `skip`, pinned ones first, each group newest first; and how many
    are chosen."""
    conditions = criteria.conditions()
    total = conn.execute(select(func.count()).select_from(news).where(conditions)).scalar_one()
    query = select(news).where(conditions)
    ordered = query.order_by(news.c.pinned.desc(), news.c.created_at.desc(), news.c.id.desc())
    return [News(**row._mapping) for row in conn.execute(ordered.limit(limit).offset(skip))], total


def edit_news(conn: Connection, news_id: str, values: Mapping[str, Any]) -> None:
    """Sets columns."""
    conn.execute(update(news).where(news.c.id == news_id).values(**values))


def remove_news(conn: Connection, news_id: str) -> None:
    """Removes it."""
    conn.execute(delete(news).where(news.c.id == news_id))
