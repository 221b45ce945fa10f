"""What a call would do: every step of the decision, of a call that did not come (docs/api/postback-check.md).

The decision is the worker's own (actions/conversions/decisions.py); nothing is counted, recorded or sent.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.conversions.changes import calls_of
from trackyard.actions.conversions.decisions import Desk, Inquiry, Memory
from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.clicks import find_click
from trackyard.base.errors import BadInput
from trackyard.base.ids import new_id
from trackyard.base.zones import datetime_text
from trackyard.domain.conversions.conversions import (
    CallFacts,
    Change,
    Conversion,
    Fault,
    Terms,
    find_early_fault,
    goal_of,
    traits_of,
)
from trackyard.domain.conversions.decisions import DECLINES, FAULTS, Arrival, arrival_of, let_in
from trackyard.domain.conversions.sessions import is_possible, is_settled
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.caps import touched
from trackyard.domain.offers.payments import Payment, PaymentType, conditions_of, list_fitting
from trackyard.domain.people.callers import Caller
from trackyard.domain.people.roles import Permission
from trackyard.journal.records import Click
from trackyard.store.engine.database import Connection
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking import edges

PASSED: Final = "passed"
STOPPED: Final = "stopped"
DECLINED: Final = "declined"
WAITS: Final = "waits"
NOT_ASKED: Final = "not asked"

WAITING: Final = "waiting"
"""What the log says of a call while it waits."""

STEPS: Final = ("clickid", "click", *FAULTS, "exists", *DECLINES, "tiers", "hold", "amounts")
"""Every step, in the order of the decision."""

_PAYS: Final = {
    PaymentType.FIXED: "total {0} {2}, revenue {1} {2}",
    PaymentType.PERCENT: "total {0} % of the sum, revenue {1} % of the sum, in {2}",
    PaymentType.MIXED: "total {0} % of the sum, revenue {1} {2}",
}
_NEEDED: Final = ("status", "sum", "currency")
"""What is wrong with these leaves nothing to go on with; other faults do."""


@dataclass(frozen=True, slots=True)
class Sample:
    """A call as it would come. params: by canonical name · ip: of the caller · at: UTC ms."""

    params: Mapping[str, str]
    ip: str
    at: int


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one step says. outcome: PASSED, STOPPED (the call does nothing), DECLINED (the conversion is declined),
    WAITS (its click may still come), or NOT_ASKED · detail: what decided."""

    outcome: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class WouldCall:
    """A call to an affiliate. postback_id: 0 = the offer's cross_postback_url."""

    postback_id: int
    url: str


@dataclass(frozen=True, slots=True)
class Checked:
    """A call that was tried. response: its text in the log, "" when it makes or changes a conversion · change: what it
    does then · verdicts: by step, in their order · calls: made to its affiliate."""

    response: str
    click: Click | None
    change: Change | None
    verdicts: Mapping[str, Verdict]
    calls: tuple[WouldCall, ...] = ()


@dataclass(slots=True)
class _Trial:
    """A call on its way through the steps."""

    zone: ZoneInfo
    inquiry: Inquiry
    terms: Terms
    existing: Conversion | None
    verdicts: dict[str, Verdict] = field(default_factory=dict)

    @property
    def call(self) -> CallFacts:
        return self.inquiry.call

    def time(self, at_ms: int) -> str:
        return datetime_text(at_ms, self.zone)


def check_call(deps: Deps, caller: Caller, sample: Sample) -> Checked:
    """Tries a call. Raises BadInput for one whose click is out of the caller's scope."""
    facts = CallFacts(new_id(sample.at), sample.at, sample.ip, sample.params, "", 0)
    click_id = sample.params.get("clickid", "")
    with deps.database.read() as conn:
        loaded_until = {each.edge: each.loaded_until for each in checkpoints.each_progress(conn)}
    click = find_click(deps.analytics, click_id)
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, Permission.STATS_CONVERSION)
        if click is not None and not (scope.has_affiliate(click.affiliate) and scope.has_advertiser(click.advertiser)):
            raise BadInput({"params[clickid]": [f"A click {click_id} does not exist."]})
        early = _without_click(deps, conn, facts, click, loaded_until)
        if early is not None:
            return early
        assert click is not None, "a call without a click has an early end"
        return _with_click(deps, conn, facts, click)


