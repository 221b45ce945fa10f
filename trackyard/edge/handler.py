"""The tracking addresses: a function from a request to an answer that knows no server (behaviour.md §4)."""

import os
from collections.abc import Callable
from typing import Any, Final, Protocol

import msgspec

from trackyard.base import metrics
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.decide.hit import Hit, find_number
from trackyard.decide.rules import Rules
from trackyard.decide.steps import Refused, decide
from trackyard.decide.target import accepted_url, find_refused_url
from trackyard.decide.visitor import Visitors
from trackyard.domain.links import Link, unpack
from trackyard.edge.address import TrustedNetworks, find_address
from trackyard.edge.calls import call_params
from trackyard.edge.counters import Counters
from trackyard.edge.request import MAX_URL, Request, Response, read_pairs
from trackyard.edge.state import SEEN, UniqueVisitors
from trackyard.journal.records import Call, Flag, Kind, encode
from trackyard.journal.writer import JournalUnwritable

_NO_STORE: Final = b"Cache-Control: no-store\r\n"
_NOT_AVAILABLE: Final = (
    b"<!doctype html><html lang=en><meta charset=utf-8><title>Not available</title>"
    b"<p>This offer is not available.</p></html>\n"
)
_ROBOTS: Final = b"User-agent: *\nDisallow: /\n"
_TOOK: Final = b'{"status":1}'
_IDS_AT_ONCE = 512

_encode_json = msgspec.json.Encoder().encode


class Journal(Protocol):
    """What the handler needs of a journal's writer."""

    def append(self, kind: Kind, payload: bytes) -> int: ...

    def put(self, kind: Kind, payload: bytes) -> None: ...

    def flush(self) -> None: ...


