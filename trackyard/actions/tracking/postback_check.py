"""Dry run of an inbound postback: every step of its decision (docs/api/postback-check.md).

The decision is the worker's own (actions/conversions/decisions.py); nothing is counted, recorded or sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.conversions.changes import new_deliveries_of
from trackyard.actions.conversions.conversions_by_code import find_terms, request_of
from trackyard.actions.conversions.decisions import ClickExpiry, DecisionBatch
from trackyard.actions.conversions.identities import PostbackRequest
from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.clicks import find_click
from trackyard.base.errors import BadInput
from trackyard.base.ids import new_id
from trackyard.base.money import plain_amount
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.conversions import (
    Conversion,
    ConversionChange,
    DecisionTerms,
)
from trackyard.domain.conversions.decisions import (
    DECLINE_CHECKS,
    POSTBACK_CHECKS,
    ConversionDraft,
    create_or_update,
    draft_conversion,
    is_announcement,
)
from trackyard.domain.conversions.postbacks import (
    PostbackError,
    ReceivedPostback,
    find_early_error,
    parse_postback,
)
from trackyard.domain.conversions.sessions import is_click_wait_over, is_possible_click_id
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import each_counter
from trackyard.domain.offers.choices import QualityMode
from trackyard.domain.offers.payments import Payment, PaymentType, conditions_of, matching_payments
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.quality.conversion_signals import signals_text
from trackyard.domain.statistics.quality.origins import origin_text
from trackyard.journal.records import Click
from trackyard.store.engine.database import Connection
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking import edges

PASSED: Final = "passed"
STOPPED: Final = "stopped"
DECLINED: Final = "declined"
WAITS: Final = "waits"
NOT_CHECKED: Final = "not asked"

WAITING_RESPONSE: Final = "waiting"
"""The response in the log while a postback waits."""

STEPS: Final = ("clickid", "click", *POSTBACK_CHECKS, "exists", *DECLINE_CHECKS, "tiers", "hold", "amounts")
"""Every step, in the order of the decision."""

_PAYMENT_TEXTS: Final = {
    PaymentType.FIXED: "total {0} {2}, revenue {1} {2}",
    PaymentType.PERCENT: "total {0} % of the sum, revenue {1} % of the sum, in {2}",
    PaymentType.MIXED: "total {0} % of the sum, revenue {1} {2}",
}
_REQUIRED_STEPS: Final = ("status", "sum", "currency")
"""Errors of these end the check; others do not."""


@dataclass(frozen=True, slots=True)
class SamplePostback:
    """A sample postback.

    params: by canonical name.
    ip: the sender's IP address.
    at: UTC ms.
    page: the host of a pixel's page; None = it is not a pixel.
    """

    params: Mapping[str, str]
    ip: str
    at: int
    page: str | None = None


@dataclass(frozen=True, slots=True)
class PostbackStepResult:
    """The result of one step. detail: what decided.

    outcome: PASSED, STOPPED (the postback does nothing), DECLINED (the conversion is declined), WAITS (its click
    may still come), or NOT_CHECKED.
    """

    outcome: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class PlannedDelivery:
    """A delivery that would be made. postback_id: 0 = the offer's cross_postback_url."""

    postback_id: int
    url: str


@dataclass(frozen=True, slots=True)
class PostbackCheck:
    """The result of a dry run.

    response: its text in the log, "" when it makes or changes a conversion.
    change: what it does then; step_results: by step, in their order; calls: deliveries to its affiliate.
    """

    response: str
    click: Click | None
    change: ConversionChange | None
    step_results: Mapping[str, PostbackStepResult]
    calls: tuple[PlannedDelivery, ...] = ()


@dataclass(slots=True)
class _CheckState:
    """A postback on its way through the steps."""

    zone: ZoneInfo
    sample: SamplePostback
    request: PostbackRequest
    terms: DecisionTerms
    existing: Conversion | None
    step_results: dict[str, PostbackStepResult] = field(default_factory=dict)

    @property
    def postback(self) -> ReceivedPostback:
        return self.request.postback


