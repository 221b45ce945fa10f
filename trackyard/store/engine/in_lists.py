"""Conditions on lists of values, with one statement for any length.

`column IN (…)` is another statement for each number of values: it is compiled each time, and a server prepares
each of them apart. For what a batch of calls asks, that was most of the cost.
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
        """Where it is an array."""
        return dialect.type_descriptor(ARRAY(self.kind) if is_postgresql(dialect) else Text())

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Any collection of values."""
        return list(value) if is_postgresql(dialect) else json.dumps(list(value))


class _Among(FunctionElement[bool]):
    type = Boolean()
    inherit_cache = True


def among(column: ColumnElement[Any], name: str) -> ColumnElement[bool]:
    """Whether a column has one of the values that the parameter `name` lists."""
    return _Among(column, bindparam(name, type_=ValueList(column.type)))


@compiles(_Among, "postgresql")
def _any(element: Any, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = (compiler.process(each, **kw) for each in element.clauses)
    return f"{column} = ANY ({listed})"


@compiles(_Among, "sqlite")
def _each(element: Any, compiler: SQLCompiler, **kw: Any) -> str:
    column, listed = (compiler.process(each, **kw) for each in element.clauses)
    return f"{column} IN (SELECT value FROM json_each({listed}))"
