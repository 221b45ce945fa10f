"""Versions compare as versions."""

from itertools import zip_longest

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.decision.targeting.versions import find_version, versions_of

NUMBERS = st.lists(st.one_of(st.integers(0, 3), st.integers(0, 30)), min_size=1, max_size=4)


def _compared(left: list[int], right: list[int]) -> int:
    """-1, 0, 1: part by part, one that is missing is 0."""
    for one, other in zip_longest(left, right, fillvalue=0):
        if one != other:
            return -1 if one < other else 1
    return 0


def _text(numbers: list[int]) -> str:
    return ".".join(map(str, numbers))


@given(NUMBERS, NUMBERS)
def test_version_comparisons_order_numerically(wanted: list[int], given_: list[int]) -> None:
    order = _compared(given_, wanted)
    expected = {"LT": order < 0, "LTE": order <= 0, "EQ": order == 0, "GT": order > 0, "GTE": order >= 0}
    assert {
        word: versions_of([(word, _text(wanted))]).contains(_text(given_)) for word in ("LT", "LTE", "EQ", "GT", "GTE")
    } == expected


@given(NUMBERS, NUMBERS)
def test_version_without_comparison_matches_its_releases(wanted: list[int], given_: list[int]) -> None:
    padded = [*given_, *[0] * len(wanted)]
    assert versions_of([("", _text(wanted))]).contains(_text(given_)) is (padded[: len(wanted)] == wanted)


@given(st.lists(st.tuples(st.sampled_from(["", "LT", "LTE", "EQ"]), NUMBERS), max_size=4), NUMBERS)
def test_version_list_matches_when_any_entry_matches(wanted: list[tuple[str, list[int]]], given_: list[int]) -> None:
    pairs = [(word, _text(numbers)) for word, numbers in wanted]
    together = versions_of(pairs).contains(_text(given_))
    assert together is any(versions_of([pair]).contains(_text(given_)) for pair in pairs)


@pytest.mark.parametrize(
    ("wanted", "inside", "outside"),
    [
        ([("GTE", "12"), ("LT", "15")], ["12", "14.9"], ["11.9", "15", "16", ""]),
        ([("LTE", "15"), ("GT", "12")], ["12.1", "15.0"], ["12", "15.1"]),
        ([("GTE", "12"), ("LTE", "12")], ["12", "12.0"], ["11", "12.1"]),
        ([("GTE", "12"), ("", "9"), ("LT", "15")], ["9.3", "13"], ["10", "15"]),
        ([("LT", "5"), ("GTE", "14")], ["4", "14"], ["5", "13"]),
        ([("EQ", "0"), ("GTE", "14")], ["0", "14"], ["1", "13"]),
    ],
)
def test_version_range_needs_both_ends(wanted: list[tuple[str, str]], inside: list[str], outside: list[str]) -> None:
    versions = versions_of(wanted)
    assert [text for text in (*inside, *outside) if versions.contains(text)] == inside


@pytest.mark.parametrize(
    ("comparison", "wanted", "inside", "outside"),
    [
        ("GTE", "10", ["10", "10.0", "10.0.1", "11"], ["9", "9.9", "", "Vista"]),
        ("EQ", "10.0", ["10", "10.0", "10.0.0"], ["10.1", "10.0.1", ""]),
        ("LT", "10.10", ["10.9", "9"], ["10.10", "10.11", "", "XP"]),
        ("", "10.15", ["10.15", "10.15.7"], ["10.1", "10.16", "11"]),
        ("", "Vista", ["Vista", "vista"], ["", "XP", "7"]),
        ("GTE", "XP", ["XP"], ["Vista", "7"]),
        ("LT", "XP", [], ["XP", "95"]),
        ("GTE", "10 beta", ["10"], ["9"]),
    ],
)
def test_version_formats_of_user_agents_are_parsed(
    comparison: str, wanted: str, inside: list[str], outside: list[str]
) -> None:
    versions = versions_of([(comparison, wanted)])
    assert [text for text in (*inside, *outside) if versions.contains(text)] == inside


@given(st.text(max_size=80))
def test_version_comparison_accepts_any_text(text: str) -> None:
    assert isinstance(versions_of([("GTE", "1"), ("", text)]).contains(text), bool)


@pytest.mark.parametrize("digits", [18, 19, 5000])
def test_version_number_of_many_digits_is_large(digits: int) -> None:
    assert versions_of([("GT", "9.5")]).contains("9" * digits)
    assert find_version("9" * digits + ".1") is not None


def test_version_digits_of_other_scripts_are_rejected() -> None:
    assert find_version("٣") is None
    assert find_version("１0") is None
