"""The decision on a click: one test per reason, named for it, and their order."""

from typing import Any

import pytest

from tests.decision.clicks import HOME, NOW, PHONE, Remembered, a_hit, reason, refusal
from tests.support.rules import ADVERTISER, HASH
from trackyard.decision.click.steps import STEPS, decide, would_pass
from trackyard.decision.visitor.visitor import Agent, Place
from trackyard.domain.offers.offers import (
    Interval,
    Places,
    RestrictedIsp,
    RestrictedOs,
    Schedule,
    Sides,
    SubAccount,
    SubSides,
    TargetingGroup,
)
from trackyard.domain.tracking.rejections import REASONS, Refused
from trackyard.domain.tracking.ruleset import Advertiser, Affiliate, ClickCap, FullCap, FullCaps, Platform

CAP = ClickCap(id="e" * 24, period="day", value=1)


@pytest.mark.parametrize("offer_id", ["", "x3", "-3", "３", HASH.upper(), "x" * 2000])
def test_invalid_offer(offer_id: str) -> None:
    assert refusal(a_hit({"offer_id": offer_id})) == Refused("invalid-offer", offer_id[:64])


@pytest.mark.parametrize("offer_id", ["4", "9" * 2000, "d" * 24, "0" * 23 + "3"])
def test_unknown_offer(offer_id: str) -> None:
    assert refusal(a_hit({"offer_id": offer_id})) == Refused("unknown-offer", offer_id[:64])


@pytest.mark.parametrize("pid", ["", "7.0", "bob"])
def test_invalid_affiliate(pid: str) -> None:
    assert refusal(a_hit({"pid": pid})) == Refused("invalid-affiliate", pid)


def test_unknown_affiliate() -> None:
    assert refusal(a_hit({"pid": "8"})) == Refused("unknown-affiliate", "8")
    assert refusal(a_hit(affiliate=None)) == Refused("unknown-affiliate", "7")


@pytest.mark.parametrize(
    ("offer", "detail"),
    [
        ({"active": False}, "not active"),
        ({"start_at": NOW + 1}, "before start_at"),
        ({"stop_at": NOW}, "after stop_at"),
    ],
)
def test_inactive_offer(offer: dict[str, Any], detail: str) -> None:
    assert refusal(a_hit(offer=offer)) == Refused("inactive-offer", detail)


@pytest.mark.parametrize(
    ("schedule", "platform", "taken"),
    [
        # NOW is Tuesday 22:13 in UTC, Wednesday 00:13 in Tallinn, Tuesday 17:13 in New York.
        (Schedule(date_start="2023-11-15"), "UTC", False),
        (Schedule(date_start="2023-11-15"), "Europe/Tallinn", True),
        (Schedule(date_start="2023-11-15", timezone="America/New_York"), "Europe/Tallinn", False),
        (Schedule(date_to="2023-11-14"), "Europe/Tallinn", False),
        (Schedule(date_to="2023-11-14"), "UTC", True),
        (Schedule(enabled=True, intervals=(Interval(day_of_week=2, start=22, end=22),)), "UTC", True),
        (Schedule(enabled=True, intervals=(Interval(day_of_week=2, start=22, end=22),)), "Europe/Tallinn", False),
        (Schedule(enabled=True, intervals=(Interval(day_of_week=2, start=23, end=1),)), "Europe/Tallinn", True),
        (Schedule(enabled=True, intervals=(Interval(day_of_week=2, start=23, end=1),)), "UTC", False),
        (Schedule(enabled=False, intervals=(Interval(day_of_week=2, start=23, end=1),)), "UTC", True),
    ],
)
def test_inactive_offer_by_its_schedule(schedule: Schedule, platform: str, taken: bool) -> None:
    hit = a_hit(restrictions={"schedule": schedule}, platform=Platform(timezone=platform))
    assert refusal(hit) == (None if taken else Refused("inactive-offer", "outside the schedule"))


