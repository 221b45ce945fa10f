"""Lists of clicks within a caller's scope."""

from collections.abc import Sequence
from dataclasses import replace

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.statistics.names import EntityNames, with_names
from trackyard.analytics.reports.clicks import ListedClick, list_clicks
from trackyard.domain.people.callers import Access
from trackyard.domain.statistics.lists import ClickQuery
from trackyard.store.engine.database import Connection

__all__ = ["ListedClick", "list_visible_clicks"]


def list_visible_clicks(deps: Deps, access: Access, query: ClickQuery) -> tuple[list[ListedClick], int, EntityNames]:
    """Return a page of accepted clicks in the caller's scope, the number of all, and their names."""
    with deps.database.read() as conn:
        query = replace(query, scope=scope_of(conn, access))
    page = list_clicks(deps.analytics, query)
    with deps.database.read() as conn:
        return page.clicks, page.total_count, _names_in_clicks(conn, page.clicks)


def _names_in_clicks(conn: Connection, found: Sequence[ListedClick]) -> EntityNames:
    """Return the names that clicks mention."""
    offer_ids, affiliate_ids = ({getattr(item.click, name) for item in found} for name in ("offer", "affiliate"))
    return with_names(conn, EntityNames(), offer_ids=offer_ids, affiliate_ids=affiliate_ids)
