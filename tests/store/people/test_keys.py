"""API keys: found by digest, shown again, expiring."""

import pytest
from cryptography.fernet import Fernet

from trackyard.base.ids import new_api_key
from trackyard.base.secrets import DecryptionFailed, SecretCipher
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.keys import ApiKey
from trackyard.store.engine.database import Database
from trackyard.store.people.keys import add_key, add_limited_key, find_by_key, find_key, remove_first_keys

OWNER = Account(AccountKind.AFFILIATE, "7")


def test_api_key_finds_owner_and_can_be_shown(database: Database) -> None:
    cipher, key = SecretCipher(Fernet.generate_key().decode()), new_api_key()
    with database.write() as conn:
        add_key(conn, "affiliate", 7, key, cipher, now_ms=1_000)
    with database.read() as conn:
        found = find_by_key(conn, key, 2_000)
        assert found is not None and (found.account, found.limits) == (OWNER, None)
        assert find_by_key(conn, new_api_key(), 2_000) is None
        assert find_key(conn, "affiliate", 7, cipher) == key
        assert find_key(conn, "staff", 7, cipher) is None
        with pytest.raises(DecryptionFailed):
            find_key(conn, "affiliate", 7, SecretCipher(Fernet.generate_key().decode()))


def test_api_key_with_limits_ends_and_is_never_shown(database: Database) -> None:
    cipher, key = SecretCipher(Fernet.generate_key().decode()), new_api_key()
    new = ApiKey(
        id="b" * 24, account=OWNER, name="program", is_first=False, scopes=("read",), networks=("192.0.2.0/24",),
        created_at=1_000, expires_at=5_000, last_used_at=None, successor_id="", statistics_revenue=None,
        statistics_rows="plain",
    )  # fmt: skip
    with database.write() as conn:
        add_limited_key(conn, new, key)
    with database.read() as conn:
        assert find_by_key(conn, key, 4_999) == new
        assert find_by_key(conn, key, 5_000) is None
        assert find_key(conn, "affiliate", 7, cipher) is None


def test_api_key_removed_is_unknown(database: Database) -> None:
    cipher, key = SecretCipher(Fernet.generate_key().decode()), new_api_key()
    with database.write() as conn:
        add_key(conn, "affiliate", 7, key, cipher, now_ms=1_000)
        remove_first_keys(conn, AccountKind.AFFILIATE, 7)
        assert find_by_key(conn, key, 1_001) is None
