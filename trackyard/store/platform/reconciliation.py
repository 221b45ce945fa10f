"""Reads SQL for `trackyard audit`: conversions, pending events and the ledger, page by page."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import msgspec
from sqlalchemy import Connection, Select, func, select

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import PaymentStatus
from trackyard.domain.money.ledger import ADVANCE, CONVERSION_KINDS, CORRECTION, OTHER_KINDS, PAYMENT, REFERRAL_KINDS
from trackyard.domain.money.payment_states import EXECUTED, PaidSums, PaymentState
from trackyard.domain.statistics.rows import ConversionEvent, ConversionEventFields, ServerPostbackLog
from trackyard.store.engine.types import Amount
from trackyard.store.money.affiliate_payments import ENTRY_JOIN
from trackyard.store.money.payment_states import has_state
from trackyard.store.tables import (
    conversion,
    conversion_event,
    correction,
    inbox,
    ledger,
    outbox,
    payment,
    payment_entry,
)

_decode_facts = msgspec.json.Decoder(ConversionEvent).decode_lines
_decode_logs = msgspec.json.Decoder(ServerPostbackLog).decode_lines
_POSTBACK_ACTOR = "call:"


@dataclass(frozen=True, slots=True)
class StoredConversion:
    """A conversion as it is stored. Times are UTC milliseconds."""

    id: str
    version: int
    status: str
    offer_id: int
    affiliate_id: int
    currency: str
    charge: Decimal
    payout: Decimal
    charge_base: Decimal
    payout_base: Decimal
    created_at: int
    referrer_id: int | None
    referral_percent: Decimal


@dataclass(frozen=True, slots=True)
class LedgerSums:
    """The sums of the ledger for one conversion, affiliate and currency; both 0 equals none."""

    affiliate_id: int
    currency: str
    hold: Decimal
    available: Decimal


@dataclass(frozen=True, slots=True)
class PaymentSums:
    """A payment, the sum of what it pays, and the sum of its own entries."""

    id: int
    status: PaymentStatus
    amount: Decimal
    paid: Decimal
    entered: Decimal


@dataclass(slots=True)
class PaidConversionSums:
    """What conversions of one affiliate in one currency are paid.

    closed: payouts of closed conversions; equal to executed - other. executed: of entries in executed payments.
    other: of these, entries of conversions that they do not pay exactly.
    """

    affiliate_id: int
    currency: str
    closed: Decimal = ZERO
    executed: Decimal = ZERO
    other: Decimal = ZERO


@dataclass(frozen=True, slots=True)
class EntrySums:
    """What entries of the ledger from one source must add up to, and what they do."""

    source_id: str
    wanted: Decimal
    entered: Decimal


_STATE = [conversion.c[name] for name in StoredConversion.__slots__]


def find_creation_range(conn: Connection) -> tuple[int, int] | None:
    """Return the creation of the first and the last conversion (UTC milliseconds), or None."""
    first, last = conn.execute(select(func.min(conversion.c.created_at), func.max(conversion.c.created_at))).one()
    return None if first is None else (int(first), int(last))


def conversions_between(conn: Connection, since: int, until: int) -> list[StoredConversion]:
    """Return the conversions created from `since` to `until` (UTC milliseconds, exclusive)."""
    query = select(*_STATE).where(conversion.c.created_at >= since, conversion.c.created_at < until)
    return [StoredConversion(*row) for row in conn.execute(query)]


def pending_events(conn: Connection) -> list[ConversionEventFields]:
    """Return committed rows of `fact` that may not be loaded yet."""
    rows = conn.execute(select(outbox.c.payload).where(outbox.c.target == "fact")).scalars()
    return [fact for payload in rows for fact in _decode_facts(payload)]


def pending_server_logs(conn: Connection) -> list[ServerPostbackLog]:
    """Return committed rows of `server_log` that may not be loaded yet."""
    rows = conn.execute(select(outbox.c.payload).where(outbox.c.target == "server_log")).scalars()
    return [log for payload in rows for log in _decode_logs(payload)]


def positions_in_inbox(conn: Connection, journal: str) -> set[int]:
    """Return the positions of a journal's undecided postbacks, dead letters too."""
    return set(conn.execute(select(inbox.c.position).where(inbox.c.journal == journal)).scalars())


def ledger_sums_between(conn: Connection, since: int, until: int, *, shares: bool) -> dict[str, list[LedgerSums]]:
    """Return the sums of the ledger by conversion created in this time.

    shares: True sums only the shares of referrers, False everything else.
    """
    created = select(conversion.c.id).where(conversion.c.created_at >= since, conversion.c.created_at < until)
    rows = conn.execute(
        select(
            ledger.c.source_id,
            ledger.c.affiliate_id,
            ledger.c.currency,
            func.sum(ledger.c.hold, type_=Amount).label("hold"),
            func.sum(ledger.c.available, type_=Amount).label("available"),
        )
        .where(
            ledger.c.source_id.in_(created),
            ledger.c.kind.in_(REFERRAL_KINDS) if shares else ledger.c.kind.not_in((*REFERRAL_KINDS, *OTHER_KINDS)),
        )
        .group_by(ledger.c.source_id, ledger.c.affiliate_id, ledger.c.currency)
    )
    found: dict[str, list[LedgerSums]] = {}
    for row in rows:
        entered = LedgerSums(row.affiliate_id, row.currency, row.hold, row.available)
        found.setdefault(row.source_id, []).append(entered)
    return found


