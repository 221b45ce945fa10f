"""Use cases of staff users, their passwords and keys, for administrators.

See docs/spec/callers.md#roles-of-staff.
"""

from collections.abc import Collection
from dataclasses import dataclass, replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.people.credentials import check_set_password
from trackyard.actions.people.sign_in.owners import notify_owner
from trackyard.actions.people.sign_in.passwords import give_password, store_password
from trackyard.actions.platform.notices import KEY_MADE
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import hash_password, new_password
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import Staff, StaffStatus
from trackyard.store.engine.database import Connection
from trackyard.store.events import bell
from trackyard.store.events import choices as notice_choices
from trackyard.store.people import affiliates, keys, preferences, second_factors, sessions, sign_in_links, staff
from trackyard.store.people.staff import ManagedCounts
from trackyard.store.platform.alerts import choices, notices
from trackyard.store.statistics import report_mails, saved_reports


@dataclass(frozen=True, slots=True)
class StaffRecord:
    """A staff user and its key."""

    user: Staff
    api_key: str | None


def list_staff(deps: Deps, part: str, *, page: int, limit: int) -> tuple[list[StaffRecord], int]:
    """Return a page of staff users with their keys, and the total. part: as in store/people/staff.py."""
    with deps.database.read() as conn:
        found, total = staff.list_staff(conn, part, page=page, limit=limit)
        known = keys.keys_of(conn, AccountKind.STAFF, [user.id for user in found], deps.cipher)
    return [StaffRecord(user, known.get(user.id)) for user in found], total


def get_staff(deps: Deps, staff_id: str) -> StaffRecord:
    """Return a staff user with its key. Raises NotFound."""
    with deps.database.read() as conn:
        return staff_record(deps, conn, staff_id)


def get_user(deps: Deps, staff_id: str) -> Staff:
    """Return a staff user without its key. Raises NotFound."""
    with deps.database.read() as conn:
        return required(staff.find_staff(conn, staff_id))


def add_staff(deps: Deps, new: Staff, password: str) -> StaffRecord:
    """Create a staff user with a new key. Raises Conflict for a taken e-mail address."""
    check_set_password(deps, password)
    hashed = hash_password(password)  # takes long on purpose: before the transaction
    with deps.database.write() as conn:
        user = make_staff(deps, conn, replace(new, password_hash=hashed))
        return staff_record(deps, conn, user.id)


def make_staff(deps: Deps, conn: Connection, new: Staff) -> Staff:
    """Store a staff user with a new key, and return it. Raises Conflict for a taken e-mail address."""
    now = deps.clock.now_ms()
    user = replace(new, id=new_id(now), roles=_in_order(new.roles), created_at=now, updated_at=now)
    if affiliates.is_login(conn, user.email) or not staff.add_if_free(conn, user):
        raise _taken()
    keys.add_key(conn, AccountKind.STAFF, user.id, new_api_key(), deps.cipher, now)
    return user


def edit_staff(deps: Deps, staff_id: str, given: dict[str, Any], *, keep: str = "") -> StaffRecord:
    """Change the given fields of a staff user; a new password ends its sessions.

    The loss of all roles does, too.

    given: by column, `password` in clear.
    keep: the id of the session that calls, which stays.
    Raises NotFound, Conflict for a taken e-mail address, BadInput for roles that leave no administrator.
    """
    values = dict(given)
    password = values.pop("password", None)
    hashed = None
    if password is not None:
        check_set_password(deps, password)
        hashed = hash_password(password)
    if "roles" in values:
        values["roles"] = _in_order(values["roles"])
    with deps.database.write() as conn:
        before = staff_record(deps, conn, staff_id).user
        if "email" in values:
            owner = staff.find_by_email(conn, values["email"])
            if affiliates.is_login(conn, values["email"]) if owner is None else owner.id != staff_id:
                raise _taken()
        if Role.ADMIN not in values.get("roles", before.roles):
            _check_others(conn, before, "roles")
        account, now = Account(AccountKind.STAFF, staff_id), deps.clock.now_ms()
        if hashed is not None:
            store_password(conn, account, hashed, now, keep=keep)
        staff.edit_staff(conn, staff_id, values | {"updated_at": now})
        if bool(before.roles) and values.get("roles", before.roles) == []:
            sessions.remove_sessions(conn, account, keep=keep)
            sign_in_links.remove_links(conn, account)
        return staff_record(deps, conn, staff_id)


