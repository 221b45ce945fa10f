"""When alerts open, continue and close (docs/spec/alerts.md#opening-and-closing)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Final

from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.alerts.kinds import KINDS_BY_FINDING, AlertKind
from trackyard.domain.platform.findings import Finding, FindingKind, Severity

LOST_MS: Final = 2 * 86_400_000
"""An alert closes when nothing looked for its cause for this long, such as after a machine was removed."""


@dataclass(frozen=True, slots=True)
class AlertConcern:
    """The objects that an alert concerns, which decide who may see it; None and "" = the platform."""

    offer_id: int | None = None
    affiliate_id: int | None = None
    advertiser_id: str | None = None

    @property
    def is_platform(self) -> bool:
        """Return whether it is the platform, and no offer, affiliate or advertiser."""
        return self.offer_id is None and self.affiliate_id is None and self.advertiser_id is None

    def is_seen_in(self, scope: Scope, *, of_platform: bool) -> bool:
        """Return whether a person with a scope sees it. of_platform: whether the person sees the platform."""
        if self.is_platform:
            return of_platform
        affiliates, advertisers = scope.affiliate_ids, scope.advertiser_ids
        return (affiliates is None or self.affiliate_id in affiliates) and (
            advertisers is None or self.advertiser_id in advertisers
        )


@dataclass(frozen=True, slots=True)
class SeenCause:
    """A cause that was seen now.

    offer_id, affiliate_id, advertiser_id: the objects concerned, which decide who may see it; None and "" = the
        platform.
    """

    finding: Finding
    offer_id: int | None = None
    affiliate_id: int | None = None
    advertiser_id: str | None = None

    @property
    def kind(self) -> AlertKind:
        """Return the kind of its alert."""
        return KINDS_BY_FINDING[self.finding.kind]

    @property
    def key(self) -> str:
        """Return the key that identifies the cause over time."""
        return cause_key(self.finding.kind, self.finding.subject)


@dataclass(frozen=True, slots=True, kw_only=True)
class Alert:
    """A cause, from the first time it was seen to the last. Times are UTC milliseconds.

    open_key: its cause while it is open, None afterwards; one cause has one open alert.
    source: which look finds its cause.
    evidence: the evidence of the finding when it was seen last.
    """

    id: str
    kind: AlertKind
    finding: FindingKind
    subject: str
    open_key: str | None
    source: str
    evidence: Mapping[str, str | int] = field(default_factory=dict)
    offer_id: int | None = None
    affiliate_id: int | None = None
    advertiser_id: str | None = None
    opened_at: int
    seen_at: int
    closed_at: int | None = None

    @property
    def shown(self) -> Finding:
        """Return it as a finding, which has words."""
        return Finding(self.finding, self.subject, self.evidence)

    @property
    def severity(self) -> Severity:
        """Return how grave it is."""
        return self.finding.severity

    @property
    def page(self) -> str:
        """Return the path of the page of the console that shows the evidence."""
        return self.kind.pages[self.finding].format(subject=self.subject)

    @property
    def concern(self) -> AlertConcern:
        """Return the objects that it concerns."""
        return AlertConcern(self.offer_id, self.affiliate_id, self.advertiser_id)


@dataclass(frozen=True, slots=True)
class AlertChanges:
    """What a look changes."""

    opened: list[SeenCause]
    continued: list[tuple[Alert, SeenCause]]
    closed: list[Alert]


def cause_key(kind: FindingKind, subject: str) -> str:
    """Return the key of a cause: one kind of finding about one subject."""
    return f"{kind.value}:{subject}"


def compare_causes(open_alerts: Iterable[Alert], seen: Iterable[SeenCause], source: str, now_ms: int) -> AlertChanges:
    """Return the changes after a look. Of several causes with one key the first counts.

    open_alerts: all of them. A look closes only alerts of its own source: it does not know about others.
    """
    by_key: dict[str, SeenCause] = {}
    for cause in seen:
        by_key.setdefault(cause.key, cause)
    known = {alert.open_key: alert for alert in open_alerts if alert.open_key is not None}
    return AlertChanges(
        opened=[cause for key, cause in by_key.items() if key not in known],
        continued=[(known[key], cause) for key, cause in by_key.items() if key in known],
        closed=[
            alert
            for key, alert in known.items()
            if key not in by_key
            and now_ms - alert.seen_at >= (alert.kind.closes_after_ms if alert.source == source else LOST_MS)
        ],
    )
