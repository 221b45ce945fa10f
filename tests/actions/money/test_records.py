"""What acts on currencies, payment systems, invoices and statements return or refuse, one a row."""

from datetime import date
from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.actions.money.desk import ABSENT, MoneyDesk, Step, earned, open_desk, outcome, paying
from tests.support.api import Api
from trackyard.actions.money import currencies, exchange_rates, invoices, payment_systems, referrals, statements
from trackyard.actions.money.payment_systems import SystemFieldInput
from trackyard.base.money import plain_amount
from trackyard.domain.money.currencies import NUMBERS
from trackyard.domain.money.invoices import Invoice, InvoiceFilter, InvoiceLine, InvoiceStatus, PayoutType
from trackyard.domain.money.referrals import ShareFilter
from trackyard.domain.money.statements import StatementDays, StatementGroup

DAYS = StatementDays(date(2023, 11, 14), date(2023, 11, 14), ZoneInfo("UTC"))
"""The day of the clock of tests."""


def added(code: str) -> Step:
    return lambda desk: (
        currencies.add_currency(desk.deps, code, Decimal(11), active=True, min_payment=Decimal(5)).min_payment
    )


def edited(code: str, **given: Any) -> Step:
    fields = {"rate": None, "active": None, "min_payment": None} | given
    return lambda desk: currencies.edit_currency(desk.deps, NUMBERS[code], **fields).active


def removed(code: str) -> Step:
    return lambda desk: currencies.remove_currency(desk.deps, NUMBERS[code]).code


def after(*steps: Step) -> Step:
    """Several acts, of which the last one counts."""
    return lambda desk: [step(desk) for step in steps][-1]


def system(currency: str | None = None, *fields: SystemFieldInput) -> Step:
    def step(desk: MoneyDesk) -> list[int]:
        made = payment_systems.add_payment_system(desk.deps, "Bank", currency, fields)
        desk.made["system"] = made.id
        return [each["id"] for each in made.fields]

    return step


def resystem(**given: Any) -> Step:
    return lambda desk: [
        each["id"] for each in payment_systems.edit_payment_system(desk.deps, desk.made["system"], given).fields
    ]


def chosen(fields: dict[str, str], currency: str = "") -> Step:
    def step(desk: MoneyDesk) -> str:
        item = {"system_id": desk.made.get("system", ABSENT), "currency": currency, "fields": fields}
        with desk.deps.database.write() as conn:
            return str(payment_systems.checked_payment_systems(desk.deps, conn, [item])[0]["currency"])

    return step


def invoice(**given: Any) -> Step:
    def step(desk: MoneyDesk) -> str:
        fields = {
            "advertiser_id": desk.made["advertiser"],
            "status": InvoiceStatus.UNPAID,
            "currency": "USD",
            "start_date": None,
            "end_date": None,
            "comment": None,
            "lines": (InvoiceLine(desk.made["offer"], PayoutType.ACTIONS, 1, Decimal(9), None),),
        }
        desk.made["invoice"] = invoices.add_invoice(desk.deps, desk.staff, Invoice(**{**fields, **given}))
        return "made"

    return step


def reinvoice(**given: Any) -> Step:
    def step(desk: MoneyDesk) -> str:
        invoices.edit_invoice(desk.deps, desk.staff, desk.made["invoice"], given)
        return invoices.get_invoice(desk.deps, desk.staff, desk.made["invoice"]).status.value

    return step


def statement(pid: int | None = None, *, own: bool = False, group: StatementGroup = StatementGroup.DAY) -> Step:
    def step(desk: MoneyDesk) -> str:
        access = desk.own if own else desk.staff
        found = statements.get_statement(desk.deps, access, pid or (None if own else desk.pid), "USD", DAYS, group)
        lines = "".join(f" {each.kind.value} {plain_amount(each.amount)}," for each in found.lines)
        before, last = (plain_amount(each.hold + each.available) for each in (found.opening, found.closing))
        return f"{before},{lines} {last}"

    return step