def orphan_ledger_sources(conn: Connection) -> list[str]:
    """Return the ids of missing conversions that the ledger refers to."""
    known = select(conversion.c.id)
    of_conversions = ledger.c.kind.not_in(OTHER_KINDS)
    query = select(ledger.c.source_id).where(of_conversions, ledger.c.source_id.not_in(known)).distinct()
    return sorted(conn.execute(query).scalars())


def correction_sums(conn: Connection) -> list[EntrySums]:
    """Return every correction with its entries, and entries without a correction."""
    stored = {
        (str(row.id), row.affiliate_id, row.currency): row.amount
        for row in conn.execute(
            select(correction.c.id, correction.c.affiliate_id, correction.c.currency, correction.c.amount).where(
                correction.c.removed_at.is_(None)
            )
        )
    }
    return _entry_sums(conn, CORRECTION, stored)


def advance_sums(conn: Connection) -> list[EntrySums]:
    """Return the entries that pay ahead, by payment; the entries of one payment sum to 0."""
    return _entry_sums(conn, ADVANCE, {})


def _entry_sums(conn: Connection, kind: str, stored: dict[tuple[str, int, str], Decimal]) -> list[EntrySums]:
    """Return the stored sums and the ledger's sums of a kind, by source, affiliate and currency."""
    key = (ledger.c.source_id, ledger.c.affiliate_id, ledger.c.currency)
    sums = (func.sum(ledger.c.available, type_=Amount), func.sum(ledger.c.hold, type_=Amount))
    entered: dict[tuple[str, int, str], Decimal] = {}
    for source_id, affiliate_id, currency, available, hold in conn.execute(
        select(*key, *sums).where(ledger.c.kind == kind).group_by(*key)
    ):
        entered[source_id, affiliate_id, currency] = available + hold
    nothing = Decimal(0)
    return [
        EntrySums(each[0], stored.get(each, nothing), entered.get(each, nothing))
        for each in sorted(stored.keys() | entered.keys())
    ]


def payment_sums(conn: Connection) -> list[PaymentSums]:
    """Return every payment with the sums that must equal its amount."""
    entries = (
        select(payment_entry.c.payment_id, func.sum(ledger.c.available, type_=Amount))
        .join(ledger, ENTRY_JOIN)
        .group_by(payment_entry.c.payment_id)
    )
    paid = dict(conn.execute(entries).all())
    own = select(ledger.c.source_id, func.sum(ledger.c.available, type_=Amount)).where(ledger.c.kind == PAYMENT)
    entered = dict(conn.execute(own.group_by(ledger.c.source_id)).all())
    nothing = Decimal(0)
    return [
        PaymentSums(
            row.id, PaymentStatus(row.status), row.amount, paid.get(row.id, nothing), entered.get(str(row.id), nothing)
        )
        for row in conn.execute(select(payment.c.id, payment.c.status, payment.c.amount).order_by(payment.c.id))
    ]


def paid_conversion_sums(conn: Connection) -> list[PaidConversionSums]:
    """Return the paid sums of conversions, by affiliate and currency."""
    found: dict[tuple[int, str], PaidConversionSums] = {}
    key = (conversion.c.affiliate_id, conversion.c.currency)
    closed = select(*key, func.sum(conversion.c.payout, type_=Amount)).where(has_state(PaymentState.CLOSED))
    for affiliate_id, currency, payouts in conn.execute(closed.group_by(*key)):
        found[affiliate_id, currency] = PaidConversionSums(affiliate_id, currency, closed=payouts)
    for row in conn.execute(_executed_entries().execution_options(yield_per=5000)):
        payee = row.affiliate_id, row.currency
        sums = found.setdefault(payee, PaidConversionSums(*payee))
        sums.executed += row.amount
        is_own = (row.of_affiliate, row.of_currency) == payee
        if not is_own or PaidSums(row.amount).state_of(row.payout) is not PaymentState.CLOSED:
            sums.other += row.amount
    return [found[payee] for payee in sorted(found)]


def _executed_entries() -> Select[Any]:
    """Return the statement for the sums of executed payments by payee, currency and conversion."""
    key = (payment.c.affiliate_id, payment.c.currency)
    own = (conversion.c.affiliate_id.label("of_affiliate"), conversion.c.currency.label("of_currency"))
    return (
        select(*key, *own, conversion.c.payout, func.sum(ledger.c.available, type_=Amount).label("amount"))
        .select_from(payment_entry)
        .join(payment, payment.c.id == payment_entry.c.payment_id)
        .join(ledger, ENTRY_JOIN)
        .join(conversion, conversion.c.id == payment_entry.c.source_id)
        .where(payment.c.status == EXECUTED, payment_entry.c.kind.in_(CONVERSION_KINDS))
        .group_by(*key, *own, conversion.c.payout, conversion.c.id)
    )


def each_postback_change(conn: Connection, since: str) -> Iterator[tuple[str, str]]:
    """Yield (id of the postback, conversion) of changes by postbacks, from an id on."""
    query = select(conversion_event.c.actor, conversion_event.c.conversion_id).where(
        conversion_event.c.actor.like(f"{_POSTBACK_ACTOR}%"), conversion_event.c.actor >= f"{_POSTBACK_ACTOR}{since}"
    )
    for row in conn.execute(query.execution_options(yield_per=5000)):
        yield row.actor.removeprefix(_POSTBACK_ACTOR), row.conversion_id


def existing_conversions(conn: Connection, ids: Collection[str]) -> set[str]:
    """Return the ids of existing conversions."""
    return set(conn.execute(select(conversion.c.id).where(conversion.c.id.in_(ids))).scalars())
