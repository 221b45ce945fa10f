"""Deciding changes that wait for a second person (docs/spec/money.md#second-person).

The subject is locked before the change, as where it is held.
"""

from collections.abc import Callable, Mapping
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.money.affiliate_payments import execute_held
from trackyard.actions.money.held_changes import HeldChangeRecords, email_of, recipients, record_change, records_of
from trackyard.actions.people.affiliates import apply_held
from trackyard.actions.people.credentials import check_own_password
from trackyard.actions.platform.notices import CHANGE_DECIDED, send_notice
from trackyard.base.error_codes import ErrorCode
from trackyard.base.errors import AccessDenied, Conflict, required
from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.money.held_changes import HeldChange, HeldKind, HeldState
from trackyard.domain.people.callers import Account, Caller
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.security_log import SecurityEvent, SecurityOutcome
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import held_changes
from trackyard.store.people import staff

_OWN: Final = "You asked for this change yourself: another administrator confirms it"
_DO: Final[Mapping[HeldKind, Callable[[Deps, Connection, HeldChange], None]]] = {
    HeldKind.PAYMENT: execute_held,
    HeldKind.PAYMENT_SYSTEMS: apply_held,
}


def confirm_change(deps: Deps, caller: Caller, change: HeldChange, password: str, address: str) -> HeldChangeRecords:
    """Make a held change, once, as another administrator than its author.

    password: the password of the calling account. address: the client's IP address.
    Raises AccessDenied for the author, BadInput for a wrong password, TooManyRequests, and Conflict for a change that
    does not wait or that cannot be made any more; the latter stays waiting.
    """
    if change.author_id == caller.id:
        with deps.database.write(independent=True) as conn:
            now, event = deps.clock.now_ms(), SecurityEvent.CHANGE_CONFIRMED
            record_change(conn, event, SecurityOutcome.WRONG, now, caller.account, change)
        raise AccessDenied(_OWN, code=ErrorCode.SECOND_PERSON)
    check_own_password(deps, caller.account, password, address)
    with deps.database.write() as conn:
        waiting = _lock_waiting(conn, change)
        _DO[waiting.kind](deps, conn, waiting)
        return _decide(deps, conn, caller.account, waiting, HeldState.CONFIRMED)


def refuse_change(deps: Deps, caller: Caller, change: HeldChange) -> HeldChangeRecords:
    """End the wait of a held change without making it. Its author may do so, too. Raises Conflict."""
    with deps.database.write() as conn:
        waiting = _lock_waiting(conn, change)
        return _decide(deps, conn, caller.account, waiting, HeldState.REFUSED)


def _lock_waiting(conn: Connection, change: HeldChange) -> HeldChange:
    """Lock the subject of a change, then the change; return it. Raises Conflict unless it waits."""
    if change.kind is HeldKind.PAYMENT:
        payments.find_payment(conn, Scope.everything(), change.subject_id, lock=True)
    payments.lock_affiliate(conn, change.affiliate_id)
    found = required(held_changes.find_change(conn, change.id, lock=True))
    if found.state is not HeldState.WAITING:
        raise Conflict({"id": [f"This change is {found.state} already."]})
    return found


def _decide(deps: Deps, conn: Connection, decider: Account, change: HeldChange, state: HeldState) -> HeldChangeRecords:
    """Store a decision with its log entry and its mails to everyone concerned but the decider."""
    now, is_confirmed = deps.clock.now_ms(), state is HeldState.CONFIRMED
    held_changes.decide(conn, change.id, state, decider.id, now)
    event = SecurityEvent.CHANGE_CONFIRMED if is_confirmed else SecurityEvent.CHANGE_REFUSED
    record_change(conn, event, SecurityOutcome.ACCEPTED, now, decider, change)
    concerned = {each.id: each for each in staff.active_administrators(conn)}
    author = staff.find_staff(conn, change.author_id)
    if author is not None and author.status.rule.is_at_work:
        concerned[author.id] = author
    concerned.pop(decider.id, None)
    word = lazy_gettext("confirmed") if is_confirmed else lazy_gettext("refused")
    values: dict[str, object] = {"change": lambda: change.label, "id": change.id, "state": word}
    values |= {"author": email_of(conn, change.author_id), "decider": email_of(conn, decider.id)}
    send_notice(conn, CHANGE_DECIDED, recipients(concerned.values()), now, **values)
    return records_of(conn, [required(held_changes.find_change(conn, change.id))])
