"""Target URLs of clicks, safe in a header."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision.clicks import build_hit
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset, packed
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute
from trackyard.decision.target.templates import CLICK_MACROS
from trackyard.decision.target.url import accepted_url, impression_url, rejected_url
from trackyard.decision.visitor.geo import GeoRecord
from trackyard.decision.visitor.visitor import Agent
from trackyard.domain.offers.offers import TargetingGroup
from trackyard.domain.tracking.ruleset import (
    ReplacedSub,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetLanding,
    RulesetPlatform,
)
from trackyard.domain.tracking.subs import encrypted_sub

NOW = 1_700_000_000_123
CLICK = "6553f100" + "01" + "00000000000a0b"
AGENT = Agent("iOS", "17.2", "Mobile Safari", "17", "mobile", "Apple", "iPhone")


def make_target_hit(
    params: dict[str, str] | None = None,
    *,
    platform: str = "",
    zone: str = "UTC",
    click_id: str = CLICK,
    subs_key: str = "",
    affiliate: int = 7,
    **changed: object,
) -> tuple[Hit, OfferRoute]:
    ruleset = make_ruleset(
        [
            make_offer(**changed),
            RulesetAffiliate(id=affiliate, name="Bob & Co"),
            RulesetAdvertiser(id=ADVERTISER, subs_key=subs_key),
            RulesetPlatform(platform, zone),
        ]
    )
    given = {"offer_id": "3", "pid": str(affiliate), **(params or {})}
    hit = build_hit(
        ruleset,
        given,
        now=NOW,
        click_id=click_id,
        ip="192.0.2.1",
        place=GeoRecord("DE", city="Köln"),
        ua="Some UA/1",
        agent=AGENT,
        referrer="http://from.example/",
        language="de",
    )
    return hit, ruleset.route_of(given)


@pytest.mark.parametrize(
    ("macro", "value"),
    [
        ("clickid", CLICK),
        ("click_id", CLICK),
        ("pid", "7"),
        ("offer_id", "3"),
        ("sub1", "a%20b%26c"),
        ("sub8", "%C3%A9"),
        ("sub2", ""),
        ("ip", "192.0.2.1"),
        ("geo", "DE"),
        ("city", "K%C3%B6ln"),
        ("referrer", "http%3A%2F%2Ffrom.example%2F"),
        ("device_ua", "Some%20UA%2F1"),
        ("os", "iOS"),
        ("os_version", "17.2"),
        ("device_model", "iPhone"),
        ("browser", "Mobile%20Safari"),
        ("language", "de"),
        ("rand", str(0xA0B)),
        ("time", "1700000000"),
        ("date_only", "2023-11-14"),
        ("deeplink", ""),
        ("offer_name", "An%20offer"),
        ("affiliate_name", "Bob%20%26%20Co"),
        ("advertiser_id", ADVERTISER),
        ("ref_id", "r"),
        ("ext3", "e3"),
        ("fbclid", "f"),
        ("nothing", "{nothing}"),
    ],
)
def test_target_url_macros_are_filled_and_encoded(macro: str, value: str) -> None:
    params = {"sub1": "a b&c", "sub8": "é", "ref_id": "r", "ext3": "e3", "fbclid": "f"}
    hit = make_target_hit(params, url=f"http://shop.example/?x={{{macro}}}&y=1")
    assert accepted_url(*hit) == f"http://shop.example/?x={value}&y=1"


@pytest.mark.parametrize(("zone", "day"), [("America/New_York", "2023-11-14"), ("Asia/Kathmandu", "2023-11-15")])
def test_target_url_date_macro_uses_platform_zone(zone: str, day: str) -> None:
    assert (
        accepted_url(*make_target_hit(zone=zone, url="http://shop.example/{date_only}")) == f"http://shop.example/{day}"
    )


def test_click_macros_equal_specification() -> None:
    listed = (
        "clickid click_id pid offer_id ip geo city referrer device_ua os os_version device_model browser language rand "
        "time date_only deeplink offer_name affiliate_name advertiser_id ref_id os_id ext1 ext2 ext3 user_id ios_idfa "
        "android_id fbclid sub1 sub2 sub3 sub4 sub5 sub6 sub7 sub8"
    )
    assert frozenset(listed.split()) == CLICK_MACROS


@pytest.mark.parametrize(("asked", "url"), [("2", "http://two.example/"), ("9", "http://shop.example/?c=" + CLICK)])
def test_target_url_is_the_requested_landing(asked: str, url: str) -> None:
    hit = make_target_hit(
        {"l": asked}, landings=(RulesetLanding(1, "http://one.example/"), RulesetLanding(2, "http://two.example/"))
    )
    assert accepted_url(*hit) == url


@pytest.mark.parametrize(
    ("url", "text", "target"),
    [
        ("http://shop.example/?c={clickid}", "&aff={pid}&s={sub1}", f"http://shop.example/?c={CLICK}&aff=7&s=a%20b"),
        ("http://shop.example/", "&aff={pid}", "http://shop.example/?aff=7"),
        ("http://shop.example", "?aff={pid}", "http://shop.example?aff=7"),
        ("http://shop.example/?x=1", "?aff={pid}", "http://shop.example/?x=1&aff=7"),
        ("http://shop.example/?x=1", "aff={pid}", "http://shop.example/?x=1&aff=7"),
        ("http://shop.example/?", "&aff={pid}", "http://shop.example/?aff=7"),
        ("http://shop.example/?x=1&", "&aff={pid}", "http://shop.example/?x=1&aff=7"),
        ("http://shop.example/#part", "&aff={pid}", "http://shop.example/?aff=7#part"),
        ("http://shop.example/?x=1#part?y", "&aff={pid}", "http://shop.example/?x=1&aff=7#part?y"),
        ("http://shop.example/?x=1", "#s={sub1}", "http://shop.example/?x=1#s=a%20b"),
        ("http://shop.example/a", "/{pid}/{unknown}", "http://shop.example/a/7/{unknown}"),
        ("http://shop.example", "{pid}.html", "http://shop.example/7.html"),
        ("http://shop.example/?x=", "{sub1}", "http://shop.example/?x=a%20b"),
        ("http://shop.example/", "&a=b c\r\nX: y", "http://shop.example/?a=b%20c%0D%0AX:%20y"),
    ],
)
def test_macro_url_of_an_offer_is_appended_to_the_target(url: str, text: str, target: str) -> None:
    assert accepted_url(*make_target_hit({"sub1": "a b"}, url=url, macro_url=text)) == target


def test_macro_url_is_appended_to_landings_groups_and_deep_links() -> None:
    landings = (RulesetLanding(1, "http://one.example/"), RulesetLanding(2, "http://two.example/", transit=True))
    assert (
        accepted_url(*make_target_hit({"l": "1"}, landings=landings, macro_url="&a={pid}")) == "http://one.example/?a=7"
    )
    assert (
        accepted_url(*make_target_hit({"l": "2"}, landings=landings, macro_url="&a={pid}")) == "http://two.example/?a=7"
    )
    group = packed(groups=(TargetingGroup(url="http://group.example/?x"),))
    assert accepted_url(*make_target_hit(restrictions=group, macro_url="&a={pid}")) == "http://group.example/?x&a=7"
    deep = {"allow_deeplink": True, "url": "http://shop.example/", "macro_url": "&a={pid}"}
    assert accepted_url(*make_target_hit({"path": "x?y=1"}, **deep)) == "http://shop.example/x?y=1&a=7"
    assert (
        accepted_url(*make_target_hit({"redirect": "http://shop.example/x#z"}, **deep)) == "http://shop.example/x?a=7#z"
    )


def test_subs_of_an_offer_are_replaced_where_staff_say_so_or_the_link_has_none() -> None:
    replaced = (ReplacedSub("sub1", ("a b", "c"), always=True), ReplacedSub("sub2", ("x",)))
    url = "http://shop.example/?1={sub1}&2={sub2}&3={sub3}"
    offer = {"url": url, "replaced_subs": replaced, "landings": (RulesetLanding(1, url + "&land"),)}
    sent = {"sub1": "own", "sub2": "own", "sub3": "own"}
    made = [accepted_url(*make_target_hit(sent, **offer)) for _ in range(2)]
    assert made[0] == made[1], "a click has one value"
    assert made[0] in {f"http://shop.example/?1={value}&2=own&3=own" for value in ("a%20b", "c")}
    assert accepted_url(*make_target_hit({}, **offer)).endswith("&2=x&3=")
    assert "2=x&3=&land" in accepted_url(*make_target_hit({"l": "1"}, **offer))
    deep = accepted_url(*make_target_hit(sent | {"path": "&p={sub1}"}, allow_deeplink=True, **offer))
    assert "1=own" not in deep and "p=own" not in deep
    back = make_target_hit(sent, trafficback_url="http://back.example/{sub1}", **offer)
    assert rejected_url(back[0], back[1].offer) == "http://back.example/own"
    assert accepted_url(*make_target_hit(sent, url=url)) == "http://shop.example/?1=own&2=own&3=own"


def test_replaced_sub_takes_every_value_of_its_list() -> None:
    replaced = (ReplacedSub("sub4", ("a", "b", "c")),)
    hits = (make_target_hit(url="{sub4}", replaced_subs=replaced, click_id=f"{number:024x}") for number in range(60))
    assert {accepted_url(*hit) for hit in hits} == {"a", "b", "c"}


def test_encrypted_subs_are_codes_in_every_target_of_the_advertiser() -> None:
    key = "0123456789abcdef" * 2
    code = encrypted_sub("a é", key, 7)
    url = "http://shop.example/?1={sub1}&2={sub2}&3={sub3}"
    offer = {"url": url, "subs_key": key, "landings": (RulesetLanding(1, url + "&land"),), "impressions_url": url}
    sent = {"sub1": "a é", "sub3": "a é"}
    coded = f"http://shop.example/?1={code}&2=&3={code}"
    assert accepted_url(*make_target_hit(sent, **offer)) == coded
    assert accepted_url(*make_target_hit(sent | {"l": "1"}, **offer)) == coded + "&land"
    deep = accepted_url(*make_target_hit(sent | {"path": "&p={sub1}"}, allow_deeplink=True, **offer))
    assert deep == f"{coded}&p={code}"
    replaced = offer | {"replaced_subs": (ReplacedSub("sub3", ("x",), always=True),)}
    assert accepted_url(*make_target_hit(sent, **replaced)) == f"http://shop.example/?1={code}&2=&3=x"
    assert impression_url(*make_target_hit(sent, **offer)) == coded
    assert impression_url(*make_target_hit(sent, **replaced)) == coded
    back = make_target_hit(sent, trafficback_url="http://back.example/{sub3}", **offer)
    assert rejected_url(back[0], back[1].offer) == "http://back.example/a%20%C3%A9"
    assert accepted_url(*make_target_hit(sent, url=url)) == "http://shop.example/?1=a%20%C3%A9&2=&3=a%20%C3%A9"


def test_macro_url_is_not_appended_to_trafficback_url() -> None:
    hit = make_target_hit(trafficback_url="http://back.example/", macro_url="&a={pid}")
    assert rejected_url(hit[0], hit[1].offer) == "http://back.example/"


@pytest.mark.parametrize(
    ("offer", "platform", "preview", "url"),
    [
        ("http://o.example/{sub1}", "http://p.example/", "http://v.example/", "http://o.example/s"),
        ("", "http://p.example/?o={offer_id}", "http://v.example/", "http://p.example/?o=3"),
        ("", "", "http://v.example/", "http://v.example/"),
        ("", "", "", None),
    ],
)
def test_trafficback_url_falls_back_in_order(offer: str, platform: str, preview: str, url: str | None) -> None:
    hit = make_target_hit({"sub1": "s"}, platform=platform, trafficback_url=offer, preview_url=preview)
    assert rejected_url(hit[0], hit[1].offer) == url


def test_trafficback_url_without_offer_is_that_of_platform() -> None:
    hit = make_target_hit({"offer_id": "é"}, platform="http://p.example/?o={offer_id}")
    assert rejected_url(hit[0], hit[1].offer) == "http://p.example/?o=%C3%A9"
    hit = make_target_hit({"offer_id": "99"})
    assert rejected_url(hit[0], hit[1].offer) is None


WORDS = st.text(alphabet=st.characters(exclude_categories=["Cs"]))


@given(st.lists(WORDS, min_size=5, max_size=5), WORDS, st.sampled_from(["", "preview_url", "trafficback_url"]))
def test_target_url_is_always_header_safe(texts: list[str], url: str, back: str) -> None:
    one, two, *_ = texts
    everything = "http://shop.example/?" + "".join(f"&{{{name}}}" for name in sorted(CLICK_MACROS))
    sent = dict.fromkeys((*(f"sub{number}" for number in range(1, 9)), "ref_id", "ext1", "user_id", "fbclid"), one)
    ruleset = make_ruleset(
        [
            make_offer(
                title=two, url=everything + url, allow_deeplink=True, **({back: everything + url} if back else {})
            ),
            RulesetAffiliate(id=7, name=one),
        ]
    )
    params = {"offer_id": "3", "pid": "7", "path": two, **sent}
    found = build_hit(
        ruleset,
        params,
        now=NOW,
        click_id=CLICK,
        ip=one,
        place=GeoRecord(one, city=two),
        ua=two,
        agent=Agent(*texts, one, two),
        referrer=one,
        language="de",
    )
    hit = found, ruleset.route_of(params)
    made = rejected_url(hit[0], hit[1].offer) if back else accepted_url(*hit)
    assert made is not None
    assert made.isascii()
    assert not any(character <= " " or character in '"<>\\\x7f' for character in made)
    assert made.startswith("http://shop.example/?")


_BOOKS = "https://bücher.example/käse?c={clickid}"
_BOOKS_SENT = "https://xn--bcher-kva.example/k%C3%A4se"


@pytest.mark.parametrize(
    ("url", "sent"),
    [
        (_BOOKS, f"{_BOOKS_SENT}?c={CLICK}"),
        ("https://BÜCHER.example:8443/", "https://xn--bcher-kva.example:8443/"),
        ("https://почта.рф/?c={clickid}", f"https://xn--80a1acny.xn--p1ai/?c={CLICK}"),
        ("https://user@bücher.example/", "https://user@xn--bcher-kva.example/"),
        ("https://{sub1}.bücher.example/", "https://s.xn--bcher-kva.example/"),
        ("https://shop.example/bücher", "https://shop.example/b%C3%BCcher"),
        ("bücher://übung/", "b%C3%BCcher://%C3%BCbung/"),  # not a scheme
        ("https://" + "ü" * 80 + ".example/", "https://" + "%C3%BC" * 80 + ".example/"),  # not a name of DNS
    ],
)
def test_international_host_of_a_target_is_sent_in_ascii(url: str, sent: str) -> None:
    assert accepted_url(*make_target_hit({"sub1": "s"}, url=url)) == sent


def test_international_hosts_are_sent_in_ascii_wherever_a_url_comes_from() -> None:
    landing = make_target_hit({"l": "1"}, landings=(RulesetLanding(1, _BOOKS),))
    trafficback = make_target_hit(trafficback_url=_BOOKS)
    preview = make_target_hit(preview_url=_BOOKS)
    platform = make_target_hit(platform=_BOOKS)
    found = [
        accepted_url(*landing),
        *(rejected_url(hit, route.offer) for hit, route in (trafficback, preview, platform)),
    ]
    deep = make_target_hit({"path": "/käse"}, url="https://bücher.example/", allow_deeplink=True)
    assert accepted_url(*deep) == _BOOKS_SENT
    assert found == [f"{_BOOKS_SENT}?c={CLICK}"] * 4


def test_encoded_braces_are_filled_where_staff_wrote_them() -> None:
    shop, sent = "https://shop.example/?c=%7Bclickid%7D&n=%7bzzz%7d", f"https://shop.example/?c={CLICK}&n=%7bzzz%7d"
    given = {"sub1": "s", "l": "1"}
    hits = [
        make_target_hit(url=shop),
        make_target_hit({"l": "1"}, landings=(RulesetLanding(1, shop),)),
        make_target_hit(url="https://shop.example/", macro_url="c=%7Bclickid%7D&n=%7bzzz%7d"),
        make_target_hit({"path": "/a"}, url=shop, allow_deeplink=True),
        make_target_hit({"path": "/a"}, url="https://shop.example/", macro_url=f"?{shop[22:]}", allow_deeplink=True),
    ]
    found = [accepted_url(*hit).replace("/a?", "/?") for hit in hits]
    back = [make_target_hit(trafficback_url=shop), make_target_hit(preview_url=shop), make_target_hit(platform=shop)]
    found += [str(rejected_url(hit, route.offer)) for hit, route in back]
    own = make_target_hit(given, url="https://shop.example/?s=%7Bsub1%7D", subs_key="0" * 32)
    assert found == [sent] * 8
    assert accepted_url(*own).startswith("https://shop.example/?s=") and "%7B" not in accepted_url(*own)


def test_encoded_braces_stay_in_what_visitors_write() -> None:
    path = make_target_hit(
        {"path": "/?n=%7Baffiliate_name%7D&i=%7Bclickid%7D"}, url="https://shop.example/", allow_deeplink=True
    )
    assert accepted_url(*path) == "https://shop.example/?n=%7Baffiliate_name%7D&i=%7Bclickid%7D"
    sub = make_target_hit({"sub1": "%7Bclickid%7D"}, url="https://shop.example/?s={sub1}")
    assert accepted_url(*sub) == "https://shop.example/?s=%257Bclickid%257D"
