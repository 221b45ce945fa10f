"""Categories of offers (docs/api/categories.md), shared by all staff."""

from collections.abc import Collection
from dataclasses import replace

from trackyard.actions.deps import Deps
from trackyard.base.errors import required
from trackyard.base.ids import new_id
from trackyard.domain.offers.categories import Category
from trackyard.store.offers import categories


def list_categories(
    deps: Deps, ids: Collection[str] | None, order: str, *, descending: bool, page: int, limit: int
) -> tuple[list[Category], int]:
    """Return a page of the categories with these ids (None: of all), and how many there are."""
    with deps.database.read() as conn:
        return categories.list_categories(conn, ids, order, descending=descending, page=page, limit=limit)


def get_category(deps: Deps, category_id: str) -> Category:
    """Return the category of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return required(categories.find_category(conn, category_id))


def add_category(deps: Deps, title: str) -> Category:
    """Create a category of offers."""
    now = deps.clock.now_ms()
    new = Category(id=new_id(now), title=title, created_at=now, updated_at=now)
    with deps.database.write() as conn:
        categories.add_category(conn, new)
    return new


def edit_category(deps: Deps, category_id: str, title: str) -> Category:
    """Rename a category. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(categories.find_category(conn, category_id, lock=True))
        categories.edit_category(conn, found.id, {"title": title, "updated_at": now})
    return replace(found, title=title, updated_at=now)
