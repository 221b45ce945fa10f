"""Damaged links and postbacks that can mean one thing count, with a bit that says so."""

import gzip
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.edge.conftest import ROWS
from tests.support.clicks.edge import RunningEdge, parse_answers, recorded, running_edge
from tests.support.clicks.edge_handler import NOW, MemoryJournal
from tests.support.clicks.rules import HASH
from trackyard.api.tracking.reference import names_of
from trackyard.domain.conversions.postbacks import PostbackError, ReceivedPostback, find_early_error, parse_postback
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.tracking.forgiven import (
    AMPERSAND,
    BLANK_VALUE,
    COMPRESSED,
    EMPTY_REPEAT,
    ENCODING,
    FORGIVEN,
    IDENTIFIER,
    JSON_BODY,
    NAME,
    PATH,
    QUESTION_MARK,
    RAW_BYTES,
    RAW_SPACE,
)
from trackyard.domain.tracking.forwarding import FORGIVEN_HEADER, FORWARDED_HEADER, signed_caller
from trackyard.domain.tracking.links import Link
from trackyard.domain.tracking.near_misses import LINK_NAMES
from trackyard.domain.tracking.reference.texts import reference_texts
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.request import Request
from trackyard.journal.records import Click, InboundPostback

SHORT: Final = Link(3, 7).hash
ID: Final = "6b0af00d0912345678901def"
WORD: Final = "окраина"
WORD_1251: Final = WORD.encode("cp1251")
ESCAPED: Final = "".join(f"%{byte:02X}" for byte in WORD_1251)

