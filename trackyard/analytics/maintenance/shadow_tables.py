"""Shadow tables, which replace the live ones after a rebuild (docs/decisions/0030)."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import TABLES, Table

SHADOW_TABLES: Final[Mapping[str, Table]] = MappingProxyType(
    {name: replace(TABLES[name], name=f"{name}_beside") for name in ("click", "view", "click_lookup", "fact")}
)
"""The shadow tables by the name of their live table. Logs have none, as they have no other source."""

LATE_EVENTS_TABLE: Final = replace(TABLES["fact"], name="fact_later", projections={})
"""Conversion events loaded during a rebuild; its end decides which of them are new."""

DUAL_WRITE_TABLES: Final[Mapping[str, Table]] = MappingProxyType({**SHADOW_TABLES, "fact": LATE_EVENTS_TABLE})
"""The second tables of loads during a rebuild, by the name of the live table."""


def create_shadow_tables(analytics: Analytics) -> None:
    """Create the tables, empty."""
    drop_shadow_tables(analytics)
    for table in (*SHADOW_TABLES.values(), LATE_EVENTS_TABLE):
        table.create(analytics)


def drop_shadow_tables(analytics: Analytics) -> None:
    """Remove the tables and free their disk space, after running reads."""
    for table in (*SHADOW_TABLES.values(), LATE_EVENTS_TABLE):
        table.drop(analytics)


def swap_shadow_tables(analytics: Analytics) -> None:
    """Exchange each shadow table with its live table, one after the other: both have the same rows."""
    for name, twin in SHADOW_TABLES.items():
        analytics.run(analytics.layout.exchange_tables(name, twin.name))
