"""Every macro: name, meaning, places, and the column of clicks that holds its value.

docs/spec/tracking.md#macros, docs/spec/postbacks.md#macros. URLs of parallel tracking have the macros of offers' URLs,
pixels those of postbacks. Each place adds the values of macros without a column.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

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
    Macro("clickid", "ID of the click", _BOTH, "id"),
    Macro("click_id", "ID of the click", _OFFER, "id"),
    Macro("transactionid", "ID of the conversion", _POSTBACK),
    Macro("action_id", "Advertiser's ID of the conversion", _POSTBACK),
    Macro("offer_id", "Number of the offer", _BOTH, "offer"),
    Macro("offerid", "Number of the offer", _POSTBACK, "offer"),
    Macro("offer_name", "Title of the offer", _BOTH),
    Macro("pid", "Number of the affiliate", _BOTH, "affiliate"),
    Macro("affiliate_name", "Name of the affiliate", _OFFER),
    Macro("advertiser_id", "ID of the advertiser", _OFFER, "advertiser"),
    Macro("status", "Number of the conversion's status", _POSTBACK),
    Macro("status_name", "Name of the conversion's status", _POSTBACK),
    Macro("sum", "Payout of the conversion", _POSTBACK),
    Macro("order_sum", "Sum of the order", _POSTBACK),
    Macro("currency", "Currency of the conversion", _POSTBACK),
    Macro("goal", "Value of the goal", _POSTBACK),
    Macro("goal_name", "Title of the goal", _POSTBACK),
    Macro("comment", "Comment of the conversion", _POSTBACK),
    Macro("ip", "Visitor's address", _BOTH, "ip"),
    Macro("geo", "Visitor's country, ISO code", _BOTH, "country"),
    Macro("city", "Visitor's city", _BOTH, "city"),
    Macro("referrer", "Page that the visitor came from", _BOTH, "referrer"),
    Macro("device_ua", "Visitor's User-Agent", _OFFER, "ua"),
    Macro("uagent", "Visitor's User-Agent", _POSTBACK, "ua"),
    Macro("device_type", "Kind of device: mobile, desktop, …", _POSTBACK, "device"),
    Macro("device_model", "Model of the device", _OFFER, "device_model"),
    Macro("os", "Operating system", _BOTH, "os"),
    Macro("os_version", "Version of the operating system", _OFFER, "os_version"),
    Macro("browser", "Browser", _OFFER, "browser"),
    Macro("language", "Language of the browser", _OFFER, "language"),
    *(
        Macro(name, f"Parameter {name} of the click", _BOTH, name)
        for name in (*SUBS, "ext1", "ext2", "ext3", "ref_id", "os_id", "user_id")
    ),
    *(Macro(name, f"Parameter {name} of the click", _OFFER, name) for name in ("ios_idfa", "android_id", "fbclid")),
    *(Macro(f"custom_field{n}", f"Custom field {n} of the conversion", _POSTBACK) for n in range(1, 8)),
    *(Macro(f"custom_field_{n}", f"Custom field {n} of the conversion", _POSTBACK) for n in range(1, 8)),
    Macro("time", "Unix seconds of the click, or of the conversion", _BOTH),
    Macro("timestamp", "Unix seconds of the conversion", _POSTBACK),
    Macro("date", "Date and time of the conversion", _POSTBACK),
    Macro("date_only", "Date of the click, or of the conversion", _BOTH),
    Macro("click_date", "Date and time of the click", _POSTBACK),
    Macro("rand", "Random number", _BOTH),
    Macro("deeplink", "Page that the link names", _OFFER),
)


def macro_names(place: MacroPlace) -> frozenset[str]:
    """Return the names of the macros that a place allows."""
    return frozenset(macro.name for macro in MACROS if place in macro.places)


def macro_columns(place: MacroPlace) -> Mapping[str, str]:
    """Return the columns of clicks that hold the values of a place's macros, by macro."""
    return {macro.name: macro.column for macro in MACROS if macro.column and place in macro.places}
