"""Structured parameters as lines of text."""

from typing import Any, cast

import pytest

from trackyard.console.forms import KeyedLines
from trackyard.console.staff.offers.lines import HourLines, SystemLines
from trackyard.wire.request.brackets import tree_of


def sent(pairs: Any) -> Any:
    """What the API reads for the parameter x."""
    return cast("Any", tree_of(list(pairs)))["x"]


def test_keyed_lines_write_what_they_read() -> None:
    codec = KeyedLines()
    lines = list(codec.lines({"GB": [1, 2], "1": ["", "news"]}))
    assert lines == ["GB: 1, 2", "1: (empty), news"]
    assert codec.tree(lines) == {"GB": ["1", "2"], "1": ["", "news"]}
    assert sent(codec.pairs("x", ())) == ""
    assert sent(codec.pairs("x", ["no key"])) == "no key"


@pytest.mark.parametrize(
    ("line", "system"),
    [
        ("iOS", ("iOS", "", "")),
        ("Windows Phone >= 8.1", ("Windows Phone", "GTE", "8.1")),
        ("Android<10", ("Android", "LT", "10")),
        ("iOS =", ("iOS", "EQ", "")),
    ],
)
def test_system_line_names_a_system_and_its_version(line: str, system: tuple[str, str, str]) -> None:
    [found] = SystemLines().tree([line])
    assert (found["name"], found["comparison"], found["version"]) == system


def test_system_lines_write_what_they_read() -> None:
    given = [
        {"name": "iOS", "comparison": "LTE", "version": "15"},
        {"name": "Android", "comparison": "", "version": ""},
    ]
    assert SystemLines().tree(list(SystemLines().lines(given))) == given


def test_hour_lines_write_what_they_read() -> None:
    given = [
        {"day_of_week": 1, "from": 9, "to": 17},
        {"day_of_week": 1, "from": 20, "to": 2},
        {"day_of_week": 0, "from": 0, "to": 23},
    ]
    lines = list(HourLines().lines(given))
    assert lines == ["Sunday: 0-23", "Monday: 9-17, 20-2"]
    read = sent(HourLines().pairs("x", ["mon: 9-17, 20 \N{EN DASH} 2"]))
    assert read == {"1": {"0": {"From": "9", "To": "17"}, "1": {"From": "20", "To": "2"}}}


@pytest.mark.parametrize("line", ["Monday", "9-17", "x]y[: 1-2", "Monday: early"])
def test_hour_line_that_cannot_be_read_is_left_to_the_api(line: str) -> None:
    [(day, spans)] = sent(HourLines().pairs("x", [line])).items()
    assert not day.isdecimal() or spans["0"]["To"] == ""
