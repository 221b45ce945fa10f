"""Requests with an ambiguous end are rejected, and the following bytes are not answered."""

import pytest

from tests.edge.http.test_timeouts import ConnectionHarness

POST = b"POST /click HTTP/1.1\r\nHost: t.example\r\n"
GET = b"GET /click HTTP/1.1\r\nHost: t.example\r\n"
CHUNKED = POST + b"Transfer-Encoding: chunked\r\n\r\n"
SMUGGLED = b"GET /smuggled HTTP/1.1\r\nHost: t.example\r\n\r\n"

AMBIGUOUS = {
    "length and chunks": POST + b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "chunks and length": POST + b"Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n",
    "two lengths": POST + b"Content-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    "one length twice": POST + b"Content-Length: 5\r\nContent-Length: 5\r\n\r\nabcde",
    "list of lengths": POST + b"Content-Length: 5, 5\r\n\r\nabcde",
    "signed length": POST + b"Content-Length: +5\r\n\r\nabcde",
    "hexadecimal length": POST + b"Content-Length: 0x5\r\n\r\nabcde",
    "length with a space": POST + b"Content-Length: 5 5\r\n\r\nabcde",
    "empty length": POST + b"Content-Length:\r\n\r\n",
    "length over all bounds": POST + b"Content-Length: 99999999999999999999999\r\n\r\n",
    "name with a space": POST + b"Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n",
    "unknown coding": POST + b"Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n",
    "identity": POST + b"Transfer-Encoding: identity\r\n\r\n",
    "chunked is not the last coding": POST + b"Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n",
    "two codings": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n",
    "chunked twice": POST + b"Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "folded line": GET + b"X: a\r\n b: c\r\n\r\n",
    "line that begins with a space": b"GET /click HTTP/1.1\r\n Host: t.example\r\n\r\n",
    "line without a colon": GET + b"Host\r\n\r\n",
    "line feed alone": b"GET /click HTTP/1.1\r\nHost: t.example\nTransfer-Encoding: chunked\r\n\r\n",
    "line feed alone at the end": GET + b"\n",
    "carriage return alone": b"GET /click HTTP/1.1\r\nHost: x\rX: y\r\n\r\n",
    "NUL in a value": GET + b"X: a\0b\r\n\r\n",
    "NUL in a name": GET + b"X\0: a\r\n\r\n",
    "space in the target of a body": b"POST /click b HTTP/1.1\r\nHost: x\r\nContent-Length: 5\r\n\r\nabcde",
    "space in the target of chunks": b"POST /click b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
    "space in the target and an odd length": b"GET /click b HTTP/1.1\r\ncontent-length:\t00\r\n\r\n",
    "space and a tab in the target": b"GET /click b\tc HTTP/1.1\r\nHost: x\r\n\r\n",
    "space in the target and a folded line": b"GET /click b HTTP/1.1\r\nX: a\r\n Content-Length: 5\r\n\r\nabcde",
    "bytes and a line feed alone": b"GET /click?a=\xd0\xbf HTTP/1.1\r\nHost: x\nX: y\r\n\r\n",
    "bytes in a method": b"G\xd0\xbfT /click HTTP/1.1\r\nHost: x\r\n\r\n",
    "bytes and two lengths": b"POST /\xff HTTP/1.1\r\nContent-Length: 5\r\nContent-Length: 6\r\n\r\nabcde",
    "method in small letters": b"get /click HTTP/1.1\r\nHost: x\r\n\r\n",
    "preface of HTTP/2": b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "signed size of a chunk": CHUNKED + b"+1\r\na\r\n0\r\n\r\n",
    "prefixed size of a chunk": CHUNKED + b"0x1\r\na\r\n0\r\n\r\n",
    "size of a chunk over all bounds": CHUNKED + b"10000000000000001\r\na\r\n0\r\n\r\n",
    "chunk longer than its size": CHUNKED + b"1\r\nab\r\n0\r\n\r\n",
    "chunk lines end with line feeds": CHUNKED + b"1\na\n0\n\n",
    "extension of a chunk with a line feed": CHUNKED + b"1;x\ny\r\na\r\n0\r\n\r\n",
}


@pytest.mark.parametrize("split", [False, True], ids=["whole", "by bytes"])
@pytest.mark.parametrize("sent", AMBIGUOUS.values(), ids=AMBIGUOUS.keys())
def test_http_ambiguous_request_closes_connection(sent: bytes, split: bool) -> None:
    bench = ConnectionHarness()
    pieces = [bytes([byte]) for byte in sent + SMUGGLED] if split else [sent + SMUGGLED]
    for piece in pieces:
        bench.connection.data_received(piece)
    assert [answer.status for answer in bench.answers] == [400]
    assert bench.answers[0].headers["connection"] == "close"
    assert bench.transport.state in ("half closed", "closed")


@pytest.mark.parametrize(
    "sent",
    [
        GET + b"Content-Length: %d\r\n\r\n" % len(SMUGGLED) + SMUGGLED,
        CHUNKED + b"%x;a=b\r\n" % len(SMUGGLED) + SMUGGLED + b"\r\n0\r\n\r\n",
        CHUNKED + b"0\r\nX: " + SMUGGLED[:-4].replace(b"\r\n", b" ") + b"\r\n\r\n",
        GET + b"Connection: close\r\n\r\n" + SMUGGLED,
        b"GET /click?a=b c HTTP/1.1\r\nHost: x\r\n\r\n" + SMUGGLED,
        b"GET /click?a=b c HTTP/1.0\r\nConnection: keep-alive\r\n\r\n" + SMUGGLED,
        b"GET /click?a=b c HTTP/1.1\r\nConnection: upgrade\r\nUpgrade: h2c\r\n\r\n" + SMUGGLED,
        GET + b"Connection: Upgrade\r\nUpgrade: h2c\r\n\r\n" + SMUGGLED,
        b"CONNECT t.example:443 HTTP/1.1\r\nHost: t.example\r\n\r\n" + SMUGGLED,
        b"POST /click HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + SMUGGLED,
    ],
    ids=[
        "body",
        "chunk",
        "trailer",
        "close",
        "space",
        "space of HTTP/1.0",
        "space and upgrade",
        "upgrade",
        "tunnel",
        "HTTP/1.0",
    ],
)
def test_http_request_within_body_is_not_answered(sent: bytes) -> None:
    bench = ConnectionHarness()
    bench.connection.data_received(sent)
    assert [answer.status for answer in bench.answers] == [200]
    assert bench.answers[0].body != b"/smuggled"


def test_http_lookalike_content_length_header_is_ignored() -> None:
    bench = ConnectionHarness()
    bench.connection.data_received(POST + b"Content_Length: 45\r\n\r\n" + SMUGGLED)
    assert [answer.body for answer in bench.answers] == [b"/click", b"/smuggled"]
