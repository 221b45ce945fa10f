"""Conditions on lists of values, with one statement for any length.

`column IN (…)` is another statement for each number of values: it is compiled each time, and a server prepares each
one separately. That was most of the cost of the queries of a batch of postbacks.
"""

import json
from typing import Any

from sqlalchemy import ARRAY, Boolean, ColumnElement, Text, TypeDecorator, bindparam
from sqlalchemy.engine.interfaces import Dialect
from sqlalchemy.ext.compiler import compiles
from sqlalchemy.sql.compiler import SQLCompiler
from sqlalchemy.sql.functions import FunctionElement
from sqlalchemy.sql.type_api import TypeEngine

from trackyard.store.engine.dialect import is_postgresql


class ValueList(TypeDecorator[list[Any]]):
    """A list of values: an array on PostgreSQL, JSON on SQLite."""

    impl = Text
    cache_ok = True

    def __init__(self, kind: TypeEngine[Any]) -> None:
        super().__init__()
        self.kind = kind

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Return the type of the list in this dialect."""
        return dialect.type_descriptor(ARRAY(self.kind) if is_postgresql(dialect) else Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Return the list as this dialect stores it; any collection will do."""
        return list(value) if is_postgresql(dialect) else json.dumps(list(value))


class _Among(FunctionElement[bool]):
    type = Boolean()
    inherit_cache = True


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values in the parameter `name`."""
    return _Among(column, bindparam(name, type_=ValueList(column.type)))


def among_values(column: ColumnElement[Any], values: list[Any]) -> ColumnElement[bool]:
    """Return the condition that a column has one of the values."""
    return _Among(column, bindparam(None, values, type_=ValueList(column.type)))


@compiles(_Among, "postgresql")
def _any(element: Any, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = (compiler.process(each, **kw) for each in element.clauses)
    return f"{column} = ANY ({listed})"


@compiles(_Among, "sqlite")
def _each(element: Any, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = (compiler.process(each, **kw) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({listed}))"
