"""Texts of mails that staff wrote (docs/spec/mails.md#own-texts)."""

from sqlalchemy import Connection, delete, select

from trackyard.domain.platform.mails.kinds import NoticeKind
from trackyard.domain.platform.mails.own_texts import MailText
from trackyard.store.engine.dialect import upsert
from trackyard.store.tables import mail_text

_COLUMNS = mail_text.c
_TEXT = (_COLUMNS.subject, _COLUMNS.body, _COLUMNS.button)


def find_texts(conn: Connection, kind: NoticeKind) -> dict[str, MailText]:
    """Return the own texts of a kind, by the code of the language."""
    rows = conn.execute(select(_COLUMNS.language, *_TEXT).where(_COLUMNS.kind == kind))
    return {language: MailText(*text) for language, *text in rows}


def list_languages(conn: Connection) -> dict[NoticeKind, set[str]]:
    """Return the languages with own texts of each kind; kinds without any are absent."""
    found: dict[NoticeKind, set[str]] = {}
    for row in conn.execute(select(_COLUMNS.kind, _COLUMNS.language)):
        found.setdefault(row.kind, set()).add(row.language)
    return found


def write_text(conn: Connection, kind: NoticeKind, language: str, text: MailText, now_ms: int) -> None:
    """Store the own text of a kind in a language."""
    values = {"subject": text.subject, "body": text.body, "button": text.button, "updated_at": now_ms}
    statement = upsert(conn, mail_text).values(kind=kind, language=language, **values)
    conn.execute(statement.on_conflict_do_update(index_elements=["kind", "language"], set_=values))


def remove_text(conn: Connection, kind: NoticeKind, language: str) -> None:
    """Remove the own text of a kind in a language."""
    conn.execute(delete(mail_text).where(_COLUMNS.kind == kind, _COLUMNS.language == language))