def test_a_schedule_follows_the_time_and_the_platforms_zone() -> None:
    tuesday = Schedule(enabled=True, intervals=(Interval(day_of_week=2, start=0, end=23),))
    hit = a_hit(restrictions={"schedule": tuesday})
    hour = 3_600_000
    open_at = []
    for hit.time_ms in range(NOW - 24 * hour, NOW + 24 * hour, hour // 2):
        open_at += [hit.time_ms] if decide(hit) is None else []
    midnight = 1_699_920_000_000  # 2023-11-14 in UTC
    assert all(midnight <= at < midnight + 24 * hour for at in open_at) and len(open_at) == 48
    hit.time_ms = NOW
    assert decide(hit) is None
    hit.rules.platform = Platform(timezone="Europe/Tallinn")
    assert refusal(hit) == Refused("inactive-offer", "outside the schedule")


def test_inactive_affiliate() -> None:
    assert refusal(a_hit(affiliate=Affiliate(id=7, active=False))) == Refused("inactive-affiliate")


def test_unknown_advertiser() -> None:
    assert refusal(a_hit(advertiser=None)) == Refused("unknown-advertiser", ADVERTISER)


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        ({"offer": {"open": False}}, "not connected"),
        ({"offer": {"open": False}, "connected": (1, 6, 8)}, "not connected"),
        ({"offer": {"open": False}, "disconnected": (6, 8)}, "not connected"),
        ({"disconnected": (1, 7, 9)}, "disconnected"),
        (
            {"advertiser": Advertiser(id=ADVERTISER, blacklist=frozenset({7})), "connected": (7,)},
            "blacklisted by the advertiser",
        ),
    ],
)
def test_disabled_affiliate(changed: dict[str, Any], detail: str) -> None:
    assert refusal(a_hit(**changed)) == Refused("disabled-affiliate", detail)


def test_bot() -> None:
    assert refusal(a_hit(bot=True)) == Refused("bot", "a bot or a prefetch")
    assert refusal(a_hit(bot=True, platform=Platform(refuse_bots=False))) is None


@pytest.mark.parametrize(
    ("addresses", "detail"),
    [
        (Sides(allow=("192.0.2.8", "198.51.100.0/24")), "group 1: address 192.0.2.9 is not allowed"),
        (Sides(deny=("192.0.2.0/255.255.255.0",)), "group 1: address 192.0.2.9 is denied"),
        (Sides(allow=("192.0.2.9",), deny=("192.0.2.1 - 192.0.2.20",)), "group 1: address 192.0.2.9 is denied"),
        (Sides(deny=("192.0.2.9",)), "group 1: address 192.0.2.9 is denied"),
        (Sides(allow=("2001:db8::/32",)), "group 1: address 192.0.2.9 is not allowed"),
    ],
)
def test_mistargeting_ip(addresses: Sides, detail: str) -> None:
    assert refusal(a_hit(restrictions=_group(ip=addresses))) == Refused("mistargeting-ip", detail)


def _group(**properties: Any) -> dict[str, Any]:
    return {"groups": (TargetingGroup(**properties),)}


@pytest.mark.parametrize(
    ("restrictions", "place", "detail"),
    [
        ({"countries": ("LV", "LT")}, HOME, "country EE is not allowed"),
        ({"countries": ("LV", "LT")}, Place(), "country (unknown) is not allowed"),
        (_group(country=Sides(allow=("LV",))), HOME, "group 1: country EE is not allowed"),
        (_group(country=Sides(allow=("EE",), deny=("EE",))), HOME, "group 1: country EE is denied"),
    ],
)
def test_mistargeting_country(restrictions: dict[str, Any], place: Place, detail: str) -> None:
    assert refusal(a_hit(restrictions=restrictions, place=place)) == Refused("mistargeting-country", detail)


@pytest.mark.parametrize(
    ("sides", "place", "detail"),
    [
        (Places(allow={"EE": (1, 2)}), HOME, "group 1: region 588335 is not allowed"),
        (Places(allow={"EE": (1, 2)}), Place("EE"), "group 1: region (unknown) is not allowed"),
        (Places(allow={"EE": (588335,)}, deny={"EE": (588335,)}), HOME, "group 1: region 588335 is denied"),
        (Places(allow={"LV": (), "FI": (9,)}), HOME, "group 1: region 588335 is not allowed"),
    ],
)
def test_mistargeting_region(sides: Places, place: Place, detail: str) -> None:
    hit = a_hit(restrictions=_group(region=sides), place=place)
    assert refusal(hit) == Refused("mistargeting-region", detail)


@pytest.mark.parametrize(
    ("sides", "place", "detail"),
    [
        (Places(allow={"EE": (1, 2)}), HOME, "group 1: city Tallinn is not allowed"),
        (Places(allow={"EE": (1, 2)}), Place("EE"), "group 1: city (unknown) is not allowed"),
        (Places(deny={"EE": (588409,)}), Place("EE", city_id=588409), "group 1: city 588409 is denied"),
    ],
)
def test_mistargeting_city(sides: Places, place: Place, detail: str) -> None:
    hit = a_hit(restrictions=_group(city=sides), place=place)
    assert refusal(hit) == Refused("mistargeting-city", detail)


