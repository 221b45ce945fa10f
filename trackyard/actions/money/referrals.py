"""Referral shares, for what a caller may see (docs/spec/statistics.md#referral-payments)."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.domain.money.referrals import ReferralShares, ShareFilter
from trackyard.domain.people.callers import Caller
from trackyard.domain.people.roles import Permission
from trackyard.store.money import referrals


def list_shares(
    deps: Deps, caller: Caller, permission: Permission, chosen: ShareFilter, *, page: int, limit: int
) -> tuple[list[ReferralShares], int]:
    """Return a page of shares and the number of rows: an affiliate's as a referrer, staff's in scope."""
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, permission)
        return referrals.list_shares(conn, scope, chosen, page=page, limit=limit)
