"""Payments to affiliates as programs of other platforms call them (docs/spec/money.md#payment-runs).

They are the payments of api/money/affiliate_payments.py under other field names.
"""

from collections.abc import Mapping
from datetime import date, timedelta
from decimal import Decimal
from typing import Annotated, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import affiliate_payments as payments
from trackyard.actions.money import payment_changes as changes
from trackyard.actions.money.affiliate_payments import PaymentRun
from trackyard.actions.money.payment_changes import MOST_IDS, PaymentRecords
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.money.affiliate_payments import SkippedView
from trackyard.api.money.held_changes import warn_of_held
from trackyard.api.paging import Paging, TotalPagination
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text, day_end_ms, day_start_ms
from trackyard.domain.money.affiliate_payments import (
    AffiliatePayment,
    PaidOffer,
    PayableFilter,
    PaymentFilter,
    PaymentStatus,
)
from trackyard.domain.money.corrections import Correction
from trackyard.domain.money.currencies import CODES, NUMBERS
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_STAFF: Final = for_staff(Permission.PAYMENTS_WRITE)
_find = in_scope_by_number(payments.get_payment)
_find_correction = in_scope_by_number(changes.find_correction)

_NUMBERS: Final = {
    -1: PaymentStatus.CANCELLED,
    1: PaymentStatus.CREATED,
    2: PaymentStatus.PAID,
    3: PaymentStatus.PARTLY_PAID,
    4: PaymentStatus.PENDING,
}
_STATUSES: Final = {status: number for number, status in _NUMBERS.items()}
_EIGHT_PLACES: Final = Decimal("0.00000001")
StatusNumber = Annotated[int, s.Choice([str(each) for each in _NUMBERS], number=True)]


class ListPaymentRecords(Paging):
    """The filters of a list. date_from, date_to: days of their making; update_…: of their last change."""

    date_from: s.Day
    date_to: s.Day
    id: AnyOf[s.Id] = ()
    status: AnyOf[StatusNumber] = ()
    aid: AnyOf[s.Id] = ()
    manager_id: AnyOf[s.Hex] = ()
    payment_system: AnyOf[s.Id] = ()
    payment_account: AnyOf[s.LongText] = ()
    update_from_date: s.Day | None = None
    update_to_date: s.Day | None = None
    update_from_hour: s.Hour | None = None
    update_to_hour: s.Hour | None = None

    def chosen(self, zone: ZoneInfo) -> PaymentFilter:
        """Return the filter. Raises BadInput for days in the wrong order, and for hours without a day."""
        _check_order(self.date_from, self.date_to, "date_to", "date_from")
        _check_order(self.update_from_date, self.update_to_date, "update_to_date", "update_from_date")
        for hour, day, name in (
            (self.update_from_hour, self.update_from_date, "update_from"),
            (self.update_to_hour, self.update_to_date, "update_to"),
        ):
            if hour is not None and day is None:
                raise BadInput({f"{name}_hour": [f"Send {name}_date too: the hour is of that day."]})
        last_hour = 23 if self.update_to_hour is None else self.update_to_hour
        return PaymentFilter(
            ids=self.id,
            affiliate_ids=self.aid,
            statuses=[_NUMBERS[each] for each in self.status],
            since=day_start_ms(self.date_from, zone),
            until=day_end_ms(self.date_to, zone),
            updated_since=_moment(self.update_from_date, self.update_from_hour or 0, zone),
            updated_until=_moment(self.update_to_date, last_hour + 1, zone),
            manager_ids=self.manager_id,
            system_ids=self.payment_system,
            accounts=self.payment_account,
        )


class EditPaymentRecord(Params):
    """Changes of a payment."""

    edits = True

    payment_account: s.LongText | None = None
    status: StatusNumber | None = None
    comment: s.LongText | None = None
    note: s.LongText | None = None


class AddExactPayment(Params):
    """The affiliate, and the exact amount that it is paid. currency: its number, or its code."""

    aid: s.Id
    sum: s.Amount
    currency: Annotated[str, s.BoundedText(minimum=1, maximum=3, strips=True)]
    note: s.LongText = ""


