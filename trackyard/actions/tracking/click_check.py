"""Explain the decision on a sample or recorded click, step by step.

Nothing is counted or recorded (docs/api/click-check.md).
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

import msgspec

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.clicks import find_click
from trackyard.base.errors import BadInput, NotFound, required
from trackyard.base.ids import new_click_id
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import NEW, OfferRoute
from trackyard.decision.click.smartlinks import find_offers
from trackyard.decision.click.state import EMPTY_CLICK_STATE, ClickState, ReservationRequest
from trackyard.decision.click.steps import BOT, STEPS, UNKNOWN_OFFER, decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import clean_text
from trackyard.decision.target.url import accepted_url, rejected_click_url, rejected_url
from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.visitor.bots import is_prefetch
from trackyard.decision.visitor.client_hints import find_hints
from trackyard.decision.visitor.geo import CachedGeoRecord, GeoRecord
from trackyard.decision.visitor.headers import LANGUAGE, read_language
from trackyard.decision.visitor.visitor import Agent, ParsedAgent, VisitorLookup
from trackyard.domain.offers.choices import RedirectType
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.quality.origins import PREFETCH
from trackyard.domain.tracking.rejections import REJECTION_REASONS, Rejection
from trackyard.domain.tracking.ruleset import RulesetOffer, RulesetSmartLink
from trackyard.journal.records import Click
from trackyard.store.engine.database import Connection
from trackyard.store.offers import smartlinks
from trackyard.store.tracking import ruleset_offers, rulesets
from trackyard.store.tracking.rulesets import PLATFORM_KEY

NOT_CHECKED: Final = "not asked"
PASSED: Final = "passed"
REJECTED: Final = "refused"

_TRAFFICBACK_REDIRECT: Final = RedirectType.HTTP_302
"""The redirect of a rejected click, whatever the offer's own is."""

_PARAM_COLUMNS: Final = (
    *(name for name in Click.__struct_fields__ if name.startswith(("sub", "ext"))),
    *("ref_id", "os_id", "user_id", "fbclid", "ios_idfa", "android_id", "bundle_id"),
)
_DRY_RUN_EDGE: Final = 12
"""Edge number of made-up ids of dry runs; they are never recorded."""


@dataclass(frozen=True, slots=True)
class SampleClick:
    """A sample click.

    params: by wire name; headers: by lower-case name.
    at: UTC ms.
    smart: whether `id` is the id of a SmartLink.
    """

    params: dict[str, str]
    ip: str
    ua: str
    headers: dict[bytes, bytes]
    at: int
    smart: bool = False


@dataclass(frozen=True, slots=True)
class ClickStepResult:
    """The result of one step.

    name: the rejection reason.
    outcome: PASSED, REJECTED, or NOT_CHECKED when an earlier step leaves nothing to check.
    detail: the value that decided.
    """

    name: str
    outcome: str
    detail: str


@dataclass(frozen=True, slots=True)
class SmartLinkOfferResult:
    """An offer of a SmartLink. rejection: why it would reject the click, or None."""

    offer_id: int
    rejection: Rejection | None


@dataclass(frozen=True, slots=True)
class ClickCheck:
    """A checked click.

    rejection: None when the click passes.
    url: its target; None = a page that explains that the offer is not available.
    tried: the offers of its SmartLink, best EPC first. The first that takes the click gets it, except for one click in
    five, which tries them in random order.
    """

    hit: Hit
    route: OfferRoute
    step_results: tuple[ClickStepResult, ...]
    rejection: Rejection | None
    url: str | None
    redirect_type: RedirectType
    tried: tuple[SmartLinkOfferResult, ...] = ()


@dataclass(frozen=True, slots=True)
class ClickExplanation:
    """A recorded click, and its check by today's rules."""

    click: Click
    today: ClickCheck


