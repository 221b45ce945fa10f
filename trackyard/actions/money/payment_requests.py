"""Use cases of requests to be paid (docs/spec/money.md#payment-requests)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.money.affiliate_payments import payee_of
from trackyard.actions.money.currencies import list_currencies
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.money import ZERO, plain_amount
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.money.affiliate_payments import AffiliatePayment
from trackyard.domain.money.payment_requests import PaymentRequest, PaymentRequestFilter, PaymentRequestStatus
from trackyard.domain.money.units import in_units, unit_fault
from trackyard.domain.people.affiliates import Affiliate, AffiliateName
from trackyard.domain.people.callers import Access, AffiliateCaller, StaffCaller
from trackyard.domain.platform.mails.values import MailMoney
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import payment_requests, payment_systems
from trackyard.store.people import affiliates


@dataclass(frozen=True, slots=True)
class PaymentRequestRecords:
    """Payment requests, with their affiliates and payment systems by id."""

    requests: Sequence[PaymentRequest]
    affiliates: Mapping[int, AffiliateName]
    systems: Mapping[int, str]


def add_request(
    deps: Deps, access: Access, currency: str, amount: Decimal, system_id: int | None, comment: str
) -> PaymentRequestRecords:
    """Store a request of the calling affiliate. It takes nothing from what is available.

    Raises BadInput for an amount that is not available, below the least payment or finer than the unit of the currency,
    and for a payment system that the affiliate does not have; Conflict when a request in the currency is open.
    """
    assert isinstance(access.caller, AffiliateCaller)
    own, now = access.caller.id, deps.clock.now_ms()
    least = next((each.min_payment for each in list_currencies(deps) if each.code == currency), ZERO)
    with deps.database.write() as conn:
        affiliate = required(affiliates.find_affiliate(conn, scope_of(conn, access), own, lock=True))
        if payment_requests.has_open_request(conn, own, currency):
            raise Conflict({"currency": [f"A request in {currency} is open already: wait for it, or withdraw it."]})
        faults = _amount_faults(amount, least, payments.get_available(conn, own, currency), currency)
        faults |= _system_faults(affiliate, system_id, currency)
        if faults:
            raise BadInput(faults)
        new = PaymentRequest(
            affiliate_id=own,
            currency=currency,
            amount=amount,
            system_id=system_id,
            comment=comment,
            created_at=now,
            updated_at=now,
        )
        made = payment_requests.add_request(conn, new)
        asked = {"affiliate": affiliate.name or affiliate.login, "amount": MailMoney(amount, currency)}
        publish(conn, EventKind.PAYMENT_REQUEST_OPENED, now, Concerned(made.id, own), **asked)
        return _records(conn, [made])


def _amount_faults(amount: Decimal, least: Decimal, available: Decimal, currency: str) -> dict[str, list[str]]:
    if amount <= ZERO:
        return {"amount": ["This value must be more than 0."]}
    if fault := unit_fault(amount, currency):
        return {"amount": [fault]}
    if amount > available:
        rest = plain_amount(max(available, ZERO))
        return {"amount": [f"This is more than the {rest} {currency} that are available."]}
    if amount < least:
        return {"amount": [f"This is less than the least payment of {plain_amount(least)} {currency}."]}
    return {}


def _system_faults(affiliate: Affiliate, system_id: int | None, currency: str) -> dict[str, list[str]]:
    own = {each["system_id"] for each in affiliate.payment_systems if each["currency"] in ("", currency)}
    if system_id is None:
        return {"system_id": ["Choose one of your payment systems."]} if own else {}
    return {} if system_id in own else {"system_id": [f"You have no such payment system for {currency}."]}


def get_request(deps: Deps, access: Access, number: int) -> PaymentRequest:
    """Return a payment request in scope. Raises NotFound."""
    with deps.database.read() as conn:
        return required(payment_requests.find_request(conn, scope_of(conn, access), number))


def list_requests(
    deps: Deps, access: Access, chosen: PaymentRequestFilter, *, page: int, limit: int
) -> tuple[PaymentRequestRecords, int]:
    """Return a page of requests, the newest first, and the total."""
    with deps.database.read() as conn:
        found, total = payment_requests.list_requests(conn, scope_of(conn, access), chosen, page=page, limit=limit)
        return _records(conn, found), total


def withdraw_request(deps: Deps, access: Access, number: int) -> PaymentRequestRecords:
    """End an open request of the calling affiliate. Raises NotFound, Conflict."""
    with deps.database.write() as conn:
        found = _lock_open(conn, access, number)
        return _decided(deps, conn, found, PaymentRequestStatus.WITHDRAWN)


def reject_request(deps: Deps, access: Access, number: int, reason: str) -> PaymentRequestRecords:
    """Reject an open request with a reason, which the affiliate sees and gets by mail.

    Raises NotFound, Conflict.
    """
    assert isinstance(access.caller, StaffCaller)
    with deps.database.write() as conn:
        found = _lock_open(conn, access, number)
        publish(
            conn,
            EventKind.PAYMENT_REQUEST_REJECTED,
            deps.clock.now_ms(),
            Concerned(found.id, found.affiliate_id),
            amount=MailMoney(found.amount, found.currency),
            reason=reason,
        )
        return _decided(deps, conn, found, PaymentRequestStatus.REJECTED, reason=reason, decided_by=access.caller.id)


def accept_request(
    deps: Deps, access: Access, number: int, comment: str
) -> tuple[AffiliatePayment, PaymentRequestRecords]:
    """Make a payment of the amount of an open request, in whole units of the currency.

    comment: the comment for the payment.
    Raises NotFound, and Conflict when the request is decided or the amount is not available any more.
    """
    assert isinstance(access.caller, StaffCaller)
    with deps.database.write() as conn:
        found = _lock_open(conn, access, number)
        account = (found.affiliate_id, found.currency)
        available = payments.get_available(conn, *account)
        if found.amount > available:
            rest = plain_amount(max(available, ZERO))
            raise Conflict({"id": [f"Only {rest} {found.currency} are available by now: reject the request."]})
        amount = in_units(found.amount, found.currency)
        if not amount:
            raise Conflict({"id": [f"{unit_fault(found.amount, found.currency)} Reject the request."]})
        now, staff_id = deps.clock.now_ms(), access.caller.id
        exactly = None if found.amount == available else amount
        made = payments.add_payment(
            conn,
            *account,
            exactly=exactly,
            texts={"comment": comment},
            payee=payee_of(conn, *account, found.system_id),
            staff_id=staff_id,
            now_ms=now,
        )
        accepted = PaymentRequestStatus.ACCEPTED
        return made, _decided(deps, conn, found, accepted, payment_id=made.id, decided_by=staff_id)


def _lock_open(conn: Connection, access: Access, number: int) -> PaymentRequest:
    """Lock the affiliate of an open request, then the request, and return it. Raises NotFound, Conflict."""
    scope = scope_of(conn, access)
    payments.lock_affiliate(conn, required(payment_requests.find_request(conn, scope, number)).affiliate_id)
    found = required(payment_requests.find_request(conn, scope, number, lock=True))
    if found.status is not PaymentRequestStatus.OPEN:
        raise Conflict({"id": [f"This request is {found.status} already."]})
    return found


def _decided(
    deps: Deps, conn: Connection, found: PaymentRequest, status: PaymentRequestStatus, **values: object
) -> PaymentRequestRecords:
    changes = {"status": status, "updated_at": deps.clock.now_ms(), **values}
    payment_requests.edit_request(conn, found.id, changes)
    return _records(conn, [payment_requests.get_request(conn, found.id)])


def _records(conn: Connection, found: Sequence[PaymentRequest]) -> PaymentRequestRecords:
    names = affiliates.names_of(conn, {each.affiliate_id for each in found})
    systems = {each.id: each.lang_label for each in payment_systems.list_payment_systems(conn)}
    return PaymentRequestRecords(found, names, systems)
