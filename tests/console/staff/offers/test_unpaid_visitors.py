"""Visitors who get through an offer without a payment are named at three places.

docs/spec/offers.md#visitors-without-a-payment
"""

from typing import Any, Final

import pytest

from tests.support.api import Api
from tests.support.pages import staff_visitor

_GERMANY: Final = {"payments[0][total]": "10", "payments[0][revenue]": "7", "payments[0][countries][0]": "DE"}
_UK: Final = "Visitors from United Kingdom get through, but no payment matches."


_ALLOW_TWO: Final = {"targeting[0][country][allow][0]": "DE", "targeting[0][country][allow][1]": "GB"}
_OFFERS: Final[dict[str, tuple[dict[str, str], list[str]]]] = {
    "a payment for everybody": ({"payments[0][total]": "10", "payments[0][revenue]": "7"}, []),
    "targeting as payments": (_GERMANY | {"targeting[0][country][allow][0]": "DE"}, []),
    "a country without a payment": (_GERMANY | _ALLOW_TWO, [_UK]),
    "strictly_country": (_GERMANY | {"countries[0]": "DE", "countries[1]": "GB", "strictly_country": "1"}, [_UK]),
    "countries that restrict nobody": (
        _GERMANY | {"countries[0]": "DE", "strictly_country": "0"},
        ["Visitors from 249 countries, such as Afghanistan, get through, but no payment matches."],
    ),
    "a denied country": (
        {**_GERMANY, "payments[0][country_exclude]": "1", "targeting[0][country][deny][0]": "DE"},
        [],
    ),
    "an excluded country": (
        {**_GERMANY, "payments[0][country_exclude]": "1"},
        ["Visitors from Germany get through, but no payment matches."],
    ),
    "two payments": (
        _GERMANY | _ALLOW_TWO | {"payments[1][total]": "1", "payments[1][countries][0]": "GB"},
        [],
    ),
    "one goal of two": (
        _GERMANY | _ALLOW_TWO | {"payments[1][total]": "1", "payments[1][goal]": "2"},
        ["Visitors from United Kingdom get through, but no payment for goal 1 matches."],
    ),
    "a disabled group": (
        _GERMANY | _ALLOW_TWO | {"targeting[0][enabled]": "0", "countries[0]": "DE", "strictly_country": "1"},
        [],
    ),
    "devices": (
        {
            "payments[0][total]": "1",
            "payments[0][devices][0]": "mobile",
            "targeting[0][device_type][0]": "mobile",
            "targeting[0][device_type][1]": "tablet",
        },
        ["Visitors with the devices tablet get through, but no payment matches."],
    ),
    "systems": (
        {
            "payments[0][total]": "1",
            "payments[0][os][0]": "Android",
            "targeting[0][os][allow][0][name]": "Android",
            "targeting[0][os][allow][1][name]": "iOS",
        },
        ["Visitors with the systems iOS get through, but no payment matches."],
    ),
    "either condition": (
        _GERMANY
        | {
            "targeting[0][condition]": "or",
            "targeting[0][country][allow][0]": "DE",
            "targeting[0][brand][allow][0]": "Apple",
        },
        ["Visitors from 249 countries, such as Afghanistan, get through, but no payment matches."],
    ),
    "places of unknown countries": (_GERMANY | {"targeting[0][city][allow][DE][0]": "2950159"}, []),
    "no payment": ({}, []),
}


def _unpaid(body: dict[str, Any]) -> list[str]:
    return [each for each in body.get("warnings", []) if "get through" in each]


@pytest.mark.parametrize("name", list(_OFFERS))
def test_visitors_without_a_payment_are_named_at_saving_and_reading(api: Api, name: str) -> None:
    fields, expected = _OFFERS[name]
    given = {"title": "Boots", "advertiser": api.add_advertiser(), "url": "https://shop.example/?c={clickid}"}
    made = api.admin.post("/3.0/admin/offer", **given, **fields)
    assert _unpaid(made) == expected
    number = made["offer"]["id"]
    assert _unpaid(api.admin.post(f"/3.0/admin/offer/{number}", title="Winter boots")) == expected
    assert _unpaid(api.admin.get(f"/3.0/offer/{number}")) == expected


def test_own_payments_of_an_affiliate_alone_are_compared_with_its_visitors(api: Api) -> None:
    pid, client = api.add_affiliate()
    own = {
        "partner_payments[0][total]": "1",
        "partner_payments[0][countries][0]": "DE",
        "partner_payments[0][partners][0]": str(pid),
    }
    offer = api.add_offer(**own, **_ALLOW_TWO, privacy="public")
    general = {"payments[0][goal]": "2", "payments[0][total]": "1"}
    assert _unpaid(api.admin.get(f"/3.0/offer/{offer}")) == []
    api.admin.post(f"/3.0/admin/offer/{offer}", **general)
    assert _unpaid(api.admin.get(f"/3.0/offer/{offer}")) == [f"Affiliate {pid}: {_UK[:-16]}payment for goal 1 matches."]
    assert _unpaid(client.get(f"/3.0/offer/{offer}")) == []


def test_groups_of_an_affiliate_admit_what_its_payments_lack(api: Api) -> None:
    pid, _ = api.add_affiliate()
    group = {"targeting[0][country][allow][0]": "DE", "targeting[1][country][allow][0]": "GB"}
    offer = api.add_offer(**_GERMANY, **group, **{"targeting[1][affiliate_id][0]": str(pid)})
    assert _unpaid(api.admin.get(f"/3.0/offer/{offer}")) == [f"Affiliate {pid}: {_UK}"]


def test_page_and_health_of_an_offer_name_visitors_without_a_payment(api: Api) -> None:
    offer = api.add_offer(**_GERMANY, **_ALLOW_TWO)
    page = staff_visitor(api).read(f"/console/offers/{offer}")
    assert page.text.count(_UK) == 1
    findings = api.admin.get(f"/3.1/admin/offer/{offer}/health")["health"]["findings"]
    assert [each["sentence"] for each in findings if each["kind"] == "unpaid_visitors"] == [_UK]