@pytest.mark.parametrize(
    ("restrictions", "place", "detail"),
    [
        ({"isps": (RestrictedIsp(country="EE", name="Elisa"),)}, HOME, "provider Telia Eesti AS is not allowed"),
        ({"isps": (RestrictedIsp(country="", name="Elisa"),)}, Place("EE"), "provider (unknown) is not allowed"),
        (
            {"isps": (RestrictedIsp(country="LV", name="Telia Eesti AS"),)},
            HOME,
            "provider Telia Eesti AS is not allowed",
        ),
        (_group(isp={"EE": ("Elisa",)}), HOME, "group 1: provider Telia Eesti AS is not allowed"),
    ],
)
def test_mistargeting_isp(restrictions: dict[str, Any], place: Place, detail: str) -> None:
    assert refusal(a_hit(restrictions=restrictions, place=place)) == Refused("mistargeting-isp", detail)


@pytest.mark.parametrize(
    ("restrictions", "agent", "detail"),
    [
        ({"os": (RestrictedOs(os="iOS"),)}, PHONE, "system Android is not allowed"),
        ({"os": (RestrictedOs(os="iOS"),)}, Agent(), "system (unknown) is not allowed"),
        ({"os": (RestrictedOs(os="Android", versions=("12", ">=14")),)}, PHONE, "system Android 13 is not allowed"),
        ({"os": (RestrictedOs(os="Android", versions=("<13",)),)}, PHONE, "system Android 13 is not allowed"),
        (
            {"os": (RestrictedOs(os="Android", versions=("13",)),)},
            Agent("Android"),
            "system Android (unknown version) is not allowed",
        ),
    ],
)
def test_mistargeting_os(restrictions: dict[str, Any], agent: Agent, detail: str) -> None:
    assert refusal(a_hit(restrictions=restrictions, agent=agent)) == Refused("mistargeting-os", detail)


@pytest.mark.parametrize(
    ("restrictions", "agent", "detail"),
    [
        ({"devices": ("tablet", "desktop")}, PHONE, "device mobile is not allowed"),
        ({"devices": ("tablet",)}, Agent(), "device (unknown) is not allowed"),
        (_group(device_type=("tv", "smartwatch")), PHONE, "group 1: device mobile is not allowed"),
    ],
)
def test_mistargeting_device(restrictions: dict[str, Any], agent: Agent, detail: str) -> None:
    assert refusal(a_hit(restrictions=restrictions, agent=agent)) == Refused("mistargeting-device", detail)


@pytest.mark.parametrize(
    ("sides", "agent", "detail"),
    [
        (Sides(allow=("Firefox",)), PHONE, "group 1: browser Chrome Mobile is not allowed"),
        (Sides(allow=("Firefox",)), Agent(), "group 1: browser (unknown) is not allowed"),
        (Sides(deny=("chrome mobile",)), PHONE, "group 1: browser Chrome Mobile is denied"),
        (Sides(deny=("B" * 80,)), Agent(browser="B" * 80), "group 1: browser " + "B" * 47),
    ],
)
def test_mistargeting_browser(sides: Sides, agent: Agent, detail: str) -> None:
    hit = a_hit(restrictions=_group(browser=sides), agent=agent)
    assert refusal(hit) == Refused("mistargeting-browser", detail)


@pytest.mark.parametrize(
    ("restrictions", "detail"),
    [
        ({"brands": ("Apple", "Nokia")}, "brand Samsung is not allowed"),
        (_group(brand=Sides(deny=("SAMSUNG",))), "group 1: brand Samsung is denied"),
    ],
)
def test_mistargeting_brand(restrictions: dict[str, Any], detail: str) -> None:
    assert refusal(a_hit(restrictions=restrictions)) == Refused("mistargeting-brand", detail)


@pytest.mark.parametrize(
    ("restrictions", "place", "detail"),
    [
        ({"connection": "cellular"}, HOME, "connection wi-fi is not allowed"),
        ({"connection": "cellular"}, Place("EE"), "connection (unknown) is not allowed"),
        (_group(connection=("cellular",)), HOME, "group 1: connection wi-fi is not allowed"),
    ],
)
def test_mistargeting_connection(restrictions: dict[str, Any], place: Place, detail: str) -> None:
    assert refusal(a_hit(restrictions=restrictions, place=place)) == Refused("mistargeting-connection", detail)


