"""Find the caller of an API request by its key (docs/spec/api-conventions.md#errors)."""

from trackyard.base.clock import Clock
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.people.callers import AccountKind, AffiliateCaller, Caller, StaffCaller
from trackyard.domain.people.permissions import denied_features
from trackyard.store.engine.database import Database
from trackyard.store.people import affiliates, keys, staff
from trackyard.store.platform import settings


def find_caller(database: Database, clock: Clock, key: str) -> Caller | None:
    """Return the caller of a key.

    None for an unknown or expired key, and for an affiliate that is not active.
    """
    with database.read() as conn:
        owner = keys.find_owner(conn, key, clock.now_ms())
        if owner is None:
            return None
        match owner.kind:
            case AccountKind.AFFILIATE:
                access = affiliates.find_access(conn, int(owner.id))
                if access is None or access.status is not AffiliateStatus.ACTIVE:
                    return None
                installation = settings.find_setting(conn, settings.AFFILIATE_PERMISSIONS) or {}
                return AffiliateCaller(int(owner.id), denied_features(installation, access.permissions))
            case AccountKind.STAFF:
                user = staff.find_staff(conn, owner.id)
                return None if user is None else StaffCaller(user.id, frozenset(user.roles))
