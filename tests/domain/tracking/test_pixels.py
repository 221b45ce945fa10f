"""The form of a pixel's code."""

import pytest

from trackyard.domain.tracking.pixels import find_code_error


@pytest.mark.parametrize(
    ("code_type", "code"),
    [
        ("javascript", "<script>x()</script>"),
        ("javascript", '\n <SCRIPT\nsrc="https://a.example/x.js"></SCRIPT>'),
        ("iframe", '<iframe src="https://a.example"></iframe>'),
        ("image", '<img src="https://a.example/x.gif">'),
        ("image", "<img/>"),
    ],
)
def test_pixel_code_of_its_type_is_valid(code_type: str, code: str) -> None:
    assert find_code_error(code, code_type) is None


@pytest.mark.parametrize(
    ("code_type", "code"),
    [
        ("javascript", "x()"),
        ("javascript", "<scripts>"),
        ("javascript", '<img src="x">'),
        ("iframe", "<script></script>"),
        ("image", "https://a.example/x.gif"),
        ("image", "<image>"),
        ("image", "text <img>"),
    ],
)
def test_pixel_code_of_another_type_is_rejected(code_type: str, code: str) -> None:
    fault = find_code_error(code, code_type)
    assert fault is not None and code_type in fault
