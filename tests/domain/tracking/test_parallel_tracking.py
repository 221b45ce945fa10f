"""The filled parallel_tracking_url of a recorded click."""

from zoneinfo import ZoneInfo

import msgspec
import pytest

from tests.support.clicks.inbound_postbacks import AT, make_click
from trackyard.decision.target.templates import CLICK_MACROS
from trackyard.domain.tracking.parallel_tracking import parallel_url

CLICK = make_click(
    3, 7, "a" * 24, time=AT, id="6ab1c0000100000000000a0b", city="Köln", language="de", referrer="http://from.example/",
    os_version="14", device_model="Pixel 8", browser="Chrome", user_id="u", fbclid="f", ios_idfa="i", android_id="a",
    **{name: f"{name} &" for name in ("ref_id", "os_id", "ext1", "ext2", "ext3")},
    **{f"sub{number}": f"s{number}" for number in range(1, 9)},
)  # fmt: skip
VALUES = {
    "clickid": CLICK.id,
    "click_id": CLICK.id,
    "pid": "7",
    "offer_id": "3",
    **{f"sub{number}": f"s{number}" for number in range(1, 9)},
    "ip": "198.51.100.7",
    "geo": "DE",
    "city": "K%C3%B6ln",
    "referrer": "http%3A%2F%2Ffrom.example%2F",
    "device_ua": "Mozilla%2F5.0",
    "os": "Android",
    "os_version": "14",
    "device_model": "Pixel%208",
    "browser": "Chrome",
    "language": "de",
    "rand": str(0xA0B),
    "time": str(AT // 1000),
    "date_only": "2026-09-22",  # 14:13 UTC is past midnight there
    "deeplink": "",
    "offer_name": "Shoes%20%26%20more",
    "affiliate_name": "Ann",
    "advertiser_id": "a" * 24,
    **{name: f"{name}%20%26" for name in ("ref_id", "os_id", "ext1", "ext2", "ext3")},
    "user_id": "u",
    "ios_idfa": "i",
    "android_id": "a",
    "fbclid": "f",
}


@pytest.mark.parametrize(("macro", "value"), [*VALUES.items(), ("unknown", "{unknown}")])
def test_parallel_tracking_url_macros_are_filled(macro: str, value: str) -> None:
    zone = ZoneInfo("Pacific/Auckland")
    click = msgspec.structs.asdict(CLICK)
    url = parallel_url(f"http://a/?x={{{macro}}}", click, zone, offer_title="Shoes & more", affiliate_name="Ann")
    assert url == f"http://a/?x={value}"
    encoded = f"http://a/?x=%7b{macro}%7D"
    wanted = encoded if macro == "unknown" else url
    assert parallel_url(encoded, click, zone, offer_title="Shoes & more", affiliate_name="Ann") == wanted


def test_parallel_tracking_macros_equal_click_macros() -> None:
    assert VALUES.keys() == CLICK_MACROS
