"""The SQL schema: configuration, people, conversions, ledger, queues. Times are UTC epoch milliseconds."""

from sqlalchemy import (
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    UniqueConstraint,
)

from trackyard.store.types import Amount, Document, Id24, Moment, Rate, Serial

metadata = MetaData(
    naming_convention={
        "ix": "ix_%(table_name)s_%(column_0_N_name)s",
        "uq": "uq_%(table_name)s_%(column_0_N_name)s",
        "fk": "fk_%(table_name)s_%(column_0_N_name)s",
        "pk": "pk_%(table_name)s",
    }
)

# --- installation ---------------------------------------------------------------------------------------

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

# --- people ---------------------------------------------------------------------------------------------

staff = Table(
    "staff",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("password_hash", String(200), nullable=True),
    Column("first_name", String(200), nullable=False, default=""),
    Column("last_name", String(200), nullable=False, default=""),
    Column("skype", String(200), nullable=False, default=""),
    Column("work_hours", String(200), nullable=False, default=""),
    Column("roles", Document, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

affiliate = Table(
    "affiliate",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("email", String(254), nullable=False, unique=True),
    Column("login", String(200), nullable=False),
    Column("password_hash", String(200), nullable=False),
    Column("status", String(16), nullable=False),
    Column("name", String(200), nullable=True),
    Column("contact_person", String(200), nullable=True),
    Column("notes", Text, nullable=False, default=""),
    Column("level", Integer, nullable=False, default=0),
    Column("ref_percent", Amount, nullable=True),
    Column("ref", Integer, nullable=True),
    Column("manager_id", Id24, nullable=True, index=True),
    Column("payment_systems", Document, nullable=False),
    Column("custom_fields", Document, nullable=False),
    Column("tags", Document, nullable=False),
    Column("sub_accounts", Document, nullable=False),
    Column("postback_secret", String(40), nullable=False),
    Column("address_1", Text, nullable=True),
    Column("address_2", Text, nullable=True),
    Column("city", String(200), nullable=True),
    Column("country", String(2), nullable=True),
    Column("zip_code", String(32), nullable=True),
    Column("phone", String(64), nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

api_key = Table(  # hashed for look-up, encrypted to be shown again
    "api_key",
    metadata,
    Column("digest", String(64), primary_key=True),
    Column("sealed", Text, nullable=False),
    Column("owner_kind", String(16), nullable=False),  # staff | affiliate
    Column("owner_id", String(24), nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=True),
    Index("ix_api_key_owner", "owner_kind", "owner_id"),
)

advertiser = Table(
    "advertiser",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("title", String(200), nullable=False),
    Column("contact", String(200), nullable=True),
    Column("email", String(254), nullable=True),
    Column("url", Text, nullable=True),
    Column("skype", String(200), nullable=True),
    Column("note", Text, nullable=True),
    Column("manager_id", Id24, nullable=True, index=True),
    Column("allowed_ip", Document, nullable=False),
    Column("disallowed_ip", Document, nullable=False),
    Column("hash_password", String(200), nullable=True),
    Column("address_1", Text, nullable=True),
    Column("address_2", Text, nullable=True),
    Column("city", String(200), nullable=True),
    Column("country", String(2), nullable=True),
    Column("zip_code", String(32), nullable=True),
    Column("vat_code", String(64), nullable=True),
    Column("sub_accounts", Document, nullable=False),
    Column("consider_personal_targeting_only", Boolean, nullable=False, default=False),
    Column("tags", Document, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

# --- offers ---------------------------------------------------------------------------------------------

offer = Table(
    "offer",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("hash", Id24, nullable=False, unique=True),
    Column("advertiser_id", Id24, ForeignKey("advertiser.id"), nullable=False, index=True),
    Column("title", String(500), nullable=False),
    Column("url", Text, nullable=False),
    Column("url_preview", Text, nullable=True),
    Column("trafficback_url", Text, nullable=True),
    Column("macro_url", Text, nullable=True),
    Column("cross_postback_url", Text, nullable=True),
    Column("status", String(16), nullable=False),
    Column("privacy", String(16), nullable=False),
    Column("payments", Document, nullable=False),
    Column("partner_payments", Document, nullable=False),
    Column("landings", Document, nullable=False),
    Column("hold_period", Integer, nullable=False, default=0),
    Column("click_session", String(64), nullable=False, default="1y"),
    Column("minimal_click_session", String(64), nullable=False, default="0s"),
    Column("hash_password", String(200), nullable=True),
    Column("allowed_ip", Text, nullable=False, default=""),
    Column("disallowed_ip", Text, nullable=False, default=""),
    Column("external_offer_id", String(200), nullable=False, default=""),
    Column("bundle_id", String(200), nullable=False, default=""),
    Column("notes", Text, nullable=True),
    Column("note_aff", Text, nullable=True),
    Column("note_sales", Text, nullable=True),
    Column("description_lang", Document, nullable=False),
    Column("tags", Document, nullable=False),
    Column("is_top", Boolean, nullable=False, default=False),
    Column("start_at", Moment, nullable=True),
    Column("stop_at", Moment, nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

connection = Table(  # an affiliate's link to an offer; enabled False = taken off by hand
    "connection",
    metadata,
    Column("offer_id", Integer, ForeignKey("offer.id"), primary_key=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), primary_key=True, index=True),
    Column("enabled", Boolean, nullable=False),
    Column("changed_at", Moment, nullable=False),
)

affiliate_postback = Table(  # offer_id NULL = global; status NULL = any; goal NULL = any
    "affiliate_postback",
    metadata,
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("offer_id", Integer, ForeignKey("offer.id"), nullable=True),
    Column("url", Text, nullable=False),
    Column("status", String(16), nullable=True),
    Column("goal", String(255), nullable=True),
    Column("forced", Boolean, nullable=False, default=False),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

# --- conversions and money ------------------------------------------------------------------------------

conversion = Table(
    "conversion",
    metadata,
    Column("id", Id24, primary_key=True),
    # identity: (offer, goal, "a:" + action_id) or (offer, goal, "c:" + click id) (behaviour.md §5)
    Column("offer_id", Integer, nullable=False),
    Column("goal", String(255), nullable=False),
    Column("identity", String(258), nullable=False),
    Column("version", Integer, nullable=False),
    Column("action_id", String(255), nullable=False, default=""),
    Column("affiliate_id", Integer, nullable=False),
    Column("advertiser_id", Id24, nullable=False),
    Column("status", String(16), nullable=False),
    Column("sent_status", String(16), nullable=False),
    Column("goal_title", String(255), nullable=False),
    Column("comment", Text, nullable=False, default=""),
    Column("payment_type", String(8), nullable=False),
    Column("payment", Document, nullable=True),  # the payment item as it was at creation; null = none found
    Column("currency", String(3), nullable=False),
    Column("rate", Rate, nullable=False),
    Column("sum", Amount, nullable=False),
    Column("charge", Amount, nullable=False),
    Column("payout", Amount, nullable=False),
    Column("charge_base", Amount, nullable=False),
    Column("payout_base", Amount, nullable=False),
    Column("custom_fields", Document, nullable=False),  # {"1": …} to {"7": …}
    Column("click_id", Id24, nullable=False),
    Column("click_time", Moment, nullable=False),
    Column("click", Document, nullable=False),  # the click's record as an object by column name
    # what lists filter by, from the click
    Column("country", String(2), nullable=False, default=""),
    Column("os", String(64), nullable=False, default=""),
    Column("device", String(32), nullable=False, default=""),
    Column("browser", String(64), nullable=False, default=""),
    Column("call_ip", String(45), nullable=False, default=""),
    Column("user_id", String(255), nullable=False, default=""),
    Column("journal", String(40), nullable=False, default=""),  # of the call that made it
    Column("position", Moment, nullable=False, default=0),
    Column("hold_until", Moment, nullable=True),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    UniqueConstraint("offer_id", "goal", "identity", name="uq_conversion_identity"),
    Index("ix_conversion_created_at_id", "created_at", "id"),
    Index("ix_conversion_affiliate_id_created_at", "affiliate_id", "created_at"),
    Index("ix_conversion_advertiser_id_created_at", "advertiser_id", "created_at"),
    Index("ix_conversion_offer_id_created_at", "offer_id", "created_at"),
    Index("ix_conversion_click_id", "click_id"),
    Index("ix_conversion_action_id", "action_id"),
    Index("ix_conversion_updated_at", "updated_at"),
    Index("ix_conversion_hold_until", "hold_until"),
)

conversion_event = Table(  # the history of a conversion, append-only
    "conversion_event",
    metadata,
    Column("conversion_id", Id24, ForeignKey("conversion.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("actor", String(64), nullable=False),  # call:<record id>, job:hold, staff:<id>, …
    Column("status", String(16), nullable=False),
    Column("charge", Amount, nullable=False),
    Column("payout", Amount, nullable=False),
    Column("currency", String(3), nullable=False),
    Column("comment", Text, nullable=False, default=""),
)

ledger = Table(  # append-only: one entry per fact; balance, hold, available are sums (behaviour.md §8)
    "ledger",
    metadata,
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False),
    Column("kind", String(16), primary_key=True),  # conversion | change | referral | payment
    Column("source_id", String(24), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("currency", String(3), nullable=False),
    Column("hold", Amount, nullable=False),
    Column("available", Amount, nullable=False),
    Column("at", Moment, nullable=False),
    Index("ix_ledger_affiliate_id_currency", "affiliate_id", "currency", "hold", "available"),
)

# --- queues ---------------------------------------------------------------------------------------------

edge_progress = Table(  # how far an edge's journals are loaded; advanced in the transaction that fills the inbox
    "edge_progress",
    metadata,
    Column("edge", Integer, primary_key=True, autoincrement=False),
    Column("journal", String(40), nullable=False),
    Column("position", Moment, nullable=False),
    Column("loaded_until", Moment, nullable=False),  # time of the last loaded mark, UTC milliseconds
)

inbox = Table(  # inbound calls, each once; removed in the transaction that decides it
    "inbox",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("journal", String(40), nullable=False),
    Column("position", Moment, nullable=False),
    Column("call", LargeBinary, nullable=False),  # the record's payload
    Column("click", LargeBinary, nullable=True),  # the click's payload; NULL = not found (yet)
    Column("click_id", String(24), nullable=False),
    Column("state", String(8), nullable=False),  # ready | waiting (for its click to be loaded) | aside (undecidable)
    Column("logged", Boolean, nullable=False, default=False),  # whether the server log shows it as waiting
    Column("received_at", Moment, nullable=False),
    UniqueConstraint("journal", "position"),
    Index("ix_inbox_state_id", "state", "id"),
    sqlite_autoincrement=True,
)

outbox = Table(  # rows for the analytic store; a batch claims them, never changes, is deleted after its load
    "outbox",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("target", String(16), nullable=False),
    Column("payload", LargeBinary, nullable=False),  # JSON array lines, one or two
    Column("batch", Id24, nullable=True),
    Column("created_at", Moment, nullable=False),
    Index("ix_outbox_batch_target_id", "batch", "target", "id"),
    sqlite_autoincrement=True,
)

delivery = Table(  # calls to affiliates, each kept until it is sent, dead or superseded
    "delivery",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("number", Moment, nullable=False),  # the conversion's version: order within (conversion, postback)
    Column("conversion_id", Id24, nullable=False),
    Column("postback_id", Integer, nullable=False),
    Column("affiliate_id", Integer, nullable=False),
    Column("offer_id", Integer, nullable=False),
    Column("advertiser_id", Id24, nullable=False),
    Column("goal", String(255), nullable=False),
    Column("status", String(16), nullable=False),
    Column("url", Text, nullable=False),
    Column("host", String(255), nullable=False),  # of the url: one slow host must not delay the others
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False),
    Column("lease_until", Moment, nullable=False, default=0),
    Column("owner", String(64), nullable=False, default=""),
    Column("forced", Boolean, nullable=False, default=False),
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("conversion_id", "postback_id", "number"),
    Index("ix_delivery_next_at", "next_at", "lease_until"),
    Index("ix_delivery_host_next_at", "host", "next_at"),
    Index("ix_delivery_owner", "owner"),
)
