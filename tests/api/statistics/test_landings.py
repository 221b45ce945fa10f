"""Reports by landing and transit pages (docs/spec/statistics.md#keys-and-names)."""

import csv
import io
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks

PERIOD = {"filter[date_from]": "2023-11-01", "filter[date_to]": "2023-11-30"}


def pages(*titles: str) -> dict[str, str]:
    """Return the parameters of the pages of an offer; the last one is a transit page."""
    sent = {}
    for place, title in enumerate(titles):
        sent |= {f"landings[{place}][title]": title, f"landings[{place}][url]": f"https://{title}.example/"}
        sent[f"landings[{place}][url_preview]"] = f"https://{title}.example/preview"
        sent[f"landings[{place}][type]"] = "landing" if place + 1 < len(titles) else "transit"
    return sent


@pytest.fixture
def two_offers(api: Api) -> tuple[int, int]:
    """Return two offers with pages of the same numbers, with clicks and conversions on them."""
    first = api.add_offer(privacy="public", **pages("summer", "winter", "quiz"))
    second = api.add_offer(privacy="public", **pages("autumn", "game"))
    visits = [
        *((first, {"landing": 1}), (first, {"landing": 1}), (first, {"landing": 2}), (first, {"prelanding": 3})),
        *((second, {"landing": 1}), (second, {}), (second, {"landing": 8})),
    ]
    for number, (offer, visited) in enumerate(visits, start=1):
        load_clicks(api.deps, [new_click(number, offer=offer, **visited)])
    for number, (offer, visited) in enumerate(visits[:1] + visits[3:5], start=1):
        add_conversion(api.deps, number, offer_id=offer, affiliate_id=1, click=visited)
    return first, second


def brief(row: dict[str, Any], name: str) -> tuple[Any, ...]:
    return row["slice"]["offer"]["id"], row["slice"][name], row["traffic"]["raw"], row["actions"]["total"]["count"]


def test_report_by_landing_has_a_row_for_each_page_of_each_offer(api: Api, two_offers: tuple[int, int]) -> None:
    first, second = two_offers
    rows = api.admin.get("/3.0/stats/getbylanding", **PERIOD)["stats"]
    assert [brief(row, "landing") for row in rows] == [
        *((first, "0", "1", 1), (second, "0", "1", 0), (first, "1", "2", 1), (second, "1", "1", 1)),
        *((first, "2", "1", 0), (second, "8", "1", 0)),
    ]
    shown = [row["landings_info"] for row in rows]
    info = {"url": "https://summer.example/", "preview_url": "https://summer.example/preview", "title": "summer"}
    assert shown[0] == {} and shown[2] == {"1": info}
    assert [each["title"] for info in shown for each in info.values()] == ["summer", "autumn", "winter"]
    assert (rows[2]["ratio"], rows[2]["epc"]) == ("1:2", rows[2]["actions"]["confirmed"]["payouts"] / 2)


def test_report_by_prelanding_counts_conversions_of_transit_pages(api: Api, two_offers: tuple[int, int]) -> None:
    first, second = two_offers
    rows = api.admin.get("/3.0/stats/getbyprelanding", **PERIOD)["stats"]
    assert [brief(row, "prelanding") for row in rows] == [(first, 0, "3", 1), (second, 0, "3", 1), (first, 3, "1", 1)]
    assert rows[-1]["landings_info"]["3"]["title"] == "quiz"


def test_custom_report_by_pages_is_filtered_ordered_and_a_file(api: Api, two_offers: tuple[int, int]) -> None:
    asked = PERIOD | {"slice[]": ["landing", "prelanding"], "filter[offer]": two_offers[0], "order[]": ["landing"]}
    rows = api.admin.get("/3.1/stats/custom", **asked, orderType="desc")["stats"]
    assert [(row["slice"]["landing"], row["slice"]["prelanding"]) for row in rows] == [
        *(("2", 0), ("1", 0), ("0", 3)),
    ]
    file = api.admin.call("GET", "/3.1/stats/custom", params=asked | {"format": "csv"}).content.decode("utf-8-sig")
    found = list(csv.DictReader(io.StringIO(file)))
    assert [(row["landing"], row["prelanding"], row["offer.id"]) for row in found] == [
        *(("0", "3", str(two_offers[0])), ("1", "0", str(two_offers[0])), ("2", "0", str(two_offers[0]))),
    ]


def test_affiliate_without_slices_by_offer_has_no_report_by_page(api: Api) -> None:
    pid, client = api.add_affiliate()
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][slice-offer_id][level]": "deny"})
    refused = client.refusal("GET", "/3.1/stats/getbylanding", params=PERIOD)
    assert refused == (403, "stats.slice-offer_id")
