"""Tables of what staff write to many people.

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Column, Index, String, UniqueConstraint

from trackyard.store.engine.types import Id24, Moment
from trackyard.store.tables.schema import table

receiver = table(  # who gets news, or a message, by mail: each person once
    "receiver",
    Column("mailing_id", Id24, primary_key=True),  # of the news or the message
    Column("owner", String(40), primary_key=True),  # affiliate:<id>, advertiser:<id>
    Column("email", String(254), nullable=False),  # in lower case
    Column("mailed_at", Moment, nullable=True),  # NULL = the mail is not queued yet
    UniqueConstraint("mailing_id", "email"),
    Index("ix_receiver_waiting", "mailed_at", "mailing_id", "owner"),
)
