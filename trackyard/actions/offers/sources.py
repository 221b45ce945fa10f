"""Traffic sources of offers (docs/api/sources.md), shared by all staff."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.offers import remove_from_offers
from trackyard.base.errors import BadInput, required
from trackyard.base.ids import new_id
from trackyard.domain.offers.categories import TrafficSource
from trackyard.domain.offers.choices import preferred_text
from trackyard.store.offers import sources

_ORDERS: Final[Mapping[str, Callable[[TrafficSource], Any]]] = {
    "id": lambda source: (source.created_at, source.id),
    "title": lambda source: preferred_text(source.title_lang).casefold(),
    "languages": lambda source: ", ".join(source.title_lang),
}


def list_sources(deps: Deps, order: str = "id", *, descending: bool = False) -> list[TrafficSource]:
    """Return the traffic sources in order, of equal ones the oldest first.

    order: a key of _ORDERS.
    """
    with deps.database.read() as conn:
        found = sources.list_sources(conn)
    return sorted(found, key=_ORDERS[order], reverse=descending)


def get_source(deps: Deps, source_id: str) -> TrafficSource:
    """Return the source of an id. Raises NotFound."""
    with deps.database.read() as conn:
        return required(sources.find_source(conn, source_id))


def add_source(deps: Deps, titles: dict[str, str]) -> TrafficSource:
    """Create a traffic source with titles by language. Raises BadInput without any."""
    now = deps.clock.now_ms()
    new = TrafficSource(id=new_id(now), title_lang=_titles({}, titles), created_at=now, updated_at=now)
    with deps.database.write() as conn:
        sources.add_source(conn, new)
    return new


def edit_source(deps: Deps, source_id: str, titles: dict[str, str]) -> TrafficSource:
    """Set the given titles; an empty one removes its language. Raises NotFound, BadInput."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(sources.find_source(conn, source_id, lock=True))
        after = replace(found, title_lang=_titles(found.title_lang, titles), updated_at=now)
        sources.edit_source(conn, after.id, {"title_lang": after.title_lang, "updated_at": now})
    return after


def remove_source(deps: Deps, source_id: str) -> TrafficSource:
    """Remove a source, also from the offers that allow it. Raises NotFound."""
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = required(sources.find_source(conn, source_id, lock=True))
        remove_from_offers(conn, "source", "sources", found.id, now)
        sources.remove_source(conn, found.id)
    return found


def _titles(before: dict[str, str], given: dict[str, str]) -> dict[str, str]:
    remaining = {language: title for language, title in (before | given).items() if title.strip()}
    if not remaining:
        raise BadInput({"title_lang": ["A title in one language at least is needed."]})
    return remaining
