"""What needs a person: checks, readiness, offers that fail (docs/spec/platform.md#findings)."""

from collections import Counter
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.traffic_quality import check_quality, check_robots
from trackyard.actions.statistics.health import HEALTH_DAYS
from trackyard.analytics.reports.health import count_clickless
from trackyard.analytics.reports.reports import run_report
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.domain.offers.counters import CapType
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.findings import CheckFindings, Finding, FindingKind
from trackyard.domain.platform.status import MachineStatus
from trackyard.domain.platform.waiting import find_late
from trackyard.domain.statistics.automation.chances import chance_at_most
from trackyard.domain.statistics.automation.judging import RAREST_CHANCE
from trackyard.domain.statistics.health import is_clickless
from trackyard.domain.statistics.reports import TOTAL, Report, StatsRow
from trackyard.domain.statistics.slices import REJECTION_REASON
from trackyard.domain.tracking.ruleset import RULESET_STALE_S
from trackyard.store.offers.full_caps import list_filled_caps
from trackyard.store.statistics import automation, firings, url_checks

DAY_MS: Final = 86_400_000
FAILING_CLICKS: Final = 100
"""Clicks of a day from which on an offer is judged."""
REJECTED_PERCENT: Final = 95
FORMER_CONVERSIONS: Final = 10
"""Conversions of the week before that make a day without one a finding."""
SHOWN_OFFERS: Final = 20
SHOWN_RULES: Final = 20
NEARLY_FULL: Final = Decimal("0.9")
"""The share of a cap from which on it is a finding."""
_MOST_ROWS: Final = 100_000
_MACHINE_LAGS: Final = ("journal", "projector")


def find_findings(deps: Deps) -> list[CheckFindings]:
    """Return the findings of every check, on this machine and in the statistics."""
    machine = deps.machine()
    return [
        *deps.checks(),
        CheckFindings("readiness", lazy_gettext("readiness"), tuple(_find_unready(machine)), machine.version),
        CheckFindings("edges", lazy_gettext("rules of edges"), tuple(_find_unsynced(machine))),
        CheckFindings("offers", lazy_gettext("offers"), tuple(_find_failing(deps))),
        CheckFindings("urls", lazy_gettext("URLs of offers"), tuple(_find_urls(deps))),
        CheckFindings("rules", lazy_gettext("rules"), tuple(_find_rules(deps))),
        CheckFindings("caps", lazy_gettext("caps"), tuple(_find_filled_caps(deps))),
        _check_postbacks(deps),
        check_quality(deps),
        check_robots(deps),
    ]


def _check_postbacks(deps: Deps) -> CheckFindings:
    """Return how many postbacks of the last days have no click and no sender."""
    now = deps.clock.now_ms()
    lost, number, last_id = count_clickless(deps.analytics, now - HEALTH_DAYS * DAY_MS, now)
    found: tuple[Finding, ...] = ()
    if is_clickless(lost, number):
        found = (Finding(FindingKind.POSTBACKS_WITHOUT_CLICK, last_id, {"clickless": lost, "number": number}),)
    seen = gettext("%(clickless)s of %(number)s without a sender in 7 days", clickless=lost, number=number)
    return CheckFindings("postbacks", lazy_gettext("postbacks without a click"), found, seen if lost else "")


def _find_urls(deps: Deps) -> Iterator[Finding]:
    """Yield active offers with a URL that reaches no page, or that loses the click id."""
    with deps.database.read() as conn:
        checks = url_checks.list_checks(conn)
    wrong = [(offer, check) for offer, check in checks.items() if check.fails or check.loses_click]
    for offer, check in wrong[:SHOWN_OFFERS]:
        if check.fails:
            reason = check.error or f"HTTP {check.status}"
            yield Finding(FindingKind.OFFER_URL_FAILS, str(offer), {"reason": reason})
        else:
            yield Finding(FindingKind.OFFER_URL_LOSES_CLICK, str(offer), {})


def _find_rules(deps: Deps) -> Iterator[Finding]:
    """Yield rules that cannot run, and rules that fired in the last 24 hours."""
    with deps.database.read() as conn:
        failing = automation.list_failing(conn, SHOWN_RULES)
        times = firings.count_since(conn, deps.clock.now_ms() - DAY_MS)
        fired = automation.rules_by_id(conn, sorted(times)[:SHOWN_RULES])
    for rule in failing:
        yield Finding(FindingKind.RULE_FAILS, rule.title, {"reason": rule.failure})
    for rule in fired.values():
        if rule.removed_at is None:
            yield Finding(FindingKind.RULE_FIRED, rule.title, {"times": times[rule.id]})