def _without_click(
    deps: Deps, conn: Connection, facts: CallFacts, click: Click | None, loaded_until: Mapping[int, int]
) -> Checked | None:
    """The end of a call that has no usable click; None when it has one."""
    click_id, numbers = facts.params.get("clickid", ""), {each.number for each in edges.each_edge(conn)}
    record = None if click is None else msgspec.structs.asdict(click)
    forgotten = Memory(deps.clock, deps.spans).has_forgotten(conn, click_id, facts.time)
    fault = find_early_fault(facts.params, record, forgotten=forgotten)
    if fault is None:
        return None
    if fault is Fault.NO_CLICKID or not is_possible(click_id, facts.time, numbers):
        return Checked(fault, click, None, _filled({"clickid": Verdict(STOPPED, _why_impossible(facts))}))
    verdicts = {"clickid": Verdict(PASSED, click_id)}
    if click is None and not forgotten:
        if not is_settled(click_id, facts.time, deps.clock.now_ms(), numbers, loaded_until):
            waits = Verdict(WAITS, "the journal of its edge is not loaded that far: the click may still come")
            return Checked(WAITING, None, None, _filled(verdicts | {"click": waits}))
        verdicts["click"] = Verdict(STOPPED, "there is no such click, and none will come")
    elif forgotten:
        verdicts["click"] = Verdict(STOPPED, "older than clicks are kept")
    elif click is not None:
        verdicts["click"] = Verdict(STOPPED, f"it was refused: {click.reason}")
    return Checked(fault, click, None, _filled(verdicts))


def _why_impossible(facts: CallFacts) -> str:
    if not facts.params.get("clickid"):
        return "no clickid, nor click_id or afclick"
    return "24 hex digits with the number of an edge and a time that is not in the future make an id of a click"


def _with_click(deps: Deps, conn: Connection, facts: CallFacts, click: Click) -> Checked:
    inquiry = Inquiry(facts, msgspec.structs.asdict(click))
    desk = Desk(conn, [inquiry], deps.currency, deps.zone, looking=True)
    seen = f"of {datetime_text(click.time, deps.zone)}, affiliate {click.affiliate}, offer {click.offer}"
    verdicts = {"clickid": Verdict(PASSED, click.id), "click": Verdict(PASSED, seen)}
    new_conversion_id = new_id(inquiry.call.time)
    outcome, terms = desk.decide(inquiry, new_conversion_id), desk.find_terms(inquiry)
    if terms is None or isinstance(outcome, Fault):
        change, response = None, outcome.value if isinstance(outcome, Fault) else Fault.OFFER_DISABLED.value
    else:
        change, response = outcome, ""
    if terms is None:
        return Checked(response, click, None, _filled(verdicts | {"offer": Verdict(STOPPED, "it does not exist")}))
    trial = _Trial(deps.zone, inquiry, terms, desk.stored.get(inquiry.identity), verdicts)
    _ask(trial, new_conversion_id)
    made = [] if change is None else calls_of(conn, [change], desk.listeners, inquiry.call.time)
    calls = tuple(WouldCall(each.postback_id, each.url) for each in made)
    return Checked(response, click, change, _filled(trial.verdicts), calls)


def _ask(trial: _Trial, new_conversion_id: str) -> None:
    """Asks every step that something can be asked of, those behind a fault too."""
    call, terms, verdicts = trial.call, trial.terms, trial.verdicts
    details = _fault_details(trial)
    for name, check in FAULTS.items():
        verdicts[name] = Verdict(PASSED if check(call, terms) is None else STOPPED, details[name])
    if any(verdicts[name].outcome == STOPPED for name in _NEEDED):
        return
    played = let_in(call, trial.inquiry.click, terms, trial.existing, new_conversion_id)
    if trial.existing is None:
        verdicts["exists"] = Verdict(PASSED, "a new conversion")
        _ask_arrival(trial, arrival_of(call, trial.inquiry.click, terms))
    else:
        _ask_repeat(trial, trial.existing, played)
    if isinstance(played, Change):
        _tell_result(trial, played)
    elif verdicts["exists"].outcome == PASSED:
        verdicts["amounts"] = Verdict(STOPPED, played.value)


