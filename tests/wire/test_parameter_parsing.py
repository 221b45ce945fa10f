import gc
import json
import time
from io import BytesIO
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.base.errors import BadInput, BodyTooLarge
from trackyard.wire.request import brackets
from trackyard.wire.request.brackets import (
    MAX_PARAMETERS,
    MAX_TEXT,
    body_tree,
    close_files,
    json_tree,
    merged,
    query_pairs,
    tree_of,
)


def parsed(query: bytes) -> dict[str, Any]:
    return tree_of(query_pairs(query))


@pytest.mark.parametrize(
    ("query", "tree"),
    [
        (b"", {}),
        (b"a=1", {"a": "1"}),
        (b"a=1&a=2", {"a": ["1", "2"]}),
        (b"a[]=1&a[]=2", {"a": {"0": ["1", "2"]}}),
        (b"a[0]=x&a[10]=y", {"a": {"0": "x", "10": "y"}}),
        (b"a%5Bb%5D=c+d%2B", {"a": {"b": "c d+"}}),
        (b"filter[date_from]=2026-01-01", {"filter": {"date_from": "2026-01-01"}}),
        (b"s[i][6][0][From]=1", {"s": {"i": {"6": {"0": {"From": "1"}}}}}),
        (b"a", {"a": ""}),
        (b"&&a=1&", {"a": "1"}),
    ],
)
def test_query_brackets_are_parsed_to_a_tree(query: bytes, tree: dict[str, Any]) -> None:
    assert parsed(query) == tree


@pytest.mark.parametrize(
    "query",
    [
        b"a%00=1",
        b"a=%00",
        b"a=%ff",
        b"%ff=1",
        b"a" + b"[b]" * 100 + b"=1",
        b"&".join(b"a%d=1" % n for n in range(MAX_PARAMETERS + 1)),
    ],
)
def test_query_brackets_malformed_are_rejected(query: bytes) -> None:
    with pytest.raises(BadInput) as refused:
        parsed(query)
    assert all(line.startswith("[") for line in refused.value.text.split("\n"))


def test_query_brackets_with_many_names_parse_in_linear_time() -> None:
    query = b"&".join(b"list[%d][goal]=1" % n for n in range(MAX_PARAMETERS))
    started = time.process_time()
    assert len(parsed(query)["list"]) == MAX_PARAMETERS
    assert time.process_time() - started < 5


@given(st.binary(max_size=300))
def test_query_brackets_of_any_bytes_give_tree_or_error(query: bytes) -> None:
    try:
        assert isinstance(parsed(query), dict)
    except BadInput as refused:
        assert refused.fields


@given(st.text(max_size=200))
def test_json_body_of_any_text_gives_tree_or_error(text: str) -> None:
    try:
        assert isinstance(json_tree(text.encode()), dict)
    except BadInput as refused:
        assert refused.fields


@pytest.mark.parametrize(
    "body",
    [
        b"[]", b"1", b'"a"', b"null", b"{", b"\xff", b"[" * 100_000, b'{"a":' * 100_000,
        json.dumps({"a": "\0"}).encode(), b'{"a": "\\ud800"}', b'{"a": NaN}', b'{"\\u0000": 1}',
        b'{"a": ' + b"9" * 5000 + b"}", b'{"a":' + b"[" * 12 + b"]" * 12 + b"}",
    ],
)  # fmt: skip
def test_json_body_malformed_is_rejected(body: bytes) -> None:
    with pytest.raises(BadInput):
        json_tree(body)


def test_json_body_with_too_many_values_is_rejected() -> None:
    with pytest.raises(BadInput):
        json_tree(b'{"a":[' + b"{}," * 330_000 + b"1]}")


MULTIPART = (
    b'--x\r\nContent-Disposition: form-data; name="a[b]"\r\n\r\n%s\r\n'
    b'--x\r\nContent-Disposition: form-data; name="f"; filename="f.png"\r\n'
    b"Content-Type: image/png\r\n\r\n\0\xff\r\n--x--\r\n"
)


def body_of(content_type: str, body: bytes) -> dict[str, Any]:
    return body_tree(content_type, BytesIO(body))


def test_multipart_body_gives_fields_and_files() -> None:
    tree = body_of("multipart/form-data; boundary=x", MULTIPART % "ä".encode())
    assert tree["a"] == {"b": "ä"}
    file = tree["f"]
    assert (file.name, file.kind, file.read()) == ("f.png", "image/png", b"\0\xff")
    close_files(tree)
    assert file.handle.closed


def test_multipart_files_are_closed_when_body_is_rejected(monkeypatch: pytest.MonkeyPatch) -> None:
    handles: list[Any] = []
    parsed = brackets._part
    monkeypatch.setattr(brackets, "_part", lambda *part: handles.append(part[1]) or parsed(*part))
    deep = MULTIPART.replace(b"a[b]", b"a" + b"[b]" * 100) % b"x"
    with pytest.raises(BadInput):
        body_of("multipart/form-data; boundary=x", deep)
    assert [handle.file.closed for handle in handles if hasattr(handle, "file")] == [True]


@pytest.mark.filterwarnings("error::ResourceWarning")
def test_multipart_body_that_ends_inside_file_is_rejected_and_file_closed() -> None:
    cut = (MULTIPART % b"1").replace(b"\r\n--x--", b"--x--")  # the last boundary is a part of the file
    with pytest.raises(BadInput, match="The multipart body cannot be read"):
        body_of("multipart/form-data; boundary=x", cut)
    gc.collect()


def test_multipart_body_without_parts_is_empty() -> None:
    assert body_of("multipart/form-data; boundary=x", b"--x--\r\n") == {}


def test_text_body_over_limit_is_too_large() -> None:
    for kind in ("application/json", "application/x-www-form-urlencoded"):
        with pytest.raises(BodyTooLarge):
            body_of(kind, b"a" * (MAX_TEXT + 1))


@pytest.mark.parametrize(
    ("content_type", "body"),
    [
        ("multipart/form-data; boundary=x", MULTIPART % b"\xff"),
        ("multipart/form-data", MULTIPART % b"1"),
        ("multipart/form-data; boundary=x", b"--x\r\nrubbish"),
        ("text/plain", b"a=1"),
        ("application/x-www-form-urlencoded; charset=utf-16", b"a=1"),
    ],
)
def test_body_malformed_is_rejected(content_type: str, body: bytes) -> None:
    with pytest.raises(BadInput):
        body_of(content_type, body)


@pytest.mark.parametrize(
    ("content_type", "body"),
    [("application/x-www-form-urlencoded", b"a=1"), ("", b"a=1"), ("application/json", b'{"a": "1"}')],
)
def test_body_formats_are_equivalent(content_type: str, body: bytes) -> None:
    assert body_of(content_type, body) == {"a": "1"}


def test_body_parameters_override_query() -> None:
    query = {"filter": {"a": "1", "b": "1"}, "page": "1"}
    assert merged(query, {"filter": {"b": "2"}, "limit": "3"}) == {
        "filter": {"a": "1", "b": "2"}, "page": "1", "limit": "3",
    }  # fmt: skip
