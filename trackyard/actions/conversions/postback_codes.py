"""The platform's code of inbound postbacks (docs/spec/conversions.md#codes)."""

from typing import Final

from trackyard.actions.deps import Deps
from trackyard.base.ids import new_api_key
from trackyard.domain.conversions.codes import CodeMode
from trackyard.store.engine.database import Connection, Database
from trackyard.store.people import staff
from trackyard.store.platform import settings

WITHOUT_CODE: Final = (
    "postbacks count without a code, so that everyone who sees a click id can report a conversion: give each "
    "advertiser a code, then set TRACKYARD_POSTBACK_CODE=generate (docs/operating.md, Before the first real offer)"
)
"""What administrators read while no code of the platform is set."""


def store_postback_code(database: Database, choice: str | None) -> CodeMode:
    """Store how inbound postbacks get their codes, before `first_start` of every start; return it.

    choice: TRACKYARD_POSTBACK_CODE; None = as before, and GENERATE for a new installation.
    """
    with settings.write_start(database) as conn:
        before = settings.find_code_mode(conn)
        if choice is not None:
            mode = CodeMode(choice) if choice in _WORDS else CodeMode.TEXT
        else:
            mode = before or (CodeMode.NONE if staff.find_first_administrator(conn) else CodeMode.GENERATE)
        held = settings.find_setting(conn, settings.HASH_PASSWORD) or ""
        code = _code_of(mode, before, held, choice)
        if code != held:
            settings.edit_setting(conn, settings.HASH_PASSWORD, code)
        if mode is not before:
            settings.edit_setting(conn, settings.POSTBACK_CODE, mode.value)
        return mode


def find_code_warning(conn: Connection) -> str | None:
    """Return a warning for administrators about the codes of inbound postbacks; None = no warning."""
    mode = settings.find_code_mode(conn) or CodeMode.NONE
    if mode is CodeMode.NONE and not settings.find_setting(conn, settings.HASH_PASSWORD):
        return WITHOUT_CODE
    return None


def get_code_warning(deps: Deps) -> str | None:
    """Return the sentence of `find_code_warning` for a caller of the API."""
    with deps.database.read() as conn:
        return find_code_warning(conn)


_WORDS: Final = frozenset({CodeMode.GENERATE.value, CodeMode.NONE.value})


def _code_of(mode: CodeMode, before: CodeMode | None, held: str, choice: str | None) -> str:
    """Return the platform's code. held: the stored one, which staff may have set."""
    match mode:
        case CodeMode.GENERATE:
            return held or new_api_key()
        case CodeMode.TEXT:
            return choice or held
        case CodeMode.NONE:
            return held if before in (None, CodeMode.NONE) else ""
