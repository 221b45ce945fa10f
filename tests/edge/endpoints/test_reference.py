"""The tracking reference agrees with what an edge answers: paths, cookies, answers."""

import re
from collections.abc import Callable
from typing import Final

import pytest

from tests.support.clicks.edge_handler import MemoryJournal, ask
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset
from trackyard.domain.platform.own_requests import INSTALLATION_PATH, origin_of
from trackyard.domain.tracking.links import Link
from trackyard.domain.tracking.macro_registry import MacroPlace, macro_names
from trackyard.domain.tracking.reference.texts import reference_texts
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate, RulesetPixels, RulesetRow
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.request import Request

ALL_MACROS: Final = "".join(f"{name}=[{{{name}}}]" for name in sorted(macro_names(MacroPlace.POSTBACK)))
ROWS: list[RulesetRow] = [
    make_offer(allow_impressions=True),
    make_offer(4, redirect_type="meta"),
    make_offer(5, active=False),
    make_offer(6, allow_impressions=True, impressions_url="http://shop.example/i"),
    RulesetAffiliate(id=7),
    RulesetAdvertiser(id=ADVERTISER),
    RulesetPixels(3, 7, (ALL_MACROS,)),
]
CLICK: Final = "0" * 24


@pytest.fixture
def edge(edge_with: Callable[..., EdgeHandler]) -> EdgeHandler:
    made = edge_with(forward_key=b"k" * 32)
    made.ruleset = make_ruleset(ROWS)
    return made


def test_reference_paths_have_the_methods_of_the_edge(edge: EdgeHandler) -> None:
    written = reference_texts("choices")["paths"]
    answered = {path: list(route.methods) for path, route in edge._routes.items()}
    uncounted = {"/healthz", "/readyz", "/metrics", "/favicon.ico", "/robots.txt", INSTALLATION_PATH}
    assert {path: text["methods"] for path, text in written.items()} == {"/{hash}": answered["/click"]} | {
        path: methods for path, methods in answered.items() if path not in uncounted
    }


def test_reference_cookies_are_those_of_an_accepted_click(edge: EdgeHandler) -> None:
    headers = ask(edge, "/click?pid=7&offer_id=3").headers.decode()
    found = re.findall(r"Set-Cookie: (\w+)=[0-9a-f]+; Max-Age=(\d+); Path=/; HttpOnly; SameSite=Lax", headers)
    written = reference_texts("choices")["cookies"]
    assert {name.replace("_3", "_{offer_id}"): int(seconds) for name, seconds in found} == {
        name: text["seconds"] for name, text in written.items()
    }


@pytest.mark.parametrize(
    ("target", "method", "status", "body"),
    [
        ("/click?pid=7&offer_id=3", "GET", 302, ""),
        ("/click?pid=7&offer_id=4", "GET", 200, "http-equiv=refresh"),
        ("/click?pid=7&offer_id=3&format=json", "GET", 200, '{"status":1,"clickid":"'),
        ("/click?pid=7&offer_id=5", "GET", 404, "This offer is not available"),
        ("/click?pid=7&offer_id=5&format=json", "GET", 404, "not_available"),
        (f"/{Link(3, 7).hash}?sub1=x", "POST", 302, ""),
        ("/imp?aid=7&oid=3", "GET", 200, "GIF89a"),
        ("/imp?aid=7&oid=6", "GET", 302, ""),
        ("/imp?aid=424242&oid=3", "GET", 200, "GIF89a"),
        ("/postback", "GET", 200, '{"status":1}'),
        (f"/postback?clickid={CLICK}", "POST", 200, '{"status":1}'),
        ("/success.jpg", "GET", 200, "GIF89a"),
        ("/success.php", "GET", 200, "<body></body>"),
        ("/track.js", "GET", 200, "new Image()"),
        ("/nowhere", "GET", 404, "not_found"),
        ("/postback", "HEAD", 405, "method_not_allowed"),
        (f"/click?sub1={'x' * 9000}", "GET", 414, "uri_too_long"),
    ],
)
def test_reference_answers_are_given(edge: EdgeHandler, target: str, method: str, status: int, body: str) -> None:
    answer = ask(edge, target, method=method)
    assert answer.status == status
    assert body in answer.body.decode("latin-1")
    path = target.partition("?")[0]
    listed = [
        each
        for each in reference_texts("choices")["answers"]
        if each["status"] == str(status)
        and each["path"] in (path if path != f"/{Link(3, 7).hash}" else "/click", "all", "any other")
    ]
    assert listed and (not body.endswith(("found", "allowed", "long")) or any(body in each["body"] for each in listed))


def test_reference_503_and_403_are_given(edge: EdgeHandler, journal: MemoryJournal) -> None:
    own = {"x_trackyard_delivery": b"1", "x_trackyard_origin": origin_of(b"k" * 32).encode()}
    assert b"own_request" in ask(edge, f"/postback?clickid={CLICK}", **own).body
    journal.full = True
    unwritable = ask(edge, f"/postback?clickid={CLICK}")
    assert (unwritable.status, b"journal_unwritable" in unwritable.body) == (503, True)
    edge.ruleset = None
    unready = edge.handle(Request("GET", "/click", b"", {}, "192.0.2.1", False, b""))
    assert (unready.status, b"not_ready" in unready.body) == (503, True)
    codes = " ".join(each["body"] for each in reference_texts("choices")["answers"])
    assert all(f"`{code}`" in codes for code in ("own_request", "journal_unwritable", "not_ready"))


def test_reference_names_the_macros_that_are_empty_in_pixels(edge: EdgeHandler, journal: MemoryJournal) -> None:
    ask(edge, "/click?pid=7&offer_id=3")
    cookies = f"afclick_3={journal.click.id}; afpid_3=7".encode()
    sent = "afid=a&afprice=5&afgoal=2&afstatus=1&afcomment=c&" + "&".join(f"custom_field{n}=f" for n in range(1, 8))
    page = ask(edge, f"/success.php?offer_id=3&{sent}", cookie=cookies, user_agent=b"Mozilla/5.0").body.decode()
    empty = {name for name, value in re.findall(r"(\w+)=\[([^\]]*)\]", page) if not value}
    after = next(
        section["after"]
        for guide in reference_texts("guides")["guides"]
        for section in guide["sections"]
        if section.get("table") == "postback macros"
    )
    of_click = {"geo", "city", "os", "device_type", "referrer", "click_date", "os_id", "ref_id", "user_id"}
    of_click |= {f"sub{n}" for n in range(1, 9)} | {f"ext{n}" for n in range(1, 4)}
    assert empty - of_click == set(re.findall(r"\{(\w+)\}", after))
