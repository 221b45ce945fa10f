"""Health of offers, advertisers and affiliates (docs/spec/statistics.md#health)."""

from collections.abc import Mapping
from typing import ClassVar, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.offers.connections import get_affiliate, get_offer
from trackyard.actions.people.advertisers import get_advertiser
from trackyard.actions.statistics.health import VERDICTS, health_sentence, look_at
from trackyard.api.lookups import in_scope_by_hex, in_scope_by_number, in_scope_by_reference
from trackyard.base.zones import datetime_text
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.health import (
    TIME_BOUNDS,
    Health,
    HealthFinding,
    PostbackResult,
    find_health_findings,
    verdict_of,
)
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request.params import NoParams
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.guards import REJECTIONS, SUBS, Guard

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.STATS_SERVER_POSTBACK)


class HealthReason(View):
    """Rejected clicks of one reason."""

    reason: str
    clicks: int


class HealthPostbacks(View):
    """Inbound postbacks with the same answer. last_id: of the newest, for an explanation."""

    response: str
    number: int
    last_at: str
    last_id: str


class HealthDeclined(View):
    """Conversions of a goal that were declined for a reason."""

    reason: str
    goal: str
    number: int


class HealthHost(View):
    """Attempts of deliveries to a host."""

    host: str
    sent: int
    failed: int
    last_error: str


class HealthNetwork(View):
    """Accepted clicks of a network, /24 or /48."""

    network: str
    clicks: int
    addresses: int
    marked: int


class HealthSub(View):
    """What an affiliate sends in one of its subs. largest: the value with most clicks."""

    affiliate: int
    sub: str
    clicks: int
    conversions: int
    values: int
    is_id: bool
    largest: str
    largest_clicks: int
    largest_conversions: int


class HealthSpan(View):
    """Conversions of a span of times from click to conversion. below: None = the span has no end."""

    seconds: int
    below: int | None
    conversions: int


class HealthTimes(View):
    """Times from click to conversion in seconds, in the period and in the four weeks before."""

    conversions: int
    median: int
    usual_conversions: int
    usual_median: int
    usual_low: int
    usual_high: int
    spread: list[HealthSpan]


class HealthHop(View):
    """One request of a check of an offer's URL."""

    url: str
    status: int
    milliseconds: int
    encrypted: bool


class HealthUrl(View):
    """The last check of an offer's URL."""

    checked_at: str
    hops: list[HealthHop]
    error: str
    loses_click: bool


class HealthFindingView(View):
    """What needs a person. evidence: the path of a method that shows it, "" without one."""

    kind: str
    verdict: str
    sentence: str
    evidence: str


class HealthView(View):
    """What was seen in the last 7 days, and a verdict."""

    guarded: ClassVar[Mapping[str, Guard]] = {"rejected": REJECTIONS, "subs": SUBS}

    verdict: str
    summary: str
    findings: list[HealthFindingView]
    since: str
    clicks: int
    conversions: int
    last_click_at: str | None
    last_postback_at: str | None
    last_failed_postback: HealthPostbacks | None
    literal_macros: list[str]
    rejected: list[HealthReason]
    postbacks: list[HealthPostbacks]
    postbacks_without_click: list[HealthPostbacks]
    declined: list[HealthDeclined]
    deliveries: list[HealthHost]
    networks: list[HealthNetwork]
    subs: list[HealthSub]
    conversion_times: HealthTimes | None
    offer_url: HealthUrl | None


class HealthAnswer(Answer):
    """The health of a thing."""

    health: HealthView


@routes.get(
    "/admin/offer/{id}/health", _STAFF, id="stats.health.offer", find=in_scope_by_reference(get_offer), report=True
)
def of_offer(request: ApiRequest[Deps], _params: NoParams) -> HealthAnswer:
    """Show the clicks, postbacks and deliveries of an offer in the last 7 days, and what needs a person."""
    return _answer(request, "offer", request.subject.id)


@routes.get(
    "/admin/advertiser/{id}/health",
    _STAFF,
    id="stats.health.advertiser",
    find=in_scope_by_hex(get_advertiser),
    report=True,
)
def of_advertiser(request: ApiRequest[Deps], _params: NoParams) -> HealthAnswer:
    """Show what was seen of an advertiser's offers in the last 7 days, and what needs a person."""
    return _answer(request, "advertiser", request.subject.advertiser.id)


