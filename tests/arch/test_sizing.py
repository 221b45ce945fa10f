"""docs/sizing.md: every line of its arithmetic follows from the inputs that the page states."""

import ast
import operator
import re
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

PAGE: Final = (Path(__file__).parents[2] / "docs" / "sizing.md").read_text()
_INPUT: Final = re.compile(r"^\| `(\w+)` \| ([\d.,]+) \|", re.MULTILINE)
_LINE: Final = re.compile(r"^\| `(\w+)` \| `([^`]+)` \| ([\d.,]+) \|", re.MULTILINE)
_OPERATORS: Final[dict[type[ast.operator], Callable[[float, float], float]]] = {
    ast.Add: operator.add,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
_ASKED_FOR: Final = {"edges1_rps", "edges2_rps", "redis_click_p99_ms", "workers1_calls_s", "workers2_calls_s"}


def number(text: str) -> float:
    return float(text.replace(",", ""))


def computed(node: ast.expr, known: dict[str, float]) -> float:
    """The value of an arithmetic expression over known names."""
    match node:
        case ast.BinOp(left, kind, right):
            return _OPERATORS[type(kind)](computed(left, known), computed(right, known))
        case ast.Name(name):
            return known[name]
        case ast.Constant(float() | int() as value):
            return value
    raise AssertionError(ast.unparse(node))


def test_sizing_page_states_every_figure_of_its_measurement() -> None:
    inputs = dict(_INPUT.findall(PAGE))
    assert inputs.keys() >= _ASKED_FOR
    assert number(inputs["clicks_day"]) == 1_000_000_000


def test_sizing_arithmetic_follows_from_its_inputs() -> None:
    known = {name: number(value) for name, value in _INPUT.findall(PAGE)}
    lines = _LINE.findall(PAGE)
    assert len(lines) > 10
    for name, expression, shown in lines:
        assert name not in known, "a name is defined once"
        known[name] = computed(ast.parse(expression, mode="eval").body, known)
        digits = len(shown.partition(".")[2])
        assert known[name] == pytest.approx(number(shown), abs=0.5001 * 10**-digits), f"{name} = {expression}"


def test_sizing_page_names_only_figures_that_it_states() -> None:
    known = {name for name, *_ in _INPUT.findall(PAGE)} | {name for name, *_ in _LINE.findall(PAGE)}
    named = set(re.findall(r"`((?:edges|workers|redis|click)\w*_\w+)`", PAGE))
    assert named <= known
