"""Templates of the files in which payments go to banks (docs/spec/money.md#files-of-payments)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final


class FileForm(StrEnum):
    """The form of a file. pain_001: a credit transfer of ISO 20022 (pain.001.001.09)."""

    CSV = "csv"
    PAIN_001 = "pain.001"


@dataclass(frozen=True, slots=True)
class FileTemplateColumn:
    """A column of a file.

    heading: in the first line. value: a text with macros of domain/money/payment_files.py.
    """

    heading: str
    value: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FileTemplate:
    """The columns of a file of payments of one currency.

    separator, decimal_mark, has_headings: of CSV. most: payments of one file. currency: the only one; "" = any.
    page, read_on: where its columns are published, and when the page was read. note: what is assumed.
    """

    key: str
    name: str
    form: FileForm
    columns: Sequence[FileTemplateColumn]
    separator: str = ","
    decimal_mark: str = "."
    has_headings: bool = True
    most: int = 5000
    currency: str = ""
    page: str = ""
    read_on: str = ""
    note: str = ""


def _columns(*pairs: tuple[str, str]) -> tuple[FileTemplateColumn, ...]:
    return tuple(FileTemplateColumn(*pair) for pair in pairs)


_SHIPPED: Final = (
    FileTemplate(
        key="paypal",
        name="PayPal Payouts",
        form=FileForm.CSV,
        columns=_columns(
            ("Recipient identifier", "{account_email}"),
            ("Payment amount", "{amount}"),
            ("Currency", "{currency}"),
            ("Customer ID", "{payment}"),
            ("Note to recipient", "{reference}"),
            ("Recipient wallet", "PAYPAL"),
        ),
        has_headings=False,
        page="https://developer.paypal.com/payouts/use-payouts/send-money/use-web-ui",
        read_on="2026-11-30",
        note="Recipients are identified by e-mail address.",
    ),
    FileTemplate(
        key="wise",
        name="Wise batch payments, by e-mail address",
        form=FileForm.CSV,
        columns=_columns(
            ("name", "{name}"),
            ("recipientEmail", "{account_email}"),
            ("paymentReference", "{reference}"),
            ("receiverType", "PERSON"),
            ("amountCurrency", "target"),
            ("amount", "{amount}"),
            ("sourceCurrency", "{currency}"),
            ("targetCurrency", "{currency}"),
        ),
        most=1000,
        page="https://wise.com/help/articles/2663302/how-do-i-fill-in-my-batch-template",
        read_on="2026-11-30",
        note="The page lists the columns and refers to the template of the account for the values: paymentReference, "
        "receiverType and target are assumed. Compare the file with the template that your account offers.",
    ),
    FileTemplate(
        key="crypto",
        name="Mass payout of cryptocurrencies",
        form=FileForm.CSV,
        columns=_columns(
            ("Address", "{account}"),
            ("Tag", "{account:Tag?}"),
            ("Currency", "{currency}"),
            ("Amount", "{amount}"),
            ("Note", "{reference}"),
        ),
        most=500,
        page="https://docs.cryptoprocessing.com/mass-payouts/file-format",
        read_on="2026-11-30",
        note="Other services than CryptoProcessing have other columns.",
    ),
    FileTemplate(
        key="sepa",
        name="SEPA credit transfer (pain.001)",
        form=FileForm.PAIN_001,
        columns=_columns(
            ("name", "{name}"),
            ("iban", "{iban}"),
            ("bic", "{bic}"),
            ("amount", "{amount}"),
            ("reference", "{reference}"),
            ("id", "{payment}"),
        ),
        currency="EUR",
        note="A file of pain.001.001.09, checked against the schema of ISO 20022 that the package sepaxml ships.",
    ),
)
SHIPPED_TEMPLATES: Final[Mapping[str, FileTemplate]] = MappingProxyType({each.key: each for each in _SHIPPED})
"""The templates that every installation has, by key."""
