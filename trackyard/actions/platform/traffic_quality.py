"""Affiliates with traffic unlike others', for the list of all findings."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.traffic_findings import QualityFound
from trackyard.actions.statistics.health import HEALTH_DAYS, health_sentence
from trackyard.analytics.reports.quality import list_busiest, list_marked_subs, list_offer_traffic
from trackyard.analytics.reports.robots import list_robot_agents, list_robot_shares
from trackyard.base.errors import ReportTooHeavy, Unavailable
from trackyard.base.texts.marks import lazy_gettext
from trackyard.decision.visitor.bots import is_bot
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.statistics.health import quality_finding
from trackyard.domain.statistics.quality.comparing import QualityFinding, QualityKind, find_quality_findings
from trackyard.domain.statistics.quality.robots import RobotJump, find_jumps
from trackyard.store.conversions.lists import count_repeated_addresses

SHOWN: Final = 20
"""Findings that are listed: the ones that chance makes least likely."""
_DAY_MS: Final = 86_400_000
_LOOKED_BACK_MS: Final = 30 * _DAY_MS
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
    """Return the differences in the traffic of affiliates on the busiest offers."""
    found = deps.quality.get(deps.clock.now_ms(), lambda: _found(deps))
    return CheckFindings("quality", lazy_gettext("quality of traffic"), tuple(_named(found.findings)), found.fault)


def check_robots(deps: Deps) -> CheckFindings:
    """Return the versions of systems of which the share of robots jumped in the last day."""
    found = deps.quality.get(deps.clock.now_ms(), lambda: _found(deps))
    return CheckFindings("robots", lazy_gettext("robots"), tuple(_robots(found.jumps)))


def find_suspicions(deps: Deps) -> Mapping[int, Sequence[str]] | None:
    """Return the differences in the traffic of affiliates in words; None where they cannot be read."""
    try:
        found = deps.quality.get(deps.clock.now_ms(), lambda: _found(deps))
    except Unavailable:
        return None
    if found.fault:
        return None
    suspicions: dict[int, list[str]] = {}
    for each in found.findings:
        suspicions.setdefault(each.affiliate, []).append(health_sentence(quality_finding(each)))
    return suspicions


def _robots(jumps: Sequence[RobotJump]) -> Iterator[Finding]:
    for each in jumps:
        evidence: dict[str, str | int] = {
            "percent": round(100 * each.robots / each.clicks),
            "before": f"{100 * each.before:.1f}",
            "robots": each.robots,
            "clicks": each.clicks,
            "people": each.now_people,
        }
        yield Finding(FindingKind.ROBOTS_JUMP, f"{each.system} {each.version}".strip(), evidence)


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
    """Return the differences, the least likely by chance first."""
    try:
        found = _compared(deps)
    except ReportTooHeavy as refusal:
        return QualityFound(fault=refusal.text)
    ordered = sorted(found, key=lambda each: (each.chance, each.offer, each.affiliate, each.name))
    return QualityFound(ordered, jumps=_jumps(deps))


def _jumps(deps: Deps) -> list[RobotJump]:
    """Return the versions with more robots than before, and how many of their clicks would count now."""
    now = deps.clock.now_ms()
    since, day = now - (HEALTH_DAYS + 1) * _DAY_MS, now - _DAY_MS
    found = find_jumps(list_robot_shares(deps.analytics, since, day, now))[:SHOWN]
    return [replace(jump, now_people=_people_of(deps, jump, now)) for jump in found]


def _people_of(deps: Deps, jump: RobotJump, now: int) -> int:
    """Return the clicks of the last 30 days that were rejected and would count by the patterns of today."""
    agents = list_robot_agents(deps.analytics, now - _LOOKED_BACK_MS, now, jump.system, jump.version)
    return sum(clicks for ua, clicks in agents if not is_bot(ua, spider=False))


def _compared(deps: Deps) -> Sequence[QualityFinding]:
    """Return the differences, unsorted. Raises ReportTooHeavy."""
    until = deps.clock.now_ms()
    since, scope = until - HEALTH_DAYS * _DAY_MS, Scope.everything()
    offers = list_busiest(deps.analytics, scope, since, until)
    with deps.database.read() as conn:
        repeated = count_repeated_addresses(conn, scope, offers, since)
    place = (deps.analytics, scope, offers, since, until)
    return find_quality_findings(list_offer_traffic(*place, repeated), list_marked_subs(*place))