LINKS: Final[dict[str, tuple[bytes, dict[str, str], int]]] = {
    "plain": (b"/click?pid=7&offer_id=3&sub1=x", {"sub1": "x"}, 0),
    "amp": (b"/click?pid=7&amp;offer_id=3&amp;sub1=x", {"sub1": "x"}, AMPERSAND),
    "amp twice": (b"/click?pid=7&amp;amp;offer_id=3", {}, AMPERSAND),
    "amp before a sub": (b"/click?pid=7&offer_id=3&amp;sub1=x", {"sub1": "x"}, AMPERSAND),
    "amp in capitals": (b"/click?pid=7&AMP;offer_id=3", {}, AMPERSAND),
    "amp as a number": (b"/click?pid=7&#038;offer_id=3&#38;sub1=x", {"sub1": "x"}, AMPERSAND),
    "amp percent-encoded": (b"/click?pid=7&amp%3Boffer_id=3", {}, AMPERSAND),
    "second question mark": (b"/click?pid=7&offer_id=3?utm_source=x", {}, QUESTION_MARK),
    "second question mark before a sub": (b"/click?pid=7&offer_id=3?sub1=x", {"sub1": "x"}, QUESTION_MARK),
    "two question marks": (b"/click??pid=7&offer_id=3", {}, QUESTION_MARK),
    "question mark before a name": (b"/click?pid=7&offer_id=3&?sub1=x", {"sub1": "x"}, QUESTION_MARK),
    "question mark after pid": (b"/click?offer_id=3&pid=7?fbclid=x", {"fbclid": "x"}, QUESTION_MARK),
    "space behind": (b"/click?pid=7&offer_id=3%20", {}, IDENTIFIER),
    "plus behind": (b"/click?offer_id=3&pid=7+", {}, IDENTIFIER),
    "space before": (b"/click?pid=%207&offer_id=3", {}, IDENTIFIER),
    "line end behind": (b"/click?pid=7%0D%0A&offer_id=3", {}, 0),
    "no-break space": (b"/click?pid=7&offer_id=3%C2%A0", {}, IDENTIFIER),
    "zero-width space": (b"/click?pid=7&offer_id=3%E2%80%8B", {}, IDENTIFIER),
    "dot behind": (b"/click?pid=7&offer_id=3.", {}, IDENTIFIER),
    "dot in the middle": (b"/click?pid=7.&offer_id=3", {}, IDENTIFIER),
    "comma behind": (b"/click?pid=7&offer_id=3,", {}, IDENTIFIER),
    "bracket behind": (b"/click?pid=7&offer_id=3)", {}, IDENTIFIER),
    "braces around": (b"/click?pid=%7B7%7D&offer_id=$3", {}, IDENTIFIER),
    "brackets around": (b"/click?pid=[7]&offer_id=(3)", {}, IDENTIFIER),
    "encoded ampersands": (b"/click?pid=7%26offer_id=3%26sub1=x", {"sub1": "x"}, AMPERSAND),
    "semicolons": (b"/click?pid=7;offer_id=3;sub1=x", {"sub1": "x"}, AMPERSAND),
    "quotes": (b"/click?pid=%227%22&offer_id=3", {}, IDENTIFIER),
    "typographic quotes": (b"/click?pid=7&offer_id=%E2%80%9C3%E2%80%9D", {}, IDENTIFIER),
    "identifier in capitals": (b"/click?pid=7&offer_id=" + HASH.upper().encode(), {}, IDENTIFIER),
    "two slashes": (b"//click?pid=7&offer_id=3", {}, PATH),
    "three slashes": (b"///click?pid=7&offer_id=3", {}, PATH),
    "path in capitals": (b"/CLICK?pid=7&offer_id=3", {}, PATH),
    "path with a space": (b"/click%20?pid=7&offer_id=3", {}, PATH),
    "path with a dot": (b"/click.?pid=7&offer_id=3", {}, PATH),
    "ampersand for a question mark": (b"/click&pid=7&offer_id=3", {}, PATH),
    "question mark percent-encoded": (b"/click%3Fpid=7&offer_id=3", {}, PATH),
    "short link and parameters": (b"/" + SHORT.encode() + b"&sub1=x", {"sub1": "x"}, PATH),
    "short link and amp": (b"/" + SHORT.encode() + b"&amp;sub1=x", {"sub1": "x"}, PATH | AMPERSAND),
    "short link and a dot": (b"/" + SHORT.encode() + b".", {}, PATH),
    "short link and a space": (b"/" + SHORT.encode() + b"%20", {}, PATH),
    "short link and two slashes": (b"//" + SHORT.encode(), {}, PATH),
    "short link and a bracket": (b"/" + SHORT.encode() + b")?sub1=x", {"sub1": "x"}, PATH),
    "list of one": (b"/click?pid=7&offer_id=3&sub1[]=x", {"sub1": "x"}, NAME),
    "list of one, encoded": (b"/click?pid=7&offer_id=3&sub1%5B%5D=x", {"sub1": "x"}, NAME),
    "first of a list": (b"/click?pid=7&offer_id=3&sub1[0]=x", {"sub1": "x"}, NAME),
    "name in capitals": (b"/click?PID=7&Offer_ID=3&SUB1=X", {"sub1": "X"}, NAME),
    "name with a blank": (b"/click?pid=7&offer_id=3&%20sub1=x", {"sub1": "x"}, NAME),
    "empty repeat": (b"/click?pid=7&offer_id=3&sub1=x&sub1=", {"sub1": "x"}, EMPTY_REPEAT),
    "empty repeat of the offer": (b"/click?pid=7&offer_id=3&offer_id=", {}, EMPTY_REPEAT),
    "two values": (b"/click?pid=7&offer_id=3&sub1=x&sub1=y", {"sub1": "y"}, 0),
    "raw UTF-8": ("/click?pid=7&offer_id=3&sub1=окраина".encode(), {"sub1": WORD}, RAW_BYTES),
    "raw windows-1251": (
        b"/click?pid=7&offer_id=3&sub1=" + WORD_1251, {"sub1": WORD}, RAW_BYTES | ENCODING,
    ),
    "raw latin-1": ("/click?pid=7&offer_id=3&sub1=café".encode("latin-1"), {"sub1": "café"}, RAW_BYTES | ENCODING),
    "encoded windows-1251": (f"/click?pid=7&offer_id=3&sub1={ESCAPED}".encode(), {"sub1": WORD}, ENCODING),
    "encoded latin-1": (b"/click?pid=7&offer_id=3&sub1=caf%E9", {"sub1": "café"}, ENCODING),
    "cut UTF-8": (b"/click?pid=7&offer_id=3&sub1=%D0%BE%D0", {"sub1": "о"}, ENCODING),
    "raw space": (b"/click?pid=7&offer_id=3&sub1=a b", {"sub1": "a b"}, RAW_SPACE),
    "raw space behind the offer": (b"/click?pid=7&offer_id=3 &sub1=x", {"sub1": "x"}, RAW_SPACE | IDENTIFIER),
    "raw bytes in a short link": (b"/" + SHORT.encode() + "?sub1=окраина".encode(), {"sub1": WORD}, RAW_BYTES),
    "sub keeps its blanks": (b"/click?pid=7&offer_id=3&sub1=%20x%20", {"sub1": " x "}, 0),
}  # fmt: skip
"""Links by what is wrong with them: the target, parameters that must be recorded, and the bits."""

