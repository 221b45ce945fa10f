"""Tracking addresses as a function from request to answer."""

from collections.abc import Callable
from ipaddress import ip_network

import msgspec
import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, HASH, make_offer, make_ruleset
from trackyard.base.clock import ManualClock
from trackyard.base.ids import find_click_id
from trackyard.base.metrics import exposition
from trackyard.domain.platform.own_requests import INSTALLATION_PATH, origin_of, proof_of
from trackyard.domain.statistics.quality.origins import BOT, HEADLESS, HOSTING, PREFETCH
from trackyard.domain.tracking.links import Link
from trackyard.domain.tracking.ruleset import RulesetLanding, RulesetPlatform
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.endpoints.postbacks import MAX_LOGGED_BODY, MAX_PROMO_CODE_TEXT
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import MAX_BODY
from trackyard.edge.http.request import MAX_URL, Request
from trackyard.journal.records import Click, ClickFlag, InboundPostback, encode, encode_click

IPHONE = (
    b"Mozilla/5.0 (iPhone; CPU iPhone OS 17_2_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.2 "
    b"Mobile/15E148 Safari/604.1"
)


def test_edge_accepted_click_is_recorded_and_redirected(edge: EdgeHandler, journal: MemoryJournal) -> None:
    answer = ask(
        edge,
        f"/click?pid=7&offer_id={HASH}&sub1=a%20b&sub8=z&ref_id=r&os_id=o&ext1=x&user_id=u&fbclid=f&ios_idfa=i&android_id=a"
        "&bundle_id=b",
        peer="127.0.0.1",
        user_agent=IPHONE,
        x_forwarded_for=b"8.8.8.8",
        referer=b"http://from.example/",
        accept_language=b"en-GB,en;q=0.9",
    )
    click = journal.click
    assert (answer.status, answer.location) == (302, b"http://shop.example/?c=" + click.id.encode())
    assert answer.headers.endswith(b"\r\nCache-Control: no-store\r\n")
    made = find_click_id(click.id)
    assert made is not None
    assert (made.second, made.edge) == (NOW // 1000, 9)
    expected = Click(
        *(NOW, click.id, "", "", 3, 7, ADVERTISER, 0, "", 1, "8.8.8.8", "US", "", 0, "", "", ""),
        *(IPHONE.decode(), "iOS", "17.2.1", "mobile", "Apple", "iPhone", "Mobile Safari", "17.2", "en"),
        *(
            "http://from.example/",
            "a b",
            "",
            "",
            "",
            "",
            "",
            "",
            "z",
            "r",
            "o",
            "u",
            "x",
            "",
            "",
            "f",
            "i",
            "a",
            "b",
            0,
        ),
        origin=HOSTING,
    )
    assert click == expected


def test_edge_rejected_click_is_recorded_with_reason(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([*ROWS, RulesetPlatform("http://back.example/?sub={sub1}")])
    answer = ask(edge, "/click?pid=8&offer_id=3&sub1=%C3%A9")
    click = journal.click
    assert (answer.status, answer.location) == (302, b"http://back.example/?sub=%C3%A9")
    assert (click.reason, click.detail, click.offer, click.affiliate, click.uniq) == ("unknown-affiliate", "8", 3, 0, 0)


def test_edge_rejected_click_without_trafficback_shows_page(edge: EdgeHandler, journal: MemoryJournal) -> None:
    answer = ask(edge, "/click?pid=7&offer_id=99")
    assert answer.status == 404
    assert answer.content_type.startswith(b"text/html")
    assert b"not available" in answer.body
    assert journal.click.reason == "unknown-offer"


def test_edge_records_landing_of_click(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(landings=(RulesetLanding(5, "http://land.example/"),)), *ROWS[1:]])
    assert ask(edge, "/click?pid=7&offer_id=3&l=5").location == b"http://land.example/"
    assert journal.click.landing == 5
    ask(edge, "/click?pid=7&offer_id=3&l=6")
    assert journal.click.landing == 0


def test_edge_click_keeps_its_signals(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset(
        [make_offer(landings=(RulesetLanding(5, "http://t.example/", transit=True),)), *ROWS[1:]]
    )
    found = []
    for peer, more in (("193.0.0.1", ""), ("52.95.110.1", ""), ("52.95.110.1", "&l=5"), ("66.249.66.1", "")):
        ask(edge, f"/click?pid=7&offer_id=3{more}", peer=peer, user_agent=IPHONE)
        found.append((journal.click.origin, journal.click.prelanding, journal.click.reason))
    assert found == [(0, 0, ""), (HOSTING, 0, ""), (HOSTING, 5, ""), (BOT, 0, "")]
    ask(edge, "/click?pid=7&offer_id=3", peer="193.0.0.1", user_agent=IPHONE, sec_purpose=b"prefetch")
    assert (journal.click.origin, journal.click.reason) == (PREFETCH, "bot")
    ask(edge, "/click?pid=7&offer_id=3", peer="193.0.0.1", user_agent=b"Mozilla/5.0 HeadlessChrome/120.0 Safari/537.36")
    assert journal.click.origin == BOT | HEADLESS


def test_edge_visitor_is_unique_once_a_day(edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock) -> None:
    seen = []
    for wait_h in (0, 1, 22, 2, 1):
        clock.advance(wait_h * 3_600_000)
        ask(edge, "/click?pid=7&offer_id=3")
        seen.append(journal.click.uniq)
    assert seen == [1, 0, 0, 1, 0]


def test_edge_rejected_click_does_not_use_up_uniqueness(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ask(edge, "/click?pid=8&offer_id=3")
    ask(edge, "/click?pid=7&offer_id=3")
    assert [record.uniq for record in journal.records if isinstance(record, Click)] == [0, 1]


@pytest.mark.parametrize(
    ("peer", "query", "forwarded", "ip", "ua"),
    [
        ("192.0.2.1", "ip=8.8.8.8&ua=sent", None, "192.0.2.1", "own"),
        ("192.0.2.1", "", b"8.8.8.8", "192.0.2.1", "own"),
        ("127.0.0.1", "", b"203.0.113.1, 8.8.8.8", "8.8.8.8", "own"),
        ("127.0.0.1", "ip=1.1.1.1&ua=sent", b"8.8.8.8", "8.8.8.8", "own"),
        ("127.0.0.1", "ip=1.1.1.1&ua=sent", None, "127.0.0.1", "own"),  # a proxy that sends no address
        ("127.0.0.1", "ip=rubbish", None, "127.0.0.1", "own"),
    ],
)
def test_edge_visitor_address_and_agent_are_resolved(
    edge: EdgeHandler, journal: MemoryJournal, peer: str, query: str, forwarded: bytes | None, ip: str, ua: str
) -> None:
    headers = {"user_agent": b"own"} | ({} if forwarded is None else {"x_forwarded_for": forwarded})
    ask(edge, f"/click?pid=7&offer_id=3&{query}", peer=peer, **headers)
    assert (journal.click.ip, journal.click.ua) == (ip, ua)


@pytest.mark.parametrize(
    ("peer", "query", "forwarded", "ip", "ua"),
    [
        ("127.0.0.1", "ip=1.1.1.1&ua=sent", None, "1.1.1.1", "sent"),
        ("198.51.100.7", "ip=1.1.1.1&ua=sent", None, "1.1.1.1", "sent"),
        ("127.0.0.1", "ip=1.1.1.1&ua=sent", b"198.51.100.7", "1.1.1.1", "sent"),
        ("127.0.0.1", "ip=1.1.1.1&ua=sent", b"198.51.100.7, 8.8.8.8", "8.8.8.8", "own"),
        ("192.0.2.1", "ip=1.1.1.1&ua=sent", b"198.51.100.7", "192.0.2.1", "own"),
        ("198.51.100.7", "ip=rubbish", None, "198.51.100.7", "own"),
        ("198.51.100.7", "", None, "198.51.100.7", "own"),
    ],
)
def test_edge_believes_reported_visitors_of_click_senders_alone(
    edge_with: Callable[..., EdgeHandler],
    journal: MemoryJournal,
    peer: str,
    query: str,
    forwarded: bytes | None,
    ip: str,
    ua: str,
) -> None:
    edge = edge_with(senders=TrustedNetworks([ip_network("127.0.0.1/32"), ip_network("198.51.100.7/32")]))
    headers = {"user_agent": b"own"} | ({} if forwarded is None else {"x_forwarded_for": forwarded})
    ask(edge, f"/click?pid=7&offer_id=3&{query}", peer=peer, **headers)
    assert (journal.click.ip, journal.click.ua) == (ip, ua)


def test_edge_head_click_redirects_without_recording(edge: EdgeHandler, journal: MemoryJournal) -> None:
    assert ask(edge, "/click?pid=7&offer_id=3", method="HEAD").status == 302
    assert journal.records == []
    ask(edge, "/click?pid=7&offer_id=3")
    assert journal.click.uniq == 1


@pytest.mark.parametrize(
    ("query", "flags"),
    [
        (b"sub1=" + b"x" * 3000, ClickFlag.PARAMETER_CUT),
        (b"redirect=http://evil.example/", ClickFlag.REDIRECT_IGNORED),
        (b"path=/x&sub1=" + b"x" * 3000, ClickFlag.PARAMETER_CUT | ClickFlag.REDIRECT_IGNORED),
    ],
)
def test_edge_click_with_changed_parameters_is_flagged(
    edge: EdgeHandler, journal: MemoryJournal, query: bytes, flags: int
) -> None:
    answer = ask(edge, b"/click?pid=7&offer_id=3&" + query)
    assert answer.location.startswith(b"http://shop.example/")
    assert journal.click.flags == flags
    assert len(journal.click.sub1) <= 2048


@pytest.mark.parametrize(
    "query",
    [
        b"",
        b"pid=7&offer_id=3&sub1=%00%ff%fe\xff\x00\r\nSet-Cookie: x",
        b"pid=%00&offer_id=3",
        b"pid=7&offer_id=" + b"9" * 5000,
        b"pid=7&offer_id=3&l=" + b"9" * 5000,
        b"&&&===&%&%%%&+",
        b"a[b]" * 100 + b"=1",
    ],
)
def test_edge_click_with_invalid_bytes_is_recorded(edge: EdgeHandler, journal: MemoryJournal, query: bytes) -> None:
    edge.ruleset = make_ruleset([make_offer(url="http://shop.example/?s={sub1}"), *ROWS[1:]])
    answer = ask(edge, b"/click?" + query, user_agent=b"\xff\x00x", referer=b"\xc3", accept_language=b"\xff;;")
    assert answer.status in (302, 404)
    assert all(32 < byte < 127 for byte in answer.location)
    assert len(journal.records) == 1


def test_edge_too_long_url_is_414(edge: EdgeHandler, journal: MemoryJournal) -> None:
    assert ask(edge, b"/click?" + b"x" * MAX_URL).status == 414
    assert journal.records == []


def test_edge_without_rules_answers_503(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = None
    assert ask(edge, "/click?pid=7&offer_id=3").status == 503
    assert journal.records == []
    ready = ask(edge, "/readyz")
    assert (ready.status, msgspec.json.decode(ready.body)) == (503, {"status": 2})


def test_edge_with_full_journal_rejects_clicks_and_postbacks(edge: EdgeHandler, journal: MemoryJournal) -> None:
    journal.full = True
    for target in ("/click?pid=7&offer_id=3", "/postback?clickid=c"):
        answer = ask(edge, target)
        assert (answer.status, msgspec.json.decode(answer.body)["status"]) == (503, 2)
    assert ask(edge, "/readyz").status == 503
    journal.full = False
    ask(edge, "/click?pid=7&offer_id=3")
    assert journal.click.uniq == 1, "the refused click did not spend the visitor"


def test_edge_commit_after_lost_clicks_fails_despite_postback(edge: EdgeHandler, journal: MemoryJournal) -> None:
    click = Request("GET", "/click", b"pid=7&offer_id=3", {}, "192.0.2.1", False)
    journal.full = True
    assert edge.handle(click).recorded
    assert edge.handle(Request("GET", "/postback", b"clickid=c", {}, "192.0.2.1", False)).status == 503
    journal.full = False
    assert not edge.commit()
    assert edge.commit()
    assert journal.records == []
    assert edge.handle(click).recorded
    assert edge.commit()
    assert journal.click.uniq == 1


def test_edge_postback_is_recorded_verbatim(edge: EdgeHandler, journal: MemoryJournal) -> None:
    answer = ask(
        edge,
        "/postback?afclick=c&goal=2",
        method="POST",
        peer="127.0.0.1",
        body=b"sum=1.5&secure=s",
        user_agent=b"caller",
        x_forwarded_for=b"203.0.113.5",
    )
    assert (answer.status, answer.body, answer.content_type, answer.durable) == (
        200,
        b'{"status":1}',
        b"application/json",
        True,
    )
    call = journal.call
    params = {"goal": "2", "sum": "1.5", "secure": "s", "clickid": "c"}
    assert call == InboundPostback(
        NOW, call.id, "postback", "POST", "203.0.113.5", "caller", "afclick=c&goal=2", "sum=1.5&secure=s", params
    )
    assert find_click_id(call.id) is not None
    assert b"X-Postback-Hint: clickid must be" in answer.headers


def test_edge_postback_long_body_is_truncated_but_fully_parsed(edge: EdgeHandler, journal: MemoryJournal) -> None:
    click_id = "c" * 24
    body = b"x=" + b"\x01" * (MAX_BODY - 40) + b"&clickid=" + click_id.encode()
    assert ask(edge, "/postback", method="POST", body=body).status == 200
    assert (journal.call.body, journal.call.params) == (body[:MAX_LOGGED_BODY].decode(), {"clickid": click_id})


@pytest.mark.parametrize("click_id", ["", "junk", "a" * 1_000, "g" * 24])
def test_edge_postback_without_click_id_leaves_little_of_8_kb(
    edge: EdgeHandler, journal: MemoryJournal, click_id: str
) -> None:
    query = f"clickid={click_id}&" + "&".join(f"custom_field{number}={'x' * 1_000}" for number in range(1, 7))
    answer = ask(edge, f"/postback?{query}", method="POST", body=b"comment=" + b"y" * 60_000, user_agent=b"u" * 2_000)
    assert answer.status == 200
    call = journal.call
    assert len(encode(call)) < 1_500
    assert (call.query, call.body, call.ua) == (query[:256], "comment=" + "y" * 248, "u" * 256)
    assert call.params.get("clickid", "") == click_id[:256]
    assert sum(map(len, call.params.values())) == 256


def test_edge_postback_with_promo_code_keeps_what_counts(edge: EdgeHandler, journal: MemoryJournal) -> None:
    counts = {"promo_code": "Black-1", "action_id": "order-1", "sum": "20", "secure": "s" * 40}
    ask(edge, f"/postback?comment={'c' * 300}&" + "&".join(f"{name}={value}" for name, value in counts.items()))
    assert journal.call.params == {"comment": "c" * 300, **counts}
    long = "&".join(f"custom_field{number}={'x' * 1_000}" for number in range(1, 7))
    ask(edge, f"/postback?{long}&" + "&".join(f"{name}={value}" for name, value in counts.items()))
    assert counts.items() <= journal.call.params.items()
    assert sum(map(len, journal.call.params.values())) == MAX_PROMO_CODE_TEXT


def test_edge_click_on_unknown_offer_leaves_little_of_8_kb(edge: EdgeHandler, journal: MemoryJournal) -> None:
    subs = "&".join(f"sub{number}={'x' * 950}" for number in range(1, 9))
    ask(edge, f"/click?pid=7&offer_id=999999&{subs}", referer=b"http://r.example/" + b"y" * 1_900)
    click = journal.click
    assert len(encode_click(click)) < 1_500
    assert (click.sub1, click.sub8, len(click.referrer)) == ("x" * 64, "x" * 64, 64)
    assert click.flags & ClickFlag.PARAMETER_CUT
    ask(edge, "/click?pid=7&offer_id=999999&sub1=short")
    assert (journal.click.sub1, journal.click.flags) == ("short", 0)


@pytest.mark.parametrize(
    ("body", "params"),
    [
        (b'{"clickid":"c","comment":"\xff","sum":1.50}', {"clickid": "c", "comment": "я", "sum": "1.50"}),
        (b'{"clickid":"c","x":"\xff"}', {"clickid": "c"}),
        (b'{"clickid":"\\ud800"}', {}),
        (b"\xff", {}),
    ],
)
def test_edge_postback_body_of_invalid_utf_8_is_accepted(
    edge: EdgeHandler, journal: MemoryJournal, body: bytes, params: dict[str, str]
) -> None:
    answer = ask(edge, "/postback", method="POST", body=body, content_type=b"application/json")
    assert (answer.status, journal.call.params) == (200, params)


def test_edge_public_pages_show_the_status_only(edge: EdgeHandler, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("render_metrics", "read_states"):
        monkeypatch.delattr(exposition, name)  # they take as long as thousands of clicks
    for page in ("/healthz", "/readyz"):
        assert msgspec.json.decode(ask(edge, page).body) == {"status": 1}
    moved = ask(edge, "/metrics")
    assert moved.status == 404
    assert b"TRACKYARD_MONITORING_LISTEN" in moved.body and b"trackyard_" not in moved.body


@pytest.mark.parametrize(
    ("method", "target", "status", "allow"),
    [
        ("GET", "/healthz", 200, None),
        ("GET", "/readyz", 200, None),
        ("GET", "/readyz/", 200, None),
        ("GET", "/metrics", 404, None),
        ("GET", "/favicon.ico", 204, None),
        ("GET", "/robots.txt", 200, None),
        ("GET", "/nothing", 404, None),
        ("GET", "/", 404, None),
        ("POST", "/nothing", 404, None),
        ("PUT", "/click", 405, b"Allow: GET, HEAD, POST"),
        ("POST", "/imp", 405, b"Allow: GET, HEAD"),
        ("DELETE", "/postback", 405, b"Allow: GET, POST"),
        ("HEAD", "/postback", 405, b"Allow: GET, POST"),
    ],
)
def test_edge_paths_answer_expected_status(
    edge: EdgeHandler, journal: MemoryJournal, method: str, target: str, status: int, allow: bytes | None
) -> None:
    answer = ask(edge, target, method=method)
    assert answer.status == status
    assert journal.records == []
    if status >= 400:
        document = msgspec.json.decode(answer.body)
        assert document["status"] == 2
        assert document["error"] == document["message"]
        assert document["code"]
    if allow is not None:
        assert allow in answer.headers


@pytest.mark.parametrize("target", [Link(3, 7).hash, Link(3, 7).hash + "/", Link(3, 7).hash + "?pid=8&offer_id=9"])
def test_edge_short_link_is_its_click(edge: EdgeHandler, journal: MemoryJournal, target: str) -> None:
    answer = ask(edge, f"/{target}")
    assert answer.location == b"http://shop.example/?c=" + journal.click.id.encode()
    assert (journal.click.offer, journal.click.affiliate) == (3, 7)


def test_edge_short_link_keeps_landing_and_subs(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = make_ruleset([make_offer(landings=(RulesetLanding(id=2, url="http://land.example/"),)), *ROWS[1:]])
    answer = ask(edge, f"/{Link(3, 7, 2).hash}?sub1=a%20b&l=1")
    assert answer.location == b"http://land.example/"
    assert (journal.click.landing, journal.click.sub1) == (2, "a b")
    assert ask(edge, f"/{Link(3, 7).hash}", method="PUT").status == 405


def test_edge_unknown_path_is_no_short_link(edge: EdgeHandler, journal: MemoryJournal) -> None:
    assert ask(edge, f"/{Link(3, 7).hash}0").status == 404
    assert journal.records == []


@pytest.mark.parametrize("path", ["/postback", "/success.jpg", "/success.php", "/track.js"])
def test_edge_delivery_of_own_platform_is_refused_and_not_recorded(
    edge: EdgeHandler, journal: MemoryJournal, path: str
) -> None:
    target = f"{path}?offer_id=3&afclick={'a' * 24}"
    own = origin_of(b"").encode()
    for headers in ({}, {"x_trackyard_origin": b""}, {"x_trackyard_origin": own}):
        answer = ask(edge, target, x_trackyard_delivery=b"d" * 24, **headers)
        assert (answer.status, b"own_request" in answer.body) == (403, True)
    assert journal.records == []
    assert ask(edge, target, x_trackyard_delivery=b"d" * 24, x_trackyard_origin=b"another").status == 200
    assert ask(edge, target).status == 200
    assert len(journal.records) == 2


def test_edge_proves_its_installation_and_does_not_name_it(edge_with: Callable[..., EdgeHandler]) -> None:
    challenge = "0123456789abcdef" * 2
    this, other = edge_with(forward_key=b"this"), edge_with(forward_key=b"other")
    answer = ask(this, f"{INSTALLATION_PATH}?challenge={challenge}")
    assert (answer.status, answer.body.decode()) == (200, proof_of(origin_of(b"this"), challenge))
    assert b"no-store" in answer.headers
    assert origin_of(b"this").encode() not in answer.body
    assert ask(other, f"{INSTALLATION_PATH}?challenge={challenge}").body != answer.body
    assert ask(this, f"{INSTALLATION_PATH}?challenge={challenge[::-1]}").body != answer.body
    for query in ("", "?challenge=", f"?challenge={challenge}0", f"?challenge={challenge}&x=1"):
        refused = ask(this, INSTALLATION_PATH + query)
        assert (refused.status, b"challenge" in refused.body) == (400, True)
