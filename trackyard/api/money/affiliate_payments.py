"""Payments to affiliates (docs/spec/money.md#payments-to-affiliates)."""

from decimal import Decimal
from typing import Annotated
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import affiliate_payments as payments
from trackyard.actions.money import payment_proposals
from trackyard.actions.money.affiliate_payments import PaymentRun
from trackyard.actions.money.documents.remittances import remittance_of
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.money.document_views import DocumentAnswer, document_answer
from trackyard.api.money.held_changes import warn_of_held
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import At, as_text, unchanged
from trackyard.base.errors import BadInput
from trackyard.base.zones import day_end_ms, day_start_ms
from trackyard.domain.money.affiliate_payments import (
    AffiliatePayment,
    PaidEntry,
    PayableFilter,
    PaymentFilter,
    PaymentStatus,
)
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Moment, Money, Pagination, View
from trackyard.wire.response.exports import ExportParams, ExportTable, FileExport, table_of
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_find = in_scope_by_number(payments.get_payment)

EVERY_ROW = "Every row, whatever `page` and `limit` say."
Status = Annotated[PaymentStatus, s.Choice(PaymentStatus)]


class ListPayments(ExportParams, Paging):
    """The filters of a list. date_from, date_to: days of their making."""

    id: AnyOf[s.Id] = ()
    pid: Seq[s.Id] = ()
    currency: AnyOf[s.Currency] = ()
    status: AnyOf[Status] = ()
    date_from: s.Day | None = None
    date_to: s.Day | None = None

    def chosen(self, zone: ZoneInfo) -> PaymentFilter:
        """Return the filter. Raises BadInput for days in the wrong order."""
        if self.date_from and self.date_to and self.date_to < self.date_from:
            raise BadInput({"date_to": ["This day must not lie before date_from."]})
        return PaymentFilter(
            ids=self.id,
            affiliate_ids=self.pid,
            currencies=self.currency,
            statuses=self.status,
            since=None if self.date_from is None else day_start_ms(self.date_from, zone),
            until=None if self.date_to is None else day_end_ms(self.date_to, zone),
        )


class ListOwnPayments(Paging):
    """The filters of an affiliate's list."""

    id: AnyOf[s.Id] = ()
    status: AnyOf[Status] = ()


class ListEntries(ExportParams, Paging):
    """The page of what a payment pays."""


class ListDue(Params):
    """The affiliates and the currency; without them all."""

    pid: Seq[s.Id] = ()
    currency: s.Currency | None = None


class AddPayments(Params):
    """The affiliates that are paid.

    date_to: pays what became available until the end of that day; without it all that is due.
    """

    pid: Seq[s.Id] = ()
    currency: s.Currency | None = None
    date_to: s.Day | None = None
    amounts: Seq[s.Amount] = ()
    comment: s.LongText = ""
    note: s.LongText = ""

    @property
    def seen(self) -> dict[tuple[int, str], Decimal] | None:
        """Return the amounts that were seen. Raises BadInput where they do not fit the affiliates."""
        if not self.amounts:
            return None
        if self.currency is None or len(self.amounts) != len(self.pid):
            raise BadInput({"amounts": ["Send one amount for each pid, and the currency."]})
        return {(pid, self.currency): amount for pid, amount in zip(self.pid, self.amounts, strict=True)}


class EditPayment(Params):
    """Changes of a payment. status: paid executes it, cancelled frees what it pays.

    seen_amount: the amount that a person saw; a payment of another one keeps its status.
    """

    edits = True

    status: Status | None = None
    seen_amount: s.Amount | None = None
    comment: s.LongText | None = None
    note: s.LongText | None = None


class AffiliatePaymentView(View):
    """A payment. amount: in its currency. paid_at: null until it is executed."""

    id: int
    pid: int
    currency: str
    amount: Money
    status: str
    comment: str
    note: str
    payment_account: str
    created_by: str
    created_at: Moment
    updated_at: Moment
    paid_at: Moment | None


class DueView(View):
    """An amount that can be paid to an affiliate in one currency. min_payment: the least that is paid out."""

    pid: int
    email: str
    currency: str
    amount: Money
    min_payment: Money


class SkippedView(View):
    """A named affiliate without a payment, and the reason."""

    pid: int
    currency: str
    reason: str


