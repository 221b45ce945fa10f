"""Alembic: the steps that bring a database to the present schema."""