def _fault_details(trial: _Trial) -> dict[str, str]:
    """What each check of FAULTS looked at; codes are not told."""
    params, terms = trial.call.params, trial.terms
    levels = (
        ("offer", terms.offer.secure),
        ("advertiser", terms.advertiser_secure),
        ("platform", terms.platform_secure),
    )
    level = next((name for name, code in levels if code), None)
    return {
        "offer": f"{terms.offer.id} is {terms.offer.status}",
        "secure": "no code is set" if level is None else f"the code of the {level} counts",
        "address": trial.call.ip or "unknown",
        "status": params.get("status") or "none: confirmed",
        "sum": params.get("sum") or "none: 0",
        "currency": params.get("currency", "").upper() or "none: that of the payment",
    }


def _ask_repeat(trial: _Trial, existing: Conversion, played: Change | Fault) -> None:
    detail = f"conversion {existing.id} is {existing.status}, {existing.sent_status} was sent last"
    trial.verdicts["exists"] = Verdict(STOPPED if played in (Fault.EXISTS, Fault.NOT_PENDING) else PASSED, detail)
    if isinstance(played, Change):  # its caps alone are asked of a repeat
        refused = played.after.status is Status.DECLINED and played.after.sent_status is not Status.DECLINED
        trial.verdicts["caps"] = Verdict(DECLINED if refused else PASSED, _caps_detail(trial))


def _ask_arrival(trial: _Trial, arrival: Arrival) -> None:
    offer, seconds = trial.terms.offer, arrival.age_ms // 1000
    details = {
        "affiliate": f"{arrival.click['affiliate']} is {trial.terms.affiliate_status or 'unknown'}",
        "click session": f"{seconds} s since the click, at most {offer.session}",
        "minimal click session": f"{seconds} s since the click, at least {offer.min_session}",
        "ip duplicate": _address_detail(trial, arrival),
        "payment": _payment_detail(trial, arrival.payment),
        "caps": _caps_detail(trial),
    }
    for name, check in DECLINES.items():
        trial.verdicts[name] = Verdict(PASSED if check(arrival) is None else DECLINED, details[name])


def _address_detail(trial: _Trial, arrival: Arrival) -> str:
    if not trial.terms.offer.unique_ip:
        return "the offer does not ask"
    return f"{trial.terms.converted} conversions of {arrival.click['ip'] or 'an unknown address'}"


def _payment_detail(trial: _Trial, payment: Payment | None) -> str:
    offer, click = trial.terms.offer, trial.inquiry.click
    goal, affiliate_id = goal_of(trial.call.params), click["affiliate"]
    if payment is None:
        return f"none for goal {goal} fits the click"
    fitting = list_fitting(offer.payments, offer.personal_payments, affiliate_id, goal, click)
    kind = "the affiliate's own" if affiliate_id in payment.partners else "general"
    asked = ", ".join(conditions_of(payment)) or "nothing"
    pays = _PAYS[payment.type].format(_plain(payment.total), _plain(payment.revenue), payment.currency)
    return f"{payment.title or goal}: {pays}; {kind}, asks for {asked}, most specific of {len(fitting)} that fit"


def _caps_detail(trial: _Trial) -> str:
    existing = trial.existing
    traits = traits_of(trial.call, trial.inquiry.click) if existing is None else existing.traits
    said = []
    for rule, counter in touched(trial.terms.offer.caps, traits):
        held = trial.terms.counts[counter.name].of(rule.type)
        full = ", full" if rule.is_reached(trial.terms.counts[counter.name]) else ""
        said.append(f"{_plain(held)} of {_plain(rule.value)} {rule.type} ({rule.measure.period}{full})")
    return "; ".join(said) or "none counts it"


def _tell_result(trial: _Trial, change: Change) -> None:
    after, verdicts = change.after, trial.verdicts
    steps = [f"{each.type} {_plain(each.value)} ({each.payment_type})" for each in after.modifiers]
    verdicts["tiers"] = Verdict(PASSED, "; ".join(steps) or "none applies")
    held = "not held"
    if after.status is Status.HOLD:
        held = "until a person decides" if after.hold_until is None else f"until {trial.time(after.hold_until)}"
    verdicts["hold"] = Verdict(PASSED, held)
    amounts = f"sum {_plain(after.sum)}, charge {_plain(after.charge)}, payout {_plain(after.payout)} {after.currency}"
    verdicts["amounts"] = Verdict(PASSED, amounts)


def _filled(verdicts: Mapping[str, Verdict]) -> dict[str, Verdict]:
    """A verdict for every step."""
    return {name: verdicts.get(name, Verdict(NOT_ASKED)) for name in STEPS}


def _plain(amount: Decimal) -> str:
    return f"{amount.normalize():f}"