def test_mistargeting_proxy() -> None:
    hit = a_hit(restrictions=_group(block_proxy=True), place=Place("EE", proxy=True))
    assert refusal(hit) == Refused("mistargeting-proxy", "group 1: address 192.0.2.9 is a proxy")
    assert refusal(a_hit(restrictions=_group(block_proxy=False), place=Place("EE", proxy=True))) is None


@pytest.mark.parametrize(
    ("restrictions", "detail"),
    [
        ({"subs": ({"sub1": "a", "sub2": "b"},)}, "denied together: sub1 a, sub2 b"),
        ({"subs": ({"sub3": "x"}, {"sub1": "a", "sub3": ""})}, "denied together: sub1 a, sub3 (empty)"),
        (_group(sub=SubSides(allow={1: ("A", "c")})), "group 1: sub1 a is not allowed"),
        (_group(sub=SubSides(allow={1: ("a",), 3: ("c",)})), "group 1: sub3 (empty) is not allowed"),
        (_group(sub=SubSides(deny={2: ("b", "c")})), "group 1: sub2 b is denied"),
        (_group(sub=SubSides(allow={1: ("a",)}, deny={1: ("a",)})), "group 1: sub1 a is denied"),
        (_group(sub=SubSides(deny_groups=({1: "a", 2: "b"},))), "group 1: denied together: sub1 a, sub2 b"),
        (_group(sub=SubSides(deny_groups=({1: "x"}, {8: ""}))), "group 1: denied together: sub8 (empty)"),
    ],
)
def test_mistargeting_sub(restrictions: dict[str, Any], detail: str) -> None:
    assert refusal(a_hit({"sub1": "a", "sub2": "b"}, restrictions=restrictions)) == Refused("mistargeting-sub", detail)


@pytest.mark.parametrize(
    ("offer", "advertiser", "detail"),
    [
        ({"1": SubAccount(values=("b", "c"))}, {}, "offer: sub1 a is not allowed"),
        ({"1": SubAccount(values=("a", "c"), exclude=True)}, {}, "offer: sub1 a is denied"),
        ({"1": SubAccount(values=("a",)), "2": SubAccount(values=("x",))}, {}, "offer: sub2 (empty) is not allowed"),
        ({}, {"1": SubAccount(values=("b", "c"))}, "advertiser: sub1 a is not allowed"),
        (
            {"1": SubAccount(values=("a",))},
            {"1": SubAccount(values=("a",), exclude=True)},
            "advertiser: sub1 a is denied",
        ),
        ({"1": SubAccount(values=("b",))}, {"1": SubAccount(values=("c",))}, "offer: sub1 a is not allowed"),
    ],
)
def test_mistargeting_sub_account(offer: Any, advertiser: Any, detail: str) -> None:
    hit = a_hit(
        {"sub1": "a"},
        restrictions={"sub_accounts": offer},
        advertiser=Advertiser(id=ADVERTISER, sub_accounts=advertiser),
    )
    assert refusal(hit) == Refused("mistargeting-sub-account", detail)


def test_empty_sub() -> None:
    for given in ({}, {"sub3": ""}, {"sub1": "x"}):
        assert refusal(a_hit(given, restrictions={"empty_sub": 3})) == Refused("empty-sub", "sub3 is empty")
    assert refusal(a_hit({"sub3": "x"}, restrictions={"empty_sub": 3})) is None


def test_non_unique_clicks() -> None:
    hit = a_hit(restrictions={"unique_only": True}, seen=Remembered(new=False))
    assert refusal(hit) == Refused("non-unique-clicks", "the visitor was seen")
    assert refusal(a_hit(restrictions={"unique_only": True})) is None


def test_non_unique_clicks_are_asked_of_offers_that_want_it() -> None:
    seen = Remembered(new=False)
    assert decide(a_hit(restrictions={"empty_sub": 1}, params={"sub1": "x"}, seen=seen)) is None
    assert seen.asked == []


def test_overcap_of_clicks() -> None:
    hit = a_hit(offer={"click_caps": (CAP,)}, seen=Remembered(full=CAP.id))
    assert refusal(hit) == Refused("overcap", f"cap {CAP.id} is reached")
    assert refusal(a_hit(offer={"click_caps": (CAP,)})) is None
    assert refusal(a_hit(seen=Remembered(full=CAP.id))) is None


