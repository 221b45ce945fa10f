"""Call the webhooks of rules about their firings (docs/spec/automation.md#notices).

A call is claimed before it is made, and repeated after its lease when the worker dies.
"""

import asyncio
import logging
import threading
from collections.abc import Sequence
from typing import Final

from trackyard.base.clock import Clock
from trackyard.domain.statistics.automation.webhooks import webhook_url
from trackyard.jobs.failures import JobFailures
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Database
from trackyard.store.statistics import automation, firings

LEASE_MS: Final = 60_000
RETRY_SECONDS: Final = (5, 60, 600, 3_600, 21_600)
"""Seconds from each failed attempt to the next; after the last one no more is made."""

log = logging.getLogger("trackyard.rules")


class RuleWebhookCaller:
    """Call webhooks until stopped, one at a time. Several workers may run on one database."""

    def __init__(self, database: Database, clock: Clock, allow: Sequence[Network] = ()) -> None:
        self._database = database
        self._clock = clock
        self._allow = allow

    def run(self, stop: threading.Event, pause_seconds: float = 5) -> None:
        """Call what is due until `stop` is set. Database failures are logged and retried."""
        failures = JobFailures(log, "worker", "webhooks")
        while not stop.is_set():
            pause = pause_seconds
            try:
                while not stop.is_set() and self.call_one():
                    pass
                failures.worked()
            except Exception as error:
                pause = failures.failed(error)
            stop.wait(pause)

    def call_one(self) -> bool:
        """Make the call that is due longest; return False when there is none."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not firings.has_webhook_due(conn, now):
                return False
        with self._database.write() as conn:
            firing = firings.claim_webhook(conn, now, LEASE_MS)
            rule = None if firing is None else automation.rules_by_id(conn, [firing.rule_id]).get(firing.rule_id)
        if firing is None:
            return False
        result = HttpResult(0, is_refused=True)
        if rule is not None and rule.webhook:
            result = asyncio.run(self._get(webhook_url(rule.webhook, rule, firing)))
        attempts, next_at = firing.webhook_attempts + 1, None
        if result.is_retryable and not result.is_success and attempts <= len(RETRY_SECONDS):
            next_at = now + RETRY_SECONDS[attempts - 1] * 1000
        if not result.is_success:
            reason = result.error or f"HTTP {result.http_code}"
            log.warning("webhook failed", extra={"rule": firing.rule_id, "firing": firing.id, "reason": reason})
        with self._database.write() as conn:
            firings.edit_firing(conn, firing.id, {"webhook_due": next_at, "webhook_attempts": attempts})
        return True

    async def _get(self, url: str) -> HttpResult:
        async with OutboundClient(self._allow) as client:
            return await client.get(url, {})