class RunPayments(Params):
    """What a run pays, and which affiliates it pays. date: the same as date_to."""

    date: s.Day | None = None
    date_from: s.Day | None = None
    date_to: s.Day | None = None
    aid: s.Id | None = None
    note: s.LongText = ""
    include_aids: Seq[s.Id] = ()
    exclude_aids: Seq[s.Id] = ()
    by_last_unpaid_conversion: s.TrueFalse = False
    by_last_invoice: s.TrueFalse = False
    offer_ids: Seq[s.Id] = ()
    advertiser_ids: Seq[s.Hex] = ()
    currencies: Seq[s.Currency] = ()
    countries: Seq[s.Country] = ()

    def run(self, zone: ZoneInfo) -> PaymentRun:
        """Return the run. Raises BadInput for days in the wrong order, and for two starts."""
        starts = {
            "date_from": self.date_from is not None,
            "by_last_unpaid_conversion": self.by_last_unpaid_conversion,
            "by_last_invoice": self.by_last_invoice,
        }
        named = [name for name, is_sent in starts.items() if is_sent]
        if len(named) > 1:
            raise BadInput({named[1]: [f"Send {named[0]} or this, not both: each says where the run begins."]})
        if self.date and self.date_to and self.date != self.date_to:
            raise BadInput({"date": ["This is another name of date_to: send one of them."]})
        last = self.date_to or self.date
        _check_order(self.date_from, last, "date_to" if self.date_to else "date", "date_from")
        named_ids = (*self.include_aids, *(() if self.aid is None else (self.aid,)))
        return PaymentRun(
            affiliate_ids=tuple(dict.fromkeys(named_ids)),
            excluded_ids=self.exclude_aids,
            currencies=self.currencies,
            chosen=PayableFilter(
                since=_moment(self.date_from, 0, zone),
                until=None if last is None else day_end_ms(last, zone),
                offer_ids=self.offer_ids,
                advertiser_ids=[each.lower() for each in self.advertiser_ids],
                countries=self.countries,
            ),
            since_last_payment=self.by_last_invoice,
            note=self.note,
        )


class AddPaymentCorrection(Params):
    """An amount that is added to a payment; below 0 it is taken away."""

    revenue: s.SignedAmount
    comment: Annotated[str, s.BoundedText(minimum=1, maximum=2000)]


class DeletePayments(Params):
    """The payments that are deleted, at most 1000."""

    ids: Seq[s.Id]


class DeletePaidConversions(Params):
    """The conversions that a payment no longer pays, by their ids or by their offers."""

    conversion_ids: Seq[s.Hex] = ()
    offer_ids: Seq[s.Id] = ()


class PaidPriceView(View):
    """The conversions of one offer that bring the same amount. currency: its number."""

    count: int
    currency: int


class PaidOfferView(View):
    """The conversions of one offer that a payment pays, by the amount of one."""

    cost: dict[str, PaidPriceView]
    title: str


class PaidDetailsView(View):
    """The conversions that a payment pays, by the number of their offer."""

    details: dict[str, PaidOfferView]
    count: int


class AdditionalPaymentView(View):
    """A correction of a payment. currency: its number."""

    posted_date: str
    revenue: str
    currency: str
    comment: str


class PaymentRecordView(View):
    """A payment to an affiliate."""

    id: int
    pid: int
    manager_id: str | None
    posted_date: str
    pay_sys: int | None
    pay_sys_name: str | None
    pay_acc: str
    status: str
    revenue: str
    ref_revenue: str | None
    currency: str
    currency_code: str
    comment: str
    notes: str
    cpa_actions: list[str]
    ref_ids: list[str]
    details: PaidDetailsView
    additional_payments: dict[str, AdditionalPaymentView] | list[AdditionalPaymentView]
    updated_at: str


class PaymentRecordsAnswer(Answer):
    """A page of payments."""

    payments: list[PaymentRecordView]
    pagination: TotalPagination


class PaymentRecordAnswer(Answer):
    """One payment."""

    payment: PaymentRecordView


class PaymentDoneAnswer(Answer):
    """Whether it was done. It is not when a second person has to confirm."""

    result: bool


class PaymentRunAnswer(Answer):
    """What a run made. payments: their numbers. skipped: affiliates without one."""

    message: str
    payments: list[int]
    skipped: list[SkippedView]


class DeletedPaymentsAnswer(Answer):
    """Whether each payment is deleted, by its number."""

    result: dict[str, bool]


class RemovedConversionsAnswer(Answer):
    """What was done, in words."""

    message: str


@routes.get("/payments", _STAFF, id="payments.list", page_max=100)
def list_(request: ApiRequest[Deps], params: ListPaymentRecords) -> PaymentRecordsAnswer:
    """List payments to affiliates with what they pay, the newest first.

    A deleted payment is in it as declined, with the amount that it had.
    """
    chosen = params.chosen(request.deps.zone)
    found, total = changes.list_records(request.deps, request.access, chosen, **params.place(request))
    place = params.place(request)
    pages = TotalPagination(page=place["page"], limit=place["limit"], total=total, per_page=place["limit"])
    return PaymentRecordsAnswer(payments=_views(request, found), pagination=pages)


