"""Write messages to the chats of staff users (docs/spec/events.md#chats).

A message is claimed before it is written, and written again after its lease when the worker dies.
"""

import asyncio
import logging
import threading
from collections.abc import Sequence
from typing import Final

from trackyard.actions.events.chats import JSON_HEADERS, failure_of, open_place
from trackyard.base.clock import Clock
from trackyard.base.fair_work import LOOKED_AT, FairWork
from trackyard.base.metrics import CHAT_MESSAGES
from trackyard.base.secrets import SecretCipher
from trackyard.base.web_addresses import TELEGRAM_URL
from trackyard.domain.events.chats import ChatMessage, ChatRequest, chat_request
from trackyard.jobs.failures import JobFailures
from trackyard.outbound.client import OutboundClient
from trackyard.outbound.guard import Network
from trackyard.outbound.results import HttpResult
from trackyard.store.engine.database import Database
from trackyard.store.events import chats

LEASE_MS: Final = 60_000
RETRY_SECONDS: Final = (5, 60, 600, 3_600)
"""Seconds from each failed attempt to the next; after the last one the message is given up."""

log = logging.getLogger("trackyard.chats")


class ChatSender:
    """Write messages until stopped, one at a time to each account.

    Several workers may run on one database.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        cipher: SecretCipher,
        allow: Sequence[Network] = (),
        telegram_url: str = TELEGRAM_URL,
    ) -> None:
        self._database = database
        self._clock = clock
        self._cipher = cipher
        self._allow = allow
        self._telegram_url = telegram_url
        self._work = FairWork(self._list_due, lambda each: (each.account,), self._write)

    def run(self, stop: threading.Event, pause_seconds: float = 2) -> None:
        """Write what is due until `stop` is set. Database failures are logged and retried."""
        self._work.run(stop, "chats", pause_seconds, lambda: JobFailures(log, "worker", "chats"))

    def write_one(self) -> bool:
        """Write the message that is due the longest; return False without one. Its account is free."""
        return self._work.do_one()

    def _list_due(self) -> list[ChatMessage]:
        with self._database.read() as conn:
            return chats.list_due(conn, self._clock.now_ms(), LOOKED_AT)

    def _write(self, message: ChatMessage) -> None:
        now = self._clock.now_ms()
        with self._database.write() as conn:
            if not chats.claim(conn, message, now, LEASE_MS):
                return
            found = chats.find_chat(conn, message.account, message.channel)
        if found is None:  # its person removed the chat meanwhile
            self._end(message, "dropped")
            return
        place = open_place(self._cipher, found)
        result = asyncio.run(self._post(chat_request(place, message.text, self._telegram_url)))
        if result.is_success:
            self._end(message, "sent")
            return
        failure, attempts = failure_of(result), message.attempts + 1
        fields = {"account": message.account, "channel": message.channel.value, "reason": failure}
        with self._database.write() as conn:
            chats.note_failure(conn, message.account, message.channel, failure, now)
            if result.is_retryable and attempts <= len(RETRY_SECONDS):
                wait_s = max(RETRY_SECONDS[attempts - 1], result.retry_after)
                chats.put_off(conn, message.id, now + wait_s * 1000)
                log.warning("chat message failed", extra=fields)
                CHAT_MESSAGES.labels("failed").inc()
                return
        log.error("chat message abandoned", extra=fields)
        self._end(message, "dead")

    def _end(self, message: ChatMessage, outcome: str) -> None:
        with self._database.write() as conn:
            chats.remove_message(conn, message.id)
            if outcome == "sent":
                chats.note_success(conn, message.account, message.channel)
        CHAT_MESSAGES.labels(outcome).inc()

    async def _post(self, request: ChatRequest) -> HttpResult:
        async with OutboundClient(self._allow) as client:
            return await client.post(request.url, JSON_HEADERS, request.body)
