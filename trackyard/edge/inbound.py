"""Inbound calls: conversions that advertisers report, on disk before they are answered (behaviour.md §4)."""

from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.edge.address import TrustedNetworks
from trackyard.edge.answers import NO_STORE, TOOK, UNWRITABLE
from trackyard.edge.calls import call_params
from trackyard.edge.counters import Counters
from trackyard.edge.recorder import Recorder
from trackyard.edge.request import Request, Response
from trackyard.journal.records import Call, Kind, encode


class Inbound:
    """Answers `/postback`."""

    __slots__ = ("_clock", "_counters", "_recorder", "_trusted")

    def __init__(self, clock: Clock, trusted: TrustedNetworks, recorder: Recorder, counters: Counters) -> None:
        self._clock = clock
        self._trusted = trusted
        self._recorder = recorder
        self._counters = counters

    def postback(self, request: Request) -> Response:
        """Takes a call; what becomes of it stands in the server postback log."""
        now = self._clock.now_ms()
        call = Call(
            time=now,
            id=new_id(now),
            source="postback",
            method=request.method,
            ip=self._caller(request),
            ua=request.header(b"user-agent"),
            query=request.query.decode("utf-8", "replace"),
            body=request.body.decode("utf-8", "replace"),
            params=call_params(request),
        )
        if not self._recorder.append(Kind.CALL, encode(call)):
            return UNWRITABLE
        self._counters.calls += 1
        return Response(200, TOOK, headers=NO_STORE, durable=True)

    def _caller(self, request: Request) -> str:
        forwarded = request.headers.get(b"x-forwarded-for") if request.trusted else None
        if forwarded is None:
            return request.peer
        return self._trusted.visitor(request.peer, forwarded.decode("latin-1"))
