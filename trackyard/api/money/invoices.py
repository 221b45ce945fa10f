"""Invoices of advertisers (docs/api/advertisers.md). Their answers are in `message`."""

from datetime import date
from typing import Annotated, Any, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import invoices
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.paging import Paging
from trackyard.base.errors import BadInput
from trackyard.base.zones import local_day
from trackyard.domain.money.invoices import (
    Invoice,
    InvoiceFilter,
    InvoiceKind,
    InvoiceLine,
    InvoiceState,
    InvoiceStatus,
    PayoutType,
)
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_WRITERS = for_staff(Permission.INVOICES_WRITE)
find = in_scope_by_number(invoices.get_specified_invoice, "number")

SPECIFIED: Final = (InvoiceState.OPEN, InvoiceState.ISSUED)
"""The states that the methods of the specification know. They have no credit notes."""
Status = Annotated[InvoiceStatus, s.Choice(InvoiceStatus)]
OptionalDay = Annotated[s.Day | None, Clearable()]


class ListInvoices(Paging):
    """The filters of a list. start_date, end_date: the period begins and ends within these days."""

    supplier_id: AnyOf[s.Hex] = ()
    status: AnyOf[Status] = ()
    start_date: s.Day | None = None
    end_date: s.Day | None = None


class InvoiceLineParams(Params):
    """One line, for an offer of the supplier."""

    offer_id: s.Id
    payout_type: Annotated[PayoutType, s.Choice(PayoutType)]
    actions: Annotated[int, s.WholeNumber(minimum=0)] = 0
    amount: s.Amount
    comment: Annotated[s.LongText | None, Clearable()] = None


class InvoiceParams(Params):
    """The parameters of an invoice; its period includes both days."""

    supplier_id: s.Hex
    start_date: OptionalDay = None
    end_date: OptionalDay = None
    status: Status = InvoiceStatus.UNPAID
    comment: Annotated[s.LongText | None, Clearable()] = None
    detail: Seq[InvoiceLineParams] = ()

    def lines(self) -> tuple[InvoiceLine, ...]:
        """Return the lines that were sent."""
        return tuple(InvoiceLine(**item.model_dump()) for item in self.detail)


class AddInvoice(InvoiceParams):
    """A new invoice. Its currency stays."""

    currency: s.Currency


class EditInvoice(InvoiceParams):
    """Changes of an invoice; lines are replaced."""


class InvoiceLineView(View):
    """One line. amount: in the invoice's currency."""

    offer_id: int
    payout_type: str
    actions: int
    amount: Money
    comment: str | None


class InvoiceView(View):
    """An invoice (docs/api/invoices.md). Dates are days, "" when there is none."""

    number: int
    supplier_id: str
    created_at: str
    updated_at: str
    start_date: str
    end_date: str
    status: str
    currency: str
    comment: str | None
    detail: list[InvoiceLineView]


class InvoicesAnswer(Answer):
    """A page of invoices."""

    message: list[InvoiceView]
    pagination: Pagination


class InvoiceAnswer(Answer):
    """One invoice."""

    message: InvoiceView


class InvoiceWrittenAnswer(Answer):
    """The result in words, and the number of the invoice."""

    message: str
    number: int


@routes.get("/admin/advertiser-invoices", _WRITERS, id="admin.advertiser-invoices.list")
def list_(request: ApiRequest[Deps], params: ListInvoices) -> InvoicesAnswer:
    """List invoices, the newest first.

    `start_date`, `end_date`: invoices with a whole period between these days.
    """
    if params.start_date and params.end_date and params.end_date < params.start_date:
        raise BadInput({"end_date": ["This day must not lie before start_date."]})
    chosen = InvoiceFilter(
        states=SPECIFIED,
        kind=InvoiceKind.INVOICE,
        statuses=params.status,
        since=params.start_date,
        until=params.end_date,
        advertisers=params.supplier_id,
    )
    found, total = invoices.list_invoices(request.deps, request.access, chosen, **params.place(request))
    views = [invoice_view(item, request.deps.zone) for item in found]
    return InvoicesAnswer(message=views, pagination=params.pagination(request, total))


@routes.get("/admin/advertiser-invoice/{number}", _WRITERS, id="admin.advertiser-invoice.get", find=find)
def show(request: ApiRequest[Deps], _params: NoParams) -> InvoiceAnswer:
    """Show an invoice."""
    return InvoiceAnswer(message=invoice_view(request.subject, request.deps.zone))


@routes.post("/admin/advertiser-invoice", _WRITERS, id="admin.advertiser-invoice.add")
def add(request: ApiRequest[Deps], params: AddInvoice) -> InvoiceWrittenAnswer:
    """Create an invoice.

    With both days and no `detail` its lines are computed from statistics, by offer: confirmed conversions in the
    invoice's currency with what they cost (RPA), clicks (RPC), views (RPM).
    """
    values = params.model_dump(exclude={"supplier_id", "detail"})
    new = Invoice(advertiser_id=params.supplier_id, lines=params.lines(), **values)
    made = invoices.add_invoice(request.deps, request.access, new)
    return InvoiceWrittenAnswer(message=f"Invoice {made} is created", number=made)


@routes.post("/admin/advertiser-invoice/{number}", _WRITERS, id="admin.advertiser-invoice.edit", find=find)
def edit(request: ApiRequest[Deps], params: EditInvoice) -> InvoiceWrittenAnswer:
    """Change an invoice, all but its currency. Computed lines follow its period.

    An empty `detail` has them computed in the place of given ones.
    """
    names = params.model_fields_set - {"supplier_id", "detail"}
    given: dict[str, Any] = {name: getattr(params, name) for name in names} | {"advertiser_id": params.supplier_id}
    if "detail" in params.model_fields_set:
        given["lines"] = params.lines()
    invoices.edit_invoice(request.deps, request.access, request.subject.number, given)
    return InvoiceWrittenAnswer(message=f"Invoice {request.subject.number} is changed", number=request.subject.number)


def invoice_view(item: Invoice, zone: ZoneInfo) -> InvoiceView:
    """Return the view of an invoice."""
    return view_of(
        InvoiceView,
        item,
        supplier_id=item.advertiser_id,
        created_at=local_day(item.created_at, zone).isoformat(),
        updated_at=local_day(item.updated_at, zone).isoformat(),
        start_date=_day(item.start_date),
        end_date=_day(item.end_date),
        detail=[view_of(InvoiceLineView, line) for line in item.lines],
    )


def _day(day: date | None) -> str:
    return "" if day is None else day.isoformat()
