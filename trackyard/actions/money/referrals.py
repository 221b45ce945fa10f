"""Referral shares within a caller's scope (docs/spec/statistics.md#referral-payments)."""

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.domain.money.referrals import ReferralShares, ShareFilter
from trackyard.domain.people.callers import Access
from trackyard.store.money import referrals


def list_shares(
    deps: Deps, access: Access, chosen: ShareFilter, *, page: int, limit: int
) -> tuple[list[ReferralShares], int]:
    """Return a page of shares and the number of rows: an affiliate's as a referrer, staff's in scope."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        return referrals.list_shares(conn, scope, chosen, page=page, limit=limit)
