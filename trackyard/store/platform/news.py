"""News for affiliates and advertisers (docs/api/news.md)."""

from typing import Final

from sqlalchemy import ColumnElement, Connection, delete, func, or_, select

from trackyard.domain.people.callers import Account
from trackyard.domain.platform.news import News, NewsAudience, NewsFilter
from trackyard.store.engine.dialect import upsert
from trackyard.store.engine.rows import Rows, has_rows
from trackyard.store.tables import news, news_seen

_ROWS: Final = Rows[News, str](news, News)
add_news = _ROWS.add
edit_news = _ROWS.edit
remove_news = _ROWS.remove


def find_news(conn: Connection, news_id: str, criteria: NewsFilter, *, lock: bool = False) -> News | None:
    """Return the news of an id that meet the criteria.

    lock: no other transaction changes it until the end of this one.
    """
    return _ROWS.find_where(conn, news.c.id == news_id, *_conditions(criteria), lock=lock)


def list_news(conn: Connection, criteria: NewsFilter, *, skip: int, limit: int) -> tuple[list[News], int]:
    """Return `limit` of the chosen news after the first `skip`, and the number of all chosen.

    Pinned ones come first; each group is ordered newest first.
    """
    query = select(news).where(*_conditions(criteria))
    ordered = query.order_by(news.c.pinned.desc(), news.c.created_at.desc(), news.c.id.desc())
    return _ROWS.read(conn, ordered.limit(limit).offset(skip)), count_news(conn, criteria)


def has_unrung(conn: Connection) -> bool:
    """Return whether companies lack the bell of news."""
    return has_rows(conn, select(news.c.id).where(news.c.rung_until.is_not(None)))


def claim_unrung(conn: Connection) -> News | None:
    """Return news of which companies lack the bell, locked until the end of the transaction."""
    query = select(news).where(news.c.rung_until.is_not(None)).order_by(news.c.shown_at, news.c.id).limit(1)
    return next(iter(_ROWS.read(conn, query.with_for_update(skip_locked=True))), None)


def count_news(conn: Connection, criteria: NewsFilter) -> int:
    """Return the number of the chosen news."""
    return conn.execute(select(func.count()).select_from(news).where(*_conditions(criteria))).scalar_one()


def seen_at(conn: Connection, person: Account, company: Account) -> int:
    """Return when a person last read the news of a company (UTC milliseconds); 0 = never."""
    columns = news_seen.c
    query = select(columns.seen_at).where(columns.owner == person.name, columns.company == company.name)
    return conn.execute(query).scalar_one_or_none() or 0


def mark_seen(conn: Connection, person: Account, company: Account, now_ms: int) -> None:
    """Store that a person reads the news of a company now."""
    new = upsert(conn, news_seen).values(owner=person.name, company=company.name, seen_at=now_ms)
    conn.execute(new.on_conflict_do_update(index_elements=["owner", "company"], set_={"seen_at": now_ms}))


def forget_seen(conn: Connection, company: Account) -> None:
    """Remove when people of a company read its news."""
    conn.execute(delete(news_seen).where(news_seen.c.company == company.name))


def _conditions(criteria: NewsFilter) -> list[ColumnElement[bool]]:
    columns = news.c
    found: list[ColumnElement[bool]] = []
    if not criteria.drafts:
        found += [columns.published.is_(True), or_(columns.until == "", columns.until >= criteria.today)]
    if criteria.reader is not None:
        found.append(columns.audience.in_([each for each in NewsAudience if criteria.reader in each.kinds]))
    if criteria.pinned is not None:
        found.append(columns.pinned.is_(criteria.pinned))
    if criteria.after is not None:
        found.append(columns.shown_at > criteria.after)
    return found
