"""Tables of the installation: settings, edges, rates, audit log.

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Boolean, Column, Index, Integer, String, Text, UniqueConstraint

from trackyard.domain.platform.news import NewsAudience
from trackyard.store.engine.types import Amount, Document, Id24, Moment, Rate, Word
from trackyard.store.tables.schema import columns, table

setting = table(
    "setting",
    Column("name", String(64), primary_key=True),
    Column("value", Document, nullable=False),
)

edge = table(  # leased edge numbers, one per edge process slot of a data directory (1..250)
    "edge",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("directory_id", Id24, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("claimed_at", Moment, nullable=False),
    Column("ended_at", Moment, nullable=True),  # when all its journals were closed and loaded; NULL = there may be more
    UniqueConstraint("directory_id", "slot"),
)

past_edge = table(  # earlier leases of edge numbers
    "past_edge",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("claimed_at", Moment, primary_key=True, autoincrement=False),
    Column("ended_at", Moment, nullable=False),
    Column("directory_id", Id24, nullable=False),
    Column("slot", Integer, nullable=False),
    Column("journal", String(40), nullable=False),  # its last one that was loaded; "" = none
)

machine = table(  # the server of each data directory, as it was at its last start
    "machine",
    Column("directory_id", Id24, primary_key=True),
    Column("host", String(255), nullable=False),
    Column("boot_id", String(40), nullable=False),
    Column("directory", Text, nullable=False),
    Column("roles", String(64), nullable=False),
    Column("has_own_statistics", Boolean, nullable=False),
    Column("seen_at", Moment, nullable=False),
    Column("stopped_at", Moment, nullable=True),
    Column("place", String(44), nullable=False, server_default=""),
    # as its heartbeat says: bytes of the disk of its data directory, and how late it loads; NULL = not known
    *columns(Moment, "disk_free", "disk_total", "lag_ms", nullable=True),
    # what it runs, as its heartbeat says; "" and 0 = a program that did not say it
    Column("version", String(32), nullable=False, server_default=""),
    Column("schema", String(16), nullable=False, server_default=""),
    *columns(Integer, "analytic_step", "wire_form", nullable=False, server_default="0"),
)

rule_clock = table(  # one row: the last version of the ruleset; its lock makes versions commit in order
    "rule_clock",
    Column("id", Integer, primary_key=True, autoincrement=False),
    Column("version", Moment, nullable=False),
)

rule_change = table(  # the last version at which the ruleset row of (kind, key) changed
    "rule_change",
    Column("kind", String(16), primary_key=True),
    Column("key", String(24), primary_key=True),
    Column("version", Moment, nullable=False, index=True),
)

currency_rate = table(  # units of the currency for one unit of the platform currency, from a day on
    "currency_rate",
    Column("currency", String(3), primary_key=True),
    Column("from_at", Moment, primary_key=True),
    Column("rate", Rate, nullable=False),
    Column("source", String(8), nullable=False),  # store/money/exchange_rates.py
)

currency = table(  # settings of a currency by staff; a currency with a row here or a rate exists
    "currency",
    Column("code", String(3), primary_key=True),
    Column("active", Boolean, nullable=False, default=True),
    Column("min_payment", Amount, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

audit = table(  # changes by callers: one row per changed entity, added in the transaction of the change
    "audit",
    Column("id", Id24, primary_key=True),
    Column("at", Moment, nullable=False, index=True),
    Column("staff_id", Id24, nullable=False),  # "system" = a job, "" = an affiliate or an advertiser
    Column("affiliate_id", Integer, nullable=True),
    Column("request_id", String(64), nullable=False, index=True),
    Column("client_request_id", String(64), nullable=False, default="", index=True),
    Column("address", String(45), nullable=False, default=""),
    Column("method", String(64), nullable=False),  # the endpoint's id
    Column("what", String(32), nullable=False),  # the table
    Column("key", String(200), nullable=False),  # its primary key, several parts joined by "/"
    Column("changes", Document, nullable=False),  # column → [from, to]
    Column("advertiser_id", Id24, nullable=False, server_default=""),  # "" = none
    Column("key_id", String(24), nullable=False, server_default=""),  # the API key that acted; "" = a session or a job
    Column("key_name", String(100), nullable=False, server_default=""),
    Column("member_id", Id24, nullable=False, server_default=""),  # of the affiliate or advertiser; "" = its owner
    Index("ix_audit_staff_id_at", "staff_id", "at"),
    Index("ix_audit_affiliate_id_at", "affiliate_id", "at"),
    Index("ix_audit_what_key_at", "what", "key", "at"),
)

security_log = table(  # sign-ins, and reads of other people's keys (domain/people/security_log.py)
    "security_log",
    Column("id", Id24, primary_key=True),
    Column("at", Moment, nullable=False, index=True),
    *columns(String(16), "event", "outcome", "actor_kind", nullable=False),
    Column("actor_id", String(24), nullable=False),
    Column("subject", String(200), nullable=False),
    Column("address", String(45), nullable=False),
    Column("user_agent", String(300), nullable=False),
    *columns(String(64), "request_id", "client_request_id", nullable=False),
    Index("ix_security_log_actor_id_at", "actor_id", "at"),
    Index("ix_security_log_address_at", "address", "at"),
)

erasure = table(  # erased persons, kept for ever: their data must not return (domain/platform/erasures.py)
    "erasure",
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("subject", String(16), nullable=False),
    Column("value", String(255), nullable=False),
    Column("at", Moment, nullable=False),
    Column("staff_id", Id24, nullable=False),
    # when SQL and the analytic store were cleaned; NULL = not yet, or something was loaded since
    *columns(Moment, "sql_at", "analytics_at", nullable=True),
)

news = table(  # news from staff to affiliates and advertisers
    "news",
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    *columns(Text, "summary", "body", nullable=False),
    *columns(Boolean, "published", "pinned", nullable=False),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Column("audience", Word(NewsAudience), nullable=False, server_default="affiliates"),
    Column("until", String(10), nullable=False, server_default=""),  # last day in the platform's zone; "" = no end
    Column("shown_at", Moment, nullable=False, server_default="0"),  # when it was first shown
    Column("event_id", Id24, nullable=False, server_default=""),  # of its bells
    Column("rung_until", String(40), nullable=True),  # the last company with the bell; NULL = none lacks it
    Index("ix_news_rung_until", "rung_until"),
    Index("ix_news_listed", "published", "pinned", "created_at", "id"),
)

news_seen = table(  # when a person last read the news of a company
    "news_seen",
    Column("owner", String(40), primary_key=True),  # who signs in, such as person:<id>
    Column("company", String(40), primary_key=True),
    Column("seen_at", Moment, nullable=False),
)
