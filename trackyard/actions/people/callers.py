"""Find the caller of an API request by its key (docs/spec/api-conventions.md#errors)."""

import logging
from dataclasses import replace
from typing import Final

from trackyard.base.clock import Clock
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.people.callers import Account, AccountKind, AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.key_limits import KeyLimits
from trackyard.domain.people.keys import ApiKey
from trackyard.domain.people.permissions import denied_features
from trackyard.domain.people.sessions import Session, SessionPolicy
from trackyard.domain.people.staff import StaffStatus
from trackyard.store.engine.database import Connection, Database, TransactionFailure, classify_failure
from trackyard.store.people import affiliates, keys, sessions, staff
from trackyard.store.platform import settings

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
            caller = _caller_of(conn, lasting.account, limits=lasting.limits)
        else:
            caller = None if session is None else _caller_of(conn, session.account, session.id)
    used = lasting or session
    if caller is None or used is None:
        return caller
    policy = policy or SessionPolicy()
    if (used.last_used_at or 0) <= now - USE_STEP_MS:
        _record_use(database, used, now, policy)
    if session is None or session.second_factor or not isinstance(caller, StaffCaller):
        return caller
    return replace(caller, needs_second_factor=policy.needs_second_factor(caller.roles))


def _caller_of(conn: Connection, account: Account, session: str = "", limits: KeyLimits | None = None) -> Caller | None:
    match account.kind:
        case AccountKind.AFFILIATE:
            access = affiliates.find_access(conn, int(account.id))
            if access is None or access.status is not AffiliateStatus.ACTIVE:
                return None
            installation = settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}
            return AffiliateCaller(int(account.id), denied_features(installation, access.permissions), session, limits)
        case AccountKind.STAFF:
            user = staff.find_staff(conn, account.id)
            if user is None or user.status is not StaffStatus.ACTIVE:
                return None
            return StaffCaller(user.id, frozenset(user.roles), session, limits)


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
