"""Calls as strangers write them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.domain.tracking.postback_params import CLICK_ID_NAMES, POSTBACK_PARAMETERS
from trackyard.edge.endpoints.postback_hints import hint_header
from trackyard.edge.endpoints.postback_params import (
    MAX_CONTENT_TYPE,
    MAX_PARTS,
    postback_params,
    read_params,
)
from trackyard.edge.http.request import Request


def parse_postback(query: bytes = b"", body: bytes = b"", content_type: bytes = b"") -> dict[str, str]:
    return postback_params(Request("POST", "/postback", query, {b"content-type": content_type}, "", False, body))[0]


FORM = b"application/x-www-form-urlencoded"
JSON = b"application/json; charset=utf-8"
MULTIPART = b"multipart/form-data; boundary=B"


@pytest.mark.parametrize(
    ("query", "body", "content_type", "params"),
    [
        (b"clickid=c&goal=2&unknown=1", b"", b"", {"clickid": "c", "goal": "2"}),
        (b"click_id=c", b"", b"", {"clickid": "c"}),
        (b"afclick=c", b"", b"", {"clickid": "c"}),
        (b"afclick=c&clickid=d", b"", b"", {"clickid": "d"}),
        (b"clickid=c&sum=1", b"sum=2", FORM, {"clickid": "c", "sum": "2"}),
        (b"", b"sum=2", b"", {"sum": "2"}),
        (
            b"clickid=q",
            b'{"click_id":"c","sum":12.30,"status":1,"goal":"\\u00e9","comment":null,"secure":true,"user_id":[1]}',
            JSON,
            {"clickid": "q", "sum": "12.30", "status": "1", "goal": "é", "secure": "1"},
        ),
        (b"clickid=c", b'{"sum":1', JSON, {"clickid": "c"}),
        (b"clickid=c", b"[1]", JSON, {"clickid": "c"}),
        (b"clickid=c", b'{"sum":' + b"[" * 5000 + b"]" * 5000 + b"}", JSON, {"clickid": "c"}),
        (
            b"",
            b'--B\r\nContent-Disposition: form-data; name="clickid"\r\n\r\nc\r\n'
            b'--B\r\nContent-Disposition: form-data; name="f"; filename="x"\r\n\r\nfile\r\n'
            b'--B\r\nContent-Disposition: form-data; name="sum"\r\n\r\n5\r\n--B--\r\n',
            MULTIPART,
            {"clickid": "c", "sum": "5"},
        ),
        (b"clickid=c", b"no boundary in here", MULTIPART, {"clickid": "c"}),
        (b"clickid=c", b"x", b"multipart/form-data", {"clickid": "c"}),
        (b"clickid=c", b"\xff\xfe\x00", JSON, {"clickid": "c"}),
    ],
)
def test_postback_parameters_are_read_from_query_and_body(
    query: bytes, body: bytes, content_type: bytes, params: dict[str, str]
) -> None:
    assert parse_postback(query, body, content_type) == params


@given(st.binary(max_size=300), st.sampled_from([FORM, JSON, MULTIPART, b""]))
def test_postback_body_of_any_bytes_is_parsed(body: bytes, content_type: bytes) -> None:
    assert parse_postback(b"", body, content_type).keys() <= POSTBACK_PARAMETERS


def test_postback_body_parsing_stops_at_parameter_limit() -> None:
    assert parse_postback(b"", b"a&" * 400_000 + b"sum=1", FORM) == {}
    part = b'--B\r\nContent-Disposition: form-data; name="x"\r\n\r\n\r\n'
    assert parse_postback(b"", part * 2000 + b"--B--\r\n", MULTIPART) == {}
    file = part.replace(b'"x"', b'"x"; filename="f"')
    last = part.replace(b'"x"', b'"sum"')
    assert parse_postback(b"", file * (MAX_PARTS - 1) + last + b"--B--\r\n", MULTIPART) == {"sum": ""}
    assert parse_postback(b"", file * MAX_PARTS + last + b"--B--\r\n", MULTIPART) == {}


def test_postback_body_of_a_too_long_content_type_is_not_read() -> None:
    body = b'--B\r\nContent-Disposition: form-data; name="clickid"\r\n\r\nc\r\n--B--\r\n'
    longest = MULTIPART + b";" + b"x" * (MAX_CONTENT_TYPE - len(MULTIPART) - 1)
    for content_type, read in ((longest, {"clickid": "c"}), (longest + b"x", {})):
        sent = Request("POST", "/postback", b"goal=1", {b"content-type": content_type}, "192.0.2.1", False, body)
        assert read_params(sent, POSTBACK_PARAMETERS, CLICK_ID_NAMES)[0] == {"goal": "1"} | read


def test_postback_multipart_body_is_read_up_to_its_limit_of_parts() -> None:
    parts = [f'--B\r\nContent-Disposition: form-data; name="p{n}"\r\n\r\n{n}\r\n'.encode() for n in range(1_000)]
    sent = Request("POST", "/postback", b"goal=1", {b"content-type": MULTIPART}, "192.0.2.1", False, b"".join(parts))
    read = read_params(sent, POSTBACK_PARAMETERS, CLICK_ID_NAMES)[0]
    assert read == {"goal": "1"} | {f"p{n}": str(n) for n in range(MAX_PARTS)}


@pytest.mark.parametrize(
    ("query", "hint"),
    [
        (b"clickid=" + b"a1" * 12, b""),
        (b"promo_code=SPRING", b""),
        (b"", b"clickid is missing"),
        (b"clickid=%0d%0aX:1", b"clickid must be the 24 hexadecimal digits that the click passed on"),
        (b"clickid={clickid}", b"clickid is a macro that the sender did not fill"),
        (b"clickid={" + b"a1" * 12 + b"}", b""),
        (b"clickid=" + b"a1" * 12 + b"&sum={payout}", b"sum is a macro that the sender did not fill"),
    ],
)
def test_postback_hint_names_what_the_request_alone_shows(query: bytes, hint: bytes) -> None:
    assert hint_header(parse_postback(query)) == (b"X-Postback-Hint: " + hint + b"\r\n" if hint else b"")
