"""Inbox → conversions: takes calls, decides them, writes all that follows in one transaction."""

import logging
import threading
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final
from zoneinfo import ZoneInfo

import msgspec

from trackyard.actions.conversions.decisions import Desk, Inquiry, Memory
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.base.metrics import CALLS_DECIDED
from trackyard.domain.conversions.conversions import CallFacts, Change, Fault, find_early_fault
from trackyard.domain.platform.retention import DEFAULT_SPANS, Spans
from trackyard.jobs.batches import do_batch, work_off
from trackyard.jobs.conversions.postback_log import log_row
from trackyard.journal.records import Call, decode_call, decode_click
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import ReadyCall
from trackyard.store.engine.database import Connection, Database
from trackyard.store.statistics import outbox

BATCH: Final = 60
"""Calls a transaction on SQLite, where nobody else writes meanwhile: 19 ms of the processor, as measured on a busy
machine (docs/performance.md)."""
LONG_BATCH: Final = 250
"""On PostgreSQL, where one transaction holds up others only by the offers and counters that it locks: within 70 ms."""

log = logging.getLogger("trackyard.conversions")


@dataclass(frozen=True, slots=True)
class _Opened:
    """A call, decoded. inquiry: with its click · fault: found before anything was looked up; one of the two is None."""

    row: ReadyCall
    call: Call
    click: Mapping[str, Any] | None
    inquiry: Inquiry | None
    fault: Fault | None


class Converter:
    """Makes conversions of calls. Several may run on one database: calls of one conversion stay in order."""

    def __init__(
        self,
        database: Database,
        platform_currency: str,
        zone: ZoneInfo,
        clock: Clock,
        spans: Spans = DEFAULT_SPANS,
    ) -> None:
        self._database = database
        self._currency = platform_currency
        self._zone = zone
        self._clock = clock
        self._memory = Memory(clock, spans)

    def run(self, stop: threading.Event, pause_seconds: float = 0.05) -> None:
        """Decides calls until `stop` is set. Trouble with the database is logged and waited out."""
        work_off(self.step, self._database, stop, pause_seconds, log)

    def step(self) -> int:
        """Decides one batch of calls; how many left the inbox. A batch that fails is decided call by call."""
        with self._database.read() as conn:
            if not inbox.has_ready(conn):
                return 0
        size = BATCH if self._database.is_sqlite else LONG_BATCH
        return do_batch(self._decide_some, self._set_aside, size, log)

    def _set_aside(self, error: Exception) -> int:
        with self._database.write() as conn:
            call = inbox.set_aside(conn)
        if call is None:
            return 0
        told = {"inbox_id": call.id, "journal": call.journal, "position": call.position}
        log.error("a call cannot be decided and is set aside", exc_info=error, extra=told)
        return 1

    def _decide_some(self, limit: int) -> int:
        with self._database.write() as conn:
            rows = inbox.take_ready(conn, limit)
            if not rows:
                return 0
            responses = self._decide_rows(conn, [self._opened(conn, row) for row in rows])
        for response, count in Counter(responses).items():
            CALLS_DECIDED.labels(response).inc(count)
        return len(rows)

    def _opened(self, conn: Connection, row: ReadyCall) -> _Opened:
        call = decode_call(_without_nul(row.call))
        click = None if row.click is None else msgspec.structs.asdict(decode_click(_without_nul(row.click)))
        forgotten = self._memory.has_forgotten(conn, call.params.get("clickid", ""), call.time)
        fault = find_early_fault(call.params, click, forgotten=forgotten)
        inquiry = None
        if fault is None and click is not None:
            facts = CallFacts(call.id, call.time, call.ip, call.params, row.journal, row.position)
            inquiry = Inquiry(facts, click)
        return _Opened(row, call, click, inquiry, fault)

    def _decide_rows(self, conn: Connection, calls: list[_Opened]) -> list[str]:
        now = self._clock.now_ms()
        inquiries = [item.inquiry for item in calls if item.inquiry is not None]
        desk = Desk(conn, inquiries, self._currency, self._zone)
        changes: list[Change] = []
        responses: list[str] = []
        logs = []
        for item in calls:
            outcome = item.fault if item.inquiry is None else desk.decide(item.inquiry, new_id(now))
            conversion = None
            if isinstance(outcome, Change):
                changes.append(outcome)
                desk.keep(outcome)
                conversion = outcome.after
            responses.append(outcome.value if isinstance(outcome, Fault) else "")
            logs.append(
                log_row(
                    item.call,
                    item.row.journal,
                    item.row.position,
                    revision=1,
                    response=responses[-1],
                    click=item.click,
                    conversion=conversion,
                )
            )
        desk.record(changes, now)
        outbox.add(conn, logs, now)
        return responses


def _without_nul(payload: bytes) -> bytes:
    """A record without NUL characters, which PostgreSQL cannot keep."""
    if b"\\u0000" not in payload:
        return payload
    return msgspec.json.encode(_cleaned(msgspec.json.decode(payload)))


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return value.replace("\x00", "")
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {_cleaned(key): _cleaned(item) for key, item in value.items()}
    return value