def check_postback(deps: Deps, access: Access, sample: SamplePostback) -> PostbackCheck:
    """Try a postback. Raises BadInput when a manager chooses a click that is missing or out of scope."""
    postback = parse_postback(new_id(sample.at), sample.at, sample.ip, sample.params, page=sample.page)
    with deps.database.read() as conn:
        loaded_until = {each.edge: each.loaded_until for each in checkpoints.get_checkpoints(conn)}
    click = find_click(deps.analytics, postback.click_id)
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        if postback.names_promo_code:
            return _with_promo_code(deps, conn, scope, sample, postback)
        if _is_out_of_scope(scope, postback.click_id, click):
            raise BadInput({"params[clickid]": [f"A click {postback.click_id} does not exist."]})
        early = _without_click(deps, conn, postback, click, loaded_until)
        if early is not None:
            return early
        assert click is not None, "a call without a click has an early end"
        passed = {"clickid": PostbackStepResult(PASSED, click.id)}
        return _with_click(deps, conn, sample, PostbackRequest(postback, msgspec.structs.asdict(click)), passed)


def _is_out_of_scope(scope: Scope, click_id: str, click: Click | None) -> bool:
    """Return whether a caller may not name a click. For managers one of others is as missing as none."""
    if click is None:
        return bool(click_id) and not scope.is_everything
    return not (scope.has_affiliate(click.affiliate) and scope.has_advertiser(click.advertiser))


def _without_click(
    deps: Deps, conn: Connection, postback: ReceivedPostback, click: Click | None, loaded_until: Mapping[int, int]
) -> PostbackCheck | None:
    """Return the result for a postback without a usable click; None when it has one."""
    click_id, numbers = postback.click_id, {each.number for each in edges.each_edge(conn)}
    record = None if click is None else msgspec.structs.asdict(click)
    expired = ClickExpiry(deps.clock, deps.retention_policy).is_expired(conn, click_id, postback.time)
    fault = find_early_error(postback, record, expired=expired)
    if fault is None:
        return None
    if fault is PostbackError.NO_CLICKID or not is_possible_click_id(click_id, numbers):
        return PostbackCheck(
            fault, click, None, _with_all_steps({"clickid": PostbackStepResult(STOPPED, _why_impossible(click_id))})
        )
    step_results = {"clickid": PostbackStepResult(PASSED, click_id)}
    if click is None and not expired:
        if not is_click_wait_over(click_id, postback.time, deps.clock.now_ms(), numbers, loaded_until):
            waits = PostbackStepResult(
                WAITS, "the journal of its edge is not loaded that far: the click may still come"
            )
            return PostbackCheck(WAITING_RESPONSE, None, None, _with_all_steps(step_results | {"click": waits}))
        step_results["click"] = PostbackStepResult(STOPPED, "there is no such click, and none will come")
    elif expired:
        step_results["click"] = PostbackStepResult(STOPPED, "older than clicks are kept")
    elif click is not None:
        step_results["click"] = PostbackStepResult(STOPPED, f"it was refused: {click.reason}")
    return PostbackCheck(fault, click, None, _with_all_steps(step_results))


def _why_impossible(click_id: str) -> str:
    if not click_id:
        return "no clickid, nor click_id or afclick"
    return "24 hex digits with the number of an edge make an id of a click"


def _with_promo_code(
    deps: Deps, conn: Connection, scope: Scope, sample: SamplePostback, postback: ReceivedPostback
) -> PostbackCheck:
    """Return the result for a postback with a promo code.

    For managers one of others is as missing as none.
    """
    terms = {
        folded: each
        for folded, each in find_terms(conn, [postback], lock=False).items()
        if scope.has_affiliate(each.promo_code.affiliate_id) and scope.has_advertiser(each.advertiser_id)
    }
    request = request_of(postback, terms, deps.visitors().place)
    if isinstance(request, PostbackError):
        stopped = PostbackStepResult(STOPPED, f"there is no promo code {postback.promo_code}")
        return PostbackCheck(request, None, None, _with_all_steps({"clickid": stopped}))
    found = request.promo_code
    assert found is not None, "a postback with a promo code has its terms"
    code, is_usable = found.promo_code, found.is_valid_at(postback.time) and not found.is_used_up
    limit = "any number" if code.usage_limit is None else str(code.usage_limit)
    period = " to ".join(datetime_text(at, deps.zone) for at in (code.date_from, code.date_to))
    detail = f"none, but the promo code {code.code}: from {period}, {found.usage} of {limit} conversions"
    step = PostbackStepResult(PASSED if is_usable else STOPPED, detail)
    return _with_click(deps, conn, sample, request, {"clickid": step})


