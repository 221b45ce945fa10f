"""Use cases of affiliates, their passwords and balances (docs/api/affiliates.md)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.money.held_changes import hold_change, replace_held
from trackyard.actions.money.payment_systems import checked_payment_systems
from trackyard.actions.people.assignments import merged_sub_accounts, resolve_manager, with_note_on_top
from trackyard.actions.people.company_scope import check_way_in
from trackyard.actions.people.credentials import check_may_give_access, check_set_password
from trackyard.actions.people.scope import scope_of
from trackyard.actions.people.sign_in.passwords import give_password, store_password
from trackyard.actions.platform import notices
from trackyard.actions.platform.custom_fields import checked_answers
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.ids import new_api_key
from trackyard.base.money import ZERO
from trackyard.base.secrets import hash_password, new_password
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.money.held_changes import PAYMENT_SYSTEMS, HeldChange, HeldKind
from trackyard.domain.money.ledger import Balance
from trackyard.domain.people.affiliates import Affiliate, AffiliateFilter, AffiliateName, AffiliateStatus, EmailState
from trackyard.domain.people.callers import Access, Account, AccountKind, AffiliateCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Connection
from trackyard.store.money import ledger, payment_systems
from trackyard.store.people import affiliates, email_confirmations, keys, staff
from trackyard.store.platform import custom_fields
from trackyard.store.tracking import rulesets

NO_DECISION = "These words go with a decision about the status: send another status, too."
EMAIL_TAKEN = "This e-mail address is taken."
_UNCONFIRMED = "The e-mail address is not confirmed yet: wait for it, or confirm it yourself with email_confirmed."
_ASK_AGAIN = "Refuse this change, and ask for other payment systems."
_CHANGED_SINCE = f"The payment systems of the affiliate changed since. {_ASK_AGAIN}"
_FOREIGN_ADDRESS = "A login with @ must be the e-mail address of the account: send that, or a login without @."


@dataclass(frozen=True, slots=True)
class CustomFieldValue:
    """The answer of an affiliate to a custom field."""

    id: int
    name: str
    value: str


@dataclass(frozen=True, slots=True)
class AffiliateRecord:
    """An affiliate with the further data of the staff's view.

    balance: one item for each currency.
    systems: the names of payment systems by id.
    held: a requested change of its payment systems that waits for a second person.
    """

    affiliate: Affiliate
    manager: Staff | None
    api_key: str | None
    balance: list[Balance]
    offers: int
    systems: Mapping[int, str]
    custom_field_values: list[CustomFieldValue]
    held: HeldChange | None = None


def list_affiliates(
    deps: Deps,
    access: Access,
    chosen: AffiliateFilter,
    *,
    with_balance: bool,
    page: int,
    limit: int,
    order: str = "id",
    descending: bool = False,
) -> tuple[list[AffiliateRecord], int]:
    """Return a page of the affiliates in the caller's scope with their keys, and the total.

    order: a name of affiliates.SORTS.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found, total = affiliates.list_affiliates(
            conn, scope, chosen, page=page, limit=limit, order=order, descending=descending
        )
        return _records(deps, conn, found, with_balance=with_balance), total


def list_names(
    deps: Deps, access: Access, chosen: AffiliateFilter, *, page: int, limit: int
) -> tuple[list[AffiliateName], int]:
    """Return a page of affiliate names in the caller's scope, in order of id, and the total."""
    with deps.database.read() as conn:
        return affiliates.list_names(conn, scope_of(conn, access), chosen, page=page, limit=limit)


def list_referred(
    deps: Deps, access: Access, affiliate_id: int, *, page: int, limit: int
) -> tuple[list[AffiliateRecord], int]:
    """Return a page of the affiliates in scope that this one referred, and the total."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        chosen = AffiliateFilter(ref=affiliate_id)
        found, total = affiliates.list_affiliates(conn, scope, chosen, page=page, limit=limit)
        return _records(deps, conn, found), total


def get_affiliate(deps: Deps, access: Access, affiliate_id: int) -> Affiliate:
    """Return an affiliate in the caller's scope. Raises NotFound."""
    with deps.database.read() as conn:
        return _found(conn, scope_of(conn, access), affiliate_id)


