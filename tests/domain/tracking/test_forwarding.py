"""The caller's address of a forwarded request is trusted while its signature is valid and new."""

import pytest

from trackyard.domain.tracking.forwarding import MAX_AGE_S, find_caller, signed_caller, signing_key

NOW = 1_700_000_000_123
KEY = signing_key("a secret")


@pytest.mark.parametrize("address", ["203.0.113.5", "2001:db8::1"])
def test_signed_address_is_believed_for_a_minute(address: str) -> None:
    signed = signed_caller(KEY, address, NOW)
    for late in (-MAX_AGE_S, 0, MAX_AGE_S):
        assert find_caller(KEY, signed, NOW + late * 1000) == address
    for late in (-MAX_AGE_S - 1, MAX_AGE_S + 1):
        assert find_caller(KEY, signed, NOW + late * 1000) is None


@pytest.mark.parametrize(
    "value",
    [
        b"",
        b"203.0.113.5",
        b"\xff \xff \xff",
        signed_caller(signing_key("another"), "203.0.113.5", NOW),
        signed_caller(KEY, "203.0.113.5", NOW).replace(b"203", b"204"),
        signed_caller(KEY, "testclient", NOW),
        signed_caller(KEY, "", NOW),
    ],
)
def test_address_with_a_wrong_signature_is_not_believed(value: bytes) -> None:
    assert find_caller(KEY, value, NOW) is None
