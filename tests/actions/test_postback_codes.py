"""Where the platform's code of inbound postbacks comes from (docs/spec/conversions.md#codes)."""

from typing import Any

import pytest

from tests.support.api import ADMIN_KEY, CIPHER, NOW
from trackyard.actions.conversions.postback_codes import WITHOUT_CODE, find_code_warning, store_postback_code
from trackyard.actions.platform.installation import first_start
from trackyard.base.clock import ManualClock
from trackyard.domain.conversions.codes import CodeMode, is_strong_code
from trackyard.store.engine.database import Database
from trackyard.store.platform import settings

TEXT = "a-Code-of-22-characters"


def start(database: Database, choice: str | None) -> tuple[CodeMode, str]:
    """Start with a choice; return the mode and the code of the platform."""
    mode = store_postback_code(database, choice)
    first_start(database, CIPHER, ManualClock(NOW), ADMIN_KEY)
    return mode, stored(database)


def stored(database: Database) -> str:
    with database.read() as conn:
        found: Any = settings.find_setting(conn, settings.HASH_PASSWORD)
    return str(found)


def warning(database: Database) -> str | None:
    with database.read() as conn:
        return find_code_warning(conn)


def test_new_installation_generates_a_strong_code_once(database: Database) -> None:
    mode, code = start(database, None)
    assert mode is CodeMode.GENERATE and is_strong_code(code)
    assert start(database, None) == (CodeMode.GENERATE, code), "a later start keeps it"
    assert warning(database) is None


def test_installation_from_before_the_setting_needs_no_code(database: Database) -> None:
    first_start(database, CIPHER, ManualClock(NOW), ADMIN_KEY)
    assert start(database, None) == (CodeMode.NONE, "")
    assert start(database, None) == (CodeMode.NONE, "")
    assert warning(database) == WITHOUT_CODE
    with database.write() as conn:
        settings.edit_setting(conn, settings.HASH_PASSWORD, "what staff set")
    assert start(database, "none") == (CodeMode.NONE, "what staff set")
    assert warning(database) is None


@pytest.mark.parametrize("before", [None, "none"])
def test_installation_moves_from_none_to_a_generated_code(database: Database, before: str | None) -> None:
    first_start(database, CIPHER, ManualClock(NOW), ADMIN_KEY)
    start(database, before)
    mode, code = start(database, "generate")
    assert mode is CodeMode.GENERATE and is_strong_code(code)
    assert start(database, None) == (mode, code), "the choice is stored"
    assert start(database, "none") == (CodeMode.NONE, "")


def test_code_of_the_setting_is_that_of_the_platform_until_changed(database: Database) -> None:
    assert start(database, TEXT) == (CodeMode.TEXT, TEXT)
    assert start(database, None) == (CodeMode.TEXT, TEXT)
    assert start(database, TEXT[::-1]) == (CodeMode.TEXT, TEXT[::-1])
    assert start(database, "generate") == (CodeMode.GENERATE, TEXT[::-1])
    assert start(database, "none") == (CodeMode.NONE, "")
