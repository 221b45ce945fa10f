"""When saved reports are sent by mail (docs/spec/console.md#reports-by-mail)."""

from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final
from zoneinfo import ZoneInfo

DAILY: Final = "day"
WEEKLY: Final = "week"
RHYTHMS: Final = (DAILY, WEEKLY)
CSV: Final = "csv"
PDF: Final = "pdf"
BOTH: Final = "both"
FILES: Final = (CSV, PDF, BOTH)
PDF_ROWS: Final = 500
"""Rows of a report that a PDF file has."""
_DAY_MS: Final = 86_400_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReportMail:
    """A saved report that is sent by mail. Times are UTC milliseconds.

    owner: the name of the account that gets it.
    every: one of RHYTHMS. weekday: 0 is Monday; it counts for weekly ones. hour: in the zone of the owner.
    files: one of FILES.
    next_at: when it is due; while it is being made, when another process may try.
    """

    id: str
    report_id: str
    owner: str
    every: str
    weekday: int
    hour: int
    files: str
    next_at: int
    created_at: int
    updated_at: int


def next_time(every: str, weekday: int, hour: int, zone: ZoneInfo, after_ms: int) -> int:
    """Return the first moment of a rhythm after another (UTC milliseconds)."""
    local = datetime.fromtimestamp(after_ms / 1000, UTC).astimezone(zone)
    days = (weekday - local.weekday()) % 7 if every == WEEKLY else 0
    step = 7 if every == WEEKLY else 1
    while True:
        day = local.date() + timedelta(days=days)
        at = int(datetime(day.year, day.month, day.day, hour, tzinfo=zone).timestamp() * 1000)
        if at > after_ms:
            return at
        days += step


def last_time(mail: ReportMail, zone: ZoneInfo, now_ms: int) -> int:
    """Return the last moment at which a mail was due (UTC milliseconds)."""
    period = (7 if mail.every == WEEKLY else 1) * _DAY_MS
    return next_time(mail.every, mail.weekday, mail.hour, zone, now_ms - period)
