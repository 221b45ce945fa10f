"""Answers to clicks: redirects, JSON, cookies, preflights, bots and rejected clicks."""

from base64 import b64encode
from collections.abc import Callable
from hashlib import sha256

import msgspec
import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge_handler import MemoryJournal, ask
from tests.support.clicks.rules import make_offer, make_ruleset
from trackyard.base.clock import ManualClock
from trackyard.domain.tracking.ruleset import RulesetLanding, RulesetPlatform
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.request import Response
from trackyard.journal.records import ClickFlag

CLICK = "/click?pid=7&offer_id=3"


def with_offer(edge: EdgeHandler, platform: str = "", **changed: object) -> None:
    edge.ruleset = make_ruleset([make_offer(**changed), *ROWS[1:], RulesetPlatform(platform)])


def cookies(answer: Response) -> list[str]:
    lines = answer.headers.decode().split("\r\n")
    return [line.removeprefix("Set-Cookie: ") for line in lines if line.startswith("Set-Cookie: ")]


@pytest.mark.parametrize(
    ("kind", "status", "hides"),
    [("http302", 302, False), ("http302hidden", 302, True), ("js", 200, True), ("meta", 200, True)],
)
def test_redirect_type_decides_response_form(
    edge: EdgeHandler, journal: MemoryJournal, kind: str, status: int, hides: bool
) -> None:
    with_offer(edge, redirect_type=kind, url="http://shop.example/?a='&b={sub1}&c={clickid}")
    answer = ask(edge, f"{CLICK}&sub1=%22%3C%2Fscript%3E")
    url = f"http://shop.example/?a='&b=%22%3C%2Fscript%3E&c={journal.click.id}"
    assert answer.status == status
    assert b"Cache-Control: no-store\r\n" in answer.headers
    assert (b"Referrer-Policy: no-referrer\r\n" in answer.headers) == hides
    if status == 302:
        assert answer.location == url.encode()
    else:
        assert answer.content_type == b"text/html; charset=utf-8"
        assert answer.location == b""
        shown = url.replace("&", "&amp;").replace("'", "&#x27;").encode()
        assert b'<meta http-equiv=refresh content="0;url=' + shown + b'">' in answer.body
        script = b"location.replace(document.documentElement.dataset.url)"
        assert (b'data-url="' + shown + b'"' in answer.body) == (script in answer.body) == (kind == "js")
        assert b"; frame-ancestors 'none'" in answer.headers and b"nosniff\r\n" in answer.headers
        allowed = b"script-src 'sha256-" + b64encode(sha256(script).digest()) + b"'\r\n"
        assert (allowed in answer.headers) == (kind == "js"), "this script alone may run"


@pytest.mark.parametrize(
    ("peer", "protocol", "seconds", "sent"),
    [
        ("127.0.0.1", b"https", 86_400, True),
        ("127.0.0.1", b"http", 86_400, False),
        ("192.0.2.1", b"https", 86_400, False),  # no trusted proxy says so
        ("127.0.0.1", b"https", 0, False),
    ],
)
def test_redirect_page_by_https_makes_browsers_keep_to_it(
    edge_with: Callable[..., EdgeHandler], peer: str, protocol: bytes, seconds: int, sent: bool
) -> None:
    edge = edge_with(hsts_seconds=seconds)
    for kind, active in (("js", True), ("meta", True), ("js", False)):
        with_offer(edge, redirect_type=kind, active=active)
        answer = ask(edge, CLICK, peer=peer, x_forwarded_proto=protocol)
        assert answer.content_type.startswith(b"text/html")
        assert (b"Strict-Transport-Security: max-age=86400\r\n" in answer.headers) is sent
    page = ask(edge, "/success.php?offer_id=3", peer=peer, x_forwarded_proto=protocol)
    assert (b"Strict-Transport-Security: max-age=86400\r\n" in page.headers) is sent
    with_offer(edge, redirect_type="http302")
    plain = ask(edge, CLICK, peer=peer, x_forwarded_proto=protocol)
    assert b"Transport-Security" not in plain.headers, "a redirect of the default type has no more than it needs"


def test_redirect_of_rejected_click_is_plain_302(edge: EdgeHandler) -> None:
    with_offer(edge, redirect_type="js", trafficback_url="http://back.example/", active=False)
    answer = ask(edge, CLICK)
    assert (answer.status, answer.location) == (302, b"http://back.example/")
    assert answer.headers == b"Cache-Control: no-store\r\n"


def test_json_click_response_has_click_and_target(edge: EdgeHandler, journal: MemoryJournal) -> None:
    with_offer(edge, redirect_type="meta")
    answer = ask(edge, f"{CLICK}&format=json", origin=b"https://page.example")
    assert (answer.status, answer.content_type, answer.location) == (200, b"application/json", b"")
    click = journal.click.id
    assert msgspec.json.decode(answer.body) == {
        "status": 1,
        "clickid": click,
        "url": f"http://shop.example/?c={click}",
    }
    for line in (
        b"Access-Control-Allow-Origin: https://page.example\r\n",
        b"Access-Control-Allow-Credentials: true\r\n",
        b"Vary: Origin\r\n",
        b"Cache-Control: no-store\r\n",
    ):
        assert line in answer.headers
    assert len(cookies(answer)) == 3


