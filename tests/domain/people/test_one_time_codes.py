"""One-time codes: the vectors of RFC 6238, the steps that are right, and how people type them."""

import base64

import pytest

from trackyard.base.secrets import new_recovery_code, new_totp_secret
from trackyard.domain.people.one_time_codes import STEP_S, code_at, find_step, plain_code, totp_url

SECRET = base64.b32encode(b"12345678901234567890").decode()


@pytest.mark.parametrize(
    ("second", "code"),
    [
        (59, "287082"),
        (1111111109, "081804"),
        (1111111111, "050471"),
        (1234567890, "005924"),
        (2000000000, "279037"),
        (20000000000, "353130"),
    ],
)
def test_one_time_code_is_that_of_rfc_6238(second: int, code: str) -> None:
    assert code_at(SECRET, second // STEP_S) == code
    assert find_step(SECRET, code, second * 1000) == second // STEP_S


def test_one_time_code_is_right_one_step_early_and_late() -> None:
    step = 50_000_000
    for away, expected in ((-2, None), (-1, step), (0, step), (1, step), (2, None)):
        assert find_step(SECRET, code_at(SECRET, step), (step + away) * STEP_S * 1000) == expected


@pytest.mark.parametrize("code", ["", "28708", "2870822", "ünïcöd", "287 08"])
def test_one_time_code_of_other_form_is_wrong(code: str) -> None:
    assert find_step(SECRET, code, 59_000) is None


def test_one_time_secrets_and_recovery_codes_are_random() -> None:
    assert len(base64.b32decode(new_totp_secret())) == 20
    codes = {new_recovery_code() for _ in range(50)}
    assert len(codes) == 50
    assert {len(plain_code(code)) for code in codes} == {16}


def test_one_time_code_is_read_as_people_type_it() -> None:
    assert plain_code(" 287 082 ") == "287082"
    assert plain_code("ABCD-efgh-2345-6789") == "abcdefgh23456789"


def test_one_time_secret_url_escapes_names() -> None:
    url = totp_url("ABC", "Track yard", "ann@a.example")
    assert url == (
        "otpauth://totp/Track%20yard:ann%40a.example?secret=ABC&issuer=Track%20yard&algorithm=SHA1&digits=6&period=30"
    )
