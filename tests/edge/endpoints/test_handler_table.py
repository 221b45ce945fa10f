"""A table of hits with status, Location and record; hostile requests cause no fault."""

import re
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.edge.conftest import ROWS
from tests.support.clicks.edge_handler import MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, HASH, make_offer, make_ruleset, packed
from trackyard.domain.tracking.links import Link
from trackyard.domain.tracking.ruleset import (
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetLanding,
    RulesetOffer,
    RulesetPixels,
    RulesetPlatform,
    RulesetRow,
    RulesetSmartLink,
)
from trackyard.domain.tracking.ruleset import RulesetSmartLinkOffer as InSmartLink
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.request import Request

NOW = 1_700_000_000_123
KEY = "5" * 24
OWN = "http://shop.example/?c={click}&s="
ALL: list[RulesetRow] = [
    make_offer(
        url="http://shop.example/?c={clickid}&s={sub1}",
        landings=(
            RulesetLanding(5, "http://land.example/?s={sub1}"),
            RulesetLanding(6, "http://transit.example/", transit=True),
        ),
    ),
    make_offer(4, hash="4" * 24, active=False, preview_url="http://show.example/?o={offer_id}"),
    make_offer(5, hash="5" * 24, open=False, trafficback_url="http://back.example/?g={geo}&s={sub1}"),
    make_offer(6, hash="6" * 24, advertiser="c" * 24),
    make_offer(7, hash="7" * 24, start_at=NOW + 1),
    make_offer(8, hash="8" * 24, stop_at=NOW),
    make_offer(9, hash="9" * 24, redirect_type="js", allow_deeplink=True, url="http://js.example/"),
    make_offer(10, hash="c" * 24, restrictions=packed(empty_sub=2), url="http://sub.example/"),
    *(RulesetAffiliate(id=number, rejection="inactive-affiliate" if number == 8 else "") for number in (7, 8, 9)),
    RulesetAdvertiser(id=ADVERTISER, blacklist=frozenset({9})),
    RulesetConnections(5, affiliates=(9,)),
    RulesetSmartLink(KEY, (InSmartLink(4, 2.0), InSmartLink(3, 1.0))),
    RulesetPixels(3, 7, ("<img src='{clickid}'>",)),
]
ROBOT = b"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)"


@pytest.mark.parametrize(
    ("target", "status", "location", "record"),
    [
        ("/click?pid=7&offer_id=3&sub1=a%26b", 302, OWN + "a%26b", ("", 3, 7, 0)),
        (f"/click?offer_id={HASH}&pid=007", 302, OWN, ("", 3, 7, 0)),
        ("/click/?pid=7&offer_id=3", 302, OWN, ("", 3, 7, 0)),
        ("/click?pid=7&offer_id=3&l=5&sub1=%C3%A9", 302, "http://land.example/?s=%C3%A9", ("", 3, 7, 5)),
        ("/click?pid=7&offer_id=3&l=6", 302, "http://transit.example/", ("", 3, 7, 0, 6)),
        ("/click?pid=7&offer_id=3&l=99", 302, OWN, ("", 3, 7, 0)),
        (f"/{Link(3, 7).hash}?sub1=x", 302, OWN + "x", ("", 3, 7, 0)),
        (f"/{Link(3, 7, 5).hash}?sub1=x", 302, "http://land.example/?s=x", ("", 3, 7, 5)),
        (f"/{Link(3, 424242).hash}", 404, "", ("unknown-affiliate", 3, 0, 0)),
        (f"/sl?id={KEY}&pid=7&sub1=x", 302, OWN + "x", ("", 3, 7, 0)),
        (f"/sl?id={KEY}&pid=8", 302, "http://show.example/?o=4", ("inactive-offer", 4, 8, 0)),
        ("/sl?pid=7", 404, "", ("invalid-offer", 0, 7, 0)),
        ("/click", 404, "", ("invalid-offer", 0, 0, 0)),
        ("/click?pid=7&offer_id=x", 404, "", ("invalid-offer", 0, 7, 0)),
        ("/click?pid=7&offer_id=99", 404, "", ("unknown-offer", 0, 7, 0)),
        ("/click?offer_id=3&pid=-1", 404, "", ("invalid-affiliate", 3, 0, 0)),
        ("/click?offer_id=3&pid=424242", 404, "", ("unknown-affiliate", 3, 0, 0)),
        ("/click?pid=7&offer_id=4", 302, "http://show.example/?o=4", ("inactive-offer", 4, 7, 0)),
        ("/click?pid=7&offer_id=7", 404, "", ("inactive-offer", 7, 7, 0)),
        ("/click?pid=7&offer_id=8", 404, "", ("inactive-offer", 8, 7, 0)),
        ("/click?pid=8&offer_id=3", 404, "", ("inactive-affiliate", 3, 8, 0)),
        ("/click?pid=7&offer_id=6", 404, "", ("unknown-advertiser", 6, 7, 0)),
        ("/click?pid=9&offer_id=3", 404, "", ("disabled-affiliate", 3, 9, 0)),
        ("/click?pid=7&offer_id=5&sub1=a%20b", 302, "http://back.example/?g=&s=a%20b", ("disabled-affiliate", 5, 7, 0)),
        ("/click?pid=7&offer_id=10", 404, "", ("empty-sub", 10, 7, 0)),
        ("/click?pid=7&offer_id=10&sub2=x", 302, "http://sub.example/", ("", 10, 7, 0)),
        ("/click?pid=7&offer_id=9", 200, "", ("", 9, 7, 0)),
        ("/click?pid=7&offer_id=9&redirect=http://js.example/x&format=json", 200, "", ("", 9, 7, 0)),
    ],
)
def test_edge_click_gives_expected_status_target_and_record(
    edge: EdgeHandler, journal: MemoryJournal, target: str, status: int, location: str, record: tuple[Any, ...]
) -> None:
    edge.ruleset = make_ruleset(ALL)
    answer = ask(edge, target)
    click = journal.click
    assert len(journal.records) == 1
    assert (answer.status, answer.location.decode()) == (status, location.replace("{click}", click.id))
    landings = (click.landing, click.prelanding) if click.prelanding else (click.landing,)
    assert (click.reason, click.offer, click.affiliate, *landings) == record
    assert b"Cache-Control: no-store\r\n" in answer.headers
    assert (b"Set-Cookie" in answer.headers) == (record[0] == "")


