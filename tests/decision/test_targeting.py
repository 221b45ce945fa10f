"""Restrictions of an offer and its targeting groups, and the details of rejections."""

from collections.abc import Callable
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.decision.clicks import GOOD, PHONE, find_rejection, make_hit, reason
from tests.support.clicks.rules import ADVERTISER, entry_of, make_offer, packed
from trackyard.decision.click.hit import Hit
from trackyard.decision.visitor.geo import GeoRecord
from trackyard.decision.visitor.visitor import Agent
from trackyard.domain.offers.offers import (
    AllowDeny,
    AllowDenyGeo,
    AllowDenySubs,
    OsVersion,
    RestrictedIsp,
    RestrictedOs,
    SubAccountList,
    TargetingGroup,
)
from trackyard.domain.tracking.rejections import REJECTION_REASONS, Rejection
from trackyard.domain.tracking.ruleset import Restrictions, RulesetAdvertiser

HERE = TargetingGroup(country=AllowDeny(allow=("EE",)))
ELSEWHERE = TargetingGroup(country=AllowDeny(allow=("LV",)))
OTHER_BROWSER = TargetingGroup(browser=AllowDeny(allow=("Firefox",)))


def _for(group: TargetingGroup, *affiliates: int) -> TargetingGroup:
    return msgspec.structs.replace(group, affiliate_id=affiliates)


@pytest.mark.parametrize(
    ("groups", "personal_only", "expected"),
    [
        # any one that matches
        ((HERE,), False, None),
        ((ELSEWHERE, HERE), False, None),
        ((HERE, ELSEWHERE), False, None),
        # the reason is that of the last one tried
        ((ELSEWHERE, OTHER_BROWSER), False, ("browser", "group 2")),
        ((OTHER_BROWSER, ELSEWHERE), False, ("country", "group 2")),
        # those that name the affiliate go first, so a general one is the last
        ((ELSEWHERE, _for(OTHER_BROWSER, 7)), False, ("country", "group 1")),
        ((_for(OTHER_BROWSER, 7), ELSEWHERE), False, ("country", "group 2")),
        ((HERE, _for(OTHER_BROWSER, 7)), False, None),
        ((ELSEWHERE, _for(HERE, 7)), False, None),
        # those of other affiliates are left out, and when none is left all may pass
        ((_for(ELSEWHERE, 6, 8),), False, None),
        ((_for(HERE, 6), ELSEWHERE), False, ("country", "group 2")),
        ((_for(ELSEWHERE, 6, 7, 8),), False, ("country", "group 1")),
        # personal targeting only
        ((HERE, _for(OTHER_BROWSER, 7)), True, ("browser", "group 2")),
        ((_for(ELSEWHERE, 7), _for(OTHER_BROWSER, 7, 7)), True, ("browser", "group 2")),
        ((ELSEWHERE, _for(HERE, 7)), True, None),
        # with none of its own the general ones hold
        ((ELSEWHERE, _for(HERE, 6)), True, ("country", "group 1")),
        ((HERE, _for(ELSEWHERE, 6)), True, None),
        ((_for(ELSEWHERE, 6),), True, None),
    ],
)
@pytest.mark.parametrize("of", ["offer", "advertiser"])
def test_targeting_groups_apply_by_affiliate(
    groups: tuple[TargetingGroup, ...], personal_only: bool, expected: tuple[str, str] | None, of: str
) -> None:
    hit = make_hit(
        restrictions={"groups": groups, "personal_only": personal_only and of == "offer"},
        advertiser=RulesetAdvertiser(id=ADVERTISER, personal_only=personal_only and of == "advertiser"),
    )
    refused = find_rejection(hit)
    found = refused and (refused.reason.removeprefix("mistargeting-"), refused.detail.partition(":")[0])
    assert found == expected


