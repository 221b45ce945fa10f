"""The form that sends a file of an advertiser or an affiliate."""

from typing import Final

from trackyard.api.conversions import comparisons
from trackyard.base.errors import BadInput, UnsupportedMediaType
from trackyard.base.texts.marks import gettext
from trackyard.base.zones import find_zone
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.domain.conversions.comparisons.files import COLUMN_FIELDS, MOST_BYTES

pages = Pages()

PATH: Final = "/console/comparisons"
_BODY_MAX: Final = MOST_BYTES + 64 * 1024
_FIELDS: Final = (
    *("date_from", "date_to", "timezone", "currency", "sheet"),
    *(f"column_{name}" for name in COLUMN_FIELDS),
    *(f"words_{name}" for name in ("confirmed", "pending", "hold", "declined")),
)
_ADVERTISERS: Final = (comparisons.list_of_advertiser, comparisons.compare_advertiser)
_AFFILIATES: Final = (comparisons.list_of_affiliate, comparisons.compare_affiliate)
_METHODS: Final = {"advertiser": _ADVERTISERS, "affiliate": _AFFILIATES}
"""Methods that list comparisons and that add one, by the sender of the file."""


@pages.get("/console/advertisers/{id}/compare", needs=_ADVERTISERS)
def of_advertiser(request: PageRequest) -> PageAnswer:
    """Ask for the file of an advertiser."""
    return _page(request, "advertiser")


@pages.post("/console/advertisers/{id}/compare", needs=_ADVERTISERS, body_max=_BODY_MAX)
def compare_advertiser(request: PageRequest) -> PageAnswer:
    """Compare the file of an advertiser."""
    return _compared(request, "advertiser")


@pages.get("/console/affiliates/{id}/compare", needs=_AFFILIATES)
def of_affiliate(request: PageRequest) -> PageAnswer:
    """Ask for the file of an affiliate."""
    return _page(request, "affiliate")


@pages.post("/console/affiliates/{id}/compare", needs=_AFFILIATES, body_max=_BODY_MAX)
def compare_affiliate(request: PageRequest) -> PageAnswer:
    """Compare the file of an affiliate."""
    return _compared(request, "affiliate")


def _compared(request: PageRequest, side: str) -> PageAnswer:
    sent: list[Pair] = [(name, request.field(name)) for name in _FIELDS if request.field(name)]
    files = [each for each in request.files if each[0] == "file"]
    try:
        made = request.calls.ask(_METHODS[side][1], sent, {"id": request.key}, files)
    except BadInput as refusal:
        return _page(request, side, fault_of(refusal))
    except UnsupportedMediaType:
        return _page(request, side, gettext("This is not a CSV or XLSX file."))
    return Redirect(f"{PATH}/{made.comparison.id}")


def _page(request: PageRequest, side: str, fault: str = "") -> Html:
    key = request.key
    found = request.calls.ask(_METHODS[side][0], [("limit", "20")], {"id": key}).comparisons
    last = found[0] if found else None
    values = {name: request.field(name) for name in _FIELDS}
    if not fault:
        values |= {f"column_{name}": column for name, column in (last.columns if last else {}).items()}
        values["timezone"] = last.timezone if last else request.deps.zone.key
    is_advertiser = side == "advertiser"
    noun = gettext("advertiser") if is_advertiser else gettext("affiliate")
    place = f"/console/{side}s/{key}"
    return request.page(
        "conversions/comparisons/send.html",
        400 if fault else 200,
        title=gettext("Compare a file of %(noun)s %(id)s", noun=noun, id=key),
        back=place if request.may_open(place) else "",
        path=f"{place}/compare",
        fault=fault,
        values=values,
        earlier=[_line(request, each) for each in found],
        api_request_path=request.calls.address(_METHODS[side][0], path={"id": key}),
    )


def _line(request: PageRequest, each: comparisons.ComparisonView) -> dict[str, str]:
    differences = [shown.money(part.difference, part.currency) for part in each.sums]
    return {
        "path": f"{PATH}/{each.id}",
        "file": each.file_name or each.id,
        "period": f"{each.date_from} – {each.date_to}",
        "at": request.time_of(each.created_at),
        "difference": ", ".join(differences),
        "zone": shown.zone_name(find_zone(each.timezone) or request.deps.zone),
    }