JSON: Final = json.dumps({"clickid": ID, "sum": "3"}).encode()
FORM: Final = b"clickid=" + ID.encode() + b"&sum=3"


@dataclass(frozen=True)
class Damaged:
    """A postback as it is sent, and how it is read."""

    target: str | bytes = "/postback"
    bits: int = 0
    body: bytes = b""
    kind: str = ""
    read: dict[str, object] = field(default_factory=dict)


def query(text: str | bytes) -> str | bytes:
    """The target of a postback."""
    return b"/postback?" + text if isinstance(text, bytes) else f"/postback?{text}"


POSTBACKS: Final[dict[str, Damaged]] = {
    "plain": Damaged(query(f"clickid={ID}")),
    "capitals": Damaged(query(f"clickid={ID.upper()}"), IDENTIFIER),
    "space behind": Damaged(query(f"clickid={ID}%20"), IDENTIFIER),
    "braces": Damaged(query(f"clickid=%7B{ID}%7D"), IDENTIFIER),
    "dollar sign": Damaged(query(f"clickid=${ID}"), IDENTIFIER),
    "brackets": Damaged(query(f"clickid=[{ID.upper()}]"), IDENTIFIER),
    "comma behind": Damaged(query(f"clickid={ID},"), IDENTIFIER),
    "encoded ampersands": Damaged(query(f"clickid={ID}%26sum=3%26goal=x"), AMPERSAND, read={"goal": "x"}),
    "semicolons": Damaged(query(f"clickid={ID};sum=3;goal=x"), AMPERSAND, read={"goal": "x"}),
    "space before": Damaged(query(f"clickid=%20{ID}"), IDENTIFIER),
    "plus behind": Damaged(query(f"clickid={ID}+"), IDENTIFIER),
    "encoded plus behind": Damaged(query(f"clickid={ID}%2B"), IDENTIFIER),
    "quotes": Damaged(query(f"clickid=%22{ID}%22"), IDENTIFIER),
    "raw quotes": Damaged(query(f'clickid="{ID}"'), IDENTIFIER),
    "single quotes": Damaged(query(f"clickid='{ID}'"), IDENTIFIER),
    "line end": Damaged(query(f"clickid={ID}%0A")),
    "currency": Damaged(query(f"clickid={ID}&currency=EUR%20"), BLANK_VALUE, read={"currency": "EUR"}),
    "currency in quotes": Damaged(query(f"clickid={ID}&currency=%22eur%22"), BLANK_VALUE, read={"currency": "EUR"}),
    "status": Damaged(query(f"clickid={ID}&status=%202"), BLANK_VALUE, read={"status": Status.PENDING}),
    "status with a plus": Damaged(query(f"clickid={ID}&status=+2"), BLANK_VALUE, read={"status": Status.PENDING}),
    "secure": Damaged(query(f"clickid={ID}&secure=CODE%20"), BLANK_VALUE, read={"secure": "CODE"}),
    "goal": Damaged(query(f"clickid={ID}&goal=Install%20"), BLANK_VALUE, read={"goal": "Install"}),
    "order": Damaged(
        query(f"clickid={ID}&action_id=ord-1%20"),
        BLANK_VALUE,
        read={"action_id": "ord-1", "sent_action_id": "ord-1 "},
    ),
    "amp": Damaged(query(f"clickid={ID}&amp;secure=CODE&amp;goal=2"), AMPERSAND, read={"secure": "CODE", "goal": "2"}),
    "empty repeat": Damaged(query(f"clickid={ID}&clickid="), EMPTY_REPEAT),
    "empty begin": Damaged(query(f"clickid=&clickid={ID}")),
    "empty in the body": Damaged(query(f"clickid={ID}"), EMPTY_REPEAT, b"clickid=&sum=3"),
    "list of one": Damaged(query(f"clickid[]={ID}"), NAME),
    "name in capitals": Damaged(query(f"ClickID={ID}&Sum=3"), NAME),
    "second question mark": Damaged(query(f"clickid={ID}?secure=CODE"), QUESTION_MARK, read={"secure": "CODE"}),
    "two slashes": Damaged(f"//postback?clickid={ID}", PATH),
    "path in capitals": Damaged(f"/Postback?clickid={ID}", PATH),
    "ampersand for a question mark": Damaged(f"/postback&clickid={ID}", PATH),
    "raw UTF-8": Damaged(query(f"clickid={ID}&comment=Оплачено".encode()), RAW_BYTES, read={"comment": "Оплачено"}),
    "raw windows-1251": Damaged(
        query(f"clickid={ID}&comment=Оплачено".encode("cp1251")), RAW_BYTES | ENCODING, read={"comment": "Оплачено"}
    ),
    "encoded windows-1251": Damaged(
        query(f"clickid={ID}&comment=%CE%EF%EB%E0%F7%E5%ED%EE"), ENCODING, read={"comment": "Оплачено"}
    ),
    "raw space": Damaged(query(f"clickid={ID}&goal=first deposit"), RAW_SPACE, read={"goal": "first deposit"}),
    "raw space and bytes": Damaged(
        query(f"clickid={ID}&goal=первый депозит".encode()), RAW_SPACE | RAW_BYTES, read={"goal": "первый депозит"}
    ),
    "JSON": Damaged(body=JSON, kind="application/json"),
    "JSON with a byte order mark": Damaged(bits=JSON_BODY, body=b"\xef\xbb\xbf" + JSON, kind="application/json"),
    "JSON as text": Damaged(bits=JSON_BODY, body=JSON, kind="text/plain"),
    "JSON as a form": Damaged(bits=JSON_BODY, body=JSON, kind="application/x-www-form-urlencoded"),
    "JSON of a vendor": Damaged(bits=JSON_BODY, body=JSON, kind="application/vnd.api+json"),
    "JSON without a type": Damaged(bits=JSON_BODY, body=b"\n " + JSON),
    "JSON in a list of one": Damaged(bits=JSON_BODY, body=b"[" + JSON + b"]", kind="application/json"),
    "JSON with gzip": Damaged(bits=COMPRESSED, body=gzip.compress(JSON), kind="application/json"),
    "JSON in windows-1251": Damaged(
        bits=ENCODING,
        body=f'{{"clickid":"{ID}","comment":"Оплачено"}}'.encode("cp1251"),
        kind="application/json",
        read={"comment": "Оплачено"},
    ),
    "form as text": Damaged(body=FORM, kind="text/plain"),
    "form as JSON": Damaged(bits=JSON_BODY, body=FORM, kind="application/json"),
    "form with gzip": Damaged(bits=COMPRESSED, body=gzip.compress(FORM), kind="application/x-www-form-urlencoded"),
    "form with a byte order mark": Damaged(body=b"\xef\xbb\xbf" + FORM),
    "pixel": Damaged(f"/success.jpg?offer_id=3&amp;afclick={ID.upper()}", AMPERSAND | IDENTIFIER),
    "pixel with the code in blanks": Damaged(
        f"/success.jpg?offer_id=3+&afclick={ID}&afsecure=+CODE", BLANK_VALUE | IDENTIFIER, read={"secure": "CODE"}
    ),
}
"""Postbacks by what is wrong with them."""

