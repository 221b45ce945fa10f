"""Use cases of advertisers and their passwords (docs/api/advertisers.md)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from secrets import token_hex
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.people.affiliates import NO_DECISION
from trackyard.actions.people.assignments import merged_sub_accounts, resolve_manager, with_note_on_top
from trackyard.actions.people.blacklist import AFFILIATE_LISTS, set_affiliate_lists
from trackyard.actions.people.company_scope import check_way_in
from trackyard.actions.people.credentials import check_may_give_access
from trackyard.actions.people.scope import scope_of
from trackyard.actions.people.sign_in.passwords import give_password
from trackyard.actions.platform.custom_fields import checked_answers
from trackyard.base.errors import BadInput, required
from trackyard.base.ids import new_api_key, new_id
from trackyard.base.secrets import hash_password, new_password
from trackyard.domain.conversions.codes import CodeMode
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.advertisers import Advertiser, AdvertiserFilter, AdvertiserStatus, AffiliateLists
from trackyard.domain.people.affiliates import AffiliateName
from trackyard.domain.people.callers import Access, Account, AccountKind
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, affiliates, blacklist, sessions, staff
from trackyard.store.platform import settings
from trackyard.store.tracking import rulesets

_NOT_REACHED: Final = "These words reach no person: the advertiser has no e-mail address, or nothing is decided."


@dataclass(frozen=True, slots=True)
class AdvertiserRecord:
    """An advertiser, its manager, and how many offers it has.

    platform_code: the postback code for advertisers without their own; "" = none.
    lists: its lists of affiliates; names: the affiliates in them by id.
    """

    advertiser: Advertiser
    manager: Staff | None
    platform_code: str
    offers: int = 0
    lists: AffiliateLists = field(default_factory=AffiliateLists)
    names: Mapping[int, AffiliateName] = field(default_factory=dict)


def list_advertisers(
    deps: Deps,
    access: Access,
    chosen: AdvertiserFilter,
    *,
    order: str,
    descending: bool,
    page: int,
    limit: int,
) -> tuple[list[AdvertiserRecord], int]:
    """Return a page of the advertisers in the caller's scope, and the total.

    order: a name of advertisers.SORTS.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found, total = advertisers.list_advertisers(
            conn, scope, chosen, order=order, descending=descending, page=page, limit=limit
        )
        return _records(conn, found), total


def list_titles(
    deps: Deps, access: Access, chosen: AdvertiserFilter, *, page: int, limit: int
) -> tuple[dict[str, str], int]:
    """Return a page of the titles of advertisers in scope, by id, and the total."""
    with deps.database.read() as conn:
        return advertisers.list_titles(conn, scope_of(conn, access), chosen, page=page, limit=limit)


def get_advertiser(deps: Deps, access: Access, advertiser_id: str) -> AdvertiserRecord:
    """Return an advertiser in the caller's scope. Raises NotFound."""
    with deps.database.read() as conn:
        found = advertisers.find_advertiser(conn, scope_of(conn, access), advertiser_id)
        return _records(conn, [required(found)])[0]


def add_advertiser(deps: Deps, access: Access, new: Advertiser, lists: Mapping[str, Sequence[int]]) -> AdvertiserRecord:
    """Create an advertiser, with a code of its postbacks where the platform generates them.

    lists: affiliates_enabled, affiliates_disabled.
    Raises BadInput for a manager, an affiliate or a custom field that does not exist.
    """
    with deps.database.write() as conn:
        return advertiser_record(conn, make_advertiser(conn, access, new, lists, deps.clock.now_ms()))


def advertiser_record(conn: Connection, advertiser: Advertiser) -> AdvertiserRecord:
    """Return an advertiser with the further data of the staff's view, within a transaction."""
    return _records(conn, [advertiser])[0]


def make_advertiser(
    conn: Connection, access: Access, new: Advertiser, lists: Mapping[str, Sequence[int]], now: int
) -> Advertiser:
    """Check and store an advertiser that staff make, and return it. Raises as add_advertiser."""
    manager = resolve_manager(conn, access, new.manager_id, "manager")
    code = new.hash_password
    if not code and settings.find_code_mode(conn) is CodeMode.GENERATE:
        code = new_api_key()
    made = replace(
        new,
        id=new_id(now),
        manager_id=manager.id if manager else None,
        hash_password=code,
        subs_key=_new_subs_key() if new.subaccounts_encryption else None,
        custom_fields=checked_answers(conn, new.custom_fields, {}, complete=False),
        created_at=now,
        updated_at=now,
    )
    advertisers.add_advertiser(conn, made)
    set_affiliate_lists(conn, access, made.id, lists, now)
    rulesets.touch(conn, "advertiser", made.id)
    return made


