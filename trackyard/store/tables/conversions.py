"""Conversions and money, append-only where it is history. Times are UTC epoch milliseconds."""

from sqlalchemy import (
    BigInteger,
    Boolean,
    Column,
    ForeignKey,
    Index,
    Integer,
    String,
    Text,
    UniqueConstraint,
    false,
    text,
)

from trackyard.base.money import ZERO
from trackyard.domain.conversions.comparisons.matching import Side
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.held_changes import HeldKind, HeldState
from trackyard.domain.money.payment_requests import PaymentRequestStatus
from trackyard.store.engine.types import Amount, Document, Id24, Moment, Rate, Word
from trackyard.store.tables.schema import columns, table

_REFERRED = text("referrer_id IS NOT NULL")
_BY_CODE = text("promo_code IS NOT NULL")
_SPELLED = text("goal_key <> ''")
_HELD = text("quality_held")
_UNNUMBERED = text("seq IS NULL")
_NUMBERED = text("seq > 0")
_OPEN_REQUEST = text("status = 'open'")

conversion = table(
    "conversion",
    Column("id", Id24, primary_key=True),
    # identity: (offer, goal, "a:" + action_id) or (offer, goal, "c:" + click id)
    # (docs/spec/conversions.md#identity-and-repeats)
    Column("offer_id", Integer, nullable=False),
    Column("goal", String(255), nullable=False),
    Column("identity", String(258), nullable=False),
    Column("version", Integer, nullable=False),
    Column("action_id", String(255), nullable=False, default=""),
    Column("affiliate_id", Integer, nullable=False),
    Column("advertiser_id", Id24, nullable=False),
    *columns(String(16), "status", "sent_status", nullable=False),
    Column("goal_title", String(255), nullable=False),
    Column("comment", Text, nullable=False, default=""),
    Column("payment_type", String(8), nullable=False),
    Column("payment", Document, nullable=True),  # the payment item as it was at creation; null = none found
    Column("modifiers", Document, nullable=False, default=list),  # steps of commission tiers, as reached at creation
    Column("currency", String(3), nullable=False),
    Column("rate", Rate, nullable=False),
    *columns(Amount, "sum", "charge", "payout", "charge_base", "payout_base", nullable=False),
    Column("custom_fields", Document, nullable=False),  # {"1": …} to {"15": …}; requests fill 1 to 7
    Column("click_id", Id24, nullable=False),
    Column("click_time", Moment, nullable=False),
    Column("click", Document, nullable=False),  # the click's record as an object by column name
    # what lists filter by, from the click
    Column("country", String(2), nullable=False, default=""),
    Column("os", String(64), nullable=False, default=""),
    Column("device", String(32), nullable=False, default=""),
    Column("browser", String(64), nullable=False, default=""),
    Column("click_ip", String(45), nullable=False, default=""),  # personal data, as in `click`
    Column("call_ip", String(45), nullable=False, default=""),
    Column("user_id", String(255), nullable=False, default=""),
    Column("journal", String(40), nullable=False, default=""),  # of the postback that created it
    Column("position", Moment, nullable=False, default=0),
    Column("hold_until", Moment, nullable=True),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    # the referrer and its share of payouts in percent, as they were at creation; NULL = none
    Column("referrer_id", Integer, nullable=True),
    Column("referral_percent", Amount, nullable=False, default=ZERO),
    Column("repeated", Boolean, nullable=False, server_default=false()),  # declined on arrival as a repeat of its click
    Column("from_click_address", Boolean, nullable=False, server_default=false()),  # as the server's postback was
    Column("quality_held", Boolean, nullable=False, server_default=false()),  # on hold because it is suspicious
    Column("signals", Integer, nullable=False, server_default="0"),  # bits, besides the bits of its click
    Column("test", Boolean, nullable=False, server_default=false()),  # declared for test conversions; none is made yet
    Column("promo_code", String(36), nullable=True),  # that made it; NULL = a click did
    Column("goal_key", String(255), nullable=False, server_default=""),  # the goal as it is compared; "" = as `goal`
    Column("forgiven", Integer, nullable=False, server_default="0"),  # bits: faults of its postback that were accepted
    UniqueConstraint("offer_id", "goal", "identity", name="uq_conversion_identity"),
    Index(  # every column that lists filter by, so that wide rows are read for one page only
        "ix_conversion_listed",
        *("created_at", "id", "status", "offer_id", "affiliate_id", "advertiser_id", "goal"),
        *("country", "os", "device", "browser"),
    ),
    Index("ix_conversion_affiliate_id_created_at", "affiliate_id", "created_at"),
    Index("ix_conversion_advertiser_id_created_at", "advertiser_id", "created_at"),
    Index(  # every column that counters are computed from
        "ix_conversion_counted",
        *("offer_id", "created_at", "status", "goal", "affiliate_id", "country", "payout_base"),
    ),
    Index("ix_conversion_click_ip", "offer_id", "click_ip", "goal", "status"),  # whether an address converted before
    Index("ix_conversion_goal_key", "goal_key", "goal", sqlite_where=_SPELLED, postgresql_where=_SPELLED),
    Index("ix_conversion_click_id", "click_id"),
    Index("ix_conversion_promo_code", "promo_code", sqlite_where=_BY_CODE, postgresql_where=_BY_CODE),
    Index("ix_conversion_quality_held", "offer_id", sqlite_where=_HELD, postgresql_where=_HELD),
    Index("ix_conversion_action_id", "action_id"),
    Index("ix_conversion_updated_at", "updated_at"),
    Index("ix_conversion_hold_until", "hold_until"),
    Index(  # most conversions have no referrer
        "ix_conversion_referrer_id_created_at",
        *("referrer_id", "created_at"),
        sqlite_where=_REFERRED,
        postgresql_where=_REFERRED,
    ),
)