@pytest.mark.parametrize(
    ("cap", "full"),
    [
        (FullCap("f1"), True),
        (FullCap("f1", until=NOW + 1), True),
        (FullCap("f1", until=NOW), False),
        (FullCap("f1", affiliates=(6, 7)), True),
        (FullCap("f1", affiliates=(6, 8)), False),
        (FullCap("f1", countries=("EE", "LV")), True),
        (FullCap("f1", countries=("LV",)), False),
        (FullCap("f1", affiliates=(7,), countries=("LV",)), False),
    ],
)
def test_overcap_of_conversions(cap: FullCap, full: bool) -> None:
    hit = a_hit(rows=(FullCaps(3, (FullCap("f0", until=1), cap)),))
    assert refusal(hit) == (Refused("overcap", "cap f1 is reached") if full else None)
    assert would_pass(hit) is not full


def test_nothing_is_counted_for_a_click_that_is_refused_before() -> None:
    seen = Remembered()
    refused: list[dict[str, Any]] = [
        {"offer": {"active": False, "click_caps": (CAP,)}},
        {"bot": True, "offer": {"click_caps": (CAP,)}},
        {"restrictions": {"countries": ("LV",), "unique_only": True}, "offer": {"click_caps": (CAP,)}},
        {"restrictions": {"empty_sub": 1, "unique_only": True}, "offer": {"click_caps": (CAP,)}},
    ]
    for changed in refused:
        assert decide(a_hit(seen=seen, **changed)) is not None
    assert seen.asked == []
    full = (FullCaps(3, (FullCap("f1"),)),)
    hit = a_hit(seen=seen, rows=full, restrictions={"unique_only": True}, offer={"click_caps": (CAP,)})
    assert decide(hit) is not None
    assert seen.asked == ["is_new"]


@pytest.mark.parametrize(
    ("params", "changed"),
    [
        ({}, {}),
        ({"offer_id": HASH}, {}),
        ({"offer_id": "003", "pid": "07"}, {}),
        ({"offer_id": "0" * 23 + "9"}, {"offer": {"hash": "0" * 23 + "9"}}),
        ({}, {"offer": {"start_at": NOW, "stop_at": NOW + 1}}),
        ({}, {"offer": {"open": False}, "connected": (1, 7, 9)}),
        ({}, {"disconnected": (6, 8)}),
        ({}, {"advertiser": Advertiser(id=ADVERTISER, blacklist=frozenset({8}))}),
        ({}, {"restrictions": _group(ip=Sides(allow=("192.0.2.1-192.0.2.20", "10.0.0.1"), deny=("192.0.2.8",)))}),
        ({}, {"restrictions": _group(ip=Sides(allow=("2001:db8::/32",))), "ip": "2001:db8::9"}),
        ({}, {"restrictions": {"countries": ("LV", "EE")}}),
        ({}, {"restrictions": {"isps": (RestrictedIsp(country="", name="telia eesti as"),)}}),
        ({}, {"restrictions": {"isps": (RestrictedIsp(country="EE", name="Telia Eesti AS"),)}}),
        ({}, {"restrictions": {"os": (RestrictedOs(os="android"), RestrictedOs(os="iOS"))}}),
        ({}, {"restrictions": {"os": (RestrictedOs(os="Android", versions=("12", ">=13.0")),)}}),
        ({}, {"restrictions": {"os": (RestrictedOs(os="Android", versions=("<13.0.1",)),)}}),
        ({}, {"restrictions": {"devices": ("tablet", "mobile"), "brands": ("samsung",), "connection": "wi-fi"}}),
        ({"sub1": "a"}, {"restrictions": {"subs": ({"sub1": "a", "sub2": "b"}, {"sub1": "A"})}}),
        ({"sub1": "a"}, {"restrictions": {"sub_accounts": {"1": SubAccount(values=("a", "b"))}}}),
        ({}, {"restrictions": {"sub_accounts": {"1": SubAccount(values=("a", "b"), exclude=True)}}}),
        ({}, {"restrictions": _group(country=Sides(deny=("LV",)), browser=Sides(deny=("x",))), "place": Place()}),
        ({}, {"restrictions": _group(region=Places(deny={"EE": (1,)})), "place": Place("EE")}),
        ({}, {"restrictions": _group(region=Places(allow={"EE": (), "LV": (1,)}))}),
        ({}, {"restrictions": _group(region=Places(allow={"EE": ()}))}),
        ({}, {"restrictions": _group(city=Places(allow={"EE": (588409,)}))}),
        ({}, {"restrictions": _group(isp={"EE": (), "LV": ("x",)})}),
    ],
)
def test_a_click_passes(params: dict[str, str], changed: dict[str, Any]) -> None:
    assert refusal(a_hit(params, **changed)) is None