def get_record(deps: Deps, affiliate: Affiliate) -> AffiliateRecord:
    """Return an affiliate with the further data of the staff's view."""
    with deps.database.read() as conn:
        return affiliate_record(deps, conn, affiliate)


def affiliate_record(deps: Deps, conn: Connection, affiliate: Affiliate) -> AffiliateRecord:
    """Return an affiliate with the further data of the staff's view, within a transaction."""
    return _records(deps, conn, [affiliate])[0]


def add_affiliate(
    deps: Deps, access: Access, new: Affiliate, password: str, *, notifies: bool = False
) -> AffiliateRecord:
    """Create an affiliate with a key of its own.

    notifies: whether it gets a mail that it has an account.
    Raises BadInput, and Conflict for a taken e-mail address or login.
    """
    check_set_password(deps, password)
    hashed = hash_password(password)  # takes long on purpose: before the transaction
    with deps.database.write() as conn:
        made = make_affiliate(deps, conn, access, replace(new, password_hash=hashed))
        if notifies:
            to, link = [notices.recipient_of(made)], f"{deps.api_url}/sign-in"
            notices.send_notice(conn, notices.WELCOME, to, deps.clock.now_ms(), login=made.login, link=link)
        return _records(deps, conn, [made])[0]


def make_affiliate(deps: Deps, conn: Connection, access: Access, new: Affiliate) -> Affiliate:
    """Check and store an affiliate that staff make, and return it. Raises as add_affiliate."""
    manager = resolve_manager(conn, access, new.manager_id, "manager_id")
    check_referrer(conn, scope_of(conn, access), new.ref)
    answers = checked_answers(conn, new.custom_fields, {}, complete=False)
    new = replace(new, manager_id=manager.id if manager else None, custom_fields=answers)
    affiliate_id, _ = store_affiliate(deps, conn, new)
    return _found(conn, Scope.everything(), affiliate_id)


def store_affiliate(deps: Deps, conn: Connection, new: Affiliate) -> tuple[int, str]:
    """Store a checked affiliate with a new key; return its id and the key. Raises BadInput, Conflict."""
    now, key = deps.clock.now_ms(), new_api_key()
    row = replace(
        new,
        login=new.login or new.email,
        payment_systems=checked_payment_systems(deps, conn, new.payment_systems),
        postback_secret=new_api_key(),
        created_at=now,
        updated_at=now,
    )
    affiliate_id = affiliates.add_affiliate(conn, row)
    if affiliate_id is None:
        raise Conflict({"email": [EMAIL_TAKEN]})
    _claim_sign_in_names(conn, affiliate_id, row.email, row.login)
    keys.add_key(conn, AccountKind.AFFILIATE, affiliate_id, key, deps.cipher, now)
    rulesets.touch(conn, "affiliate", affiliate_id)
    return affiliate_id, key


def publish_sign_up(conn: Connection, made: Affiliate, now_ms: int) -> None:
    """Publish that an affiliate signed up, and staff can decide about it."""
    label = made.name or made.login
    publish(conn, EventKind.AFFILIATE_SIGNED_UP, now_ms, Concerned(made.id, made.id), affiliate=label)


def publish_payee_change(conn: Connection, affiliate_id: int, now_ms: int) -> None:
    """Keep the time of a change of the payment systems that pay an affiliate, and publish the change."""
    affiliates.edit_affiliate(conn, affiliate_id, {"payee_changed_at": now_ms})
    publish(conn, EventKind.PAYEE_CHANGED, now_ms, Concerned(affiliate_id, account=_account(affiliate_id)))


def edit_affiliate(deps: Deps, access: Access, affiliate_id: int, given: Mapping[str, Any]) -> AffiliateRecord:
    """Change the given fields of an affiliate; a new password ends its sessions.

    given: new values by field of Affiliate, `password` in clear, `add_note`, a note on top of the others, and
    `message`, the words that go with a decision about the status. Payment systems and tags are replaced; custom fields
    and the parts of sub accounts change one by one. Payment systems that need a second person are held instead.
    Raises NotFound, BadInput, and Conflict for a taken login or an approval that waits for the e-mail address.
    """
    values, hashed = dict(given), None
    password = values.pop("password", None)
    if password is not None:
        check_may_give_access(access.caller)
        check_set_password(deps, password)
        hashed = hash_password(password)  # takes long on purpose: before the transaction
    with deps.database.write() as conn:
        held = _store_edit(deps, conn, access, affiliate_id, values)
        if hashed is not None:
            check_way_in(conn, access.caller, _account(affiliate_id))
            store_password(conn, _account(affiliate_id), hashed, deps.clock.now_ms())
        [record] = _records(deps, conn, [_found(conn, Scope.everything(), affiliate_id)])
        return replace(record, held=held)


