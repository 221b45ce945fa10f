"""Categories of offers (spec: Category)."""

from dataclasses import asdict, dataclass

from sqlalchemy import Connection, func, insert, select, update

from trackyard.store.tables import category


@dataclass(frozen=True, slots=True)
class Category:
    """A row of the table. Times UTC ms."""

    id: str
    title: str
    created_at: int
    updated_at: int


def add_category(conn: Connection, new: Category) -> None:
    """Stores a new one."""
    conn.execute(insert(category).values(**asdict(new)))


def find_category(conn: Connection, category_id: str, *, lock: bool = False) -> Category | None:
    """The category of an id; `lock`: nobody else changes it until this transaction ends."""
    statement = select(category).where(category.c.id == category_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None else Category(**row._mapping)


def list_categories(conn: Connection, page: int, limit: int) -> list[Category]:
    """Page `page` (1 = first) of them, oldest first."""
    query = select(category).order_by(category.c.created_at, category.c.id)
    return [Category(**row._mapping) for row in conn.execute(query.limit(limit).offset((page - 1) * limit))]


def count_categories(conn: Connection) -> int:
    """How many there are."""
    return int(conn.execute(select(func.count()).select_from(category)).scalar_one())


def edit_category(conn: Connection, category_id: str, title: str, now_ms: int) -> None:
    """Sets its title."""
    conn.execute(update(category).where(category.c.id == category_id).values(title=title, updated_at=now_ms))
