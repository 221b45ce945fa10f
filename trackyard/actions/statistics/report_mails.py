"""Use cases of saved reports by mail (docs/spec/console.md#reports-by-mail)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.base.errors import required
from trackyard.base.ids import new_id
from trackyard.base.zones import find_zone
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.platform.files import MailFile
from trackyard.domain.platform.mails.log import OtherMail
from trackyard.domain.statistics.report_mails import ReportMail, last_time, next_time
from trackyard.domain.statistics.saved_reports import SavedReport
from trackyard.store.engine.database import Connection
from trackyard.store.people.preferences import find_preferences
from trackyard.store.platform import mail
from trackyard.store.statistics import report_mails, saved_reports

LEASE_MS: Final = 10 * 60_000
"""How long a report may be made before another process makes it."""
PATIENCE_MS: Final = 2 * 3_600_000
"""How long a mail waits for a report that cannot be made now."""


@dataclass(frozen=True, slots=True)
class ClaimedMail:
    """A mail that is due. late: whether it has waited long enough for a report that cannot be made now."""

    mail: ReportMail
    report: SavedReport | None
    account: Account
    late: bool


@dataclass(frozen=True, slots=True)
class Letter:
    """What is sent. html: the same as the plain text, with tables."""

    subject: str
    text: str
    html: str
    attachments: Sequence[MailFile] = ()


def get_visible(deps: Deps, account: Account, report_id: str) -> SavedReport:
    """Return a report that an account saved or sees. Raises NotFound."""
    with deps.database.read() as conn:
        return required(_find_visible(conn, account, report_id))


def list_mails(deps: Deps, account: Account) -> Mapping[str, ReportMail]:
    """Return the mails of an account by the id of their report."""
    with deps.database.read() as conn:
        return report_mails.mails_of(conn, account)


def start_mail(
    deps: Deps, account: Account, report_id: str, *, every: str, weekday: int, hour: int, files: str
) -> ReportMail:
    """Send a report to an account from now on, or at another time, or with other files. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        required(_find_visible(conn, account, report_id))
        next_at = next_time(every, weekday, hour, _zone_of(deps, conn, account), now)
        before = report_mails.find_mail(conn, report_id, account, lock=True)
        made = ReportMail(
            id=new_id(now) if before is None else before.id, report_id=report_id, owner=account.name, every=every,
            weekday=weekday, hour=hour, files=files, next_at=next_at, created_at=now, updated_at=now,
        )  # fmt: skip
        if before is None:
            report_mails.add_mail(conn, made)
        else:
            values = {
                "every": every, "weekday": weekday, "hour": hour, "files": files, "next_at": next_at, "updated_at": now,
            }  # fmt: skip
            report_mails.edit_mail(conn, before.id, values)
    return made


def stop_mail(deps: Deps, account: Account, report_id: str) -> None:
    """Send a report to an account no more."""
    with deps.database.write() as conn:
        found = report_mails.find_mail(conn, report_id, account, lock=True)
        if found is not None:
            report_mails.remove_mail(conn, found.id)


def list_due(deps: Deps, limit: int) -> list[ReportMail]:
    """Return mails that are due, the longest due first."""
    with deps.database.read() as conn:
        return report_mails.list_due(conn, deps.clock.now_ms(), limit)


def claim_due(deps: Deps, mail_id: str) -> ClaimedMail | None:
    """Claim a mail that is due; None where another process makes it now."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        claimed = report_mails.claim_mail(conn, mail_id, now, LEASE_MS)
        if claimed is None:
            return None
        account = Account.of_name(claimed.owner)
        report = _find_visible(conn, account, claimed.report_id)
        is_late = now - last_time(claimed, _zone_of(deps, conn, account), now) > PATIENCE_MS
        return ClaimedMail(claimed, report, account, is_late)


def finish(deps: Deps, claimed: ClaimedMail, recipient: str, letter: Letter) -> bool:
    """Queue the mail of a report once; return False where it was queued already.

    The same transaction sets when the next one is due.
    """
    now, due = deps.clock.now_ms(), claimed.mail
    with deps.database.write() as conn:
        next_at = next_time(due.every, due.weekday, due.hour, _zone_of(deps, conn, claimed.account), now)
        if not report_mails.finish_mail(conn, due, next_at):
            return False
        mail.add(
            conn,
            recipient,
            letter.subject,
            letter.text,
            now,
            html=letter.html,
            attachments=letter.attachments,
            kind=OtherMail.REPORT,
        )
    return True


def _find_visible(conn: Connection, account: Account, report_id: str) -> SavedReport | None:
    return saved_reports.find_visible(conn, report_id, account, shared=account.kind is AccountKind.STAFF)


def _zone_of(deps: Deps, conn: Connection, account: Account) -> ZoneInfo:
    return find_zone(find_preferences(conn, account).timezone) or deps.zone
