"""Edits of conversions by staff.

They are answered before the work is done (docs/api/edits.md, docs/spec/conversions.md#edits-and-imports).
"""

from dataclasses import replace
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import model_validator

from trackyard.actions.conversions.edits import (
    ConversionSelection,
    QueuedEdit,
    queue_edit,
    unpaid_sentence,
)
from trackyard.actions.conversions.quality_holds import release_held, sum_held
from trackyard.actions.deps import Deps
from trackyard.api.conversions.filters import ConversionFilters
from trackyard.base.errors import BadInput
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.exchange_rates import first_rate_warning
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params, Seq, Spelled, fields_of
from trackyard.wire.response.envelope import Answer, Money, View, number
from trackyard.wire.response.errors import REQUIRED
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()

EDIT_MESSAGE: Final = "The changes take a few minutes to be applied"

MAX_OF_ADVERTISER: Final = 2000
ALL_CUSTOM_FIELDS: Final = range(1, 16)
EDITABLE_STATUSES: Final = ("confirmed", "pending", "declined", "not_found", "hold")


Amount = Annotated[Decimal, replace(s.AMOUNT, contract="int")]
"""An amount that the specification calls an integer (docs/spec/conversions.md#edits-and-imports)."""
CustomField = Annotated[str, s.BoundedText(maximum=2048)]
Key = Annotated[str, s.BoundedText(maximum=255, minimum=1)]


class ConversionChanges(Params):
    """The changes of conversions; what is not sent stays, and an empty custom field is removed.

    allow_zero: whether a declined conversion may count with 0 for which no payment matched.
    """

    status: Annotated[str, s.Choice(EDITABLE_STATUSES)] | None = None
    currency: s.Currency | None = None
    payouts: Amount | None = None
    revenue: Amount | None = None
    comment: s.LongText | None = None
    custom_field_1: Annotated[CustomField | None, Spelled(("custom_field1",))] = None
    custom_field_2: Annotated[CustomField | None, Spelled(("custom_field2",))] = None
    custom_field_3: Annotated[CustomField | None, Spelled(("custom_field3",))] = None
    custom_field_4: Annotated[CustomField | None, Spelled(("custom_field4",))] = None
    custom_field_5: Annotated[CustomField | None, Spelled(("custom_field5",))] = None
    custom_field_6: Annotated[CustomField | None, Spelled(("custom_field6",))] = None
    custom_field_7: Annotated[CustomField | None, Spelled(("custom_field7",))] = None
    custom_field_8: Annotated[CustomField | None, Spelled(("custom_field8",))] = None
    custom_field_9: Annotated[CustomField | None, Spelled(("custom_field9",))] = None
    custom_field_10: Annotated[CustomField | None, Spelled(("custom_field10",))] = None
    custom_field_11: Annotated[CustomField | None, Spelled(("custom_field11",))] = None
    custom_field_12: Annotated[CustomField | None, Spelled(("custom_field12",))] = None
    custom_field_13: Annotated[CustomField | None, Spelled(("custom_field13",))] = None
    custom_field_14: Annotated[CustomField | None, Spelled(("custom_field14",))] = None
    custom_field_15: Annotated[CustomField | None, Spelled(("custom_field15",))] = None
    allow_zero: s.Flag = True

    def edit(self) -> ConversionEdit:
        """Return the changes without a conversion."""
        custom = {str(number): getattr(self, f"custom_field_{number}") for number in ALL_CUSTOM_FIELDS}
        return ConversionEdit(
            conversion_id="",
            status=None if self.status is None else Status(self.status),
            currency=self.currency,
            payout=self.payouts,
            charge=self.revenue,
            comment=self.comment,
            custom_fields={number: text for number, text in custom.items() if text is not None},
            takes_zero=self.allow_zero,
        )


class EditFilters(ConversionFilters):
    """The filters of an edit of all conversions that match. A filter that does not exist is a fault."""

    date_from: s.Day
    date_to: s.Day

    @model_validator(mode="before")
    @classmethod
    def _refuse_unknown(cls, tree: Any) -> Any:
        """Raise ValueError for an unknown filter: ignoring it would change more conversions."""
        known = {field.name for field in fields_of(cls)}
        unknown = sorted(str(name)[:60] for name in tree if name not in known) if isinstance(tree, dict) else []
        if unknown:
            raise ValueError(f"These filters do not exist: {', '.join(unknown[:5])}. Nothing was changed.")
        return tree


class EditConversions(ConversionChanges):
    """The conversions that are changed, and how.

    ids, action_ids, clickids, or all with params: select them.
    """

    all: s.Flag = False
    params: EditFilters | None = None
    ids: Seq[s.Hex] = ()
    action_ids: Seq[Key] = ()
    clickids: Seq[s.Hex] = ()