conversion_event = table(  # the history of a conversion, append-only
    "conversion_event",
    Column("conversion_id", Id24, ForeignKey("conversion.id"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("at", Moment, nullable=False),
    Column("actor", String(64), nullable=False),  # call:<record id>, job:hold, staff:<id>, …
    Column("status", String(16), nullable=False),
    *columns(Amount, "charge", "payout", nullable=False),
    Column("currency", String(3), nullable=False),
    Column("comment", Text, nullable=False, default=""),
    Column("refund_id", String(255), nullable=False, server_default=""),  # of the refund that made it; "" = none did
    # its number among the events; NULL = not numbered yet, 0 = it is older than the numbers
    Column("seq", BigInteger, nullable=True, server_default="0"),
    Index("ix_conversion_event_waits", "at", sqlite_where=_UNNUMBERED, postgresql_where=_UNNUMBERED),
    Index("ix_conversion_event_seq", "seq", unique=True, sqlite_where=_NUMBERED, postgresql_where=_NUMBERED),
)

counter = table(  # what caps and tiers count; it can be computed from conversions (domain/offers/counters.py)
    "counter",
    Column("name", Text, primary_key=True),
    Column("offer_id", Integer, nullable=False),
    Column("limit_id", String(24), nullable=False),  # of a cap or tier, or personal-<affiliate>
    Column("start", Moment, nullable=False),  # of its period
    Column("until", Moment, nullable=True),  # end of its period; NULL = it never ends
    # the value that it alone counts; NULL = all values together. A counter with three NULLs opens its period; other
    # counters of the period without a row are 0
    Column("goal", String(255), nullable=True),
    Column("affiliate_id", Integer, nullable=True),
    Column("country", String(2), nullable=True),
    Column("conversions", Moment, nullable=False),
    Column("budget", Amount, nullable=False),
    Column("notified", Boolean, nullable=False),  # of an opening counter: whether the notice of its period is sent
    Index("ix_counter_offer_id_limit_id_start", "offer_id", "limit_id", "start"),
    Index("ix_counter_until", "until"),
)

ledger = table(  # append-only: one entry per fact; balance, hold, available are sums (docs/spec/money.md#ledger)
    "ledger",
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False),
    Column("kind", String(16), primary_key=True),  # domain/money/ledger.py
    Column("source_id", String(24), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("currency", String(3), nullable=False),
    *columns(Amount, "hold", "available", nullable=False),
    Column("at", Moment, nullable=False),
    Index(  # every column that balances and statements add up
        "ix_ledger_affiliate_id_currency",
        *("affiliate_id", "currency", "at", "kind", "hold", "available"),
    ),
)

payment = table(  # a payment to an affiliate from its available money in one currency
    "payment",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False, index=True),
    Column("currency", String(3), nullable=False),
    Column("amount", Amount, nullable=False),
    Column("status", Word(PaymentStatus), nullable=False),
    Column("comment", Text, nullable=False, default=""),
    Column("created_by", Id24, nullable=False),  # a staff user
    Column("created_at", Moment, nullable=False, index=True),
    Column("updated_at", Moment, nullable=False),
    Column("paid_at", Moment, nullable=True),
    Column("note", Text, nullable=False, server_default=""),  # for staff
    Column("system_id", Integer, nullable=True),  # the payment system that it goes to; NULL = none was known
    Column("account", Text, nullable=False, server_default=""),  # of that system, as it was at creation
)

payment_entry = table(  # the ledger's entries that a payment pays, each whole and in one payment at most
    "payment_entry",
    Column("kind", String(16), primary_key=True),
    Column("source_id", String(24), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("payment_id", Integer, ForeignKey("payment.id"), nullable=False, index=True),
    Index("ix_payment_entry_source_id", "source_id", "payment_id"),
)

payment_request = table(  # affiliates ask for payment; no entry of the ledger
    "payment_request",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("amount", Amount, nullable=False),
    Column("system_id", Integer, nullable=True),  # the payment system that the affiliate wants; NULL = it has none
    Column("comment", Text, nullable=False),
    Column("status", Word(PaymentRequestStatus), nullable=False),
    Column("reason", Text, nullable=False),  # of a rejection
    Column("payment_id", Integer, ForeignKey("payment.id"), nullable=True),  # that was made of it
    Column("decided_by", String(24), nullable=False),  # a staff user; "" = none
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Index("ix_payment_request_affiliate_id", "affiliate_id", "status"),
    Index("ix_payment_request_status", "status", "id"),
    Index(  # one open request for each affiliate and currency
        "uq_payment_request_open",
        *("affiliate_id", "currency"),
        unique=True,
        sqlite_where=_OPEN_REQUEST,
        postgresql_where=_OPEN_REQUEST,
    ),
)

correction = table(  # amounts that staff entered; each has one entry of the ledger
    "correction",
    Column("id", Integer, primary_key=True, autoincrement=True),
    Column("affiliate_id", Integer, ForeignKey("affiliate.id"), nullable=False),
    Column("currency", String(3), nullable=False),
    Column("amount", Amount, nullable=False),
    Column("comment", Text, nullable=False),
    Column("created_by", Id24, nullable=False),  # a staff user
    Column("created_at", Moment, nullable=False, index=True),
    Column("payment_id", Integer, nullable=True, index=True),  # the payment that it changes; NULL = what is available
    Column("removed_at", Moment, nullable=True),  # undone since; NULL = it counts
    Index("ix_correction_affiliate_id", "affiliate_id", "id"),
)

held_change = table(  # changes that wait for a second person, and decided ones
    "held_change",
    Column("id", Id24, primary_key=True),
    Column("kind", Word(HeldKind), nullable=False),
    Column("affiliate_id", Integer, nullable=False, index=True),
    Column("subject_id", Integer, nullable=False),  # the number of the payment, or of the affiliate
    *columns(Document, "asked", "before", nullable=False),  # domain/money/held_changes.py
    Column("state", Word(HeldState), nullable=False),
    *columns(String(24), "author_id", "decided_by", nullable=False),  # staff users; "" = none
    Column("created_at", Moment, nullable=False, index=True),
    Column("decided_at", Moment, nullable=True),
    Index("ix_held_change_subject", "kind", "subject_id", "state"),
)

comparison = table(  # of a file of an advertiser or an affiliate with our conversions
    "comparison",
    Column("id", Id24, primary_key=True),
    Column("side", Word(Side, 16), nullable=False),
    Column("subject_id", String(24), nullable=False),
    Column("file_name", String(200), nullable=False),
    Column("created_by", String(40), nullable=False),
    Column("created_at", Moment, nullable=False),
    *columns(String(10), "day_from", "day_to", nullable=False),
    Column("zone", String(64), nullable=False),
    *columns(Document, "columns", "words", "sums", nullable=False),
    Column("rows", Integer, nullable=False),
    Column("differences", Document, nullable=False),
    Column("accepted", Document, nullable=False),  # ids of conversions that were edited
    Index("ix_comparison_side", "side", "subject_id", "created_at"),
)
