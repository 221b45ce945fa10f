"""Tables of threads between staff and companies (docs/spec/messages.md#threads).

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Boolean, Column, Index, Integer, String, Text, UniqueConstraint

from trackyard.domain.people.threads import ThreadSubject
from trackyard.store.engine.types import Document, Id24, Moment, Word
from trackyard.store.tables.schema import columns, table

thread = table(  # domain/people/threads.py: Thread
    "thread",
    Column("id", Id24, primary_key=True),
    Column("subject", Word(ThreadSubject), nullable=False),
    Column("subject_id", String(40), nullable=False),
    Column("company", String(40), nullable=False),  # affiliate:<id>, advertiser:<id>
    Column("title", String(200), nullable=False),
    Column("messages", Integer, nullable=False),
    Column("last_author", String(64), nullable=False),
    *columns(Moment, "created_at", "updated_at", nullable=False),
    UniqueConstraint("subject", "subject_id", "company"),
    Index("ix_thread_company", "company", "updated_at"),
)

thread_message = table(  # domain/people/threads.py: ThreadMessage
    "thread_message",
    Column("thread_id", Id24, primary_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("author", String(64), nullable=False),
    Column("author_name", String(255), nullable=False),
    Column("is_staff", Boolean, nullable=False),
    Column("text", Text, nullable=False),
    Column("files", Document, nullable=False),
    Column("at", Moment, nullable=False),
    Index("ix_thread_message_author", "author", "at"),
)

thread_seen = table(  # the last message of a thread that a person has read
    "thread_seen",
    Column("thread_id", Id24, primary_key=True),
    Column("account", String(64), primary_key=True),
    Column("number", Integer, nullable=False),
)
