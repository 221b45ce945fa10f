"""Health: what was seen of a thing, and a verdict (docs/spec/statistics.md#health). Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from trackyard.domain.statistics.quality.comparing import RAREST_CHANCE, QualityFinding
from trackyard.domain.statistics.url_checks import UrlCheck, host_of

MUCH_TRAFFIC: Final = 100
"""Clicks from which on shares are judged."""
MANY_REJECTED: Final = 50
"""Percent of clicks from which on rejections are a finding."""
MANY_FAILED: Final = 50
"""Percent of postbacks, or of deliveries to a host, from which on failures are a finding."""
MANY_CLICKLESS: Final = 10
"""Percent of postbacks without a click from which on they are a finding."""
FEW: Final = 3
"""Failures below this number are not a finding."""
_LEAST_ID_CLICKS: Final = 100
_ID_PERCENT: Final = 90
"""Different values per 100 clicks from which on a sub carries ids."""
QUIET_MS: Final = 24 * 3_600_000
MANY_TIMED: Final = 30
"""Conversions from which on their times are judged."""
MANY_USUAL: Final = 100
"""Earlier conversions that say what is usual."""
_MINUTE, _HOUR, _DAY = 60, 3600, 86_400
TIME_BOUNDS: Final = (
    *(1, 3, 10, 30),
    *(1 * _MINUTE, 3 * _MINUTE, 10 * _MINUTE, 30 * _MINUTE),
    *(1 * _HOUR, 3 * _HOUR, 8 * _HOUR),
    *(1 * _DAY, 3 * _DAY, 7 * _DAY, 30 * _DAY),
)
"""The bounds of spans of times in seconds: about three times the one before, and times that people name."""


class HealthVerdict(StrEnum):
    """The verdict on a thing, the gravest of its findings."""

    FINE = "fine"
    QUIET = "quiet"
    LOOK = "look"
    BROKEN = "broken"


@dataclass(frozen=True, slots=True)
class PostbackResult:
    """Inbound postbacks with the same answer. response: "" = they made or changed a conversion.

    last_id: the id of the newest postback, for an explanation. macros: macro names that were sent as text.
    clickless: number of postbacks without a recorded click; clickless_at, clickless_id: the newest of them.
    """

    response: str
    number: int
    last_at: int
    last_id: str
    macros: Sequence[str] = ()
    clickless: int = 0
    clickless_at: int = 0
    clickless_id: str = ""


@dataclass(frozen=True, slots=True)
class HostResult:
    """Attempts of deliveries to a host. error: of the last one that failed."""

    host: str
    sent: int
    failed: int
    last_failed_at: int
    error: str


@dataclass(frozen=True, slots=True)
class DeclinedCount:
    """Conversions of a goal that were declined for a reason."""

    reason: str
    goal: str
    number: int


@dataclass(frozen=True, slots=True)
class SubValues:
    """The values that an affiliate sends in one of its subs.

    sub: a name from SUBS. clicks, conversions: number with a value. values: number of different values in clicks, exact
    up to some thousands. largest: the value with most clicks; its clicks and conversions follow.
    """

    affiliate: int
    sub: str
    clicks: int
    conversions: int
    values: int
    largest: str
    largest_clicks: int
    largest_conversions: int

    @property
    def is_id(self) -> bool:
        """Return whether nearly each click has a value of its own: an id, not a placement."""
        return self.clicks >= _LEAST_ID_CLICKS and self.values * 100 >= self.clicks * _ID_PERCENT


@dataclass(frozen=True, slots=True)
class NetworkClicks:
    """The accepted clicks of a network (/24, /48).

    addresses: how many of them clicked. marked: clicks with a suspicious signal.
    """

    network: str
    clicks: int
    addresses: int
    marked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionTimes:
    """Times from click to conversion in the period and before it, in milliseconds.

    number, usual_number: conversions. usual_low, usual_high: a tenth took less, and a tenth longer.
    newest_id: the id of the newest conversion. spread: conversions of both together in each span of TIME_BOUNDS.
    """

    number: int
    median: int
    usual_number: int
    usual_median: int
    usual_low: int
    usual_high: int
    newest_id: str = ""
    spread: Sequence[int] = ()

    @property
    def is_unusual(self) -> bool:
        """Return whether the median is outside what eight of ten conversions took before.

        With 30 conversions of the usual times that happens in less than one case of a million.
        """
        is_known = self.number >= MANY_TIMED and self.usual_number >= MANY_USUAL
        return is_known and not self.usual_low <= self.median <= self.usual_high


@dataclass(frozen=True, slots=True, kw_only=True)
class Health:
    """The observed state of a thing in a period. Times are UTC milliseconds; None = never in the period.

    rejected: clicks by reason. conversions: with any status. quality: differences from the traffic of others.
    networks: the networks with most clicks. of: offer, advertiser or affiliate, "" = not known.
    unpaid: sentences about visitors that get through without a matching payment.
    """

    since: int
    until: int
    clicks: int
    last_click_at: int | None
    rejected: dict[str, int] = field(default_factory=dict)
    conversions: int = 0
    postbacks: Sequence[PostbackResult] = ()
    declined: Sequence[DeclinedCount] = ()
    hosts: Sequence[HostResult] = ()
    times: ConversionTimes | None = None
    url: UrlCheck | None = None
    quality: Sequence[QualityFinding] = ()
    networks: Sequence[NetworkClicks] = ()
    subs: Sequence[SubValues] = ()
    of: str = ""
    unpaid: Sequence[str] = ()

    @property
    def failed(self) -> list[PostbackResult]:
        """Return the postbacks that changed nothing, by answer."""
        return [each for each in self.postbacks if each.response not in ("", WAITING)]

    @property
    def clickless(self) -> list[PostbackResult]:
        """Return the postbacks without a click, by answer."""
        return [
            PostbackResult(each.response, each.clickless, each.clickless_at, each.clickless_id)
            for each in self.postbacks
            if each.clickless
        ]

    @property
    def last_postback_at(self) -> int | None:
        """Return the time of the last inbound postback."""
        return max((each.last_at for each in self.postbacks), default=None)

    @property
    def is_silent(self) -> bool:
        """Return whether chance does not explain the time since the last inbound postback."""
        if self.last_postback_at is None or self.until - self.last_postback_at <= QUIET_MS:
            return False
        number = sum(each.number for each in self.postbacks)
        share_before = (self.last_postback_at - self.since) / (self.until - self.since)
        return share_before**number <= RAREST_CHANCE

    @property
    def last_failed(self) -> PostbackResult | None:
        """Return the last postback that changed nothing."""
        return max(self.failed, key=lambda each: each.last_at, default=None)

    @property
    def macros(self) -> list[str]:
        """Return the macros that were sent as text."""
        return sorted({name for each in self.postbacks for name in each.macros})


WAITING: Final = "waiting"
DUPLICATE: Final = "Conversion exists"
NO_PAYMENT: Final = "Payments not found"
REPEATED: Final = "Repeated conversion"


class HealthKind(StrEnum):
    """A kind of finding about a thing."""

    NO_TRAFFIC = "no_traffic"
    REJECTED = "rejected"
    POSTBACKS_FAIL = "postbacks_fail"
    POSTBACKS_WITHOUT_CLICK = "postbacks_without_click"
    MACROS = "macros"
    GOALS = "goals"
    DUPLICATES = "duplicates"
    POSTBACKS_SILENT = "postbacks_silent"
    DELIVERIES_FAIL = "deliveries_fail"
    CONVERSION_TIME = "conversion_time"
    URL_FAILS = "url_fails"
    URL_LOSES_CLICK = "url_loses_click"
    URL_SLOW = "url_slow"
    MARKED_CLICKS = "marked_clicks"
    MARKED_SUB = "marked_sub"
    FEW_CONVERSIONS = "few_conversions"
    QUICK_CONVERSIONS = "quick_conversions"
    LATE_CONVERSIONS = "late_conversions"
    OTHER_DEVICES = "other_devices"
    REPEATED_ADDRESSES = "repeated_addresses"
    UNPAID_VISITORS = "unpaid_visitors"


@dataclass(frozen=True, slots=True)
class HealthFinding:
    """A problem of a thing that needs a person.

    values: the values in the sentence. evidence: an id to explain, "" = none.
    """

    kind: HealthKind
    verdict: HealthVerdict
    values: dict[str, str | int]
    evidence: str = ""


def find_health_findings(seen: Health) -> list[HealthFinding]:
    """Return the findings that need a person, the gravest first."""
    order = [HealthVerdict.BROKEN, HealthVerdict.LOOK, HealthVerdict.QUIET]
    return sorted(_findings(seen), key=lambda each: order.index(each.verdict))


def verdict_of(findings: Sequence[HealthFinding]) -> HealthVerdict:
    """Return the gravest verdict of findings that are sorted."""
    return findings[0].verdict if findings else HealthVerdict.FINE


def _findings(seen: Health) -> Iterator[HealthFinding]:
    rejected = sum(seen.rejected.values())
    if not seen.clicks and not rejected:
        yield HealthFinding(HealthKind.NO_TRAFFIC, HealthVerdict.QUIET, {})
    yield from _of_clicks(seen, rejected)
    if seen.of != "affiliate":  # postbacks belong to the advertisers of its offers
        yield from _of_postbacks(seen)
    yield from _of_url(seen.url)
    for sentence in seen.unpaid:
        yield HealthFinding(HealthKind.UNPAID_VISITORS, HealthVerdict.LOOK, {"sentence": sentence})
    if seen.times is not None and seen.times.is_unusual:
        seconds = {"seconds": seen.times.median // 1000, "usual": seen.times.usual_median // 1000}
        yield HealthFinding(HealthKind.CONVERSION_TIME, HealthVerdict.LOOK, {**seconds}, seen.times.newest_id)
    for host in seen.hosts:
        if host.failed >= FEW and 100 * host.failed >= MANY_FAILED * (host.sent + host.failed):
            values: dict[str, str | int] = {"host": host.host, "failed": host.failed, "error": host.error}
            yield HealthFinding(HealthKind.DELIVERIES_FAIL, HealthVerdict.BROKEN, values)
    yield from map(quality_finding, seen.quality)


def quality_finding(found: QualityFinding) -> HealthFinding:
    """Return a finding about quality. usual: in percent, with three digits."""
    values: dict[str, str | int] = {
        "affiliate": found.affiliate,
        "offer": found.offer,
        "number": found.number,
        "of": found.of,
        "usual": f"{found.usual:.3g}",
        "name": found.name or "unknown",
    }
    return HealthFinding(HealthKind(found.kind.value), HealthVerdict.LOOK, values)


def is_clickless(clickless: int, number: int) -> bool:
    """Return whether so many postbacks without a click, of `number` in all, are a finding."""
    return clickless >= FEW and 100 * clickless >= MANY_CLICKLESS * number


def _of_clicks(seen: Health, rejected: int) -> Iterator[HealthFinding]:
    total = seen.clicks + rejected
    if total >= MUCH_TRAFFIC and 100 * rejected >= MANY_REJECTED * total:
        reason = max(seen.rejected, key=lambda each: (seen.rejected[each], each))
        values: dict[str, str | int] = {"percent": 100 * rejected // total, "reason": reason}
        verdict = HealthVerdict.BROKEN if rejected == total else HealthVerdict.LOOK
        yield HealthFinding(HealthKind.REJECTED, verdict, values)


def _of_url(url: UrlCheck | None) -> Iterator[HealthFinding]:
    """Yield what is wrong with the URL of an offer; its check is the evidence, which the answer has."""
    if url is None:
        return
    host = host_of(url.hops[-1].url) if url.hops else ""
    if url.fails:
        reason = url.error or f"HTTP {url.status}"
        named = reason if host in reason else f"{host}, {reason}"  # some errors name the host themselves
        values: dict[str, str | int] = {"host": host, "reason": named}
        yield HealthFinding(HealthKind.URL_FAILS, HealthVerdict.BROKEN, values)
    elif url.loses_click:
        yield HealthFinding(HealthKind.URL_LOSES_CLICK, HealthVerdict.LOOK, {"host": host})
    if url.is_slow:
        values = {"host": host, "milliseconds": url.milliseconds}
        yield HealthFinding(HealthKind.URL_SLOW, HealthVerdict.LOOK, values)


def _of_postbacks(seen: Health) -> Iterator[HealthFinding]:
    number = sum(each.number for each in seen.postbacks)
    failed = [each for each in seen.failed if each.response != DUPLICATE]
    clickless = sum(each.clickless for each in seen.postbacks)
    lost = sum(each.number for each in failed) - clickless
    if seen.macros:
        last = max((each for each in seen.postbacks if each.macros), key=lambda each: each.last_at)
        names = ", ".join(f"{{{name}}}" for name in seen.macros)
        yield HealthFinding(HealthKind.MACROS, HealthVerdict.BROKEN, {"names": names}, last.last_id)
    if lost >= FEW and 100 * lost >= MANY_FAILED * number:
        worst = max(failed, key=lambda each: each.number - each.clickless)
        values: dict[str, str | int] = {"failed": lost, "number": number, "response": worst.response}
        yield HealthFinding(HealthKind.POSTBACKS_FAIL, HealthVerdict.BROKEN, values, worst.last_id)
    if is_clickless(clickless, number):
        last = max(seen.clickless, key=lambda each: each.last_at)
        verdict = HealthVerdict.BROKEN if 100 * clickless >= MANY_FAILED * number else HealthVerdict.LOOK
        values = {"clickless": clickless, "number": number, "response": last.response}
        yield HealthFinding(HealthKind.POSTBACKS_WITHOUT_CLICK, verdict, values, last.last_id)
    repeated = sum(each.number for each in seen.postbacks if each.response == DUPLICATE)
    repeated += sum(each.number for each in seen.declined if each.reason == REPEATED)
    if repeated >= FEW and 100 * repeated >= MANY_FAILED * max(number, 1):
        yield HealthFinding(HealthKind.DUPLICATES, HealthVerdict.LOOK, {"number": repeated})
    for goal in sorted({each.goal for each in seen.declined if each.reason == NO_PAYMENT}):
        declined = sum(each.number for each in seen.declined if each.reason == NO_PAYMENT and each.goal == goal)
        yield HealthFinding(HealthKind.GOALS, HealthVerdict.LOOK, {"goal": goal, "number": declined})
    if seen.is_silent and seen.clicks >= MUCH_TRAFFIC:
        yield HealthFinding(HealthKind.POSTBACKS_SILENT, HealthVerdict.LOOK, {"clicks": seen.clicks})
