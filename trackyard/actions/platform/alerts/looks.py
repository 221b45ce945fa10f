"""What is looked at for alerts (docs/spec/alerts.md#kinds)."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.automation.running import find_verdicts
from trackyard.analytics.reports.health import list_postback_results
from trackyard.domain.offers.caps import FILLS_UP
from trackyard.domain.offers.counters import CapType
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.alerts.kinds import AlertKind
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.status import find_low_disk
from trackyard.domain.platform.waiting import UNSENT_MINUTES, find_late, find_unsent
from trackyard.domain.statistics.automation.rules import Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import Window, last_window
from trackyard.store.engine.database import Connection
from trackyard.store.engine.queue_depths import get_queue_states
from trackyard.store.offers import offers
from trackyard.store.offers.full_caps import list_filled_caps
from trackyard.store.platform import mail
from trackyard.store.tracking.deliveries import list_failing_hosts
from trackyard.store.tracking.machines import SeenMachine, each_machine

LATE_S: Final = 300
"""Seconds from which on a queue is an alert."""
FAILING_MINUTES: Final = 15
"""How long deliveries to a host must wait after failed attempts."""
CLICK_HOURS: Final = 3
SILENT_HOURS: Final = (3, 24)
"""Windows in which no postback of an advertiser came: the short one for advertisers with many conversions."""
LEAST_CLICKS: Final = 20
"""Clicks that are usual in the window; with fewer, no rise or fall is an alert."""
FALL_PERCENT: Final = 50
RISE_PERCENT: Final = 100
_MOST_HOSTS: Final = 200
_MACHINE_LAGS: Final = ("journal", "projector")
_MACHINE_ALIVE_MS: Final = 60_000
"""A machine that said nothing for this long is not looked at: what it said is old."""
_MAY_WAIT: Final = frozenset({"waiting"})
_CHECKED: Final = frozenset(
    {*AlertKind.DISK.pages, *AlertKind.CERTIFICATE.pages, *AlertKind.MAIL.pages, *AlertKind.RATES.pages}
)
_OF_MACHINE: Final = frozenset({*AlertKind.DISK.pages, FindingKind.TRACKING_CERTIFICATE_ENDS})
"""Findings about a place of one machine: another one may have the same path."""


def look_at_books(deps: Deps) -> list[SeenCause]:
    """Return the causes in the SQL database: full caps, failing hosts, late queues, mails that wait."""
    return [*_caps(deps), *_hosts(deps), *_queues(deps), *_mails(deps)]


def look_at_lags(deps: Deps, host: str) -> list[SeenCause]:
    """Return the causes in the lags of this machine."""
    lags = deps.machine().lags
    found = (finding for name in _MACHINE_LAGS for finding in find_late(name, lags.get(name, 0.0)))
    return [SeenCause(_at(host, each)) for each in found if _seconds(each) >= LATE_S]


def look_at_checks(deps: Deps, host: str) -> list[SeenCause]:
    """Return the causes in this machine's checks: disk, certificates, mail and rates."""
    found = (finding for check in deps.checks() for finding in check.findings if finding.kind in _CHECKED)
    return [SeenCause(_at(host, each) if each.kind in _OF_MACHINE else each) for each in found]


def look_at_machines(deps: Deps) -> list[SeenCause]:
    """Return the causes on machines without the role `api`: disks and lags. The others look themselves."""
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        machines = [each for each in each_machine(conn) if each.is_alive(now - _MACHINE_ALIVE_MS)]
    others = [each for each in machines if "api" not in each.machine.roles.split(",")]
    return [SeenCause(_at(each.machine.host, finding)) for each in others for finding in _findings_of(each)]


def _findings_of(seen: SeenMachine) -> Iterator[Finding]:
    state = seen.state
    if state.disk_free is not None and state.disk_total:
        yield from find_low_disk(seen.machine.directory, state.disk_free, state.disk_total)
    if state.lag_ms is not None and state.lag_ms >= LATE_S * 1000:
        yield from find_late(_MACHINE_LAGS[0], state.lag_ms / 1000)


def look_at_statistics(deps: Deps, settled_ms: int) -> list[SeenCause]:
    """Return the causes in the statistics of the last whole hours.

    settled_ms: the end of the complete statistics.
    Raises RuleCannotRun, ReportTooHeavy.
    """
    return [*_silences(deps, settled_ms), *_changes(deps, settled_ms)]


def _caps(deps: Deps) -> Iterator[SeenCause]:
    with deps.database.read() as conn:
        found = list_filled_caps(conn, deps.clock.now_ms(), FILLS_UP)
        owners = {cap.offer_id: _advertiser_of(conn, cap.offer_id) for cap in found}
    for cap in found:
        unit = f" {deps.currency}" if cap.type == CapType.BUDGET else ""
        value, limit = (f"{amount:,.{2 if unit else 0}f}{unit}" for amount in (cap.value, cap.limit))
        evidence: dict[str, str | int] = {"percent": int(cap.share * 100), "value": value, "limit": limit}
        kind = FindingKind.CAP_FULL if cap.share >= 1 else FindingKind.CAP_NEARLY_FULL
        finding = Finding(kind, str(cap.offer_id), evidence)
        yield SeenCause(finding, offer_id=cap.offer_id, advertiser_id=owners[cap.offer_id])


