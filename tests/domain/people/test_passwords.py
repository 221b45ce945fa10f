"""Which passwords people may choose."""

import pytest

from trackyard.domain.people.passwords import PasswordPolicy, _commonest, is_common


@pytest.mark.parametrize(
    "password",
    [
        *("123456", "password", "PassWord", "qwerty", "Password1234", "!!dragon2024!!", "sunshine_______1"),
        *("passwordpassword", "QwertyQwerty", "aaaaaaaaaaaa", "abababababab", "abcdabcdabcd", "1qaz2wsx3edc"),
    ],
)
def test_password_of_the_commonest_is_common(password: str) -> None:
    assert is_common(password)


@pytest.mark.parametrize(
    "password", ["correct horse battery", "tRq8fJvmZ2wKpLxd", "Ünïcödé-söngs", "a long enough password", "839201748392"]
)
def test_password_of_ones_own_is_not_common(password: str) -> None:
    assert not is_common(password)


def test_password_list_has_ten_thousand_lines() -> None:
    lines = _commonest().split("\n")
    assert len(set(lines[1:-1])) == len(lines) - 2 == 10_000
    assert all(line == line.lower() for line in lines)


def test_password_rule_of_choice_does_not_bind_staff_unless_everywhere() -> None:
    usual, strict = PasswordPolicy(), PasswordPolicy(14, everywhere=True)
    assert usual.chosen_fault("x" * 5 + "yzabcd") == "This value must have at least 12 characters."
    assert usual.chosen_fault("qwertyqwerty") is not None
    assert usual.chosen_fault("twelve chars") is None
    assert usual.set_fault("sesame") is None
    assert strict.set_fault("twelve chars") == "This value must have at least 14 characters."
    assert strict.set_fault("password 2024!") is not None
    assert strict.set_fault("fourteen chars") is None
