"""Fuzzed requests to the tracking addresses, answered by the handler of an edge."""

import atexit
import shutil
import tempfile
from functools import cache
from ipaddress import ip_network
from pathlib import Path

from tests.support.clicks.edge_handler import NOW, MemoryJournal
from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset, packed
from trackyard.base.clock import ManualClock
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.offers.offers import AllowDeny, TargetingGroup
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate, RulesetPixels, RulesetRow
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import MAX_BODY
from trackyard.edge.http.request import MAX_URL, Request, Response, serialize
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.journal.records import InboundPostback, encode, encode_click

STATUSES = frozenset({200, 204, 302, 400, 404, 405, 410, 414, 503})
MOST_ANSWER = 128 * 1024
MOST_RECORD = 256 * 1024
CALLS = ("/postback", "/success.jpg", "/success.php", "/track.js")


@cache
def _edge() -> tuple[EdgeHandler, MemoryJournal]:
    home = Path(tempfile.mkdtemp(prefix="fuzz-edge-"))
    atexit.register(shutil.rmtree, home, ignore_errors=True)
    journal = MemoryJournal()
    state = EdgeState(
        StateOptions(home / "state", home / "journal", home / "rules", 9, size=64 * 1024), lambda: (0, 0), NOW // 1000
    )
    edge = EdgeHandler(
        number=9, clock=ManualClock(NOW), journal=journal, visitors=VisitorLookup(), state=state,
        trusted=TrustedNetworks([ip_network("127.0.0.0/8")]), counters=Counters(),
    )  # fmt: skip
    edge.ruleset = make_ruleset(_rows())
    return edge, journal


def _rows() -> list[RulesetRow]:
    """Offers of each form of redirect, with macros in every part, and codes of pixels."""
    url = "http://shop.example/{offer_id}/{sub1}?c={clickid}&s={sub2}&r={referrer}&u={device_ua}&d={deeplink}&x={ext1}"
    picky = TargetingGroup(country=AllowDeny(allow=("EE", "DE")), browser=AllowDeny(deny=("Firefox",)))
    return [
        make_offer(3, url=url, allow_deeplink=True),
        make_offer(4, hash="c" * 24, url=url, redirect_type="js"),
        make_offer(5, hash="d" * 24, url=url, redirect_type="meta", restrictions=packed(groups=(picky,))),
        RulesetAffiliate(id=7),
        RulesetAdvertiser(id=ADVERTISER),
        RulesetPixels(offer=3, affiliate=7, codes=('<img src="https://a.example/{clickid}/{sub1}">',)),
    ]


def ask_tracking(data: bytes) -> None:
    """Answer a request: a first line with method and target, headers, an empty line and a body."""
    _ask(_request(data))


def ask_postback(data: bytes) -> None:
    """The same for the addresses that report conversions."""
    request = _request(data)
    if request.path not in CALLS:
        request = request.with_target(CALLS[len(data) % len(CALLS)], request.query)
    _ask(request)


def _request(data: bytes) -> Request:
    head, _, body = data.partition(b"\n\n")
    first, *lines = head.split(b"\n")
    method, _, target = first.partition(b" ")
    path, _, query = target[:MAX_URL].partition(b"?")
    headers = {name.strip().lower(): value.strip() for name, _, value in (line.partition(b":") for line in lines)}
    name = method.decode("ascii", "replace")
    peer = "127.0.0.1" if b"x-forwarded-for" in headers else "192.0.2.7"
    return Request(name, path.decode("latin-1"), query, headers, peer, peer.startswith("127."), body[:MAX_BODY])


def _ask(request: Request) -> None:
    edge, journal = _edge()
    journal.records.clear()
    answer = edge.handle(request)
    assert edge.commit(), "the journal of the edge is full"
    _check_answer(answer)
    assert len(journal.records) <= 1, "a request has several records"
    for record in journal.records:
        size = len(encode(record) if isinstance(record, InboundPostback) else encode_click(record))
        assert size <= MOST_RECORD, f"a record has {size} bytes"


def _check_answer(answer: Response) -> None:
    """No answer splits its headers, or is much larger than a request may be."""
    sent = serialize(answer, b"", b"", head=False)
    head, _, body = sent.partition(b"\r\n\r\n")
    assert answer.status in STATUSES, f"an answer has the status {answer.status}"
    assert body == (b"" if answer.location or answer.status == 204 else answer.body), (
        "the headers of an answer end too early"
    )
    assert len(sent) <= MOST_ANSWER, f"an answer has {len(sent)} bytes"
    for line in head.split(b"\r\n")[1:]:
        name, colon, value = line.partition(b":")
        assert colon and name.replace(b"-", b"").isalnum(), f"a header is named {name!r}"
        assert all(0x20 <= byte < 0x7F for byte in value), f"a header has the value {value!r}"
