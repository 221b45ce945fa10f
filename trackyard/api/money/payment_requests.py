"""Requests of affiliates to be paid (docs/spec/money.md#payment-requests)."""

from typing import Annotated
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.money import payment_requests as requests
from trackyard.actions.money.payment_requests import PaymentRequestRecords
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.money.affiliate_payments import AffiliatePaymentView, payment_view
from trackyard.api.paging import Paging
from trackyard.api.statistics.times import as_text
from trackyard.base.zones import datetime_text
from trackyard.domain.money.payment_requests import PaymentRequest, PaymentRequestFilter, PaymentRequestStatus
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Params, Seq
from trackyard.wire.response.envelope import Answer, Money, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_STAFF = for_staff(Permission.PAYMENTS_WRITE)
_find = in_scope_by_number(requests.get_request)
RequestStatus = Annotated[PaymentRequestStatus, s.Choice(PaymentRequestStatus)]
Reason = Annotated[str, s.BoundedText(minimum=1, maximum=2000)]


class ListOwnPaymentRequests(Paging):
    """The filters of an affiliate's list."""

    status: AnyOf[RequestStatus] = ()


class ListPaymentRequests(ListOwnPaymentRequests):
    """The filters of a list."""

    pid: Seq[s.Id] = ()
    currency: AnyOf[s.Currency] = ()


class AddPaymentRequest(Params):
    """What the affiliate wants to be paid, and how."""

    currency: s.Currency
    amount: s.Amount
    system_id: s.Id | None = None
    comment: s.LongText = ""


class AcceptPaymentRequest(Params):
    """The comment of the payment that is made."""

    comment: s.LongText = ""


class RejectPaymentRequest(Params):
    """Why the request is rejected; the affiliate sees it."""

    reason: Reason


class OwnPaymentRequestView(View):
    """A request to be paid, for its affiliate.

    system_id, system: the payment system that it wants; null and "" where it has none.
    payment_id: the payment that staff made of it; null without one.
    """

    id: int
    currency: str
    amount: Money
    system_id: int | None
    system: str
    comment: str
    status: str
    reason: str
    payment_id: int | None
    created_at: str
    updated_at: str


class PaymentRequestView(OwnPaymentRequestView):
    """A request of an affiliate to be paid. decided_by: null while it is open, and when it was withdrawn."""

    pid: int
    email: str
    name: str
    decided_by: str | None


class OwnPaymentRequestsAnswer(Answer):
    """A page of the requests of an affiliate."""

    payment_requests: list[OwnPaymentRequestView]
    pagination: Pagination


class OwnPaymentRequestAnswer(Answer):
    """One request of an affiliate."""

    payment_request: OwnPaymentRequestView


class PaymentRequestsAnswer(Answer):
    """A page of requests."""

    payment_requests: list[PaymentRequestView]
    pagination: Pagination


class PaymentRequestAnswer(Answer):
    """One request."""

    payment_request: PaymentRequestView


class AcceptedPaymentRequestAnswer(Answer):
    """A request with the payment that was made of it."""

    payment_request: PaymentRequestView
    payment: AffiliatePaymentView


@routes.get(
    "/partner/payments/requests",
    for_affiliates(Permission.BALANCES_READ),
    id="partner.payment-requests.list",
    features=("general.billing",),
)
def list_own(request: ApiRequest[Deps], params: ListOwnPaymentRequests) -> OwnPaymentRequestsAnswer:
    """List the requests of the calling affiliate to be paid, the newest first."""
    chosen = PaymentRequestFilter(statuses=params.status)
    found, total = requests.list_requests(request.deps, request.access, chosen, **params.place(request))
    views = [_own_view(each, found, request.deps.zone) for each in found.requests]
    return OwnPaymentRequestsAnswer(payment_requests=views, pagination=params.pagination(request, total))


