"""The postbacks of an affiliate, with its deliveries, pixels and macros (docs/spec/console.md#portal)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from trackyard.api.tracking import logs, pixels
from trackyard.api.tracking import postbacks as postbacks_api
from trackyard.api.tracking.logs import AffiliatePostback
from trackyard.api.tracking.pixels import PixelView
from trackyard.api.tracking.postbacks import PostbacksAnswer, PostbackView
from trackyard.base.errors import ReportTooHeavy, Unavailable
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.objects import LIVE_OFFERS
from trackyard.console.lists.page import ShownList, declare_list, make_table
from trackyard.console.tracking.pixels import state_of
from trackyard.console.tracking.postbacks import time_of
from trackyard.domain.tracking.macro_registry import MACROS, MacroPlace

pages = Pages()

PATH: Final = "/portal/postbacks"
PIXELS_PATH: Final = "/portal/pixels"
STATUSES: Final[Mapping[str, str]] = {
    "by_creating": lazy_gettext("The first report of a conversion"),
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("On hold"),
    "declined": lazy_gettext("Declined"),
}
_DELIVERIES: Final = 20
_DAYS: Final = 7
_TAKEN: Final = tuple(("http_code[]", str(code)) for code in range(200, 300))
"""The answers of a server that took a postback."""
_OUTCOMES: Final[Mapping[str, tuple[str, str]]] = {
    "sent": (lazy_gettext("Delivered"), "confirmed"),
    "failed": (lazy_gettext("Tried again"), "pending"),
    "dead": (lazy_gettext("Not delivered"), "declined"),
    "superseded": (lazy_gettext("Replaced"), "hold"),
    "dropped": (lazy_gettext("Dropped"), "declined"),
}
"""Outcome of a delivery to its word and the class of its mark."""
_MEANINGS: Final[Mapping[str, str]] = {
    "action_id": lazy_gettext("Number of the order, empty when there is none"),
    "order_sum": lazy_gettext("Amount of the order, 0 when it is not known"),
    "goal": lazy_gettext("Value of the goal that was reached, 1 by default"),
    "comment": lazy_gettext("Remark about the conversion; of a declined one the reason"),
}
"""Macros in words for affiliates, where the reference has words for staff."""


def _state(each: PostbackView, _on: On) -> ListCell:
    if each.paused:
        why = gettext("20 deliveries in a row failed; saving it resumes it")
        return cells.status(gettext("Paused"), "declined", why)
    return cells.status(gettext("Active"), "active")


def _acts(each: PostbackView, _on: On) -> ListCell:
    place = f"{PATH}/{each.id}"
    return cells.acts(
        Act(gettext("Test"), f"{place}/test", about=gettext("Test postback %(id)s", id=each.id)),
        *_edits(place, each.id),
    )


def _edits(place: str, name: object) -> tuple[Act, Act]:
    return (
        Act(gettext("Edit"), f"{place}/edit", about=gettext("Edit %(name)s", name=name), is_link=True),
        Act(gettext("Delete"), f"{place}/delete", about=gettext("Delete %(name)s", name=name), is_link=True),
    )


def _answer(each: AffiliatePostback, _on: On) -> ListCell:
    return cells.cell(str(each.http_code or gettext("none")), each.error[:120])


def _result(each: AffiliatePostback, _on: On) -> ListCell:
    return cells.status(*map(str, _OUTCOMES.get(each.outcome, (each.outcome, ""))))


_DELIVERY_COLUMNS: Final = (
    ListColumn[AffiliatePostback](title=lazy_gettext("Time"), cell=lambda each, on: time_of(each, on)[:16]),
    ListColumn[AffiliatePostback](
        title=lazy_gettext("URL"), role="title", longest=200, cell=lambda each, _: each.postback_url
    ),
    ListColumn[AffiliatePostback](title=lazy_gettext("Answer"), cell=_answer),
    ListColumn[AffiliatePostback](title=lazy_gettext("Result"), cell=_result),
)
_PIXEL_COLUMNS: Final = (
    ListColumn[PixelView](title=lazy_gettext("Name"), role="title", longest=80, cell=lambda each, _: each.name),
    ListColumn[PixelView](
        title=lazy_gettext("Offer"),
        cell=lambda each, on: (
            on.object(LIVE_OFFERS, each.offer_id, name=each.offer.title) if each.offer else f"#{each.offer_id}"
        ),
    ),
    ListColumn[PixelView](title=lazy_gettext("Kind"), cell=lambda each, _: each.code_type),
    ListColumn[PixelView](title=lazy_gettext("State"), cell=lambda each, _: state_of(each)),
    ListColumn[PixelView](
        title=lazy_gettext("Actions"),
        role="act",
        is_hidden_title=True,
        cell=lambda each, _: cells.acts(*_edits(f"{PIXELS_PATH}/{each.id}", each.name[:60])),
    ),
)


@dataclass(frozen=True, slots=True)
class Deliveries:
    """The latest attempts, and how many of these days were taken. taken: answered with HTTP 200 to 299."""

    latest: ShownList
    count: int
    taken: int


def _deliveries(request: PageRequest) -> Deliveries | None:
    """Return the latest deliveries; None where the affiliate may not see them, or they cannot be read now."""
    if not request.calls.may(logs.list_affiliate_postbacks):
        return None
    today = datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC).astimezone(request.day_zone).date()
    days = [("date_from", str(today - timedelta(days=_DAYS - 1))), ("date_to", str(today))]
    try:
        answer = request.calls.ask(logs.list_affiliate_postbacks, [*days, ("limit", str(_DELIVERIES))])
        taken = request.calls.ask(logs.list_affiliate_postbacks, [*days, *_TAKEN, ("limit", "1")])
    except (ReportTooHeavy, Unavailable):
        return None
    latest = make_table(_DELIVERY_COLUMNS, request, answer.postbacks)
    return Deliveries(latest, answer.pagination.total_count, taken.pagination.total_count)


def own_pixels(request: PageRequest) -> list[PixelView]:
    """Return the pixels of the affiliate."""
    return list(request.calls.ask(pixels.list_own).pixel.values())


def _macros() -> list[tuple[str, str]]:
    """Return the macros of postbacks with their meaning, without the macros of custom fields."""
    found = [
        (macro.name, _MEANINGS.get(macro.name, macro.meaning))
        for macro in MACROS
        if MacroPlace.POSTBACK in macro.places
    ]
    return [(name, text.replace("`", "")) for name, text in found if not name.startswith("custom_field")]


def _values(request: PageRequest, _rows: Sequence[PostbackView]) -> dict[str, object]:
    may_see = request.calls.may(pixels.list_own)
    return {
        "tested": None,
        "macros": _macros(),
        "days": _DAYS,
        "deliveries": _deliveries(request),
        "pixels": make_table(_PIXEL_COLUMNS, request, own_pixels(request)) if may_see else None,
        "may_write": request.calls.may(postbacks_api.add),
    }


OWN_POSTBACKS: Final = ListPage[PostbackView, PostbacksAnswer](
    path=PATH,
    audience="affiliate",
    method=postbacks_api.list_own,
    view=PostbacksAnswer,
    rows=lambda _, answer: answer.postbacks,
    title=lazy_gettext("Postbacks"),
    counted=lambda total: ngettext("%(num)d postback.", "%(num)d postbacks.", total),
    about=lazy_gettext("Your server gets a request when a conversion of yours is reported or changes."),
    columns=(
        ListColumn(title=lazy_gettext("Number"), cell=lambda each, _: str(each.id)),
        ListColumn(title=lazy_gettext("URL"), role="title", longest=300, cell=lambda each, _: each.url),
        ListColumn(
            title=lazy_gettext("Offer"),
            objects=LIVE_OFFERS,
            key=lambda each: each.offer_id or "",
            cell=lambda each, on: on.object(LIVE_OFFERS, each.offer_id) if each.offer_id else gettext("all"),
        ),
        ListColumn(
            title=lazy_gettext("When"),
            cell=lambda each, _: str(STATUSES.get(each.status or "", "")) or gettext("every change"),
        ),
        ListColumn(title=lazy_gettext("Goal"), longest=40, cell=lambda each, _: each.goal or gettext("all")),
        ListColumn(title=lazy_gettext("State"), below=lazy_gettext("Reason"), cell=_state),
        ListColumn(
            title=lazy_gettext("Actions"),
            role="act",
            is_hidden_title=True,
            shown=lambda request, _: request.calls.may(postbacks_api.add),
            cell=_acts,
        ),
    ),
    main=lambda _: PageLink(gettext("Add a postback"), f"{PATH}/new"),
    empty=lazy_gettext("You have no postback yet. Add one to learn of conversions at once."),
    above="portal/postback_test.html",
    below="portal/postback_parts.html",
    values=_values,
    per_page=50,
)
declare_list(pages, OWN_POSTBACKS)
