"""API keys: found by digest, shown again, expiring."""

import pytest
from cryptography.fernet import Fernet

from trackyard.base.ids import new_api_key
from trackyard.base.secrets import DecryptionFailed, SecretCipher
from trackyard.store.engine.database import Database
from trackyard.store.people.keys import KeyOwner, add_key, find_key, find_owner, remove_keys


def test_api_key_finds_owner_and_can_be_shown(database: Database) -> None:
    cipher, key = SecretCipher(Fernet.generate_key().decode()), new_api_key()
    with database.write() as conn:
        add_key(conn, "affiliate", 7, key, cipher, now_ms=1_000)
    with database.read() as conn:
        assert find_owner(conn, key, 2_000) == KeyOwner("affiliate", "7")
        assert find_owner(conn, new_api_key(), 2_000) is None
        assert find_key(conn, "affiliate", 7, cipher) == key
        assert find_key(conn, "staff", 7, cipher) is None
        with pytest.raises(DecryptionFailed):
            find_key(conn, "affiliate", 7, SecretCipher(Fernet.generate_key().decode()))


def test_api_session_key_expires_at_its_end(database: Database) -> None:
    cipher, key = SecretCipher(Fernet.generate_key().decode()), new_api_key()
    with database.write() as conn:
        add_key(conn, "staff", "a" * 24, key, cipher, now_ms=1_000, expires_at=5_000)
    with database.read() as conn:
        assert find_owner(conn, key, 4_999) == KeyOwner("staff", "a" * 24)
        assert find_owner(conn, key, 5_000) is None
        assert find_key(conn, "staff", "a" * 24, cipher) is None  # a session's key is never shown


def test_api_key_removed_is_unknown(database: Database) -> None:
    cipher, key = SecretCipher(Fernet.generate_key().decode()), new_api_key()
    with database.write() as conn:
        add_key(conn, "affiliate", 7, key, cipher, now_ms=1_000)
        remove_keys(conn, "affiliate", 7)
        assert find_owner(conn, key, 1_001) is None