@pytest.mark.parametrize("platform", ["", "http://p.example/?o={offer_id}&t={offer_name}"])
@pytest.mark.parametrize("pid", ["7", "8", "9", "424242", "x", ""])
@pytest.mark.parametrize("form", ["", "&format=json"])
@pytest.mark.parametrize("active", [True, False])
def test_edge_private_offer_answers_strangers_as_an_unknown_offer(
    edge: EdgeHandler, journal: MemoryJournal, platform: str, pid: str, form: str, active: bool
) -> None:
    own = {"preview_url": "http://v.example/", "trafficback_url": "http://o.example/", "title": "Secret"}
    offer = make_offer(3, open=False, private=True, active=active, **own)
    rows = [offer, RulesetPlatform(platform), *(row for row in ALL if not isinstance(row, RulesetOffer))]
    edge.ruleset = make_ruleset([*rows, RulesetConnections(3, affiliates=(5,), disconnected=(9,))])
    answers = [ask(edge, f"/click?pid={pid}&offer_id={number}{form}") for number in (3, 4)]
    private, unknown = (
        (answer.status, answer.location.replace(b"o=3", b"o=4"), answer.headers, _without_click(answer.body))
        for answer in answers
    )
    assert private == unknown
    assert b"o.example" not in answers[0].location + answers[0].body
    assert b"v.example" not in answers[0].location + answers[0].body
    assert journal.click.reason != ""


def _without_click(body: bytes) -> bytes:
    return re.sub(rb'"clickid":"[0-9a-f]{24}"', b"", body).replace(b"o=3", b"o=4")


def test_edge_private_offer_answers_its_affiliates_as_before(edge: EdgeHandler, journal: MemoryJournal) -> None:
    offer = make_offer(3, open=False, private=True, preview_url="http://v.example/")
    rows = [offer, RulesetConnections(3, affiliates=(7,)), *(row for row in ALL if not isinstance(row, RulesetOffer))]
    edge.ruleset = make_ruleset(rows)
    assert ask(edge, "/click?pid=7&offer_id=3").location.startswith(b"http://shop.example/")
    edge.ruleset = make_ruleset([msgspec.structs.replace(offer, active=False), *rows[1:]])
    assert ask(edge, "/click?pid=7&offer_id=3").location == b"http://v.example/"