class Edge:
    """Decides, records and answers. `rules` is None until rules were read; `journal_fault` is "" while the
    journal takes records."""

    def __init__(
        self,
        *,
        number: int,
        clock: Clock,
        journal: Journal,
        visitors: Visitors,
        unique: UniqueVisitors,
        trusted: TrustedNetworks,
        counters: Counters,
    ) -> None:
        self.rules: Rules | None = None
        self.journal_fault = ""
        self._number = f"{number:02x}"
        self._clock = clock
        self._journal = journal
        self._visitors = visitors
        self._unique = unique
        self._trusted = trusted
        self._counters = counters
        self._random: list[str] = []
        self._claims: list[int] = []
        self._lost = False
        self._handlers: dict[str, tuple[Callable[[Request], Response], tuple[str, ...]]] = {
            "/click": (self._click, ("GET", "HEAD")),
            "/postback": (self._postback, ("GET", "POST")),
            "/healthz": (_healthz, ("GET", "HEAD")),
            "/readyz": (self._readyz, ("GET", "HEAD")),
            "/metrics": (self._metrics, ("GET", "HEAD")),
            "/favicon.ico": (_favicon, ("GET", "HEAD")),
            "/robots.txt": (_robots, ("GET", "HEAD")),
        }

    def handle(self, request: Request) -> Response:
        """The answer to a request. One that is `recorded` may be sent only after `commit` said so."""
        path = request.path
        found = self._handlers.get(path)
        if found is None:
            path = path.rstrip("/")
            found = self._handlers.get(path)
        if found is None and (link := unpack(path[1:])) is not None:
            path, found = "/{hash}", self._handlers["/click"]
            request = _as_click(request, link)
        if found is None:
            path, response = "other", error(404, "not_found", "Page Not Found")
        elif request.method not in found[1]:
            allow = f"Allow: {', '.join(found[1])}\r\n".encode()
            response = error(405, "method_not_allowed", "Method Not Allowed", allow)
        elif len(path) + len(request.query) >= MAX_URL:
            response = error(414, "uri_too_long", "The URL is over the limit of 8 KB")
        else:
            response = found[0](request)
        self._counters.requests[path, response.status] += 1
        return response

    def commit(self) -> bool:
        """Writes the records of the clicks decided since the last time; False when they could not be written:
        then each of them is answered by UNWRITABLE, and none counts."""
        kept = self._flush() and not self._lost
        self._lost = False
        return kept

    def _flush(self) -> bool:
        claims, self._claims = self._claims, []
        try:
            self._journal.flush()
        except JournalUnwritable as fault:
            for place in claims:
                self._unique.release(place)
            self.journal_fault = str(fault)
            return False
        return True

    def _click(self, request: Request) -> Response:
        if self.rules is None:
            return error(503, "not_ready", "No rules yet", b"Retry-After: 1\r\n")
        params, cut = read_pairs(request.query)
        hit = self._hit(self.rules, request, params)
        refused = decide(hit)
        url = accepted_url(hit) if refused is None else find_refused_url(hit)
        recorded = request.method == "GET"
        if recorded:
            flags = Flag.PARAMETER_CUT if cut else 0
            if "redirect" in params or "path" in params:
                flags |= Flag.REDIRECT_IGNORED
            self._record_click(hit, refused, flags)
        if url is None:
            return Response(404, _NOT_AVAILABLE, b"text/html; charset=utf-8", headers=_NO_STORE, recorded=recorded)
        return Response(302, b"", b"", url.encode("ascii"), _NO_STORE, recorded)

    def _hit(self, rules: Rules, request: Request, params: dict[str, str]) -> Hit:
        ip = request.peer
        ua = request.header(b"user-agent")
        if request.trusted:
            forwarded = request.headers.get(b"x-forwarded-for")
            if forwarded is not None:
                ip = self._trusted.visitor(ip, forwarded.decode("latin-1"))
            else:
                ip = find_address(params.get("ip", "")) or ip
                ua = params.get("ua", ua)
        return Hit(
            rules,
            (now := self._clock.now_ms()),
            self._new_click_id(now),
            params,
            ip,
            self._visitors.place(ip),
            ua,
            self._visitors.agent(ua),
            request.header(b"referer"),
            _language(request.header(b"accept-language")),
        )

    def _new_click_id(self, now_ms: int) -> str:
        """As base/ids.new_click_id, with randomness fetched for many at once."""
        if not self._random:
            digits = os.urandom(7 * _IDS_AT_ONCE).hex()
            self._random = [digits[at : at + 14] for at in range(0, len(digits), 14)]
        return f"{now_ms // 1000:08x}{self._number}{self._random.pop()}"

    def _record_click(self, hit: Hit, refused: Refused | None, flags: int) -> None:
        place = SEEN
        if refused is None and hit.offer is not None:
            place = self._unique.claim(hit.offer.id, hit.ip, hit.ua, hit.time_ms // 1000)
            if place != SEEN:
                self._claims.append(place)
        self._journal.put(Kind.CLICK, encode(click_columns(hit, refused, place != SEEN, flags)))
        self._counters.clicks["" if refused is None else refused.reason] += 1

    def _postback(self, request: Request) -> Response:
        ip = request.peer
        forwarded = request.headers.get(b"x-forwarded-for")
        if request.trusted and forwarded is not None:
            ip = self._trusted.visitor(ip, forwarded.decode("latin-1"))
        now = self._clock.now_ms()
        call = Call(
            time=now,
            id=new_id(now),
            source="postback",
            method=request.method,
            ip=ip,
            ua=request.header(b"user-agent"),
            query=request.query.decode("utf-8", "replace"),
            body=request.body.decode("utf-8", "replace"),
            params=call_params(request),
        )
        # The clicks before it on their own, so that each kind is told its own fault.
        if not self._flush():
            self._lost = True
        try:
            self._journal.append(Kind.CALL, encode(call))
        except JournalUnwritable as fault:
            self.journal_fault = str(fault)
            return UNWRITABLE
        self._counters.calls += 1
        return Response(200, _TOOK, headers=_NO_STORE, durable=True)

    def _readyz(self, request: Request) -> Response:
        reasons = []
        if self.rules is None:
            reasons.append("no rules were read yet")
        if self.journal_fault:
            reasons.append("the journal is not writable")
        body = _encode_json({"status": 2 if reasons else 1, "reasons": reasons, "lag_seconds": metrics.lags()})
        return Response(503 if reasons else 200, body, headers=_NO_STORE)

    def _metrics(self, request: Request) -> Response:
        body, content_type = metrics.exposition()
        return Response(200, body, content_type.encode())


_KEPT: Final = (  # parameters that are columns, in the order of the columns
    *(f"sub{number}" for number in range(1, 9)),
    *("ref_id", "os_id", "user_id", "ext1", "ext2", "ext3", "fbclid", "ios_idfa", "android_id", "bundle_id"),
)
_BLANK: Final = ("",) * len(_KEPT)


def click_columns(hit: Hit, refused: Refused | None, unique: bool, flags: int) -> tuple[Any, ...]:
    """The record of a decided click as the columns of journal.records.Click, in their order: a tuple is encoded like
    the struct and spares its making."""
    get = hit.params.get
    agent = hit.agent
    place = hit.place
    offer = hit.offer
    landing = find_number(get("l", "")) if offer is not None and "l" in hit.params and hit.find_landing() else None
    return (
        hit.time_ms,
        hit.click_id,
        "" if refused is None else refused.reason,
        "" if refused is None else refused.detail,
        0 if offer is None else offer.id,
        0 if hit.affiliate is None else hit.affiliate.id,
        "" if offer is None else offer.advertiser,
        landing or 0,
        "",
        int(unique),
        hit.ip,
        hit.country,
        str(place.region_id or ""),
        place.city_id,
        place.city,
        place.isp,
        place.connection,
        hit.ua,
        agent.os,
        agent.os_version,
        agent.device,
        agent.brand,
        agent.model,
        agent.browser,
        agent.browser_version,
        hit.language,
        hit.referrer,
        *map(get, _KEPT, _BLANK),
        flags,
    )


def error(status: int, code: str, text: str, headers: bytes = b"") -> Response:
    """An error in the form of behaviour.md §2."""
    body = _encode_json({"status": 2, "error": text, "message": text, "code": code})
    return Response(status, body, headers=_NO_STORE + headers)


UNWRITABLE: Final = error(503, "journal_unwritable", "Nothing was recorded: try again later", b"Retry-After: 5\r\n")
"""The answer when a record could not be made safe."""


def _as_click(request: Request, link: Link) -> Request:
    """The click that a short link stands for; what it says itself comes last, and so wins."""
    own = link.query.encode("ascii")
    query = request.query + b"&" + own if request.query else own
    return msgspec.structs.replace(request, path="/click", query=query)


def _healthz(request: Request) -> Response:
    return Response(200, _TOOK, headers=_NO_STORE)


def _favicon(request: Request) -> Response:
    return Response(204, b"", b"", headers=b"Cache-Control: max-age=86400\r\n")


def _robots(request: Request) -> Response:
    return Response(200, _ROBOTS, b"text/plain; charset=utf-8")


def _language(accepted: str) -> str:
    """The first language of Accept-Language, without its region: "en" of "en-GB,en;q=0.9"."""
    if not accepted:
        return ""
    first = accepted.partition(",")[0].partition(";")[0].partition("-")[0].strip().lower()
    return first if first.isalpha() and first.isascii() and len(first) <= 3 else ""
