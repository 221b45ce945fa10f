"""The filters of the lists of traffic that few need: "More filters" (docs/spec/console.md#traffic)."""

from collections.abc import Sequence
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.reports_shown.signals import signal_text
from trackyard.console.staff.traffic.filters import TrafficFilter
from trackyard.domain.money.currencies import CODES
from trackyard.domain.statistics.quality.origins import ORIGIN_CHOICES

_SUBS: Final = range(2, 9)
_FIELDS: Final = range(1, 8)
_SIGNALS: Final = {
    "hosting": lazy_gettext("hosting"),
    "vpn": lazy_gettext("VPN"),
    "tor": lazy_gettext("Tor"),
    "bot": lazy_gettext("bot"),
    "relay": lazy_gettext("private relay"),
    "proxy": lazy_gettext("proxy"),
    "prefetch": lazy_gettext("prefetch"),
    "headless": lazy_gettext("headless browser"),
}
"""What people read for a signal."""


def more_of_conversions(currencies: Choices, named: Sequence[str]) -> tuple[TrafficFilter, ...]:
    """Return the filters of conversions that few need.

    currencies: the platform's, () = people type a code. named: codes in the address, which are choices as well.
    """
    subs = (
        TrafficFilter(f"sub{each}", gettext("Sub %(number)s", number=each), f"subid{each}[]", is_more=True)
        for each in _SUBS
    )
    fields = (
        TrafficFilter(
            f"custom{each}", gettext("Custom field %(number)s", number=each), f"custom_field_{each}[]", is_more=True
        )
        for each in _FIELDS
    )
    numbers = {code: str(number) for number, code in CODES.items()}
    others = [code for code in dict.fromkeys(named) if code in numbers and code not in dict(currencies)]
    choices = (*currencies, *((code, code) for code in others)) if currencies else ()
    return (
        TrafficFilter("action", gettext("Action ID"), "action_id[]", is_more=True),
        TrafficFilter("click", gettext("Click ID"), "clickid[]", form="id", is_more=True),
        TrafficFilter("comment", gettext("Words of the comment"), "comment[]", is_more=True),
        TrafficFilter("device", gettext("Device"), "device[]", _devices(), is_more=True),
        TrafficFilter("os", gettext("System"), "os[]", is_more=True),
        TrafficFilter("browser", gettext("Browser"), "browser[]", is_more=True),
        TrafficFilter("currency", gettext("Currency"), "currency[]", choices, sent=numbers, is_more=True),
        TrafficFilter("charge_from", gettext("Charge from"), "revenue_from", form="amount", is_more=True),
        TrafficFilter("charge_to", gettext("Charge up to"), "revenue_to", form="amount", is_more=True),
        TrafficFilter("payout_from", gettext("Payout from"), "payouts_from", form="amount", is_more=True),
        TrafficFilter("payout_to", gettext("Payout up to"), "payouts_to", form="amount", is_more=True),
        TrafficFilter("changed_from", gettext("Changed from"), "update_from_date", form="day", is_more=True),
        TrafficFilter("changed_to", gettext("Changed up to"), "update_to_date", form="day", is_more=True),
        TrafficFilter("smartlink", gettext("ID of the SmartLink"), "smart_id[]", form="id", is_more=True),
        *subs,
        *fields,
    )


def more_of_clicks() -> tuple[TrafficFilter, ...]:
    """Return the filters of clicks that few need."""
    origins = tuple((each, str(_SIGNALS.get(each, signal_text(each)))) for each in ORIGIN_CHOICES)
    return (TrafficFilter("origin", gettext("Signal"), "origin[]", origins, is_more=True),)


def _devices() -> Choices:
    return (("desktop", gettext("Desktop")), ("mobile", gettext("Mobile")), ("tablet", gettext("Tablet")))
