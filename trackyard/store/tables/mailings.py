"""Tables of what staff write to many people, and of their own texts of mails.

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Column, Index, Integer, String, Text, UniqueConstraint

from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.mails.log import MailState
from trackyard.domain.platform.messages import MessageState
from trackyard.store.engine.types import Document, Id24, Moment, Word
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

mail_log = table(  # every mail that was queued, without its text; the id of the queued mail
    "mail_log",
    Column("id", Id24, primary_key=True),
    Column("recipient", String(254), nullable=False, index=True),
    Column("kind", String(40), nullable=False),  # a NoticeKind, or another kind of domain/platform/mails/log.py
    Column("subject", Text, nullable=False),
    Column("state", Word(MailState), nullable=False),
    Column("attempts", Integer, nullable=False),
    Column("answer", Text, nullable=False),  # the last one of the mail server that refused it, "" = none
    *columns(Moment, "created_at", "changed_at", nullable=False),
    Index("ix_mail_log_created_at", "created_at"),
)

mail_refusal = table(  # e-mail addresses that a mail server refused for good, until it accepts a mail
    "mail_refusal",
    Column("email", String(254), primary_key=True),  # in lower case
    Column("since", Moment, nullable=False),
    Column("answer", Text, nullable=False),  # the last one
)

mail_text = table(  # what staff wrote instead of the default text of a kind of mail
    "mail_text",
    Column("kind", Word(NoticeKind, 40), primary_key=True),
    Column("language", String(8), primary_key=True),
    *columns(Text, "subject", "body", nullable=False),  # with values in braces
    Column("button", String(60), nullable=False),  # "" = the default one
    Column("updated_at", Moment, nullable=False),
)

message = table(  # domain/platform/messages.py: Message
    "message",
    Column("id", Id24, primary_key=True),
    Column("author", Id24, nullable=False),  # the staff user
    Column("title", String(200), nullable=False),
    Column("text", Text, nullable=False),
    Column("audience", Document, nullable=False),
    Column("state", Word(MessageState), nullable=False),
    *columns(Moment, "send_at", "planned_at", "sent_at", nullable=True),
    *columns(Integer, "cursor", "people", "mails", nullable=False),
    Column("reason", String(200), nullable=False),
    Column("event_id", Id24, nullable=False),  # "" = it is not sent yet
    *columns(Moment, "created_at", "updated_at", nullable=False),
    Index("ix_message_due", "state", "send_at"),
    Index("ix_message_author", "author", "created_at"),
)

message_receipt = table(  # an account that has a message, and when it was read
    "message_receipt",
    Column("account", String(40), primary_key=True),  # what acts, such as affiliate:7 or member:…
    Column("message_id", Id24, primary_key=True),
    Column("read_at", Moment, nullable=True),
    Index("ix_message_receipt_account_read_at", "account", "read_at"),
    Index("ix_message_receipt_message_id", "message_id"),
)
