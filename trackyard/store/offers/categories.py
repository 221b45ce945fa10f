"""Categories of offers (docs/api/categories.md)."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, func, insert, select, update

from trackyard.domain.offers.categories import Category
from trackyard.store.engine.dialect import page_of
from trackyard.store.tables import category


def add_category(conn: Connection, new: Category) -> None:
    """Stores a new one."""
    conn.execute(insert(category).values(**asdict(new)))


def find_category(conn: Connection, category_id: str, *, lock: bool = False) -> Category | None:
    """The category of an id; `lock`: nobody else changes it until this transaction ends."""
    statement = select(category).where(category.c.id == category_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else Category(**row._mapping)


ORDERS: Final = {"id": (category.c.created_at, category.c.id), "title": (category.c.title, category.c.id)}
"""What lists of categories can be sorted by. Ids ascend with the time of creation."""


def list_categories(
    conn: Connection, ids: Collection[str] | None, order: str, *, descending: bool, page: int, limit: int
) -> list[Category]:
    """Return page `page` (1 = first) of the categories with these ids (None: of all), by a key of ORDERS."""
    keys = [column.desc() if descending else column.asc() for column in ORDERS[order]]
    query = page_of(_among(select(category), ids).order_by(*keys), page, limit)
    return [Category(**row._mapping) for row in conn.execute(query)]


def count_categories(conn: Connection, ids: Collection[str] | None = None) -> int:
    """Return how many of the categories with these ids exist; None: of all."""
    return int(conn.execute(_among(select(func.count()).select_from(category), ids)).scalar_one())


def _among(query: Any, ids: Collection[str] | None) -> Any:
    return query if ids is None else query.where(category.c.id.in_(set(ids)))


def edit_category(conn: Connection, category_id: str, title: str, now_ms: int) -> None:
    """Sets its title."""
    conn.execute(update(category).where(category.c.id == category_id).values(title=title, updated_at=now_ms))
