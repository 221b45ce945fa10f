"""Check the URLs of active offers (docs/spec/statistics.md#urls-of-offers)."""

import asyncio
import logging
import threading
from collections.abc import Sequence
from typing import Final

from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.base.metrics.watching import URL_CHECKS
from trackyard.domain.statistics.url_checks import (
    EVERY_MS,
    FIRST_MS,
    HOST_PAUSE_MS,
    MADE_UP,
    MOST_HOPS,
    UrlCheck,
    UrlHop,
    host_of,
    is_made_up,
    loses_click,
    next_hop,
    probe_url,
)
from trackyard.jobs.failures import JobFailures
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.store.engine.database import Connection, Database
from trackyard.store.statistics import url_checks

PAUSE_S: Final = 60.0
_NEW_OFFERS: Final = 500
_NO_HOST: Final = "not a URL that can be called"

log = logging.getLogger("trackyard.urls")


class UrlChecker:
    """Check URLs until stopped, one at a time. Several workers may run on one database."""

    def __init__(self, database: Database, clock: Clock, allow: Sequence[Network] = ()) -> None:
        self._database = database
        self._clock = clock
        self._allow = allow

    def run(self, stop: threading.Event, pause_seconds: float = PAUSE_S) -> None:
        """Check what is due until `stop` is set. Failures of the database are logged and retried."""
        failures = JobFailures(log, "worker", "urls")
        while not stop.is_set():
            pause = pause_seconds
            try:
                self.note_new()
                while not stop.is_set() and self.check_one():
                    pass
                failures.worked()
            except Exception as error:
                pause = failures.failed(error)
            stop.wait(pause)

    def note_new(self) -> None:
        """Note offers that are new; they are due some minutes later."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not url_checks.has_missing(conn):
                return
        with self._database.write() as conn:
            url_checks.add_missing(conn, now + FIRST_MS, _NEW_OFFERS)

    def check_one(self) -> bool:
        """Check the offer that is due longest, or put it off; return False when none is due."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not url_checks.has_due(conn, now):
                return False
        with self._database.write() as conn:
            due = url_checks.find_due(conn, now)
            if due is None:
                return False
            if due.url is None:
                url_checks.forget(conn, due.offer_id)
                return True
            click_id = new_id(now)
            url = probe_url(due.url, click_id)
            if is_made_up(host_of(url)):
                url_checks.set_due(conn, due.offer_id, now + EVERY_MS)
                url_checks.set_result(conn, due.offer_id, UrlCheck(now, (), MADE_UP))
                return True
            free_at = self._claim(conn, host_of(url), now)
            url_checks.set_due(conn, due.offer_id, free_at or now + EVERY_MS)
            if free_at is not None:
                return True
        found = asyncio.run(self._visit(due.url, url, click_id, now))
        URL_CHECKS.labels("failed" if found.fails else "lost_click" if found.loses_click else "reached").inc()
        if found.fails:
            reason = found.error or f"HTTP {found.status}"
            log.warning("offer URL fails", extra={"offer": due.offer_id, "host": host_of(url), "reason": reason})
        with self._database.write() as conn:
            url_checks.set_result(conn, due.offer_id, found)
            url_checks.forget_hosts(conn, now - HOST_PAUSE_MS)
        return True

    @staticmethod
    def _claim(conn: Connection, host: str, now: int) -> int | None:
        return url_checks.claim_host(conn, host, now, HOST_PAUSE_MS) if host else None

    async def _visit(self, template: str, url: str, click_id: str, now: int) -> UrlCheck:
        """Follow a URL. A redirect to a host that was visited by an earlier check ends it."""
        hops: list[UrlHop] = []
        error = "" if host_of(url) else _NO_HOST
        visited, is_whole = {host_of(url)}, True
        async with OutboundClient(self._allow) as client:
            while url and not error:
                answer = await client.probe(url)
                hops.append(UrlHop(url, answer.status, answer.milliseconds))
                url, error = next_hop(url, answer.status, answer.location), answer.error
                if url and len(hops) >= MOST_HOPS:
                    error = f"redirects more than {MOST_HOPS - 1} times"
                elif url and not self._may_follow(host_of(url), visited, now):
                    url, is_whole = "", False
        return UrlCheck(now, tuple(hops), error[:300], is_whole and loses_click(template, hops, click_id))

    def _may_follow(self, host: str, visited: set[str], now: int) -> bool:
        """Return whether a host may be visited, and note that it is."""
        if host not in visited:
            with self._database.write() as conn:
                if self._claim(conn, host, now) is not None:
                    return False
            visited.add(host)
        return True