def renew_key(deps: Deps, staff_id: str, *, keep: str = "") -> StaffRecord:
    """Give a staff user a new key; the old one and its sessions end. Raises NotFound.

    keep: the id of the session that calls, which stays.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        staff_record(deps, conn, staff_id)
        keys.remove_first_keys(conn, AccountKind.STAFF, staff_id)
        sessions.remove_sessions(conn, Account(AccountKind.STAFF, staff_id), keep=keep)
        keys.add_key(conn, AccountKind.STAFF, staff_id, new_api_key(), deps.cipher, now)
        notify_owner(conn, Account(AccountKind.STAFF, staff_id), KEY_MADE, now)
        return staff_record(deps, conn, staff_id)


def set_password(deps: Deps, staff_id: str, password: str | None, *, keep: str = "", by: Account | None = None) -> str:
    """Set the password of a staff user, or a random one, and return it; sessions end. Raises NotFound.

    A random one that the caller gives to another user is mailed to it and works for 24 hours.
    keep: the id of the session that calls, which stays. by: the account that calls.
    """
    account = Account(AccountKind.STAFF, staff_id)
    if password is not None or by == account:
        password = password or new_password()
        edit_staff(deps, staff_id, {"password": password}, keep=keep)
        return password
    password = new_password()
    hashed = hash_password(password)
    with deps.database.write() as conn:
        staff_record(deps, conn, staff_id)
        give_password(conn, account, password, hashed, deps.clock.now_ms())
    return password


def block_staff(deps: Deps, staff_id: str) -> StaffRecord:
    """Block a staff user: its sessions end, and its keys do not work until it is unblocked.

    Raises NotFound, and BadInput for the last administrator.
    """
    with deps.database.write() as conn:
        _check_others(conn, staff_record(deps, conn, staff_id).user, "status")
        sessions.remove_sessions(conn, Account(AccountKind.STAFF, staff_id))
        staff.edit_staff(conn, staff_id, {"status": StaffStatus.BLOCKED, "updated_at": deps.clock.now_ms()})
        return staff_record(deps, conn, staff_id)


def unblock_staff(deps: Deps, staff_id: str) -> StaffRecord:
    """Let a staff user sign in and use its keys again. Raises NotFound."""
    with deps.database.write() as conn:
        staff_record(deps, conn, staff_id)
        staff.edit_staff(conn, staff_id, {"status": StaffStatus.ACTIVE, "updated_at": deps.clock.now_ms()})
        return staff_record(deps, conn, staff_id)


def remove_staff(deps: Deps, staff_id: str, successor: str | None) -> ManagedCounts:
    """Remove a staff user with its keys and sessions; return what its successor manages from now on.

    successor: becomes the manager of its affiliates and advertisers; needed when it has any.
    Raises NotFound, and BadInput for the last administrator, and without a successor who can take over.
    """
    account = Account(AccountKind.STAFF, staff_id)
    with deps.database.write() as conn:
        _check_others(conn, staff_record(deps, conn, staff_id).user, "id")
        managed = staff.count_managed(conn, staff_id)
        if successor is not None:
            _check_successor(conn, staff_id, successor)
            staff.hand_over(conn, staff_id, successor, deps.clock.now_ms())
        elif any(managed):
            raise BadInput({"successor": [_managed_fault(managed)]})
        sessions.remove_sessions(conn, account)
        keys.remove_keys(conn, account.kind, account.id)
        second_factors.remove_factor(conn, account)
        preferences.remove_preferences(conn, account)
        bell.remove_items(conn, account)
        notice_choices.remove_choices(conn, account)
        saved_reports.remove_reports(conn, account)
        report_mails.remove_mails(conn, account)
        choices.remove_choices(conn, account)
        notices.remove_notices(conn, account)
        sign_in_links.remove_links(conn, account)
        staff.remove_staff(conn, staff_id)
        return managed


def _check_others(conn: Connection, user: Staff, field: str) -> None:
    """Raise BadInput when no other active administrator would be left."""
    is_administrator = Role.ADMIN in user.roles and user.status.rule.may_sign_in
    if is_administrator and not staff.has_other_administrator(conn, user.id):
        raise BadInput({field: ["The last administrator must stay one."]})


def _check_successor(conn: Connection, staff_id: str, successor: str) -> None:
    found = None if successor == staff_id else staff.find_staff(conn, successor)
    if found is None or not found.status.rule.is_at_work:
        raise BadInput({"successor": [f"Another active staff user {successor} does not exist."]})


def _managed_fault(managed: ManagedCounts) -> str:
    return (
        f"This user manages {managed.affiliates} affiliates and {managed.advertisers} advertisers: send the id of the "
        "staff user who takes them over."
    )


def staff_record(deps: Deps, conn: Connection, staff_id: str) -> StaffRecord:
    """Return a staff user with its key, within a transaction. Raises NotFound."""
    found = required(staff.find_staff(conn, staff_id))
    return StaffRecord(found, keys.find_key(conn, AccountKind.STAFF, staff_id, deps.cipher))


def _in_order(roles: Collection[str]) -> list[Role]:
    return [role for role in Role if role in roles]


def _taken() -> Conflict:
    return Conflict({"email": ["This e-mail address is taken."]})