def update_affiliates(deps: Deps, access: Access, ids: Iterable[int], given: Mapping[str, Any]) -> None:
    """Set the given fields of several affiliates, all or none.

    given: new values by field of Affiliate.
    Raises BadInput for an affiliate that does not exist or is out of scope, else as edit_affiliate.
    """
    wanted = sorted(set(ids))
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        unknown = [each for each in wanted if affiliates.find_affiliate(conn, scope, each) is None]
        if unknown:
            raise BadInput({"id": [f"An affiliate {each} does not exist." for each in unknown]})
        for affiliate_id in wanted:
            _store_edit(deps, conn, access, affiliate_id, dict(given))


def _store_edit(
    deps: Deps, conn: Connection, access: Access, affiliate_id: int, values: dict[str, Any]
) -> HeldChange | None:
    """Store an edit; return the change that is held instead, if any. Raises as edit_affiliate."""
    scope = scope_of(conn, access)
    before = _found(conn, scope, affiliate_id, lock=True)
    if note := values.pop("add_note", ""):
        values["notes"] = with_note_on_top(note, values.get("notes", before.notes))
    _decide(deps, conn, before, values)
    if "manager_id" in values:
        manager = resolve_manager(conn, access, values["manager_id"], "manager_id")
        values["manager_id"] = manager.id if manager else None
    if "ref" in values and values["ref"] != before.ref:
        check_referrer(conn, scope, values["ref"], of=affiliate_id)
    if "login" in values:
        values["login"] = values["login"] or before.email
        if values["login"].lower() != before.login.lower():
            _claim_sign_in_names(conn, affiliate_id, before.email, values["login"])
    if "sub_accounts" in values:
        values["sub_accounts"] = merged_sub_accounts(before.sub_accounts, values["sub_accounts"])
    held = _hold_payment_systems(deps, conn, access, before, values)
    if "custom_fields" in values:
        values["custom_fields"] = checked_answers(conn, values["custom_fields"], before.custom_fields, complete=False)
    affiliates.edit_affiliate(conn, affiliate_id, values | {"updated_at": deps.clock.now_ms()})
    rulesets.touch(conn, "affiliate", affiliate_id)
    if values.get(PAYMENT_SYSTEMS, before.payment_systems) != before.payment_systems:
        publish_payee_change(conn, affiliate_id, deps.clock.now_ms())
    if "status" in values and values["status"].rule.is_blocked:
        email_confirmations.remove_changes(conn, affiliate_id)
    return held


def _hold_payment_systems(
    deps: Deps, conn: Connection, access: Access, before: Affiliate, values: dict[str, Any]
) -> HeldChange | None:
    """Check payment systems in `values`; take them out and hold them when they need a second person.

    The systems that the affiliate has already do not count as a change.
    """
    if PAYMENT_SYSTEMS not in values:
        return None
    chosen = values[PAYMENT_SYSTEMS] = checked_payment_systems(deps, conn, values[PAYMENT_SYSTEMS])
    if chosen == before.payment_systems:
        return None
    if not deps.needs_second_person:
        replace_held(deps, conn, access, HeldKind.PAYMENT_SYSTEMS, before.id)
        return None
    del values[PAYMENT_SYSTEMS]
    return hold_change(
        deps,
        conn,
        access,
        HeldKind.PAYMENT_SYSTEMS,
        affiliate_id=before.id,
        subject_id=before.id,
        asked={PAYMENT_SYSTEMS: chosen},
        before={PAYMENT_SYSTEMS: before.payment_systems},
    )


