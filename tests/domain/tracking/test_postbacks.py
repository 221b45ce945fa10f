"""Triggered postbacks and their URLs."""

from dataclasses import replace
from decimal import Decimal
from urllib.parse import unquote
from zoneinfo import ZoneInfo

import pytest

from tests.domain.conversions.test_conversions import AT, CLICK, make_conversion
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.tracking.postbacks import Postback, fill_url, matching_postbacks
from trackyard.domain.tracking.sample_conversion import sample_conversion


def postback(
    number: int, *, offer: int | None = 3, affiliate: int = 7, status: str | None = None, goal: str | None = None
) -> Postback:
    return Postback(number, affiliate, offer, "https://a.example/", status, goal)


NEW = ConversionChange(None, make_conversion(), "call:x")
CHANGED = ConversionChange(make_conversion(status="2"), replace(make_conversion(), version=2), "call:x")


@pytest.mark.parametrize(
    ("postbacks", "change", "called"),
    [
        ([], NEW, []),
        ([postback(1)], NEW, [1]),
        ([postback(1), postback(2)], NEW, [1, 2]),
        ([postback(1, affiliate=8)], NEW, []),
        ([postback(1, offer=4)], NEW, []),
        ([postback(1, status="confirmed")], NEW, [1]),
        ([postback(1, status="pending")], NEW, []),
        ([postback(1, goal="1")], NEW, [1]),
        ([postback(1, goal="2")], NEW, []),
        ([postback(1, status="by_creating")], NEW, [1]),
        ([postback(1, status="by_creating")], CHANGED, []),
        ([postback(1)], CHANGED, [1]),
        ([postback(1, offer=None)], NEW, [1]),
        ([postback(1, offer=None), postback(2)], NEW, [2]),
        ([postback(1, offer=None), postback(2, status="declined")], NEW, []),  # it has one for the offer
        ([postback(1, offer=None), postback(2, offer=4)], NEW, [1]),
        ([postback(1, offer=None), postback(2, affiliate=8)], NEW, [1]),
    ],
)
def test_postbacks_are_selected_by_change(
    postbacks: list[Postback], change: ConversionChange, called: list[int]
) -> None:
    assert [item.id for item in matching_postbacks(postbacks, change)] == called


def moved(before: Status | None, after: Status) -> ConversionChange:
    """Return a change: a new conversion with a status, or the change of one to it."""
    stored = None if before is None else replace(make_conversion(), status=before)
    return ConversionChange(stored, replace(make_conversion(), version=2, status=after), "call:x")


@pytest.mark.parametrize("status", ["declined", "not_found"])
@pytest.mark.parametrize(
    ("before", "after", "is_called"),
    [
        (None, Status.DECLINED, True),
        (None, Status.NOT_FOUND, True),
        (Status.PENDING, Status.DECLINED, True),
        (Status.PENDING, Status.NOT_FOUND, True),
        (Status.DECLINED, Status.NOT_FOUND, False),  # 3.1 shows declined before and after
        (Status.NOT_FOUND, Status.DECLINED, False),
        (Status.DECLINED, Status.CONFIRMED, False),
        (None, Status.CONFIRMED, False),
        (None, Status.HOLD, False),
    ],
)
def test_postback_for_declined_or_not_found_is_sent_for_both(
    status: str, before: Status | None, after: Status, is_called: bool
) -> None:
    called = matching_postbacks([postback(1, status=status)], moved(before, after))
    assert [item.id for item in called] == ([1] if is_called else [])


def test_postback_without_status_is_sent_for_each_change() -> None:
    assert len(matching_postbacks([postback(1)], moved(Status.DECLINED, Status.NOT_FOUND))) == 1


VALUES = {
    "clickid": "6" * 24,
    "transactionid": "d" * 24,
    "action_id": "o%2F1",
    "offerid": "3",
    "offer_id": "3",
    "offer_name": "Shoes%20%26%20more",
    "pid": "7",
    "status": "5",
    "status_name": "hold",
    "sum": "0.25",
    "order_sum": "100",
    "currency": "USD",
    "goal": "1",
    "goal_name": "Sale",
    "ip": "198.51.100.7",
    "geo": "DE",
    "city": "K%C3%B6ln",
    "os": "Android",
    "device_type": "mobile",
    "uagent": "UA%2F1",
    "referrer": "https%3A%2F%2Fr.example%2F",
    "sub1": "a%20b",
    **{f"sub{number}": f"s{number}" for number in range(2, 9)},
    **{f"custom_field{number}": f"x{number}" for number in range(1, 8)},
    **{f"custom_field_{number}": f"x{number}" for number in range(1, 8)},
    "date": "2026-09-21%2019%3A58%3A20",
    "date_only": "2026-09-21",
    "click_date": "2026-09-21%2019%3A57%3A20",
    "time": "1790000000",
    "timestamp": "1790000000",
    "comment": "c",
    "ref_id": "r",
    "os_id": "o",
    "ext1": "e1",
    "ext2": "e2",
    "ext3": "e3",
    "user_id": "u",
    "promo_code": "SUMMER",
    "rand": "42",
    "unknown": "{unknown}",
}


@pytest.mark.parametrize("name", VALUES)
def test_postback_url_macros_are_filled(name: str) -> None:
    click = CLICK | {
        "ip": "198.51.100.7",
        "city": "Köln",
        "ua": "UA/1",
        "referrer": "https://r.example/",
        "sub1": "a b",
        **{f"sub{number}": f"s{number}" for number in range(2, 9)},
        "ref_id": "r",
        "os_id": "o",
        "ext1": "e1",
        "ext2": "e2",
        "ext3": "e3",
    }
    conversion = replace(
        make_conversion(
            action_id="o/1",
            comment="c",
            user_id="u",
            **{f"custom_field{number}": f"x{number}" for number in range(1, 8)},
        ),
        click=click,
        status=Status.HOLD,
        payout=Decimal("0.2500"),
        sum=Decimal("100.0000"),
        promo_code="SUMMER",
    )
    assert conversion.created_at == AT
    zone = ZoneInfo("Asia/Kathmandu")
    filled = f"http://a/?x={VALUES[name]}"
    assert fill_url(f"http://a/?x={{{name}}}", conversion, "Shoes & more", zone, "42") == filled
    encoded = f"http://a/?x=%7B{name.upper()}%7d"
    wanted = encoded if name == "unknown" else filled
    assert fill_url(encoded, conversion, "Shoes & more", zone, "42") == wanted


def test_postback_dates_use_platform_zone_across_midnight_and_dst() -> None:
    late = 1_698_537_600_000  # 2023-10-29 00:00 UTC: 02:00 of the longer day in Berlin, still summer time
    sample = sample_conversion(affiliate_id=7, offer_id=3, status=Status.HOLD, goal="1", currency="USD", now_ms=late)
    conversion = replace(sample, click_time=late - 3 * 3_600_000)
    url = "{date}|{date_only}|{click_date}|{time}"
    berlin, new_york = ZoneInfo("Europe/Berlin"), ZoneInfo("America/New_York")
    in_berlin = "2023-10-29 02:00:00|2023-10-29|2023-10-28 23:00:00|1698537600"
    in_new_york = "2023-10-28 20:00:00|2023-10-28|2023-10-28 17:00:00|1698537600"
    assert unquote(fill_url(url, conversion, "", berlin, "")) == in_berlin
    assert unquote(fill_url(url, conversion, "", new_york, "")) == in_new_york
