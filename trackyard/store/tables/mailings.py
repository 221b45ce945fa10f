"""Tables of what staff write to many people, and of their own texts of mails.

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Column, Index, String, Text, UniqueConstraint

from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.store.engine.types import Id24, Moment, Word
from trackyard.store.tables.schema import columns, table

receiver = table(  # who gets news, or a message, by mail: each person once
    "receiver",
    Column("mailing_id", Id24, primary_key=True),  # of the news or the message
    Column("owner", String(40), primary_key=True),  # affiliate:<id>, advertiser:<id>
    Column("email", String(254), nullable=False),  # in lower case
    Column("mailed_at", Moment, nullable=True),  # NULL = the mail is not queued yet
    UniqueConstraint("mailing_id", "email"),
    Index("ix_receiver_waiting", "mailed_at", "mailing_id", "owner"),
)

mail_text = table(  # what staff wrote instead of the default text of a kind of mail
    "mail_text",
    Column("kind", Word(NoticeKind, 40), primary_key=True),
    Column("language", String(8), primary_key=True),
    *columns(Text, "subject", "body", nullable=False),  # with values in braces
    Column("button", String(60), nullable=False),  # "" = the default one
    Column("updated_at", Moment, nullable=False),
)
