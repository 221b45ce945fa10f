"""What the changes of a form would have done in the last 30 days (docs/spec/offers.md#estimates)."""

from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.offers import estimates
from trackyard.base.errors import RequestError
from trackyard.console.forms import AnyForm
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.traffic.reasons import rejection_label
from trackyard.wire.endpoint import A, Endpoint

_TERMS: Final = frozenset(
    ("payments", "partner_payments", "click_session", "minimal_click_session", "hold_period", "quality")
)
"""The fields and lists of which conversions are judged."""
_RULES: Final = frozenset(
    (
        *("targeting", "consider_personal_targeting_only", "countries", "strictly_country", "strictly_devices"),
        *("strictly_connection_type", "strictly_brands", "search_empty_sub", "restriction_os", "restriction_isp"),
        *("sub_account_1", "sub_account_1_except", "sub_account_2", "sub_account_2_except", "sub_restrictions"),
        *("schedule[enabled]", "schedule[timezone]", "schedule[date_start]", "schedule[date_to]"),
        *("schedule[intervals]", "start_at", "stopDate", "status", "privacy"),
    )
)
"""The fields and lists of which clicks are judged."""


@dataclass(frozen=True, slots=True)
class LostClicks:
    """Clicks that a change would have rejected, and why in words."""

    reason: str
    clicks: int


@dataclass(frozen=True, slots=True)
class Effect:
    """The effect of changes.

    conversions, clicks: estimates as the API answers them; None where the changes do not touch them.
    lost: the reasons of clicks that would be rejected. left_out: labels of changes that nothing estimates.
    faults: why an estimate is missing.
    """

    conversions: estimates.ConversionEstimateView | None
    clicks: estimates.ClickEstimateView | None
    lost: tuple[LostClicks, ...]
    left_out: tuple[str, ...]
    faults: tuple[str, ...]


def find_effect(request: PageRequest, form: AnyForm, offer: int) -> Effect | None:
    """Return the effect of the changes of a form; None before the person asked what changes."""
    if not form.shows_changes:
        return None
    changed = {change.part for change in form.changes}
    faults: list[str] = []
    estimated: set[str] = set()

    def estimate(method: Endpoint[Deps, A], judged: frozenset[str]) -> A | None:
        if not changed & judged or not request.calls.may(method):
            return None
        try:
            answer = request.calls.ask(method, form.pairs, {"id": str(offer)})
        except RequestError as refusal:
            faults.append(refusal.text)
            return None
        estimated.update(judged)
        return answer

    conversions = estimate(estimates.of_conversions, _TERMS)
    clicks = estimate(estimates.of_clicks, _RULES)
    left_out = tuple(dict.fromkeys(each.label for each in form.changes if each.part not in estimated))
    lost = clicks.estimate.lost_by_reason if clicks else ()
    return Effect(
        conversions.estimate if conversions else None,
        clicks.estimate if clicks else None,
        tuple(LostClicks(rejection_label(each.reason), each.clicks) for each in lost),
        left_out,
        tuple(faults),
    )
