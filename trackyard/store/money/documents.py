"""Documents about money, and the files that are drawn of them (docs/spec/documents.md)."""

from collections.abc import Collection
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import Connection, delete, insert, select, update

from trackyard.domain.money.documents import DocumentKind, StoredDocument
from trackyard.domain.people.callers import Account
from trackyard.store.engine.in_lists import among_values
from trackyard.store.engine.rows import Rows
from trackyard.store.tables import document

_FIELDS: Final = tuple(document.c[name] for name in StoredDocument.__dataclass_fields__)


def add_document(conn: Connection, new: StoredDocument) -> None:
    """Store a document. Its file is drawn at once."""
    conn.execute(insert(document).values(**asdict(new), next_at=new.created_at))


def find_document(conn: Connection, document_id: str) -> StoredDocument | None:
    """Return the document of an id, or None."""
    return _ROWS.find_where(conn, document.c.id == document_id)


def find_of(conn: Connection, kind: DocumentKind, subject: object, company: Account) -> StoredDocument | None:
    """Return the newest document of a thing for a company, or None."""
    of_it = (document.c.kind == kind, document.c.subject == str(subject), document.c.company == company.name)
    query = select(*_FIELDS).where(*of_it).order_by(document.c.id.desc()).limit(1)
    found = _ROWS.read(conn, query)
    return found[0] if found else None


def files_of(conn: Connection, kind: DocumentKind, subjects: Collection[str]) -> dict[str, str]:
    """Return the ids of the files of documents by their subject; "" while a file is not drawn."""
    if not subjects:
        return {}
    of_them = (document.c.kind == kind, among_values(document.c.subject, list(subjects)))
    query = select(document.c.subject, document.c.file).where(*of_them).order_by(document.c.id)
    return {row.subject: row.file for row in conn.execute(query)}


def list_due(conn: Connection, now_ms: int, most: int) -> list[StoredDocument]:
    """Return documents that wait for their file, the longest first."""
    due = select(*_FIELDS).where(document.c.next_at <= now_ms).order_by(document.c.next_at, document.c.id)
    return _ROWS.read(conn, due.limit(most))


def claim_document(conn: Connection, document_id: str, now_ms: int, lease_ms: int) -> bool:
    """Take a document that is due, and count the attempt; False where another process took it.

    lease_ms: the time in which no other process takes it.
    """
    due = (document.c.id == document_id, document.c.next_at <= now_ms)
    values = {"attempts": document.c.attempts + 1, "next_at": now_ms + lease_ms}
    return conn.execute(update(document).where(*due).values(values)).rowcount == 1


def finish_document(conn: Connection, document_id: str, file_id: str) -> bool:
    """Store the file of a document; False where it has one, or does not exist any more."""
    waiting = (document.c.id == document_id, document.c.file == "")
    return conn.execute(update(document).where(*waiting).values(file=file_id, next_at=None)).rowcount == 1


def postpone_document(conn: Connection, document_id: str, next_at: int | None) -> None:
    """Draw the file of a document later, at `next_at` (UTC milliseconds); None = never."""
    conn.execute(update(document).where(document.c.id == document_id).values(next_at=next_at))


def remove_documents(conn: Connection, company: Account) -> list[str]:
    """Remove the documents of a company; return the ids of their files."""
    removed = delete(document).where(document.c.company == company.name).returning(document.c.file)
    return [each for each in conn.execute(removed).scalars() if each]


def _document(**values: Any) -> StoredDocument:
    return StoredDocument(**{name: values[name] for name in StoredDocument.__dataclass_fields__})


_ROWS: Final = Rows[StoredDocument, str](document, _document)
