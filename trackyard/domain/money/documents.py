"""Documents about money that are stored and never change (docs/spec/documents.md)."""

from dataclasses import dataclass
from enum import StrEnum

from trackyard.domain.people.callers import Account


class DocumentKind(StrEnum):
    """The kind of a document; its subject is an invoice, or a payment to an affiliate."""

    INVOICE = "invoice"
    CREDIT_NOTE = "credit note"
    REMITTANCE = "remittance"
    STATEMENT = "statement"


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredDocument:
    """A document of a company.

    id: 24 hex digits. subject: the number of its invoice or payment; of a statement its currency and days.
    company: the name of the account that it is for, such as advertiser:6553… . number: shown to people.
    content: as documents/content.py wrote it. file: the id of the PDF file, "" = it is not drawn yet.
    attempts: to draw it. created_at: UTC milliseconds.
    """

    id: str
    kind: DocumentKind
    subject: str
    company: str
    number: str
    content: str
    file: str = ""
    attempts: int = 0
    created_at: int

    @property
    def account(self) -> Account:
        """Return the account of the company."""
        return Account.of_name(self.company)

    @property
    def file_name(self) -> str:
        """Return the name of the PDF file."""
        letters = (letter if letter.isalnum() or letter in "-_." else "-" for letter in f"{self.kind}-{self.number}")
        return f"{''.join(letters)}.pdf"
