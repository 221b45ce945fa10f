"""The decision on a click: one test per reason, named for it, and their order."""

from typing import Any

import pytest

from tests.decision.clicks import GOOD, NOW, FakeClickState, build_hit, find_rejection, make_hit
from tests.support.clicks.rules import ADVERTISER, HASH
from trackyard.decision.visitor.geo import GeoRecord
from trackyard.decision.visitor.visitor import Agent
from trackyard.domain.offers.offers import (
    AgentLists,
    AllowDeny,
    AllowDenyGeo,
    AllowDenySubs,
    BrowserVersions,
    Interval,
    OfferSchedule,
    OrganizationLists,
    OsVersion,
    RestrictedIsp,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
    TextLists,
)
from trackyard.domain.tracking.rejections import Rejection
from trackyard.domain.tracking.ruleset import (
    ClickCap,
    FullCap,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetFullCaps,
    RulesetPlatform,
)

CAP = ClickCap(id="e" * 24, period="day", value=1)


@pytest.mark.parametrize("offer_id", ["", "x3", "-3", "３", HASH.upper(), "x" * 2000])
def test_step_invalid_offer_rejects_malformed_id(offer_id: str) -> None:
    assert find_rejection(make_hit({"offer_id": offer_id})) == Rejection("invalid-offer", offer_id[:64])


@pytest.mark.parametrize("offer_id", ["4", "9" * 2000, "d" * 24, "0" * 23 + "3"])
def test_step_unknown_offer_rejects_missing_id(offer_id: str) -> None:
    assert find_rejection(make_hit({"offer_id": offer_id})) == Rejection("unknown-offer", offer_id[:64])


@pytest.mark.parametrize("pid", ["", "7.0", "bob"])
def test_step_invalid_affiliate_rejects_malformed_id(pid: str) -> None:
    assert find_rejection(make_hit({"pid": pid})) == Rejection("invalid-affiliate", pid)


def test_step_unknown_affiliate_rejects_missing_id() -> None:
    assert find_rejection(make_hit({"pid": "8"})) == Rejection("unknown-affiliate", "8")
    assert find_rejection(make_hit(affiliate=None)) == Rejection("unknown-affiliate", "7")


@pytest.mark.parametrize(
    ("offer", "detail"),
    [
        ({"active": False}, "not active"),
        ({"start_at": NOW + 1}, "before start_at"),
        ({"stop_at": NOW}, "after stop_at"),
    ],
)
def test_step_inactive_offer_rejects_click(offer: dict[str, Any], detail: str) -> None:
    assert find_rejection(make_hit(offer=offer)) == Rejection("inactive-offer", detail)


@pytest.mark.parametrize(
    ("schedule", "platform", "taken"),
    [
        # NOW is Tuesday 22:13 in UTC, Wednesday 00:13 in Tallinn, Tuesday 17:13 in New York.
        (OfferSchedule(date_start="2023-11-15"), "UTC", False),
        (OfferSchedule(date_start="2023-11-15"), "Europe/Tallinn", True),
        (OfferSchedule(date_start="2023-11-15", timezone="America/New_York"), "Europe/Tallinn", False),
        (OfferSchedule(date_to="2023-11-14"), "Europe/Tallinn", False),
        (OfferSchedule(date_to="2023-11-14"), "UTC", True),
        (OfferSchedule(enabled=True, intervals=(Interval(day_of_week=2, start=22, end=22),)), "UTC", True),
        (OfferSchedule(enabled=True, intervals=(Interval(day_of_week=2, start=22, end=22),)), "Europe/Tallinn", False),
        (OfferSchedule(enabled=True, intervals=(Interval(day_of_week=2, start=23, end=1),)), "Europe/Tallinn", True),
        (OfferSchedule(enabled=True, intervals=(Interval(day_of_week=2, start=23, end=1),)), "UTC", False),
        (OfferSchedule(enabled=False, intervals=(Interval(day_of_week=2, start=23, end=1),)), "UTC", True),
    ],
)
def test_step_inactive_offer_rejects_click_outside_schedule(
    schedule: OfferSchedule, platform: str, taken: bool
) -> None:
    hit = make_hit(restrictions={"schedule": schedule}, platform=RulesetPlatform(timezone=platform))
    assert find_rejection(hit) == (None if taken else Rejection("inactive-offer", "outside the schedule"))


