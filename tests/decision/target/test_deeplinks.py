"""Deep links: where they may lead, and every way to lead elsewhere that is known."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.decision.target.test_target_url import CLICK, make_target_hit
from tests.support.clicks.rules import ADVERTISER
from trackyard.decision.target.deep_links import is_ignored
from trackyard.decision.target.templates import CLICK_MACROS
from trackyard.decision.target.url import accepted_url
from trackyard.domain.tracking.ruleset import RulesetLanding

OFFER = "https://shop.example/buy?c={clickid}"
OWN = f"https://shop.example/buy?c={CLICK}"
SITES = {
    "url": OFFER,
    "preview_url": "http://show.example:8080/",
    "landings": (
        RulesetLanding(1, "http://land.example/"),
        RulesetLanding(2, "http://192.0.2.7/x"),
        RulesetLanding(3, "https://bücher.example/"),
        RulesetLanding(4, "https://straße.example/"),
    ),
}


@pytest.mark.parametrize(
    ("redirect", "url"),
    [
        ("https://shop.example/a?b=c#d", "https://shop.example/a?b=c#d"),
        ("http://shop.example", "http://shop.example/"),
        ("https://shop.example?x=1", "https://shop.example?x=1"),
        ("HTTPS://SHOP.Example/A", "https://shop.example/A"),
        ("https://www.eu.shop.example/", "https://www.eu.shop.example/"),
        ("https://shop.example./a", "https://shop.example/a"),
        ("https://shop.example:443/a", "https://shop.example/a"),
        ("http://shop.example:443/a", "http://shop.example:443/a"),
        ("http://show.example:8080/a", "http://show.example:8080/a"),
        ("http://show.example/a", "http://show.example/a"),
        ("http://m.land.example/", "http://m.land.example/"),
        ("http://192.0.2.7/y", "http://192.0.2.7/y"),
        ("https://bücher.example/ü", "https://xn--bcher-kva.example/%C3%BC"),
        ("https://BÜCHER.example/", "https://xn--bcher-kva.example/"),
        ("https://xn--bcher-kva.example/", "https://xn--bcher-kva.example/"),
        ("https://straße.example/", "https://xn--strae-oqa.example/"),
        ("https://shop.example/?c={clickid}&t={none}", f"https://shop.example/?c={CLICK}&t={{none}}"),
        ('https://shop.example/a b\\c"<d>', "https://shop.example/a%20b%5Cc%22%3Cd%3E"),
        ("https://shop.example/@evil.example", "https://shop.example/@evil.example"),
        ("https://shop.example/?u=http://evil.example/", "https://shop.example/?u=http://evil.example/"),
    ],
)
def test_deeplink_redirect_inside_offer_sites_is_followed(redirect: str, url: str) -> None:
    hit = make_target_hit({"redirect": redirect}, allow_deeplink=True, **SITES)
    assert accepted_url(*hit) == url
    assert not is_ignored(hit[0], hit[1].offer)


ATTACKS = [
    "http://evil.example/",
    "https://evil.example/shop.example/",
    "https://evil.example/?shop.example",
    "https://evil.example#shop.example",
    "https://shop.example.evil.example/",
    "https://evilshop.example/",
    "https://evil-shop.example/",
    "https://example/",
    "https://.shop.example/",
    "https://a..shop.example/",
    "https://shop.example@evil.example/",
    "https://shop.example:80@evil.example/",
    "https://user:pass@shop.example/",
    "https://@shop.example/",
    "https://evil.example\\@shop.example/",
    "https://evil.example\\.shop.example/",
    "https://shop.example\\@evil.example/",
    "https:\\\\evil.example/",
    "https:/\\evil.example/",
    "\\\\evil.example/",
    "//evil.example/",
    "///evil.example/",
    "//shop.example/",
    "/evil",
    "evil.example",
    "https:evil.example",
    "https:shop.example",
    "https:/shop.example/",
    "https:///shop.example/",
    "https://",
    "https://?shop.example",
    "https://shop.example:8443/",
    "https://shop.example:/",
    "https://shop.example:0x50/",
    "https://shop.example:80:80/",
    "https://shop.example:１２/",
    "http://land.example:8080/",
    "http://x.192.0.2.7/",
    "http://[::1]/",
    "http://[shop.example]/",
    "https://evil.example%2f.shop.example/",
    "https://evil.example%00.shop.example/",
    "https://evil%2eexample/",
    "https://ｅvil.example/",
    "https://evil.example／.shop.example/",
    "https://evil.example？.shop.example/",
    "https://evil.example＃.shop.example/",
    "https://evil.example＠shop.example/",
    "https://evil.example。shop.example.evil.example/",
    "https://ѕhop.example/",
    "https://shop.examp\u0131e/",
    "https://shop .example/",
    "https://evil.example\t.shop.example/",
    "https://evil.example\n.shop.example/",
    " https://evil.example/",
    "\thttps://evil.example/",
    " https://shop.example/",
    "javascript:alert(1)//shop.example/",
    "JavaScript://shop.example/%0aalert(1)",
    "data:text/html,<script>",
    "vbscript:shop.example",
    "ftp://shop.example/",
    "file://shop.example/etc",
    "intent://shop.example/#Intent;scheme=http;end",
    "blob:https://shop.example/x",
    "view-source:https://shop.example/",
    "httpss://shop.example/",
    "ｈttps://shop.example/",
    "https://strasse.example/",
    "https://{sub1}/",
    "https://{sub1}.shop.example/",
    "https://shop.example{sub1}/",
    "https://" + "a." * 200 + "shop.example/",
    "https://" + "a" * 64 + ".shop.example/",
]


@pytest.mark.parametrize("redirect", ATTACKS)
def test_deeplink_redirect_to_other_site_is_replaced_by_offer_and_flagged(redirect: str) -> None:
    hit = make_target_hit({"redirect": redirect, "sub1": "evil.example"}, allow_deeplink=True, **SITES)
    assert accepted_url(*hit) == OWN
    assert is_ignored(hit[0], hit[1].offer)


def test_deeplink_site_with_macro_host_matches_nothing() -> None:
    hit = make_target_hit(
        {"redirect": "http://evil.example/", "sub1": "evil.example"}, allow_deeplink=True, url="http://{sub1}/"
    )
    assert is_ignored(hit[0], hit[1].offer)


@pytest.mark.parametrize("params", [{"redirect": "https://shop.example/a"}, {"path": "/a"}])
def test_deeplink_is_ignored_when_offer_disallows_it(params: dict[str, str]) -> None:
    hit = make_target_hit(params, **SITES)
    assert accepted_url(*hit) == OWN
    assert is_ignored(hit[0], hit[1].offer)


@pytest.mark.parametrize(
    ("url", "path", "target"),
    [
        ("https://shop.example", "/a?b", "https://shop.example/a?b"),
        ("https://shop.example", "?a", "https://shop.example?a"),
        ("https://shop.example", "#a", "https://shop.example#a"),
        ("https://shop.example", ".evil.example", "https://shop.example/.evil.example"),
        ("https://shop.example", "@evil.example", "https://shop.example/@evil.example"),
        ("https://shop.example", ":80@evil.example", "https://shop.example/:80@evil.example"),
        ("https://shop.example", "\\@evil.example", "https://shop.example/%5C@evil.example"),
        ("https://shop.example\\", "@evil.example", "https://shop.example%5C/@evil.example"),
        ("//shop.example", "@evil.example", "//shop.example/@evil.example"),
        ("https:shop.example", "@evil.example", "https:shop.example/@evil.example"),
        ("https://shop.example/", "//evil.example", "https://shop.example/evil.example"),
        ("https://shop.example/x?u=1", "&v=2", "https://shop.example/x?u=1&v=2"),
        ("https://shop.example/x?c={clickid}", "&s={sub1}", f"https://shop.example/x?c={CLICK}&s=a%26b"),
        ("https://shop.example/", 'a b"<é>', "https://shop.example/a%20b%22%3C%C3%A9%3E"),
    ],
)
def test_deeplink_path_is_appended_and_stays_on_site(url: str, path: str, target: str) -> None:
    hit = make_target_hit({"path": path, "sub1": "a&b"}, allow_deeplink=True, url=url)
    assert accepted_url(*hit) == target
    assert not is_ignored(hit[0], hit[1].offer)


def test_deeplink_path_is_appended_to_requested_landing() -> None:
    hit = make_target_hit({"path": "a", "l": "1"}, allow_deeplink=True, **SITES)
    assert accepted_url(*hit) == "http://land.example/a"


@pytest.mark.parametrize(
    ("params", "value"),
    [
        ({"redirect": "https://shop.example/a?b"}, "https%3A%2F%2Fshop.example%2Fa%3Fb"),
        ({"path": "/a?b"}, "%2Fa%3Fb"),
        ({"redirect": "https://evil.example/"}, ""),
        ({}, ""),
    ],
)
def test_deeplink_macro_in_offer_url_is_filled(params: dict[str, str], value: str) -> None:
    hit = make_target_hit(params, allow_deeplink=True, url="https://shop.example/?u={deeplink}&c=1")
    assert accepted_url(*hit) == f"https://shop.example/?u={value}&c=1"


@pytest.mark.parametrize("name", ["redirect", "path"])
def test_deeplink_does_not_reveal_advertiser_id(name: str) -> None:
    url = "https://shop.example/?a={advertiser_id}"
    link = "https://shop.example/?b={advertiser_id}&o={offer_id}"
    made = accepted_url(*make_target_hit({name: link}, allow_deeplink=True, **(SITES | {"url": url})))
    assert made.endswith("b=%7Badvertiser_id%7D&o=3")
    assert made.count(ADVERTISER) == (name == "path")


@pytest.mark.parametrize("name", ["redirect", "path"])
def test_deeplink_fills_only_macros_that_visitors_know(name: str) -> None:
    texts = [f"{macro}={{{macro}}}" for macro in sorted(CLICK_MACROS)]
    sent = {name: f"https://shop.example/?{'&'.join(texts)}", "sub8": "eight", "ext1": "one", "ref_id": "from"}
    made = accepted_url(*make_target_hit(sent, allow_deeplink=True, **SITES))
    filled = {"clickid": CLICK, "click_id": CLICK, "pid": "7", "offer_id": "3"} | {f"sub{n}": "" for n in range(1, 8)}
    filled["sub8"] = "eight"
    wanted = [f"{macro}={filled.get(macro, f'%7B{macro}%7D')}" for macro in sorted(CLICK_MACROS)]
    own = [f"c={CLICK}"] if name == "path" else []
    assert made.partition("/?")[2].split("&") == own + wanted


@pytest.mark.parametrize("text", ["{{affiliate_name}}", "{affiliate{pid}_name}", "%7Baffiliate_name%7D"])
def test_deeplink_with_nested_macros_does_not_reveal_affiliate_name(text: str) -> None:
    hit = make_target_hit({"path": f"?n={text}"}, allow_deeplink=True, **SITES)
    assert "Bob" not in accepted_url(*hit)


def test_deeplink_keeps_macros_of_staff_around_it() -> None:
    own = SITES | {"url": "https://shop.example/?a={affiliate_name}"}
    hit = make_target_hit({"path": "&p={geo}"}, allow_deeplink=True, macro_url="&m={geo}", **own)
    assert accepted_url(*hit) == "https://shop.example/?a=Bob%20%26%20Co&p=%7Bgeo%7D&m=DE"


def test_deeplink_path_with_redirect_is_ignored_and_flagged() -> None:
    hit = make_target_hit({"redirect": "https://shop.example/a", "path": "/b"}, allow_deeplink=True, **SITES)
    assert accepted_url(*hit) == "https://shop.example/a"
    assert is_ignored(hit[0], hit[1].offer)
    hit = make_target_hit({"redirect": "", "path": ""}, allow_deeplink=True, **SITES)
    assert not is_ignored(hit[0], hit[1].offer)


PIECES = [
    *"/\\:@?#.%[]{}",
    "http:",
    "https:",
    "//",
    "shop.example",
    "evil.example",
    "www.",
    "8080",
    "%2f",
    "\t",
    " ",
    "é",
    "。",
]
HOST = re.compile(
    r"https?://(?:[a-z0-9_-]+\.)*(?:shop|land|show|xn--bcher-kva|xn--strae-oqa)\.example(?::(?:80|443|8080))?(?:[/?#]|$)"
)


@given(st.lists(st.sampled_from(PIECES), max_size=12).map("".join), st.sampled_from(["redirect", "path"]))
def test_deeplink_never_leaves_offer_sites(text: str, name: str) -> None:
    for url in (OFFER, "https://shop.example"):
        made = accepted_url(*make_target_hit({name: text}, allow_deeplink=True, **(SITES | {"url": url})))
        assert HOST.match(made), made
        assert made.isascii()
        assert not any(character <= " " or character in '\\"<>\x7f' for character in made)


_JOINED = [
    # URL of the offer, `path` of the link, target; why it must be so
    ("https://shop.example/?c={clickid}", "/category/skirts", f"/category/skirts?c={CLICK}"),  # the page and the id
    ("https://shop.example?c={clickid}", "category/skirts", f"/category/skirts?c={CLICK}"),
    ("https://shop.example", "category", "/category"),
    ("https://shop.example/", "/category", "/category"),  # one slash
    ("https://shop.example/base/", "/category", "/base/category"),
    ("https://shop.example/base", "category", "/base/category"),
    ("https://shop.example/base/", "//evil.example/x", "/base/evil.example/x"),  # the host stays
    ("https://shop.example", "//evil.example/x", "/evil.example/x"),
    ("https://shop.example", "@evil.example/x", "/@evil.example/x"),
    ("https://shop.example/?c={clickid}", "?color=red", f"/?c={CLICK}&color=red"),  # a query with the query
    ("https://shop.example/?c={clickid}&", "&color=red", f"/?c={CLICK}&color=red"),
    ("https://shop.example?c={clickid}", "?color=red", f"?c={CLICK}&color=red"),
    ("https://shop.example/a", "?color=red", "/a?color=red"),
    ("https://shop.example/?c={clickid}", "shoes/red?size=4&w=2", f"/shoes/red?c={CLICK}&size=4&w=2"),
    ("https://shop.example/?c={clickid}#top", "/category", f"/category?c={CLICK}#top"),  # the fragment last
    ("https://shop.example/?c={clickid}#top", "/category#size", f"/category?c={CLICK}#size"),
    ("https://shop.example/?c={clickid}", "#size", f"/?c={CLICK}#size"),
    ("https://shop.example/go/{clickid}", "/category", f"/go/{CLICK}/category"),  # the id stays a segment
    ("https://shop.example/go/{clickid}/", "category?x=1", f"/go/{CLICK}/category?x=1"),
    ("https://shop.example/?c={clickid}", "/a b/ü", f"/a%20b/%C3%BC?c={CLICK}"),
    ("https://shop.example/?c={clickid}#top", "/category#", f"/category?c={CLICK}#top"),  # an empty fragment is none
    ("https://shop.example/#/app?c={clickid}", "/a?x=1#size", f"/a?x=1#/app?c={CLICK}"),  # the id must arrive
    # A link that was copied from the browser has the id of an older click; a shop reads one of the two.
    ("https://shop.example/?c={clickid}", "/category?c=OLD&x=1", f"/category?c={CLICK}&x=1"),
    ("https://shop.example/?c={clickid}", "?c=OLD", f"/?c={CLICK}"),
    ("https://shop.example/?c={clickid}", "&c=OLD&x=1#size", f"/?c={CLICK}&x=1#size"),
    ("https://shop.example/?c=%7Bclickid%7D", "/category?c=OLD", f"/category?c={CLICK}"),
    ("https://shop.example/?page=1&c={clickid}", "?page=2", f"/?page=1&c={CLICK}&page=2"),  # a fixed value is not an id
    ("https://shop.example/?f[]={sub1}&c={clickid}", "?f[]=new", f"/?f[]=&c={CLICK}&f[]=new"),  # a list
]


@pytest.mark.parametrize(("url", "path", "target"), _JOINED)
@pytest.mark.parametrize("place", ["offer", "landing", "macro_url"])
def test_deeplink_path_is_joined_as_addresses_are(place: str, url: str, path: str, target: str) -> None:
    sent = {"path": path}
    given: dict[str, object] = {"url": url}
    expected = f"https://shop.example{target}"
    if place == "landing":
        given = {"url": "https://other.example/", "landings": (RulesetLanding(1, url),)}
        sent["l"] = "1"
    if place == "macro_url":
        given["macro_url"] = "&s=x"
        base, hash_sign, fragment = expected.partition("#")
        expected = f"{base}{'&' if '?' in base else '?'}s=x{hash_sign}{fragment}"
    assert accepted_url(*make_target_hit(sent, allow_deeplink=True, **given)) == expected  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("sent", "target"),
    [
        ({"path": "/a?c=OLD&x=1"}, f"https://shop.example/a?x=1&c={CLICK}"),
        ({"redirect": "https://shop.example/a?c=OLD"}, f"https://shop.example/a?c={CLICK}"),
        ({"redirect": "https://shop.example/a?x=1&c=OLD#b"}, f"https://shop.example/a?x=1&c={CLICK}#b"),
        ({"redirect": "https://shop.example/a?x=1&C=OLD"}, f"https://shop.example/a?x=1&C=OLD&c={CLICK}"),
    ],
)
def test_deeplink_keeps_no_older_id_next_to_macro_url(sent: dict[str, str], target: str) -> None:
    hit = make_target_hit(sent, allow_deeplink=True, url="https://shop.example/", macro_url="&c={clickid}")
    assert accepted_url(*hit) == target
