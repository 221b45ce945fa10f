"""Alembic's entry point: runs in the transaction that store/engine/schema.py gives it."""

from alembic import context

from trackyard.store.tables import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    compare_type=True,
)
context.run_migrations()