def test_step_inactive_offer_schedule_follows_time_and_platform_zone() -> None:
    tuesday = OfferSchedule(enabled=True, intervals=(Interval(day_of_week=2, start=0, end=23),))
    click = make_hit(restrictions={"schedule": tuesday})
    hour = 3_600_000

    def is_open(now: int, zone: str = "UTC") -> bool:
        click.ruleset.platform = RulesetPlatform(timezone=zone)
        return click._replace(hit=build_hit(click.ruleset, GOOD, now=now)).decide() is None

    open_at = [now for now in range(NOW - 24 * hour, NOW + 24 * hour, hour // 2) if is_open(now)]
    midnight = 1_699_920_000_000  # 2023-11-14 in UTC
    assert all(midnight <= at < midnight + 24 * hour for at in open_at) and len(open_at) == 48
    assert is_open(NOW)
    assert not is_open(NOW, "Europe/Tallinn")


def test_step_inactive_affiliate_rejects_click() -> None:
    assert find_rejection(make_hit(affiliate=RulesetAffiliate(id=7, rejection="inactive-affiliate"))) == Rejection(
        "inactive-affiliate"
    )


def test_step_unknown_advertiser_rejects_click() -> None:
    assert find_rejection(make_hit(advertiser=None)) == Rejection("unknown-advertiser", ADVERTISER)


@pytest.mark.parametrize(
    ("changed", "detail"),
    [
        ({"offer": {"open": False}}, "not connected"),
        ({"offer": {"open": False}, "connected": (1, 6, 8)}, "not connected"),
        ({"offer": {"open": False}, "disconnected": (6, 8)}, "not connected"),
        ({"disconnected": (1, 7, 9)}, "disconnected"),
        (
            {"advertiser": RulesetAdvertiser(id=ADVERTISER, blacklist=frozenset({7})), "connected": (7,)},
            "blacklisted by the advertiser",
        ),
        (
            {"advertiser": RulesetAdvertiser(id=ADVERTISER, enabled=frozenset({8})), "connected": (7,)},
            "not enabled by the advertiser",
        ),
    ],
)
def test_step_disabled_affiliate_rejects_click(changed: dict[str, Any], detail: str) -> None:
    assert find_rejection(make_hit(**changed)) == Rejection("disabled-affiliate", detail)


def test_step_bot_rejects_click_unless_switched_off() -> None:
    assert find_rejection(make_hit(bot=True)) == Rejection("bot", "a bot or a prefetch")
    assert find_rejection(make_hit(bot=True, platform=RulesetPlatform(refuse_bots=False))) is None


def _group(**properties: Any) -> dict[str, Any]:
    return {"groups": (TargetingGroup(**properties),)}


NOWHERE = {"place": GeoRecord()}
SOMEWHERE = {"place": GeoRecord("EE")}
UNKNOWN = {"agent": Agent()}
IN_ZIP = {"place": GeoRecord("EE", zip="10111", organization="ACME")}
CRAWLER = {"agent": Agent(device="bot")}
NEWS = {"referrer": "https://news.example/a"}
MISTARGETED: dict[str, list[tuple[dict[str, Any], dict[str, Any], str]]] = {
    "ip": [
        (
            _group(ip=AllowDeny(allow=("192.0.2.8", "198.51.100.0/24"))),
            {},
            "group 1: IP address 192.0.2.9 is not allowed",
        ),
        (_group(ip=AllowDeny(deny=("192.0.2.0/255.255.255.0",))), {}, "group 1: IP address 192.0.2.9 is denied"),
        (
            _group(ip=AllowDeny(allow=("192.0.2.9",), deny=("192.0.2.1 - 192.0.2.20",))),
            {},
            "group 1: IP address 192.0.2.9 is denied",
        ),
        (_group(ip=AllowDeny(deny=("192.0.2.9",))), {}, "group 1: IP address 192.0.2.9 is denied"),
        (_group(ip=AllowDeny(allow=("2001:db8::/32",))), {}, "group 1: IP address 192.0.2.9 is not allowed"),
    ],
    "country": [
        ({"countries": ("LV", "LT")}, {}, "country EE is not allowed"),
        ({"countries": ("LV", "LT")}, NOWHERE, "country (unknown) is not allowed"),
        (_group(country=AllowDeny(allow=("LV",))), {}, "group 1: country EE is not allowed"),
        (_group(country=AllowDeny(allow=("EE",), deny=("EE",))), {}, "group 1: country EE is denied"),
    ],
    "region": [
        (_group(region=AllowDenyGeo(allow={"EE": (1, 2)})), {}, "group 1: region 588335 is not allowed"),
        (_group(region=AllowDenyGeo(allow={"EE": (1, 2)})), SOMEWHERE, "group 1: region (unknown) is not allowed"),
        (
            _group(region=AllowDenyGeo(allow={"EE": (588335,)}, deny={"EE": (588335,)})),
            {},
            "group 1: region 588335 is denied",
        ),
        (_group(region=AllowDenyGeo(allow={"LV": (), "FI": (9,)})), {}, "group 1: region 588335 is not allowed"),
    ],
    "city": [
        (_group(city=AllowDenyGeo(allow={"EE": (1, 2)})), {}, "group 1: city Tallinn is not allowed"),
        (_group(city=AllowDenyGeo(allow={"EE": (1, 2)})), SOMEWHERE, "group 1: city (unknown) is not allowed"),
        (
            _group(city=AllowDenyGeo(deny={"EE": (588409,)})),
            {"place": GeoRecord("EE", city_id=588409)},
            "group 1: city 588409 is denied",
        ),
    ],
    "isp": [
        ({"isps": (RestrictedIsp(country="EE", name="Elisa"),)}, {}, "provider Telia Eesti AS is not allowed"),
        ({"isps": (RestrictedIsp(country="", name="Elisa"),)}, SOMEWHERE, "provider (unknown) is not allowed"),
        ({"isps": (RestrictedIsp(country="LV", name="Telia Eesti AS"),)}, {}, "provider Telia Eesti AS is not allowed"),
        (_group(isp={"EE": ("Elisa",)}), {}, "group 1: provider Telia Eesti AS is not allowed"),
    ],
    "os": [
        ({"os": (RestrictedOs(os="iOS"),)}, {}, "system Android is not allowed"),
        ({"os": (RestrictedOs(os="iOS"),)}, UNKNOWN, "system (unknown) is not allowed"),
        ({"os": (RestrictedOs(os="Android", versions=("12", ">=14")),)}, {}, "system Android 13 is not allowed"),
        ({"os": (RestrictedOs(os="Android", versions=("<13",)),)}, {}, "system Android 13 is not allowed"),
        (
            {"os": (RestrictedOs(os="Android", versions=("13",)),)},
            {"agent": Agent("Android")},
            "system Android (unknown version) is not allowed",
        ),
    ],
    "device": [
        ({"devices": ("tablet", "desktop")}, {}, "device mobile is not allowed"),
        ({"devices": ("tablet",)}, UNKNOWN, "device (unknown) is not allowed"),
        (_group(device_type=("tv", "smartwatch")), {}, "group 1: device mobile is not allowed"),
    ],
    "browser": [
        (_group(browser=AllowDeny(allow=("Firefox",))), {}, "group 1: browser Chrome Mobile is not allowed"),
        (_group(browser=AllowDeny(allow=("Firefox",))), UNKNOWN, "group 1: browser (unknown) is not allowed"),
        (_group(browser=AllowDeny(deny=("chrome mobile",))), {}, "group 1: browser Chrome Mobile is denied"),
        (
            _group(browser=AllowDeny(deny=("B" * 80,))),
            {"agent": Agent(browser="B" * 80)},
            "group 1: browser " + "B" * 47,
        ),
    ],
    "brand": [
        ({"brands": ("Apple", "Nokia")}, {}, "brand Samsung is not allowed"),
        (_group(brand=AllowDeny(deny=("SAMSUNG",))), {}, "group 1: brand Samsung is denied"),
    ],
    "connection": [
        ({"connection": "cellular"}, {}, "connection wi-fi is not allowed"),
        ({"connection": "cellular"}, SOMEWHERE, "connection (unknown) is not allowed"),
        (_group(connection=("cellular",)), {}, "group 1: connection wi-fi is not allowed"),
    ],
    "proxy": [
        (
            _group(block_proxy=True),
            {"place": GeoRecord("EE", proxy=True)},
            "group 1: IP address 192.0.2.9 is a proxy",
        )
    ],
    "zip": [
        (_group(zip=AllowDeny(allow=("sw1a 1aa",))), IN_ZIP, "group 1: postal code 10111 is not allowed"),
        (_group(zip=AllowDeny(allow=("10111",))), {}, "group 1: postal code (unknown) is not allowed"),
        (_group(zip=AllowDeny(deny=(" 10111 ",))), IN_ZIP, "group 1: postal code 10111 is denied"),
    ],
    "organization": [
        (_group(isp_organization=OrganizationLists(allow=("B",))), IN_ZIP, "group 1: organization ACME is not allowed"),
        (_group(isp_organization=OrganizationLists(deny=("acme",))), IN_ZIP, "group 1: organization ACME is denied"),
        (_group(isp_organization=OrganizationLists(deny_empty=True)), {}, "group 1: organization (unknown) is denied"),
    ],
    "model": [
        (_group(device_model=AllowDeny(allow=("iPhone",))), {}, "group 1: model SM-G991B is not allowed"),
        (_group(device_model=AllowDeny(deny=("sm-g991b",))), {}, "group 1: model SM-G991B is denied"),
    ],
    "browser-version": [
        (
            _group(
                browser_version=BrowserVersions(
                    allow=(OsVersion(name="Chrome Mobile", comparison="GT", version="120"),)
                )
            ),
            {},
            "group 1: browser Chrome Mobile 120 is not allowed",
        ),
        (
            _group(
                browser_version=BrowserVersions(
                    deny=(OsVersion(name="chrome mobile", comparison="LTE", version="120.0"),)
                )
            ),
            {},
            "group 1: browser Chrome Mobile 120 is denied",
        ),
        (
            _group(browser_version=BrowserVersions(deny=(OsVersion(name="Chrome Mobile"),))),
            {},
            "group 1: browser Chrome Mobile 120 is denied",
        ),
        (
            _group(browser_version=BrowserVersions(allow=(OsVersion(name="Firefox"),))),
            UNKNOWN,
            "group 1: browser (unknown) is not allowed",
        ),
    ],
    "known-bot": [(_group(block_known_bots=True), CRAWLER, "group 1: the user agent belongs to a bot")],
    "referrer": [
        (
            _group(referrer=TextLists(allow=("Shop.Example",))),
            NEWS,
            "group 1: referrer https://news.example/a is not allowed",
        ),
        (_group(referrer=TextLists(deny=("NEWS.",))), NEWS, "group 1: referrer https://news.example/a is denied"),
        (_group(referrer=TextLists(allow=("news",))), {}, "group 1: referrer (empty) is not allowed"),
        (_group(referrer=TextLists(deny_empty=True)), {}, "group 1: referrer (empty) is denied"),
        (
            _group(referrer=TextLists(deny=(r"^HTTPS://(\w+\.)*example/",), is_regexp=True)),
            NEWS,
            "group 1: referrer https://news.example/a is denied",
        ),
    ],
    "ua": [
        (_group(ua=AgentLists(allow=("Mozilla",))), {}, "group 1: user agent an agent is not allowed"),
        (_group(ua=AgentLists(deny=("AGENT",))), {}, "group 1: user agent an agent is denied"),
        (_group(ua=AgentLists(deny=(r"^an\b",), is_regexp=True)), {}, "group 1: user agent an agent is denied"),
        (_group(ua=AgentLists(deny_crawlers=True)), CRAWLER, "group 1: the user agent belongs to a bot"),
    ],
}


@pytest.mark.parametrize("reason", MISTARGETED)
def test_step_mistargeting_rejects_click(reason: str) -> None:
    for restrictions, changed, detail in MISTARGETED[reason]:
        found = find_rejection(make_hit(restrictions=restrictions, **changed))
        assert found == Rejection(f"mistargeting-{reason}", detail)


def test_step_mistargeting_proxy_accepts_click_when_not_blocked() -> None:
    assert find_rejection(make_hit(restrictions=_group(block_proxy=False), place=GeoRecord("EE", proxy=True))) is None


@pytest.mark.parametrize(
    ("restrictions", "detail"),
    [
        ({"subs": ({"sub1": "a", "sub2": "b"},)}, "denied together: sub1 a, sub2 b"),
        ({"subs": ({"sub3": "x"}, {"sub1": "a", "sub3": ""})}, "denied together: sub1 a, sub3 (empty)"),
        (_group(sub=AllowDenySubs(allow={1: ("A", "c")})), "group 1: sub1 a is not allowed"),
        (_group(sub=AllowDenySubs(allow={1: ("a",), 3: ("c",)})), "group 1: sub3 (empty) is not allowed"),
        (_group(sub=AllowDenySubs(deny={2: ("b", "c")})), "group 1: sub2 b is denied"),
        (_group(sub=AllowDenySubs(allow={1: ("a",)}, deny={1: ("a",)})), "group 1: sub1 a is denied"),
        (_group(sub=AllowDenySubs(deny_groups=({1: "a", 2: "b"},))), "group 1: denied together: sub1 a, sub2 b"),
        (_group(sub=AllowDenySubs(deny_groups=({1: "x"}, {8: ""}))), "group 1: denied together: sub8 (empty)"),
    ],
)
def test_step_mistargeting_sub_rejects_click(restrictions: dict[str, Any], detail: str) -> None:
    assert find_rejection(make_hit({"sub1": "a", "sub2": "b"}, restrictions=restrictions)) == Rejection(
        "mistargeting-sub", detail
    )


@pytest.mark.parametrize(
    ("offer", "advertiser", "detail"),
    [
        ({"1": SubAccountList(values=("b", "c"))}, {}, "offer: sub1 a is not allowed"),
        ({"1": SubAccountList(values=("a", "c"), exclude=True)}, {}, "offer: sub1 a is denied"),
        (
            {"1": SubAccountList(values=("a",)), "2": SubAccountList(values=("x",))},
            {},
            "offer: sub2 (empty) is not allowed",
        ),
        ({}, {"1": SubAccountList(values=("b", "c"))}, "advertiser: sub1 a is not allowed"),
        (
            {"1": SubAccountList(values=("a",))},
            {"1": SubAccountList(values=("a",), exclude=True)},
            "advertiser: sub1 a is denied",
        ),
        ({"1": SubAccountList(values=("b",))}, {"1": SubAccountList(values=("c",))}, "offer: sub1 a is not allowed"),
    ],
)
def test_step_mistargeting_sub_account_rejects_click(offer: Any, advertiser: Any, detail: str) -> None:
    hit = make_hit(
        {"sub1": "a"},
        restrictions={"sub_accounts": offer},
        advertiser=RulesetAdvertiser(id=ADVERTISER, sub_accounts=advertiser),
    )
    assert find_rejection(hit) == Rejection("mistargeting-sub-account", detail)


def test_step_empty_sub_rejects_click() -> None:
    for given in ({}, {"sub3": ""}, {"sub1": "x"}):
        assert find_rejection(make_hit(given, restrictions={"empty_sub": 3})) == Rejection("empty-sub", "sub3 is empty")
    assert find_rejection(make_hit({"sub3": "x"}, restrictions={"empty_sub": 3})) is None


def test_step_non_unique_clicks_rejects_known_visitor() -> None:
    hit = make_hit(restrictions={"unique_only": True}, seen=FakeClickState(new=False))
    assert find_rejection(hit) == Rejection("non-unique-clicks", "the visitor was seen")
    assert find_rejection(make_hit(restrictions={"unique_only": True})) is None


def test_step_non_unique_clicks_is_skipped_unless_offer_requires_it() -> None:
    seen = FakeClickState(new=False)
    assert make_hit(restrictions={"empty_sub": 1}, params={"sub1": "x"}, seen=seen).decide() is None


def test_step_overcap_rejects_click_over_click_cap() -> None:
    hit = make_hit(offer={"click_caps": (CAP,)}, seen=FakeClickState(full=CAP.id))
    assert find_rejection(hit) == Rejection("overcap", f"cap {CAP.id} is reached")
    assert find_rejection(make_hit(offer={"click_caps": (CAP,)})) is None
    assert find_rejection(make_hit(seen=FakeClickState(full=CAP.id))) is None


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
def test_step_overcap_rejects_click_over_conversion_cap(cap: FullCap, full: bool) -> None:
    hit = make_hit(rows=(RulesetFullCaps(3, (FullCap("f0", until=1), cap)),))
    assert find_rejection(hit) == (Rejection("overcap", "cap f1 is reached") if full else None)
    assert (hit.decide(as_visitor=True) is None) is not full


def test_click_rejected_earlier_counts_nothing() -> None:
    seen = FakeClickState()
    refused: list[dict[str, Any]] = [
        {"offer": {"active": False, "click_caps": (CAP,)}},
        {"bot": True, "offer": {"click_caps": (CAP,)}},
        {"restrictions": {"countries": ("LV",), "unique_only": True}, "offer": {"click_caps": (CAP,)}},
        {"restrictions": {"empty_sub": 1, "unique_only": True}, "offer": {"click_caps": (CAP,)}},
    ]
    for changed in refused:
        assert make_hit(seen=seen, **changed).decide() is not None
    assert seen.asked == []
    full = (RulesetFullCaps(3, (FullCap("f1"),)),)
    hit = make_hit(seen=seen, rows=full, restrictions={"unique_only": True}, offer={"click_caps": (CAP,)})
    assert hit.decide() == Rejection("overcap", "cap f1 is reached")
    assert seen.asked == ["f1"], "the state knows that nothing is to be reserved"


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
        ({}, {"advertiser": RulesetAdvertiser(id=ADVERTISER, blacklist=frozenset({8}))}),
        ({}, {"advertiser": RulesetAdvertiser(id=ADVERTISER, enabled=frozenset({7}))}),
        ({}, {"restrictions": _group(ip=AllowDeny(allow=("192.0.2.1-192.0.2.20", "10.0.0.1"), deny=("192.0.2.8",)))}),
        ({}, {"restrictions": _group(ip=AllowDeny(allow=("2001:db8::/32",))), "ip": "2001:db8::9"}),
        ({}, {"restrictions": {"countries": ("LV", "EE")}}),
        ({}, {"restrictions": {"isps": (RestrictedIsp(country="", name="telia eesti as"),)}}),
        ({}, {"restrictions": {"isps": (RestrictedIsp(country="EE", name="Telia Eesti AS"),)}}),
        ({}, {"restrictions": {"os": (RestrictedOs(os="android"), RestrictedOs(os="iOS"))}}),
        ({}, {"restrictions": {"os": (RestrictedOs(os="Android", versions=("12", ">=13.0")),)}}),
        ({}, {"restrictions": {"os": (RestrictedOs(os="Android", versions=("<13.0.1",)),)}}),
        ({}, {"restrictions": {"devices": ("tablet", "mobile"), "brands": ("samsung",), "connection": "wi-fi"}}),
        ({"sub1": "a"}, {"restrictions": {"subs": ({"sub1": "a", "sub2": "b"}, {"sub1": "A"})}}),
        ({"sub1": "a"}, {"restrictions": {"sub_accounts": {"1": SubAccountList(values=("a", "b"))}}}),
        ({}, {"restrictions": {"sub_accounts": {"1": SubAccountList(values=("a", "b"), exclude=True)}}}),
        (
            {},
            {
                "restrictions": _group(country=AllowDeny(deny=("LV",)), browser=AllowDeny(deny=("x",))),
                "place": GeoRecord(),
            },
        ),
        ({}, {"restrictions": _group(region=AllowDenyGeo(deny={"EE": (1,)})), "place": GeoRecord("EE")}),
        ({}, {"restrictions": _group(region=AllowDenyGeo(allow={"EE": (), "LV": (1,)}))}),
        ({}, {"restrictions": _group(region=AllowDenyGeo(allow={"EE": ()}))}),
        ({}, {"restrictions": _group(city=AllowDenyGeo(allow={"EE": (588409,)}))}),
        ({}, {"restrictions": _group(isp={"EE": (), "LV": ("x",)})}),
    ],
)
def test_click_within_targeting_is_accepted(params: dict[str, str], changed: dict[str, Any]) -> None:
    assert find_rejection(make_hit(params, **changed)) is None


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"restrictions": {"countries": ("LV",)}},
        {"restrictions": {"empty_sub": 1}},
        {"restrictions": {"unique_only": True}},
        {"offer": {"click_caps": (CAP,)}},
        {"rows": (RulesetFullCaps(3, (FullCap("f1"),)),)},
        {"advertiser": RulesetAdvertiser(id=ADVERTISER, sub_accounts={"1": SubAccountList(values=("b",))})},
    ],
)
@pytest.mark.parametrize("seen", [FakeClickState(), FakeClickState(new=False, full=CAP.id)])
def test_bot_click_would_pass_like_visitor_click(changed: dict[str, Any], seen: FakeClickState) -> None:
    hit = make_hit(bot=True, seen=seen, **changed)
    seen.asked.clear()
    assert hit.decide() == Rejection("bot", "a bot or a prefetch")
    assert seen.asked == []
    assert hit.decide(as_visitor=True) == make_hit(seen=seen, **changed).decide()


def test_bot_click_without_offer_would_not_pass() -> None:
    assert make_hit({"offer_id": "4"}, bot=True).decide(as_visitor=True) is not None
