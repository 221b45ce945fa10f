"""The installation: settings, edge numbers, the rules' clock, currency rates. Times are UTC epoch milliseconds."""

from sqlalchemy import Boolean, Column, Index, Integer, String, Table, Text, UniqueConstraint

from trackyard.store.engine.types import Amount, Document, Id24, Moment, Rate
from trackyard.store.tables.schema import metadata

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
    Column("source", String(8), nullable=False),  # store/money/exchange_rates.py
)

currency = Table(  # what staff say of a currency; one that stands here or has a rate exists
    "currency",
    metadata,
    Column("code", String(3), primary_key=True),
    Column("active", Boolean, nullable=False, default=True),
    Column("min_payment", Amount, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

audit = Table(  # what staff wrote: one row a changed thing, in the transaction that changed it
    "audit",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("at", Moment, nullable=False, index=True),
    Column("staff_id", Id24, nullable=False),
    Column("request_id", String(64), nullable=False, index=True),
    Column("method", String(64), nullable=False),  # the endpoint's id
    Column("what", String(32), nullable=False),  # the table
    Column("key", String(200), nullable=False),  # its primary key, several parts joined by "/"
    Column("changes", Document, nullable=False),  # column → [from, to]
    Index("ix_audit_staff_id_at", "staff_id", "at"),
    Index("ix_audit_what_key_at", "what", "key", "at"),
)

erasure = Table(  # whose personal data was erased, for ever: it must not come back (domain/platform/erasures.py)
    "erasure",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("subject", String(16), nullable=False),
    Column("value", String(255), nullable=False),
    Column("at", Moment, nullable=False),
    Column("staff_id", Id24, nullable=False),
    # when SQL and the analytic store were rid of it; NULL = they are not yet, or something was loaded meanwhile
    Column("sql_at", Moment, nullable=True),
    Column("analytics_at", Moment, nullable=True),
    sqlite_autoincrement=True,
)

news = Table(  # what staff tell affiliates
    "news",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    Column("summary", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("published", Boolean, nullable=False),
    Column("pinned", Boolean, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Index("ix_news_listed", "published", "pinned", "created_at", "id"),
)
