"""Fills an offer's parallel_tracking_url for a recorded click (docs/spec/postbacks.md#urls-of-offers)."""

from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import local_day
from trackyard.domain.tracking.macro_registry import MacroPlace, macro_columns, macro_names
from trackyard.domain.tracking.macros import cached_template, with_braces


def parallel_url(url: str, click: Mapping[str, Any], zone: ZoneInfo, *, offer_title: str, affiliate_name: str) -> str:
    """Return the URL with the macros of offers' URLs replaced by values of the click's record.

    {date_only} is in the platform's `zone`; {deeplink} is empty, since no record has it.
    """
    return cached_template(with_braces(url, _NAMES)).fill(
        {
            **{macro: str(click[column]) for macro, column in _COLUMNS.items()},
            # As at the edge: the last digits of a click id are random already.
            "rand": str(int(click["id"][-8:], 16)),
            "time": str(click["time"] // 1000),
            "date_only": local_day(click["time"], zone).isoformat(),
            "deeplink": "",
            "offer_name": offer_title,
            "affiliate_name": affiliate_name,
        }
    )


_COLUMNS: Final = macro_columns(MacroPlace.OFFER_URL)
_NAMES: Final = macro_names(MacroPlace.OFFER_URL)
