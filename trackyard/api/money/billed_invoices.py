"""Invoices with drafts, taxes, documents and credit notes (docs/spec/money.md#issued-invoices).

The methods of the specification are in `api/money/invoices.py`.
"""

from datetime import date
from decimal import Decimal
from typing import Annotated, Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.money import invoices, issued_invoices
from trackyard.actions.money.billing import get_billing
from trackyard.actions.money.issued_invoices import InvoiceRecord
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.money.document_views import DocumentAnswer, document_answer, file_link
from trackyard.api.money.invoices import InvoiceLineParams, OptionalDay, Status
from trackyard.api.paging import Paging
from trackyard.base.errors import BadInput, required
from trackyard.base.zones import datetime_text, local_day
from trackyard.domain.money.invoices import (
    Invoice,
    InvoiceFilter,
    InvoiceKind,
    InvoiceLine,
    InvoiceState,
    InvoiceStatus,
    TaxLine,
)
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_advertisers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, Clearable, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View, number

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.INVOICES_WRITE)
_OWN: Final = for_advertisers(Permission.INVOICES_WRITE)
find = in_scope_by_number(invoices.get_invoice, "number")

State = Annotated[InvoiceState, s.Choice(InvoiceState)]
TaxName = Annotated[str, s.BoundedText(minimum=1, maximum=60, strips=True, pattern=r"[^<>\r\n]*")]
Notes = Annotated[str, s.BoundedText(maximum=2000)]


class ListBilledInvoices(Paging):
    """The filters of a list. start_date, end_date: the period begins and ends within these days."""

    supplier_id: AnyOf[s.Hex] = ()
    state: AnyOf[State] = ()
    invoice_status: AnyOf[Status] = ()
    kind: Annotated[InvoiceKind, s.Choice(InvoiceKind)] | None = None
    overdue: s.Flag = False
    start_date: s.Day | None = None
    end_date: s.Day | None = None


class TaxParams(Params):
    """A tax of the sum of the lines."""

    name: TaxName
    percent: s.Percent


class DraftParams(Params):
    """The parameters of a draft; its period includes both days."""

    start_date: OptionalDay = None
    end_date: OptionalDay = None
    due_date: OptionalDay = None
    invoice_status: Status = InvoiceStatus.UNPAID
    comment: Annotated[s.LongText | None, Clearable()] = None
    notes: Annotated[Notes | None, Clearable()] = None
    taxes: Seq[TaxParams] = ()
    detail: Seq[InvoiceLineParams] = ()

    def given(self) -> dict[str, Any]:
        """Return the sent values by field of Invoice."""
        plain = self.model_fields_set & {"start_date", "end_date", "due_date", "comment"}
        found: dict[str, Any] = {name: getattr(self, name) for name in plain}
        if "invoice_status" in self.model_fields_set:
            found["status"] = self.invoice_status
        if "notes" in self.model_fields_set:
            found["notes"] = self.notes or ""
        if "taxes" in self.model_fields_set:
            found["taxes"] = tuple(TaxLine(each.name, each.percent) for each in self.taxes)
        if "detail" in self.model_fields_set:
            found["lines"] = tuple(InvoiceLine(**item.model_dump()) for item in self.detail)
        return found


class AddDraft(DraftParams):
    """A new draft. Its currency stays."""

    supplier_id: s.Hex
    currency: s.Currency


class EditDraft(DraftParams):
    """Changes of an invoice that is not issued; of an issued one its status and comment."""

    supplier_id: s.Hex | None = None


class CreditParams(Params):
    """A credit note over all of an invoice."""

    comment: Annotated[s.LongText | None, Clearable()] = None


class BilledLineView(View):
    """One line. amount: in the currency of the invoice. unit_price: of one action, null without actions."""

    offer_id: int
    payout_type: str
    actions: int
    unit_price: Money | None
    amount: Money
    comment: str | None


class TaxView(View):
    """A tax with its amount."""

    name: str
    percent: Money
    amount: Money


class OwnInvoiceView(View):
    """An issued invoice or credit note, as its advertiser sees it. Days are "" when there is none.

    credits: the number of the invoice that a credit note takes back. url: leads to the PDF file for 24 hours.
    """

    number: int
    document_number: str
    kind: str
    issued_at: str
    due_date: str
    start_date: str
    end_date: str
    invoice_status: str
    is_overdue: bool
    currency: str
    detail: list[BilledLineView]
    taxes: list[TaxView]
    net: Money
    total: Money
    notes: str
    credits: int | None
    credited_by: int | None
    url: str


class BilledInvoiceView(OwnInvoiceView):
    """A draft, an invoice or a credit note."""

    state: str
    supplier_id: str
    created_at: str
    updated_at: str
    computed: bool
    comment: str | None


