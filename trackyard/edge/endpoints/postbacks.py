"""Inbound postbacks, on disk before they are answered (docs/spec/tracking.md#paths)."""

from collections.abc import Callable
from functools import partial
from typing import Final

from trackyard.base.clock import Clock
from trackyard.base.encodings import readable_text
from trackyard.base.error_codes import ErrorCode
from trackyard.base.ids import is_hex24, new_id
from trackyard.domain.platform.own_requests import is_own_request, origin_of
from trackyard.domain.tracking.forwarding import FORGIVEN_HEADER, FORWARDED_HEADER, find_caller
from trackyard.domain.tracking.ip_lists import wide_network_of
from trackyard.domain.tracking.near_misses import plain_click_id
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.known_clicks import KnownClicks
from trackyard.edge.endpoints.postback_hints import hint_header
from trackyard.edge.endpoints.postback_params import postback_params
from trackyard.edge.endpoints.redirects import cors
from trackyard.edge.http.answers import ACCEPTED_BODY, JOURNAL_UNWRITABLE, NO_STORE, error_response
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import HeldResponse, Request, Response
from trackyard.edge.record_limits import RecordLimits
from trackyard.edge.recorder import Recorder
from trackyard.journal.records import InboundPostback, RecordKind, encode

MAX_LOGGED_BODY: Final = 8 * 1024
"""Bytes of a body that the log keeps, the limit of a URL too. Parameters are read from the whole body."""

MAX_BROKEN_TEXT: Final = 256
"""Bytes of query, body and user agent, and of all parameters, that are recorded without an id of a click."""
MAX_PROMO_CODE_TEXT: Final = 2048
"""The same of a postback with a promo code instead of a click id."""

_OWN_REQUEST: Final = error_response(
    403, ErrorCode.OWN_REQUEST, "Nothing was recorded: a postback of this platform names the platform itself"
)


class PostbackHandler:
    """Records inbound postbacks and answers `/postback`; the server postback log shows the result."""

    def __init__(
        self,
        clock: Clock,
        trusted: TrustedNetworks,
        recorder: Recorder,
        counters: Counters,
        forward_key: bytes = b"",
        *,
        limits: RecordLimits,
        known_clicks: KnownClicks | None = None,
    ) -> None:
        self._limits = limits
        self._known_clicks = known_clicks
        self._forward_key = forward_key
        self._origin = origin_of(forward_key).encode()
        self._clock = clock
        self._trusted = trusted
        self._recorder = recorder
        self._counters = counters

    def postback(self, request: Request) -> Response:
        """Answer a postback of an advertiser's server."""
        params, forgiven = postback_params(request)
        headers = NO_STORE + hint_header(params) + cors(request)
        call = self.read_postback(request, "postback", params, forgiven=forgiven)
        return self.record(call, Response(200, ACCEPTED_BODY, headers=headers, durable=True))

    def unless_own(self, answer: Callable[[Request], Response]) -> Callable[[Request], Response]:
        """Return an endpoint that refuses the deliveries of this platform.

        One conversion must not report the next.
        """

        def endpoint(request: Request) -> Response:
            if is_own_request(request.headers, self._origin):
                return _OWN_REQUEST
            return answer(request)

        return endpoint

    def read_postback(
        self, request: Request, source: str, params: dict[str, str], page: str = "", forgiven: int = 0
    ) -> InboundPostback:
        """Return the inbound postback of a request.

        source: "postback" or the name of a pixel
        params: the parameters, by canonical name
        page: the host of the page, for a pixel
        forgiven: faults of the parameters that were accepted all the same
        """
        now = self._clock.now_ms()
        ip, forwarded = self._caller_of(request)
        ua, query, body = request.header(b"user-agent"), request.query, request.body[:MAX_LOGGED_BODY]
        if not is_hex24(plain_click_id(params.get("clickid", ""))):
            names_code = params.get("promo_code") and not params.get("clickid")
            most = MAX_PROMO_CODE_TEXT if names_code else MAX_BROKEN_TEXT
            ua, query, body = ua[:most], query[:most], body[:most]
            params = _shortened(params, most)
        return InboundPostback(
            time=now,
            id=new_id(now),
            source=source,
            method=request.method,
            ip=ip,
            ua=ua,
            query=readable_text(query)[0],
            body=readable_text(body)[0],
            params=params,
            page=page,
            forgiven=request.forgiven | forgiven | forwarded,
        )

    def record(self, call: InboundPostback, answer: Response) -> Response:
        """Record a postback; `answer` must wait until it is durable.

        Over the limit of its network, a postback is recorded only when its click may be known. The answer is the same.
        """
        if self._limits.admits_unknown(call.ip):
            return self._append(call, answer)
        click_id = plain_click_id(call.params.get("clickid", ""))
        if not is_hex24(click_id):
            return self._drop(answer)
        held = HeldResponse(answer.status)
        if self._known_clicks is not None and self._known_clicks.ask(
            click_id, wide_network_of(call.ip), partial(self._settle, held, call, answer)
        ):
            return held
        return self._append(call, answer)

    def _settle(self, held: HeldResponse, call: InboundPostback, answer: Response, known: bool) -> None:
        """End the wait of a postback. known: whether its click may exist."""
        held.settle(self._append(call, answer) if known else self._drop(answer))

    def _drop(self, answer: Response) -> Response:
        self._limits.count_dropped("postback")
        answer.durable = False
        return answer

    def _append(self, call: InboundPostback, answer: Response) -> Response:
        if not self._recorder.append(RecordKind.POSTBACK, encode(call)):
            return JOURNAL_UNWRITABLE
        self._counters.postbacks += 1
        return answer

    def _caller_of(self, request: Request) -> tuple[str, int]:
        """Return the address of the caller, and what this platform forgave before it forwarded the request."""
        signed = request.headers.get(FORWARDED_HEADER)
        if signed is not None and self._forward_key:
            caller = find_caller(self._forward_key, signed, self._clock.now_ms())
            if caller is not None:
                bits = request.headers.get(FORGIVEN_HEADER, b"")
                return caller, int(bits) if bits.isdigit() and len(bits) < 10 else 0
        forwarded = request.headers.get(b"x-forwarded-for") if request.trusted else None
        if forwarded is None:
            return request.peer, 0
        return self._trusted.locate(request.peer, forwarded.decode("latin-1"))[0], 0


def _shortened(params: dict[str, str], most: int) -> dict[str, str]:
    """Return beginnings of parameters: the click id first, then the shortest, `most` characters together."""
    kept, left = {}, most
    for name in sorted(params, key=lambda name: (name != "clickid", len(params[name]))):
        value = params[name][:left]
        if value:
            kept[name] = value
            left -= len(value)
    return kept