@pytest.mark.parametrize(
    ("own", "group", "expected"),
    [
        ({"brands": ("Apple",)}, HERE, ("mistargeting-brand", "brand Samsung is not allowed")),
        ({"brands": ("Samsung",)}, ELSEWHERE, ("mistargeting-country", "group 1: country EE is not allowed")),
        ({"brands": ("Apple",)}, ELSEWHERE, ("mistargeting-country", "group 1: country EE is not allowed")),
        ({"countries": ("LV",)}, OTHER_BROWSER, ("mistargeting-country", "country EE is not allowed")),
        ({"countries": ("FI",)}, ELSEWHERE, ("mistargeting-country", "country EE is not allowed")),
        ({"countries": ("EE",)}, HERE, None),
    ],
)
def test_targeting_of_offer_and_groups_both_apply(
    own: dict[str, Any], group: TargetingGroup, expected: tuple[str, str] | None
) -> None:
    assert find_rejection(make_hit(restrictions={**own, "groups": (group,)})) == (expected and Rejection(*expected))


@pytest.mark.parametrize(
    ("item", "agent", "passes"),
    [
        (OsVersion(name="android"), PHONE, True),
        (OsVersion(name="iOS"), PHONE, False),
        (OsVersion(name="Android", comparison="LT", version="13.1"), PHONE, True),
        (OsVersion(name="Android", comparison="LT", version="13.0"), PHONE, False),
        (OsVersion(name="Android", comparison="LTE", version="13.0"), PHONE, True),
        (OsVersion(name="Android", comparison="EQ", version="13.0.0"), PHONE, True),
        (OsVersion(name="Android", comparison="EQ", version="13.1"), PHONE, False),
        (OsVersion(name="Android", comparison="GT", version="9"), PHONE, True),
        (OsVersion(name="Android", comparison="GT", version="13"), PHONE, False),
        (OsVersion(name="Android", comparison="GTE", version="13.0"), PHONE, True),
        (OsVersion(name="Android", comparison="", version="9"), PHONE, True),
        (OsVersion(name="Android", comparison="GTE", version="1"), Agent("Android"), False),
        (OsVersion(name="Windows", comparison="EQ", version="vista"), Agent("Windows", "Vista"), True),
        (OsVersion(name="Windows", comparison="GTE", version="7"), Agent("Windows", "Vista"), False),
    ],
)
def test_targeting_group_os_matches_versions(item: OsVersion, agent: Agent, passes: bool) -> None:
    hit = make_hit(restrictions={"groups": (TargetingGroup(os=(item,)),)}, agent=agent)
    assert reason(hit) == ("" if passes else "mistargeting-os")


def test_targeting_group_os_listed_twice_matches_either() -> None:
    systems = (
        OsVersion(name="Android", comparison="EQ", version="9"),
        OsVersion(name="ANDROID", comparison="GTE", version="13"),
    )
    passing = [
        version
        for version in ("9", "12", "13", "14")
        if not reason(make_hit(restrictions={"groups": (TargetingGroup(os=systems),)}, agent=Agent("Android", version)))
    ]
    assert passing == ["9", "13", "14"]
    everything = (*systems, OsVersion(name="Android"))
    hit = make_hit(restrictions={"groups": (TargetingGroup(os=everything),)}, agent=Agent("Android"))
    assert reason(hit) == ""


@pytest.mark.parametrize(
    "properties",
    [
        {"country": AllowDeny(allow=("", " "))},
        {"region": AllowDenyGeo(allow={"EE": ()}, deny={"EE": ()})},
        {"isp": {"EE": ()}},
        {"ip": AllowDeny()},
        {"browser": AllowDeny(allow=("",), deny=("",))},
        {"sub": AllowDenySubs(allow={1: ()}, deny={1: ()}, deny_groups=({},))},
    ],
)
def test_targeting_group_with_empty_list_restricts_nothing(properties: dict[str, Any]) -> None:
    hit = make_hit(restrictions={"groups": (TargetingGroup(**properties),)}, place=GeoRecord(), agent=Agent())
    assert reason(hit) == ""


def test_targeting_compiled_state_is_dropped_with_its_row() -> None:
    click = make_hit(restrictions={"countries": ("LV",)})
    assert click.decide() == Rejection("mistargeting-country", "country EE is not allowed")
    for countries, passes in ((("EE",), True), (("FI",), False), ((), True)):
        changed = make_offer(restrictions=packed(countries=countries) if countries else b"")
        click.ruleset.apply(*entry_of(changed))
        assert (click.on("3").decide() is None) is passes


