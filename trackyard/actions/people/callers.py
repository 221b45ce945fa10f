"""Find the caller of an API request by its key (docs/spec/api-conventions.md#errors)."""

import logging
from dataclasses import replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import company_scope, refused_permissions, scope_of
from trackyard.base.clock import Clock
from trackyard.base.errors import Conflict, required
from trackyard.domain.people.callers import (
    Access,
    Account,
    AccountKind,
    AdvertiserCaller,
    AffiliateCaller,
    Caller,
    Member,
    StaffCaller,
    UsedKey,
)
from trackyard.domain.people.key_limits import KeyLimits
from trackyard.domain.people.keys import ApiKey
from trackyard.domain.people.permissions import denied_features
from trackyard.domain.people.scope import Scope
from trackyard.domain.people.sessions import Session, SessionPolicy
from trackyard.domain.people.staff_permissions import withheld_by
from trackyard.store.engine.audit_actor import current_actor
from trackyard.store.engine.database import Connection, Database, TransactionFailure, classify_failure
from trackyard.store.people import advertisers, affiliates, keys, persons, sessions, sign_ins, staff
from trackyard.store.platform import audit_log, settings

LOOK_MS: Final = 30 * 60_000
"""How long staff look at a portal before they ask again."""
USE_STEP_MS: Final = 60_000
"""The use of a key or a session is stored at most this often: a request alone writes nothing."""

log = logging.getLogger("trackyard.api")


def find_caller(database: Database, clock: Clock, key: str, policy: SessionPolicy | None = None) -> Caller | None:
    """Return the caller of a lasting key or of a session.

    None for an unknown or expired key, and for an account that is not active.
    """
    now = clock.now_ms()
    with database.read() as conn:
        lasting = keys.find_by_key(conn, key, now)
        session = sessions.find_session(conn, key, now) if lasting is None else None
        if lasting is not None:
            found = caller_of(conn, lasting.account, limits=lasting.limits)
            caller = None if found is None else replace(found, used_key=UsedKey(lasting.id, lasting.name))
        else:
            caller = None if session is None else caller_of(conn, session.account, session.id)
    used = lasting or session
    if caller is None or used is None:
        return caller
    policy = policy or SessionPolicy()
    if (used.last_used_at or 0) <= now - USE_STEP_MS:
        _record_use(database, used, now, policy)
    if session is None or session.second_factor or not isinstance(caller, StaffCaller):
        return caller
    return replace(caller, needs_second_factor=policy.needs_second_factor(caller.roles))


def find_account_caller(deps: Deps, account: Account) -> Caller | None:
    """Return an account as a caller; None where it is not active, or does not exist."""
    with deps.database.read() as conn:
        return caller_of(conn, account)


def begin_look(deps: Deps, access: Access, affiliate_id: int) -> int:
    """Record that a staff user looks at the portal of an affiliate; return when it ends (UTC ms).

    Raises NotFound, and Conflict for an affiliate that may not sign in.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(affiliates.find_affiliate(conn, scope_of(conn, access), affiliate_id))
        if not found.status.rule.may_sign_in:
            raise Conflict({"status": ["The affiliate is not active, so it sees no page of the portal."]})
        _log_look(conn, Account(AccountKind.AFFILIATE, str(affiliate_id)), now + LOOK_MS)
    return now + LOOK_MS


def begin_advertiser_look(deps: Deps, access: Access, advertiser_id: str) -> int:
    """Record that a staff user looks at the portal of an advertiser; return when it ends (UTC ms).

    Raises NotFound, and Conflict for an advertiser that may not sign in.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(advertisers.find_advertiser(conn, scope_of(conn, access), advertiser_id))
        if not found.status.rule.may_sign_in:
            raise Conflict({"status": ["The advertiser is not active, so it sees no page of the portal."]})
        _log_look(conn, Account(AccountKind.ADVERTISER, found.id), now + LOOK_MS)
    return now + LOOK_MS


def begin_person_look(deps: Deps, member_id: str) -> int:
    """Record a look at a portal as one of its people; return its end (UTC milliseconds).

    Raises Conflict for a person who may not sign in, such as of a company that is not active.
    """
    now = deps.clock.now_ms()
    account = Account(AccountKind.MEMBER, member_id)
    with deps.database.write() as conn:
        if caller_of(conn, account) is None:
            raise Conflict({"status": ["The company is not active, so its people see no page of the portal."]})
        _log_look(conn, account, now + LOOK_MS)
    return now + LOOK_MS


