"""What waits for too long: entries of queues, and mails (docs/spec/alerts.md#kinds)."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Final

from trackyard.domain.platform.findings import Finding, FindingKind

LATE_S: Final = 60
STUCK_S: Final = 600
"""Seconds from which on a queue is late, and needs a person."""
UNSENT_MINUTES: Final = 10
"""How long a mail waits before it is a finding: two tries have failed by then."""
_OF_RECIPIENT: Final = re.compile(r"4\d\d[ -]4\.[12]\.")
"""Answers about the address or the mailbox of a recipient (RFC 3463, classes X.1 and X.2)."""


@dataclass(frozen=True, slots=True)
class UnsentMails:
    """Mails that wait for one reason.

    failure: the last answer of the server, "" = none was tried.
    failed_at: when it came; since: when the oldest was queued (UTC milliseconds).
    """

    failure: str
    failed_at: int
    number: int
    since: int


def find_unsent(waiting: Iterable[UnsentMails], now_ms: int) -> Iterator[Finding]:
    """Yield a finding when mails wait for long. Mails to a full mailbox do not count."""
    counted = [each for each in waiting if not _OF_RECIPIENT.match(each.failure)]
    if not counted:
        return
    minutes = max(0, now_ms - min(each.since for each in counted)) // 60_000
    evidence: dict[str, str | int] = {"waiting": sum(each.number for each in counted), "minutes": minutes}
    last = max(counted, key=lambda each: each.failed_at)
    if last.failed_at:
        yield Finding(FindingKind.MAIL_WAITS, "mail", {**evidence, "reason": last.failure.rstrip(".")})
    else:
        yield Finding(FindingKind.MAIL_UNTRIED, "mail", evidence)


def find_late(queue: str, lag_s: float) -> Iterator[Finding]:
    """Yield a finding when the oldest entry of a queue has been due for long."""
    if lag_s >= LATE_S:
        kind = FindingKind.QUEUE_STUCK if lag_s >= STUCK_S else FindingKind.QUEUE_LATE
        yield Finding(kind, queue, {"seconds": int(lag_s)})
