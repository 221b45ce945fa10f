"""The PDF file of a statement, drawn when it is asked for (docs/spec/documents.md#statements)."""

from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal

from starlette.responses import Response

from trackyard.actions.money.billing import get_billing
from trackyard.actions.money.documents.drawing import draw_now
from trackyard.actions.money.documents.parties import exact_words, new_document, party
from trackyard.actions.platform.network import get_network
from trackyard.api.money.statements import StatementView
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.answers import HEADERS, Download
from trackyard.console.frame.request import PageRequest
from trackyard.documents.content import DocumentTable

PdfLine = tuple[str, str, str, Decimal, Decimal]
"""Day, what changed the balance, its text, the amount, and the balance after it."""


def statement_pdf(
    request: PageRequest,
    statement: StatementView,
    name: str,
    sums: Sequence[tuple[str, Decimal]],
    lines: Sequence[PdfLine],
) -> Download:
    """Return the file of a statement. name: the affiliate's. Raises PdfFault."""
    currency, now = statement.currency, request.deps.clock.now_ms()
    columns = (
        gettext("Day"),
        gettext("What"),
        gettext("Offer, number or comment"),
        gettext("Amount"),
        gettext("Balance"),
    )
    opening = (statement.date_from, gettext("Opening balance"), "", "", exact_words(statement.opening, currency))
    closing = (statement.date_to, gettext("Closing balance"), "", "", exact_words(statement.closing, currency))
    changes = [
        (day, what, text, exact_words(amount, currency), exact_words(balance, currency))
        for day, what, text, amount, balance in lines
    ]
    totals = [
        (gettext("Opening balance"), exact_words(statement.opening, currency)),
        *((label, exact_words(amount, currency)) for label, amount in sums),
        (gettext("Closing balance"), exact_words(statement.closing, currency)),
    ]
    document = new_document(
        get_billing(request.deps),
        get_network(request.deps),
        title=gettext("Statement"),
        receiver=party(gettext("Affiliate"), [name], None),
        facts=[
            (gettext("Period"), f"{statement.date_from} – {statement.date_to}"),
            (gettext("Currency"), currency),
            (gettext("On hold"), exact_words(statement.hold, currency)),
        ],
        tables=[DocumentTable(headings=columns, names=3, rows=(opening, *changes, closing), sums=tuple(totals))],
        end=[gettext("What changed the balance, hold included.")],
        made_at=now,
    )
    content = draw_now(request.deps, replace(document, language=request.language))
    file = f"statement-{statement.date_from}-{statement.date_to}-{currency}.pdf"
    headers = dict(HEADERS) | {"Content-Disposition": " ".join(("attachment;", f"filename={file}"))}
    return Download(Response(content, media_type="application/pdf", headers=headers))
