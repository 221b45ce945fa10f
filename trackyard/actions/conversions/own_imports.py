"""Imports of conversions by affiliates (docs/spec/conversions.md#imports-by-affiliates)."""

from collections.abc import Mapping
from datetime import date
from typing import Final

import msgspec

from trackyard.actions.conversions.edits import Faults, ImportItem, QueuedImports, queue_imports
from trackyard.actions.deps import Deps
from trackyard.base.errors import BadInput
from trackyard.base.zones import day_start_ms, local_day
from trackyard.domain.conversions.edits import ConversionImport
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.callers import Access
from trackyard.store.engine.database import Connection
from trackyard.store.offers import connections, offers
from trackyard.store.platform import settings

OLDEST_DAYS: Final = 90
"""How long ago an affiliate's conversion may have been made."""
_GRANTS_MONEY: Final = frozenset({None, Status.CONFIRMED, Status.HOLD, Status.PENDING_CAP})
"""Statuses that pay, end by themselves in one that pays, or take places of caps whatever the offer says."""


def queue_own_imports(
    deps: Deps, access: Access, affiliate_id: int, items: Mapping[str, ImportItem]
) -> tuple[bool, QueuedImports]:
    """Queue conversions that the calling affiliate reports.

    Returns whether some of them become pending although another status was sent, and what else is unusual.
    items: the imports by the prefix of their parameters in the request. Raises BadInput for offers that the affiliate
    does not see or is not connected to, and for clicks that are not its own.
    """
    with deps.database.read() as conn:
        faults = _offer_faults(conn, affiliate_id, items)
        confirms = settings.find_setting(conn, settings.AFFILIATE_IMPORTS) == Status.CONFIRMED
    if faults:
        raise BadInput(faults)
    taken = {prefix: _as_own(each, confirms=confirms) for prefix, each in items.items()}
    queued = queue_imports(deps, access, taken)
    lowered = any(items[prefix].item.status not in (None, each.item.status) for prefix, each in taken.items())
    return lowered, queued


def conversion_time(deps: Deps, day: date | None) -> int | None:
    """Return the time of a conversion of a day: its first moment. Raises ValueError."""
    if day is None:
        return None
    today = local_day(deps.clock.now_ms(), deps.zone)
    if not 0 <= (today - day).days <= OLDEST_DAYS:
        raise ValueError(f"Send a day of the last {OLDEST_DAYS} days.")
    return day_start_ms(day, deps.zone)


def _as_own(each: ImportItem, *, confirms: bool) -> ImportItem:
    """Return an import of an affiliate, which is at most pending unless the network confirms its imports."""
    lowered = each.item.status in _GRANTS_MONEY and not confirms
    status = Status.PENDING if lowered else each.item.status
    item: ConversionImport = msgspec.structs.replace(each.item, is_own=True, status=status)
    return ImportItem(item, each.click_id)


def _offer_faults(conn: Connection, affiliate_id: int, items: Mapping[str, ImportItem]) -> Faults:
    wanted = {each.item.offer_id for each in items.values()}
    states = connections.connection_states(conn, affiliate_id, wanted)
    public = connections.public_offers_among(conn, wanted)
    visible = offers.visible_among(conn, wanted, affiliate_id)
    return {
        f"{prefix}[offer]" if prefix else "offer": [
            f"An offer {each.item.offer_id} does not exist, or you are not connected to it."
        ]
        for prefix, each in items.items()
        if each.item.offer_id not in visible or not states.get(each.item.offer_id, each.item.offer_id in public)
    }