@routes.get("/payments/{id}", _STAFF, id="payment.get", find=_find)
def get(request: ApiRequest[Deps], params: NoParams) -> PaymentRecordAnswer:
    """Return a payment to an affiliate with what it pays."""
    found = changes.get_records(request.deps, request.access, request.subject.id)
    return PaymentRecordAnswer(payment=_views(request, found)[0])


@routes.post("/payments/{id}", _STAFF, id="payment.edit", find=_find)
def edit(request: ApiRequest[Deps], params: EditPaymentRecord) -> PaymentDoneAnswer:
    """Change the status, the account, the comment or the note of a payment.

    2 executes it, -1 frees what it pays. Where a second person has to confirm, 2 and 3 are held: `warnings` shows it,
    and `result` is false.
    """
    edited = payments.edit_payment(
        request.deps,
        request.access,
        request.subject.id,
        status=None if params.status is None else _NUMBERS[params.status],
        texts={"comment": params.comment, "note": params.note, "account": params.payment_account},
    )
    warn_of_held(request, "status", edited.held)
    return PaymentDoneAnswer(result=edited.held is None)


@routes.post("/payments/create-for-affiliate", _STAFF, id="payment.add-exact")
def add_exact(request: ApiRequest[Deps], params: AddExactPayment) -> PaymentRunAnswer:
    """Make a payment of exactly one amount, of the oldest that is available.

    What the whole conversions do not reach is paid ahead of later ones. The payment is there at once.
    """
    currency = _currency_code(params.currency)
    made = changes.add_exact_payment(request.deps, request.access, params.aid, params.sum, currency, params.note)
    return PaymentRunAnswer(message=_made(1), payments=[made.id], skipped=[])


@routes.post("/payments/generate", _STAFF, id="payments.generate")
def generate(request: ApiRequest[Deps], params: RunPayments) -> PaymentRunAnswer:
    """Make a payment for each affiliate and currency that can be paid, of what the filters choose.

    They are there at once. An affiliate that is named and cannot be paid is in `skipped`, with the reason.
    """
    run = params.run(request.deps.zone)
    field = "include_aids" if params.include_aids else "aid"
    made, skipped = payments.add_payments(request.deps, request.access, run, field=field)
    return PaymentRunAnswer(
        message=_made(len(made)),
        payments=[each.id for each in made],
        skipped=[view_of(SkippedView, each, pid=each.affiliate_id) for each in skipped],
    )


@routes.post("/payments/{id}/add-correction", _STAFF, id="payment.correction.add", find=_find)
def add_correction(request: ApiRequest[Deps], params: AddPaymentCorrection) -> PaymentDoneAnswer:
    """Add an amount to a payment, or take one away. The affiliate sees the comment."""
    changes.add_correction(request.deps, request.access, request.subject.id, params.revenue, params.comment)
    return PaymentDoneAnswer(result=True)


@routes.delete("/payments/del-correction/{id}", _STAFF, id="payment.correction.remove", find=_find_correction)
def remove_correction(request: ApiRequest[Deps], params: NoParams) -> PaymentDoneAnswer:
    """Undo a correction of a payment, so that the payment has the amount without it."""
    changes.remove_correction(request.deps, request.access, request.subject.id)
    return PaymentDoneAnswer(result=True)


def _delete(request: ApiRequest[Deps], params: NoParams) -> PaymentDoneAnswer:
    """Cancel a payment: what it pays is available again. Its number and its corrections stay in the books."""
    changes.cancel_payment(request.deps, request.access, request.subject.id)
    return PaymentDoneAnswer(result=True)


@routes.delete("/payments/delete/{id}", _STAFF, id="payment.remove", find=_find)
def remove(request: ApiRequest[Deps], params: NoParams) -> PaymentDoneAnswer:
    """Delete a payment: what it pays is available again. The payment stays in the books, as declined."""
    return _delete(request, params)


@routes.post("/payments/delete/{id}", _STAFF, id="payment.remove-by-post", find=_find)
def remove_by_post(request: ApiRequest[Deps], params: NoParams) -> PaymentDoneAnswer:
    """Delete a payment, for programs that send POST. The same as DELETE."""
    return _delete(request, params)


@routes.post("/payments/bulk-delete", _STAFF, id="payments.remove")
def remove_several(request: ApiRequest[Deps], params: DeletePayments) -> DeletedPaymentsAnswer:
    """Delete payments, each on its own. One that does not exist, or of which money was sent, is false."""
    if len(params.ids) > 1000:
        raise BadInput({"ids": ["Send at most 1000 payments."]})
    done = changes.cancel_payments(request.deps, request.access, params.ids)
    return DeletedPaymentsAnswer(result={str(number): is_done for number, is_done in done.items()})


