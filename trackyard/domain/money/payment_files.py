"""Rows of files of payments, made by a template of columns (docs/spec/money.md#files-of-payments)."""

import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.base.money import ZERO
from trackyard.domain.money.affiliate_payments import AffiliatePayment
from trackyard.domain.money.file_templates import FileTemplate
from trackyard.domain.money.ibans import find_bic, find_iban
from trackyard.domain.money.units import unit_of

_MACRO: Final = re.compile(r"\{([a-z_]+)(?::([^{}?]+))?(\?)?\}")
_PLAIN: Final = re.compile(r"[^A-Za-z0-9/?:().,'+ -]")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilePayee:
    """The receiver of a payment in a file, besides the account that the payment keeps."""

    name: str
    email: str


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentFile:
    """The cells of a file.

    cells: by payment, in the order of its columns. amount: the sum in `currency`.
    """

    template: FileTemplate
    cells: Sequence[Sequence[str]]
    numbers: Sequence[int]
    amount: Decimal
    currency: str


class MacroFault(Exception):
    """A macro has no value for a payment; the message is the reason."""


def amount_cell(amount: Decimal, currency: str, decimal_mark: str = ".") -> str:
    """Return an amount in the places of its currency: 12.50 USD, 99 JPY."""
    return f"{amount.quantize(unit_of(currency)):f}".replace(".", decimal_mark)


def account_values(account: str) -> list[tuple[str, str]]:
    """Return the label and the value of each line of an account; a line without a label has "" as one."""
    split = (line.partition(": ") for line in account.splitlines() if line.strip())
    return [(label.strip(), value.strip()) if mark else ("", label.strip()) for label, mark, value in split]


def plain_text(text: str) -> str:
    """Return a text in the letters that banks exchange (EPC217-08): accents go, other signs become points."""
    folded = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    return _PLAIN.sub(".", "".join(each for each in folded if not unicodedata.combining(each)))


def cell_of(value: str, payment: AffiliatePayment, payee: FilePayee, decimal_mark: str = ".") -> str:
    """Return the text of a column for a payment.

    Macros: {payment}, {affiliate}, {name}, {email}, {amount}, {currency}, {comment}, {reference}; of the account
    {account}, its first value, {account:LABEL} and {account:LABEL?}, which may lack, {account_email}, {iban} and {bic}.
    Raises MacroFault.
    """
    values = account_values(payment.account)
    simple = {
        "payment": str(payment.id),
        "affiliate": str(payment.affiliate_id),
        "name": payee.name,
        "email": payee.email,
        "amount": amount_cell(payment.amount, payment.currency, decimal_mark),
        "currency": payment.currency,
        "comment": payment.comment,
        "reference": f"Payment {payment.id}",
    }

    def filled(found: re.Match[str]) -> str:
        name, label, is_optional = found.groups()
        if name in simple and label is None:
            return simple[name]
        return _of_account(name, label or "", values, is_optional=bool(is_optional))

    return _MACRO.sub(filled, value)


def _of_account(name: str, label: str, values: Sequence[tuple[str, str]], *, is_optional: bool) -> str:
    texts = [text for _, text in values]
    match name:
        case "account" if label:
            found = next((text for each, text in values if each.casefold() == label.casefold()), "")
            if not found and not is_optional:
                raise MacroFault(f"its account has no {label}")
            return found
        case "account":
            return _first(texts, "it has no account")
        case "account_email":
            return _first([text for text in texts if "@" in text], "its account has no e-mail address")
        case "iban":
            return _first([each for text in texts if (each := find_iban(text))], "its account has no valid IBAN")
        case "bic":
            labelled = [text for each, text in values if "BIC" in each.upper() or "SWIFT" in each.upper()]
            return next((each for text in labelled if (each := find_bic(text))), "")
    raise MacroFault(f"the template has an unknown macro {{{name}}}")


def _first(found: Iterable[str], fault: str) -> str:
    for each in found:
        if each:
            return each
    raise MacroFault(fault)


def fill_file(
    template: FileTemplate, payments: Sequence[AffiliatePayment], payees: Mapping[int, FilePayee]
) -> tuple[PaymentFile, list[str]]:
    """Return the cells of a file, and the faults of payments that it cannot have.

    payees: by affiliate.
    """
    cells, faults = [], []
    for payment in payments:
        payee = payees[payment.affiliate_id]
        try:
            row = [cell_of(column.value, payment, payee, template.decimal_mark) for column in template.columns]
        except MacroFault as fault:
            faults.append(f"Payment {payment.id}: {fault}.")
        else:
            cells.append(row)
    file = PaymentFile(
        template=template,
        cells=cells,
        numbers=[each.id for each in payments],
        amount=sum((each.amount for each in payments), ZERO),
        currency=payments[0].currency,
    )
    return file, faults