def test_json_click_response_of_rejected_click_is_404_or_preview_url(edge: EdgeHandler, journal: MemoryJournal) -> None:
    with_offer(edge, active=False)
    answer = ask(edge, f"{CLICK}&format=json", origin=b"https://page.example")
    assert answer.status == 404
    assert answer.recorded
    assert msgspec.json.decode(answer.body)["code"] == "not_available"
    assert b"Access-Control-Allow-Origin: https://page.example\r\n" in answer.headers
    assert journal.click.reason == "inactive-offer"
    with_offer(edge, active=False, preview_url="http://show.example/")
    assert msgspec.json.decode(ask(edge, f"{CLICK}&format=json").body)["url"] == "http://show.example/"


@pytest.mark.parametrize(
    ("origin", "echoed"),
    [
        (b"https://page.example:8443", True),
        (b"null", True),
        (b"https://page.example/path", False),
        (b"https://page.example\r\nX: y", False),
        (b"javascript:x", False),
        (b"\xff", False),
    ],
)
def test_cors_echoes_valid_origins_only(edge: EdgeHandler, origin: bytes, echoed: bool) -> None:
    answer = ask(edge, f"{CLICK}&format=json", origin=origin)
    assert (b"Access-Control-Allow-Origin: " + origin + b"\r\n" in answer.headers) == echoed
    assert (b"Allow-Credentials" in answer.headers) == echoed


@pytest.mark.parametrize("path", ["/click", "/postback", "/healthz", "/nothing", "/", "/click/"])
def test_cors_options_on_any_path_answers(edge: EdgeHandler, journal: MemoryJournal, path: str) -> None:
    answer = ask(
        edge,
        path,
        method="OPTIONS",
        origin=b"https://page.example",
        access_control_request_headers=b"content-type, x-mine",
    )
    assert (answer.status, answer.body) == (200, b"")
    for line in (
        b"Access-Control-Allow-Origin: https://page.example\r\n",
        b"Access-Control-Allow-Credentials: true\r\n",
        b"Access-Control-Allow-Headers: content-type, x-mine\r\n",
    ):
        assert line in answer.headers
    assert journal.records == []


@pytest.mark.parametrize(
    ("peer", "proto", "attributes"),
    [
        ("192.0.2.1", None, "SameSite=Lax"),
        ("192.0.2.1", b"https", "SameSite=Lax"),
        ("127.0.0.1", b"https", "SameSite=None; Secure"),
        ("127.0.0.1", b"HTTPS, http", "SameSite=None; Secure"),
        ("127.0.0.1", b"http, https", "SameSite=Lax"),
        ("127.0.0.1", None, "SameSite=Lax"),
    ],
)
def test_click_cookie_is_set_for_a_year(
    edge: EdgeHandler, journal: MemoryJournal, peer: str, proto: bytes | None, attributes: str
) -> None:
    given = {} if proto is None else {"x_forwarded_proto": proto}
    answer = ask(edge, CLICK, peer=peer, **given)
    click = journal.click.id
    year, day = f"Max-Age=31536000; Path=/; HttpOnly; {attributes}", f"Max-Age=86400; Path=/; HttpOnly; {attributes}"
    assert cookies(answer) == [f"afclick_3={click}; {year}", f"afclick={click}; {year}", f"afuniq_3={click}; {day}"]
    again = ask(edge, CLICK, peer=peer, **given)
    assert [each.partition("=")[0] for each in cookies(again)] == ["afclick_3", "afclick"], "the 24 hours go on"


def test_visitor_cookie_keeps_visitor_known_for_24_hours(
    edge: EdgeHandler, journal: MemoryJournal, clock: ManualClock
) -> None:
    ask(edge, CLICK)
    first = journal.click.id
    kept = f"x=1; afuniq_3={first}; afclick_3={first}".encode()
    for hours, peer, unique in ((1, 2, 0), (22, 3, 0), (2, 4, 1)):
        clock.advance(hours * 3_600_000)
        answer = ask(edge, CLICK, peer=f"192.0.2.{peer}", cookie=kept)
        assert journal.click.uniq == unique
        assert any(each.startswith("afuniq_3=") for each in cookies(answer)) == bool(unique)
    ask(edge, CLICK, peer="192.0.2.5")
    assert journal.click.uniq == 1, "another visitor"


@pytest.mark.parametrize(("method", "query"), [("HEAD", ""), ("GET", "&pid=8")])
def test_rejected_click_sets_no_cookie(edge: EdgeHandler, method: str, query: str) -> None:
    assert cookies(ask(edge, CLICK + query, method=method)) == []


def test_deeplink_is_followed_or_flagged_by_edge(edge: EdgeHandler, journal: MemoryJournal) -> None:
    with_offer(edge, allow_deeplink=True, landings=(RulesetLanding(5, "http://land.example/"),))
    assert ask(edge, f"{CLICK}&redirect=http%3A%2F%2Fland.example%2Fa").location == b"http://land.example/a"
    assert journal.click.flags == 0
    assert ask(edge, f"{CLICK}&redirect=http%3A%2F%2Fevil.example%2Fa").location.startswith(b"http://shop.example/")
    assert journal.click.flags == ClickFlag.REDIRECT_IGNORED
    assert ask(edge, f"{CLICK}&path=%26x%3D1").location.endswith(b"&x=1")
    assert journal.click.flags == 0