def check_click(deps: Deps, access: Access, sample: SampleClick) -> ClickCheck:
    """Check a sample click.

    Raises BadInput for an offer out of scope, and when a manager chooses an affiliate that is missing or out of scope.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        ruleset = ruleset_for(conn, _offer_ids(conn, sample), sample.params.get("pid", ""), _smart_key(sample))
    hit = hit_from_sample(deps, sample, ruleset)
    check_affiliate(scope, hit, "params[pid]")
    state = deps.click_state()
    checked = (
        _check_smartlink(hit, ruleset, state) if sample.smart else check_hit(hit, ruleset.route_of(hit.params), state)
    )
    route = checked.route
    if route.is_known and not scope.has_advertiser(route.offer.advertiser):
        named_in = "url" if sample.smart else "params[offer_id]"
        raise BadInput({named_in: [f"An offer {route.id} does not exist."]})
    seen = [each for each in checked.tried if scope.has_advertiser(_advertiser_of(ruleset, each))]
    return replace(checked, tried=tuple(seen))


def check_affiliate(scope: Scope, hit: Hit, name: str) -> None:
    """Raise BadInput when a manager chooses an affiliate out of scope.

    name: the name of the parameter.
    """
    pid = hit.params.get("pid", "")
    if pid and scope.affiliate_ids is not None and (hit.affiliate is None or not scope.has_affiliate(hit.affiliate.id)):
        raise BadInput({name: [f"An affiliate {pid} does not exist."]})


def _advertiser_of(ruleset: Ruleset, tried: SmartLinkOfferResult) -> str:
    offer = ruleset.find_offer(str(tried.offer_id))
    return "" if offer is None else offer.advertiser


def explain_click(deps: Deps, access: Access, click_id: str) -> ClickExplanation:
    """Return a recorded click and its check by today's rules.

    Raises NotFound for a click that is not loaded or out of scope.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
    click = required(find_click(deps.analytics, click_id))
    if not (scope.has_affiliate(click.affiliate) and scope.has_advertiser(click.advertiser)):
        raise NotFound
    with deps.database.read() as conn:
        ruleset = ruleset_for(conn, _known_offer(conn, str(click.offer)), str(click.affiliate))
    hit = hit_from_click(ruleset, click, deps.visitors())
    return ClickExplanation(click, check_hit(hit, ruleset.route_of(hit.params), EMPTY_CLICK_STATE))


def _smart_key(sample: SampleClick) -> str:
    return sample.params.get("id", "") if sample.smart else ""


def _offer_ids(conn: Connection, sample: SampleClick) -> list[int]:
    """Return the ids of offers that the click may go to."""
    if sample.smart:
        row = rulesets.compile_row(conn, smartlinks.LABEL_KIND, _smart_key(sample))
        return [each.offer for each in row.offers] if isinstance(row, RulesetSmartLink) else []
    return _known_offer(conn, sample.params.get("offer_id", ""))


def _known_offer(conn: Connection, key: str) -> list[int]:
    offer_id = ruleset_offers.find_offer_id(conn, key)
    return [] if offer_id is None else [offer_id]


def ruleset_for(conn: Connection, offer_ids: Sequence[int], affiliate_key: str, smart_key: str = "") -> Ruleset:
    """Return the ruleset for one click as it is now; edges have it within a second."""
    is_number = affiliate_key.isascii() and affiliate_key.isdigit() and len(affiliate_key.lstrip("0")) < 10
    return read_ruleset(conn, offer_ids, [int(affiliate_key)] if is_number else [], smart_key)


def read_ruleset(
    conn: Connection, offer_ids: Sequence[int], affiliate_ids: Sequence[int], smart_key: str = "", *, caps: bool = True
) -> Ruleset:
    """Return the part of the ruleset that these offers and affiliates need.

    caps: whether full caps are a part of it.
    """
    keys = [str(offer_id) for offer_id in offer_ids]
    offers = rulesets.compile_rows(conn, "offer", keys)
    wanted = {
        "platform": [PLATFORM_KEY],
        "affiliate": [str(affiliate_id) for affiliate_id in affiliate_ids],
        "connections": keys,
        "full_caps": keys if caps else [],
        "advertiser": sorted({row.advertiser for row in offers.values() if isinstance(row, RulesetOffer)}),
        smartlinks.LABEL_KIND: [smart_key] if smart_key else [],
    }
    rows = {"offer": offers} | {kind: rulesets.compile_rows(conn, kind, named) for kind, named in wanted.items()}
    return Ruleset.of(
        (kind, key, msgspec.msgpack.encode(row)) for kind, found in rows.items() for key, row in found.items()
    )


def hit_from_sample(deps: Deps, sample: SampleClick, ruleset: Ruleset) -> Hit:
    """Return the hit that an edge would make of a sample."""
    headers, visitors = sample.headers, deps.visitors()
    visitors.refresh()
    parsed = visitors.read(clean_text(sample.ua)[0], find_hints(headers))
    params = {name: clean_text(value)[0] for name, value in sample.params.items()}
    address = address_number(sample.ip)
    geo, prefetch = visitors.find_geo(sample.ip, address), is_prefetch(headers)
    smart = sample.smart and ruleset.find_smartlink(params.get("id", "")) is not None
    return Hit(
        ruleset.platform,
        ruleset.affiliate_of(params),
        sample.at,
        new_click_id(sample.at, _DRY_RUN_EDGE),
        params,
        sample.ip,
        address,
        geo,
        parsed,
        clean_text(headers.get(b"referer", b"").decode("utf-8", "replace"))[0],
        read_language(headers.get(LANGUAGE, b"").decode("utf-8", "replace")),
        headers,
        bot=parsed.bot or prefetch,
        smart_id=params["id"] if smart else "",
        origin=geo.origin | parsed.origin | (PREFETCH if prefetch else 0),
    )