def _with_click(
    deps: Deps,
    conn: Connection,
    sample: SamplePostback,
    request: PostbackRequest,
    passed: dict[str, PostbackStepResult],
) -> PostbackCheck:
    click = Click(**request.click)
    batch = DecisionBatch(conn, [request], deps.currency, deps.zone, cipher=deps.cipher, read_only=True)
    seen = f"of {datetime_text(click.time, deps.zone)}, affiliate {click.affiliate}, offer {click.offer}"
    step_results = passed | {"click": PostbackStepResult(PASSED, seen)}
    new_conversion_id = new_id(request.postback.time)
    outcome, terms = batch.decide(request, new_conversion_id), batch.find_terms(request)
    change = outcome if isinstance(outcome, ConversionChange) else None
    response = outcome.value if isinstance(outcome, PostbackError) else ""
    if terms is None:
        step_results["offer"] = PostbackStepResult(STOPPED, "it does not exist")
        return PostbackCheck(response, click, None, _with_all_steps(step_results))
    state = _CheckState(deps.zone, sample, batch.known.settled(request), terms, batch.known.find(request), step_results)
    _run_steps(state, new_conversion_id)
    made = [] if change is None else new_deliveries_of(conn, [change], batch.delivery_context, request.postback.time)
    calls = tuple(PlannedDelivery(each.postback_id, each.url) for each in made)
    return PostbackCheck(response, click, change, _with_all_steps(state.step_results), calls)


def _run_steps(state: _CheckState, new_conversion_id: str) -> None:
    """Check every step that can be checked, also steps after an error."""
    postback, terms, step_results = state.postback, state.terms, state.step_results
    details = _fault_details(state)
    for name, check in POSTBACK_CHECKS.items():
        step_results[name] = PostbackStepResult(PASSED if check(postback, terms) is None else STOPPED, details[name])
    if any(step_results[name].outcome == STOPPED for name in _REQUIRED_STEPS):
        return
    outcome_after = create_or_update(postback, state.request.click, terms, state.existing, new_conversion_id)
    if state.existing is None:
        step_results["exists"] = PostbackStepResult(PASSED, "a new conversion")
        _run_arrival_steps(state, draft_conversion(postback, state.request.click, terms))
    else:
        _run_repeat_steps(state, state.existing, outcome_after)
    if isinstance(outcome_after, ConversionChange):
        _add_result(state, outcome_after)
    elif step_results["exists"].outcome == PASSED:
        step_results["amounts"] = PostbackStepResult(STOPPED, outcome_after.value)


def _fault_details(state: _CheckState) -> dict[str, str]:
    """Return the details that each check looked at; codes are not shown."""
    params, terms = state.sample.params, state.terms
    levels = (
        ("offer", terms.offer.secure),
        ("advertiser", terms.advertiser_secure),
        ("platform", terms.platform_secure),
    )
    level = next((name for name, code in levels if code), None)
    counts = "no code is set" if level is None else f"the code of the {level} counts"
    return {
        "offer": f"{terms.offer.id} is {terms.offer.status}",
        "pixel": _pixel_detail(state),
        "secure": "the code of the offer's pixels counts" if is_announcement(state.postback, terms) else counts,
        "signature": _signature_detail(state),
        "address": state.postback.ip or "unknown",
        "status": params.get("status") or "none: confirmed",
        "sum": params.get("sum") or "none: 0",
        "currency": state.postback.currency or "none: the payment's currency",
    }


def _pixel_detail(state: _CheckState) -> str:
    page, offer = state.postback.page, state.terms.offer
    if page is None:
        return "it is not a pixel"
    if not offer.pixels:
        return "pixels of the offer are off"
    return f"of a page of {page or 'an unknown host'}; the offer takes {', '.join(offer.pixel_pages) or 'any'}"


def _signature_detail(state: _CheckState) -> str:
    postback = state.postback
    if state.terms.signing_secret is None:
        return "the advertiser has no signing secret"
    if postback.page is not None:
        return "a pixel is not signed"
    return f"of {postback.signed_text}" if postback.signature else "none was sent"


def _run_repeat_steps(
    state: _CheckState, existing: Conversion, outcome_after: ConversionChange | PostbackError
) -> None:
    detail = f"conversion {existing.id} is {existing.status}, {existing.sent_status} was sent last"
    state.step_results["exists"] = PostbackStepResult(
        STOPPED if outcome_after in (PostbackError.EXISTS, PostbackError.NOT_PENDING) else PASSED, detail
    )
    if isinstance(outcome_after, ConversionChange):  # a repeat is checked against caps only
        refused = (
            outcome_after.after.status is Status.DECLINED and outcome_after.after.sent_status is not Status.DECLINED
        )
        state.step_results["caps"] = PostbackStepResult(DECLINED if refused else PASSED, _caps_detail(state))


