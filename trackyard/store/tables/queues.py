"""Queues: from the journal, to the analytic store, to affiliates, to mailboxes. Times are UTC epoch milliseconds."""

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, String, Table, Text, UniqueConstraint

from trackyard.store.engine.types import Document, Id24, Moment, Serial
from trackyard.store.tables.schema import metadata

edge_progress = Table(  # how far an edge's journals are loaded; advanced in the transaction that fills the inbox
    "edge_progress",
    metadata,
    Column("edge", Integer, primary_key=True, autoincrement=False),
    Column("journal", String(40), nullable=False),
    Column("position", Moment, nullable=False),
    Column("loaded_until", Moment, nullable=False),  # time of the last loaded mark, UTC milliseconds
    Column("begun_until", Moment, nullable=False),  # end of a begun range of several marks; 0 = none
)

rebuild = Table(  # of the analytic store; the last one is the gate that every load passes (store/platform/rebuilds.py)
    "rebuild",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("owner", Id24, nullable=False),  # the data directory that makes it
    Column("stage", String(16), nullable=False),
    Column("begun_at", Moment, nullable=False),
    Column("ended_at", Moment, nullable=True),
    sqlite_autoincrement=True,
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
    Column("received_at", Moment, nullable=False),  # of a waiting call: since when it waits
    UniqueConstraint("journal", "position"),
    Index("ix_inbox_state_id", "state", "id"),
    sqlite_autoincrement=True,
)

conversion_task = Table(  # edits and imports by staff, one row a conversion; removed in the transaction that does it
    "conversion_task",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("kind", String(8), nullable=False),  # edit | import
    Column("state", String(8), nullable=False),  # ready | aside (it cannot be done: a person must look)
    Column("actor", String(64), nullable=False),  # staff:<id>
    Column("item", Document, nullable=False),  # domain/conversions/edits.py: Edit or Import
    Column("created_at", Moment, nullable=False),
    Index("ix_conversion_task_state_id", "state", "id"),
    sqlite_autoincrement=True,
)

outbox = Table(  # rows for the analytic store; a batch claims them, never changes, is deleted after its load
    "outbox",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("target", String(16), nullable=False),
    Column(
        "payload", LargeBinary, nullable=False
    ),  # a block: rows of one or two JSON array lines (store/statistics/outbox.py)
    Column("row_count", Integer, nullable=False),  # rows in it
    Column("batch", Id24, nullable=True),
    Column("created_at", Moment, nullable=False),
    Index("ix_outbox_batch_target_id", "batch", "target", "id"),
    sqlite_autoincrement=True,
)

delivery = Table(  # calls to affiliates, each kept until it is sent, dead or superseded
    "delivery",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("job_id", Id24, nullable=False),  # what its receiver and the log know it by; sent again by hand = as before
    Column("kind", String(16), nullable=False),  # domain.tracking.events.EventKind
    Column("subject_id", Id24, nullable=False),  # what it reports: a conversion
    Column("sequence", Moment, nullable=False),  # the conversion's version: order within (subject, postback)
    Column("postback_id", Integer, nullable=False),
    Column("affiliate_id", Integer, nullable=False),
    Column("offer_id", Integer, nullable=False),
    Column("advertiser_id", Id24, nullable=False),
    Column("goal", String(255), nullable=False),
    Column("status", String(16), nullable=False),
    Column("url", Text, nullable=False),
    Column("host", String(255), nullable=False),  # of the url as written: a slow one delays no other
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False),
    Column("lease_until", Moment, nullable=False, default=0),
    Column("owner", String(64), nullable=False, default=""),  # a worker, or nobody; "parked" = its postback is paused
    Column("forced", Boolean, nullable=False, default=False),  # sent again by hand: one attempt
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("subject_id", "postback_id", "sequence", "forced", "kind"),
    Index("ix_delivery_next_at", "next_at", "lease_until"),
    Index("ix_delivery_host_next_at", "host", "next_at"),
    Index("ix_delivery_owner", "owner"),
)

parallel_call = Table(  # parallel_tracking_url of accepted clicks; removed when it is begun: best effort
    "parallel_call",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("offer_id", Integer, nullable=False),
    Column("host", String(255), nullable=False),  # of the url as it was written: each host's queue is bounded
    Column("click", LargeBinary, nullable=False),  # the record's payload
    Column("created_at", Moment, nullable=False),
    Index("ix_parallel_call_host_id", "host", "id"),
    sqlite_autoincrement=True,
)

fetch = Table(  # files that an offer's creatives name by URL, to be fetched through the outbound client
    "fetch",
    metadata,
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("offer_id", Integer, nullable=False),
    Column("creative_id", Integer, nullable=False),
    Column("url", Text, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False, index=True),
    Column("created_at", Moment, nullable=False),
    sqlite_autoincrement=True,
)

mail = Table(  # mail to be sent; its id is part of its Message-ID, so that a repeat can be known
    "mail",
    metadata,
    Column("id", Id24, primary_key=True),
    Column("recipient", String(254), nullable=False),
    Column("subject", Text, nullable=False),
    Column("body", Text, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False, index=True),
    Column("created_at", Moment, nullable=False),
)

first_answer = Table(  # what the first call with an Idempotency-Key was answered, sealed: it may show keys
    "first_answer",
    metadata,
    Column("name", String(64), primary_key=True),  # digest of who called and the key
    Column("asked", String(64), nullable=False),  # digest of what was asked
    Column("sealed", Text, nullable=False),
    Column("created_at", Moment, nullable=False, index=True),
)