@pytest.mark.parametrize(
    ("changed", "platform", "location"),
    [
        (
            {"trafficback_url": "http://o.example/", "preview_url": "http://v.example/"},
            "http://p.example/",
            b"http://o.example/",
        ),
        ({"preview_url": "http://v.example/"}, "http://p.example/", b"http://p.example/"),
        ({"preview_url": "http://v.example/"}, "", b"http://v.example/"),
        ({}, "", b""),
    ],
)
def test_edge_bot_click_redirects_like_visitor_click(
    edge: EdgeHandler, journal: MemoryJournal, changed: dict[str, Any], platform: str, location: bytes
) -> None:
    edge.ruleset = make_ruleset([make_offer(**changed), *ROWS[1:], RulesetPlatform(platform)])
    assert ask(edge, "/click?pid=7&offer_id=3", user_agent=ROBOT).location.startswith(b"http://shop.example/?c=")
    assert journal.click.reason == "bot"
    closed = make_offer(**changed, restrictions=packed(empty_sub=1))
    edge.ruleset = make_ruleset([closed, *ROWS[1:], RulesetPlatform(platform)])
    answer = ask(edge, "/click?pid=7&offer_id=3", user_agent=ROBOT)
    assert (answer.location, answer.status) == (location, 302 if location else 404)
    assert journal.click.reason == "bot"
    edge.ruleset = make_ruleset([make_offer(**changed), *ROWS[1:], RulesetPlatform(platform, refuse_bots=False)])
    ask(edge, "/click?pid=7&offer_id=3", user_agent=ROBOT)
    assert journal.click.reason == ""


PATHS = ("/click", "/sl", "/imp", "/postback", "/success.jpg", "/success.php", "/track.js", "/", f"/{Link(3, 7).hash}")
NAMES = (
    *("pid", "offer_id", "l", "sub1", "path", "redirect", "format", "id", "aid", "oid", "ip", "ua", "clickid"),
    *("afclick", "afid", "afprice", "afstatus", "custom_field1"),
)
VALUES = st.one_of(
    st.sampled_from(
        [b"3", b"7", b"9", b"5", HASH.encode(), KEY.encode(), b"json", b"http://js.example/", b"%0d%0aX:%20y"]
    ),
    st.binary(max_size=40),
)
QUERIES = st.lists(st.tuples(st.sampled_from(NAMES), VALUES), max_size=8).map(
    lambda pairs: b"&".join(name.encode() + b"=" + value for name, value in pairs)
)
HEADERS = st.dictionaries(
    st.sampled_from(
        [
            *(b"cookie", b"origin", b"user-agent", b"referer", b"accept-language", b"x-forwarded-for"),
            *(b"x-forwarded-proto", b"content-type", b"access-control-request-headers", b"sec-ch-ua", b"purpose"),
        ]
    ),
    st.one_of(st.binary(max_size=60), st.sampled_from([b"afclick_3=" + b"a" * 24 + b"; afpid_3=7", b"https", b"null"])),
    max_size=5,
)


@settings(max_examples=300, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    method=st.sampled_from(["GET", "GET", "GET", "HEAD", "POST", "OPTIONS", "PUT"]),
    path=st.one_of(st.sampled_from(PATHS), st.text(st.characters(max_codepoint=255), max_size=20)),
    query=QUERIES,
    headers=HEADERS,
    peer=st.sampled_from(["192.0.2.1", "127.0.0.1", "2001:db8::1", ""]),
)
def test_edge_fuzzed_input_never_faults_or_breaks_headers(
    edge: EdgeHandler, method: str, path: str, query: bytes, headers: dict[bytes, bytes], peer: str
) -> None:
    edge.ruleset = make_ruleset(ALL)
    answer = edge.handle(Request(method, path, query, headers, peer, peer.startswith("127."), b""))
    assert edge.commit()
    assert answer.status < 500
    assert all(0x21 <= byte < 0x7F for byte in answer.location)
    lines = answer.headers.split(b"\r\n")
    assert lines.pop() == b""
    assert all(line and b"\n" not in line and b"\r" not in line for line in lines)
    known = (
        *(b"Cache-Control", b"Set-Cookie", b"Referrer-Policy", b"Vary", b"Allow", b"Access-Control-", b"Retry-After"),
        *(b"Content-Security-Policy", b"X-Content-Type-Options", b"Accept-CH", b"Critical-CH", b"X-Postback-Hint"),
    )
    assert all(line.startswith(known) for line in lines), lines