class EditConversionsOfAdvertiser(ConversionChanges):
    """The conversions of one advertiser that are changed, at most 2000, and how."""

    ids: Seq[s.Hex]
    advertiser_id: s.Hex


class EditEcho(View):
    """The requested changes; null = stays. ids: every selected conversion."""

    ids: list[str]
    status: str | None
    currency: str | None
    payouts: Money | None
    revenue: Money | None


class EditAnswer(Answer):
    """An edit that is queued."""

    data: EditEcho
    message: str


@routes.post("/admin/conversion/edit", for_staff(Permission.CONVERSIONS_WRITE), id="admin.conversion.edit")
def edit(request: ApiRequest[Deps], params: EditConversions) -> EditAnswer:
    """Change conversions by hand.

    The change is applied within seconds, in the order of the requests; the server postback log and the conversion's
    history show the result. One of ids, action_ids, clickids and `all` is needed. `all=1` changes every conversion
    that the filters in `params` select, at most 5000; the filters are the same as in the list of conversions.
    """
    selection = _selection(request, params)
    return _edited(request, params, queue_edit(request.deps, request.access, selection, params.edit()))


def _selection(request: ApiRequest[Deps], params: EditConversions) -> ConversionSelection:
    """Return the conversions of an edit. Raises BadInput for ids together with filters, and for neither."""
    named = params.ids or params.action_ids or params.clickids
    if not params.all:
        if params.params is not None:
            raise BadInput({"all": ["Send all=1 with params: the filters select conversions to change only then."]})
        if not named:
            raise BadInput({"ids": [REQUIRED]})
        return ConversionSelection(params.ids, params.action_ids, params.clickids)
    if named:
        raise BadInput({"all": ["Send either ids or all=1."]})
    if params.params is None:
        raise BadInput({"params[date_from]": [REQUIRED], "params[date_to]": [REQUIRED]})
    try:
        return ConversionSelection(chosen=params.params.chosen(request))
    except BadInput as fault:
        raise BadInput({f"params[{name}]": sentences for name, sentences in (fault.fields or {}).items()}) from None


@routes.post(
    "/admin/conversion/edit-by-advertiser",
    for_staff(Permission.CONVERSIONS_WRITE),
    id="admin.conversion.edit-by-advertiser",
)
def edit_by_advertiser(request: ApiRequest[Deps], params: EditConversionsOfAdvertiser) -> EditAnswer:
    """Change conversions of one advertiser by hand.

    A conversion of another advertiser is refused like one that does not exist, and then none is changed.
    """
    if len(params.ids) > MAX_OF_ADVERTISER:
        raise BadInput({"ids": [f"Send at most {MAX_OF_ADVERTISER} conversions."]})
    selection = ConversionSelection(params.ids, advertiser_id=params.advertiser_id.lower())
    return _edited(request, params, queue_edit(request.deps, request.access, selection, params.edit()))


def _edited(request: ApiRequest[Deps], params: ConversionChanges, queued: QueuedEdit) -> EditAnswer:
    if queued.is_early and params.currency is not None:
        request.warn(first_rate_warning([params.currency]))
    if queued.unpaid:
        request.warn(unpaid_sentence(queued.unpaid))
    echo = EditEcho(
        ids=queued.ids,
        status=params.status,
        currency=params.currency,
        payouts=echoed_amount(params.payouts),
        revenue=echoed_amount(params.revenue),
    )
    return EditAnswer(data=echo, message=EDIT_MESSAGE)


def echoed_amount(amount: Decimal | None) -> Decimal | None:
    """Return a sent amount as answers repeat it."""
    return None if amount is None else number(amount)


class ReleaseHeld(Params):
    """The held conversions that are confirmed; an offer, an affiliate or both select them."""

    offer: s.Id | None = None
    pid: s.Id | None = None
    preview: s.Flag = False


class HeldSumView(View):
    """The released conversions of a currency."""

    currency: str
    number: int
    charge: Money
    payout: Money


class ReleaseAnswer(Answer):
    """How many conversions are released, or would be."""

    released: int
    sums: list[HeldSumView]
    message: str


@routes.post(
    "/admin/conversions/release-held", for_staff(Permission.CONVERSIONS_WRITE), id="admin.conversions.release-held"
)
def release(request: ApiRequest[Deps], params: ReleaseHeld) -> ReleaseAnswer:
    """Confirm all conversions that an offer, or the offers of an affiliate, hold as suspicious.

    Offers with the `quality` hold have them. A repeat releases none of them again. Other conversions on hold stay.
    With `preview` nothing is changed: the answer has what would be released.
    """
    act = sum_held if params.preview else release_held
    sums = act(request.deps, request.access, params.offer, params.pid)
    return ReleaseAnswer(
        released=sum(each.number for each in sums),
        sums=[view_of(HeldSumView, each, charge=number(each.charge), payout=number(each.payout)) for each in sums],
        message="" if params.preview else EDIT_MESSAGE,
    )
