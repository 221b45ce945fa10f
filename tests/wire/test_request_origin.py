"""Ids of requests: ours is always made, and the caller's own is kept with it."""

import json
import logging

import pytest
from starlette.requests import Request

from trackyard.base.logs.origin import RequestOrigin, request_origin
from trackyard.base.logs.output import log_to_stderr
from trackyard.wire.http.origins import origin_of

LONG = "x" * 65


def origin(**headers: str) -> RequestOrigin:
    sent = [(name.replace("_", "-").encode(), value.encode()) for name, value in headers.items()]
    return origin_of(Request({"type": "http", "headers": sent, "client": ("192.0.2.7", 1)}))


@pytest.mark.parametrize(
    ("sent", "kept", "shown"),
    [
        ("abc-1", "abc-1", True),
        ("x" * 64, "x" * 64, True),
        (LONG, LONG[:64], False),
        ('a" 1\t{', "a1", False),
        ("é", "", False),
        ("", "", False),
    ],
)
def test_request_id_of_caller_is_cut_and_cleaned(sent: str, kept: str, shown: bool) -> None:
    found = origin(x_request_id=sent)
    assert (found.client_id, found.address) == (kept, "192.0.2.7")
    assert len(found.id) == 24 and found.shown_id == (kept if shown else found.id)


def test_request_id_of_ours_differs_where_callers_repeat_theirs() -> None:
    """A caller that repeats an id hides which of its requests changed something, when there is no other."""
    first, second = origin(x_request_id="same"), origin(x_request_id="same")
    assert (first.shown_id, second.shown_id) == ("same", "same")
    assert first.id != second.id


def test_request_origin_has_printable_bounded_user_agent() -> None:
    assert origin(user_agent="Mozilla\t5.0").user_agent == "Mozilla5.0"
    assert len(origin(user_agent="x" * 1000).user_agent) == 300


def test_request_id_of_caller_is_with_ours_in_log_lines(capsys: pytest.CaptureFixture[str]) -> None:
    before = logging.getLogger().handlers[:], logging.getLogger().level
    token = request_origin.set(RequestOrigin("ours", "theirs", "theirs"))
    try:
        log_to_stderr("test")
        logging.getLogger("trackyard.api").warning("seen")
    finally:
        request_origin.reset(token)
        logging.getLogger().handlers[:], level = before
        logging.getLogger().setLevel(level)
    line = json.loads(capsys.readouterr().err)
    assert (line["request_id"], line["client_request_id"]) == ("ours", "theirs")