class PaidEntryView(View):
    """A paid conversion, later change or referral share of one, correction, or what is paid ahead."""

    kind: str
    conversion_id: str
    amount: Money
    created_at: Moment


class OwnPaymentView(View):
    """A payment, for the affiliate that it is to. paid_at: null until it is executed."""

    id: int
    currency: str
    amount: Money
    status: str
    created_at: Moment
    paid_at: Moment | None


class OwnPaymentsAnswer(Answer):
    """A page of the payments of an affiliate."""

    payments: list[OwnPaymentView]
    pagination: Pagination


class PaymentsAnswer(Answer):
    """A page of payments."""

    payments: list[AffiliatePaymentView]
    pagination: Pagination


class DueAnswer(Answer):
    """The amounts that can be paid."""

    due: list[DueView]


class AddedPaymentsAnswer(Answer):
    """The new payments, and the affiliates without one."""

    payments: list[AffiliatePaymentView]
    skipped: list[SkippedView]


class PaymentAnswer(Answer):
    """One payment."""

    payment: AffiliatePaymentView


class PaymentEntriesAnswer(Answer):
    """A page of what a payment pays."""

    entries: list[PaidEntryView]
    pagination: Pagination


def payment_rows(request: ApiRequest[Deps], params: ListPayments) -> ExportTable:
    """Return the rows of a file; `page` and `limit` are ignored."""
    found = payments.each_payment(request.deps, request.access, params.chosen(request.deps.zone))
    return table_of(AffiliatePaymentView, (payment_view(item, unchanged) for item in found), request.deps.zone)


@routes.get(
    "/admin/payments",
    for_staff(Permission.PAYMENTS_WRITE),
    id="admin.payments.list",
    file_export=FileExport("payments", (AffiliatePaymentView,), payment_rows, EVERY_ROW),
)
def list_(request: ApiRequest[Deps], params: ListPayments) -> PaymentsAnswer:
    """List payments to affiliates, the newest first."""
    zone = request.deps.zone
    chosen = params.chosen(zone)
    found, total = payments.list_payments(request.deps, request.access, chosen, **params.place(request))
    pages = params.pagination(request, total)
    return PaymentsAnswer(payments=[payment_view(item, as_text(zone)) for item in found], pagination=pages)


@routes.get(
    "/partner/payments",
    for_affiliates(Permission.BALANCES_READ),
    id="partner.payments.list",
    features=("general.billing",),
)
def list_own(request: ApiRequest[Deps], params: ListOwnPayments) -> OwnPaymentsAnswer:
    """List the payments to the calling affiliate, the newest first."""
    chosen = PaymentFilter(ids=params.id, statuses=params.status)
    found, total = payments.list_payments(request.deps, request.access, chosen, **params.place(request))
    at = as_text(request.deps.zone)
    views = [view_of(OwnPaymentView, item, created_at=at(item.created_at), paid_at=at(item.paid_at)) for item in found]
    return OwnPaymentsAnswer(payments=views, pagination=params.pagination(request, total))


@routes.get(
    "/partner/payments/{id}/entries",
    for_affiliates(Permission.BALANCES_READ),
    id="partner.payment.entries",
    features=("general.billing",),
    find=_find,
)
def list_own_entries(request: ApiRequest[Deps], params: Paging) -> PaymentEntriesAnswer:
    """List what a payment to the calling affiliate pays, the oldest first; a cancelled one pays nothing."""
    return _entries_answer(request, params)


@routes.get("/admin/payments/due", for_staff(Permission.PAYMENTS_WRITE), id="admin.payments.due")
def list_due(request: ApiRequest[Deps], params: ListDue) -> DueAnswer:
    """List the affiliates that can be paid.

    What is due reaches the least payment, or they asked to be paid.
    """
    due = payment_proposals.list_due(request.deps, request.access, params.pid, params.currency)
    return DueAnswer(due=[view_of(DueView, item, pid=item.affiliate_id) for item in due])


