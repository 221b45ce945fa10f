"""The click of an imported conversion without one (docs/spec/conversions.md#edits-and-imports)."""

from typing import Any

from trackyard.base.ids import IMPORT_EDGE, new_click_id
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.conversions.edits import ConversionImport
from trackyard.domain.statistics.click_columns import EMPTY_CLICK, Source, columns_from


def imported_click(visitors: VisitorLookup, item: ConversionImport, at_ms: int) -> dict[str, Any]:
    """Return the click of an import without one. at_ms: of the request, UTC."""
    agent, place = visitors.agent(item.ua), visitors.place(item.ip)
    found = {name: getattr(place, name) for name in columns_from(Source.PLACE)}
    if item.country not in ("", place.country):  # the network and the city of the address are elsewhere
        found = {"country": item.country}
    return {
        **EMPTY_CLICK,
        **found,
        **{name: getattr(agent, name) for name in columns_from(Source.AGENT) if name != "ua"},
        "time": at_ms,
        "id": new_click_id(at_ms, IMPORT_EDGE),
        "offer": item.offer_id,
        "affiliate": item.affiliate_id,
        "ip": item.ip,
        "ua": item.ua,
    }
