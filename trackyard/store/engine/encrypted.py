"""Encrypted columns and settings, for the change of keys."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Column, Connection, bindparam, select, update

from trackyard.store.platform import settings
from trackyard.store.tables import advertiser, api_key, first_answer, mail, second_factor

ENCRYPTED_SETTINGS: Final = (settings.SMTP_URL,)
"""Settings with encrypted values."""
ENCRYPTED_COLUMNS: Final[tuple[tuple[Column[Any], Column[Any]], ...]] = (
    (api_key.c.digest, api_key.c.sealed),
    (first_answer.c.name, first_answer.c.sealed),
    (second_factor.c.owner, second_factor.c.sealed),
    (advertiser.c.id, advertiser.c.signing_secret),
    (mail.c.id, mail.c.server),
)
"""Encrypted columns, each after the primary key of its table."""
_CHUNK: Final = 1000


def reencrypt_all(conn: Connection, reencrypt: Callable[[str], str]) -> int:
    """Replace every encrypted value by its `reencrypt`; return their number."""
    count = 0
    for key, sealed in ENCRYPTED_COLUMNS:
        count += _reencrypt_column(conn, key, sealed, reencrypt)
    for name in ENCRYPTED_SETTINGS:
        value = settings.find_setting(conn, name)
        if value:
            settings.edit_setting(conn, name, reencrypt(value))
            count += 1
    return count


def _reencrypt_column(conn: Connection, key: Column[Any], sealed: Column[Any], reencrypt: Callable[[str], str]) -> int:
    statement = update(key.table).where(key == bindparam("of")).values({sealed: bindparam("made")})
    count, last = 0, ""
    while rows := conn.execute(select(key, sealed).where(key > last).order_by(key).limit(_CHUNK)).all():
        made = [{"of": name, "made": reencrypt(value)} for name, value in rows if value]
        if made:
            conn.execute(statement, made)
        count += len(made)
        last = rows[-1][0]
    return count
