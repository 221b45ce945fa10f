"""The companies, the language and the amounts of documents (docs/spec/documents.md)."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal

from trackyard.base.texts.languages import language, speaking, spoken
from trackyard.base.texts.marks import gettext
from trackyard.documents.content import PAGE, PAGES, Document, DocumentTable, Party
from trackyard.domain.money.amounts import exact_places
from trackyard.domain.money.billing import Billing
from trackyard.domain.money.written_amounts import digits_words
from trackyard.domain.people.callers import Account
from trackyard.domain.platform.network import Network
from trackyard.store.engine.database import Connection
from trackyard.store.people.preferences import find_preferences


@contextmanager
def speaking_to(conn: Connection, account: Account) -> Iterator[None]:
    """Speak the language of an account while the block lasts."""
    with speaking(language(find_preferences(conn, account).language)):
        yield


def exact_words(amount: Decimal, currency: str) -> str:
    """Return an amount with all its digits and its currency, as unit prices are written."""
    return digits_words(amount.quantize(Decimal(1).scaleb(-exact_places(amount, currency))), currency)


def lines_of_text(text: str) -> list[str]:
    """Return the lines of a text that staff wrote, without empty ones."""
    return [line.strip() for line in text.splitlines() if line.strip()]


def party(heading: str, lines: Iterable[str | None], tax_number: str | None) -> Party:
    """Return a company on a document. lines: the name, then its address; empty ones are left out."""
    written = [line for line in lines if line]
    if tax_number:
        written.append(gettext("Tax number: %(number)s", number=tax_number))
    return Party(heading=heading, lines=tuple(written))


def issuer(billing: Billing, network: Network) -> Party:
    """Return the company that issues a document."""
    name = billing.legal_name or network.shown_name
    return party(gettext("From"), [name, *lines_of_text(billing.address)], billing.tax_number)


def new_document(
    billing: Billing,
    network: Network,
    *,
    title: str,
    receiver: Party,
    facts: Iterable[tuple[str, str]],
    tables: Iterable[DocumentTable],
    end: Iterable[str],
    made_at: int,
) -> Document:
    """Return a document in the language of the moment, with what all of them have."""
    return Document(
        language=spoken().code,
        network=billing.legal_name or network.shown_name,
        logo=network.logo,
        title=title,
        parties=(issuer(billing, network), receiver),
        facts=tuple(facts),
        tables=tuple(tables),
        end=tuple(end),
        page=gettext("Page %(page)s of %(pages)s", page=PAGE, pages=PAGES),
        stand_in=gettext("“?” replaces a character that this file cannot show. The page of the document shows it."),
        made_at=made_at,
    )