class BilledInvoicesAnswer(Answer):
    """A page of invoices."""

    invoices: list[BilledInvoiceView]
    pagination: Pagination


class BilledInvoiceAnswer(Answer):
    """One invoice."""

    invoice: BilledInvoiceView


class RemovedDraftAnswer(Answer):
    """The number of the draft that is gone."""

    number: int


class OwnInvoicesAnswer(Answer):
    """A page of the calling advertiser's invoices."""

    invoices: list[OwnInvoiceView]
    pagination: Pagination


class OwnInvoiceAnswer(Answer):
    """One invoice of the calling advertiser."""

    invoice: OwnInvoiceView


@routes.get("/admin/invoices", _STAFF, id="admin.invoices.list")
def list_(request: ApiRequest[Deps], params: ListBilledInvoices) -> BilledInvoicesAnswer:
    """List invoices, the newest first, also drafts and credit notes."""
    found, total = _list(request, params, params.state)
    views = [_view(request.deps, item) for item in issued_invoices.records_of(request.deps, found)]
    return BilledInvoicesAnswer(invoices=views, pagination=params.pagination(request, total))


@routes.get("/admin/invoices/{number}", _STAFF, id="admin.invoices.get", find=find)
def show(request: ApiRequest[Deps], _params: NoParams) -> BilledInvoiceAnswer:
    """Show an invoice, a draft or a credit note."""
    return _answer(request, request.subject)


@routes.post("/admin/invoices", _STAFF, id="admin.invoices.add")
def add(request: ApiRequest[Deps], params: AddDraft) -> BilledInvoiceAnswer:
    """Make a draft, which only staff see.

    With both days and no `detail` its lines are computed from statistics. Without `taxes` and `notes` it has the
    ones of the billing settings.
    """
    billing = get_billing(request.deps)
    taxes = (TaxLine(billing.tax_name, billing.tax_percent),) if billing.tax_name else ()
    values: dict[str, Any] = {"taxes": taxes, "notes": billing.notes, "lines": (), "comment": None} | params.given()
    new = Invoice(
        **{"start_date": None, "end_date": None, "status": InvoiceStatus.UNPAID} | values,
        advertiser_id=params.supplier_id,
        currency=params.currency,
        is_draft=True,
    )
    number = invoices.add_invoice(request.deps, request.access, new)
    return _answer(request, invoices.get_invoice(request.deps, request.access, number))


@routes.post("/admin/invoices/{number}", _STAFF, id="admin.invoices.edit", find=find)
def edit(request: ApiRequest[Deps], params: EditDraft) -> BilledInvoiceAnswer:
    """Change an invoice that is not issued. Of an issued one only `invoice_status` and `comment` change."""
    given = params.given()
    if params.supplier_id is not None:
        given["advertiser_id"] = params.supplier_id
    invoices.edit_invoice(request.deps, request.access, request.subject.number, given)
    return _answer(request, invoices.get_invoice(request.deps, request.access, request.subject.number))


@routes.delete("/admin/invoices/{number}", _STAFF, id="admin.invoices.remove", find=find)
def remove(request: ApiRequest[Deps], _params: NoParams) -> RemovedDraftAnswer:
    """Delete a draft. What was issued stays: make a credit note."""
    invoices.remove_draft(request.deps, request.access, request.subject.number)
    return RemovedDraftAnswer(number=request.subject.number)


@routes.post("/admin/invoices/{number}/issue", _STAFF, id="admin.invoices.issue", find=find)
def issue(request: ApiRequest[Deps], _params: NoParams) -> BilledInvoiceAnswer:
    """Issue an invoice: it gets its document number and its document, and goes to the advertiser.

    From now on it stays as it is. Without `due_date` it is due after the days of the billing settings.
    """
    return _answer(request, issued_invoices.issue_invoice(request.deps, request.access, request.subject.number))


@routes.post("/admin/invoices/{number}/credit", _STAFF, id="admin.invoices.credit", find=find)
def credit(request: ApiRequest[Deps], params: CreditParams) -> BilledInvoiceAnswer:
    """Take an issued invoice back as a whole, with a credit note; show the credit note."""
    number = request.subject.number
    note = issued_invoices.credit_invoice(request.deps, request.access, number, params.comment)
    return _answer(request, note)


@routes.get("/admin/invoices/{number}/document", _STAFF, id="admin.invoices.document", find=find)
def show_document(request: ApiRequest[Deps], _params: NoParams) -> DocumentAnswer:
    """Show the document of an issued invoice or a credit note, with its PDF file."""
    return _document(request)


