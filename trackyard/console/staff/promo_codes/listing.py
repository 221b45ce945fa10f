"""The list of promo codes (docs/spec/console.md#promo-codes)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Final

from trackyard.api.offers import promo_codes as promo_codes_api
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown import names
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.lists import ListFilter, read_list
from trackyard.console.staff.people_names import affiliate_names
from trackyard.console.staff.traffic.filters import offers

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


@dataclass(frozen=True, slots=True)
class PromoCodeRow:
    """A promo code of the list. uses: to the conversions that it made. edit: "" = the person may not."""

    code: str
    description: str
    offer: int
    offer_title: str
    affiliate: int
    affiliate_name: str
    used: int
    limit: int | None
    uses: PageAddress
    begins: str
    ends: str
    mark: str
    word: str
    edit: PageAddress
    is_over: bool


@pages.get(PATH, needs=(METHOD,))
def promo_codes(request: PageRequest) -> PageAnswer:
    """Show the promo codes that meet the filters, the newest first."""
    known = offers(request.calls)
    filters = (
        _filter("offer", gettext("Offer"), "offer_id", known),
        _filter("affiliate", gettext("Affiliate"), "affiliate_id", names.affiliates(request.calls)),
    )
    state = read_list(request.address, filters)
    sent = state.sent("search")
    if (file := list_file(request, METHOD, lambda answer: answer.data.promocodes, sent)) is not None:
        return file
    fault = ""
    found, total = [], 0
    try:
        answer = request.calls.ask(METHOD, sent).data
        found, total = answer.promocodes, answer.total_count
    except BadInput as refusal:
        fault = fault_of(refusal)
    people = affiliate_names(request.calls, (each.affiliate_id for each in found))
    return request.page(
        "staff/promo_codes/list.html",
        400 if fault else 200,
        rows=[_row(request, each, dict(known), people) for each in found],
        fault=fault,
        may_add=request.calls.may(promo_codes_api.add),
        may_edit=request.calls.may(promo_codes_api.edit),
        api_request_path=request.calls.address(METHOD, sent),
        **state.shown(total),
    )


def find_code(request: PageRequest) -> promo_codes_api.PromoCodeView:
    """Return the promo code in the address or the form. Raises NotFound."""
    code = request.address.get("code") or request.field("code")
    found = request.calls.ask(METHOD, [("code", code)]).data.promocodes if code.strip() else []
    if not found:
        raise NotFound
    return found[0]


def _filter(name: str, label: str, parameter: str, known: Choices) -> ListFilter:
    return ListFilter(name, label, parameter, known or None, "text" if known else "number")


def _row(
    request: PageRequest,
    each: promo_codes_api.PromoCodeView,
    offer_titles: Mapping[str, str],
    people: Mapping[int, str],
) -> PromoCodeRow:
    now = datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC)
    begins, ends = datetime.fromisoformat(each.date_from), datetime.fromisoformat(each.date_to)
    limit = each.usage_limit
    is_used = limit is not None and each.usage_value >= limit
    state = "later" if now < begins else "ended" if now > ends else "used" if is_used else "works"
    today = now.astimezone(request.day_zone).date()
    made = datetime.fromisoformat(each.created_at).astimezone(request.day_zone).date()
    period = (("from", str(max(made, today - timedelta(days=_MOST_DAYS)))), ("to", str(today)))
    mark, word = _STATES[state]
    return PromoCodeRow(
        code=each.code,
        description=each.description,
        offer=each.offer_id,
        offer_title=offer_titles.get(str(each.offer_id), f"#{each.offer_id}"),
        affiliate=each.affiliate_id,
        affiliate_name=people.get(each.affiliate_id, f"#{each.affiliate_id}"),
        used=each.usage_value,
        limit=limit,
        uses=PageAddress("/console/conversions", (("promo", each.code), *period)),
        begins=_moment(request, begins),
        ends=_moment(request, ends),
        mark=mark,
        word=word,
        edit=PageAddress(f"{PATH}/edit", (("code", each.code),)),
        is_over=state == "ended",
    )


def _moment(request: PageRequest, moment: datetime) -> str:
    return f"{moment.astimezone(request.zone):%Y-%m-%d %H:%M}"
