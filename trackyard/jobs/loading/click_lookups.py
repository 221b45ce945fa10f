"""Serve recorded clicks by id to local edges over a Unix socket.

See docs/decisions/0040 and docs/decisions/0042.
"""

import logging
import socket
import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import cache, partial
from pathlib import Path
from typing import Final

from trackyard.analytics.engine.connection import Analytics, StoreError, StoreUnavailable
from trackyard.analytics.reports.clicks import find_records, list_known_ids
from trackyard.base.clock import Clock
from trackyard.base.ids import find_click_id, is_hex24
from trackyard.base.logs.outages import first_line
from trackyard.base.sockets import socket_address
from trackyard.domain.conversions.click_lookups import (
    ASKS_KNOWN,
    KNOWN,
    LOOKUP_SOCKET,
    MAX_ASKED,
    UNDECIDED,
    UNKNOWN,
)
from trackyard.domain.conversions.sessions import is_click_wait_over
from trackyard.jobs.failures import is_outage
from trackyard.jobs.loading.click_waits import LoadedJournals, has_earlier_records
from trackyard.store.engine.database import Database

_BACKLOG: Final = 64
_READ_TIMEOUT_S: Final = 1.0
_POLL_S: Final = 0.5
_ID_LENGTH: Final = 24
_MAX_REQUEST: Final = len(ASKS_KNOWN) + MAX_ASKED * _ID_LENGTH + 1

_log = logging.getLogger("trackyard.jobs")


class ClickLookupServer:
    """Answer one look-up after another: the edge sends an id and a line end, the server the record.

    path: the path of the socket; only its owner may use it.
    find: returns the record of a click id, None when none is loaded.
    judge: returns a sign for each of several ids (domain/conversions/click_lookups.py).
    """

    def __init__(
        self, path: Path, find: Callable[[str], bytes | None], judge: Callable[[Sequence[str]], str] | None = None
    ) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.unlink(missing_ok=True)
        self._path = path
        self._find = find
        self._judge = judge
        self._listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        try:
            with socket_address(path) as address:
                self._listener.bind(address)
            path.chmod(0o600)
            self._listener.listen(_BACKLOG)
            self._listener.settimeout(_POLL_S)
        except BaseException:
            self._listener.close()
            raise

    @classmethod
    def of_store(cls, data_dir: Path, analytics: Analytics, database: Database, clock: Clock) -> "ClickLookupServer":
        """Return a server that reads the analytic store, and the journals of this machine."""
        return cls(
            data_dir / LOOKUP_SOCKET,
            lambda click_id: find_records(analytics, [click_id]).get(click_id),
            lambda click_ids: judge_clicks(analytics, database, clock.now_ms(), click_ids, data_dir / "journal"),
        )

    def run(self, stop: threading.Event) -> None:
        """Answer until `stop` is set, then remove the socket: copies of the data directory need none."""
        with self._listener:
            while not stop.is_set():
                try:
                    client, _ = self._listener.accept()
                except TimeoutError:
                    continue
                except OSError as fault:
                    _log.error("click look-up socket failed", extra={"error": str(fault)})
                    stop.wait(_POLL_S)
                    continue
                with client, suppress(OSError):
                    self._answer(client)
        self._path.unlink(missing_ok=True)

    def _answer(self, client: socket.socket) -> None:
        client.settimeout(_READ_TIMEOUT_S)
        request = b""
        while not request.endswith(b"\n") and len(request) <= _MAX_REQUEST and (data := client.recv(_MAX_REQUEST)):
            request += data
        if request.startswith(ASKS_KNOWN):
            self._answer_known(client, request[len(ASKS_KNOWN) : -1].decode("ascii", "replace"))
            return
        click_id = request[:_ID_LENGTH].decode("ascii", "replace")
        if not is_hex24(click_id) or _is_disconnected(client):
            return
        try:
            record = self._find(click_id)
        except StoreError as fault:
            level = logging.DEBUG if isinstance(fault, StoreUnavailable) else logging.WARNING
            _log.log(level, "click look-up failed", extra={"click_id": click_id, "error": first_line(fault)})
            return
        if record is not None:
            client.sendall(record)

    def _answer_known(self, client: socket.socket, joined: str) -> None:
        click_ids = [joined[at : at + _ID_LENGTH] for at in range(0, len(joined), _ID_LENGTH)]
        if self._judge is None or not all(map(is_hex24, click_ids)) or _is_disconnected(client):
            return
        try:
            signs = self._judge(click_ids)
        except Exception as fault:  # look-ups go on
            level = logging.DEBUG if is_outage(fault) else logging.WARNING
            _log.log(level, "click look-up failed", extra={"clicks": len(click_ids), "error": first_line(fault)})
            return
        client.sendall(signs.encode("ascii"))


def judge_clicks(
    analytics: Analytics, database: Database, now_ms: int, click_ids: Sequence[str], journals: Path
) -> str:
    """Return for each id whether a click has it: a sign of domain/conversions/click_lookups.py."""
    # How far journals are loaded is read first: a click that is loaded meanwhile is then found.
    with database.read() as conn:
        loaded = LoadedJournals(conn)
    known = list_known_ids(analytics, click_ids)
    was_set_back = cache(partial(has_earlier_records, journals, loaded))

    def sign(click_id: str) -> str:
        if click_id in known:
            return KNOWN
        if not is_click_wait_over(click_id, now_ms, now_ms, loaded.edges, loaded.until):
            return UNDECIDED
        parts = find_click_id(click_id)
        return UNKNOWN if parts is None or not was_set_back(parts.edge) else UNDECIDED

    return "".join(map(sign, click_ids))


def _is_disconnected(client: socket.socket) -> bool:
    """Return whether the edge has stopped waiting."""
    client.setblocking(False)
    try:
        return client.recv(1, socket.MSG_PEEK) == b""
    except BlockingIOError:
        return False
    finally:
        client.settimeout(_READ_TIMEOUT_S)
