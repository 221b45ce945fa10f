"""Files of payments by templates of columns, and results (docs/spec/money.md#files-of-payments)."""

from dataclasses import replace
from decimal import Decimal

import pytest

from trackyard.domain.money.affiliate_payments import AffiliatePayment, PaymentStatus
from trackyard.domain.money.file_templates import SHIPPED_TEMPLATES
from trackyard.domain.money.ibans import find_bic, find_iban
from trackyard.domain.money.payment_files import FilePayee, MacroFault, amount_cell, cell_of, fill_file, plain_text
from trackyard.domain.money.payment_results import ResultEffect, ResultLine, ResultStatus, check_results

PAYEE = FilePayee(name="Ann Shop", email="ann@shop.example")
MADE = AffiliatePayment(
    7,
    3,
    "EUR",
    Decimal("12.5"),
    PaymentStatus.CREATED,
    "November",
    "s",
    1,
    1,
    None,
    account="IBAN: DE02 1203 0000 0000 2020 51",
)


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("DE02 1203 0000 0000 2020 51", "DE02120300000000202051"),
        ("de02120300000000202051", "DE02120300000000202051"),
        ("GB82 WEST 1234 5698 7654 32", "GB82WEST12345698765432"),
        ("DE02120300000000202052", ""),
        ("DE02", ""),
        ("", ""),
        ("DE02120300000000202051 (mine)", ""),
    ],
)
def test_iban_is_checked_by_its_checksum(text: str, found: str) -> None:
    assert find_iban(text) == found


def test_bic_has_eight_or_eleven_signs() -> None:
    assert (find_bic("byladem1001"), find_bic("BYLADEM1"), find_bic("BYLADEM10"), find_bic("1")) == (
        "BYLADEM1001",
        "BYLADEM1",
        "",
        "",
    )


@pytest.mark.parametrize(
    ("amount", "currency", "mark", "text"),
    [
        ("12.5", "EUR", ".", "12.50"),
        ("12.5", "EUR", ",", "12,50"),
        ("99", "JPY", ".", "99"),
        ("1", "KWD", ".", "1.000"),
    ],
)
def test_amount_has_the_places_of_its_currency(amount: str, currency: str, mark: str, text: str) -> None:
    assert amount_cell(Decimal(amount), currency, mark) == text


@pytest.mark.parametrize(
    ("value", "account", "text"),
    [
        ("{payment}/{affiliate} {name} {email}", "", "7/3 Ann Shop ann@shop.example"),
        ("{amount} {currency} {comment} {reference}", "", "12.50 EUR November Payment 7"),
        ("{account}", "E-mail: a@b.example\nTag: 5", "a@b.example"),
        ("{account:tag}", "E-mail: a@b.example\nTag: 5", "5"),
        ("<{account:Tag?}>", "E-mail: a@b.example", "<>"),
        ("{account_email}", "Name: Ann\nPayPal: a@b.example", "a@b.example"),
        ("{account}", "typed by hand", "typed by hand"),
        ("{iban} {bic}", "IBAN: DE02120300000000202051\nBIC: BYLADEM1001", "DE02120300000000202051 BYLADEM1001"),
        ("constant {", "", "constant {"),
    ],
)
def test_macros_have_the_values_of_the_payment(value: str, account: str, text: str) -> None:
    assert cell_of(value, replace(MADE, account=account), PAYEE) == text


@pytest.mark.parametrize("value", ["{iban}", "{account}", "{account:Tag}", "{account_email}", "{unknown}"])
def test_macro_without_a_value_is_a_fault(value: str) -> None:
    with pytest.raises(MacroFault):
        cell_of(value, replace(MADE, account=""), PAYEE)


def test_values_are_never_macros() -> None:
    assert cell_of("{name}", MADE, FilePayee(name="{email}", email="x")) == "{email}"


@pytest.mark.parametrize("key", SHIPPED_TEMPLATES)
def test_shipped_template_fills_every_column(key: str) -> None:
    template = SHIPPED_TEMPLATES[key]
    payment = replace(MADE, account="PayPal: a@b.example\nIBAN: DE02120300000000202051")
    file, faults = fill_file(template, [payment, replace(payment, id=8)], {3: PAYEE})
    assert faults == [] and [len(row) for row in file.cells] == [len(template.columns)] * 2
    assert (file.amount, file.numbers) == (Decimal(25), [7, 8])
    assert bool(template.page) == bool(template.read_on) and (template.page or template.note)


def test_payments_without_an_account_are_named() -> None:
    _, faults = fill_file(SHIPPED_TEMPLATES["sepa"], [MADE, replace(MADE, id=9, account="IBAN: DE00")], {3: PAYEE})
    assert faults == ["Payment 9: its account has no valid IBAN."]


def test_text_for_banks_has_plain_letters_alone() -> None:
    assert plain_text("Müller & Söhne „Straße“ №5") == "Muller . Sohne .Strasse. No5"


def line(number: int, payment: int, status: str = "paid", amount: str | None = None, currency: str = "") -> ResultLine:
    return ResultLine(
        line=number,
        payment_id=payment,
        status=ResultStatus(status),
        amount=None if amount is None else Decimal(amount),
        currency=currency,
    )


@pytest.mark.parametrize(
    ("result", "status", "effect", "fault"),
    [
        (line(2, 7), "created", "pays", ""),
        (line(2, 7, amount="12.50", currency="EUR"), "pending", "pays", ""),
        (line(2, 7, "failed"), "created", "cancels", ""),
        (line(2, 7), "paid", "none", ""),
        (line(2, 7), "partly_paid", "pays", ""),
        (line(2, 7, "failed"), "cancelled", "none", ""),
        (line(2, 7, "failed"), "paid", "refused", "The payment is paid."),
        (line(2, 7, "failed"), "partly_paid", "refused", "The payment is partly paid."),
        (line(2, 7), "cancelled", "refused", "The payment is cancelled."),
        (line(2, 7, amount="12.51"), "created", "refused", "The payment is of 12.5, not 12.51."),
        (line(2, 7, currency="USD"), "created", "refused", "The payment is in EUR, not USD."),
        (line(2, 8), "created", "refused", "A payment 8 does not exist."),
    ],
)
def test_result_line_has_its_effect_or_a_fault(result: ResultLine, status: str, effect: str, fault: str) -> None:
    [found] = check_results([result], {7: replace(MADE, status=PaymentStatus(status))})
    assert (found.effect, found.fault) == (ResultEffect(effect), fault)


def test_payment_twice_in_a_file_is_refused() -> None:
    found = check_results([line(2, 7), line(5, 7)], {7: MADE})
    assert [each.fault for each in found] == ["", "Line 2 has the same payment."]