AMBIGUOUS: Final[dict[str, tuple[bytes, int, str]]] = {
    "two offers": (b"GET /click?pid=7&offer_id=3%202 HTTP/1.1\r\n", 404, "invalid-offer"),
    "two numbers": (b"GET /click?pid=7,8&offer_id=3 HTTP/1.1\r\n", 404, "invalid-affiliate"),
    "word behind the number": (b"GET /click?pid=7&offer_id=3x HTTP/1.1\r\n", 404, "invalid-offer"),
    "last of two offers": (b"GET /click?pid=7&offer_id=3&offer_id=4 HTTP/1.1\r\n", 404, "unknown-offer"),
    "second of a list": (b"GET /click?pid=7&offer_id[1]=3 HTTP/1.1\r\n", 404, "invalid-offer"),
    "half a click id": (f"GET /postback?clickid={ID[:20]} HTTP/1.1\r\n".encode(), 200, PostbackError.BROKEN_CLICKID),
    "blank in a click id": (
        f"GET /postback?clickid={ID[:12]}%20{ID[12:]} HTTP/1.1\r\n".encode(), 200, PostbackError.BROKEN_CLICKID,
    ),
    "braces": (f"GET /postback?clickid=%7B{ID}%7D HTTP/1.1\r\n".encode(), 200, PostbackError.BROKEN_CLICKID),
    "word behind a click id": (f"GET /postback?clickid={ID}x HTTP/1.1\r\n".encode(), 200, PostbackError.BROKEN_CLICKID),
    "list of two": (
        b"POST /postback HTTP/1.1\r\nContent-Length: %d\r\n" % (2 * len(JSON) + 3), 200, PostbackError.NO_CLICKID,
    ),
    "space and a body": (b"POST /postback?goal=a b HTTP/1.1\r\nContent-Length: 5\r\n", 400, ""),
    "space and chunks": (b"POST /postback?goal=a b HTTP/1.1\r\nTransfer-Encoding: chunked\r\n", 400, ""),
    "tab": (b"GET /click?pid=7&offer_id=3\tx HTTP/1.1\r\n", 400, ""),
    "line feed": (b"GET /click?pid=7&offer_id=3\nX: y HTTP/1.1\r\n", 400, ""),
    "no version": (b"GET /click?pid=7&offer_id=3 x\r\n", 400, ""),
    "bytes in a method": (b"G\xd0\xbfT /click?pid=7&offer_id=3 HTTP/1.1\r\n", 400, ""),
}  # fmt: skip
"""Requests that may mean several things: the request line, the status, and the reason in a log."""


