"""The pixels of affiliates, which staff accept or reject (docs/spec/console.md#affiliates)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from trackyard.api.tracking import pixels as pixels_api
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import asks_for_file, rows_file
from trackyard.console.offers_shown import names
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import PER_PAGE, ListFilter, back_to, read_list

pages = Pages()

PATH: Final = "/console/pixels"
STATES: Final = {
    "0": ("pending", lazy_gettext("Waits for a check")),
    "1": ("confirmed", lazy_gettext("Accepted")),
    "-1": ("declined", lazy_gettext("Rejected")),
}
"""Moderation status to the class of its mark and its word; 2 is rejected, too."""
_ORDER: Final = {"0": 0, "1": 1}
_DECISIONS: Final = {
    "accept": ("1", lazy_gettext("Pixel {id} is accepted: visitors of its offer get the code.")),
    "reject": ("-1", lazy_gettext("Pixel {id} is rejected: no visitor gets its code.")),
}


@dataclass(frozen=True, slots=True)
class PixelRow:
    """A pixel of the list. is_off: whether it is accepted and switched off. offer, affiliate: titles."""

    id: int
    name: str
    code: str
    code_type: str
    offer_id: str
    offer: str
    affiliate_id: str
    affiliate: str
    state: str
    mark: str
    word: str
    is_off: bool
    changed: str


@pages.get(PATH, needs=(pixels_api.list_own,))
def pixels(request: PageRequest) -> PageAnswer:
    """Show the pixels of affiliates; pixels that wait for a decision come first."""
    calls = request.calls
    affiliates = names.affiliates(calls)
    states = tuple((value, str(word)) for value, (_, word) in STATES.items())
    filters = (
        ListFilter("state", gettext("State"), "moderation_status[]", states),
        ListFilter("affiliate", gettext("Affiliate"), "pid[]", affiliates or None, "number"),
    )
    state = read_list(request.address, filters)
    sent = [pair for pair in state.sent() if pair[0] not in ("limit", "page")]
    fault = ""
    try:
        found = list(calls.ask(pixels_api.list_own, sent).pixel.values())
    except RequestError as refusal:
        found, fault = [], fault_of(refusal)
    if asks_for_file(request):
        return rows_file("pixels", found)
    found.sort(key=lambda each: (_ORDER.get(each.moderation_status, 2), -each.id))
    named = dict(affiliates)
    return request.page(
        "staff/affiliates/pixels.html",
        rows=[_row(request, each, named) for each in found[state.first - 1 : state.first - 1 + PER_PAGE]],
        waiting=sum(each.moderation_status == "0" for each in found),
        may_decide=calls.may(pixels_api.edit),
        fault=fault,
        api_request_path=calls.address(pixels_api.list_own, sent),
        **state.shown(len(found)),
    )


@pages.post(f"{PATH}/{{id}}", needs=(pixels_api.edit,))
def decide(request: PageRequest) -> PageAnswer:
    """Accept or reject a pixel."""
    back = back_to(PATH, request.field("back"))
    if request.field("do") not in _DECISIONS:
        return Redirect(back, gettext("Nothing is decided."))
    status, done = _DECISIONS[request.field("do")]
    number = request.key
    request.calls.ask(pixels_api.edit, [("moderation_status", status)], {"id": number})
    return Redirect(back, done.format(id=number))


def _row(request: PageRequest, pixel: pixels_api.PixelView, affiliates: Mapping[str, str]) -> PixelRow:
    state = pixel.moderation_status
    mark, word = STATES.get(state, STATES["-1"])
    return PixelRow(
        id=pixel.id,
        name=pixel.name,
        code=pixel.code,
        code_type=pixel.code_type,
        offer_id=pixel.offer_id,
        offer=pixel.offer.title if pixel.offer else f"#{pixel.offer_id}",
        affiliate_id=pixel.pid,
        affiliate=affiliates.get(pixel.pid, f"#{pixel.pid}"),
        state=state,
        mark=mark,
        word=str(word),
        is_off=state == "1" and pixel.is_active != "1",
        changed=request.time_of(pixel.updated_at),
    )
