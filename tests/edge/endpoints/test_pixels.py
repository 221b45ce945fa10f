"""Pixels: the calls that pages report, and the code of affiliates that they show."""

from collections.abc import Callable

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import HASH, make_ruleset
from tests.support.models.events import new_click
from trackyard.base.ids import find_click_id
from trackyard.domain.tracking.ruleset import RulesetPixels
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.endpoints.pixels import FindClick
from trackyard.edge.http.answers import JOURNAL_UNWRITABLE
from trackyard.edge.http.request import DeferredResponse, Response
from trackyard.journal.records import Click, InboundPostback, decode_postback, encode

A, B = "a" * 24, "b" * 24
PATHS = {
    "/success.jpg": b"image/gif",
    "/success.php": b"text/html; charset=utf-8",
    "/track.js": b"text/javascript; charset=utf-8",
}


@pytest.mark.parametrize("path", PATHS)
def test_pixel_request_is_recorded_as_postback(edge: EdgeHandler, journal: MemoryJournal, path: str) -> None:
    query = (
        f"offer_id=3&afclick={A}&afid=o%2F1&afprice=9.5&afgoal=2&afstatus=2&afsecure=s&custom_field7=c&clickid=x&sum=1"
        "&afcomment=well%20done"
    )
    answer = ask(edge, f"{path}?{query}", peer="127.0.0.1", x_forwarded_for=b"203.0.113.5", user_agent=b"browser")
    assert (answer.status, answer.content_type, answer.durable) == (200, PATHS[path], True)
    assert b"Cache-Control: no-store\r\n" in answer.headers
    call = journal.call
    assert (call.time, call.source, call.method, call.ip, call.ua) == (NOW, path[1:], "GET", "203.0.113.5", "browser")
    assert call.query == query
    assert call.params == {
        "clickid": A,
        "action_id": "o/1",
        "sum": "9.5",
        "goal": "2",
        "status": "2",
        "secure": "s",
        "custom_field7": "c",
        "comment": "well done",
    }
    assert find_click_id(call.id) is not None


@pytest.mark.parametrize(
    ("query", "cookie", "click"),
    [
        (f"offer_id=3&afclick={A}", f"afclick_3={B}", A),
        ("offer_id=3", f"afclick={A}; afclick_3={B}", B),
        (f"offer_id={HASH}", f"x=1;afclick_3={B} ; afclick={A}", B),
        ("offer_id=03", f"afclick_3={B}", B),
        ("offer_id=4", f"afclick_3={B}; afclick={A}", A),
        ("", f"afclick_3={B}; afclick={A}", A),
        ("offer_id=3", f"xafclick_3={B}; afclick=rubbish", None),
        ("offer_id=%FF", "afclick", None),
        ("offer_id=3", None, None),
    ],
)
def test_pixel_click_is_parameter_or_cookie(
    edge: EdgeHandler, journal: MemoryJournal, query: str, cookie: str | None, click: str | None
) -> None:
    given = {} if cookie is None else {"cookie": cookie.encode()}
    assert ask(edge, f"/success.jpg?{query}", **given).durable
    assert journal.call.params.get("clickid") == click


