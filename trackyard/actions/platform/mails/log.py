"""The log of mails, and what follows when an address refuses them (docs/spec/mails.md#refusals)."""

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.platform.mails.log import LoggedMail, MailFilter, MailState
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates
from trackyard.store.platform import mail_log


def list_mails(deps: Deps, chosen: MailFilter, *, page: int, limit: int) -> tuple[list[LoggedMail], int]:
    """Return a page of the log, the newest first, and the total."""
    with deps.database.read() as conn:
        return mail_log.list_mails(conn, chosen, page=page, limit=limit)


def record_end(
    conn: Connection, mail_id: str, recipient: str, state: MailState, attempts: int, answer: str, now_ms: int
) -> None:
    """Store that a mail was sent, refused or given up.

    The first refusal of an address is published; later ones are not, until the address takes a mail again.
    """
    mail_log.record(conn, mail_id, state, attempts, answer, now_ms)
    if state is MailState.SENT:
        mail_log.accept(conn, recipient)
    elif state is MailState.REFUSED and mail_log.refuse(conn, recipient, answer, now_ms):
        owner = affiliates.find_by_email(conn, recipient)
        concerned = Concerned(mail_id, affiliate_id=None if owner is None else owner.id)
        publish(conn, EventKind.MAIL_REFUSED, now_ms, concerned, email=recipient, answer=answer)
