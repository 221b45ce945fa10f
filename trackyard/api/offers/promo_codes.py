"""Promo codes of offers, for staff (docs/spec/conversions.md#promo-codes)."""

from datetime import UTC, datetime
from typing import Annotated, Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers import promo_codes
from trackyard.actions.offers.promo_codes import NewPromoCode
from trackyard.api.lookups import in_scope_by_hex
from trackyard.api.paging import Paging
from trackyard.base.errors import BadInput
from trackyard.domain.offers.promo_codes import (
    MANUAL,
    MOST_PROMO_CODES,
    PROMO_CODE_PATTERN,
    PromoCode,
    PromoCodeFilter,
)
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, CommaList, Params, Seq
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()
_WRITERS: Final = for_staff(Permission.OFFERS_WRITE)


def _moment(text: str) -> datetime | None:
    moment = datetime.fromisoformat(text.strip())
    return moment if moment.tzinfo is not None and 1970 <= moment.year < 9999 else None


Moment = Annotated[
    datetime,
    s.TextForm(
        "moment",
        "This value must be a time with its zone as in RFC 3339, such as 2026-01-31T23:59:59Z.",
        _moment,
        {"type": "string", "format": "date-time"},
    ),
]
Code = Annotated[str, s.BoundedText(minimum=3, maximum=36, pattern=PROMO_CODE_PATTERN)]
Limit = Annotated[int, s.WholeNumber(minimum=1)]
Description = Annotated[str, s.BoundedText(maximum=130)]


class ListPromoCodes(Paging):
    """The filters of a list. search: a part of the code. code: the whole code. Letter case does not count."""

    offer_id: CommaList[s.Id] = ()
    affiliate_id: CommaList[s.Id] = ()
    search: s.Text = ""
    code: s.Text = ""


class PromoCodeItem(Params):
    """A promo code to make. date_from, date_to: both moments are included."""

    type: Annotated[str, s.Choice((MANUAL,))]
    code: Code
    offer_id: s.Id
    affiliate_id: s.Id
    description: Description = ""
    usage_limit: Limit | None = None
    date_from: Moment
    date_to: Moment

    def new(self) -> NewPromoCode:
        """Return it for the use case."""
        return NewPromoCode(
            **self.model_dump(include={"code", "offer_id", "affiliate_id", "description", "usage_limit"}),
            date_from=_milliseconds(self.date_from),
            date_to=_milliseconds(self.date_to),
        )


class AddPromoCodes(Params):
    """Promo codes to make, all or none."""

    promocodes: Seq[PromoCodeItem]


class EditPromoCode(Params):
    """Changes of a promo code. usage_limit: an empty value removes the limit."""

    edits = True

    description: Description | None = None
    usage_limit: Annotated[Limit | None, Clearable()] = None
    date_from: Moment | None = None
    date_to: Moment | None = None


class PromoCodeView(View):
    """A promo code. code_template: always empty. usage_value: conversions that it made."""

    id: str
    type: str
    code: str
    code_template: str
    description: str
    offer_id: int
    affiliate_id: int
    usage_limit: int | None
    usage_value: int
    date_from: str
    date_to: str
    created_at: str
    updated_at: str


class PromoCodePageView(View):
    """A page of promo codes."""

    promocodes: list[PromoCodeView]
    total_count: int
    per_page: int
    page: int


class PromoCodesView(View):
    """The promo codes that were made."""

    promocodes: list[PromoCodeView]


class PromoCodePageAnswer(Answer):
    """A page of promo codes."""

    data: PromoCodePageView


class PromoCodesAnswer(Answer):
    """The promo codes that were made."""

    data: PromoCodesView


class PromoCodeAnswer(Answer):
    """One promo code."""

    data: PromoCodeView


@routes.get("/offers/promocodes", _WRITERS, id="offer.promo-codes.list")
def list_(request: ApiRequest[Deps], params: ListPromoCodes) -> PromoCodePageAnswer:
    """List promo codes, the newest first.

    Managers see records of their own affiliates or advertisers.
    """
    chosen = PromoCodeFilter(
        offer_ids=params.offer_id, affiliate_ids=params.affiliate_id, search=params.search, code=params.code
    )
    place = params.place(request)
    found, total = promo_codes.list_codes(request.deps, request.access, chosen, **place)
    shown = [_view(each.promo_code, each.usage) for each in found]
    return PromoCodePageAnswer(
        data=PromoCodePageView(promocodes=shown, total_count=total, per_page=place["limit"], page=place["page"])
    )


@routes.post("/offers/promocodes/bulk", _WRITERS, id="offer.promo-codes.add")
def add(request: ApiRequest[Deps], params: AddPromoCodes) -> PromoCodesAnswer:
    """Make promo codes, all or none. A code exists once, whatever its letter case."""
    if len(params.promocodes) > MOST_PROMO_CODES:
        raise BadInput({"promocodes": [f"Send at most {MOST_PROMO_CODES} promo codes."]})
    made = promo_codes.add_codes(request.deps, request.access, [each.new() for each in params.promocodes])
    return PromoCodesAnswer(data=PromoCodesView(promocodes=[_view(each, 0) for each in made]))


@routes.post(
    "/offers/promocodes/{id}", _WRITERS, id="offer.promo-code.edit", find=in_scope_by_hex(promo_codes.get_code)
)
def edit(request: ApiRequest[Deps], params: EditPromoCode) -> PromoCodeAnswer:
    """Change the description, the limit or the period of a promo code. A date_to in the past ends it."""
    subject: PromoCode = request.subject
    given: dict[str, Any] = params.model_dump(exclude_unset=True)
    given |= {name: _milliseconds(given[name]) for name in ("date_from", "date_to") if given.get(name) is not None}
    changed = promo_codes.edit_code(request.deps, request.access, subject.id, given)
    return PromoCodeAnswer(data=_view(changed.promo_code, changed.usage))


def _view(code: PromoCode, usage: int) -> PromoCodeView:
    return PromoCodeView(
        id=code.id,
        type=MANUAL,
        code=code.code,
        code_template="",
        description=code.description,
        offer_id=code.offer_id,
        affiliate_id=code.affiliate_id,
        usage_limit=code.usage_limit,
        usage_value=usage,
        date_from=_text(code.date_from),
        date_to=_text(code.date_to),
        created_at=_text(code.created_at),
        updated_at=_text(code.updated_at),
    )


def _milliseconds(moment: datetime) -> int:
    return round(moment.timestamp() * 1000)


def _text(at_ms: int) -> str:
    """Return a moment as in RFC 3339, with milliseconds where it has some."""
    moment = datetime.fromtimestamp(at_ms / 1000, UTC)
    return moment.isoformat(timespec="milliseconds" if at_ms % 1000 else "seconds").replace("+00:00", "Z")
