"""click-check and an edge decide the same click alike.

See docs/spec/tracking.md#the-decision-on-a-click and docs/api/click-check.md.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from html import unescape
from ipaddress import ip_network
from typing import Any
from urllib.parse import urlencode

import msgspec
import pytest

from tests.support.api import UNBOUNDED, Api
from tests.support.clicks.edge_handler import MemoryJournal, ask
from tests.support.client import ApiClient
from trackyard.api.app import build
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.visitor import visitor_key
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import Response
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.journal.records import Click
from trackyard.store.tracking import rulesets

CHROME = (
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/120.0.0.0 Safari/537.36"
)
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 16_2 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.2 "
    "Mobile/15E148 Safari/604.1"
)
ROBOT = "Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"
EE, US, EE6 = "90.190.0.1", "8.8.8.8", "2001:bb8::1"
URL = "https://shop.example/?s={sub1}&l={language}&r={referrer}&o={os}&n={offer_name}&c={clickid}&i={ip}&d={deeplink}"

OFFERS: dict[str, dict[str, Any]] = {
    "plain": {},
    "stopped": {"status": "stopped"},
    "later": {"start_at": "2030-01-01 00:00:00"},
    "over": {"stopDate": "2020-01-01"},
    "night": {"schedule[enabled]": 1, "schedule[intervals][0][0][From]": 1, "schedule[intervals][0][0][To]": 2},
    "private": {"privacy": "private"},
    "page": {"redirect_type": "js"},
    "hidden": {"redirect_type": "http302hidden", "trafficback_url": "https://back.example/?p={pid}&o={offer_id}"},
    "estonia": {"countries[]": ["EE"], "strictly_country": 1},
    "address": {
        "targeting[0][ip][allow][]": ["90.190.0.0/16", "2001:bb8::/32"],
        "targeting[0][ip][deny][]": "90.190.0.2-90.190.0.9",
    },
    "callers": {"allowed_ip": "192.0.2.1", "disallowed_ip": "90.190.0.0/16\n2001:bb8::/32"},
    "phones": {"strictly_devices[]": ["mobile"], "url_preview": "https://show.example/?c={clickid}"},
    "apple": {"restriction_os[0][os]": "iOS", "restriction_os[0][versions][]": ["16.2"]},
    "subs": {"sub_restrictions[0][sub1]": "a", "sub_restrictions[0][sub2]": ""},
    "accounts": {"sub_account_1": "a,b", "sub_account_2": "x", "sub_account_2_except": 1},
    "filled": {"search_empty_sub": 3},
    "groups": {
        "targeting[0][country][allow][]": ["EE"],
        "targeting[0][url]": "https://ee.example/?s={sub1}",
        "targeting[1][browser][allow][]": ["Chrome"],
        "targeting[1][country][deny][]": ["US"],
    },
    "shares": {
        "targeting[0][urls][0][url]": "https://one.example/",
        "targeting[0][urls][0][weight]": 40,
        "targeting[0][urls][1][url]": "https://two.example/",
        "targeting[0][urls][1][weight]": 30,
    },
    "pages": {
        **{
            f"landings[{n}][{name}]": "https://page.example/"
            for n in (0, 1)
            for name in ("url", "url_preview", "title")
        },
        "landings[1][type]": "transit",
        "macro_url": "&aff={pid}",
    },
    "deep": {"allow_deeplink": 1, "url": "https://shop.example"},
    "once": {"uniqIpOnly": 1},
    "capped": {
        "is_redirect_overcap": 1,
        "caps[0][period]": "day",
        "caps[0][type]": "clicks",
        "caps[0][value]": 1,
    },
    "full": {
        "is_redirect_overcap": 1,
        "caps[0][period]": "day",
        "caps[0][type]": "conversions",
        "caps[0][value]": 0,
    },
}

HINTS = {
    "Sec-CH-UA": '"Google Chrome";v="120"',
    "Sec-CH-UA-Platform": '"Windows"',
    "Sec-CH-UA-Platform-Version": '"15.0.0"',
}
PAGE = {"Referer": "https://page.example/?a=b c", "Accept-Language": "et-EE,en;q=0.8"}
COOKIE = "c" * 24

SMARTLINKS = {"one takes it": ("estonia", "stopped", "capped"), "none does": ("stopped", "over"), "empty": ()}
"""The offers of each, of which at most one takes a click from Estonia (of `capped` the cap is full)."""


@dataclass(frozen=True)
class ComparedClick:
    """A click of an affiliate on one of OFFERS; `params` may name others."""

    offer: str
    ip: str = EE
    ua: str = CHROME
    affiliate: str = "good"
    params: tuple[tuple[str, str], ...] = ()
    headers: tuple[tuple[str, str], ...] = ()


def make_compared_click(
    offer: str, ip: str = EE, ua: str = CHROME, affiliate: str = "good", /, **more: Any
) -> ComparedClick:
    """With its parameters, or `headers`."""
    headers = more.pop("headers", {})
    return ComparedClick(offer, ip, ua, affiliate, tuple(more.items()), tuple(headers.items()))


VISITS = [
    make_compared_click("plain", sub1="a b&c"),
    make_compared_click("plain", EE6, sub1="\u00e9{os}"),
    make_compared_click("plain", headers=PAGE),
    make_compared_click("plain", headers=HINTS),
    make_compared_click("plain", offer_id="x"),
    make_compared_click("plain", offer_id=""),
    make_compared_click("plain", offer_id="999999"),
    make_compared_click("plain", offer_id="9" * 17),
    make_compared_click("plain", offer_id="f" * 24),
    make_compared_click("plain", offer_id="0000000000{offer}"),
    make_compared_click("plain", offer_id="00000000000000000000{offer}"),
    make_compared_click("plain", pid="0000000000001"),
    make_compared_click("plain", pid="x"),
    make_compared_click("plain", pid="999999"),
    make_compared_click("plain", pid="9" * 17),
    make_compared_click("plain", EE, CHROME, "banned"),
    make_compared_click("plain", EE, ROBOT),
    make_compared_click("plain", headers={"Sec-Purpose": "prefetch;prerender"}),
    make_compared_click("page", EE, ROBOT),
    make_compared_click("stopped", EE, ROBOT),
    *(make_compared_click(offer) for offer in OFFERS),
    *(make_compared_click(offer, US, PHONE) for offer in ("estonia", "address", "phones", "apple", "groups", "hidden")),
    make_compared_click("address", "90.190.0.5"),
    make_compared_click("address", EE6),
    make_compared_click("address", "::ffff:90.190.0.1"),
    make_compared_click("phones", EE, ""),
    make_compared_click("apple", EE, PHONE.replace("16_2", "16_20")),
    make_compared_click("subs", sub1="a"),
    make_compared_click("subs", sub1="a", sub2="b"),
    make_compared_click("accounts", sub1="b"),
    make_compared_click("accounts", sub1="b", sub2="x"),
    make_compared_click("filled", sub3="x"),
    make_compared_click("groups", US),
    make_compared_click("groups", "127.0.0.9"),
    make_compared_click("shares", US, PHONE),
    make_compared_click("shares", EE6, PHONE),
    make_compared_click("pages", l="1"),
    make_compared_click("pages", l="2", sub1="x"),
    make_compared_click("deep", path="@evil.example/{pid}"),
    make_compared_click("deep", redirect="https://www.shop.example/x?y"),
    make_compared_click("deep", redirect="https://evil.example/"),
    make_compared_click("once"),
    make_compared_click("once", US, headers={"Cookie": f"a=b; afuniq_{{offer}}={COOKIE}"}),
    make_compared_click("capped", US),
]


@dataclass(frozen=True)
class CheckAndEdge:
    """Who is asked, and the numbers of offers and affiliates by their names here."""

    client: ApiClient
    edge: EdgeHandler
    journal: MemoryJournal
    offers: dict[str, int]
    affiliates: dict[str, int]
    smartlinks: dict[str, str]

    def params(self, visit: ComparedClick) -> dict[str, str]:
        """The parameters of a visit's click."""
        named = {"offer_id": str(self.offers[visit.offer]), "pid": str(self.affiliates[visit.affiliate])}
        return named | {name: text.replace("{offer}", named["offer_id"]) for name, text in visit.params}

    def headers(self, visit: ComparedClick) -> dict[str, str]:
        """Return the headers of a visit's browser apart from its user agent."""
        return {name: text.replace("{offer}", str(self.offers[visit.offer])) for name, text in visit.headers}

    def checked(self, visit: ComparedClick) -> dict[str, Any]:
        """What click-check says."""
        asked = {f"params[{name}]": value for name, value in self.params(visit).items()}
        asked |= {f"headers[{name}]": value for name, value in self.headers(visit).items()}
        found: dict[str, Any] = self.client.post("/3.1/admin/click-check", ip=visit.ip, ua=visit.ua, **asked)["check"]
        return found

    def clicked(self, visit: ComparedClick) -> Response:
        """What the edge answers."""
        return self._sent(f"/click?{urlencode(self.params(visit))}", visit)

    def followed(self, smartlink: str, visit: ComparedClick) -> tuple[dict[str, Any], Response]:
        """What click-check says of a visit by a SmartLink, and what the edge answers."""
        offer = str(self.offers.get(visit.offer, ""))
        named = {name: text.replace("{offer}", offer) for name, text in visit.params}
        url = f"/sl?{urlencode({'id': smartlink, 'pid': self.affiliates[visit.affiliate]} | named)}"
        asked = {"url": f"https://track.example{url}", "ip": visit.ip, "ua": visit.ua}
        found: dict[str, Any] = self.client.post("/3.1/admin/click-check", **asked)["check"]
        return found, self._sent(url, visit)

    def _sent(self, url: str, visit: ComparedClick) -> Response:
        headers = {name.replace("-", "_").lower(): text.encode() for name, text in self.headers(visit).items()}
        sent = headers | {"user_agent": visit.ua.encode(), "x_forwarded_for": visit.ip.encode()}
        return ask(self.edge, url, peer="127.0.0.1", **sent)


