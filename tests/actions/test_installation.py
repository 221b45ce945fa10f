from collections.abc import Iterator

import pytest

from tests.support.seeds import add_conversion
from trackyard.actions.callers import find_caller
from trackyard.actions.installation import (
    CurrencyFixed,
    NoAdministrator,
    administrator_key,
    first_start,
    fix_currency,
)
from trackyard.base.clock import ManualClock
from trackyard.base.secrets import Seal
from trackyard.domain.callers import StaffCaller
from trackyard.domain.roles import Permission
from trackyard.store import settings
from trackyard.store.engine import Database

KEY = "a" * 40


@pytest.fixture
def seal() -> Iterator[Seal]:
    return Seal(Seal.new_key())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_700_000_000_000)


def test_the_first_start_makes_an_administrator_once(database: Database, seal: Seal, clock: ManualClock) -> None:
    with pytest.raises(NoAdministrator):
        administrator_key(database, seal)
    key = first_start(database, seal, clock, None)
    assert key is not None
    assert len(key) == 40
    assert first_start(database, seal, clock, None) is None
    assert administrator_key(database, seal) == key
    caller = find_caller(database, clock, key)
    assert isinstance(caller, StaffCaller)
    assert all(caller.may(permission) for permission in Permission)
    with database.read() as conn:
        assert settings.find_setting(conn, settings.TRAFFICBACK_URL) == ""


def test_a_given_key_is_kept_and_a_changed_one_replaces_it(database: Database, seal: Seal, clock: ManualClock) -> None:
    assert first_start(database, seal, clock, KEY) == KEY
    assert first_start(database, seal, clock, KEY) is None
    assert first_start(database, seal, clock, None) is None
    assert first_start(database, seal, clock, "b" * 40) == "b" * 40
    assert find_caller(database, clock, KEY) is None
    assert find_caller(database, clock, "b" * 40) is not None
    assert administrator_key(database, seal) == "b" * 40


def test_the_currency_is_fixed_by_the_first_conversion(database: Database) -> None:
    fix_currency(database, "USD")
    fix_currency(database, "EUR")
    with database.write() as conn:
        add_conversion(conn, 1)
    fix_currency(database, "EUR")
    with pytest.raises(CurrencyFixed, match="EUR"):
        fix_currency(database, "USD")
    fix_currency(database, "EUR")
