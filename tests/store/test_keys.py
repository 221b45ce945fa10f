"""API keys: found by digest, shown again, expiring."""

import pytest

from trackyard.base.ids import new_api_key
from trackyard.base.secrets import Seal, SealBroken
from trackyard.store.engine.database import Database
from trackyard.store.people.keys import KeyOwner, add_key, find_owner, key_of, remove_keys


def test_a_key_finds_its_owner_and_can_be_shown(database: Database) -> None:
    seal, key = Seal(Seal.new_key()), new_api_key()
    with database.write() as conn:
        add_key(conn, "affiliate", 7, key, seal, now_ms=1_000)
    with database.read() as conn:
        assert find_owner(conn, key, 2_000) == KeyOwner("affiliate", "7")
        assert find_owner(conn, new_api_key(), 2_000) is None
        assert key_of(conn, "affiliate", 7, seal) == key
        assert key_of(conn, "staff", 7, seal) is None
        with pytest.raises(SealBroken):
            key_of(conn, "affiliate", 7, Seal(Seal.new_key()))


def test_a_session_key_ends(database: Database) -> None:
    seal, key = Seal(Seal.new_key()), new_api_key()
    with database.write() as conn:
        add_key(conn, "staff", "a" * 24, key, seal, now_ms=1_000, expires_at=5_000)
    with database.read() as conn:
        assert find_owner(conn, key, 4_999) == KeyOwner("staff", "a" * 24)
        assert find_owner(conn, key, 5_000) is None
        assert key_of(conn, "staff", "a" * 24, seal) is None  # a session's key is never shown


def test_removed_keys_are_unknown(database: Database) -> None:
    seal, key = Seal(Seal.new_key()), new_api_key()
    with database.write() as conn:
        add_key(conn, "affiliate", 7, key, seal, now_ms=1_000)
        remove_keys(conn, "affiliate", 7)
        assert find_owner(conn, key, 1_001) is None
