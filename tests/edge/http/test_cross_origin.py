"""What scripts of other sites may read: answers keep what OPTIONS promises."""

import re

import pytest

from tests.support.clicks.edge_handler import MemoryJournal, ask
from trackyard.edge.endpoints.handler import EdgeHandler

CLICK_ID = "a" * 24
ORIGIN = b"https://page.example"
ALLOWED = (
    b"Access-Control-Allow-Origin: https://page.example\r\nAccess-Control-Allow-Credentials: true\r\nVary: Origin\r\n"
)
TARGETS = (
    "/click?pid=7&offer_id=3&format=json",
    "/click?pid=7&offer_id=99&format=json",
    f"/postback?clickid={CLICK_ID}",
    f"/success.jpg?offer_id=3&afclick={CLICK_ID}",
    f"/success.php?offer_id=3&afclick={CLICK_ID}",
    f"/track.js?offer_id=3&afclick={CLICK_ID}",
    "/track.js?offer_id=3",
)


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize("target", TARGETS)
def test_cors_answer_for_another_site_is_readable(edge: EdgeHandler, target: str, method: str) -> None:
    answer = ask(edge, target, method=method, origin=ORIGIN)
    assert answer.status in (200, 404)
    assert ALLOWED in answer.headers
    assert b"Access-Control" not in ask(edge, target, method=method).headers
    assert b"Vary: Origin\r\n" in ask(edge, target, method=method).headers


@pytest.mark.parametrize("target", TARGETS)
def test_cors_preflight_lists_answered_methods(edge: EdgeHandler, target: str) -> None:
    promise = ask(edge, target, method="OPTIONS", origin=ORIGIN)
    assert ALLOWED in promise.headers
    found = re.search(rb"Access-Control-Allow-Methods: ([A-Z, ]+)\r\n", promise.headers)
    assert found is not None
    methods = found[1].decode().split(", ")
    assert {"GET", "POST", "OPTIONS"} <= set(methods)
    for method in methods:
        assert ask(edge, target, method=method, origin=ORIGIN).status != 405
    for method in {"GET", "HEAD", "POST", "PUT", "DELETE"}.difference(methods):
        assert ask(edge, target, method=method, origin=ORIGIN).status == 405


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        (b"application/x-www-form-urlencoded", b"offer_id=3&pid=7&format=json&sub1=%C3%A9%22"),
        (b"text/plain;charset=UTF-8", b"offer_id=3&pid=7&format=json&sub1=%C3%A9%22"),
        (b"application/json", '{"offer_id": 3, "pid": "7", "format": "json", "sub1": "é\\"", "x": [1]}'.encode()),
    ],
)
def test_click_parameters_may_be_in_body(
    edge: EdgeHandler, journal: MemoryJournal, content_type: bytes, body: bytes
) -> None:
    answer = ask(edge, "/click?pid=9", method="POST", body=body, content_type=content_type)
    click = journal.click
    assert (answer.status, click.reason, click.affiliate, click.offer, click.sub1) == (200, "", 7, 3, 'é"')
    assert f'"clickid":"{click.id}"'.encode() in answer.body


def test_click_by_post_is_recorded_and_redirected(edge: EdgeHandler, journal: MemoryJournal) -> None:
    answer = ask(edge, "/click?pid=7&offer_id=3", method="POST")
    assert (answer.status, answer.recorded, journal.click.uniq) == (302, True, 1)


@pytest.mark.parametrize("path", ["/success.jpg", "/success.php", "/track.js"])
def test_pixel_by_post_may_have_parameters_in_body(edge: EdgeHandler, journal: MemoryJournal, path: str) -> None:
    body = f'{{"offer_id": 3, "afclick": "{CLICK_ID}", "afprice": 9.50, "afcomment": "thanks"}}'.encode()
    answer = ask(edge, f"{path}?afprice=1", method="POST", body=body, content_type=b"application/json")
    assert answer.durable
    call = journal.call
    assert (call.method, call.source) == ("POST", path[1:])
    assert call.params == {"clickid": CLICK_ID, "sum": "9.50", "comment": "thanks"}
