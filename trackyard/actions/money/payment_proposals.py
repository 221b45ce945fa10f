"""Use cases of proposals: what a payment run would pay, and why not (docs/spec/money.md#payment-runs)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal

from trackyard.actions.deps import Deps
from trackyard.actions.money.affiliate_payments import check_affiliates, least_payments
from trackyard.actions.people.scope import scope_of
from trackyard.actions.platform.traffic_quality import find_suspicions
from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import PayableBalance
from trackyard.domain.money.payees import account_text, choose_payee, masked_account
from trackyard.domain.money.payment_proposals import (
    DueAccount,
    PayeeFacts,
    ProposedPayment,
    doubts_about,
    payable_of,
)
from trackyard.domain.money.payment_requests import PaymentRequest
from trackyard.domain.money.payment_systems import PaymentSystem
from trackyard.domain.money.units import in_units
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Access
from trackyard.store.engine.database import Connection
from trackyard.store.money import due_accounts, payment_requests, payment_systems
from trackyard.store.people import affiliates


@dataclass(frozen=True, slots=True, kw_only=True)
class Proposal:
    """What a run would pay, by affiliate and currency.

    emails: by affiliate. is_read: whether the findings about the traffic of affiliates could be read.
    """

    rows: Sequence[ProposedPayment]
    emails: dict[int, str]
    is_read: bool


@dataclass(frozen=True, slots=True)
class _Seen:
    """What a proposal looks at, besides accounts."""

    minima: Mapping[str, Decimal]
    requests: Mapping[tuple[int, str], PaymentRequest]
    systems: Mapping[int, PaymentSystem]
    suspicions: Mapping[int, Sequence[str]] | None
    now_ms: int


def propose_payments(
    deps: Deps,
    access: Access,
    *,
    affiliate_ids: Sequence[int] = (),
    currency: str | None = None,
    until: int | None = None,
) -> Proposal:
    """Return every account with money that is available or owed, and what a run pays of it.

    until (exclusive): UTC milliseconds; what became available later is left out, and requests are not paid in full.
    Raises BadInput for an affiliate that does not exist or is out of scope.
    """
    suspicions, minima, now = find_suspicions(deps), least_payments(deps), deps.clock.now_ms()
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        check_affiliates(conn, scope, affiliate_ids, "pid")
        currencies = () if currency is None else (currency,)
        accounts = due_accounts.list_due_accounts(
            conn, scope, now, until=until, affiliate_ids=affiliate_ids, currencies=currencies
        )
        asked = payment_requests.list_open_requests(conn, scope) if until is None else []
        requests = {(each.affiliate_id, each.currency): each for each in asked}
        systems = {each.id: each for each in payment_systems.list_payment_systems(conn)}
        seen = _Seen(minima, requests, systems, suspicions, now)
        people = _people(conn, accounts)
    return Proposal(
        rows=list(_rows(accounts, people, seen)),
        emails={each.id: each.email for each in people.values()},
        is_read=suspicions is not None,
    )


def list_due(
    deps: Deps, access: Access, affiliate_ids: Sequence[int] = (), currency: str | None = None
) -> list[PayableBalance]:
    """Return the balances of which a run pays something."""
    minima, now = least_payments(deps), deps.clock.now_ms()
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        currencies = () if currency is None else (currency,)
        accounts = due_accounts.list_due_accounts(conn, scope, now, affiliate_ids=affiliate_ids, currencies=currencies)
        requests = {
            (each.affiliate_id, each.currency): each.amount for each in payment_requests.list_open_requests(conn, scope)
        }
        names = affiliates.names_of(conn, {each.affiliate_id for each in accounts})
    found = []
    for account in accounts:
        minimum = minima.get(account.currency, ZERO)
        payable = payable_of(account, minimum, requests.get((account.affiliate_id, account.currency)))
        amount = payable.amount if payable.exactly else account.due
        if payable.amount:
            email = names[account.affiliate_id].email
            found.append(PayableBalance(account.affiliate_id, account.currency, amount, email, minimum))
    return found


def _people(conn: Connection, accounts: Sequence[DueAccount]) -> dict[int, Affiliate]:
    return affiliates.affiliates_of(conn, {each.affiliate_id for each in accounts})


def _rows(accounts: Sequence[DueAccount], people: Mapping[int, Affiliate], seen: _Seen) -> Iterator[ProposedPayment]:
    for account in accounts:
        person, minimum = people[account.affiliate_id], seen.minima.get(account.currency, ZERO)
        request = seen.requests.get((account.affiliate_id, account.currency))
        payable = payable_of(account, minimum, None if request is None else request.amount)
        is_paid = request is not None and in_units(request.amount, account.currency) <= payable.amount
        wanted = request.system_id if request is not None and is_paid else None
        payee = choose_payee(person.payment_systems, account.currency, wanted)
        system = None if payee is None else seen.systems.get(payee["system_id"])
        labels = {} if system is None else {str(each["id"]): each["lang_label"] for each in system.fields}
        findings = tuple((seen.suspicions or {}).get(person.id, ()))
        facts = PayeeFacts(
            is_active=person.status.rule.may_sign_in,
            has_payee=payee is not None,
            changed_at=person.payee_changed_at,
            suspicions=None if seen.suspicions is None else len(findings),
        )
        row = ProposedPayment(
            account=account,
            payable=payable,
            rest=max(account.due - in_units(account.due, account.currency), ZERO),
            terms=person.payment_terms,
            min_payment=minimum,
            requested=None if request is None else request.amount,
            system="" if system is None else system.lang_label,
            payee="" if payee is None else masked_account(account_text(payee, labels)),
            findings=findings,
            reasons=payable.reasons,
        )
        yield replace(row, reasons=(*row.reasons, *doubts_about(facts, seen.now_ms)))