def test_targeting_of_click_on_another_offer_is_that_of_the_offer() -> None:
    click = make_hit(restrictions={"countries": ("LV",)}, rows=(make_offer(4, hash="d" * 24),))
    assert click.on("4").decide() is None


def test_targeting_sub_accounts_follow_advertiser_changes() -> None:
    click = make_hit(
        {"sub1": "a"}, advertiser=RulesetAdvertiser(id=ADVERTISER, sub_accounts={"1": SubAccountList(values=("b",))})
    )
    assert reason(click) == "mistargeting-sub-account"
    allowed = RulesetAdvertiser(id=ADVERTISER, sub_accounts={"1": SubAccountList(values=("a",))})
    click.ruleset.apply(*entry_of(allowed))
    assert reason(click.on("3")) == ""


_COUNTRIES = st.sampled_from(["EE", "LV", "FI"])
_WORDS = st.sampled_from(["a", "B", "b", ""])
_IDS = st.sampled_from([1, 2, 3])
_VERSIONS = st.sampled_from(["9", "10", "10.0", "10.1", "11"])


def _few(values: st.SearchStrategy[Any], most: int = 2) -> st.SearchStrategy[tuple[Any, ...]]:
    return st.lists(values, max_size=most).map(tuple)


def _sides(values: st.SearchStrategy[str]) -> st.SearchStrategy[AllowDeny]:
    return st.builds(AllowDeny, allow=_few(values), deny=_few(values, 1))


_BY_COUNTRY = st.dictionaries(_COUNTRIES, _few(_IDS), max_size=2)
_PLACES = st.builds(AllowDenyGeo, allow=_BY_COUNTRY, deny=st.dictionaries(_COUNTRIES, _few(_IDS, 1), max_size=1))
_ADDRESSES = st.sampled_from(["192.0.2.9", "192.0.2.0/30", "192.0.2.8-192.0.2.11", "2001:db8::/32"])
_BY_SUB = st.dictionaries(st.integers(1, 2), _few(_WORDS), max_size=1)
_GROUPS = st.builds(
    TargetingGroup,
    country=_sides(_COUNTRIES),
    region=st.one_of(st.just(AllowDenyGeo()), _PLACES),
    city=st.one_of(st.just(AllowDenyGeo()), _PLACES),
    os=_few(
        st.builds(
            OsVersion, name=_WORDS, comparison=st.sampled_from(["", "LT", "LTE", "EQ", "GT", "GTE"]), version=_VERSIONS
        ),
    ),
    isp=st.dictionaries(_COUNTRIES, _few(_WORDS), max_size=1),
    ip=_sides(_ADDRESSES),
    device_type=_few(st.sampled_from(["mobile", "tv"])),
    browser=_sides(_WORDS),
    brand=_sides(_WORDS),
    sub=st.builds(
        AllowDenySubs,
        allow=_BY_SUB,
        deny=_BY_SUB,
        deny_groups=_few(st.dictionaries(st.integers(1, 2), _WORDS, max_size=2), 1),
    ),
    connection=_few(st.sampled_from(["wi-fi", "cellular"])),
    block_proxy=st.booleans(),
    affiliate_id=_few(st.integers(6, 7), 1),
)
_RESTRICTIONS = st.builds(
    Restrictions,
    countries=_few(_COUNTRIES),
    os=_few(st.builds(RestrictedOs, os=_WORDS, versions=_few(_VERSIONS.map(">={}".format), 1)), 1),
    isps=_few(st.builds(RestrictedIsp, country=st.just("") | _COUNTRIES, name=_WORDS), 1),
    devices=_few(st.sampled_from(["mobile", "tv"]), 2),
    brands=_few(_WORDS),
    connection=st.sampled_from(["", "", "wi-fi"]),
    subs=_few(st.dictionaries(st.sampled_from(["sub1", "sub2"]), _WORDS, min_size=1), 1),
    sub_accounts=st.dictionaries(
        st.sampled_from(["1", "2"]),
        st.builds(SubAccountList, values=_few(_WORDS, 3), exclude=st.booleans()),
        max_size=1,
    ),
    groups=_few(_GROUPS, 3),
    personal_only=st.booleans(),
    empty_sub=st.none() | st.integers(1, 2),
)
_AGENTS = st.builds(
    Agent, os=_WORDS, os_version=_VERSIONS | st.just(""), browser=_WORDS, device=st.sampled_from(["mobile", "tv", ""])
)
_VISITED = st.builds(
    GeoRecord,
    country=_COUNTRIES | st.just(""),
    region_id=st.integers(0, 3),
    city_id=st.integers(0, 3),
    city=st.sampled_from(["", "Tartu"]),
    isp=_WORDS,
    connection=st.sampled_from(["wi-fi", "cellular", ""]),
    proxy=st.booleans(),
)
_CLICKS = st.fixed_dictionaries(
    {
        "params": st.fixed_dictionaries({}, optional={"sub1": _WORDS, "sub2": _WORDS}),
        "place": _VISITED,
        "agent": _AGENTS,
        "ip": st.sampled_from(["192.0.2.9", "192.0.2.1", "2001:db8::1", "::ffff:192.0.2.9", ""]),
        "bot": st.sampled_from([False, False, True]),
    }
)


