"""Send queued mail (docs/spec/platform.md#mail).

A mail is claimed before it is handed over and removed afterwards. When a worker dies in between, the mail is sent once
more when its lease ends, with the same Message-ID.
"""

import json
import logging
import random
import threading
from collections.abc import Callable
from typing import Final

from trackyard.actions.platform.mails.log import record_end
from trackyard.actions.platform.settings_in_force import MailSettings, mail_in_force
from trackyard.base.clock import Clock
from trackyard.base.logs.outages import Component
from trackyard.base.metrics import MAILS
from trackyard.base.secrets import SecretCipher
from trackyard.domain.platform.files import PDF, MailFile
from trackyard.domain.platform.mails.log import MailState
from trackyard.jobs.failures import JobFailures
from trackyard.outbound.mail import (
    MailMessage,
    MailRejected,
    MailServerUnreachable,
    MailTransport,
    named_sender,
)
from trackyard.store.engine.database import Database
from trackyard.store.money import documents
from trackyard.store.people import email_confirmations, sign_in_links
from trackyard.store.platform import mail, settings
from trackyard.store.platform.file_storage import FileStore, read_file
from trackyard.store.platform.mail import QueuedMail

LEASE_MS: Final = 120_000
"""Longer than the longest exchange with a server about one mail."""

RETRY_SECONDS: Final = (60, 300, 1_800, 7_200, 21_600)
"""Seconds from each failed attempt to the next; the last one repeats."""

GIVE_UP_MS: Final = 3 * 24 * 3_600_000
"""A mail older than this that fails is abandoned."""

DOCUMENT_WAIT_MS: Final = 600_000
"""How long a mail waits for the file of its document."""
_LOOK_AGAIN_MS: Final = 2_000

log = logging.getLogger("trackyard.mail")