def test_the_order_is_that_of_the_specification() -> None:
    assert tuple(step.name for step in STEPS) == REASONS
    assert " ".join(REASONS) == (
        "invalid-offer unknown-offer invalid-affiliate unknown-affiliate inactive-offer inactive-affiliate "
        "unknown-advertiser disabled-affiliate bot mistargeting-ip mistargeting-country mistargeting-region "
        "mistargeting-city mistargeting-isp mistargeting-os mistargeting-device mistargeting-browser "
        "mistargeting-brand mistargeting-connection mistargeting-proxy mistargeting-sub mistargeting-sub-account "
        "empty-sub non-unique-clicks overcap"
    )


_OWN: dict[str, dict[str, Any]] = {
    "inactive-offer": {"schedule": Schedule(date_to="2020-01-01")},
    "mistargeting-country": {"countries": ("LV",)},
    "mistargeting-isp": {"isps": (RestrictedIsp(country="EE", name="Elisa"),)},
    "mistargeting-os": {"os": (RestrictedOs(os="iOS"),)},
    "mistargeting-device": {"devices": ("tv",)},
    "mistargeting-brand": {"brands": ("Apple",)},
    "mistargeting-connection": {"connection": "cellular"},
    "mistargeting-sub": {"subs": ({"sub1": ""},)},
    "mistargeting-sub-account": {"sub_accounts": {"1": SubAccount(values=("a",))}},
    "empty-sub": {"empty_sub": 2},
    "non-unique-clicks": {"unique_only": True},
}
_OF_GROUP: dict[str, dict[str, Any]] = {
    "mistargeting-ip": {"ip": Sides(deny=("192.0.2.9",))},
    "mistargeting-region": {"region": Places(allow={"EE": (1,)})},
    "mistargeting-city": {"city": Places(allow={"EE": (1,)})},
    "mistargeting-browser": {"browser": Sides(allow=("Firefox",))},
    "mistargeting-proxy": {"block_proxy": True},
}


def test_of_all_that_is_wrong_the_first_is_told() -> None:
    """A click with which everything is wrong, put right bit by bit, is refused for each reason in its turn."""
    told = []
    for right in range(len(REASONS) + 1):
        wrong = REASONS[right:]
        asked = "x" if "invalid-offer" in wrong else "4" if "unknown-offer" in wrong else "3"
        pid = "x" if "invalid-affiliate" in wrong else "8" if "unknown-affiliate" in wrong else "7"
        group = {name: value for name in wrong for name, value in _OF_GROUP.get(name, {}).items()}
        hit = a_hit(
            {"offer_id": asked, "pid": pid},
            affiliate=Affiliate(id=7, active="inactive-affiliate" not in wrong),
            advertiser=None if "unknown-advertiser" in wrong else Advertiser(id=ADVERTISER),
            offer={"open": "disabled-affiliate" not in wrong},
            rows=(FullCaps(3, (FullCap("f1"),) if "overcap" in wrong else ()),),
            bot="bot" in wrong,
            restrictions={name: value for reason in wrong for name, value in _OWN.get(reason, {}).items()}
            | {"groups": (TargetingGroup(**group),)},
            place=Place("EE", 588335, 588409, "Tallinn", "Telia", "wi-fi", True),
            seen=Remembered(new=False),
        )
        told.append(reason(hit))
    assert told == [*REASONS, ""]


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"restrictions": {"countries": ("LV",)}},
        {"restrictions": {"empty_sub": 1}},
        {"restrictions": {"unique_only": True}},
        {"offer": {"click_caps": (CAP,)}},
        {"rows": (FullCaps(3, (FullCap("f1"),)),)},
        {"advertiser": Advertiser(id=ADVERTISER, sub_accounts={"1": SubAccount(values=("b",))})},
    ],
)
@pytest.mark.parametrize("seen", [Remembered(), Remembered(new=False, full=CAP.id)])
def test_a_bot_goes_where_a_visitor_would_have_gone(changed: dict[str, Any], seen: Remembered) -> None:
    hit = a_hit(bot=True, seen=seen, **changed)
    seen.asked.clear()
    assert decide(hit) == Refused("bot", "a bot or a prefetch")
    assert seen.asked == []
    assert would_pass(hit) is (decide(a_hit(seen=seen, **changed)) is None)


def test_a_bot_that_names_no_offer_would_not_pass() -> None:
    assert not would_pass(a_hit({"offer_id": "4"}, bot=True))
