"""What a person chose about alerts and digests (docs/spec/alerts.md#choices)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.kinds import MINUTE_MS, AlertKind
from trackyard.domain.platform.findings import Severity

GATHER_MS: Final = 2 * MINUTE_MS
"""How long a mail waits for further alerts."""
CLOCK: Final = re.compile(r"([01][0-9]|2[0-3]):[0-5][0-9]")
"""A time of the day, as 22:00."""


class AlertWay(StrEnum):
    """How a person gets a kind of alert."""

    MAIL = "mail"
    CONSOLE = "console"


class DigestRhythm(StrEnum):
    """How often a person gets a digest."""

    NONE = "none"
    DAY = "day"
    WEEK = "week"


@dataclass(frozen=True, slots=True, kw_only=True)
class AlertChoices:
    """The alert choices of a person.

    ways: the chosen way of each kind of alert; kinds without a choice follow the roles.
    quiet_from, quiet_until: hours without mail, as 22:00, in the zone of the person; "" = none.
    errors_pass: whether errors are mailed in quiet hours, too.
    mail_ends: whether the end of an alert is mailed, too.
    digest_hour: in the person's time zone. digest_at: when the next digest is due, UTC milliseconds; None = never.
    """

    ways: dict[str, str] = field(default_factory=dict)
    quiet_from: str = ""
    quiet_until: str = ""
    errors_pass: bool = True
    mail_ends: bool = False
    digest: DigestRhythm = DigestRhythm.NONE
    digest_hour: int = 8
    digest_at: int | None = None

    def way_of(self, kind: AlertKind, roles: Iterable[Role]) -> AlertWay:
        """Return how a person with these roles gets a kind of alert."""
        chosen = self.ways.get(kind.value)
        if chosen is not None:
            return AlertWay(chosen)
        return AlertWay.MAIL if kind.is_mailed_to(roles) else AlertWay.CONSOLE

    def all_ways(self, roles: Iterable[Role]) -> Mapping[str, str]:
        """Return the way of every kind, by its name."""
        named = frozenset(roles)
        return {kind.value: self.way_of(kind, named).value for kind in AlertKind}

    def mail_at(self, severity: Severity, zone: ZoneInfo, opened_at: int) -> int:
        """Return when an alert is mailed: after others had time to join it, and not in quiet hours."""
        at = opened_at + GATHER_MS
        if self.errors_pass and severity is Severity.ERROR:
            return at
        return quiet_end(self.quiet_from, self.quiet_until, zone, at) or at

    def mail_end_at(self, zone: ZoneInfo, closed_at: int) -> int:
        """Return when the end of an alert is mailed: good news waits for the end of quiet hours."""
        at = closed_at + GATHER_MS
        return quiet_end(self.quiet_from, self.quiet_until, zone, at) or at


def quiet_end(begin: str, end: str, zone: ZoneInfo, at_ms: int) -> int | None:
    """Return when the quiet hours of a moment are over (UTC milliseconds); None when it is in none.

    begin, end: as 22:00; hours that begin later than they end last over midnight.
    """
    if not begin or not end or begin == end:
        return None
    local = datetime.fromtimestamp(at_ms / 1000, UTC).astimezone(zone)
    clock = f"{local:%H:%M}"
    is_quiet = begin <= clock < end if begin < end else clock >= begin or clock < end
    if not is_quiet:
        return None
    days = 1 if begin > end and clock >= begin else 0
    day = local.date() + timedelta(days=days)
    hour, minute = map(int, end.split(":"))
    over = int(datetime(day.year, day.month, day.day, hour, minute, tzinfo=zone).timestamp() * 1000)
    return over if over > at_ms else None
