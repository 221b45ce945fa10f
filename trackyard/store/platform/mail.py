"""Queued mail: written by the transaction it reports, sent by the worker (docs/spec/platform.md#mail)."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, delete, func, insert, select, update

from trackyard.base.ids import new_id
from trackyard.domain.platform.files import MailFile
from trackyard.domain.platform.mails.log import MailState, OtherMail
from trackyard.domain.platform.waiting import UnsentMails
from trackyard.store.engine.rows import has_rows
from trackyard.store.platform import mail_log
from trackyard.store.tables import mail, mail_attachment

MAX_SUBJECT = 300
MAX_FAILURE = 400
_MOST_FAILURES = 1_000


@dataclass(frozen=True, slots=True)
class QueuedMail:
    """A queued mail. attempts: a claimed one counts its own; created_at: UTC milliseconds.

    html: the body as HTML, "" = only plain text.
    server: the server and the sender to use, encrypted; "" = the current settings.
    stop: the link that switches such mails off, "" = none.
    document_id: its file goes with the mail, "" = none (docs/spec/documents.md).
    """

    id: str
    recipient: str
    subject: str
    body: str
    attempts: int
    created_at: int
    html: str = ""
    attachments: tuple[MailFile, ...] = ()
    server: str = ""
    stop: str = ""
    document_id: str = ""


def add(
    conn: Connection,
    recipient: str,
    subject: str,
    body: str,
    now_ms: int,
    *,
    html: str = "",
    attachments: Sequence[MailFile] = (),
    server: str = "",
    stop: str = "",
    document_id: str = "",
    kind: str = OtherMail.OTHER,
) -> str:
    """Queue a mail in the caller's transaction; return its id. The subject becomes one line.

    body: plain text. html: the same for mail programs that show it. server, stop, document_id: as of QueuedMail.
    kind: a kind of the log, which gets a row without the text.
    """
    mail_id = new_id(now_ms)
    line = " ".join(subject.split())[:MAX_SUBJECT]
    row = {"id": mail_id, "recipient": recipient, "subject": line, "body": body, "html": html, "server": server}
    row |= {"stop": stop, "document_id": document_id}
    conn.execute(insert(mail).values(**row, next_at=now_ms, created_at=now_ms))
    mail_log.add(conn, mail_id, recipient, kind, line, now_ms)
    for place, each in enumerate(attachments):
        file = {"name": each.name, "kind": each.kind, "content": each.content}
        conn.execute(insert(mail_attachment).values(mail_id=mail_id, place=place, **file))
    return mail_id


def has_due(conn: Connection, now_ms: int) -> bool:
    """Return whether mail is due."""
    return has_rows(conn, select(mail.c.id).where(mail.c.next_at <= now_ms))


def claim(conn: Connection, now_ms: int, lease_ms: int) -> QueuedMail | None:
    """Return the mail that is due the longest, and count the attempt.

    lease_ms: the time in which no other worker claims it.
    """
    row = conn.execute(
        select(mail)
        .where(mail.c.next_at <= now_ms)
        .order_by(mail.c.next_at, mail.c.id)
        .limit(1)
        .with_for_update(skip_locked=True)
    ).one_or_none()
    if row is None:
        return None
    attempts = row.attempts + 1
    conn.execute(update(mail).where(mail.c.id == row.id).values(attempts=attempts, next_at=now_ms + lease_ms))
    files = _attachments(conn, row.id)
    given = (row.id, row.recipient, row.subject, row.body, attempts, row.created_at, row.html)
    return QueuedMail(*given, files, row.server, row.stop, row.document_id)


def wait_for_document(conn: Connection, mail_id: str, next_at: int) -> None:
    """Put a claimed mail off until the file of its document is drawn; the attempt does not count."""
    values = {"next_at": next_at, "attempts": mail.c.attempts - 1}
    conn.execute(update(mail).where(mail.c.id == mail_id).values(values))


def take(conn: Connection, mail_id: str) -> QueuedMail:
    """Remove a queued mail, and return it to a caller that sends it itself."""
    row = conn.execute(select(mail).where(mail.c.id == mail_id)).one()
    files = _attachments(conn, mail_id)
    remove(conn, mail_id)
    return QueuedMail(row.id, row.recipient, row.subject, row.body, row.attempts, row.created_at, row.html, files)


def retry(conn: Connection, mail_id: str, next_at: int, failure: str, now_ms: int) -> None:
    """Put a claimed mail off until `next_at` (UTC milliseconds). failure: why it was not sent now."""
    line = " ".join(failure.split())[:MAX_FAILURE]
    values = {"next_at": next_at, "failure": line, "failed_at": now_ms}
    attempts = update(mail).where(mail.c.id == mail_id).values(values).returning(mail.c.attempts)
    mail_log.record(conn, mail_id, MailState.QUEUED, conn.execute(attempts).scalar_one(), line, now_ms)


def list_unsent(conn: Connection, until_ms: int) -> list[UnsentMails]:
    """Return the mails that wait for the current server, by reason, the last refusal first.

    until_ms: counts mails that were queued until then.
    """
    columns = mail.c
    last = func.max(columns.failed_at)
    query = select(columns.failure, last, func.count(), func.min(columns.created_at))
    waiting = query.where(columns.created_at <= until_ms, columns.server == "").group_by(columns.failure)
    return [UnsentMails(*row) for row in conn.execute(waiting.order_by(last.desc()).limit(_MOST_FAILURES))]


def remove(conn: Connection, mail_id: str) -> None:
    """Remove a mail that was sent or given up."""
    conn.execute(delete(mail_attachment).where(mail_attachment.c.mail_id == mail_id))
    conn.execute(delete(mail).where(mail.c.id == mail_id))


def remove_to(conn: Connection, recipient: str) -> None:
    """Remove the mails to an address, in the log, too."""
    ids = select(mail.c.id).where(mail.c.recipient == recipient)
    conn.execute(delete(mail_attachment).where(mail_attachment.c.mail_id.in_(ids)))
    conn.execute(delete(mail).where(mail.c.recipient == recipient))
    mail_log.forget_address(conn, recipient)


def _attachments(conn: Connection, mail_id: str) -> tuple[MailFile, ...]:
    columns = mail_attachment.c
    query = (
        select(columns.name, columns.kind, columns.content).where(columns.mail_id == mail_id).order_by(columns.place)
    )
    return tuple(MailFile(*row) for row in conn.execute(query))
