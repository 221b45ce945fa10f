"""What an edit of an offer would change: the last 30 days, and a sample click. Nothing is written.

docs/spec/offers.md#estimates
"""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.offers import compare_edit
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.click_check import (
    ClickCheck,
    SampleClick,
    check_affiliate,
    check_hit,
    hit_from_click,
    hit_from_sample,
    read_ruleset,
    ruleset_for,
)
from trackyard.analytics.reports.clicks import sample_clicks
from trackyard.decision.click.state import EMPTY_CLICK_STATE
from trackyard.decision.click.steps import decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.conversions.conversions import Conversion, OfferTerms
from trackyard.domain.conversions.sessions import DAY_MS
from trackyard.domain.offers.edits import WrittenFields
from trackyard.domain.offers.estimates import TermsOutcome, is_decided_by_terms, outcome_of, sum_outcomes
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.journal.records import Click
from trackyard.store.conversions import conversions
from trackyard.store.conversions.decisions import get_decision_context
from trackyard.store.engine.database import Connection
from trackyard.store.money import exchange_rates

ESTIMATED_DAYS: Final = 30
MAX_CONVERSIONS: Final = 2000
MAX_CLICKS: Final = 2000
"""Records that an estimate judges at most; of more it judges a part and says so."""


@dataclass(frozen=True, slots=True)
class ConversionEstimate:
    """Conversions by the terms of today, and by changed ones. judged: the newest of `total`."""

    total: int
    judged: int
    before: TermsOutcome
    after: TermsOutcome


@dataclass(frozen=True, slots=True)
class ClickEstimate:
    """Clicks by the rules of today, and by changed ones.

    judged: a sample of `total`.
    gained, lost: clicks that would newly pass, or be rejected. reasons: why clicks are lost, the most frequent first.
    """

    total: int
    judged: int
    passed_before: int
    passed_after: int
    gained: int
    lost: int
    reasons: Mapping[str, int]


def estimate_conversions(deps: Deps, access: Access, offer_id: int, written: WrittenFields) -> ConversionEstimate:
    """Return how an edit would have changed the conversions of an offer. Raises as edit_offer."""
    now = deps.clock.now_ms()

    def terms_of(conn: Connection, _scope: Scope) -> OfferTerms:
        return get_decision_context(conn, [offer_id], [], deps.zone).offers[offer_id]

    today, changed = compare_edit(deps, access, offer_id, written, terms_of)
    with deps.database.read() as conn:
        since = now - ESTIMATED_DAYS * DAY_MS
        found, total = conversions.list_of_offer(conn, scope_of(conn, access), offer_id, since, MAX_CONVERSIONS)
        payments = (*today.payments, *today.personal_payments, *changed.payments, *changed.personal_payments)
        currencies = {payment.currency for payment in payments}
        rates = exchange_rates.get_rates(conn, deps.currency, currencies, since, now)
    judged = [each for each in found if is_decided_by_terms(each)]

    def total_of(terms: OfferTerms, each_of: Iterable[Conversion]) -> TermsOutcome:
        return sum_outcomes(outcome_of(each, terms, rates.at(each.created_at), now) for each in each_of)

    return ConversionEstimate(total, len(found), total_of(today, judged), total_of(changed, judged))


def estimate_clicks(deps: Deps, access: Access, offer_id: int, written: WrittenFields) -> ClickEstimate:
    """Return how an edit would have changed the decisions on the clicks of an offer.

    Raises as edit_offer, and ReportTooHeavy.
    """
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
    period = (now - ESTIMATED_DAYS * DAY_MS, now + 1)
    clicks, total = sample_clicks(deps.analytics, scope, offer_id, period, MAX_CLICKS)
    affiliates = sorted({click.affiliate for click in clicks})

    def ruleset_of(conn: Connection, _scope: Scope) -> Ruleset:
        return read_ruleset(conn, [offer_id], affiliates, caps=False)

    today, changed = compare_edit(deps, access, offer_id, written, ruleset_of)
    visitors = deps.visitors()
    pairs = [(_reason(today, click, visitors), _reason(changed, click, visitors)) for click in clicks]
    lost = Counter(after for before, after in pairs if not before and after)
    return ClickEstimate(
        total,
        len(clicks),
        passed_before=sum(not before for before, _ in pairs),
        passed_after=sum(not after for _, after in pairs),
        gained=sum(bool(before) and not after for before, after in pairs),
        lost=lost.total(),
        reasons=dict(lost.most_common()),
    )


def check_edited_click(
    deps: Deps, access: Access, offer_id: int, written: WrittenFields, sample: SampleClick
) -> ClickCheck:
    """Check a sample click on an offer as an edit would leave it.

    Raises as edit_offer, and BadInput when a manager chooses an affiliate that is missing or out of scope.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)

    def ruleset_of(conn: Connection, _scope: Scope) -> Ruleset:
        return ruleset_for(conn, [offer_id], sample.params.get("pid", ""))

    _, changed = compare_edit(deps, access, offer_id, written, ruleset_of)
    hit = hit_from_sample(deps, sample, changed)
    check_affiliate(scope, hit, "click_params[pid]")
    return check_hit(hit, changed.route_of(hit.params), deps.click_state())


def _reason(ruleset: Ruleset, click: Click, visitors: VisitorLookup) -> str:
    """Return why a ruleset rejects a recorded click, "" when it passes.

    Repeated visitors and caps are left out.
    """
    hit = hit_from_click(ruleset, click, visitors)
    rejection = decide(hit, ruleset.route_of(hit.params), EMPTY_CLICK_STATE).rejection
    return "" if rejection is None else rejection.reason
