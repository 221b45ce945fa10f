"""The log of mails, and the addresses that refuse them (docs/spec/mails.md#log)."""

from collections.abc import Collection, Iterator

from sqlalchemy import ColumnElement, Connection, delete, func, insert, select, update

from trackyard.domain.platform.mails.log import LoggedMail, MailFilter, MailRefusal, MailState
from trackyard.store.engine.dialect import page_of, upsert
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import has_rows
from trackyard.store.tables import mail_log, mail_refusal

_COLUMNS = mail_log.c
_CHUNK = 500


def add(conn: Connection, mail_id: str, recipient: str, kind: str, subject: str, now_ms: int) -> None:
    """Add a queued mail."""
    row = {"id": mail_id, "recipient": recipient, "kind": kind, "subject": subject, "state": MailState.QUEUED}
    conn.execute(insert(mail_log).values(**row, attempts=0, answer="", created_at=now_ms, changed_at=now_ms))


def record(conn: Connection, mail_id: str, state: MailState, attempts: int, answer: str, now_ms: int) -> None:
    """Store the state of a mail after an attempt. answer: the refusal, "" = none."""
    values = {"state": state, "attempts": attempts, "answer": answer, "changed_at": now_ms}
    conn.execute(update(mail_log).where(_COLUMNS.id == mail_id).values(**values))


def list_mails(conn: Connection, chosen: MailFilter, *, page: int, limit: int) -> tuple[list[LoggedMail], int]:
    """Return a page of the log, the newest first, and the total."""
    conditions = list(_conditions(chosen))
    total = conn.execute(select(func.count()).select_from(mail_log).where(*conditions)).scalar_one()
    ordered = select(*_COLUMNS).where(*conditions).order_by(_COLUMNS.created_at.desc(), _COLUMNS.id.desc())
    return [LoggedMail(**row._mapping) for row in conn.execute(page_of(ordered, page, limit))], int(total)


def _conditions(chosen: MailFilter) -> Iterator[ColumnElement[bool]]:
    if chosen.recipient:
        yield func.lower(_COLUMNS.recipient).contains(chosen.recipient.lower(), autoescape=True)
    if chosen.kind:
        yield _COLUMNS.kind == chosen.kind
    if chosen.state:
        yield _COLUMNS.state == chosen.state
    if chosen.since is not None:
        yield _COLUMNS.created_at >= chosen.since
    if chosen.until is not None:
        yield _COLUMNS.created_at < chosen.until


def has_before(conn: Connection, until_ms: int) -> bool:
    """Return whether there are mails before a moment (UTC milliseconds)."""
    return has_rows(conn, select(_COLUMNS.id).where(_COLUMNS.created_at < until_ms))


def remove_before(conn: Connection, until_ms: int) -> int:
    """Remove some mails before a moment (UTC milliseconds); return how many."""
    old = select(_COLUMNS.id).where(_COLUMNS.created_at < until_ms).order_by(_COLUMNS.created_at).limit(_CHUNK)
    return conn.execute(delete(mail_log).where(_COLUMNS.id.in_(old))).rowcount


def forget_address(conn: Connection, email: str) -> None:
    """Remove the mails to an address, and that it refuses them."""
    conn.execute(delete(mail_log).where(func.lower(_COLUMNS.recipient) == email.lower()))
    accept(conn, email)


def refuse(conn: Connection, email: str, answer: str, now_ms: int) -> bool:
    """Store that a mail server refuses an address for good; return whether it took mails before."""
    is_new = find_refusals(conn, [email]) == {}
    statement = upsert(conn, mail_refusal).values(email=email.lower(), since=now_ms, answer=answer)
    conn.execute(statement.on_conflict_do_update(index_elements=["email"], set_={"answer": answer}))
    return is_new


def accept(conn: Connection, email: str) -> None:
    """Store that a mail server took a mail to an address."""
    conn.execute(delete(mail_refusal).where(mail_refusal.c.email == email.lower()))


def find_refusals(conn: Connection, emails: Collection[str]) -> dict[str, MailRefusal]:
    """Return which of these addresses are refused, by address in lower case."""
    if not emails:
        return {}
    wanted = among_values(mail_refusal.c.email, [each.lower() for each in emails])
    return {row.email: MailRefusal(*row) for row in conn.execute(select(*mail_refusal.c).where(wanted))}