@pytest.fixture(scope="module")
def edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEdge]:
    with running_edge(tmp_path_factory.mktemp("edge"), ROWS) as running:
        yield running


def records_of(edge: RunningEdge, requests: list[bytes]) -> list[tuple[int, Click | InboundPostback | None]]:
    """Sends each request on a connection of its own; the status and what was recorded of each."""
    found: list[tuple[int, Click | InboundPostback | None]] = []
    before = len(recorded(edge.options.journal_directory))
    for sent in requests:
        with edge.connect() as client:
            client.sendall(sent)
            data = b""
            while chunk := client.recv(65536):
                data += chunk
        (answer,) = parse_answers(data)
        made = recorded(edge.options.journal_directory)[before:]
        before += len(made)
        assert len(made) <= 1
        found.append((answer.status, made[0] if made else None))
    return found


def get(target: bytes) -> bytes:
    """A request without a body."""
    return b"GET " + target + b" HTTP/1.1\r\nHost: t.example\r\nUser-Agent: Mozilla/5.0\r\nConnection: close\r\n\r\n"


def request_of(sent: Damaged) -> bytes:
    """A postback on the wire."""
    target = sent.target if isinstance(sent.target, bytes) else sent.target.encode()
    if not sent.body:
        return get(target)
    kind = f"Content-Type: {sent.kind}\r\n".encode() if sent.kind else b""
    length = b"Content-Length: %d\r\n" % len(sent.body)
    return b"POST " + target + b" HTTP/1.1\r\nConnection: close\r\n" + kind + length + b"\r\n" + sent.body


