"""Alembic's entry point: runs on the connection that `store.schema` hands in, inside its transaction."""

from typing import Any, Literal

from alembic import context

from trackyard.store.engine.types import Amount, Document, Rate
from trackyard.store.tables import metadata


def render_item(kind: str, item: Any, autogen: Any) -> str | Literal[False]:
    """Names our own column types in drafted migrations."""
    if kind == "type" and isinstance(item, Amount | Rate):
        autogen.imports.add(f"from trackyard.store.engine.types import {type(item).__name__}")
        return f"{type(item).__name__}()"
    if kind == "type" and item is Document:
        autogen.imports.add("from trackyard.store.engine.types import Document")
        return "Document"
    return False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    render_item=render_item,
    compare_type=True,
)
context.run_migrations()