@routes.post("/admin/payments", for_staff(Permission.PAYMENTS_WRITE), id="admin.payments.add")
def add(request: ApiRequest[Deps], params: AddPayments) -> AddedPaymentsAnswer:
    """Make a payment for each affiliate and currency that can be paid.

    It pays all that is due, and an open request in full. With `pid` for these alone; affiliates that cannot be paid are
    in `skipped`. Without `pid`, affiliates that changed their payment systems in the last 24 hours are left out.
    """
    made, skipped = payments.add_payments(
        request.deps,
        request.access,
        PaymentRun(
            affiliate_ids=tuple(dict.fromkeys(params.pid)),
            currencies=() if params.currency is None else (params.currency,),
            chosen=PayableFilter(
                until=None if params.date_to is None else day_end_ms(params.date_to, request.deps.zone)
            ),
            seen=params.seen,
            comment=params.comment,
            note=params.note,
        ),
    )
    views = [payment_view(item, as_text(request.deps.zone)) for item in made]
    return AddedPaymentsAnswer(
        payments=views, skipped=[view_of(SkippedView, item, pid=item.affiliate_id) for item in skipped]
    )


@routes.post("/admin/payments/{id}", for_staff(Permission.PAYMENTS_WRITE), id="admin.payment.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditPayment) -> PaymentAnswer:
    """Execute or cancel a payment, or change its comment.

    An executed or cancelled payment keeps its status. Where a second person has to confirm, an execution is held:
    `warnings` has a text about it, and nothing is changed.
    """
    edited = payments.edit_payment(
        request.deps,
        request.access,
        request.subject.id,
        status=params.status,
        texts={"comment": params.comment, "note": params.note},
        seen_amount=params.seen_amount,
    )
    warn_of_held(request, "status", edited.held)
    return PaymentAnswer(payment=payment_view(edited.payment, as_text(request.deps.zone)))


def entry_rows(request: ApiRequest[Deps], _params: ListEntries) -> ExportTable:
    """Return the rows of a file; `page` and `limit` are ignored."""
    found = payments.each_entry(request.deps, request.subject.id)
    return table_of(PaidEntryView, (_entry_view(item, unchanged) for item in found), request.deps.zone)


@routes.get(
    "/admin/payments/{id}/entries",
    for_staff(Permission.PAYMENTS_WRITE),
    id="admin.payment.entries",
    find=_find,
    file_export=FileExport("payment", (PaidEntryView,), entry_rows, EVERY_ROW),
)
def list_entries(request: ApiRequest[Deps], params: ListEntries) -> PaymentEntriesAnswer:
    """List what a payment pays, the oldest first. A cancelled payment pays nothing."""
    return _entries_answer(request, params)


@routes.get(
    "/admin/payments/{id}/document", for_staff(Permission.PAYMENTS_WRITE), id="admin.payment.document", find=_find
)
def show_document(request: ApiRequest[Deps], _params: NoParams) -> DocumentAnswer:
    """Show the remittance of a payment that is marked as paid, with its PDF file."""
    return document_answer(request.deps, remittance_of(request.deps, request.subject))


@routes.get(
    "/partner/payments/{id}/document",
    for_affiliates(Permission.BALANCES_READ),
    id="partner.payment.document",
    features=("general.billing",),
    find=_find,
)
def show_own_document(request: ApiRequest[Deps], _params: NoParams) -> DocumentAnswer:
    """Show the remittance of a paid payment to the calling affiliate, with its PDF file."""
    return document_answer(request.deps, remittance_of(request.deps, request.subject))


def _entries_answer(request: ApiRequest[Deps], params: Paging) -> PaymentEntriesAnswer:
    found, total = payments.list_entries(request.deps, request.subject.id, **params.place(request))
    views = [_entry_view(item, as_text(request.deps.zone)) for item in found]
    return PaymentEntriesAnswer(entries=views, pagination=params.pagination(request, total))


def payment_view(item: AffiliatePayment, at: At) -> AffiliatePaymentView:
    """Return the view of a payment. at: makes the form of a time."""
    return view_of(
        AffiliatePaymentView,
        item,
        pid=item.affiliate_id,
        payment_account=item.account,
        created_at=at(item.created_at),
        updated_at=at(item.updated_at),
        paid_at=at(item.paid_at),
    )


def _entry_view(item: PaidEntry, at: At) -> PaidEntryView:
    return view_of(PaidEntryView, item, conversion_id=item.source_id, created_at=at(item.at))