def read(record: Click | InboundPostback | None) -> ReceivedPostback:
    """A recorded postback as it is decided."""
    assert isinstance(record, InboundPostback)
    page = None if record.source == "postback" else record.page
    return parse_postback(record.id, record.time, "", record.params, page=page, forgiven=record.forgiven)


def test_link_that_can_mean_one_thing_is_a_click_with_its_bits(edge: RunningEdge) -> None:
    seen = 0
    found = records_of(edge, [get(target) for target, _, _ in LINKS.values()])
    for (name, (_, params, bits)), (status, click) in zip(LINKS.items(), found, strict=True):
        assert isinstance(click, Click), name
        assert (status, click.reason, click.offer, click.affiliate) == (302, "", 3, 7), name
        assert {each: getattr(click, each) for each in params} == params, name
        assert click.forgiven == bits, name
        seen += 1
    assert seen == len(LINKS) == 60


def test_postback_that_can_mean_one_thing_names_its_click_with_its_bits(edge: RunningEdge) -> None:
    seen = 0
    found = records_of(edge, [request_of(sent) for sent in POSTBACKS.values()])
    for (name, sent), (status, record) in zip(POSTBACKS.items(), found, strict=True):
        assert status == 200, name
        postback = read(record)
        assert (postback.click_id, postback.faults) == (ID, frozenset()), name
        assert {each: getattr(postback, each) for each in sent.read} == sent.read, name
        assert postback.forgiven == sent.bits, name
        seen += 1
    assert seen == len(POSTBACKS) == 53
    used = {sent.bits for sent in POSTBACKS.values()} | {bits for _, _, bits in LINKS.values()}
    assert all(any(bits & bit for bits in used) for bit in FORGIVEN), "each entry of the table has a row"


def test_request_that_may_mean_several_things_is_refused_with_a_reason(edge: RunningEdge) -> None:
    bodies = {"list of two": b"[" + JSON + b"," + JSON + b"]", "space and a body": b"abcde"}
    end = b"Connection: close\r\n\r\n"
    found = records_of(edge, [line + end + bodies.get(name, b"") for name, (line, _, _) in AMBIGUOUS.items()])
    for (name, (_, status, reason)), (answered, record) in zip(AMBIGUOUS.items(), found, strict=True):
        assert answered == status, name
        if isinstance(record, Click):
            assert record.reason == reason, name
        elif record is not None:
            assert find_early_error(read(record), None) == reason, name
        else:
            assert (status, reason) == (400, ""), name
    assert len(found) == 16


