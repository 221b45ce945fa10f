from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest
from cryptography.fernet import Fernet

from tests.support.stores.seeds import add_conversion
from trackyard.actions.conversions.postback_codes import store_postback_code
from trackyard.actions.people.callers import find_caller
from trackyard.actions.platform.installation import (
    CurrencyFixed,
    NoAdministrator,
    administrator_key,
    first_start,
    reencrypt_secrets,
    store_currency,
    store_shared_click_state,
    store_timezone,
)
from trackyard.base.clock import ManualClock
from trackyard.base.secrets import DecryptionFailed, SecretCipher
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.people.roles import Permission
from trackyard.store.engine.database import Database
from trackyard.store.people import keys
from trackyard.store.platform import idempotency, settings

KEY = "a" * 40


@pytest.fixture
def cipher() -> Iterator[SecretCipher]:
    return SecretCipher(Fernet.generate_key().decode())


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(1_700_000_000_000)


def test_first_start_creates_one_administrator(database: Database, cipher: SecretCipher, clock: ManualClock) -> None:
    with pytest.raises(NoAdministrator):
        administrator_key(database, cipher)
    key = first_start(database, cipher, clock, None)
    assert key is not None
    assert len(key) == 40
    assert first_start(database, cipher, clock, None) is None
    assert administrator_key(database, cipher) == key
    caller = find_caller(database, clock, key)
    assert isinstance(caller, StaffCaller)
    assert all(caller.may(permission) for permission in Permission)
    with database.read() as conn:
        assert settings.find_setting(conn, settings.TRAFFICBACK_URL) == ""


def test_first_starts_at_once_make_one_installation(
    database: Database, cipher: SecretCipher, clock: ManualClock
) -> None:
    """As of machines that are started together on an empty database."""
    begin = Barrier(4)

    def start(_number: int) -> tuple[str | None, str]:
        begin.wait(10)
        store_postback_code(database, None)
        key = first_start(database, cipher, clock, None)
        store_currency(database, "EUR")
        store_timezone(database, "UTC")
        store_shared_click_state(database, shared=True)
        return key, administrator_key(database, cipher)

    with ThreadPoolExecutor(4) as threads:
        started = list(threads.map(start, range(4)))
    assert [key for key, _ in started].count(None) == 3
    assert {known for _, known in started} == {key for key, _ in started if key}


def test_administrator_key_from_settings_is_stored_and_replaced_when_changed(
    database: Database, cipher: SecretCipher, clock: ManualClock
) -> None:
    assert first_start(database, cipher, clock, KEY) == KEY
    assert first_start(database, cipher, clock, KEY) is None
    assert first_start(database, cipher, clock, None) is None
    assert first_start(database, cipher, clock, "b" * 40) == "b" * 40
    assert find_caller(database, clock, KEY) is None
    assert find_caller(database, clock, "b" * 40) is not None
    assert administrator_key(database, cipher) == "b" * 40


def test_platform_currency_is_fixed_by_first_conversion(database: Database) -> None:
    store_currency(database, "USD")
    store_currency(database, "EUR")
    with database.write() as conn:
        add_conversion(conn, 1)
    store_currency(database, "EUR")
    with pytest.raises(CurrencyFixed, match="EUR"):
        store_currency(database, "USD")
    store_currency(database, "EUR")


def test_encryption_key_rotation_reencrypts_every_secret(database: Database, clock: ManualClock) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    before, both, after = SecretCipher(old), SecretCipher(new, old), SecretCipher(new)
    admin = first_start(database, before, clock, None)
    now = clock.now_ms()
    with database.write() as conn:
        for number in range(1005):
            keys.add_key(conn, "affiliate", number, f"{number:040x}", before, now)
        keys.add_key(conn, "affiliate", 5000, "c" * 40, both, now)
        settings.edit_setting(conn, settings.SMTP_URL, before.encrypt("smtp://me:word@mail.example"))
        idempotency.claim_name(conn, "n" * 64, now, 0)
        idempotency.store_answer(conn, "n" * 64, before.encrypt("an answer"))
    assert reencrypt_secrets(database, both) == 1006 + 1 + 2
    assert administrator_key(database, after) == admin
    with database.read() as conn:
        found = keys.keys_of(conn, "affiliate", range(1005), after)
        assert found == {str(number): f"{number:040x}" for number in range(1005)}
        assert keys.find_key(conn, "affiliate", 5000, after) == "c" * 40
        assert after.decrypt(settings.find_setting(conn, settings.SMTP_URL)) == "smtp://me:word@mail.example"
        answer = idempotency.find_answer(conn, "n" * 64, 0)
        assert answer is not None and after.decrypt(answer.sealed) == "an answer"
        with pytest.raises(DecryptionFailed):
            keys.find_key(conn, "affiliate", 7, before)


def test_encryption_key_rotation_with_unreadable_secret_changes_nothing(database: Database, clock: ManualClock) -> None:
    old = Fernet.generate_key().decode()
    key = first_start(database, SecretCipher(old), clock, None)
    with database.write() as conn:
        keys.add_key(conn, "affiliate", 7, "b" * 40, SecretCipher(Fernet.generate_key().decode()), clock.now_ms())
    with pytest.raises(DecryptionFailed):
        reencrypt_secrets(database, SecretCipher(Fernet.generate_key().decode(), old))
    assert administrator_key(database, SecretCipher(old)) == key