@pytest.fixture(scope="module")
def sides(shared_api: Api, tmp_path_factory: pytest.TempPathFactory) -> Iterator[CheckAndEdge]:
    api, home = shared_api, tmp_path_factory.mktemp("alike")
    offers = {name: api.add_offer(**{"privacy": "public", "url": URL} | given) for name, given in OFFERS.items()}
    smartlinks = {}
    for name, held in SMARTLINKS.items():
        made = api.admin.post("/3.0/admin/smartlink/category", name=name)["data"]["_id"]
        smartlinks[name] = made
        for offer in held:
            before = api.admin.get(f"/3.1/offer/{offers[offer]}")["offer"]["smartlink_categories"]
            api.admin.post(f"/3.0/admin/offer/{offers[offer]}", **{"smartlink_categories[]": [*before, made]})
    affiliates = {"good": api.add_affiliate()[0], "banned": api.add_affiliate(status="banned")[0]}
    options = StateOptions(home / "state", home / "journal", home / "rules", 9, size=64 * 1024)
    state = EdgeState(options, lambda: (0, 0), api.clock.now_ms() // 1000)
    journal = MemoryJournal()
    edge = EdgeHandler(
        number=9,
        clock=api.clock,
        journal=journal,
        visitors=api.deps.visitors(),
        state=state,
        trusted=TrustedNetworks([ip_network("127.0.0.1/32")]),
        counters=Counters(),
    )
    with api.deps.database.read() as conn:
        edge.ruleset = Ruleset.of(
            (kind, key, msgspec.msgpack.encode(row)) for kind, key, row in rulesets.each_row(conn)
        )
    state.visitors.claim(
        offers["once"], visitor_key("192.0.2.1", "another"), COOKIE, api.clock.now_ms() // 1000, COOKIE
    )
    app = build(replace(api.deps, click_state=lambda: state.read_only), limits=UNBOUNDED)
    yield CheckAndEdge(api.admin.of(app), edge, journal, offers, affiliates, smartlinks)
    state.close()


@pytest.mark.parametrize("visit", VISITS, ids=lambda visit: f"{visit.offer} {visit.ip}")
def test_click_check_equals_edge_decision(sides: CheckAndEdge, visit: ComparedClick) -> None:
    checked = sides.checked(visit)
    assert checked == sides.checked(visit) | {"target": checked["target"]}, "it counted"
    _assert_equal_decisions(checked, sides.clicked(visit), sides.journal.click)


@pytest.mark.parametrize("name", [*SMARTLINKS, "unknown", "no id"])
@pytest.mark.parametrize(
    "visit",
    [
        make_compared_click("", "90.190.0.7"),
        make_compared_click("", US),
        make_compared_click("", "90.190.0.7", ROBOT),
        make_compared_click("", US, CHROME, "banned"),
        make_compared_click("plain", "90.190.0.7", offer_id="{offer}"),
    ],
    ids=["visitor", "abroad", "bot", "banned", "has an offer"],
)
def test_click_check_equals_edge_decision_for_smartlink(sides: CheckAndEdge, name: str, visit: ComparedClick) -> None:
    sides.clicked(make_compared_click("capped", "90.190.7.1"))
    smartlink = sides.smartlinks.get(name, "f" * 24 if name == "unknown" else "x")
    checked, answer = sides.followed(smartlink, visit)
    _assert_equal_decisions(checked, answer, sides.journal.click)
    assert checked["smart_id"] == sides.journal.click.smart_id
    held = {sides.offers[offer] for offer in SMARTLINKS.get(name, ())}
    assert {tried["offer_id"] for tried in checked["smart_offers"]} == held
    if name == "one takes it" and visit.ip != US:
        [taker] = [tried["offer_id"] for tried in checked["smart_offers"] if not tried["reason"]]
        assert taker == checked["offer_id"] == sides.offers["estonia"]


@pytest.mark.parametrize("value", ["x" * 3000, "\u00e9" * 1200, "a\tb\r\nc"], ids=["long", "accents", "controls"])
def test_click_check_equals_edge_parameter_parsing(sides: CheckAndEdge, value: str) -> None:
    visit = make_compared_click("plain", sub1=value)
    checked, answer = sides.checked(visit), sides.clicked(visit)
    _assert_equal_decisions(checked, answer, sides.journal.click)
    by_link = sides.client.post(
        "/3.1/admin/click-check",
        ip=visit.ip,
        ua=visit.ua,
        url=f"https://track.example/click?{urlencode(sides.params(visit))}",
    )["check"]
    assert len(by_link["target"]) == len(answer.location)


def test_offer_address_lists_reject_no_visitor(sides: CheckAndEdge) -> None:
    visit = make_compared_click("callers")
    checked = sides.checked(visit)
    assert (checked["passes"], sides.clicked(visit).status, sides.journal.click.reason) == (True, 302, "")


def _assert_equal_decisions(checked: dict[str, Any], answer: Response, click: Click) -> None:
    assert (checked["reason"], checked["detail"]) == (click.reason, click.detail)
    assert (checked["offer_id"] or 0, checked["pid"] or 0) == (click.offer, click.affiliate)
    target = None if checked["target"] is None else re.sub(r"[0-9a-f]{24}", click.id, checked["target"])
    assert (target, checked["redirect_type"]) == _where(answer)


def test_click_check_sees_uniqueness_and_caps_counted_by_edge(sides: CheckAndEdge) -> None:
    for offer, reason in (("once", "non-unique-clicks"), ("capped", "overcap")):
        visit = make_compared_click(offer, "90.190.7.7")
        sides.clicked(visit)
        assert (sides.checked(visit)["reason"], sides.clicked(visit).recorded) == (reason, True)
        assert sides.journal.click.reason == reason


def _where(answer: Response) -> tuple[str | None, str]:
    """Target and redirect_type of an edge's answer."""
    if answer.status == 404:
        return None, "http302"
    if answer.status == 302:
        return answer.location.decode(), "http302hidden" if b"Referrer-Policy" in answer.headers else "http302"
    found = re.search(rb'data-url="(.*?)"', answer.body)
    assert found is not None
    return unescape(found[1].decode()), "js"