def _of(restrictions: Restrictions) -> dict[str, Any]:
    return {name: getattr(restrictions, name) for name in Restrictions.__struct_fields__}


@given(_RESTRICTIONS, _CLICKS)
def test_decision_reason_is_a_known_step(restrictions: Restrictions, click: dict[str, Any]) -> None:
    refused = find_rejection(make_hit(restrictions=_of(restrictions), **click))
    assert refused is None or (refused.reason in REJECTION_REASONS and len(refused.detail) <= 64)


@given(_RESTRICTIONS, _CLICKS, st.randoms())
@settings(max_examples=50)
def test_decision_ignores_parameter_order(restrictions: Restrictions, click: dict[str, Any], random: Any) -> None:
    params = {**GOOD, **click["params"]}
    names = list(params)
    random.shuffle(names)
    one, other = (
        make_hit(restrictions=_of(restrictions), **{**click, "params": asked})
        for asked in (params, {name: params[name] for name in names})
    )
    assert one.decide() == other.decide()


@given(st.lists(_GROUPS, min_size=1, max_size=4), _CLICKS)
def test_targeting_passes_when_any_group_matches(groups: list[TargetingGroup], click: dict[str, Any]) -> None:
    click = {**click, "bot": False}
    general = [msgspec.structs.replace(group, affiliate_id=()) for group in groups]
    alone = [reason(make_hit(restrictions={"groups": (group,)}, **click)) for group in general]
    together = reason(make_hit(restrictions={"groups": tuple(general)}, **click))
    assert together == ("" if "" in alone else alone[-1])


def _denied(group: TargetingGroup, hit: Hit, name: str) -> TargetingGroup | None:
    """The group, which besides denies what the click has; None when that is unknown."""
    values: dict[str, tuple[str, Callable[[str], Any]]] = {
        "country": (hit.country, lambda value: AllowDeny(allow=(value,), deny=(value,))),
        "ip": (hit.ip, lambda value: AllowDeny(allow=(value,), deny=(value,))),
        "browser": (hit.agent.browser, lambda value: AllowDeny(allow=(value,), deny=(value.upper(),))),
        "region": (
            str(hit.place.region_id or ""),
            lambda value: AllowDenyGeo(allow={"EE": (int(value),)}, deny={"FI": (int(value),)}),
        ),
        "sub": (hit.params.get("sub1", ""), lambda value: AllowDenySubs(allow={1: (value,)}, deny={1: (value,)})),
    }
    value, made = values[name]
    return msgspec.structs.replace(group, **{name: made(value)}) if value else None


@given(_GROUPS, _CLICKS, st.sampled_from(["country", "ip", "browser", "region", "sub"]))
def test_targeting_deny_overrides_allow(group: TargetingGroup, click: dict[str, Any], name: str) -> None:
    click = {**click, "bot": False}
    group = msgspec.structs.replace(group, affiliate_id=())
    hit = make_hit(restrictions={"groups": (group,)}, **click)
    denying = _denied(group, hit.hit, name)
    expected = "" if denying is None else reason(make_hit(restrictions={"groups": (denying,)}, **click))
    assert denying is None or expected in REJECTION_REASONS[: REJECTION_REASONS.index(f"mistargeting-{name}") + 1]