@routes.post("/payments/{id}/conversions/delete", _STAFF, id="payment.conversions.remove", find=_find)
def remove_conversions(request: ApiRequest[Deps], params: DeletePaidConversions) -> RemovedConversionsAnswer:
    """Take conversions out of a payment: they are available again, and the payment's amount falls."""
    if not (params.conversion_ids or params.offer_ids):
        raise BadInput({"conversion_ids": ["Send conversion_ids or offer_ids."]})
    ids = [each.lower() for each in params.conversion_ids]
    count = changes.remove_conversions(request.deps, request.access, request.subject.id, ids, params.offer_ids)
    return RemovedConversionsAnswer(message=f"Conversions taken out of the payment: {count}")


def _made(count: int) -> str:
    return f"Payments made: {count}"


def _check_order(first: date | None, last: date | None, name: str, before: str) -> None:
    if first and last and last < first:
        raise BadInput({name: [f"This day must not lie before {before}."]})


def _moment(day: date | None, hour: int, zone: ZoneInfo) -> int | None:
    """Return the start of an hour of a day, UTC milliseconds; hour 24 is the next day."""
    if day is None:
        return None
    return day_end_ms(day, zone) if hour == 24 else day_start_ms(day, zone) + int(timedelta(hours=hour) / _MILLISECOND)


def _currency_code(text: str) -> str:
    """Return the code of a currency that is named by number or code. Raises BadInput."""
    code = CODES.get(int(text)) if text.isascii() and text.isdecimal() else text.upper()
    if code not in NUMBERS:
        raise BadInput({"currency": ["Send the number of a currency in ISO 4217, such as 840, or its code."]})
    return code


_MILLISECOND: Final = timedelta(milliseconds=1)


def _views(request: ApiRequest[Deps], found: PaymentRecords) -> list[PaymentRecordView]:
    zone = request.deps.zone
    for each in found.payments:
        for ids in (found.conversions.get(each.id, ()), found.shares.get(each.id, ())):
            if len(ids) >= MOST_IDS:
                request.warn(
                    f"Payment {each.id} names {MOST_IDS} conversions at most: /admin/payments/{each.id}/entries has all"
                )
    offers: dict[int, list[PaidOffer]] = {}
    for line in found.offers:
        offers.setdefault(line.payment_id, []).append(line)
    return [_view(each, found, offers.get(each.id, []), zone) for each in found.payments]


def _view(item: AffiliatePayment, found: PaymentRecords, lines: list[PaidOffer], zone: ZoneInfo) -> PaymentRecordView:
    shares = found.share_sums.get(item.id)
    corrections: Mapping[str, AdditionalPaymentView] = {
        str(each.id): _correction_view(each, zone) for each in found.corrections.get(item.id, ())
    }
    return PaymentRecordView(
        id=item.id,
        pid=item.affiliate_id,
        manager_id=found.managers.get(item.affiliate_id),
        posted_date=datetime_text(item.created_at, zone),
        pay_sys=item.system_id,
        pay_sys_name=None if item.system_id is None else found.systems.get(item.system_id, ""),
        pay_acc=item.account,
        status=str(_STATUSES[item.status]),
        revenue=_eight_places(item.amount),
        ref_revenue=None if shares is None else _eight_places(shares),
        currency=str(NUMBERS.get(item.currency, 0)),
        currency_code=item.currency,
        comment=item.comment,
        notes=item.note,
        cpa_actions=list(found.conversions.get(item.id, ())),
        ref_ids=list(found.shares.get(item.id, ())),
        details=_details(lines, NUMBERS.get(item.currency, 0)),
        additional_payments=dict(corrections) or [],
        updated_at=datetime_text(item.updated_at, zone),
    )


def _details(lines: list[PaidOffer], currency: int) -> PaidDetailsView:
    offers: dict[str, PaidOfferView] = {}
    for line in lines:
        offer = offers.setdefault(str(line.offer_id), PaidOfferView(cost={}, title=line.title))
        offer.cost[_eight_places(line.amount)] = PaidPriceView(count=line.count, currency=currency)
    return PaidDetailsView(details=offers, count=sum(line.count for line in lines))


def _correction_view(item: Correction, zone: ZoneInfo) -> AdditionalPaymentView:
    return AdditionalPaymentView(
        posted_date=datetime_text(item.created_at, zone),
        revenue=_eight_places(item.amount),
        currency=str(NUMBERS.get(item.currency, 0)),
        comment=item.comment,
    )


def _eight_places(amount: Decimal) -> str:
    return f"{amount.quantize(_EIGHT_PLACES)}"
