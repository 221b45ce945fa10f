"""What an offer's parallel_tracking_url becomes for a recorded click (docs/spec/postbacks.md#urls-of-offers)."""

from collections.abc import Mapping
from typing import Any, Final
from zoneinfo import ZoneInfo

from trackyard.base.zones import local_day
from trackyard.domain.tracking.macros import cached_template
from trackyard.domain.tracking.subs import SUBS


def parallel_url(url: str, click: Mapping[str, Any], zone: ZoneInfo, *, offer_title: str, affiliate_name: str) -> str:
    """The URL to call: every macro of offers' URLs replaced by what the click's record says, by column name.
    {date_only} in the platform's `zone`; {deeplink}, which no record has, is empty."""
    return cached_template(url).fill(
        {
            **{macro: str(click[column]) for macro, column in _FROM_RECORD.items()},
            # As at the edge: the last digits of a click id are random already.
            "rand": str(int(click["id"][-8:], 16)),
            "time": str(click["time"] // 1000),
            "date_only": local_day(click["time"], zone).isoformat(),
            "deeplink": "",
            "offer_name": offer_title,
            "affiliate_name": affiliate_name,
        }
    )


_FROM_RECORD: Final = {
    "clickid": "id",
    "click_id": "id",
    "pid": "affiliate",
    "offer_id": "offer",
    "geo": "country",
    "device_ua": "ua",
    "advertiser_id": "advertiser",
    **{
        name: name
        for name in (
            *("ip", "city", "referrer", "os", "os_version", "device_model", "browser", "language"),
            *("ref_id", "os_id", "ext1", "ext2", "ext3", "user_id", "ios_idfa", "android_id", "fbclid"),
            *SUBS,
        )
    },
}
