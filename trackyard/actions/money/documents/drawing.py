"""Draws the files of stored documents: a thread of the core (docs/spec/documents.md#files)."""

import logging
import threading
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.failures import LoggedFailures
from trackyard.base.fair_work import LOOKED_AT, FairWork
from trackyard.base.metrics import DOCUMENTS
from trackyard.documents.content import Document, decode
from trackyard.documents.pdf.process import PdfFault, pdf_of
from trackyard.domain.money.documents import StoredDocument
from trackyard.domain.platform.files import PDF
from trackyard.store.money import documents
from trackyard.store.platform import files
from trackyard.store.platform.file_storage import FileStore, read_file
from trackyard.store.platform.files import FileRow

LEASE_MS: Final = 120_000
"""How long a document is one process's: longer than a file takes to be drawn."""
_RETRY_MS: Final = 60_000
_MOST_ATTEMPTS: Final = 10
_PAUSE_S: Final = 2.0
_AFTER_FAILURE_S: Final = 30.0

log = logging.getLogger("trackyard.api")


class DocumentDrawer:
    """Draws files, one of each company at a time.

    Several may run on one database: a document has one file.
    """

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._work = FairWork(self._list_due, lambda due: (due.company,), self._draw)

    def run(self, stop: threading.Event) -> None:
        """Draw what is due until `stop` is set."""
        self._work.run(stop, "documents", _PAUSE_S, lambda: LoggedFailures(log, "documents", _AFTER_FAILURE_S))

    def draw_one(self) -> bool:
        """Draw the file that is due the longest; False without one."""
        return self._work.do_one()

    def _list_due(self) -> list[StoredDocument]:
        with self._deps.database.read() as conn:
            return documents.list_due(conn, self._deps.clock.now_ms(), LOOKED_AT)

    def _draw(self, due: StoredDocument) -> None:
        deps, now = self._deps, self._deps.clock.now_ms()
        with deps.database.write() as conn:
            if not documents.claim_document(conn, due.id, now, LEASE_MS):
                return  # another process has it
        content = decode(due.content)
        try:
            drawn = pdf_of(content, _logo(deps.files, content))
        except PdfFault as fault:
            self._failed(due, str(fault))
            return
        file_id = deps.files.put([drawn])
        with deps.database.write() as conn:
            if documents.finish_document(conn, due.id, file_id):
                row = FileRow(file_id, due.file_name, PDF, len(drawn), now, is_private=True)
                files.add_files(conn, [row])
                DOCUMENTS.labels("drawn").inc()
                return
        deps.files.remove([file_id])

    def _failed(self, due: StoredDocument, reason: str) -> None:
        """Try again in a minute, or give up after ten attempts: the content stays readable as a page."""
        DOCUMENTS.labels("failed").inc()
        is_last = due.attempts + 1 >= _MOST_ATTEMPTS
        log.error("document not drawn", extra={"document": due.id, "reason": reason, "attempts": due.attempts + 1})
        with self._deps.database.write() as conn:
            documents.postpone_document(conn, due.id, None if is_last else self._deps.clock.now_ms() + _RETRY_MS)


def draw_now(deps: Deps, content: Document) -> bytes:
    """Return a document that is not stored as a PDF file. Raises PdfFault."""
    return pdf_of(content, _logo(deps.files, content))


def _logo(store: FileStore, content: Document) -> bytes:
    return read_file(store, content.logo) or b""
