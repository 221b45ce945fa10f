"""The list of pixels for staff, who accept or reject them (docs/spec/console.md#affiliates)."""

from collections.abc import Iterator
from typing import Final

from trackyard.api.tracking import pixels as pixels_api
from trackyard.api.tracking.pixels import PixelsAnswer, PixelView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import back_to
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, Part
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.lists.page import declare_list

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


def state_of(each: PixelView, *below: str) -> ListCell:
    """Return the state of a pixel."""
    mark, word = STATES.get(each.moderation_status, STATES["-1"])
    return cells.status(str(word), mark, *below)


def _pixel(each: PixelView, on: On) -> ListCell:
    more = f"{each.code_type} · {on.request.time_of(each.updated_at)}"
    return ListCell(each.name, below=(more,), part=Part("staff/affiliates/pixel_code.html", {"code": each.code}))


def _state(each: PixelView, _on: On) -> ListCell:
    return state_of(each, gettext("switched off") if each.moderation_status == "1" and each.is_active != "1" else "")


def _decide(each: PixelView, on: On) -> ListCell:
    def act(do: str, label: str, about: str) -> Act:
        return Act(label, f"{PATH}/{each.id}", (("do", do), ("back", str(on.request.address))), about)

    name, state = each.name[:60], each.moderation_status
    return cells.acts(
        act("accept", gettext("Accept"), gettext("Accept the pixel %(name)s", name=name)) if state != "1" else None,
        act("reject", gettext("Reject"), gettext("Reject the pixel %(name)s", name=name))
        if state in ("0", "1")
        else None,
    )


def _waiting(request: PageRequest) -> Iterator[str]:
    waiting = len(request.calls.ask(pixels_api.list_own, [("moderation_status[]", "0")]).pixel)
    yield ngettext("%(num)d pixel waits for a check.", "%(num)d pixels wait for a check.", waiting)


PIXELS: Final = ListPage[PixelView, PixelsAnswer](
    path=PATH,
    method=pixels_api.list_own,
    view=PixelsAnswer,
    rows=lambda _, answer: sorted(
        answer.pixel.values(), key=lambda each: (_ORDER.get(each.moderation_status, 2), -each.id)
    ),
    title=lazy_gettext("Pixels"),
    counted=lambda total: ngettext("%(num)d pixel.", "%(num)d pixels.", total),
    about=lazy_gettext("Browsers of visitors run the code of accepted pixels: read it first."),
    notes=_waiting,
    filters=(
        FilterBy(
            name="state",
            parameter="moderation_status",
            label=lazy_gettext("State"),
            words={value: word for value, (_, word) in STATES.items()},
        ),
        FilterBy(name="affiliate", parameter="pid", objects=AFFILIATES),
    ),
    columns=(
        ListColumn(title=lazy_gettext("ID"), cell=lambda each, _: str(each.id)),
        ListColumn(title=lazy_gettext("Pixel"), below=lazy_gettext("Kind"), role="title", cell=_pixel),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            objects=AFFILIATES,
            key=lambda each: each.pid,
            cell=lambda each, on: on.object(AFFILIATES, each.pid),
        ),
        ListColumn(
            title=lazy_gettext("Offer"),
            cell=lambda each, on: on.object(OFFERS, each.offer_id, name=each.offer.title if each.offer else ""),
        ),
        ListColumn(title=lazy_gettext("State"), cell=_state),
        ListColumn(
            title=lazy_gettext("Action"),
            role="act",
            is_hidden_title=True,
            shown=lambda request, _: request.calls.may(pixels_api.edit),
            cell=_decide,
        ),
    ),
    empty=lazy_gettext("No affiliate has a pixel. Affiliates add them in their portal."),
)
declare_list(pages, PIXELS)


@pages.post(f"{PATH}/{{id}}", needs=(pixels_api.edit,))
def decide(request: PageRequest) -> PageAnswer:
    """Accept or reject a pixel."""
    back = back_to(PATH, request.field("back"))
    if request.field("do") not in _DECISIONS:
        return Redirect(back, gettext("Nothing is decided."))
    status, done = _DECISIONS[request.field("do")]
    request.calls.ask(pixels_api.edit, [("moderation_status", status)], {"id": request.key})
    return Redirect(back, done.format(id=request.key))
