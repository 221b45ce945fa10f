"""Passwords at rest: hashes that are hard to guess from (docs/spec/callers.md#keys-and-passwords)."""

import pytest
from argon2 import Type, extract_parameters

from trackyard.base.secrets import hash_password, new_password, password_matches


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
