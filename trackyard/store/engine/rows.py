"""Rows of tables as entities of the domain, and the statements that most subjects share."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from functools import cached_property
from typing import Any, Generic, TypeVar

from sqlalchemy import (
    ColumnElement,
    Connection,
    CursorResult,
    Row,
    Select,
    Table,
    bindparam,
    delete,
    insert,
    select,
    update,
)

from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page, upsert

Entity = TypeVar("Entity")
Id = TypeVar("Id")


def in_scope(
    scope: Scope, *, affiliate: ColumnElement[int] | None = None, advertiser: ColumnElement[str] | None = None
) -> list[ColumnElement[bool]]:
    """Return the conditions that rows are in scope, by the columns of their owners."""
    sides: tuple[tuple[ColumnElement[Any] | None, frozenset[Any] | None], ...] = (
        (affiliate, scope.affiliate_ids),
        (advertiser, scope.advertiser_ids),
    )
    return [column.in_(ids) for column, ids in sides if column is not None and ids is not None]


def has_rows(conn: Connection, query: Select[Any]) -> bool:
    """Return whether a query finds a row."""
    return conn.execute(query.limit(1)).first() is not None


class Rows(Generic[Entity, Id]):
    """The rows of a table with the column `id`, as entities: dataclasses with a field for each column.

    make: takes the columns by name.
    """

    def __init__(self, table: Table, make: Callable[..., Entity]) -> None:
        self._table = table
        self._make = make

    @cached_property
    def _with_id(self) -> Select[Any]:
        """The query for one id, made once: the ids of most requests are looked up by it."""
        return select(self._table).where(self._table.c.id == bindparam("wanted"))

    def entity(self, row: Row[Any]) -> Entity:
        """Return the entity of a row."""
        return self._make(**row._mapping)

    def add(self, conn: Connection, new: Any) -> None:
        """Store a new entity under its id."""
        conn.execute(insert(self._table).values(**asdict(new)))

    def add_numbered(self, conn: Connection, new: Any) -> int:
        """Store a new entity and return the id that the database gives it."""
        statement = insert(self._table).values(**_values_without_id(new))
        return int(conn.execute(statement.returning(self._table.c.id)).scalar_one())

    def add_if_free(self, conn: Connection, new: Any, unique: str, *, numbered: bool = True) -> Id | None:
        """Store a new entity and return its id; None when its value of the column `unique` is taken."""
        values = _values_without_id(new) if numbered else asdict(new)
        statement = upsert(conn, self._table).values(**values).on_conflict_do_nothing(index_elements=[unique])
        found: Id | None = conn.execute(statement.returning(self._table.c.id)).scalar_one_or_none()
        return found

    def edit(self, conn: Connection, entity_id: Id, values: Mapping[str, Any]) -> None:
        """Set columns of an entity."""
        conn.execute(update(self._table).where(self._table.c.id == entity_id).values(**values))

    def remove(self, conn: Connection, entity_id: Id) -> None:
        """Remove an entity; the caller changes what refers to it in the same transaction."""
        conn.execute(delete(self._table).where(self._table.c.id == entity_id))

    def find(self, conn: Connection, entity_id: Id, *, lock: bool = False) -> Entity | None:
        """Return the entity of an id, or None.

        lock: no other transaction changes it until the end of this one.
        """
        query = self._with_id.with_for_update() if lock else self._with_id
        return self._one(conn.execute(query, {"wanted": entity_id}))

    def find_where(self, conn: Connection, *conditions: ColumnElement[bool], lock: bool = False) -> Entity | None:
        """Return the one entity that meets the conditions, or None; `lock` as of `find`."""
        query = select(self._table).where(*conditions)
        return self._one(conn.execute(query.with_for_update() if lock else query))

    def _one(self, found: CursorResult[Any]) -> Entity | None:
        row = found.one_or_none()
        return None if row is None else self.entity(row)

    def by_id(self, conn: Connection, ids: Iterable[Id]) -> dict[Id, Entity]:
        """Return the existing entities by id."""
        if not (wanted := set(ids)):
            return {}
        rows = conn.execute(select(self._table).where(self._table.c.id.in_(wanted)))
        return {row.id: self.entity(row) for row in rows}

    def read(self, conn: Connection, query: Select[Any]) -> list[Entity]:
        """Return the entities of a query for all columns."""
        return [self.entity(row) for row in conn.execute(query)]

    def read_page(self, conn: Connection, query: Select[Any], page: int, limit: int) -> tuple[list[Entity], int]:
        """Return the entities of one page of an ordered query, and the number on all pages."""
        rows, total = read_page(conn, query, page, limit)
        return [self.entity(row) for row in rows], total


def ids_with_tags(conn: Connection, table: Table, tags: Iterable[str]) -> set[Any]:
    """Return the ids of the rows that have any of the tags."""
    wanted = set(tags)
    return {row.id for row in conn.execute(select(table.c.id, table.c.tags)) if wanted.intersection(row.tags)}


def _values_without_id(new: Any) -> dict[str, Any]:
    return {name: value for name, value in asdict(new).items() if name != "id"}