def _run_arrival_steps(state: _CheckState, arrival: ConversionDraft) -> None:
    offer, seconds = state.terms.offer, arrival.age_ms // 1000
    details = {
        "affiliate": f"{arrival.click['affiliate']} is {state.terms.affiliate_status or 'unknown'}",
        "click session": f"{seconds} s since the click, at most {offer.session}",
        "minimal click session": f"{seconds} s since the click, at least {offer.min_session}",
        "one conversion per click": _click_detail(state),
        "ip duplicate": _address_detail(state, arrival),
        "quality": _quality_detail(offer.quality, arrival),
        "payment": _payment_detail(state, arrival.payment),
        "caps": _caps_detail(state),
    }
    for name, check in DECLINE_CHECKS.items():
        state.step_results[name] = PostbackStepResult(PASSED if check(arrival) is None else DECLINED, details[name])


def _click_detail(state: _CheckState) -> str:
    if not state.terms.offer.once_per_click:
        return "the offer does not ask"
    return f"{state.terms.converted_by_click} conversions of the click for goal {state.postback.goal}"


def _address_detail(state: _CheckState, arrival: ConversionDraft) -> str:
    if not state.terms.offer.unique_ip:
        return "the offer does not ask"
    return f"{state.terms.converted} conversions of {arrival.click['ip'] or 'an unknown address'}"


def _quality_detail(mode: QualityMode, arrival: ConversionDraft) -> str:
    of_click = origin_text(arrival.click.get("origin", 0)) or "no signal"
    own = signals_text(arrival.signals) or "none"
    return f"the click has {of_click}, the conversion {own}; the offer asks to {mode.value} suspicious traffic"


def _payment_detail(state: _CheckState, payment: Payment | None) -> str:
    offer, click = state.terms.offer, state.request.click
    goal, affiliate_id = state.postback.goal, click["affiliate"]
    if payment is None:
        return f"none for goal {goal} fits the click"
    fitting = matching_payments(offer.payments, offer.personal_payments, affiliate_id, goal, click)
    kind = "the affiliate's own" if affiliate_id in payment.partners else "general"
    asked = ", ".join(conditions_of(payment)) or "nothing"
    pays = _PAYMENT_TEXTS[payment.type].format(
        plain_amount(payment.total), plain_amount(payment.revenue), payment.currency
    )
    return f"{payment.title or goal}: {pays}; {kind}, asks for {asked}, most specific of {len(fitting)} that fit"


def _caps_detail(state: _CheckState) -> str:
    existing = state.existing
    traits = state.postback.traits_for(state.request.click) if existing is None else existing.traits
    texts = []
    for rule, counter in each_counter(state.terms.offer.caps, traits):
        held = state.terms.counts[counter.name].of(rule.type)
        full = ", full" if rule.is_reached(state.terms.counts[counter.name]) else ""
        texts.append(f"{plain_amount(held)} of {plain_amount(rule.value)} {rule.type} ({rule.measure.period}{full})")
    return "; ".join(texts) or "none counts it"


def _add_result(state: _CheckState, change: ConversionChange) -> None:
    after, step_results = change.after, state.step_results
    steps = [f"{each.type} {plain_amount(each.value)} ({each.payment_type})" for each in after.modifiers]
    step_results["tiers"] = PostbackStepResult(PASSED, "; ".join(steps) or "none applies")
    held = "not held"
    if after.status is Status.HOLD:
        held = (
            "until a person decides"
            if after.hold_until is None
            else f"until {datetime_text(after.hold_until, state.zone)}"
        )
    step_results["hold"] = PostbackStepResult(PASSED, held)
    charged, paid = plain_amount(after.charge), plain_amount(after.payout)
    amounts = f"sum {plain_amount(after.sum)}, charge {charged}, payout {paid} {after.currency}"
    step_results["amounts"] = PostbackStepResult(PASSED, amounts)


def _with_all_steps(step_results: Mapping[str, PostbackStepResult]) -> dict[str, PostbackStepResult]:
    """Return a result for every step."""
    return {name: step_results.get(name, PostbackStepResult(NOT_CHECKED)) for name in STEPS}
