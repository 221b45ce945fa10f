"""The rows of the tables of money, and the affiliate and the staff that they act on."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from sqlalchemy import select

from tests.support.api import PASSWORD, Api
from trackyard.actions.deps import Deps
from trackyard.actions.money import affiliate_payments, held_changes, payment_changes, payment_requests
from trackyard.actions.people.staff import set_password
from trackyard.base.errors import RequestError
from trackyard.base.ids import new_id
from trackyard.base.money import ZERO, plain_amount
from trackyard.domain.money.affiliate_payments import PaymentFilter, PaymentStatus
from trackyard.domain.money.held_changes import HeldChange, HeldChangeFilter
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.people.callers import Access
from trackyard.domain.people.roles import Permission, Role
from trackyard.store.money import ledger as ledgers
from trackyard.store.tables import ledger

ABSENT = 99_999_999
"""A number that nothing has."""


@dataclass
class MoneyDesk:
    """A new affiliate of an installation that other rows share.

    staff: the administrator who acts. other: a second one. own: the affiliate itself.
    sources: the conversions that earned something. made: what earlier acts returned, by name.
    """

    deps: Deps
    staff: Access
    other: Access
    own: Access
    pid: int
    sources: list[str] = field(default_factory=list)
    made: dict[str, Any] = field(default_factory=dict)

    @property
    def payment(self) -> int:
        """The number of the newest payment."""
        found, _ = affiliate_payments.list_payments(
            self.deps, self.staff, PaymentFilter(affiliate_ids=(self.pid,)), page=1, limit=1
        )
        return found[0].id

    @property
    def held(self) -> HeldChange:
        """The newest held change."""
        found, _ = held_changes.list_held_changes(
            self.deps, HeldChangeFilter(affiliate_ids=(self.pid,)), page=1, limit=1
        )
        return found.changes[0]

    def entries(self) -> Counter[str]:
        """The entries of the ledger in words."""
        query = select(ledger.c.kind, ledger.c.available, ledger.c.currency).where(ledger.c.affiliate_id == self.pid)
        with self.deps.database.read() as conn:
            rows = conn.execute(query).all()
        return Counter(f"{kind} {plain_amount(amount)} {currency}" for kind, amount, currency in rows)

    def payments(self) -> list[str]:
        """The payments in words, the oldest first."""
        found = affiliate_payments.each_payment(self.deps, self.staff, PaymentFilter(affiliate_ids=(self.pid,)))
        return [f"{each.status.value} {plain_amount(each.amount)}" for each in found][::-1]


Step = Callable[[MoneyDesk], Any]


@dataclass(frozen=True)
class Row:
    """A row of a table.

    before: what happens first. act: what is tested. adds: the entries that it adds to the ledger.
    payments: the payments after it. error: its error, "" = none. returns: what it returns, where that is tested.
    """

    name: str
    act: Step
    before: tuple[Step, ...] = ()
    adds: tuple[str, ...] = ()
    payments: tuple[str, ...] = ()
    error: str = ""
    returns: Any = None

    def check(self, desk: MoneyDesk) -> None:
        """Do it, and compare all of what is there after it."""
        for step in self.before:
            step(desk)
        entries = desk.entries()
        returned, error = None, ""
        try:
            returned = self.act(desk)
        except RequestError as refusal:
            error = error_text(refusal)
        after = desk.entries()
        assert error == self.error
        assert entries - after == Counter(), "the ledger is append-only"
        assert sorted((after - entries).elements()) == sorted(self.adds)
        assert tuple(desk.payments()) == self.payments
        assert self.returns is None or returned == self.returns


def by_name(*rows: Row) -> dict[str, Row]:
    """Return rows by their names, which are their own."""
    found = {row.name: row for row in rows}
    assert len(found) == len(rows), "a name is that of two rows"
    return found


def error_text(refusal: RequestError) -> str:
    """An error in words: its type, and its fields with their texts."""
    fields = "; ".join(f"{name}: {' '.join(texts)}" for name, texts in (refusal.fields or {}).items())
    return f"{type(refusal).__name__} {fields}".strip()


def open_desk(api: Api) -> MoneyDesk:
    """Return a new affiliate, and two administrators."""
    people = []
    for _ in range(2):
        number, client = api.add_staff(Role.ADMIN)
        set_password(api.deps, number, PASSWORD)
        people.append(Access(api.caller_of(client), Permission.PAYMENTS_WRITE))
    pid, client = api.add_affiliate()
    own = Access(api.caller_of(client), Permission.BALANCES_READ)
    staff, other = people
    return MoneyDesk(api.deps, staff, other, own, pid)


def earned(amount: str, currency: str = "USD") -> Step:
    """A conversion that was confirmed."""

    def step(desk: MoneyDesk) -> None:
        now, source = desk.deps.clock.now_ms(), new_id(desk.deps.clock.now_ms())
        desk.sources.append(source)
        entry = LedgerEntry(desk.pid, "conversion", source, 1, currency, ZERO, Decimal(amount), now)
        with desk.deps.database.write() as conn:
            ledgers.add_entries(conn, [entry])

    return step


def paying(desk: MoneyDesk) -> Any:
    """Make a payment of all that is available."""
    return affiliate_payments.add_payments(
        desk.deps, desk.staff, affiliate_payments.PaymentRun(affiliate_ids=(desk.pid,))
    )


def exactly(amount: str) -> Step:
    """Make a payment of an amount."""
    return lambda desk: payment_changes.add_exact_payment(desk.deps, desk.staff, desk.pid, Decimal(amount), "USD", "")


def moved(status: PaymentStatus) -> Step:
    """The newest payment gets a status."""
    return lambda desk: affiliate_payments.edit_payment(desk.deps, desk.staff, desk.payment, status=status)


def asked(amount: str, currency: str = "USD") -> Step:
    """The affiliate asks to be paid."""

    def step(desk: MoneyDesk) -> Any:
        found = payment_requests.add_request(desk.deps, desk.own, currency, Decimal(amount), None, "")
        desk.made["request"] = found.requests[0].id
        return found.requests[0].status.value

    return step


def careful(desk: MoneyDesk) -> None:
    """From now on a second person confirms."""
    desk.deps = replace(desk.deps, needs_second_person=True)


def outcome(act: Step, desk: MoneyDesk) -> Any:
    """What an act returns, or its error in words."""
    try:
        return act(desk)
    except RequestError as refusal:
        return error_text(refusal)
