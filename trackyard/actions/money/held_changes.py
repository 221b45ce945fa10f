"""Use cases of changes that wait for a second person: holding and listing them.

See docs/spec/money.md#second-person; held_change_decisions.py has their decisions.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people.security_log import authors_of, record_event
from trackyard.actions.platform.notices import CHANGE_HELD, Recipient, send_notice
from trackyard.base.errors import required
from trackyard.base.ids import new_id
from trackyard.domain.money.held_changes import HeldChange, HeldChangeFilter, HeldKind
from trackyard.domain.people.callers import Access, Account, AccountKind, StaffCaller
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.domain.people.staff import Staff
from trackyard.domain.platform.audit import Authors
from trackyard.store.engine.database import Connection
from trackyard.store.money import held_changes, payment_systems
from trackyard.store.people import staff


@dataclass(frozen=True, slots=True)
class HeldChangeRecords:
    """Held changes with their staff users, and the names of payment systems by id."""

    changes: Sequence[HeldChange]
    authors: Authors
    systems: Mapping[int, str]


def hold_change(
    deps: Deps,
    conn: Connection,
    access: Access,
    kind: HeldKind,
    *,
    affiliate_id: int,
    subject_id: int,
    asked: Mapping[str, Any],
    before: Mapping[str, Any],
) -> HeldChange:
    """Keep a change until another administrator decides; it replaces the one of the subject that waits.

    The same request of the same author again returns the change that waits.
    The caller holds the lock of the subject.
    """
    assert isinstance(access.caller, StaffCaller)
    now, author = deps.clock.now_ms(), access.caller.account
    waiting = held_changes.find_waiting(conn, kind, subject_id)
    if waiting is not None and (waiting.author_id, waiting.asked, waiting.before) == (author.id, asked, before):
        return waiting
    held_changes.replace_waiting(conn, kind, subject_id, author.id, now)
    new = HeldChange(
        id=new_id(now),
        kind=kind,
        affiliate_id=affiliate_id,
        subject_id=subject_id,
        asked=asked,
        before=before,
        author_id=author.id,
        created_at=now,
    )
    held_changes.add_change(conn, new)
    record_change(conn, SecurityEvent.CHANGE_HELD, SecurityOutcome.ACCEPTED, now, author, new)
    others = [each for each in staff.active_administrators(conn) if each.id != author.id]
    name = email_of(conn, author.id)
    send_notice(conn, CHANGE_HELD, recipients(others), now, change=lambda: new.label, author=name, id=new.id)
    return new


def list_held_changes(deps: Deps, chosen: HeldChangeFilter, *, page: int, limit: int) -> tuple[HeldChangeRecords, int]:
    """Return a page of held changes, the newest first, and the total."""
    with deps.database.read() as conn:
        found, total = held_changes.list_changes(conn, chosen, page=page, limit=limit)
        return records_of(conn, found), total


def get_held_change(deps: Deps, change_id: str) -> HeldChange:
    """Return a held change. Raises NotFound."""
    with deps.database.read() as conn:
        return required(held_changes.find_change(conn, change_id))


def records_of(conn: Connection, found: Sequence[HeldChange]) -> HeldChangeRecords:
    """Return held changes with what they name."""
    ids = {each for change in found for each in (change.author_id, change.decided_by) if each}
    authors = authors_of(conn, [(AccountKind.STAFF, each) for each in ids])
    systems = {system.id: system.lang_label for system in payment_systems.list_payment_systems(conn)}
    return HeldChangeRecords(found, authors, systems)


def record_change(
    conn: Connection, event: SecurityEvent, outcome: SecurityOutcome, now_ms: int, account: Account, change: HeldChange
) -> None:
    """Store an event of a held change in the security log."""
    record_event(conn, event, outcome, now_ms, account, f"{change.kind} {change.subject_id} {change.id}")


def recipients(users: Iterable[Staff]) -> list[Recipient]:
    """Return staff users as recipients of mail."""
    return [
        Recipient(
            user.email, f"{user.first_name} {user.last_name}".strip() or user.email, Account(AccountKind.STAFF, user.id)
        )
        for user in users
    ]


def email_of(conn: Connection, staff_id: str) -> str:
    """Return the e-mail address of a staff user, or its id when it does not exist any more."""
    user = staff.find_staff(conn, staff_id)
    return staff_id if user is None else user.email


def replace_held(deps: Deps, conn: Connection, access: Access, kind: HeldKind, subject_id: int) -> None:
    """End the wait of a change, as its subject was changed in another way by the caller."""
    held_changes.replace_waiting(conn, kind, subject_id, str(access.caller.id), deps.clock.now_ms())
