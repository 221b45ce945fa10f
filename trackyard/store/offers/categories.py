"""Categories of offers (docs/api/categories.md)."""

from collections.abc import Collection
from typing import Final

from sqlalchemy import Connection, select

from trackyard.domain.offers.categories import Category
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import category

_ROWS: Final = Rows[Category, str](category, Category)
add_category = _ROWS.add
find_category = _ROWS.find
edit_category = _ROWS.edit

ORDERS: Final = {"id": (category.c.created_at, category.c.id), "title": (category.c.title, category.c.id)}
"""What lists of categories can be sorted by. Ids ascend with the time of creation."""


def list_categories(
    conn: Connection, ids: Collection[str] | None, order: str, *, descending: bool, page: int, limit: int
) -> tuple[list[Category], int]:
    """Return a page of the categories with these ids, and the total.

    ids: None = all.
    order: a key of ORDERS.
    """
    keys = [column.desc() if descending else column.asc() for column in ORDERS[order]]
    conditions = [] if ids is None else [category.c.id.in_(set(ids))]
    return _ROWS.read_page(conn, select(category).where(*conditions).order_by(*keys), page, limit)