def _advertiser_of(conn: Connection, offer_id: int) -> str | None:
    found = offers.find_offer(conn, Scope.everything(), offer_id)
    return None if found is None else found.advertiser_id


def _hosts(deps: Deps) -> Iterator[SeenCause]:
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        hosts = list_failing_hosts(conn, _MOST_HOSTS)
    for each in hosts:
        minutes = max(0, now - each.since) // 60_000
        if minutes >= FAILING_MINUTES:
            finding = Finding(FindingKind.DELIVERIES_FAIL, each.host, {"waiting": each.waiting, "minutes": minutes})
            yield SeenCause(finding, affiliate_id=each.affiliate_id)


def _queues(deps: Deps) -> Iterator[SeenCause]:
    with deps.database.read() as conn:
        states = get_queue_states(conn, deps.clock.now_ms())
    for state in states:
        if state.queue not in _MAY_WAIT and not state.queue.endswith("_quarantined"):
            for finding in find_late(state.queue, state.lag_ms / 1000):
                if _seconds(finding) >= LATE_S:
                    yield SeenCause(finding)


def _mails(deps: Deps) -> Iterator[SeenCause]:
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        waiting = mail.list_unsent(conn, now - UNSENT_MINUTES * 60_000)
    yield from map(SeenCause, find_unsent(waiting, now))


def _silences(deps: Deps, settled_ms: int) -> Iterator[SeenCause]:
    """Yield advertisers without conversions and postbacks in a window in which several are usual."""
    for hours in SILENT_HOURS:
        window = last_window(hours, settled_ms)
        silent = Rule(
            id="", title="", each=("advertiser",), hours=hours, minimum=0,
            conditions=(RuleCondition("conversions", True, Decimal(99), is_usual=True),),
        )  # fmt: skip
        for verdict in find_verdicts(deps.analytics, silent, window, deps.zone):
            advertiser, reading = str(verdict.key[0]), verdict.readings[0]
            if advertiser and not reading.value and not _has_postback(deps, advertiser, window):
                evidence: dict[str, str | int] = {"hours": hours, "usual": _figure(reading.usual)}
                yield SeenCause(Finding(FindingKind.ADVERTISER_SILENT, advertiser, evidence), advertiser_id=advertiser)


def _has_postback(deps: Deps, advertiser: str, window: Window) -> bool:
    """Return whether a postback came that changed nothing, such as a declined one."""
    now = deps.clock.now_ms()
    return bool(list_postback_results(deps.analytics, Scope.everything(), "advertiser", advertiser, window.since, now))


def _changes(deps: Deps, settled_ms: int) -> Iterator[SeenCause]:
    """Yield offers and affiliates with far more or far fewer clicks than usual in these hours."""
    window = last_window(CLICK_HOURS, settled_ms)
    for of, is_below, percent, kind in _CHANGES:
        changed = Rule(
            id="", title="", each=(of,), hours=CLICK_HOURS, minimum=LEAST_CLICKS,
            conditions=(RuleCondition("clicks", is_below, Decimal(percent), is_usual=True),),
        )  # fmt: skip
        for verdict in find_verdicts(deps.analytics, changed, window, deps.zone):
            key, reading = int(verdict.key[0]), verdict.readings[0]
            evidence: dict[str, str | int] = {
                "clicks": int(reading.value), "hours": CLICK_HOURS, "usual": _figure(reading.usual),
            }  # fmt: skip
            finding = Finding(kind, str(key), evidence)
            if of == "affiliate":
                yield SeenCause(finding, affiliate_id=key)
            else:
                with deps.database.read() as conn:
                    advertiser_id = _advertiser_of(conn, key)
                yield SeenCause(finding, offer_id=key, advertiser_id=advertiser_id)


_CHANGES: Final = (
    ("offer", False, RISE_PERCENT, FindingKind.OFFER_CLICKS_RISE),
    ("offer", True, FALL_PERCENT, FindingKind.OFFER_CLICKS_FALL),
    ("affiliate", False, RISE_PERCENT, FindingKind.AFFILIATE_CLICKS_RISE),
    ("affiliate", True, FALL_PERCENT, FindingKind.AFFILIATE_CLICKS_FALL),
)
"""What is judged, whether a fall is meant, by how many percent at least, and what is found."""


def _figure(usual: Decimal | None) -> str:
    """Return a usual value for people: 12, or 0.8."""
    return "0" if usual is None else f"{usual:.0f}" if usual >= 10 else f"{usual:.1f}"


def _at(host: str, finding: Finding) -> Finding:
    """Return a finding about a place of a machine with the name of the machine."""
    return replace(finding, subject=f"{host}: {finding.subject}")


def _seconds(finding: Finding) -> int:
    return int(finding.evidence["seconds"])
