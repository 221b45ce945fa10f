"""The kinds of alerts, in one table (docs/spec/alerts.md#kinds)."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.findings import FindingKind

MINUTE_MS: Final = 60_000
HOUR_MS: Final = 60 * MINUTE_MS

_ADMINISTRATORS: Final = frozenset({Role.ADMIN})
_SALES: Final = frozenset({Role.ADMIN, Role.MANAGER_SALES})
_AFFILIATE: Final = frozenset({Role.MANAGER_AFFILIATE})
_MANAGERS: Final = frozenset({Role.MANAGER_AFFILIATE, Role.MANAGER_SALES})
_NOBODY: Final = frozenset[Role]()
_HEALTH: Final = "/console/health"
_HOURS: Final = "/console/reports?by=hour&period=7d&sort=hour&dir=desc"


class AlertKind(StrEnum):
    """A kind of alert; the value is its name for programs.

    label: for people.
    pages: what it is about, by kind of finding: the page of the console that shows the evidence, with {subject}.
    mailed_to: the roles that get it by mail unless they choose otherwise. The others see it on the console.
    closes_after_ms: how long its cause must be gone before it closes; until then it is the same alert.
    """

    label: str
    pages: Mapping[FindingKind, str]
    mailed_to: frozenset[Role]
    closes_after_ms: int

    def __new__(
        cls, name: str, label: str, pages: Mapping[FindingKind, str], mailed_to: frozenset[Role], closes_after_ms: int
    ) -> "AlertKind":
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.label, kind.pages, kind.mailed_to, kind.closes_after_ms = label, pages, mailed_to, closes_after_ms
        return kind

    CAP = (
        "cap",
        lazy_gettext("A cap fills up"),
        {
            FindingKind.CAP_NEARLY_FULL: "/console/offers/{subject}",
            FindingKind.CAP_FULL: "/console/offers/{subject}",
        },
        frozenset({Role.MANAGER_SALES}),
        10 * MINUTE_MS,
    )
    SILENCE = (
        "silence",
        lazy_gettext("Postbacks are silent"),
        {FindingKind.ADVERTISER_SILENT: "/console/advertisers/{subject}/health"},
        _SALES,
        10 * MINUTE_MS,
    )
    DELIVERIES = (
        "deliveries",
        lazy_gettext("Deliveries fail"),
        {FindingKind.DELIVERIES_FAIL: "/console/postbacks?tab=sent"},
        _AFFILIATE,
        10 * MINUTE_MS,
    )
    RISE = (
        "rise",
        lazy_gettext("Clicks rise"),
        {
            FindingKind.OFFER_CLICKS_RISE: f"{_HOURS}&f.offer={{subject}}",
            FindingKind.AFFILIATE_CLICKS_RISE: f"{_HOURS}&f.affiliate={{subject}}",
        },
        _NOBODY,
        3 * HOUR_MS,
    )
    FALL = (
        "fall",
        lazy_gettext("Clicks fall"),
        {
            FindingKind.OFFER_CLICKS_FALL: f"{_HOURS}&f.offer={{subject}}",
            FindingKind.AFFILIATE_CLICKS_FALL: f"{_HOURS}&f.affiliate={{subject}}",
        },
        _MANAGERS,
        3 * HOUR_MS,
    )
    LAG = (
        "lag",
        lazy_gettext("The program is late"),
        {FindingKind.QUEUE_LATE: _HEALTH, FindingKind.QUEUE_STUCK: _HEALTH},
        _ADMINISTRATORS,
        5 * MINUTE_MS,
    )
    DISK = (
        "disk",
        lazy_gettext("The disk fills up"),
        {FindingKind.DISK_LOW: _HEALTH, FindingKind.DISK_FULL: _HEALTH},
        _ADMINISTRATORS,
        HOUR_MS,
    )
    CERTIFICATE = (
        "certificate",
        lazy_gettext("A certificate ends"),
        {
            FindingKind.TRACKING_CERTIFICATE_ENDS: _HEALTH,
            FindingKind.CERTIFICATE_ENDS: _HEALTH,
            FindingKind.CERTIFICATE_INVALID: _HEALTH,
        },
        _ADMINISTRATORS,
        HOUR_MS,
    )
    MAIL = (
        "mail",
        lazy_gettext("Mail is not sent"),
        dict.fromkeys((FindingKind.MAIL_REFUSED, FindingKind.MAIL_WAITS, FindingKind.MAIL_UNTRIED), _HEALTH),
        _ADMINISTRATORS,
        10 * MINUTE_MS,
    )
    RATES = (
        "rates",
        lazy_gettext("Exchange rates are old"),
        {FindingKind.RATES_OLD: _HEALTH},
        _ADMINISTRATORS,
        HOUR_MS,
    )

    def is_mailed_to(self, roles: Iterable[Role]) -> bool:
        """Return whether people with these roles get it by mail unless they choose otherwise."""
        return not self.mailed_to.isdisjoint(roles)


KINDS_BY_FINDING: Final[Mapping[FindingKind, AlertKind]] = {found: kind for kind in AlertKind for found in kind.pages}
"""The kind of alert that a kind of finding opens. Other findings open none."""
KINDS_BY_NAME: Final[Mapping[str, AlertKind]] = {kind.value: kind for kind in AlertKind}
