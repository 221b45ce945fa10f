"""Documents in answers: their content and the URL of their file (docs/spec/documents.md)."""

from trackyard.actions.deps import Deps
from trackyard.actions.platform.files import private_key
from trackyard.api.platform.files import FILES, file_url
from trackyard.base.zones import datetime_text
from trackyard.documents.content import DocumentTable, decode
from trackyard.domain.money.documents import StoredDocument
from trackyard.wire.response.envelope import Answer, Moment, View


class PartyView(View):
    """A company on a document. heading: its part. lines: its name, address and tax number."""

    heading: str
    lines: list[str]


class DocumentFactView(View):
    """A line of a document, such as its due date."""

    label: str
    value: str


class DocumentTableView(View):
    """A table of a document.

    names: how many cells at the start of a row are names. sums: below the rows; the last one is the total.
    """

    title: str
    headings: list[str]
    names: int
    rows: list[list[str]]
    sums: list[DocumentFactView]


class DocumentView(View):
    """A document, as it was written. All texts are in `language`.

    url: leads to its PDF file for 24 hours; "" until it is made. logo: the URL of the picture, "" = none.
    """

    id: str
    kind: str
    number: str
    created_at: Moment
    url: str
    language: str
    issuer: str
    logo: str
    title: str
    parties: list[PartyView]
    facts: list[DocumentFactView]
    tables: list[DocumentTableView]
    notes: list[str]


class DocumentAnswer(Answer):
    """A document."""

    document: DocumentView


def file_link(deps: Deps, file_id: str) -> str:
    """Return the URL of the PDF file of a document, for its reader; "" while it has none."""
    return f"{deps.api_url}{FILES}{file_id}/{private_key(deps, file_id)}" if file_id else ""


def document_answer(deps: Deps, found: StoredDocument) -> DocumentAnswer:
    """Return the answer with a document."""
    content = decode(found.content)
    view = DocumentView(
        id=found.id,
        kind=found.kind.value,
        number=found.number,
        created_at=datetime_text(found.created_at, deps.zone),
        url=file_link(deps, found.file),
        language=content.language,
        issuer=content.network,
        logo=file_url(deps.api_url, content.logo or None) or "",
        title=content.title,
        parties=[PartyView(heading=each.heading, lines=list(each.lines)) for each in content.parties],
        facts=_facts(content.facts),
        tables=[_table(each) for each in content.tables],
        notes=[*content.notes, *content.end],
    )
    return DocumentAnswer(document=view)


def _table(table: DocumentTable) -> DocumentTableView:
    return DocumentTableView(
        title=table.title,
        headings=list(table.headings),
        names=table.names,
        rows=[list(row) for row in table.rows],
        sums=_facts(table.sums),
    )


def _facts(pairs: tuple[tuple[str, str], ...]) -> list[DocumentFactView]:
    return [DocumentFactView(label=label, value=value) for label, value in pairs]
