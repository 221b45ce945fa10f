"""What rules found, in words: for mails, pages and findings."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Any, Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.domain.statistics.automation.rules import RuleAction

METRIC_NAMES: Final[Mapping[str, str]] = {
    "clicks": lazy_gettext("clicks"),
    "unique_clicks": lazy_gettext("unique clicks"),
    "marked_clicks": lazy_gettext("clicks with a suspicious signal"),
    "marked_share": lazy_gettext("share of clicks with a suspicious signal in percent"),
    "rejected_clicks": lazy_gettext("rejected clicks"),
    "rejected_share": lazy_gettext("share of rejected clicks in percent"),
    "conversions": lazy_gettext("conversions"),
    "confirmed": lazy_gettext("confirmed conversions"),
    "declined": lazy_gettext("declined conversions"),
    "declined_share": lazy_gettext("share of declined conversions in percent"),
    "cr": lazy_gettext("CR in percent"),
    "charge": lazy_gettext("charge"),
    "payout": lazy_gettext("payout"),
    "margin": lazy_gettext("margin"),
    "epc": lazy_gettext("EPC"),
    "goal_share": lazy_gettext("second goal per first goal in percent"),
}
"""Metrics of rules in words."""
ACTION_NAMES: Final[Mapping[RuleAction, str]] = {
    RuleAction.NOTIFY: lazy_gettext("notify only"),
    RuleAction.BLOCK_SUB: lazy_gettext("block the sub"),
    RuleAction.DISCONNECT: lazy_gettext("disconnect the affiliate"),
    RuleAction.OFFER_STATUS: lazy_gettext("set the status of the offer"),
    RuleAction.CONVERSION_STATUS: lazy_gettext("set the status of conversions"),
}
"""Actions of rules in words."""
SLICE_NAMES: Final[Mapping[str, str]] = {
    "offer": lazy_gettext("offer"),
    "affiliate": lazy_gettext("affiliate"),
    "advertiser": lazy_gettext("advertiser"),
    "country": lazy_gettext("country"),
}
"""Slices of rules in words; subs are named by themselves."""


def element_words(element: Mapping[str, Any]) -> str:
    """Return a firing's element in words, such as "offer 3, sub1 abc"."""
    if not element:
        return gettext("the whole network")
    return ", ".join(f"{SLICE_NAMES.get(name, name)} {value}" for name, value in element.items())


def reading_words(readings: Iterable[Mapping[str, Any]]) -> str:
    """Return the metrics of a firing, each with the bound that it is beyond."""
    return "; ".join(map(_reading_words, readings))


def _reading_words(reading: Mapping[str, Any]) -> str:
    values = {
        "metric": METRIC_NAMES[reading["metric"]],
        "value": number_words(reading["value"]),
        "bound": number_words(reading["bound"]),
    }
    if reading["usual"] is not None:
        usual = number_words(reading["usual"])
        return gettext("%(metric)s: %(value)s, usually %(usual)s", usual=usual, **values)
    if reading["below"]:
        return gettext("%(metric)s: %(value)s, below %(bound)s", **values)
    return gettext("%(metric)s: %(value)s, above %(bound)s", **values)


def number_words(text: str) -> str:
    """Return a number without zeros at its end."""
    value = Decimal(text)
    return f"{value.normalize():f}" if value else "0"
