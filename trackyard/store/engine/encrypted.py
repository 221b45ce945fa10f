"""Encrypted columns and settings, for the change of keys."""

from collections.abc import Callable
from typing import Any, Final

from sqlalchemy import Column, Connection, bindparam, inspect, select, update

from trackyard.store.platform import settings
from trackyard.store.tables import advertiser, api_key, chat, first_answer, mail, second_factor, setting

ENCRYPTED_SETTINGS: Final = (settings.SMTP_URL,)
"""Settings with encrypted values."""
ENCRYPTED_COLUMNS: Final[tuple[tuple[Column[Any], Column[Any]], ...]] = (
    (api_key.c.digest, api_key.c.sealed),
    (first_answer.c.name, first_answer.c.sealed),
    (second_factor.c.owner, second_factor.c.sealed),
    (advertiser.c.id, advertiser.c.signing_secret),
    (mail.c.id, mail.c.server),
    (chat.c.name, chat.c.sealed),
)
"""Encrypted columns, each after the primary key of its table."""
_CHUNK: Final = 1000


def find_encrypted(conn: Connection) -> str | None:
    """Return an encrypted value of a database of any schema; None when there is none."""
    found = inspect(conn)
    for _, sealed in ENCRYPTED_COLUMNS:
        table = sealed.table.name
        if not found.has_table(table) or sealed.name not in {each["name"] for each in found.get_columns(table)}:
            continue
        value = conn.execute(select(sealed).where(sealed != "").limit(1)).scalar_one_or_none()
        if value:
            return str(value)
    names = ENCRYPTED_SETTINGS if found.has_table(setting.name) else ()
    return next((value for name in names if (value := settings.find_setting(conn, name))), None)


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