@routes.get(
    "/admin/partner/{id}/health",
    _STAFF,
    id="stats.health.affiliate",
    find=in_scope_by_number(get_affiliate),
    report=True,
)
def of_affiliate(request: ApiRequest[Deps], _params: NoParams) -> HealthAnswer:
    """Show what was seen of an affiliate in the last 7 days, and what needs a person."""
    return _answer(request, "affiliate", request.subject.id)


def _answer(request: ApiRequest[Deps], of: str, key: int | str) -> HealthAnswer:
    zone = request.deps.zone
    seen = look_at(request.deps, request.access, of, key)
    findings = find_health_findings(seen)

    def moment(at_ms: int | None) -> str | None:
        return None if at_ms is None else datetime_text(at_ms, zone)

    def postbacks(found: PostbackResult) -> HealthPostbacks:
        return HealthPostbacks(
            response=found.response,
            number=found.number,
            last_at=datetime_text(found.last_at, zone),
            last_id=found.last_id,
        )

    verdict = verdict_of(findings)
    return HealthAnswer(
        health=HealthView(
            verdict=verdict.value,
            summary=str(VERDICTS[verdict]),
            findings=[_finding(each) for each in findings],
            since=datetime_text(seen.since, zone),
            clicks=seen.clicks,
            conversions=seen.conversions,
            last_click_at=moment(seen.last_click_at),
            last_postback_at=moment(seen.last_postback_at),
            last_failed_postback=None if seen.last_failed is None else postbacks(seen.last_failed),
            literal_macros=seen.macros,
            rejected=[
                HealthReason(reason=name, clicks=number)
                for name, number in sorted(seen.rejected.items(), key=lambda each: (-each[1], each[0]))
            ],
            postbacks=[postbacks(each) for each in seen.postbacks],
            postbacks_without_click=[postbacks(each) for each in seen.clickless],
            declined=[HealthDeclined(reason=each.reason, goal=each.goal, number=each.number) for each in seen.declined],
            deliveries=_hosts(seen),
            networks=_networks(seen),
            subs=_subs(seen),
            conversion_times=_times(seen),
            offer_url=_url(seen, zone),
        )
    )


def _finding(finding: HealthFinding) -> HealthFindingView:
    return HealthFindingView(
        kind=finding.kind.value,
        verdict=finding.verdict.value,
        sentence=health_sentence(finding),
        evidence=f"/admin/explain?id={finding.evidence}" if finding.evidence else "",
    )


def _networks(seen: Health) -> list[HealthNetwork]:
    return [
        HealthNetwork(network=each.network, clicks=each.clicks, addresses=each.addresses, marked=each.marked)
        for each in seen.networks
    ]


def _subs(seen: Health) -> list[HealthSub]:
    return [
        HealthSub(
            affiliate=each.affiliate,
            sub=each.sub,
            clicks=each.clicks,
            conversions=each.conversions,
            values=each.values,
            is_id=each.is_id,
            largest=each.largest,
            largest_clicks=each.largest_clicks,
            largest_conversions=each.largest_conversions,
        )
        for each in seen.subs
    ]


def _hosts(seen: Health) -> list[HealthHost]:
    return [
        HealthHost(host=each.host, sent=each.sent, failed=each.failed, last_error=each.error) for each in seen.hosts
    ]


def _times(seen: Health) -> HealthTimes | None:
    times = seen.times
    if times is None:
        return None
    return HealthTimes(
        conversions=times.number,
        median=times.median // 1000,
        usual_conversions=times.usual_number,
        usual_median=times.usual_median // 1000,
        usual_low=times.usual_low // 1000,
        usual_high=times.usual_high // 1000,
        spread=[
            HealthSpan(seconds=low, below=high, conversions=number)
            for low, high, number in zip((0, *TIME_BOUNDS), (*TIME_BOUNDS, None), times.spread, strict=True)
        ],
    )


def _url(seen: Health, zone: ZoneInfo) -> HealthUrl | None:
    check = seen.url
    if check is None:
        return None
    return HealthUrl(
        checked_at=datetime_text(check.checked_at, zone),
        hops=[
            HealthHop(
                url=each.url,
                status=each.status,
                milliseconds=each.milliseconds,
                encrypted=each.url.startswith("https:"),
            )
            for each in check.hops
        ],
        error=check.error,
        loses_click=check.loses_click,
    )
