"""The edge's handler without a server: a journal in memory, and requests as values."""

from collections.abc import Callable
from typing import Any

from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.answers import JOURNAL_UNWRITABLE
from trackyard.edge.http.request import Request, Response
from trackyard.journal.records import (
    Click,
    Impression,
    InboundPostback,
    RecordKind,
    decode_click,
    decode_impression,
    decode_postback,
    encode,
    encode_click,
)
from trackyard.journal.writer import JournalFull

NOW = 1_700_000_000_123


class MemoryJournal:
    """Keeps what was written; full on demand."""

    def __init__(self) -> None:
        self.records: list[Click | Impression | InboundPostback] = []
        self.waiting: list[tuple[RecordKind, bytes]] = []
        self.full = False

    def put(self, kind: RecordKind, payload: bytes) -> None:
        self.waiting.append((kind, payload))

    def flush(self) -> None:
        waiting, self.waiting = self.waiting, []
        for kind, payload in waiting:
            self.append(kind, payload)

    def append(self, kind: RecordKind, payload: bytes) -> int:
        if self.full:
            raise JournalFull("no space")
        assert b"\n" not in payload
        decode: Callable[[bytes], Any] = {
            RecordKind.CLICK: decode_click,
            RecordKind.IMPRESSION: decode_impression,
            RecordKind.POSTBACK: decode_postback,
        }[kind]
        record: Any = decode(payload)
        encoded = encode(record) if kind is RecordKind.POSTBACK else encode_click(record)
        assert encoded == payload, "a record is as the struct is encoded"
        self.records.append(record)
        return len(self.records)

    @property
    def click(self) -> Click:
        found = self.records[-1]
        assert isinstance(found, Click)
        return found

    @property
    def call(self) -> InboundPostback:
        found = self.records[-1]
        assert isinstance(found, InboundPostback)
        return found


def ask(
    edge: EdgeHandler,
    target: str | bytes,
    *,
    method: str = "GET",
    peer: str = "192.0.2.1",
    body: bytes = b"",
    **headers: bytes,
) -> Response:
    raw = target if isinstance(target, bytes) else target.encode()
    path, _, query = raw.partition(b"?")
    named = {name.replace("_", "-").encode(): value for name, value in headers.items()}
    answer = edge.handle(Request(method, path.decode(), query, named, peer, peer.startswith("127."), body))
    return answer if edge.commit() else JOURNAL_UNWRITABLE
