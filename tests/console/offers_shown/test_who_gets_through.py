"""Targeting in words."""

from typing import Any

import msgspec
import pytest

from tests.support.api import Api
from trackyard.api.offers.view import OfferView
from trackyard.console.offers_shown.who_gets_through import sentences


def words(api: Api, **params: Any) -> list[str]:
    """The sentences about a new offer."""
    record = api.admin.get(f"/3.1/offer/{api.add_offer(**params)}")["offer"]
    offer = msgspec.convert(record, OfferView, strict=False, str_keys=True)
    return ["".join(part.text for part in sentence) for sentence in sentences(offer, str)]


GROUP = "targeting[0]"
CASES: list[tuple[dict[str, Any], list[str]]] = [
    ({}, ["Every visitor gets through."]),
    (
        {"countries[]": ["GB", "IE"], "strictly_country": 1, "strictly_devices[]": ["mobile", "tablet"]},
        ["Visitors from United Kingdom or Ireland, on phones or tablets."],
    ),
    (
        {"countries[]": ["GB"]},
        [
            "Every visitor gets through.",
            "The offer is meant for United Kingdom. Visitors from elsewhere are not rejected for it.",
        ],
    ),
    (
        {
            "restriction_os[0][os]": "iOS", "restriction_os[0][versions][]": [">=15", "<9"], "uniqIpOnly": 1,
            "strictly_connection_type": "wi-fi", "search_empty_sub": 3,
        },
        [
            "Visitors with iOS 15 or newer or older than 9, over wi-fi, with a value in sub3, "
            "only the first click of an IP address in 24 hours."
        ],
    ),
    (
        {
            f"{GROUP}[country][allow][]": "DE", f"{GROUP}[os][allow][0][name]": "Android",
            f"{GROUP}[os][allow][0][comparison]": "GTE", f"{GROUP}[os][allow][0][version]": "10",
            f"{GROUP}[block_proxy]": 1, f"{GROUP}[isp][allow][DE][]": "Telekom",
        },
        ["Targeting takes visitors from Germany, with Android 10 or newer, of the providers Telekom (Germany), "
         "not through proxies."],
    ),
    (
        {
            f"{GROUP}[condition]": "or", f"{GROUP}[os][allow][0][name]": "iOS", f"{GROUP}[os_deny]": 1,
            f"{GROUP}[zip][allow][]": "10115", f"{GROUP}[device_type][]": "tv", f"{GROUP}[device_type_deny]": 1,
            f"{GROUP}[device_model][deny][]": "Pixel 8", f"{GROUP}[connection][]": "wi-fi",
            f"{GROUP}[connection_deny]": 1, f"{GROUP}[browser_version][allow][0][name]": "Chrome",
            f"{GROUP}[isp_organization][deny_empty]": 1, f"{GROUP}[referrer][deny][]": "spam.example",
            f"{GROUP}[referrer][deny_empty]": 1, f"{GROUP}[ua][allow][]": "Mozilla", f"{GROUP}[ip][ipv6_deny]": 1,
            f"{GROUP}[block_known_bots]": 1, "targeting[1][enabled]": 0, "targeting[1][block_proxy]": 1,
        },
        ["Targeting takes visitors that fit any of these: with the postal codes 10115, not on TVs, without iOS, "
         "with the browsers Chrome, not on the models Pixel 8, not in networks of unknown organizations, "
         "not over wi-fi, not from the IP addresses IPv6, "
         "not with a referrer like spam.example or empty, with a user agent like Mozilla, "
         "no known bots."],
    ),
    (
        {
            "schedule[enabled]": 1, "schedule[timezone]": "Europe/London",
            **{f"schedule[intervals][{day}][0][From]": 10 for day in range(7)},
            **{f"schedule[intervals][{day}][0][To]": 1 for day in range(7)},
        },
        ["Visitors every day 10:00–02:00 (Europe/London)."],
    ),
    (
        {
            "schedule[enabled]": 1, "schedule[timezone]": "UTC",
            **{f"schedule[intervals][{day}][0][From]": 9 for day in range(1, 6)},
            **{f"schedule[intervals][{day}][0][To]": 17 for day in range(1, 6)},
        },
        ["Visitors Monday to Friday 09:00–18:00 (UTC)."],
    ),
]  # fmt: skip


@pytest.mark.parametrize(("params", "expected"), CASES)
def test_conditions_of_an_offer_become_sentences(api: Api, params: dict[str, Any], expected: list[str]) -> None:
    assert words(api, **params) == expected


def test_targeting_of_named_affiliates_is_a_sentence_of_its_own(api: Api) -> None:
    pid, _ = api.add_affiliate()
    params = {f"{GROUP}[affiliate_id][]": pid, f"{GROUP}[country][allow][]": "CA"}
    general = {"targeting[1][country][deny][]": "US", "targeting[1][url]": "https://other.example/"}
    assert words(api, **params) == [
        f"For affiliate {pid} only visitors from Canada.",
        "Targeting does not limit other affiliates.",
    ]
    assert words(api, **params, **general) == [
        f"For affiliate {pid} also visitors from Canada.",
        "For everyone else visitors not from United States. They are led to https://other.example/.",
    ]
