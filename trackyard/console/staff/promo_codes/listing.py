"""The list of promo codes (docs/spec/console.md#promo-codes)."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime, timedelta
from typing import Final

from trackyard.api.offers import promo_codes as promo_codes_api
from trackyard.api.offers.promo_codes import PromoCodePageAnswer, PromoCodeView
from trackyard.base.errors import NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, On, Search
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.lists.page import declare_list

pages = Pages()

PATH: Final = "/console/promo-codes"
METHOD: Final = promo_codes_api.list_
_MOST_DAYS: Final = 365
_STATES: Final[Mapping[str, tuple[str, str]]] = {
    "later": ("pending", lazy_gettext("Not yet")),
    "ended": ("stopped", lazy_gettext("Ended")),
    "used": ("declined", lazy_gettext("Used up")),
    "works": ("active", lazy_gettext("Works")),
}
"""State of a promo code to the class of its mark and its word."""


def _now(request: PageRequest) -> datetime:
    return datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC)


def _state(each: PromoCodeView, request: PageRequest) -> str:
    now = _now(request)
    if now < datetime.fromisoformat(each.date_from):
        return "later"
    if now > datetime.fromisoformat(each.date_to):
        return "ended"
    return "used" if each.usage_limit is not None and each.usage_value >= each.usage_limit else "works"


def _code(each: PromoCodeView, on: On) -> ListCell:
    edit = PageAddress(f"{PATH}/edit", (("code", each.code),))
    return cells.cell(each.code, each.description, link=edit)


def _uses(each: PromoCodeView, on: On) -> ListCell:
    """Return how many conversions a code made, as a link to them."""
    today = _now(on.request).astimezone(on.request.day_zone).date()
    made = datetime.fromisoformat(each.created_at).astimezone(on.request.day_zone).date()
    days = (("from", str(max(made, today - timedelta(days=_MOST_DAYS)))), ("to", str(today)))
    link = PageAddress("/console/conversions", (("promo", each.code), *days)) if each.usage_value else ""
    most = "" if each.usage_limit is None else gettext("of at most %(limit)s", limit=each.usage_limit)
    return cells.count(each.usage_value, most, link=link)


def _moment(text: str, on: On) -> str:
    return f"{datetime.fromisoformat(text).astimezone(on.request.zone):%Y-%m-%d %H:%M}"


def _mark(each: PromoCodeView, on: On) -> ListCell:
    mark, word = _STATES[_state(each, on.request)]
    return cells.status(str(word), mark)


def _end(each: PromoCodeView, on: On) -> ListCell:
    if _state(each, on.request) == "ended":
        return cells.acts()
    about = gettext("End the promo code %(code)s", code=each.code)
    return cells.acts(Act(gettext("End it"), f"{PATH}/end", (("code", each.code),), about))


def _may_edit(request: PageRequest, _rows: Iterable[PromoCodeView]) -> bool:
    return request.calls.may(promo_codes_api.edit)


def _new(request: PageRequest) -> PageLink:
    offer = [("offer", value) for value in request.address.all("offer")[:1]]
    return PageLink(gettext("New promo code"), PageAddress(f"{PATH}/new", tuple(offer)))


PROMO_CODES: Final = ListPage[PromoCodeView, PromoCodePageAnswer](
    path=PATH,
    method=METHOD,
    view=PromoCodePageAnswer,
    rows=lambda _, answer: answer.data.promocodes,
    title=lazy_gettext("Promo codes"),
    counted=lambda total: ngettext("%(num)d promo code.", "%(num)d promo codes.", total),
    about=lazy_gettext(
        "They give an affiliate the conversions of visitors who name the code to the advertiser, without a click."
    ),
    search=Search(placeholder=lazy_gettext("A part of the code"), parameter="search"),
    filters=(
        FilterBy(name="offer", parameter="offer_id", objects=OFFERS),
        FilterBy(name="affiliate", parameter="affiliate_id", objects=AFFILIATES),
    ),
    columns=(
        ListColumn(title=lazy_gettext("Code"), below=lazy_gettext("Description"), role="title", cell=_code),
        ListColumn(
            title=lazy_gettext("Offer"),
            objects=OFFERS,
            key=lambda each: each.offer_id,
            cell=lambda each, on: on.object(OFFERS, each.offer_id),
        ),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            objects=AFFILIATES,
            key=lambda each: each.affiliate_id,
            cell=lambda each, on: on.object(AFFILIATES, each.affiliate_id),
        ),
        ListColumn(title=lazy_gettext("Conversions"), below=lazy_gettext("Limit"), role="figure", cell=_uses),
        ListColumn(title=lazy_gettext("Works from"), cell=lambda each, on: _moment(each.date_from, on)),
        ListColumn(title=lazy_gettext("Works until"), cell=lambda each, on: _moment(each.date_to, on)),
        ListColumn(title=lazy_gettext("State"), cell=_mark),
        ListColumn(title=lazy_gettext("Actions"), role="act", is_hidden_title=True, shown=_may_edit, cell=_end),
    ),
    main=_new,
    empty=lazy_gettext("There is no promo code yet."),
    empty_links=lambda _: [PageLink(gettext("Make one"), f"{PATH}/new")],
)
declare_list(pages, PROMO_CODES)


def find_code(request: PageRequest) -> PromoCodeView:
    """Return the promo code in the address or the form. Raises NotFound."""
    code = request.address.get("code") or request.field("code")
    found = request.calls.ask(METHOD, [("code", code)]).data.promocodes if code.strip() else []
    if not found:
        raise NotFound
    return found[0]