@routes.get("/advertiser/invoices", _OWN, id="advertiser.invoices.list")
def list_own(request: ApiRequest[Deps], params: Paging) -> OwnInvoicesAnswer:
    """List the calling advertiser's invoices and credit notes, the newest first."""
    chosen = InvoiceFilter(states=(InvoiceState.ISSUED,))
    found, total = invoices.list_invoices(request.deps, request.access, chosen, **params.place(request))
    views = [_own_view(request.deps, item) for item in issued_invoices.records_of(request.deps, found)]
    return OwnInvoicesAnswer(invoices=views, pagination=params.pagination(request, total))


@routes.get("/advertiser/invoices/{number}", _OWN, id="advertiser.invoices.get", find=find)
def show_own(request: ApiRequest[Deps], _params: NoParams) -> OwnInvoiceAnswer:
    """Show an invoice or a credit note of the calling advertiser."""
    [record] = issued_invoices.records_of(request.deps, [request.subject])
    return OwnInvoiceAnswer(invoice=_own_view(request.deps, record))


@routes.get("/advertiser/invoices/{number}/document", _OWN, id="advertiser.invoices.document", find=find)
def show_own_document(request: ApiRequest[Deps], _params: NoParams) -> DocumentAnswer:
    """Show the document of an own invoice or credit note, with its PDF file."""
    return _document(request)


def _list(
    request: ApiRequest[Deps], params: ListBilledInvoices, states: tuple[InvoiceState, ...]
) -> tuple[list[Invoice], int]:
    if params.start_date and params.end_date and params.end_date < params.start_date:
        raise BadInput({"end_date": ["This day must not lie before start_date."]})
    chosen = InvoiceFilter(
        states=states,
        kind=params.kind,
        overdue_on=_today(request.deps) if params.overdue else None,
        statuses=params.invoice_status,
        since=params.start_date,
        until=params.end_date,
        advertisers=params.supplier_id,
    )
    return invoices.list_invoices(request.deps, request.access, chosen, **params.place(request))


def _today(deps: Deps) -> date:
    return local_day(deps.clock.now_ms(), deps.zone)


def _document(request: ApiRequest[Deps]) -> DocumentAnswer:
    return document_answer(request.deps, required(issued_invoices.document_of(request.deps, request.subject)))


def _answer(request: ApiRequest[Deps], item: Invoice) -> BilledInvoiceAnswer:
    [record] = issued_invoices.records_of(request.deps, [item])
    return BilledInvoiceAnswer(invoice=_view(request.deps, record))


def _view(deps: Deps, record: InvoiceRecord) -> BilledInvoiceView:
    item = record.invoice
    return BilledInvoiceView(
        **_common(deps, record),
        state=item.state.value,
        supplier_id=item.advertiser_id,
        created_at=datetime_text(item.created_at, deps.zone),
        updated_at=datetime_text(item.updated_at, deps.zone),
        computed=item.computed,
        comment=item.comment,
    )


def _own_view(deps: Deps, record: InvoiceRecord) -> OwnInvoiceView:
    return OwnInvoiceView(**_common(deps, record))


def _common(deps: Deps, record: InvoiceRecord) -> dict[str, Any]:
    """Return the fields that staff and the advertiser see."""
    today, item, credited_by = _today(deps), record.invoice, record.credited_by
    is_unpaid = item.status is InvoiceStatus.UNPAID and credited_by is None and item.issued_at is not None
    return {
        "number": item.number,
        "document_number": item.document_number,
        "kind": item.kind.value,
        "issued_at": "" if item.issued_at is None else datetime_text(item.issued_at, deps.zone),
        "due_date": _day(item.due_date),
        "start_date": _day(item.start_date),
        "end_date": _day(item.end_date),
        "invoice_status": item.status.value,
        "is_overdue": is_unpaid and item.due_date is not None and item.due_date < today,
        "currency": item.currency,
        "detail": [_line(each) for each in item.lines],
        "taxes": [_tax(each, amount) for each, amount in zip(item.taxes, item.tax_amounts, strict=True)],
        "net": number(item.net),
        "total": number(item.total),
        "notes": item.notes,
        "credits": item.credits,
        "credited_by": credited_by,
        "url": file_link(deps, record.file),
    }


def _line(each: InvoiceLine) -> BilledLineView:
    return BilledLineView(
        offer_id=each.offer_id,
        payout_type=each.payout_type.value,
        actions=each.actions,
        unit_price=None if each.unit_price is None else number(each.unit_price),
        amount=number(each.amount),
        comment=each.comment,
    )


def _tax(each: TaxLine, amount: Decimal) -> TaxView:
    return TaxView(name=each.name, percent=number(each.percent), amount=number(amount))


def _day(day: date | None) -> str:
    return "" if day is None else day.isoformat()