def find_looked(deps: Deps, caller: StaffCaller, account: Account) -> Caller | None:
    """Return the owner or a member of an affiliate or an advertiser as a staff user looks at the portal.

    It is refused what either of the two is refused. None where the user may not look, or the account is not active.
    """
    if caller.needs_second_factor or caller.needs_password:
        return None
    with deps.database.read() as conn:
        found = caller_of(conn, account, caller.session)
        if not isinstance(found, AffiliateCaller | AdvertiserCaller) or not _may_look(conn, caller, found.company):
            return None
        withheld = found.withheld | refused_permissions(conn, caller, found.company)
    seen = replace(found, is_look=True) if isinstance(found, AffiliateCaller) else found
    return replace(seen, denied=seen.denied | caller.denied, withheld=withheld, needs_password=False)


def _may_look(conn: Connection, caller: StaffCaller, company: Account) -> bool:
    """Return whether a staff user may write the affiliate or advertiser, and so look at its portal."""
    scope = company_scope(conn, caller, company.kind)
    is_affiliate = company.kind is AccountKind.AFFILIATE
    return scope.has_affiliate(int(company.id)) if is_affiliate else scope.has_advertiser(company.id)


def _log_look(conn: Connection, account: Account, until: int) -> None:
    actor = current_actor.get()
    if actor is not None:
        audit_log.add_look(conn, actor, account, until)


def caller_of(conn: Connection, account: Account, session: str = "", limits: KeyLimits | None = None) -> Caller | None:
    """Return an account as a caller; None where it is not active, or does not exist.

    session: the id of the calling session; limits: of the calling key.
    """
    match account.kind:
        case AccountKind.AFFILIATE:
            access = affiliates.find_access(conn, int(account.id))
            if access is None or not access.status.rule.may_sign_in:
                return None
            installation = settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}
            denied = denied_features(installation, access.permissions)
            needs_password = bool(session) and access.password_until is not None
            return AffiliateCaller(int(account.id), denied, session, limits, needs_password=needs_password)
        case AccountKind.ADVERTISER:
            found = advertisers.find_advertiser(conn, Scope.everything(), account.id)
            if found is None or not found.status.rule.may_sign_in:
                return None
            return AdvertiserCaller(
                found.id,
                session,
                limits,
                found.sees_affiliates,
                found.code_key,
                needs_password=bool(session) and found.password_until is not None,
            )
        case AccountKind.STAFF:
            user = staff.find_staff(conn, account.id)
            if user is None or not user.status.rule.may_sign_in:
                return None
            denied, withheld = withheld_by(user.permissions, user.roles)
            return StaffCaller(
                user.id,
                frozenset(user.roles),
                session,
                limits,
                denied=denied,
                withheld=withheld,
                needs_password=bool(session) and user.password_until is not None,
            )
        case AccountKind.MEMBER:
            return _member_of(conn, account, session, limits)
        case AccountKind.PERSON:
            return None  # credentials alone: what calls is a place in a company


def _member_of(conn: Connection, account: Account, session: str, limits: KeyLimits | None) -> Caller | None:
    """Return a person as a caller of the company in which it has this place."""
    place = persons.find_member(conn, account.id)
    caller = None if place is None else caller_of(conn, place.company, session, limits)
    signer = None if place is None else sign_ins.find_account(conn, place.signer)
    if place is None or signer is None or not signer.may_sign_in or isinstance(caller, StaffCaller | None):
        return None
    return replace(
        caller,
        member=Member(account, place.signer, place.role),
        withheld=caller.withheld | place.role.rule.withheld,
        needs_password=bool(session) and signer.password_until is not None,
    )


def _record_use(database: Database, used: ApiKey | Session, now: int, policy: SessionPolicy) -> None:
    """Store the use of a key or a session. A database that cannot be written now does not end it."""
    try:
        with database.write() as conn:
            if isinstance(used, Session):
                sessions.record_use(conn, used.id, now, now + policy.idle_ms)
            else:
                keys.record_use(conn, used.id, now)
    except Exception as fault:
        if classify_failure(fault) is TransactionFailure.DEFECT:
            raise
        log.warning("use of a key not stored", extra={"account": used.account.name})
