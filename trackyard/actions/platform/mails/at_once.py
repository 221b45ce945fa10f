"""Mails that a staff user sends to itself, to try something (docs/spec/platform.md#mail)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.platform.notices import Recipient
from trackyard.actions.platform.settings_in_force import mail_in_force
from trackyard.base.errors import required
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.platform.mails.log import MailState
from trackyard.outbound.mail import (
    MailMessage,
    MailRejected,
    MailServerUnreachable,
    SmtpTransport,
    parse_smtp_url,
)
from trackyard.store.engine.database import Connection
from trackyard.store.people import staff
from trackyard.store.platform import mail, mail_log

_STEP_S: Final = 3.0
"""Seconds that a step of the conversation about a test mail may take: a person waits for it."""


@dataclass(frozen=True, slots=True)
class MailTest:
    """The result of a test mail.

    server: host and port that the mail was sent to; "" = none is set, so the mail is written to a file.
    is_sent: whether the server took the mail. answer: the server's refusal, "" = none.
    """

    email: str
    server: str
    is_sent: bool = False
    answer: str = ""


def send_at_once(deps: Deps, staff_id: str, queue: Callable[[Connection, Recipient], str]) -> MailTest:
    """Send a mail to a staff user by the settings in force, now. Raises NotFound, DecryptionFailed.

    Without a mail server it is queued, and the worker writes it to a file.
    queue: queues the mail, and returns its id.
    """
    with deps.database.write() as conn:
        user = required(staff.find_staff(conn, staff_id))
        account = Account(AccountKind.STAFF, user.id)
        mail_id = queue(conn, Recipient(user.email, user.first_name or user.email, account))
        in_force = mail_in_force(conn, deps.cipher, deps.mail)
        if not in_force.smtp_url:
            return MailTest(user.email, "")
        item = mail.take(conn, mail_id)
    server = parse_smtp_url(in_force.smtp_url)
    transport = SmtpTransport(server, in_force.sender, step_seconds=_STEP_S)
    place = f"{server.host}:{server.port}"
    try:
        transport.send(MailMessage(item.id, item.recipient, item.subject, item.body, item.created_at, item.html))
        done, state = MailTest(user.email, place, is_sent=True), MailState.SENT
    except (MailServerUnreachable, MailRejected) as fault:
        done = MailTest(user.email, place, answer=str(fault))
        state = MailState.REFUSED if isinstance(fault, MailRejected) else MailState.GIVEN_UP
    finally:
        transport.close()
    with deps.database.write() as conn:  # the result is shown at once: no refusal is published
        mail_log.record(conn, item.id, state, 1, " ".join(done.answer.split())[: mail.MAX_FAILURE], deps.clock.now_ms())
        if done.is_sent:
            mail_log.accept(conn, user.email)
    return done
