"""Remittances: the documents of payments to affiliates (docs/spec/documents.md#remittances)."""

from collections.abc import Iterator, Sequence
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.money.documents.parties import new_document, party, speaking_to
from trackyard.base.errors import NotFound
from trackyard.base.ids import new_id
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.base.zones import local_day
from trackyard.documents.content import DocumentTable, encode
from trackyard.domain.money.affiliate_payments import AffiliatePayment, PaidSum
from trackyard.domain.money.documents import DocumentKind, StoredDocument
from trackyard.domain.money.ledger import (
    ADVANCE,
    CHANGE,
    CORRECTION,
    OPENING,
    REFERRAL,
    REFERRAL_RELABEL,
    REFUND,
    RELABEL,
)
from trackyard.domain.money.written_amounts import amount_words, grouped
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.engine.database import Connection
from trackyard.store.money import affiliate_payments as payments
from trackyard.store.money import documents
from trackyard.store.people import affiliates
from trackyard.store.platform import settings

_KINDS: Final = {
    "conversion": lazy_gettext("Conversions"),
    CHANGE: lazy_gettext("Later changes of conversions"),
    RELABEL: lazy_gettext("Changes of the currency"),
    REFERRAL: lazy_gettext("Referral shares"),
    REFERRAL_RELABEL: lazy_gettext("Changes of the currency of shares"),
    CORRECTION: lazy_gettext("Corrections"),
    ADVANCE: lazy_gettext("Paid ahead of later conversions"),
    OPENING: lazy_gettext("Earned on another platform"),
    REFUND: lazy_gettext("Refunds"),
}
"""What a payment pays, by the kind of its entries."""


def add_remittance(deps: Deps, conn: Connection, payment: AffiliatePayment) -> None:
    """Store the document of a payment that is marked as paid, in the transaction that does it."""
    now, company = deps.clock.now_ms(), Account(AccountKind.AFFILIATE, str(payment.affiliate_id))
    payee = affiliates.affiliates_of(conn, [payment.affiliate_id])[payment.affiliate_id]
    billing, network = settings.find_billing(conn), settings.find_network(conn)
    with speaking_to(conn, company):
        content = new_document(
            billing,
            network,
            title=gettext("Remittance %(number)s", number=payment.id),
            receiver=party(gettext("Paid to"), [payee.company or payee.name or payee.login, *_address(payee)], None),
            facts=[
                (gettext("Payment"), str(payment.id)),
                (gettext("Date of payment"), local_day(now, deps.zone).isoformat()),
                *([(gettext("Account"), payment.account)] if payment.account else []),
                (gettext("Currency"), payment.currency),
            ],
            tables=[_table(payment, payments.sums_by_kind(conn, payment.id))],
            end=[payment.comment] if payment.comment else [],
            made_at=now,
        )
        text = encode(content).decode()
    documents.add_document(
        conn,
        StoredDocument(
            id=new_id(now),
            kind=DocumentKind.REMITTANCE,
            subject=str(payment.id),
            company=company.name,
            number=str(payment.id),
            content=text,
            created_at=now,
        ),
    )


def remittance_of(deps: Deps, payment: AffiliatePayment) -> StoredDocument:
    """Return the document of a payment. Raises NotFound for a payment that has none."""
    company = Account(AccountKind.AFFILIATE, str(payment.affiliate_id))
    with deps.database.read() as conn:
        found = documents.find_of(conn, DocumentKind.REMITTANCE, payment.id, company)
    if found is None:
        raise NotFound
    return found


def _address(payee: Affiliate) -> Iterator[str | None]:
    yield payee.address_1
    yield payee.address_2
    yield " ".join(filter(None, (payee.zip_code, payee.city)))
    yield payee.country


def _table(payment: AffiliatePayment, sums: Sequence[PaidSum]) -> DocumentTable:
    currency = payment.currency
    return DocumentTable(
        headings=(gettext("What it pays"), gettext("Number"), gettext("Amount")),
        names=1,
        rows=tuple(
            (str(_KINDS[each.kind]), grouped(f"{each.count:,}"), amount_words(each.amount, currency)) for each in sums
        ),
        sums=((gettext("Total"), amount_words(payment.amount, currency)),),
    )
