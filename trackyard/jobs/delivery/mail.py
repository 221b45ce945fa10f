"""Sends queued mail (docs/spec/platform.md#mail).

A mail is claimed before it is handed over and removed after: one that was under way when the worker died is sent
once more, with the same Message-ID, when its lease ends.
"""

import logging
import random
import threading
from collections.abc import Callable
from typing import Final

from trackyard.base.clock import Clock
from trackyard.base.metrics import MAILS
from trackyard.outbound.mail import MailMessage, MailRejected, MailServerUnreachable, MailTransport
from trackyard.store.engine.database import Database
from trackyard.store.platform import mail
from trackyard.store.platform.mail import QueuedMail

LEASE_MS: Final = 120_000
"""Longer than the longest conversation with a server about one mail."""

RETRY_SECONDS: Final = (60, 300, 1_800, 7_200, 21_600)
"""How long after a failed attempt the next one comes; the last of them for all that follow."""

GIVE_UP_MS: Final = 3 * 24 * 3_600_000
"""A mail older than this that fails is given up."""

log = logging.getLogger("trackyard.mail")


class Mailer:
    """Hand queued mail to a transport until it is stopped. Several workers may run on one database."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        transport: MailTransport,
        draw_jitter: Callable[[], float] = random.random,
    ) -> None:
        self._database = database
        self._clock = clock
        self._transport = transport
        self._draw_jitter = draw_jitter

    def run(self, stop: threading.Event, pause_seconds: float = 1, backoff_seconds: float = 30) -> None:
        """Sends until `stop` is set, looking every `pause_seconds`; rests while the server cannot be reached."""
        while not stop.is_set():
            try:
                while not stop.is_set() and self.send_one():
                    pass
                self._transport.close()
                pause = pause_seconds
            except MailServerUnreachable as fault:
                log.warning("mail cannot be sent", extra={"reason": str(fault)})
                pause = backoff_seconds
            except Exception:
                log.exception("mail stopped")
                pause = backoff_seconds
            stop.wait(pause)
        self._transport.close()

    def send_one(self) -> bool:
        """Sends the mail that has been due longest; False when none is due. Raises Unreachable."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not mail.has_due(conn, now):
                return False
        with self._database.write() as conn:
            item = mail.claim(conn, now, LEASE_MS)
        if item is None:
            return False
        try:
            self._transport.send(MailMessage(item.id, item.recipient, item.subject, item.body, item.created_at))
        except MailServerUnreachable as fault:
            self._record_failure(item, str(fault), permanent=False)
            raise
        except MailRejected as fault:
            self._record_failure(item, str(fault), permanent=fault.permanent)
            return True
        except Exception as fault:  # a mail that cannot even be written must not hold up the others
            log.exception("a mail broke", extra={"mail": item.id})
            self._record_failure(item, repr(fault), permanent=False)
            return True
        self._finish(item.id, "sent")
        return True

    def _record_failure(self, item: QueuedMail, reason: str, *, permanent: bool) -> None:
        now = self._clock.now_ms()
        fields = {"mail": item.id, "attempts": item.attempts, "reason": reason}
        if permanent or now - item.created_at > GIVE_UP_MS:
            log.error("a mail is given up", extra=fields)
            self._finish(item.id, "dead")
            return
        log.warning("a mail was not taken", extra=fields)
        seconds = RETRY_SECONDS[min(item.attempts, len(RETRY_SECONDS)) - 1]
        with self._database.write() as conn:
            mail.retry(conn, item.id, now + int(seconds * 1000 * (1 + self._draw_jitter() / 10)))
        MAILS.labels("failed").inc()

    def _finish(self, mail_id: str, outcome: str) -> None:
        with self._database.write() as conn:
            mail.remove(conn, mail_id)
        MAILS.labels(outcome).inc()
