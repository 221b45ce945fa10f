"""Use cases of payments to affiliates: due balances, creating, executing and cancelling.

See docs/spec/money.md#payments-to-affiliates.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from types import MappingProxyType
from typing import Any, Final

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.money.currencies import list_currencies
from trackyard.actions.money.documents.remittances import add_remittance
from trackyard.actions.money.held_changes import hold_change, replace_held
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.base.money import ZERO, plain_amount, rounded
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.money.affiliate_payments import (
    EDITABLE,
    PAYMENT_TRANSITIONS,
    SENDS_MONEY,
    AffiliatePayment,
    PaidEntry,
    PayableBalance,
    PayableFilter,
    PaymentFilter,
    PaymentStatus,
)
from trackyard.domain.money.held_changes import PAYMENT_SYSTEMS, HeldChange, HeldKind
from trackyard.domain.money.payees import account_text, choose_payee
from trackyard.domain.money.payment_proposals import (
    PAYEE_REST_MS,
    DueAccount,
    Payable,
    ProposalReason,
    payable_of,
)
from trackyard.domain.money.payment_requests import PaymentRequest, PaymentRequestStatus
from trackyard.domain.money.units import in_units, unit_of
from trackyard.domain.people.callers import Access, StaffCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailMoney
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import payment_changes, payment_requests, payment_systems
from trackyard.store.people import affiliates

_PIECE: Final = 1000
_DAY_MS: Final = 86_400_000
_PAYEE_CHANGED: Final = "its payment systems changed in the last 24 hours: name it to pay it"
_CHANGED_SINCE: Final = (
    "The payment, or the payment systems of its affiliate, changed since: refuse this change, and execute the payment "
    "again."
)


@dataclass(frozen=True, slots=True)
class SkippedPayment:
    """An affiliate without a payment, and the reason."""

    affiliate_id: int
    currency: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentRun:
    """What payments are made of.

    affiliate_ids, currencies: empty is all of them. excluded_ids: affiliates that get none.
    chosen: what is paid. since_last_payment: pays what became available since the last payment, not `chosen.since`.
    seen: the amounts that a person saw, by affiliate and currency; another one is not paid. None = any is.
    comment: the affiliate may see it. note: for staff.
    """

    affiliate_ids: Sequence[int] = ()
    excluded_ids: Sequence[int] = ()
    currencies: Sequence[str] = ()
    chosen: PayableFilter = field(default_factory=PayableFilter)
    since_last_payment: bool = False
    seen: Mapping[tuple[int, str], Decimal] | None = None
    comment: str = ""
    note: str = ""

    @property
    def pays_requests(self) -> bool:
        """Return whether it pays open requests in full: it chooses nothing of what is available."""
        return self.chosen == PayableFilter() and not self.since_last_payment


@dataclass(frozen=True, slots=True)
class EditedPayment:
    """A payment after an edit.

    held: its execution, which waits for a second person; None when nothing waits.
    """

    payment: AffiliatePayment
    held: HeldChange | None = None


_PUBLISHED: Final = {PaymentStatus.PAID: EventKind.PAYMENT_PAID, PaymentStatus.CANCELLED: EventKind.PAYMENT_CANCELLED}
"""The statuses of which the affiliate hears."""


def add_payments(
    deps: Deps, access: Access, run: PaymentRun, *, field: str = "pid"
) -> tuple[list[AffiliatePayment], list[SkippedPayment]]:
    """Create a payment for each affiliate and currency that is due; each on its own.

    field: the parameter with the affiliates.
    A run that names no affiliates leaves out the ones that changed their payment systems in the last 24 hours.
    Returns the payments, and the affiliates without a payment that were named or left out, with the reason.
    Raises BadInput for an affiliate that does not exist or is out of scope.
    """
    min_payment = least_payments(deps)
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        check_affiliates(conn, scope, run.affiliate_ids, field)
        due = payments.list_payable(conn, scope, affiliate_ids=run.affiliate_ids, currencies=run.currencies)
        changed = (
            set[int]()
            if run.affiliate_ids
            else affiliates.payee_changes_since(conn, deps.clock.now_ms() - PAYEE_REST_MS)
        )
    made: list[AffiliatePayment] = []
    wanted = [each for each in run.affiliate_ids if each not in run.excluded_ids]
    payable = {item.affiliate_id for item in due}
    only = run.currencies[0] if len(run.currencies) == 1 else ""
    skipped = [SkippedPayment(each, only, "nothing is available") for each in wanted if each not in payable]
    for item in due:
        if item.affiliate_id in run.excluded_ids:
            continue
        if item.affiliate_id in changed:
            skipped.append(SkippedPayment(item.affiliate_id, item.currency, _PAYEE_CHANGED))
            continue
        outcome = _pay(deps, access, item, min_payment.get(item.currency, ZERO), run)
        if isinstance(outcome, AffiliatePayment):
            made.append(outcome)
        elif run.affiliate_ids:
            skipped.append(SkippedPayment(item.affiliate_id, item.currency, outcome))
    return made, skipped


def edit_payment(
    deps: Deps,
    access: Access,
    number: int,
    *,
    status: PaymentStatus | None = None,
    texts: Mapping[str, str | None] = MappingProxyType({}),
    seen_amount: Decimal | None = None,
) -> EditedPayment:
    """Change the status of a payment, its comment, its note or its account; an execution is mailed.

    texts: the new ones by name; None keeps one. seen_amount: the one that a person saw; None = any.
    A status that sends money and needs a second person is held instead, and nothing changes.
    Raises NotFound, and Conflict for a forbidden move or an account that cannot change any more.
    """
    with deps.database.write() as conn:
        return change_payment(deps, conn, access, number, status=status, texts=texts, seen_amount=seen_amount)


def change_payment(
    deps: Deps,
    conn: Connection,
    access: Access,
    number: int,
    *,
    status: PaymentStatus | None = None,
    texts: Mapping[str, str | None] = MappingProxyType({}),
    seen_amount: Decimal | None = None,
) -> EditedPayment:
    """Change a payment as `edit_payment` does, in the transaction of the caller."""
    before = required(payments.find_payment(conn, scope_of(conn, access), number, lock=True))
    given = {name: value for name, value in texts.items() if value is not None}
    _check_account(deps, before, given)
    if seen_amount is not None and seen_amount != before.amount:
        seen, now = plain_amount(seen_amount), plain_amount(before.amount)
        raise Conflict({"seen_amount": [f"The amount is {now} {before.currency} by now, not {seen}."]})
    after = before.status if status is None else status
    if after is before.status:
        payments.set_texts(conn, number, given, deps.clock.now_ms())
        return EditedPayment(payments.get_payment(conn, number))
    _check_move(before, after)
    if after in SENDS_MONEY and deps.needs_second_person:
        return EditedPayment(before, _hold_execution(deps, conn, access, before, after, given))
    replace_held(deps, conn, access, HeldKind.PAYMENT, number)
    _set_status(deps, conn, before, after, given)
    return EditedPayment(payments.get_payment(conn, number))


def _check_account(deps: Deps, before: AffiliatePayment, given: Mapping[str, str]) -> None:
    """Raise Conflict for an account that cannot change: one person could send money elsewhere."""
    if given.get("account", before.account) == before.account:
        return
    if before.status not in EDITABLE:
        raise Conflict({"payment_account": [f"The payment is {_words(before.status)}."]})
    if deps.needs_second_person:
        text = "Change the payment systems of the affiliate instead: a second person confirms them."
        raise Conflict({"payment_account": [text]})


def execute_held(deps: Deps, conn: Connection, change: HeldChange) -> None:
    """Execute a payment as it was held. The caller has locked it and its affiliate.

    Raises Conflict when the payment or the payment systems of the affiliate are other ones by now.
    """
    found = payments.find_payment(conn, Scope.everything(), change.subject_id)
    if found is None or _kept_values(conn, found) != change.before:
        raise Conflict({"id": [_CHANGED_SINCE]})
    after = PaymentStatus(change.asked.get("status", PaymentStatus.PAID))
    _check_move(found, after, "id")
    texts = {name: change.asked.get(name) for name in ("comment", "note")}
    _set_status(deps, conn, found, after, {name: text for name, text in texts.items() if text is not None})


def _hold_execution(
    deps: Deps,
    conn: Connection,
    access: Access,
    before: AffiliatePayment,
    after: PaymentStatus,
    texts: Mapping[str, str],
) -> HeldChange:
    """Hold a status that sends money; "paid" and an absent note are held as they always were."""
    asked = {"comment": texts.get("comment")} | ({"note": texts["note"]} if "note" in texts else {})
    if after is not PaymentStatus.PAID:
        asked["status"] = after.value
    return hold_change(
        deps,
        conn,
        access,
        HeldKind.PAYMENT,
        affiliate_id=before.affiliate_id,
        subject_id=before.id,
        asked=asked,
        before=_kept_values(conn, before),
    )


def _kept_values(conn: Connection, found: AffiliatePayment) -> dict[str, Any]:
    """Return the values that the second person sees of a payment: the amount and the payment systems."""
    payee = affiliates.affiliates_of(conn, [found.affiliate_id])[found.affiliate_id]
    amount = {"amount": plain_amount(found.amount), "currency": found.currency}
    return {**amount, PAYMENT_SYSTEMS: payee.payment_systems}


def _check_move(before: AffiliatePayment, after: PaymentStatus, field: str = "status") -> None:
    """Raise Conflict for a move that is not allowed. field: its name in the request."""
    if after not in PAYMENT_TRANSITIONS[before.status]:
        raise Conflict({field: [f"The payment is {_words(before.status)}."]})


def _words(status: PaymentStatus) -> str:
    return status.value.replace("_", " ")


def _set_status(
    deps: Deps, conn: Connection, before: AffiliatePayment, after: PaymentStatus, texts: Mapping[str, str]
) -> None:
    """Set the status and texts of a payment, and publish its end; cancelling ends its corrections."""
    now = deps.clock.now_ms()
    if after is PaymentStatus.CANCELLED:
        before = payment_changes.remove_corrections(conn, before, now)
    payments.set_status(conn, before, after, now)
    payments.set_texts(conn, before.id, texts, now)
    if after is PaymentStatus.PAID and after is not before.status:
        add_remittance(deps, conn, payments.get_payment(conn, before.id))
    if after is not before.status and after in _PUBLISHED:
        _publish_payment(conn, _PUBLISHED[after], before, now)


def get_payment(deps: Deps, access: Access, number: int) -> AffiliatePayment:
    """Return a payment to an affiliate in scope. Raises NotFound."""
    with deps.database.read() as conn:
        return required(payments.find_payment(conn, scope_of(conn, access), number))


def list_payments(
    deps: Deps, access: Access, chosen: PaymentFilter, *, page: int, limit: int
) -> tuple[list[AffiliatePayment], int]:
    """Return a page of payments, the newest first, and the total."""
    with deps.database.read() as conn:
        return payments.list_payments(conn, scope_of(conn, access), chosen, page=page, limit=limit)


def each_payment(deps: Deps, access: Access, chosen: PaymentFilter) -> Iterator[AffiliatePayment]:
    """Yield all payments, the newest first, read in pieces by short transactions."""
    before = None
    while True:
        with deps.database.read() as conn:
            piece = payments.payments_before(conn, scope_of(conn, access), chosen, before, _PIECE)
        yield from piece
        if len(piece) < _PIECE:
            return
        before = piece[-1].id


def each_entry(deps: Deps, number: int) -> Iterator[PaidEntry]:
    """Yield all that a payment pays, the oldest first, read in pieces."""
    after = None
    while True:
        with deps.database.read() as conn:
            piece = payments.entries_after(conn, number, after, _PIECE)
        yield from piece
        if len(piece) < _PIECE:
            return
        after = piece[-1]


def list_entries(deps: Deps, number: int, *, page: int, limit: int) -> tuple[list[PaidEntry], int]:
    """Return a page of what a payment pays, the oldest first, and the total."""
    with deps.database.read() as conn:
        return payments.list_entries(conn, number, page=page, limit=limit)


def _publish_payment(conn: Connection, kind: EventKind, payment: AffiliatePayment, now_ms: int) -> None:
    """Publish what happened to a payment."""
    amount = MailMoney(payment.amount, payment.currency)
    values = {"amount": amount} if kind is EventKind.PAYMENT_MADE else {"amount": amount, "payment": payment.id}
    publish(conn, kind, now_ms, Concerned(payment.id, payment.affiliate_id), **values)


class _Unpayable(Exception):
    """The ledger moved meanwhile, so the payment is rolled back; the message is the reason."""


def payee_of(
    conn: Connection, affiliate_id: int, currency: str, system_id: int | None = None
) -> tuple[int | None, str]:
    """Return the payment system that a payment goes to, and its account as text.

    system_id: the one that the affiliate asked for; otherwise its first one that pays the currency.
    """
    own = affiliates.affiliates_of(conn, [affiliate_id])[affiliate_id].payment_systems
    payee = choose_payee(own, currency, system_id)
    if payee is None:
        return None, ""
    system = payment_systems.find_payment_system(conn, payee["system_id"])
    labels = {} if system is None else {str(each["id"]): each["lang_label"] for each in system.fields}
    return payee["system_id"], account_text(payee, labels)


def _pay(
    deps: Deps, access: Access, due: PayableBalance, min_payment: Decimal, run: PaymentRun
) -> AffiliatePayment | str:
    """Return the payment, or the reason why there is none.

    It checks before it writes: a rollback here would undo an outer transaction.
    """
    assert isinstance(access.caller, StaffCaller)
    now, account_key = deps.clock.now_ms(), (due.affiliate_id, due.currency)
    try:
        with deps.database.write() as conn:
            payments.lock_affiliate(conn, due.affiliate_id)
            chosen = _chosen(conn, due, run, now)
            request = payment_requests.find_open_request(conn, *account_key)
            asked = None if request is None or not run.pays_requests else request.amount
            account = DueAccount(
                affiliate_id=due.affiliate_id,
                currency=due.currency,
                available=payments.get_available(conn, *account_key),
                due=payments.get_unpaid(conn, *account_key, chosen),
            )
            payable = payable_of(account, min_payment, asked)
            unpayable = _unpayable_text(account, payable, min_payment, run)
            if unpayable:
                return unpayable
            is_asked = asked is not None and in_units(asked, due.currency) <= payable.amount
            made = payments.add_payment(
                conn,
                *account_key,
                chosen=chosen,
                exactly=payable.amount if payable.exactly else None,
                texts={"comment": run.comment, "note": run.note},
                payee=payee_of(conn, *account_key, request.system_id if request and is_asked else None),
                staff_id=access.caller.id,
                now_ms=now,
            )
            if made.amount != payable.amount:
                raise _Unpayable(_moved(made.amount, payable.amount))
            if request is not None and is_asked:
                _accept(conn, request, made, access.caller.id, now)
            _publish_payment(conn, EventKind.PAYMENT_MADE, made, now)
            return made
    except _Unpayable as reason:
        return str(reason)


def _chosen(conn: Connection, due: PayableBalance, run: PaymentRun, now_ms: int) -> PayableFilter:
    """Return the filter of a run for an account, with the payment terms of its affiliate."""
    chosen = run.chosen
    if run.since_last_payment:
        chosen = replace(chosen, since=payments.find_last_payment_time(conn, due.affiliate_id, due.currency))
    terms = affiliates.affiliates_of(conn, [due.affiliate_id])[due.affiliate_id].payment_terms
    return replace(chosen, matured_at=now_ms - terms * _DAY_MS) if terms else chosen


def _accept(conn: Connection, request: PaymentRequest, made: AffiliatePayment, staff_id: str, now_ms: int) -> None:
    """Accept a request that a run pays."""
    accepted = {"status": PaymentRequestStatus.ACCEPTED, "payment_id": made.id, "decided_by": staff_id}
    payment_requests.edit_request(conn, request.id, accepted | {"updated_at": now_ms})


def _unpayable_text(account: DueAccount, payable: Payable, min_payment: Decimal, run: PaymentRun) -> str:
    """Return why an account is not paid, "" if it is."""
    currency, due = account.currency, rounded(in_units(account.due, account.currency))
    for reason in payable.reasons:
        match reason:
            case ProposalReason.BELOW_MINIMUM:
                return f"{due} is less than the least payment of {min_payment}"
            case ProposalReason.NOT_YET_DUE if account.due <= 0 and run.pays_requests:
                return "nothing is due yet"
            case _ if account.due <= 0:
                return "nothing is available"
            case ProposalReason.DEBT:
                return f"{due} is more than the {account.available} that are available by now"
        return f"{account.due} is less than {unit_of(currency)} {currency}, the smallest amount that can be transferred"
    seen = payable.amount if run.seen is None else run.seen.get((account.affiliate_id, currency), ZERO)
    return "" if seen == payable.amount else _moved(payable.amount, seen)


def _moved(now: Decimal, seen: Decimal) -> str:
    return f"the amount is {plain_amount(now)} by now, not {plain_amount(seen)}"


def least_payments(deps: Deps) -> dict[str, Decimal]:
    """Return the least payment by currency."""
    return {quote.code: quote.min_payment for quote in list_currencies(deps)}


def check_affiliates(conn: Connection, scope: Scope, affiliate_ids: Sequence[int], field: str) -> None:
    """Raise BadInput for affiliates that do not exist or are out of scope, at the parameter `field`."""
    known = affiliates.names_of(conn, set(affiliate_ids))
    absent = [each for each in affiliate_ids if each not in known or not scope.has_affiliate(each)]
    if absent:
        raise BadInput({field: [f"An affiliate {each} does not exist." for each in absent]})
