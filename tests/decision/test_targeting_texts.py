"""Parts and regular expressions of texts that visitors send."""

import pytest

from trackyard.decision.targeting.texts import LONGEST_TEXT, InvalidExpression, compile_expression, find_match


@pytest.mark.parametrize("expression", ["(", "[z-a]", r"(?=a)b", r"(a)\1", "a" * 257, r"(\w{200}){200}"])
def test_expression_without_a_linear_search_is_invalid(expression: str) -> None:
    with pytest.raises(InvalidExpression):
        compile_expression(expression)


def test_expression_that_backtracks_elsewhere_takes_a_step_a_character() -> None:
    """An engine that backtracks would need 2 ** 2000 steps here, so that the test would never end."""
    match = find_match(("^(a+)+$", "(a|aa)*b$", "(.*)*c"), True)
    assert match is not None
    assert not match("a" * 2000 + "!")
    assert match("a" * 2000)


def test_text_is_matched_up_to_its_longest_length() -> None:
    for is_regexp in (False, True):
        match = find_match(("end",), is_regexp)
        assert match is not None
        assert match("x" * (LONGEST_TEXT - 3) + "END")
        assert not match("x" * LONGEST_TEXT + "end")
        assert not match("\ud800")
    assert find_match(("", " "), True) is None
