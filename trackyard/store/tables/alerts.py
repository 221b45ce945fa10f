"""Tables of alerts, and of what people chose about them (docs/spec/alerts.md).

Times are UTC epoch milliseconds.
"""

from sqlalchemy import Boolean, Column, Index, Integer, String, false

from trackyard.domain.platform.alerts.choices import DigestRhythm
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.platform.findings import FindingKind
from trackyard.store.engine.types import Document, Id24, Moment, Word
from trackyard.store.tables.schema import columns, table

alert = table(  # domain/platform/alerts/causes.py: Alert
    "alert",
    Column("id", Id24, primary_key=True),
    Column("kind", Word(AlertKind), nullable=False),
    Column("finding", Word(FindingKind, 40), nullable=False),
    Column("subject", String(400), nullable=False),
    Column("open_key", String(450), nullable=True, unique=True),  # NULL = it is closed
    Column("source", String(300), nullable=False),
    Column("evidence", Document, nullable=False),
    *columns(Integer, "offer_id", "affiliate_id", nullable=True),
    Column("advertiser_id", Id24, nullable=True),
    *columns(Moment, "opened_at", "seen_at", nullable=False),
    Column("closed_at", Moment, nullable=True, index=True),
    Index("ix_alert_opened_at", "opened_at", "id"),
)

alert_notice = table(  # alerts that a person is yet to get by mail
    "alert_notice",
    Column("owner", String(40), primary_key=True),  # staff:<id>
    Column("alert_id", Id24, primary_key=True),
    Column("due_at", Moment, nullable=False, index=True),
)

alert_choice = table(  # domain/platform/alerts/choices.py: AlertChoices
    "alert_choice",
    Column("owner", String(40), primary_key=True),  # staff:<id>
    Column("ways", Document, nullable=False),  # kind of alert to way
    *columns(String(5), "quiet_from", "quiet_until", nullable=False),  # as 22:00; "" = none
    Column("errors_pass", Boolean, nullable=False),
    Column("mail_ends", Boolean, nullable=False, server_default=false()),
    Column("digest", Word(DigestRhythm, 8), nullable=False),
    Column("digest_hour", Integer, nullable=False),
    Column("digest_at", Moment, nullable=True, index=True),  # when the next one is due; NULL = never
)