NEW_FIELD = SystemFieldInput(None, "IBAN", required=True)
FIRST, LAST = date(2023, 11, 1), date(2023, 11, 14)
ROWS: dict[str, tuple[Step, Any]] = {
    "add a currency": (added("SEK"), Decimal(5)),
    "add a currency twice": (after(added("NOK"), added("NOK")), "Conflict code: A currency NOK exists."),
    "add an unknown currency": (added("XXZ"), "BadInput code: This value must be a code of ISO 4217."),
    "switch a currency off": (after(added("DKK"), edited("DKK", active=False)), False),
    "switch the platform's off": (
        edited("USD", active=False),
        "BadInput active: The platform's own currency is always active.",
    ),
    "another rate of the platform's": (
        edited("USD", rate=Decimal(2)),
        "BadInput rate: The platform's own currency is always 1.",
    ),
    "remove a currency": (after(added("PLN"), removed("PLN")), "PLN"),
    "remove the platform's": (removed("USD"), "Conflict id: USD is in use."),
    "a currency of a number": (lambda desk: currencies.get_currency(desk.deps, NUMBERS["USD"]).default, True),
    "a currency without a rate": (lambda desk: currencies.get_currency(desk.deps, NUMBERS["VUV"]), "NotFound"),
    "the currencies": (lambda desk: "USD" in {each.code for each in currencies.list_currencies(desk.deps)}, True),
    "ask for rates twice": (
        lambda desk: exchange_rates.refresh_exchange_rates(desk.deps) == exchange_rates.exchange_rate_status(desk.deps),
        True,
    ),
    "a payment system": (system(None, NEW_FIELD, NEW_FIELD), [1, 2]),
    "a payment system of a currency without a rate": (
        system("VUV"),
        "BadInput currency: A currency VUV does not exist.",
    ),
    "numbers of fields are not used again": (
        after(system(None, NEW_FIELD, NEW_FIELD), resystem(fields=(NEW_FIELD,))),
        [3],
    ),
    "a field that does not exist": (
        after(system(), resystem(fields=(SystemFieldInput(7, "IBAN", required=True),))),
        "BadInput fields[0][id]: A field 7 does not exist, or is named twice.",
    ),
    "remove a payment system": (
        after(system(), lambda desk: payment_systems.remove_payment_system(desk.deps, desk.made["system"]).lang_label),
        "Bank",
    ),
    "a payment system that does not exist": (
        lambda desk: payment_systems.get_payment_system(desk.deps, ABSENT),
        "NotFound",
    ),
    "the payment systems": (
        after(system(), lambda desk: desk.made["system"] in {each.id for each in _systems(desk)}),
        True,
    ),
    "choose a payment system": (after(system("USD", NEW_FIELD), chosen({"1": "DE02"})), "USD"),
    "choose without a required answer": (
        after(system("USD", NEW_FIELD), chosen({})),
        "BadInput payment_systems[0][fields][1]: This value is required: IBAN.",
    ),
    "choose another currency": (
        after(system("USD"), chosen({}, "EUR")),
        "BadInput payment_systems[0][currency]: This payment system pays USD alone.",
    ),
    "choose a system that does not exist": (
        chosen({}),
        f"BadInput payment_systems[0][system_id]: A payment system {ABSENT} does not exist.",
    ),
    "an invoice": (invoice(start_date=FIRST, end_date=LAST), "made"),
    "an invoice of days in the wrong order": (
        invoice(start_date=LAST, end_date=FIRST),
        "BadInput end_date: This day must not lie before start_date.",
    ),
    "an invoice in a currency that is absent": (
        invoice(currency="VUV"),
        "BadInput currency: An active currency VUV does not exist.",
    ),
    "an invoice becomes paid": (after(invoice(), reinvoice(status=InvoiceStatus.PAID)), "paid"),
    "an invoice that does not exist": (lambda desk: invoices.get_invoice(desk.deps, desk.staff, ABSENT), "NotFound"),
    "the invoices of an advertiser": (
        after(
            invoice(),
            lambda desk: invoices.list_invoices(
                desk.deps, desk.staff, InvoiceFilter(advertisers=(desk.made["advertiser"],)), page=1, limit=9
            )[1],
        ),
        1,
    ),
    "an empty statement": (statement(), "0, 0"),
    "a statement": (after(earned("30"), statement()), "0, conversions 30, 30"),
    "a statement of one's own": (after(earned("30"), statement(own=True)), "0, conversions 30, 30"),
    "a statement with a payment": (after(earned("30"), paying, statement()), "0, conversions 30, payment -30, 0"),
    "a statement of nobody": (statement(ABSENT), f"BadInput pid: An affiliate {ABSENT} does not exist."),
    "the shares of an affiliate without referrals": (
        lambda desk: referrals.list_shares(desk.deps, desk.own, ShareFilter(since=0, until=10**15), page=1, limit=9),
        ([], 0),
    ),
}


def _systems(desk: MoneyDesk) -> Any:
    return payment_systems.list_payment_systems(desk.deps)


@pytest.mark.parametrize("name", ROWS)
def test_act_on_records_of_money_has_the_outcome_of_its_row(shared_api: Api, name: str) -> None:
    act, expected = ROWS[name]
    desk = open_desk(shared_api)
    desk.made["advertiser"] = shared_api.add_advertiser()
    desk.made["offer"] = shared_api.add_offer(advertiser=desk.made["advertiser"])
    assert outcome(act, desk) == expected
