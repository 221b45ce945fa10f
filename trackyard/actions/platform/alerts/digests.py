"""When digests are due, and how they are queued (docs/spec/alerts.md#digests)."""

from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people.callers import find_account_caller
from trackyard.actions.platform.alerts.reading import MONDAY
from trackyard.actions.statistics.report_mails import LEASE_MS, PATIENCE_MS, Letter
from trackyard.base.zones import find_zone
from trackyard.domain.people.callers import Account, StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.alerts.choices import AlertChoices, DigestRhythm
from trackyard.domain.platform.mails.log import OtherMail
from trackyard.domain.statistics.report_mails import next_time
from trackyard.store.engine.database import Connection
from trackyard.store.people.preferences import find_preferences
from trackyard.store.platform import mail
from trackyard.store.platform.alerts import choices

_PERIODS_MS: Final = {DigestRhythm.DAY: 86_400_000, DigestRhythm.WEEK: 7 * 86_400_000}


@dataclass(frozen=True, slots=True)
class DueDigest:
    """A digest that is due.

    caller: None for an account that may get none any more.
    late: whether it has waited long enough for reports that cannot be made now.
    """

    account: Account
    caller: StaffCaller | None
    choices: AlertChoices
    late: bool


def claim_digest(deps: Deps) -> DueDigest | None:
    """Return a digest that is due, which no other process makes now; None when none is."""
    now = deps.clock.now_ms()
    with deps.database.read() as conn:
        if not choices.has_due_digest(conn, now):
            return None
    with deps.database.write() as conn:
        claimed = choices.claim_digest(conn, now, LEASE_MS)
        if claimed is None:
            return None
        owner, chosen = claimed
        account = Account.of_name(owner)
        due_at = _next(chosen, _zone_of(deps, conn, account), now - _PERIODS_MS.get(chosen.digest, 0))
    caller = find_account_caller(deps, account)
    may = isinstance(caller, StaffCaller) and caller.may(Permission.STATS_COMMON)
    return DueDigest(
        account, caller if may and isinstance(caller, StaffCaller) else None, chosen, now - due_at > PATIENCE_MS
    )


def finish_digest(deps: Deps, due: DueDigest, recipient: str, letter: Letter | None) -> bool:
    """Queue a digest once, and set when the next one is due; return whether it was queued.

    letter: None = this one is left out.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        next_at = _next(due.choices, _zone_of(deps, conn, due.account), now)
        if not choices.finish_digest(conn, due.account, due.choices, next_at) or letter is None:
            return False
        mail.add(
            conn,
            recipient,
            letter.subject,
            letter.text,
            now,
            html=letter.html,
            attachments=letter.attachments,
            kind=OtherMail.DIGEST,
        )
    return True


def _next(chosen: AlertChoices, zone: ZoneInfo, after_ms: int) -> int:
    return next_time(chosen.digest.value, MONDAY, chosen.digest_hour, zone, after_ms)


def _zone_of(deps: Deps, conn: Connection, account: Account) -> ZoneInfo:
    return find_zone(find_preferences(conn, account).timezone) or deps.zone
