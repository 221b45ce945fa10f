"""Tables beside the live ones while these are made again (docs/decisions/0030)."""

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import Final

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.schema import TABLES, Table

SHADOW_TABLES: Final[Mapping[str, Table]] = MappingProxyType(
    {name: replace(TABLES[name], name=f"{name}_beside") for name in ("click", "view", "click_lookup", "fact")}
)
"""By the name of a live table the one that is to take its place. Logs stay: they are nowhere else."""

LATE_EVENTS_TABLE: Final = replace(TABLES["fact"], name="fact_later", projections={})
"""Facts loaded while they are made again: which of them the new ones hold already is known at the end."""

DUAL_WRITE_TABLES: Final[Mapping[str, Table]] = MappingProxyType({**SHADOW_TABLES, "fact": LATE_EVENTS_TABLE})
"""By the name of a live table where what is loaded goes, too, while a rebuild runs."""


def create_shadow_tables(analytics: Analytics) -> None:
    """Makes the tables empty."""
    drop_shadow_tables(analytics)
    for table in (*SHADOW_TABLES.values(), LATE_EVENTS_TABLE):
        analytics.run(table.create_statement())


def drop_shadow_tables(analytics: Analytics) -> None:
    """Removes the tables and gives their room back; whoever still reads them is waited for."""
    for table in (*SHADOW_TABLES.values(), LATE_EVENTS_TABLE):
        analytics.run(f"DROP TABLE IF EXISTS `{table.name}` SYNC")


def swap_shadow_tables(analytics: Analytics) -> None:
    """Puts each table into the place of its twin, one after the other: both hold the same."""
    for name, twin in SHADOW_TABLES.items():
        analytics.run(f"EXCHANGE TABLES `{name}` AND `{twin.name}`")
