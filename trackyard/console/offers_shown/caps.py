"""How full the caps of offers are, as meters (docs/spec/statistics.md#cap-statistics)."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.statistics import cap_stats
from trackyard.api.statistics.cap_stats import CapStatsView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.offers_shown.words import joined
from trackyard.wire.local_calls import LocalCalls

NEARLY_FULL: Final = Decimal("0.9")
"""The share from which on a cap is marked."""
_KINDS: Final = {
    "conversions": lazy_gettext("Conversions"),
    "clicks": lazy_gettext("Clicks"),
    "budget": lazy_gettext("Budget"),
}
_PERIODS: Final = {
    "hour": lazy_gettext("this hour"),
    "day": lazy_gettext("today"),
    "week": lazy_gettext("this week"),
    "month": lazy_gettext("this month"),
    "all": lazy_gettext("in all"),
}


@dataclass(frozen=True, slots=True)
class CapMeter:
    """The state of a cap now.

    label: what it counts. text: such as 94 of 100. share: 1 = full. tone: the tone of its colour, "" = none.
    link: the list of the conversions or clicks that fill it, "" = none.
    """

    label: str
    text: str
    share: Decimal
    tone: str
    link: str = ""

    @property
    def width(self) -> str:
        """Return the width of the bar in percent."""
        return f"{min(self.share, Decimal(1)) * 100:.1f}%"


def find_meters(
    calls: LocalCalls[Deps],
    offers: Iterable[int],
    currency: str,
    link_of: Callable[[int, CapStatsView], str] = lambda offer_id, cap: "",
) -> dict[int, list[CapMeter]]:
    """Return the caps of offers by number. Nothing where the person may not see them, or without offers.

    currency: the platform's, of budgets. link_of: returns the list of what fills a cap of an offer, "" = none.
    """
    sent = [("offer_id[]", str(each)) for each in offers]
    if not sent or not calls.may(cap_stats.show):
        return {}
    found = calls.ask(cap_stats.show, sent).stats
    return {each.offer_id: [_meter(cap, currency, link_of(each.offer_id, cap)) for cap in each.stats] for each in found}


def fullest(meters: Sequence[CapMeter]) -> CapMeter | None:
    """Return the fullest cap, None without one."""
    return max(meters, key=lambda meter: meter.share, default=None)


def _meter(cap: CapStatsView, currency: str, link: str) -> CapMeter:
    value, limit = cap.current_value, cap.value
    share = value / limit if limit else Decimal(1)
    if cap.type == "budget":
        text = gettext("%(value)s of %(limit)s", value=shown.money(value, currency), limit=shown.money(limit, currency))
    else:
        text = gettext("%(value)s of %(limit)s", value=shown.number(value), limit=shown.number(limit))
    return CapMeter(_label(cap), text, share, _tone(share), link)


def _tone(share: Decimal) -> str:
    if share >= 1:
        return "full"
    return "near" if share >= NEARLY_FULL else ""


def _label(cap: CapStatsView) -> str:
    """Return the label of a cap, such as "Conversions today, affiliates 3 and 7, each country"."""
    affiliates, countries, goals = [str(each) for each in cap.affiliates], cap.countries, cap.goals
    sides = [
        _side(
            cap.affiliate_type,
            affiliates,
            gettext("each affiliate"),
            ngettext("affiliate %(named)s", "affiliates %(named)s", len(affiliates), named=joined(affiliates)),
        ),
        _side(
            cap.country_type,
            countries,
            gettext("each country"),
            ngettext("country %(named)s", "countries %(named)s", len(countries), named=joined(countries)),
        ),
        _side(
            cap.goal_type,
            goals,
            gettext("each goal"),
            ngettext("goal %(named)s", "goals %(named)s", len(goals), named=joined(goals)),
        ),
    ]
    counted = f"{_KINDS.get(cap.type, cap.type)} {_PERIODS.get(cap.timeframe, cap.timeframe)}"
    return ", ".join([counted, *(side for side in sides if side)])


def _side(kind: str, values: Sequence[str], each: str, named: str) -> str:
    """Return the affiliates, countries or goals of a cap.

    each: the words for one by one. named: the words for the values.
    """
    if not values:
        return each if kind == "each" else ""
    return named