def test_pixel_record_names_the_host_of_its_page(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ask(edge, f"/success.jpg?afclick={A}", referer=b"https://Shop.example/thanks?name=secret")
    assert journal.call.page == "shop.example"
    ask(edge, f"/success.php?afclick={A}", origin=b"https://pay.example", referer=b"https://shop.example/")
    assert journal.call.page == "pay.example"
    ask(edge, f"/success.jpg?afclick={A}")
    assert journal.call.page == ""


def test_postback_record_of_an_earlier_version_has_no_page() -> None:
    record = InboundPostback(1, "1" * 24, "success.jpg", "GET", "", "", "", "", {}, "shop.example")
    assert decode_postback(encode(record)) == record
    assert decode_postback(encode(record).replace(b',"shop.example",0]', b"]")).page == ""


@pytest.mark.parametrize("path", PATHS)
def test_pixel_head_request_records_nothing(edge: EdgeHandler, journal: MemoryJournal, path: str) -> None:
    answer = ask(edge, f"{path}?afclick={A}", method="HEAD")
    assert (answer.status, answer.durable, journal.records) == (200, False, [])
    assert ask(edge, path, method="PUT").status == 405


def test_pixel_script_without_click_searches_page(edge: EdgeHandler, journal: MemoryJournal) -> None:
    answer = ask(edge, "/track.js?offer_id=3")
    assert not answer.durable
    assert b"/success.jpg?" in answer.body
    assert journal.records == []


def test_pixel_without_rules_is_recorded_and_full_journal_is_503(edge: EdgeHandler, journal: MemoryJournal) -> None:
    edge.ruleset = None
    assert ask(edge, "/success.php?offer_id=3", cookie=f"afclick_3={A}".encode()).durable
    assert journal.call.params == {"clickid": A}
    journal.full = True
    assert ask(edge, f"/success.jpg?afclick={A}") is JOURNAL_UNWRITABLE


SHOWN = RulesetPixels(
    offer=3,
    affiliate=7,
    codes=(
        '<img src="https://t.example/?c={clickid}&o={order_sum}&p={pid}&n={offer_name}&f={custom_field1}&s={sub1}&x={x}">',
        "<i>{custom_field_1} {comment} {custom_field_7}</i>",
        '<img src="https://t.example/?c=%7Bclickid%7D&x=%7bx%7d">',
        "<script>var a = {b: 1}; report('{goal}', '{status_name}')</script>",
    ),
)


def show(edge: EdgeHandler, query: str, cookie: str) -> Response:
    edge.ruleset = make_ruleset([*ROWS, SHOWN])
    return ask(edge, f"/success.php?{query}", cookie=cookie.encode())


def test_pixel_page_shows_affiliate_pixels_in_sandbox(edge: EdgeHandler) -> None:
    evil = "%22%3E%3Cscript%3E'"
    answer = show(edge, f"offer_id=3&afprice=1.5&custom_field1={evil}&afgoal=%27", f"afclick_3={A}; afpid_3=7")
    body = answer.body.decode()
    assert f'<img src="https://t.example/?c={A}&o=1.5&p=7&n=An%20offer&f=%22%3E%3Cscript%3E%27&s=&x={{x}}">' in body
    assert "<script>var a = {b: 1}; report('%27', 'confirmed')</script>" in body
    assert f'<img src="https://t.example/?c={A}&x=%7bx%7d">' in body
    assert "<i>%22%3E%3Cscript%3E%27  </i>" in body
    assert b"Content-Security-Policy: sandbox allow-scripts\r\n" in answer.headers


@pytest.mark.parametrize(
    ("query", "cookie"),
    [
        ("offer_id=3", f"afclick_3={A}"),
        ("offer_id=3", f"afclick_3={A}; afpid_3=8"),
        ("offer_id=3", f"afclick_3={A}; afpid_3=" + "7" * 400),
        ("offer_id=4", f"afclick_4={A}; afpid_4=7"),
        (f"offer_id=3&afclick={B}", f"afclick_3={A}; afpid_3=7"),
        ("", f"afclick={A}; afpid_3=7"),
    ],
)
def test_pixel_page_hides_pixels_of_other_affiliates(edge: EdgeHandler, query: str, cookie: str) -> None:
    answer = show(edge, query, cookie)
    assert answer.durable
    assert b"t.example" not in answer.body


def test_affiliate_cookie_is_set_only_for_offers_with_pixels(edge: EdgeHandler) -> None:
    assert b"afpid" not in ask(edge, "/click?pid=7&offer_id=3").headers
    edge.ruleset = make_ruleset([*ROWS, SHOWN])
    answer = ask(edge, "/click?pid=7&offer_id=3")
    assert b"Set-Cookie: afpid_3=7; Max-Age=31536000; Path=/; HttpOnly; SameSite=Lax\r\n" in answer.headers
    edge.ruleset.apply("pixels", "3-7", None)
    assert b"afpid" not in ask(edge, "/click?pid=7&offer_id=3").headers


class FakeClickLookups:
    """Answers look-ups at once from `clicks`, or later by `answer`."""

    def __init__(self, *clicks: Click) -> None:
        self.clicks = {click.id: click for click in clicks}
        self.asked: list[tuple[str, str]] = []
        self.waiting: Callable[[Click | None], None] | None = None
        self.at_once = True

    def __call__(self, click_id: str, address: str, done: Callable[[Click | None], None]) -> None:
        self.asked.append((click_id, address))
        if self.at_once:
            done(self.clicks.get(click_id))
        else:
            self.waiting = done


@pytest.fixture
def lookups() -> FakeClickLookups:
    visited = {"offer": 3, "affiliate": 7, "sub1": "a b", "country": "EE", "ext1": "e", "time": NOW - 1000}
    return FakeClickLookups(
        new_click(1, **visited), new_click(2, **visited, reason="bot"), new_click(3, **visited | {"offer": 4})
    )


@pytest.fixture
def finding(edge_with: Callable[[FindClick], EdgeHandler], lookups: FakeClickLookups) -> EdgeHandler:
    made = edge_with(lookups)
    codes = ("<i>{clickid} {pid} {offer_id} {sub1} {geo} {ext1} {click_date} {order_sum} {sum}|</i>",)
    made.ruleset = make_ruleset([*ROWS, RulesetPixels(offer=3, affiliate=7, codes=codes)])
    return made


@pytest.mark.parametrize("named", ["", "&offer_id=3"])
def test_pixel_page_without_cookies_shows_pixels_of_recorded_click(
    finding: EdgeHandler, lookups: FakeClickLookups, journal: MemoryJournal, named: str
) -> None:
    click = next(iter(lookups.clicks.values()))
    answer = ask(finding, f"/success.php?afclick={click.id}&afprice=5{named}")
    assert isinstance(answer, DeferredResponse) and answer.durable and answer.ready
    assert f"<i>{click.id} 7 3 a%20b EE e 2023-11-14%2022%3A13%3A19 5 |</i>".encode() in answer.body
    assert journal.call.params == {"clickid": click.id, "sum": "5"}
    assert lookups.asked == [(click.id, "192.0.2.1")]


@pytest.mark.parametrize(
    ("number", "query"),
    [(1, "&offer_id=4"), (2, ""), (3, ""), (9, "")],
    ids=["another offer", "rejected click", "no pixels", "unknown click"],
)
def test_pixel_page_of_click_without_pixels_is_empty(finding: EdgeHandler, number: int, query: str) -> None:
    answer = ask(finding, f"/success.php?afclick={new_click(number).id}{query}")
    assert (answer.status, b"<body></body>" in answer.body) == (200, True)


def test_pixel_page_skips_lookup_when_not_needed(finding: EdgeHandler, lookups: FakeClickLookups) -> None:
    click_id = next(iter(lookups.clicks))
    ask(finding, f"/success.php?afclick={click_id}", method="HEAD")
    ask(finding, "/success.php?afclick=rubbish")
    ask(finding, f"/success.jpg?afclick={click_id}")
    ask(finding, "/success.php?offer_id=3", cookie=f"afclick_3={click_id}; afpid_3=7".encode())
    finding.ruleset = make_ruleset(ROWS)
    ask(finding, f"/success.php?afclick={click_id}")
    assert lookups.asked == []


def test_pixel_page_with_full_journal_is_503_without_lookup(
    finding: EdgeHandler, lookups: FakeClickLookups, journal: MemoryJournal
) -> None:
    journal.full = True
    assert ask(finding, f"/success.php?afclick={next(iter(lookups.clicks))}") is JOURNAL_UNWRITABLE
    assert lookups.asked == []


def test_pixel_page_uses_first_lookup_result(finding: EdgeHandler, lookups: FakeClickLookups) -> None:
    lookups.at_once = False
    click = next(iter(lookups.clicks.values()))
    answer = ask(finding, f"/success.php?afclick={click.id}")
    assert isinstance(answer, DeferredResponse) and not answer.ready and lookups.waiting is not None
    called: list[bool] = []
    answer.waiter = lambda: called.append(True)
    lookups.waiting(None)
    lookups.waiting(click)
    assert (called, b"<body></body>" in answer.body) == ([True], True)