class Mailer:
    """Hand queued mail to a transport until it is stopped. Several workers may run on one database."""

    def __init__(
        self,
        database: Database,
        clock: Clock,
        transport: MailTransport,
        draw_jitter: Callable[[], float] = random.random,
        files: FileStore | None = None,
    ) -> None:
        """Hold what is used. files: the store of documents; without one mails go without their files."""
        self._files = files
        self._database = database
        self._clock = clock
        self._transport = transport
        self._draw_jitter = draw_jitter
        self._server = Component("mail server")

    def run(self, stop: threading.Event, pause_seconds: float = 1, backoff_seconds: float = 30) -> None:
        """Send until `stop` is set: every `pause_seconds`, or `backoff_seconds` after a failure."""
        failures = JobFailures(log, "worker", "mail", first_s=backoff_seconds, most_s=backoff_seconds)
        while not stop.is_set():
            try:
                while not stop.is_set() and self.send_one():
                    pass
                self._transport.close()
                failures.worked()
                pause = pause_seconds
            except MailServerUnreachable as fault:
                self._server.failed(fault)
                pause = backoff_seconds
            except Exception as error:
                pause = failures.failed(error)
            stop.wait(pause)
        self._transport.close()

    def send_one(self) -> bool:
        """Send the mail that is due longest; False when none is. Raises MailServerUnreachable."""
        now = self._clock.now_ms()
        with self._database.read() as conn:
            if not mail.has_due(conn, now):
                return False
        with self._database.write() as conn:
            item = mail.claim(conn, now, LEASE_MS)
        if item is None:
            return False
        try:
            document = self._document_of(item, now)
            if document is None:
                return True
            files = tuple((each.name, each.kind, each.content) for each in (*item.attachments, *document))
            given = (item.id, item.recipient, item.subject, item.body, item.created_at, item.html, files, item.server)
            self._transport.send(MailMessage(*given, item.stop))
        except MailServerUnreachable as fault:
            self._record_failure(item, str(fault), permanent=False)
            if item.server:  # an earlier server: the mails of the one in force do not wait for it
                return True
            raise
        except MailRejected as fault:
            self._server.worked()
            self._record_failure(item, str(fault), permanent=fault.permanent)
            return True
        except Exception as fault:  # a mail that cannot be written must not delay the others
            log.exception("mail broken", extra={"mail": item.id})
            self._record_failure(item, repr(fault), permanent=False)
            return True
        self._server.worked()
        self._finish(item, MailState.SENT)
        return True

    def _document_of(self, item: QueuedMail, now: int) -> list[MailFile] | None:
        """Return the file of the document that goes with a mail; None where the mail now waits for it.

        A mail waits ten minutes. Then it goes without: the page that it leads to has the document.
        """
        if not item.document_id or self._files is None:
            return []
        with self._database.read() as conn:
            found = documents.find_document(conn, item.document_id)
        content = None if found is None else read_file(self._files, found.file)
        if found is not None and content is not None:
            return [MailFile(found.file_name, PDF, content)]
        if found is None or found.file or now - item.created_at > DOCUMENT_WAIT_MS:
            log.warning("mail without its document", extra={"mail": item.id, "document": item.document_id})
            return []
        with self._database.write() as conn:
            mail.wait_for_document(conn, item.id, now + _LOOK_AGAIN_MS)
        return None

    def _record_failure(self, item: QueuedMail, reason: str, *, permanent: bool) -> None:
        now = self._clock.now_ms()
        fields = {"mail": item.id, "attempts": item.attempts, "reason": reason}
        if permanent or now - item.created_at > GIVE_UP_MS:
            log.error("mail abandoned", extra=fields)
            self._finish(item, MailState.REFUSED if permanent else MailState.GIVEN_UP, reason)
            return
        log.warning("mail rejected", extra=fields)
        seconds = RETRY_SECONDS[min(item.attempts, len(RETRY_SECONDS)) - 1]
        with self._database.write() as conn:
            next_at = now + int(seconds * 1000 * (1 + self._draw_jitter() / 10))
            mail.retry(conn, item.id, next_at, reason, now)
        MAILS.labels("failed").inc()

    def _finish(self, item: QueuedMail, state: MailState, reason: str = "") -> None:
        now, answer = self._clock.now_ms(), " ".join(reason.split())[: mail.MAX_FAILURE]
        with self._database.write() as conn:
            if state is MailState.SENT:
                for links in (email_confirmations, sign_in_links):
                    links.begin_lifetime(conn, item.id, now)
            record_end(conn, item.id, item.recipient, state, item.attempts, answer, now)
            mail.remove(conn, item.id)
        MAILS.labels("sent" if state is MailState.SENT else "dead").inc()


class ConfiguredMailTransport:
    """A transport that follows its settings. default: for settings that staff left out."""

    def __init__(
        self,
        database: Database,
        cipher: SecretCipher,
        default: MailSettings,
        make: Callable[[MailSettings], MailTransport],
    ) -> None:
        self._database = database
        self._cipher = cipher
        self._default = default
        self._make = make
        self._transport: tuple[MailSettings, MailTransport] | None = None

    def send(self, message: MailMessage) -> None:
        """Send a mail. Raises MailServerUnreachable, MailRejected, DecryptionFailed."""
        current = self._settings_of(message)
        if self._transport is None or self._transport[0] != current:
            self.close()
            self._transport = (current, self._make(current))
        self._transport[1].send(message)

    def close(self) -> None:
        """Release what is held between messages."""
        if self._transport is not None:
            self._transport[1].close()

    def _settings_of(self, message: MailMessage) -> MailSettings:
        """Return the settings of a mail: its own server, where there was one, else the one in force."""
        with self._database.read() as conn:
            in_force = mail_in_force(conn, self._cipher, self._default)
            network = settings.find_network(conn)
        if not message.server:
            return in_force
        own_server, own_sender = json.loads(self._cipher.decrypt(message.server))
        own_server = own_server or self._default.smtp_url
        sender = named_sender(own_sender or self._default.sender, network.name)
        return MailSettings(own_server, sender) if own_server else in_force