@routes.post(
    "/partner/payments/request",
    for_affiliates(Permission.PAYMENTS_WRITE),
    id="partner.payment-request.add",
    features=("general.billing",),
)
def add(request: ApiRequest[Deps], params: AddPaymentRequest) -> OwnPaymentRequestAnswer:
    """Ask for payment of an available amount. Staff decide; the amount stays available until then.

    409 when a request in the currency is open. `system_id` is needed where the affiliate has a payment system that
    pays the currency.
    """
    found = requests.add_request(
        request.deps, request.access, params.currency, params.amount, params.system_id, params.comment
    )
    return _own_answer(found, request.deps.zone)


@routes.post(
    "/partner/payments/requests/{id}/withdraw",
    for_affiliates(Permission.PAYMENTS_WRITE),
    id="partner.payment-request.withdraw",
    features=("general.billing",),
    find=_find,
)
def withdraw(request: ApiRequest[Deps], _params: NoParams) -> OwnPaymentRequestAnswer:
    """End an open request of the calling affiliate. 409 when it is decided."""
    return _own_answer(requests.withdraw_request(request.deps, request.access, request.subject.id), request.deps.zone)


@routes.get("/admin/payment-requests", _STAFF, id="admin.payment-requests.list")
def list_(request: ApiRequest[Deps], params: ListPaymentRequests) -> PaymentRequestsAnswer:
    """List requests of affiliates to be paid, the newest first."""
    chosen = PaymentRequestFilter(statuses=params.status, affiliate_ids=params.pid, currencies=params.currency)
    found, total = requests.list_requests(request.deps, request.access, chosen, **params.place(request))
    views = [_view(each, found, request.deps.zone) for each in found.requests]
    return PaymentRequestsAnswer(payment_requests=views, pagination=params.pagination(request, total))


@routes.post("/admin/payment-requests/{id}/accept", _STAFF, id="admin.payment-request.accept", find=_find)
def accept(request: ApiRequest[Deps], params: AcceptPaymentRequest) -> AcceptedPaymentRequestAnswer:
    """Make a payment of exactly the amount of a request. It is `created`, as any other.

    409 when the request is decided, or when less is available by now.
    """
    made, found = requests.accept_request(request.deps, request.access, request.subject.id, params.comment)
    zone = request.deps.zone
    return AcceptedPaymentRequestAnswer(
        payment_request=_view(found.requests[0], found, zone), payment=payment_view(made, as_text(zone))
    )


@routes.post("/admin/payment-requests/{id}/reject", _STAFF, id="admin.payment-request.reject", find=_find)
def reject(request: ApiRequest[Deps], params: RejectPaymentRequest) -> PaymentRequestAnswer:
    """Reject a request with a reason, which the affiliate sees and gets by mail. 409 when it is decided."""
    found = requests.reject_request(request.deps, request.access, request.subject.id, params.reason)
    return PaymentRequestAnswer(payment_request=_view(found.requests[0], found, request.deps.zone))


def _own_answer(found: PaymentRequestRecords, zone: ZoneInfo) -> OwnPaymentRequestAnswer:
    return OwnPaymentRequestAnswer(payment_request=_own_view(found.requests[0], found, zone))


def _own_view(row: PaymentRequest, found: PaymentRequestRecords, zone: ZoneInfo) -> OwnPaymentRequestView:
    return view_of(
        OwnPaymentRequestView,
        row,
        system=found.systems.get(row.system_id or 0, ""),
        created_at=datetime_text(row.created_at, zone),
        updated_at=datetime_text(row.updated_at, zone),
    )


def _view(row: PaymentRequest, found: PaymentRequestRecords, zone: ZoneInfo) -> PaymentRequestView:
    payee = found.affiliates[row.affiliate_id]
    own = _own_view(row, found, zone)
    shared = {name: getattr(own, name) for name in OwnPaymentRequestView.__struct_fields__}
    return PaymentRequestView(
        **shared,
        pid=row.affiliate_id,
        email=payee.email,
        name=payee.name or payee.login,
        decided_by=row.decided_by or None,
    )
