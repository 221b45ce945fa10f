"""Tables of events, and of who heard of them (docs/spec/events.md). Times are UTC epoch milliseconds."""

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Text

from trackyard.domain.events.kinds import Channel, EventKind
from trackyard.store.engine.types import Document, Id24, Moment, Word
from trackyard.store.tables.schema import columns, table

event = table(  # domain/events/events.py: Event
    "event",
    Column("id", Id24, primary_key=True),
    Column("seq", BigInteger, nullable=True, unique=True),  # NULL = not numbered yet
    Column("kind", Word(EventKind, 40), nullable=False),
    Column("at", Moment, nullable=False, index=True),
    Column("actor", String(64), nullable=False),
    Column("subject", String(40), nullable=False),
    Column("affiliate_id", Integer, nullable=True, index=True),
    Column("advertiser_id", String(24), nullable=False),
    Column("offer_id", Integer, nullable=True),
    Column("account", String(40), nullable=False),
    Column("is_silent", Boolean, nullable=False),
    Column("payload", Document, nullable=False),
)

event_clock = table(  # one row; its lock makes numbers and notices follow one another
    "event_clock",
    Column("id", Integer, primary_key=True, autoincrement=False),
    *columns(Moment, "numbered", "noticed", nullable=False),  # the last number given; the last event with its notices
)

bell_item = table(  # an event of which an account hears by the bell
    "bell_item",
    Column("account", String(40), primary_key=True),  # what acts, such as affiliate:7 or member:…
    Column("seq", BigInteger, primary_key=True, autoincrement=False),
    Column("audience", String(16), nullable=False),  # of the notice: domain/events/kinds.py
    Column("is_read", Boolean, nullable=False),
    Index("ix_bell_item_account_is_read", "account", "is_read"),
    Index("ix_bell_item_seq", "seq"),
)

notice_choice = table(  # a person's choice against the matrix
    "notice_choice",
    Column("account", String(40), primary_key=True),
    Column("kind", Word(EventKind, 40), primary_key=True),
    Column("channel", Word(Channel, 8), primary_key=True),
    Column("is_on", Boolean, nullable=False),
)

chat = table(  # where the messages of a staff user go
    "chat",
    Column("name", String(60), primary_key=True),  # the account and the channel
    Column("account", String(40), nullable=False, index=True),
    Column("channel", Word(Channel, 8), nullable=False),
    Column("sealed", Text, nullable=False),  # domain/events/chats.py: ChatPlace as JSON, encrypted
    Column("shown", String(300), nullable=False),
    Column("failing_since", Moment, nullable=True),  # NULL = the last message was taken
    Column("failure", String(300), nullable=False),
)

chat_message = table(  # a message that waits
    "chat_message",
    Column("id", Id24, primary_key=True),
    Column("account", String(40), nullable=False),
    Column("channel", Word(Channel, 8), nullable=False),
    Column("text", Text, nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("next_at", Moment, nullable=False, index=True),
    Column("created_at", Moment, nullable=False),
)