def apply_held(deps: Deps, conn: Connection, change: HeldChange) -> None:
    """Give an affiliate the payment systems that were held. The caller has locked it.

    Raises Conflict when it has others by now, or when they cannot be chosen any more.
    """
    found = _found(conn, Scope.everything(), change.affiliate_id)
    if found.payment_systems != change.before[PAYMENT_SYSTEMS]:
        raise Conflict({"id": [_CHANGED_SINCE]})
    try:
        chosen = checked_payment_systems(deps, conn, change.asked[PAYMENT_SYSTEMS])
    except BadInput as fault:
        sentences = [sentence for each in (fault.fields or {}).values() for sentence in each]
        raise Conflict({"id": [*sentences, _ASK_AGAIN]}) from None
    values = {PAYMENT_SYSTEMS: chosen, "updated_at": deps.clock.now_ms()}
    affiliates.edit_affiliate(conn, change.affiliate_id, values)
    rulesets.touch(conn, "affiliate", change.affiliate_id)
    publish_payee_change(conn, change.affiliate_id, deps.clock.now_ms())


def _decide(deps: Deps, conn: Connection, before: Affiliate, values: dict[str, Any]) -> None:
    """Check and publish a decision about the status; take the words that go with it out of `values`.

    Raises Conflict for an approval that waits for the e-mail address, and BadInput for words without a decision.
    """
    _check_approval(deps, before, values)
    message = values.pop("message", "")
    _check_reason(before, values, message)
    if _publish_decision(deps, conn, before, values, message):
        values["decision_words"] = message
    elif message:
        raise BadInput({"message": [NO_DECISION]})


def _check_approval(deps: Deps, before: Affiliate, values: Mapping[str, Any]) -> None:
    """Raise Conflict for making an affiliate active that has to confirm its e-mail address first."""
    status: AffiliateStatus = values.get("status", before.status)
    becomes_active = status.rule.may_sign_in and not before.status.rule.may_sign_in
    waits = values.get("email_state", before.email_state) is EmailState.WAITING
    if deps.needs_confirmed_email and becomes_active and waits:
        raise Conflict({"status": [_UNCONFIRMED]})


def _check_reason(before: Affiliate, values: dict[str, Any], message: str) -> None:
    """Clear the reason of an active affiliate. The words that go with another status are its reason.

    Raises BadInput for a reason that is sent with an active status.
    """
    status: AffiliateStatus = values.get("status", before.status)
    if not status.rule.has_reason:
        if values.get("status_reason"):
            raise BadInput({"status_reason": [f"An affiliate that is {status.value} has no reason."]})
        values["status_reason"] = ""
    elif message and not values.get("status_reason"):
        values["status_reason"] = message


def _publish_decision(deps: Deps, conn: Connection, before: Affiliate, values: Mapping[str, Any], message: str) -> bool:
    """Publish the decision about an affiliate with its words; return whether anything was decided."""
    status: AffiliateStatus = values.get("status", before.status)
    reason = values.get("status_reason", "")
    if status.rule.may_sign_in:
        reason = message
        kind = EventKind.AFFILIATE_APPROVED
        is_new = not before.status.rule.may_sign_in
    else:
        kind = EventKind.AFFILIATE_BANNED if status.rule.is_blocked else EventKind.AFFILIATE_REJECTED
        is_new = status is not before.status or bool(reason and reason != before.status_reason)
    if not is_new or status.rule.is_undecided:
        return False
    publish(conn, kind, deps.clock.now_ms(), Concerned(before.id, before.id), reason=reason)
    return True


def renew_password(deps: Deps, access: Access, affiliate_id: int) -> str:
    """Mail an affiliate a new password and return it; its sessions end. Raises NotFound and AccessDenied."""
    check_may_give_access(access.caller)
    password, now = new_password(), deps.clock.now_ms()
    hashed = hash_password(password)
    with deps.database.write() as conn:
        found = _found(conn, scope_of(conn, access), affiliate_id, lock=True)
        check_way_in(conn, access.caller, _account(found.id))
        give_password(conn, _account(found.id), password, hashed, now, found.name or found.login)
    return password


def check_referrer(conn: Connection, scope: Scope, ref: int | None, of: int | None = None) -> None:
    """Check a referrer before it is stored.

    Raises BadInput for one that is unknown in scope, or that the affiliate itself (`of`) referred.
    """
    if ref is None:
        return
    if ref == of:
        raise BadInput({"ref": ["An affiliate does not refer itself."]})
    if affiliates.find_affiliate(conn, scope, ref) is None:
        raise BadInput({"ref": [f"An affiliate {ref} does not exist."]})
    if of is not None:
        affiliates.lock_referrals(conn)
        if of in affiliates.referrers_of(conn, ref):
            raise BadInput({"ref": [f"Affiliate {of} referred affiliate {ref}, itself or through others."]})


