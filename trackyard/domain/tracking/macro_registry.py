"""Every macro: name, meaning, places, and the column of clicks that holds its value.

docs/spec/tracking.md#macros, docs/spec/postbacks.md#macros. URLs of parallel tracking have the same macros as offer
URLs, and pixels the same as postbacks. Each place adds the values of macros without a column.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from trackyard.domain.statistics.click_columns import COLUMNS, Source
from trackyard.domain.tracking.subs import SUBS


class MacroPlace(Enum):
    """Where a macro is allowed."""

    OFFER_URL = "URLs of offers"
    POSTBACK = "postbacks"


_OFFER: Final = (MacroPlace.OFFER_URL,)
_POSTBACK: Final = (MacroPlace.POSTBACK,)
_BOTH: Final = _OFFER + _POSTBACK


@dataclass(frozen=True, slots=True)
class Macro:
    """A macro of URLs. column: of the click's record; "" when no column is its value."""

    name: str
    meaning: str
    places: tuple[MacroPlace, ...]
    column: str = ""


MACROS: Final[tuple[Macro, ...]] = (
    Macro("clickid", "ID of the click, 24 hexadecimal digits, which a postback sends again", _BOTH, "id"),
    Macro("click_id", "The same as {clickid}", _OFFER, "id"),
    Macro("transactionid", "ID of the conversion, 24 hexadecimal digits", _POSTBACK),
    Macro("action_id", "Advertiser's own number of the order, empty when it sent none", _POSTBACK),
    Macro("offer_id", "Number of the offer, such as 17", _BOTH, "offer"),
    Macro("offerid", "The same as {offer_id}", _POSTBACK, "offer"),
    Macro("offer_name", "Title of the offer", _BOTH),
    Macro("pid", "Number of the affiliate, such as 5", _BOTH, "affiliate"),
    Macro("affiliate_name", "Name of the affiliate, empty without one; never a login or an e-mail address", _OFFER),
    Macro("advertiser_id", "Identifier of the advertiser, 24 hexadecimal digits", _OFFER, "advertiser"),
    Macro(
        "status",
        "Number of the conversion's status: 1 confirmed, 2 pending, 3 declined, 4 not found, 5 hold",
        _POSTBACK,
    ),
    Macro("status_name", "Name of the status: confirmed, pending, declined, not_found or hold", _POSTBACK),
    Macro("sum", "Payout of the conversion, such as 7 or 7.25", _POSTBACK),
    Macro("order_sum", "Amount that the advertiser reported as `sum`, 0 when it sent none", _POSTBACK),
    Macro("currency", "Currency of the payout, three letters of ISO 4217", _POSTBACK),
    Macro("goal", "Value of the goal that was reached, 1 when the advertiser sent none", _POSTBACK),
    Macro("goal_name", "Title of the payment, else the value of the goal", _POSTBACK),
    Macro("comment", "Remark of the advertiser; of a declined conversion the reason", _POSTBACK),
    Macro("ip", "IP address of the visitor, IPv4 or IPv6", _BOTH, "ip"),
    Macro("geo", "Visitor's country, two letters of ISO 3166-1, empty when unknown", _BOTH, "country"),
    Macro("city", "Visitor's city by name, empty without a database of cities", _BOTH, "city"),
    Macro("referrer", "Page that the visitor came from", _BOTH, "referrer"),
    Macro("device_ua", "User agent of the visitor's browser", _OFFER, "ua"),
    Macro("uagent", "User agent of the visitor's browser", _POSTBACK, "ua"),
    Macro(
        "device_type",
        "Type of the visitor's device: mobile, tablet, desktop, mediahub, ereader, console, tv or smartwatch",
        _POSTBACK,
        "device",
    ),
    Macro("device_model", "Model of the visitor's device, such as iPhone", _OFFER, "device_model"),
    Macro("os", "Visitor's operating system, such as Android", _BOTH, "os"),
    Macro("os_version", "Version of the operating system, such as 14", _OFFER, "os_version"),
    Macro("browser", "Visitor's browser, such as Chrome Mobile", _OFFER, "browser"),
    Macro("language", "First language of the visitor's browser, such as en", _OFFER, "language"),
    *(
        Macro(name, f"Value of `{name}` in the link", _BOTH, name)
        for name in (*SUBS, "ext1", "ext2", "ext3", "ref_id", "os_id")
    ),
    *(Macro(name, f"Value of `{name}` in the link", _OFFER, name) for name in ("ios_idfa", "android_id", "fbclid")),
    *(
        Macro(f"custom_field{n}", f"Value that the postback of the advertiser sent as `custom_field{n}`", _POSTBACK)
        for n in range(1, 8)
    ),
    *(Macro(f"custom_field_{n}", f"The same as {{custom_field{n}}}", _POSTBACK) for n in range(1, 8)),
    Macro("promo_code", "Promo code that made the conversion, empty when a click did", _POSTBACK),
    Macro("user_id", "Value of `user_id` in the link; in postbacks the conversion's", _BOTH, "user_id"),
    Macro("time", "Unix seconds of the click, in postbacks of the conversion", _BOTH),
    Macro("timestamp", "Unix seconds of the conversion", _POSTBACK),
    Macro("date", "Day and time of the conversion, `YYYY-MM-DD HH:MM:SS`", _POSTBACK),
    Macro("date_only", "Day of the click, in postbacks of the conversion, `YYYY-MM-DD`", _BOTH),
    Macro("click_date", "Day and time of the click, `YYYY-MM-DD HH:MM:SS`", _POSTBACK),
    Macro("rand", "Random whole number, against caches", _BOTH),
    Macro("deeplink", "Deep link of the visitor: `redirect`, else `path`", _OFFER),
)


def macro_names(place: MacroPlace) -> frozenset[str]:
    """Return the macros that a place allows."""
    return frozenset(macro.name for macro in MACROS if place in macro.places)


def macro_columns(place: MacroPlace) -> Mapping[str, str]:
    """Return the columns of clicks that hold the values of a place's macros, by macro."""
    return {macro.name: macro.column for macro in MACROS if macro.column and place in macro.places}


def parameter_macros(place: MacroPlace) -> tuple[str, ...]:
    """Return the macros of a place that have the value of the parameter of the same name in the link."""
    own = (
        (macro.name, COLUMNS[macro.column]) for macro in MACROS if place in macro.places and macro.column == macro.name
    )
    return tuple(name for name, column in own if column.source is Source.PARAMETER)
