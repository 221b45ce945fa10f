"""Tables of queues: from the journal, to the analytic store, to affiliates, to mailboxes.

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Boolean, Column, Index, Integer, LargeBinary, String, Text, UniqueConstraint

from trackyard.store.engine.types import Document, Id24, Moment, Serial
from trackyard.store.tables.schema import columns, table

edge_progress = table(  # how far an edge's journals are loaded; advanced in the transaction that fills the inbox
    "edge_progress",
    Column("edge", Integer, primary_key=True, autoincrement=False),
    Column("journal", String(40), nullable=False),
    Column("position", Moment, nullable=False),
    Column("loaded_until", Moment, nullable=False),  # time of the last loaded mark, UTC milliseconds
    Column("begun_until", Moment, nullable=False),  # end of a begun range of several marks; 0 = none
    Column("used_until", Moment, nullable=False, default=0),  # time of the last loaded mark after a record; 0 = none
)

rebuild = table(  # rebuilds of the analytic store; every load reads the last row (store/platform/rebuilds.py)
    "rebuild",
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("owner", Id24, nullable=False),  # the data directory that runs it
    Column("stage", String(16), nullable=False),
    Column("begun_at", Moment, nullable=False),
    Column("ended_at", Moment, nullable=True),
)

job_turn = table(  # scheduled jobs that several machines share (jobs/turns.py)
    "job_turn",
    Column("job", String(40), primary_key=True),
    Column("due_at", Moment, nullable=False),  # also the end of the claim of a machine that does it
)

inbox = table(  # inbound postbacks, each once; removed in the transaction of the decision
    "inbox",
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("journal", String(40), nullable=False),
    Column("position", Moment, nullable=False),
    Column("call", LargeBinary, nullable=False),  # the record's payload
    Column("click", LargeBinary, nullable=True),  # the click's payload; NULL = not found (yet)
    Column("click_id", String(24), nullable=False),
    Column("state", String(8), nullable=False),  # store/conversions/inbox.py
    Column("logged", Boolean, nullable=False, default=False),  # whether the server log shows it as waiting
    Column("received_at", Moment, nullable=False),  # of a waiting postback: the time since when it waits
    Column("offer_hash", Integer, nullable=False, server_default="0"),  # store/conversions/inbox.py
    UniqueConstraint("journal", "position"),
    Index("ix_inbox_state_id", "state", "id"),
    Index("ix_inbox_state_offer_hash", "state", "offer_hash", "id"),
)

conversion_task = table(  # edits and imports by staff, one row per conversion; removed in the transaction of the change
    "conversion_task",
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("kind", String(8), nullable=False),  # edit | import
    Column("state", String(8), nullable=False),  # store/conversions/edits.py
    Column("actor", String(64), nullable=False),  # staff:<id>
    Column("item", Document, nullable=False),  # domain/conversions/edits.py: Edit or Import
    Column("created_at", Moment, nullable=False),
    Index("ix_conversion_task_state_id", "state", "id"),
)

outbox = table(  # rows for the analytic store; a batch of them never changes and is removed after its load
    "outbox",
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("target", String(16), nullable=False),
    Column("payload", LargeBinary, nullable=False),  # a block of rows (store/statistics/outbox.py)
    Column("row_count", Integer, nullable=False),  # rows in it
    Column("batch", Id24, nullable=True),
    Column("created_at", Moment, nullable=False),
    Index("ix_outbox_batch_target_id", "batch", "target", "id"),
)

delivery = table(  # outbound postbacks, each kept until it is sent, dead or superseded
    "delivery",
    Column("id", Id24, primary_key=True),
    Column("job_id", Id24, nullable=False),  # its id for the receiver and the log; a delivery sent again keeps it
    Column("kind", String(16), nullable=False),  # domain.tracking.outbound_calls.DeliveryKind
    Column("subject_id", Id24, nullable=False),  # what it reports: a conversion
    Column("sequence", Moment, nullable=False),  # the conversion's version: order within (subject, postback)
    *columns(Integer, "postback_id", "affiliate_id", "offer_id", nullable=False),
    Column("advertiser_id", Id24, nullable=False),
    Column("goal", String(255), nullable=False),
    Column("status", String(16), nullable=False),
    Column("url", Text, nullable=False),
    Column("host", String(255), nullable=False),  # of the url as written: a slow host delays no other
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False),
    Column("lease_until", Moment, nullable=False, default=0),
    Column("owner", String(64), nullable=False, default=""),  # a worker; "" = none; "parked" = its postback is paused
    Column("forced", Boolean, nullable=False, default=False),  # sent again by hand: one attempt
    Column("body", Text, nullable=True),  # of a request with POST; NULL = GET
    Column("created_at", Moment, nullable=False),
    UniqueConstraint("subject_id", "postback_id", "sequence", "forced", "kind"),
    Index("ix_delivery_next_at", "next_at", "lease_until"),
    Index("ix_delivery_destination", "affiliate_id", "host", "next_at"),
    Index("ix_delivery_owner", "owner"),
)

parallel_call = table(  # parallel_tracking_url of accepted clicks; removed when it is begun: best effort
    "parallel_call",
    Column("id", Serial, primary_key=True, autoincrement=True),
    Column("offer_id", Integer, nullable=False),
    Column("host", String(255), nullable=False),  # of the url as written: the queue of each host is bounded
    Column("click", LargeBinary, nullable=False),  # the record's payload
    Column("created_at", Moment, nullable=False),
    Index("ix_parallel_call_host_id", "host", "id"),
)

fetch = table(  # files that an offer's creatives name by URL, to be fetched through the outbound client
    "fetch",
    Column("id", Serial, primary_key=True, autoincrement=True),
    *columns(Integer, "offer_id", "creative_id", nullable=False),
    Column("url", Text, nullable=False),
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False, index=True),
    Column("created_at", Moment, nullable=False),
)

mail = table(  # mail to be sent; its id is part of its Message-ID, so that a repeat can be known
    "mail",
    Column("id", Id24, primary_key=True),
    Column("recipient", String(254), nullable=False),
    *columns(Text, "subject", "body", nullable=False),
    Column("html", Text, nullable=False, server_default=""),  # the same as the body, "" = plain text alone
    Column("server", Text, nullable=False, server_default=""),  # server and sender, encrypted; "" = the ones in force
    Column("stop", Text, nullable=False, server_default=""),  # the link that switches such mails off, "" = none
    Column("document_id", String(24), nullable=False, server_default=""),  # its file goes with the mail, "" = none
    Column("failure", Text, nullable=False, server_default=""),  # the last answer that refused it, "" = none
    Column("failed_at", Moment, nullable=False, server_default="0"),  # when that came; 0 = never
    Column("attempts", Integer, nullable=False, default=0),
    Column("next_at", Moment, nullable=False, index=True),
    Column("created_at", Moment, nullable=False),
)

mail_attachment = table(  # files of mails; removed with them
    "mail_attachment",
    Column("mail_id", Id24, primary_key=True),
    Column("place", Integer, primary_key=True, autoincrement=False),
    Column("name", String(200), nullable=False),
    Column("kind", String(100), nullable=False),  # its media type
    Column("content", LargeBinary, nullable=False),
)

first_answer = table(  # encrypted answers to first requests with an Idempotency-Key: both may hold keys and passwords
    "first_answer",
    Column("name", String(64), primary_key=True),  # digest of the caller and the key
    Column("asked", String(64), nullable=False),  # digest of the request in rows before migration 0006; "" = in sealed
    Column("sealed", Text, nullable=False),  # digest of the request and answer
    Column("created_at", Moment, nullable=False, index=True),
)
