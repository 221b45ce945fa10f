"""The conditions that rows are in the scope of a caller."""

from typing import Any

from trackyard.domain.people.scope import Scope


def scope_conditions(scope: Scope) -> list[str]:
    """Return the conditions that rows with affiliate and advertiser are in scope."""
    conditions = []
    if scope.affiliate_ids is not None:
        conditions.append("affiliate IN {scope_affiliates:Array(Int64)}")
    if scope.advertiser_ids is not None:
        conditions.append("advertiser IN {scope_advertisers:Array(String)}")
    return conditions


def scope_parameters(scope: Scope) -> dict[str, Any]:
    """Return the parameters of `scope_conditions`."""
    return {
        "scope_affiliates": sorted(scope.affiliate_ids or ()),
        "scope_advertisers": sorted(scope.advertiser_ids or ()),
    }
