"""What the changes of a form would have done in the last 30 days (docs/spec/offers.md#estimates)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from trackyard.api.offers import estimates as estimates_api
from trackyard.base.errors import RequestError
from trackyard.console.forms import PageForm
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.traffic.reasons import rejection_label

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
_ESTIMATES: Final = (
    ("conversions", estimates_api.of_conversions, _TERMS),
    ("clicks", estimates_api.of_clicks, _RULES),
)


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

    conversions: Mapping[str, Any] | None
    clicks: Mapping[str, Any] | None
    lost: tuple[LostClicks, ...]
    left_out: tuple[str, ...]
    faults: tuple[str, ...]


def find_effect(request: PageRequest, form: PageForm[Any], offer: int) -> Effect | None:
    """Return the effect of the changes of a form; None before the person asked what changes."""
    if not form.shows_changes:
        return None
    faults: list[str] = []
    changed = {change.part: change.label for change in form.changes}
    estimates: dict[str, Mapping[str, Any] | None] = {}
    estimated: set[str] = set()
    for kind, method, parts in _ESTIMATES:
        estimates[kind] = None
        if changed.keys() & parts and request.calls.may(method):
            try:
                answer = request.calls.call(method, form.pairs, {"id": str(offer)})
                estimates[kind] = answer["estimate"]
                estimated |= parts
            except RequestError as refusal:
                faults.append(refusal.text)
    left_out = tuple(dict.fromkeys(each.label for each in form.changes if each.part not in estimated))
    return Effect(estimates["conversions"], estimates["clicks"], _lost(estimates["clicks"]), left_out, tuple(faults))


def _lost(clicks: Mapping[str, Any] | None) -> tuple[LostClicks, ...]:
    if clicks is None:
        return ()
    return tuple(LostClicks(rejection_label(each["reason"]), each["clicks"]) for each in clicks["lost_by_reason"])