def _find_unready(machine: MachineStatus) -> Iterator[Finding]:
    for kind, sentences in (
        (FindingKind.NOT_READY, machine.reasons),
        (FindingKind.READY_WITH_WARNING, machine.warnings),
    ):
        for sentence in sentences:
            yield Finding(kind, "machine", {"reason": sentence.rstrip(".")})
    for queue in _MACHINE_LAGS:
        yield from find_late(queue, machine.lags.get(queue, 0.0))


def _find_unsynced(machine: MachineStatus) -> Iterator[Finding]:
    age_s = machine.lags.get("rules", 0.0)
    if age_s > RULESET_STALE_S:
        yield Finding(FindingKind.EDGE_UNSYNCED, "edges", {"seconds": int(age_s)})


def _find_failing(deps: Deps) -> Iterator[Finding]:
    """Yield offers with traffic of which nearly all is rejected, or that stopped to convert."""
    now = deps.clock.now_ms()
    today = _by_offer(_rows(deps, now - DAY_MS, now, "offer"))
    rejected = Counter[int]()
    for row in _rows(deps, now - DAY_MS, now, "offer", REJECTION_REASON):
        rejected[int(row.keys["offer"])] += row.trafficback
    clicks = {offer: (today[offer].raw if offer in today else 0) + rejected[offer] for offer in {*today, *rejected}}
    busy = [offer for offer, number in clicks.items() if number >= FAILING_CLICKS]
    before = _by_offer(_rows(deps, now - 8 * DAY_MS, now - DAY_MS, "offer")) if busy else {}
    found = 0
    for offer in sorted(busy, key=lambda each: (-clicks[each], each)):
        finding = _judge(offer, rejected[offer], today.get(offer), before.get(offer))
        if finding is not None and found < SHOWN_OFFERS:
            found += 1
            yield finding


def _find_filled_caps(deps: Deps) -> Iterator[Finding]:
    """Yield active offers of which a cap of conversions or a budget is nearly or completely used."""
    with deps.database.read() as conn:
        found = list_filled_caps(conn, deps.clock.now_ms(), NEARLY_FULL)
    for cap in found[:SHOWN_OFFERS]:
        unit = f" {deps.currency}" if cap.type == CapType.BUDGET else ""
        value, limit = (f"{amount:,.{2 if unit else 0}f}{unit}" for amount in (cap.value, cap.limit))
        yield Finding(
            FindingKind.CAP_FULL if cap.share >= 1 else FindingKind.CAP_NEARLY_FULL,
            str(cap.offer_id),
            {"percent": int(cap.share * 100), "value": value, "limit": limit},
        )


def _judge(offer: int, rejected: int, today: StatsRow | None, before: StatsRow | None) -> Finding | None:
    """Return the finding about an offer. rejected: clicks of the day; today: of the others."""
    accepted, converted = (0, 0) if today is None else (today.raw, today.actions[TOTAL].count)
    percent = 100 * rejected // (accepted + rejected)
    if percent >= REJECTED_PERCENT:
        return Finding(FindingKind.OFFER_REJECTS, str(offer), {"percent": percent, "clicks": accepted + rejected})
    former, clicks_before = (0, 0) if before is None else (before.actions[TOTAL].count, before.raw)
    if converted or accepted < FAILING_CLICKS or former < FORMER_CONVERSIONS:
        return None
    if chance_at_most(0, former, accepted / (accepted + clicks_before)) <= RAREST_CHANCE:
        return Finding(FindingKind.OFFER_CONVERTS_NO_MORE, str(offer), {"clicks": accepted, "before": former})
    return None


def _rows(deps: Deps, since: int, until: int, *slices: str) -> list[StatsRow]:
    return run_report(deps.analytics, Report(Scope.everything(), since, until, slices, limit=_MOST_ROWS)).rows


def _by_offer(rows: list[StatsRow]) -> dict[int, StatsRow]:
    return {int(row.keys["offer"]): row for row in rows}