def test_refused_request_is_counted_and_logged(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    from tests.edge.http.test_timeouts import ConnectionHarness  # its connection is in this process
    from trackyard.base.metrics import REFUSED_REQUESTS

    def count() -> float:
        return float(REFUSED_REQUESTS.labels("tracking", 400)._value.get())

    before = count()
    for sent in (
        b"GET /a?secure=CODE&b=c\tX\x1b[1m HTTP/1.1\r\n\r\n",
        b"POST /a b HTTP/1.1\r\nContent-Length: 1\r\n\r\nx",
    ):
        bench = ConnectionHarness()
        bench.connection.data_received(sent)
        assert [each.status for each in bench.answers] == [400]
    assert count() == before + 2
    lines = [each for each in caplog.records if each.message == "request not read"]
    reasons = [each.__dict__["reason"] for each in lines]
    assert reasons == ["control character in the request line", "space in the URL of a request with a body"]
    assert lines[0].__dict__["line"] == "GET /a?secure=***&b=c\\tX\\x1b[1m HTTP/1.1"


PARAMETERS: Final = {"pid": "7", "offer_id": "3"}
DAMAGE: Final = (
    (lambda text: text.replace("&", "&amp;"), AMPERSAND),
    (lambda text: text + "%20", IDENTIFIER),
    (lambda text: text + ".", IDENTIFIER),
    (lambda text: text + "?utm_source=a", QUESTION_MARK),
    (lambda text: "?" + text, QUESTION_MARK),
    (lambda text: text + "&pid=", EMPTY_REPEAT),
    (lambda text: text.replace("pid", "PID", 1), NAME),
    (lambda text: text.replace("sub1", "sub1[]"), NAME),
)


@given(st.sampled_from(DAMAGE), st.text(st.characters(codec="ascii", categories=["L", "N"]), min_size=1, max_size=9))
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_link_with_one_damage_is_the_clean_click_and_its_bit(edge: RunningEdge, damage: tuple, value: str) -> None:  # type: ignore[type-arg]
    make, bit = damage
    clean = f"sub1={value}&sub2=b&pid=7&offer_id=3"
    (_, first), (_, second) = records_of(edge, [get(f"/click?{clean}".encode()), get(f"/click?{make(clean)}".encode())])
    assert isinstance(first, Click) and isinstance(second, Click)
    names = ("reason", "offer", "affiliate", "sub1", "sub2", "advertiser", "landing")
    assert [getattr(second, name) for name in names] == [getattr(first, name) for name in names]
    assert (first.forgiven, second.forgiven) == (0, bit)


def test_table_of_the_specification_is_the_declaration() -> None:
    text = (Path(__file__).parents[2] / "docs" / "spec" / "tracking.md").read_text()
    section = text.partition("## What is forgiven\n")[2].partition("\n## ")[0]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    assert rows == [
        f"| `{each.name}` | {each.label} | `{each.sent}` | `{each.taken}` | {each.rule} |" for each in FORGIVEN.values()
    ]
    assert len({each.name for each in FORGIVEN.values()}) == len(FORGIVEN) == len(rows) == 12
    assert list(FORGIVEN) == [1 << place for place in range(len(FORGIVEN))]


def test_names_of_links_are_those_of_the_reference() -> None:
    texts = reference_texts("parameters")
    subjects = ("click", "smartlink", "impression")
    assert {name for subject in subjects for each in texts[subject] for name in names_of(each)} == LINK_NAMES


@pytest.mark.parametrize(("key", "bits"), [(b"key", RAW_BYTES | ENCODING), (b"another", 0)])
def test_forwarded_postback_keeps_what_the_api_forgave(
    edge_with: Callable[..., EdgeHandler], journal: MemoryJournal, key: bytes, bits: int
) -> None:
    """A stranger cannot set the bits: they count next to a signed address only."""
    headers = {FORWARDED_HEADER: signed_caller(key, "192.0.2.1", NOW), FORGIVEN_HEADER: b"5"}
    answer = edge_with(forward_key=b"key").handle(
        Request("GET", "/postback", f"clickid={ID}".encode(), headers, "192.0.2.9", False)
    )
    assert (answer.status, journal.call.forgiven) == (200, bits)