def edit_advertiser(
    deps: Deps,
    access: Access,
    advertiser_id: str,
    given: dict[str, Any],
    sub_accounts: dict[str, dict[str, Any]],
) -> AdvertiserRecord:
    """Change the given fields of an advertiser; lists are replaced, `add_note` is put on top of its note.

    given: also `message`, the words that go with a decision about the status.

    sub_accounts: the changes of each, value or except; one without values is removed.
    Raises NotFound, BadInput for a manager, an affiliate or a custom field that does not exist, and AccessDenied.
    """
    values = dict(given)
    lists = {name: values.pop(name) for name in AFFILIATE_LISTS if name in values}
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        before = _locked(conn, access, advertiser_id)
        if values.get("email", before.email) != before.email:
            check_may_give_access(access.caller)  # passwords are sent there
            check_way_in(conn, access.caller, Account(AccountKind.ADVERTISER, before.id))
        if note := values.pop("add_note", ""):
            values["note"] = with_note_on_top(note, values.get("note", before.note))
        if "manager_id" in values:
            manager = resolve_manager(conn, access, values["manager_id"], "manager")
            values["manager_id"] = manager.id if manager else None
        values["sub_accounts"] = merged_sub_accounts(before.sub_accounts, sub_accounts)
        if "custom_fields" in values:
            answers = checked_answers(conn, values["custom_fields"], before.custom_fields, complete=False)
            values["custom_fields"] = answers
        if values.get("subaccounts_encryption") and before.subs_key is None:
            values["subs_key"] = _new_subs_key()
        set_affiliate_lists(conn, access, before.id, lists, now)
        status = AdvertiserStatus(values.get("status", before.status))
        message = values.pop("message", "")
        if _publish_decision(conn, before, status, now, message):
            values["decision_words"] = message
        elif message:
            raise BadInput({"message": [NO_DECISION if status is before.status else _NOT_REACHED]})
        if "status" in values and not status.rule.may_sign_in:
            sessions.remove_sessions(conn, Account(AccountKind.ADVERTISER, before.id))
        advertisers.edit_advertiser(conn, before.id, values | {"updated_at": now})
        rulesets.touch(conn, "advertiser", before.id)
        return _records(conn, [_locked(conn, access, advertiser_id)])[0]


def _new_subs_key() -> str:
    """Return a key of the codes that an advertiser gets instead of subs; it stays when the switch is off."""
    return token_hex(16)


def _publish_decision(conn: Connection, before: Advertiser, status: AdvertiserStatus, now: int, message: str) -> bool:
    """Publish that an advertiser is approved, or is not active any more; return whether it hears of it.

    An advertiser without a password hears of a decision with words alone: most such were never to sign in.
    """
    if not before.email or not (before.password_hash or message) or status is before.status:
        return False
    if status.rule.may_sign_in:
        if not before.status.rule.is_undecided and not message:
            return False
        kind = EventKind.ADVERTISER_APPROVED
    elif status.rule.is_undecided:
        return False
    else:
        kind = EventKind.ADVERTISER_REJECTED
    publish(conn, kind, now, Concerned(before.id, None, before.id), reason=message)
    return True


def renew_signing_secret(deps: Deps, access: Access, advertiser_id: str) -> str:
    """Give an advertiser a new signing secret and return it; the earlier one ends. Raises NotFound."""
    secret = new_api_key()
    _set_signing_secret(deps, access, advertiser_id, deps.cipher.encrypt(secret))
    return secret


def remove_signing_secret(deps: Deps, access: Access, advertiser_id: str) -> None:
    """Remove the signing secret of an advertiser: its postbacks need no signature. Raises NotFound."""
    _set_signing_secret(deps, access, advertiser_id, None)


def _set_signing_secret(deps: Deps, access: Access, advertiser_id: str, encrypted: str | None) -> None:
    with deps.database.write() as conn:
        found = _locked(conn, access, advertiser_id)
        changes = {"signing_secret": encrypted, "updated_at": deps.clock.now_ms()}
        advertisers.edit_advertiser(conn, found.id, changes)


def send_password(deps: Deps, access: Access, advertiser_id: str) -> str:
    """Mail an advertiser a new password and return the address; its sessions end.

    Raises NotFound, and BadInput for an advertiser without an address.
    """
    password = new_password()
    hashed = hash_password(password)  # takes long on purpose: before the transaction
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _locked(conn, access, advertiser_id)
        if not found.email:
            raise BadInput({"email": ["The advertiser has no e-mail address."]})
        account, called = Account(AccountKind.ADVERTISER, found.id), found.contact or found.title
        check_way_in(conn, access.caller, account)
        give_password(conn, account, password, hashed, now, called)
        return found.email


def _locked(conn: Connection, access: Access, advertiser_id: str) -> Advertiser:
    scope = scope_of(conn, access)
    return required(advertisers.find_advertiser(conn, scope, advertiser_id, lock=True))


def _records(conn: Connection, found: list[Advertiser]) -> list[AdvertiserRecord]:
    managers = staff.staff_of(conn, {each.manager_id for each in found if each.manager_id})
    counts = advertisers.offer_counts(conn, {each.id for each in found})
    code = platform_code(conn)
    lists = blacklist.lists_of(conn, [each.id for each in found])
    names = affiliates.names_of(conn, {number for each in lists.values() for number in (*each.enabled, *each.disabled)})
    return [
        AdvertiserRecord(
            each,
            managers.get(each.manager_id or ""),
            code,
            counts.get(each.id, 0),
            lists.get(each.id, AffiliateLists()),
            names,
        )
        for each in found
    ]


def platform_code(conn: Connection) -> str:
    """Return the platform's code of postbacks; "" = there is none."""
    return settings.find_setting(conn, settings.HASH_PASSWORD) or ""