def hit_from_click(ruleset: Ruleset, click: Click, visitors: VisitorLookup) -> Hit:
    """Return the hit of a recorded click.

    visitors: find what is not recorded of its address, as the databases of today have it
    """
    params = {name: value for name in _PARAM_COLUMNS if (value := getattr(click, name))}
    params |= {"offer_id": str(click.offer), "pid": str(click.affiliate)}
    if click.landing or click.prelanding:
        params["l"] = str(click.landing or click.prelanding)
    number = address_number(click.ip)
    known = visitors.place(click.ip) if number else GeoRecord()
    place = GeoRecord(
        country=click.country,
        region_id=int(click.region or 0),
        city_id=click.city_id,
        city=click.city,
        isp=click.isp,
        connection=click.connection,
        zip=known.zip,
        organization=known.organization,
    )
    agent = Agent(**{name: getattr(click, name) for name in Agent.__struct_fields__})
    return Hit(
        ruleset.platform,
        ruleset.affiliate_of(params),
        click.time,
        click.id,
        params,
        click.ip,
        number,
        CachedGeoRecord(place),
        ParsedAgent(click.ua, agent),
        click.referrer,
        click.language,
        {},
        bot=BOT in (click.reason, click.device),
        origin=click.origin,
    )


def check_hit(hit: Hit, route: OfferRoute, state: ClickState) -> ClickCheck:
    """Check a hit on an offer. Nothing is reserved."""
    decision = decide(hit, route, state)
    rejection = decision.rejection
    passes = rejection is None or (
        rejection.reason == BOT and decide(hit, route, state, as_visitor=True).rejection is None
    )
    return ClickCheck(
        hit,
        route,
        _step_results(hit, route, state),
        rejection,
        accepted_url(hit, route) if passes else rejected_click_url(hit, route),
        route.redirect_type if passes else _TRAFFICBACK_REDIRECT,
    )


def _step_results(hit: Hit, route: OfferRoute, state: ClickState) -> tuple[ClickStepResult, ...]:
    """Return the result of each reason, whatever the others say, until one leaves nothing to check."""
    results: list[ClickStepResult] = []
    is_complete = route.is_known and route.advertiser is not None and hit.affiliate is not None
    stopped = False
    for step in STEPS:
        if stopped or step.skips(route):
            rejections: Mapping[str, Rejection] = {}
        else:
            request = ReservationRequest(hit, route, route.find_full_cap(hit))
            reservation = state.reserve([request])[0] if step.uses_state else NEW
            rejections = step.rejections(hit, route, reservation)
        for reason in step.reasons:
            rejection = rejections.get(reason)
            outcome = NOT_CHECKED if stopped else PASSED if rejection is None else REJECTED
            results.append(ClickStepResult(reason, outcome, "" if rejection is None else rejection.detail))
            stopped = stopped or (rejection is not None and not is_complete)
    return tuple(results)


def _check_smartlink(hit: Hit, ruleset: Ruleset, state: ClickState) -> ClickCheck:
    """Check a click on a SmartLink: it goes to the best offer that takes it, else to the best."""
    offers = find_offers(ruleset, hit.params.get("id", ""))
    if isinstance(offers, Rejection):
        url = rejected_url(hit, UNKNOWN_OFFER.offer)
        return ClickCheck(hit, UNKNOWN_OFFER, _results_without_offer(offers), offers, url, _TRAFFICBACK_REDIRECT)
    tried = tuple(
        SmartLinkOfferResult(route.id, decide(hit, route, state, as_visitor=True).rejection) for route in offers
    )
    accepting = [route for route, each in zip(offers, tried, strict=True) if each.rejection is None]
    return replace(check_hit(hit, (accepting or offers)[0], state), tried=tried)


def _results_without_offer(rejection: Rejection) -> tuple[ClickStepResult, ...]:
    """Return the results of a click that has no offer to check."""
    at = REJECTION_REASONS.index(rejection.reason)
    return (
        *(ClickStepResult(reason, PASSED, "") for reason in REJECTION_REASONS[:at]),
        ClickStepResult(rejection.reason, REJECTED, rejection.detail),
        *(ClickStepResult(reason, NOT_CHECKED, "") for reason in REJECTION_REASONS[at + 1 :]),
    )