def _claim_sign_in_names(conn: Connection, affiliate_id: int, email: str, login: str) -> None:
    """Claim the e-mail address and login of an affiliate.

    Raises Conflict when another affiliate has one of them, or a staff user the login, and BadInput for a login that
    looks like the e-mail address of another account.
    """
    taken = affiliates.claim_names(conn, affiliate_id, email, login)
    if email.lower() in taken:
        raise Conflict({"email": [EMAIL_TAKEN]})
    if taken or (login.lower() != email.lower() and staff.find_by_email(conn, login.lower()) is not None):
        raise Conflict({"login": ["This login is taken."]})
    if "@" in login and login.lower() != email.lower():
        raise BadInput({"login": [_FOREIGN_ADDRESS]})


def get_balances(deps: Deps, access: Access, affiliate_id: int | None) -> list[Balance]:
    """Return balances by currency, of the caller or, for staff, of an affiliate in scope.

    One in the platform currency is always there. Raises BadInput.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        if isinstance(access.caller, AffiliateCaller):
            affiliate_id = affiliate_id or access.caller.id
        if affiliate_id is None or affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise BadInput({"pid": [f"An affiliate {affiliate_id} does not exist."]})
        return balances_of(deps, conn, [affiliate_id])[affiliate_id]


def balances_of(deps: Deps, conn: Connection, ids: Sequence[int]) -> dict[int, list[Balance]]:
    """Return balances by currency; one in the platform currency always, 0 before the first entry."""
    found: dict[int, list[Balance]] = {affiliate_id: [] for affiliate_id in ids}
    for item in ledger.list_balances(conn, ids):
        found[item.affiliate_id].append(item)
    for affiliate_id, items in found.items():
        if all(item.currency != deps.currency for item in items):
            items.append(Balance(affiliate_id, deps.currency, ZERO, ZERO))
            items.sort(key=lambda item: item.currency)
    return found


def nested_records(deps: Deps, conn: Connection, ids: Iterable[int]) -> dict[int, AffiliateRecord]:
    """Return affiliates for other records, by id and without keys, in a constant number of statements."""
    found = affiliates.affiliates_of(conn, ids)
    return {record.affiliate.id: record for record in _with_details(deps, conn, list(found.values()), {})}


def _records(
    deps: Deps, conn: Connection, found: Sequence[Affiliate], *, with_balance: bool = True
) -> list[AffiliateRecord]:
    known = keys.keys_of(conn, AccountKind.AFFILIATE, [row.id for row in found], deps.cipher)
    return _with_details(deps, conn, found, known, with_balance=with_balance)


def _with_details(
    deps: Deps,
    conn: Connection,
    found: Sequence[Affiliate],
    known_keys: Mapping[str, str],
    *,
    with_balance: bool = True,
) -> list[AffiliateRecord]:
    ids = [row.id for row in found]
    managers = staff.staff_of(conn, {row.manager_id for row in found if row.manager_id})
    counts = affiliates.offer_counts(conn, ids)
    systems = {system.id: system.lang_label for system in payment_systems.list_payment_systems(conn)}
    fields = custom_fields.list_custom_fields(conn)
    balances = balances_of(deps, conn, ids) if with_balance else {}
    return [
        AffiliateRecord(
            affiliate=row,
            manager=managers.get(row.manager_id or ""),
            api_key=known_keys.get(str(row.id)),
            balance=balances.get(row.id, []),
            offers=counts.get(row.id, 0),
            systems=systems,
            custom_field_values=[
                CustomFieldValue(field.id, field.name, row.custom_fields[str(field.id)])
                for field in fields
                if str(field.id) in row.custom_fields
            ],
        )
        for row in found
    ]


def _account(affiliate_id: int) -> Account:
    return Account(AccountKind.AFFILIATE, str(affiliate_id))


def _found(conn: Connection, scope: Scope, affiliate_id: int, *, lock: bool = False) -> Affiliate:
    return required(affiliates.find_affiliate(conn, scope, affiliate_id, lock=lock))
