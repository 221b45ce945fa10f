"""Passwords at rest: hashes that are hard to guess from (docs/spec/callers.md#keys-and-passwords)."""

import os
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

import pytest
from argon2 import Type, extract_parameters

from tests.support.waiting import wait_until
from trackyard.base import secrets
from trackyard.base.errors import TooManyRequests
from trackyard.base.secrets import (
    HASH_NICENESS,
    HASHED_AT_ONCE,
    MAX_HASHES,
    hash_password,
    new_password,
    password_matches,
)


@pytest.mark.usefixtures("as_in_use")
def test_password_hash_costs_time_and_memory() -> None:
    hashed = hash_password("correct horse")
    used = extract_parameters(hashed)
    assert used.type is Type.ID
    assert (used.memory_cost >= 19 * 1024, used.time_cost >= 2, used.salt_len >= 16, used.hash_len >= 32) == (True,) * 4
    assert password_matches("correct horse", hashed)
    assert not password_matches("correct horsf", hashed)


def test_password_hash_is_salted() -> None:
    assert hash_password("correct horse") != hash_password("correct horse")
    assert not password_matches("correct horse", "no hash")


def test_generated_passwords_differ_and_have_no_ambiguous_characters() -> None:
    made = {new_password() for _ in range(50)}
    assert len(made) == 50
    assert all(len(each) == 16 and each.isalnum() and not set(each) & set("lIO01o") for each in made)


class CountingHasher:
    """A hasher that counts the hashes computed at the same time."""

    def __init__(self) -> None:
        self.running = self.most = 0
        self.niceness = set[int]()
        self.lock, self.free = threading.Lock(), threading.Event()

    def hash(self, password: str) -> str:
        """Wait until it is released."""
        with self.lock:
            self.running += 1
            self.most = max(self.most, self.running)
            self.niceness.add(os.getpriority(os.PRIO_PROCESS, threading.get_native_id()))
        assert self.free.wait(10)
        with self.lock:
            self.running -= 1
        return password

    def verify(self, hashed: str, password: str) -> bool:
        """Wait as `hash` does."""
        return self.hash(password) == hashed


def test_password_hashes_of_all_kinds_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = CountingHasher()
    monkeypatch.setattr(secrets, "_passwords", hasher)
    monkeypatch.setattr(secrets, "HASH_WAIT_S", 0.05)
    with ThreadPoolExecutor(2 * MAX_HASHES) as pool:
        running: list[Future[Any]] = [pool.submit(hash_password, "x") for _ in range(MAX_HASHES - 1)]
        running.append(pool.submit(password_matches, "x", "x"))
        wait_until(lambda: hasher.running == HASHED_AT_ONCE and secrets._hashing._value == 0)
        for refused in (lambda: hash_password("y"), lambda: password_matches("y", "y")):
            with pytest.raises(TooManyRequests, match="try again in a second"):
                refused()
        hasher.free.set()
        assert [one.result() for one in running] == ["x"] * (MAX_HASHES - 1) + [True]
    assert hasher.most == HASHED_AT_ONCE
    assert hash_password("z") == "z", "a refused hash keeps no place"


def test_password_hashes_give_way_to_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    hasher = CountingHasher()
    monkeypatch.setattr(secrets, "_passwords", hasher)
    hasher.free.set()
    before = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    assert password_matches("x", hash_password("x"))
    assert hasher.niceness == {max(before, HASH_NICENESS)}
    assert os.getpriority(os.PRIO_PROCESS, threading.get_native_id()) == before
