"""Traffic of affiliates that differs from that of others, for the list of all findings."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.status.memory import QualityFound
from trackyard.actions.statistics.health import HEALTH_DAYS, health_sentence
from trackyard.analytics.reports.quality import list_busiest, list_marked_subs, list_offer_traffic
from trackyard.base.errors import ReportTooHeavy
from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.statistics.health import quality_finding
from trackyard.domain.statistics.quality.comparing import QualityFinding, QualityKind, find_quality_findings
from trackyard.store.conversions.lists import count_repeated_addresses

SHOWN: Final = 20
"""Findings that are listed, those that chance makes least likely."""
_DAY_MS: Final = 86_400_000
_KINDS: Final[Mapping[QualityKind, FindingKind]] = {
    QualityKind.MARKED_CLICKS: FindingKind.MARKED_CLICKS,
    QualityKind.MARKED_SUB: FindingKind.MARKED_SUB,
    QualityKind.FEW_CONVERSIONS: FindingKind.FEW_CONVERSIONS,
    QualityKind.QUICK_CONVERSIONS: FindingKind.QUICK_CONVERSIONS,
    QualityKind.LATE_CONVERSIONS: FindingKind.LATE_CONVERSIONS,
    QualityKind.OTHER_DEVICES: FindingKind.OTHER_DEVICES,
    QualityKind.REPEATED_ADDRESSES: FindingKind.REPEATED_ADDRESSES,
}


def check_quality(deps: Deps) -> CheckFindings:
    """Return what differs in the traffic of affiliates on the busiest offers."""
    found = deps.quality.get(deps.clock.now_ms(), lambda: _found(deps))
    return CheckFindings("quality", lazy_gettext("quality of traffic"), tuple(_named(found.findings)), found.fault)


def _named(found: Sequence[QualityFinding]) -> Iterator[Finding]:
    for each in found[:SHOWN]:
        named = quality_finding(each)
        yield Finding(
            _KINDS[each.kind],
            f"affiliate {each.affiliate}",
            {
                **named.values,
                "chance": f"{each.chance:.2g}",
                "path": f"/admin/partner/{each.affiliate}/health",
                "reason": health_sentence(named),
            },
        )


def _found(deps: Deps) -> QualityFound:
    """Return what differs, the least likely by chance first."""
    try:
        found = _compared(deps)
    except ReportTooHeavy as refusal:
        return QualityFound(fault=refusal.text)
    return QualityFound(sorted(found, key=lambda each: (each.chance, each.offer, each.affiliate, each.name)))


def _compared(deps: Deps) -> Sequence[QualityFinding]:
    """Return what differs. Raises ReportTooHeavy."""
    until = deps.clock.now_ms()
    since, scope = until - HEALTH_DAYS * _DAY_MS, Scope.everything()
    offers = list_busiest(deps.analytics, scope, since, until)
    with deps.database.read() as conn:
        repeated = count_repeated_addresses(conn, scope, offers, since)
    place = (deps.analytics, scope, offers, since, until)
    return find_quality_findings(list_offer_traffic(*place, repeated), list_marked_subs(*place))
