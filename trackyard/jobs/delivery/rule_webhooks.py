"""Call the webhooks of rules about their firings (docs/spec/automation.md#notices).

A call is claimed before it is made, and repeated after its lease when the worker dies.
"""

import asyncio
import logging
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.base.clock import Clock
from trackyard.base.fair_work import LOOKED_AT, FairWork
from trackyard.domain.platform.hosts import host_of
from trackyard.domain.statistics.automation.rules import Rule, RuleFiring
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


@dataclass(frozen=True, slots=True)
class _DueCall:
    """A call that is due, and its rule; None for a rule that is gone."""

    firing: RuleFiring
    rule: Rule | None


class RuleWebhookCaller:
    """Call webhooks until stopped, some at a time. Several workers may run on one database.

    Of each author of rules and of each host one call is made at a time.
    """

    def __init__(self, database: Database, clock: Clock, allow: Sequence[Network] = ()) -> None:
        self._database = database
        self._clock = clock
        self._allow = allow
        self._work = FairWork(self._list_due, _keys_of, self._call_due)

    def run(self, stop: threading.Event, pause_seconds: float = 5) -> None:
        """Call what is due until `stop` is set. Database failures are logged and retried."""
        self._work.run(stop, "webhooks", pause_seconds, lambda: JobFailures(log, "worker", "webhooks"))

    def call_one(self) -> bool:
        """Make the call that is due longest; return False without one.

        Its author and its host are free.
        """
        return self._work.do_one()

    def _list_due(self) -> list[_DueCall]:
        with self._database.read() as conn:
            due = firings.list_webhooks_due(conn, self._clock.now_ms(), LOOKED_AT)
            rules = automation.rules_by_id(conn, [each.rule_id for each in due]) if due else {}
        return [_DueCall(each, rules.get(each.rule_id)) for each in due]

    def _call_due(self, due: _DueCall) -> None:
        now, rule = self._clock.now_ms(), due.rule
        with self._database.write() as conn:
            firing = firings.claim_webhook(conn, due.firing.id, now, LEASE_MS)
        if firing is None:  # another worker has it
            return
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

    async def _get(self, url: str) -> HttpResult:
        async with OutboundClient(self._allow) as client:
            return await client.get(url, {})


def _keys_of(due: _DueCall) -> tuple[str, ...]:
    if due.rule is None:
        return (f"rule:{due.firing.rule_id}",)
    return (f"owner:{due.rule.created_by}", f"host:{host_of(due.rule.webhook)}")
