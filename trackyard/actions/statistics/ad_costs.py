"""Use cases of costs of advertising (docs/spec/statistics.md#ad-costs)."""

from dataclasses import replace
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.zones import local_day
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.ad_costs import COST_COLUMNS, FIRST_DAY, LAST_DAY, AdCost, AdCostKey, needs_days
from trackyard.domain.statistics.reports import Report
from trackyard.domain.statistics.slices import SLICES
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import affiliates
from trackyard.store.statistics import ad_costs


def set_cost(deps: Deps, access: Access, new: AdCost) -> None:
    """Store a cost, in the place of an earlier one of the same offer, affiliate, day and sub8.

    Raises BadInput for an offer or affiliate out of scope, and for a day that reports cannot have.
    """
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        faults: dict[str, list[str]] = {}
        if offers.find_offer(conn, scope, new.offer_id) is None:
            faults["offer_id"] = [f"An offer {new.offer_id} does not exist."]
        if affiliates.find_affiliate(conn, scope, new.affiliate_id) is None:
            faults["affiliate_id"] = [f"An affiliate {new.affiliate_id} does not exist."]
        if not FIRST_DAY <= new.day <= LAST_DAY:
            faults["date"] = [f"Send a day from {FIRST_DAY} to {LAST_DAY}."]
        if faults:
            raise BadInput(faults)
        ad_costs.set_cost(conn, new, deps.clock.now_ms())


def remove_cost(deps: Deps, access: Access, key: AdCostKey) -> None:
    """Remove a cost. Raises NotFound for one that does not exist or is out of scope."""
    with deps.database.write() as conn:
        scope = scope_of(conn, access)
        is_known = _has_offer(conn, scope, key.offer_id) and scope.has_affiliate(key.affiliate_id)
        if not is_known or not ad_costs.remove_cost(conn, key):
            raise NotFound


def list_costs(deps: Deps, access: Access, offer_id: int, *, page: int, limit: int) -> tuple[list[AdCost], int]:
    """Return a page of the costs of an offer in scope, and the total; none for an offer out of scope."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        if not _has_offer(conn, scope, offer_id):
            return [], 0
        return ad_costs.list_costs(conn, scope, offer_id, page=page, limit=limit)


def with_costs(conn: Connection, report: Report) -> Report:
    """Return a report with the costs of its rows, where it can have costs.

    report: in the caller's scope, with managers and tags as filters of ids.
    """
    if not (report.scope.sees_costs and report.can_have_costs) or report.since >= report.until:
        return report
    zone, needed = ZoneInfo(report.zone), frozenset(report.dimensions)
    days = local_day(report.since, zone).isoformat(), local_day(report.until - 1, zone).isoformat()
    columns = {part.column for name in needed for part in SLICES[name].parts}
    keys = columns.intersection(COST_COLUMNS) | ({"day"} if needs_days(needed) or report.in_currency else set())
    sums = ad_costs.sum_costs(conn, report.scope, days, keys, report.filters, report.excluded)
    return replace(report, costs=sums)


def _has_offer(conn: Connection, scope: Scope, offer_id: int) -> bool:
    """Return whether an offer is in scope, also one that was removed."""
    exists = offers.find_offer(conn, scope, offer_id) is not None
    return exists or bool(offers.removed_among(conn, scope, [offer_id]))
