"""The installation: settings, edge numbers, the rules' clock, currency rates. Times are UTC epoch milliseconds."""

from sqlalchemy import Column, Integer, String, Table, UniqueConstraint

from trackyard.store.tables.schema import metadata
from trackyard.store.types import Document, Id24, Moment, Rate

setting = Table(
    "setting",
    metadata,
    Column("name", String(64), primary_key=True),
    Column("value", Document, nullable=False),
)

edge = Table(  # edge numbers, given out once, one per edge process slot of a data directory (1..250)
    "edge",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("directory_id", Id24, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("claimed_at", Moment, nullable=False),
    UniqueConstraint("directory_id", "slot"),
)

rule_clock = Table(  # one row: the version of the last rule change; its lock makes versions commit in order
    "rule_clock",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Moment, nullable=False),
)

rule_change = Table(  # the last version at which the rule of (kind, key) changed
    "rule_change",
    metadata,
    Column("kind", String(16), primary_key=True),
    Column("key", String(24), primary_key=True),
    Column("version", Moment, nullable=False, index=True),
)

currency_rate = Table(  # units of the currency for one unit of the platform currency, from a day on
    "currency_rate",
    metadata,
    Column("currency", String(3), primary_key=True),
    Column("from_at", Moment, primary_key=True),
    Column("rate", Rate, nullable=False),
)
