from collections.abc import Iterator

import pytest

from tests.support.seeds import add_conversion
from trackyard.actions.people.callers import find_caller
from trackyard.actions.platform.installation import (
    CurrencyFixed,
    NoAdministrator,
    administrator_key,
    first_start,
    fix_currency,
    renew_sealed,
)
from trackyard.base.clock import ManualClock
from trackyard.base.secrets import Seal, SealBroken
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.store.engine.database import Database
from trackyard.store.people import keys
from trackyard.store.platform import idempotency, settings

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


def test_everything_that_is_sealed_is_sealed_anew(database: Database, clock: ManualClock) -> None:
    old, new = Seal.new_key(), Seal.new_key()
    before, both, after = Seal(old), Seal(new, old), Seal(new)
    admin = first_start(database, before, clock, None)
    now = clock.now_ms()
    with database.write() as conn:
        for number in range(1005):
            keys.add_key(conn, "affiliate", number, f"{number:040x}", before, now)
        keys.add_key(conn, "affiliate", 5000, "c" * 40, both, now)
        settings.edit_setting(conn, settings.SMTP_URL, before.close("smtp://me:word@mail.example"))
        idempotency.claim(conn, "n" * 64, "a" * 64, now, 0)
        idempotency.keep_answer(conn, "n" * 64, before.close("an answer"))
    assert renew_sealed(database, both) == 1006 + 1 + 2
    assert administrator_key(database, after) == admin
    with database.read() as conn:
        found = keys.keys_of(conn, "affiliate", range(1005), after)
        assert found == {str(number): f"{number:040x}" for number in range(1005)}
        assert keys.key_of(conn, "affiliate", 5000, after) == "c" * 40
        assert after.open(settings.find_setting(conn, settings.SMTP_URL)) == "smtp://me:word@mail.example"
        answer = idempotency.find_answer(conn, "n" * 64, 0)
        assert answer is not None and after.open(answer.sealed) == "an answer"
        with pytest.raises(SealBroken):
            keys.key_of(conn, "affiliate", 7, before)


def test_what_no_key_opens_leaves_everything_as_it_was(database: Database, clock: ManualClock) -> None:
    old = Seal.new_key()
    key = first_start(database, Seal(old), clock, None)
    with database.write() as conn:
        keys.add_key(conn, "affiliate", 7, "b" * 40, Seal(Seal.new_key()), clock.now_ms())
    with pytest.raises(SealBroken):
        renew_sealed(database, Seal(Seal.new_key(), old))
    assert administrator_key(database, Seal(old)) == key
