"""No place compares goals as they are spelled (docs/spec/conversions.md#goals)."""

import ast
import re
from collections import Counter
from pathlib import Path

from tests.arch.sources import nodes_of

PACKAGE = Path(__file__).parents[2] / "trackyard"
GOAL = re.compile(r"(^|_)goals?$")
COMPARING = (ast.Eq, ast.NotEq, ast.In, ast.NotIn)
LOOKING_UP = {"get", "in_", "setdefault", "pop", "group_by"}
KEEPING = {"lower", "upper", "strip", "casefold"}
ALLOWED = {
    "domain/offers/goals.py": 3,  # the comparison itself
    "domain/offers/edits.py": 3,  # whether a payment has the stored spelling exactly
    "domain/offers/payments.py": 1,  # among the spellings that were found
    "domain/offers/visibility.py": 2,  # the names of goals by each spelling that is paid
    "api/offers/view_affiliate.py": 1,  # the same
    "domain/statistics/cap_stats.py": 2,  # in the spelling that was found
    "domain/statistics/health.py": 1,  # folded when they are read
    "actions/conversions/identities.py": 1,  # whether the spelling changes
    "actions/offers/goals.py": 1,  # the spellings of a key
    "store/conversions/goals.py": 1,  # one of all spellings
    "store/conversions/lists.py": 2,  # folded after they are read
    "store/statistics/cap_stats.py": 1,  # the same
    "store/statistics/usual_times.py": 1,  # to remove a row
    "console/offers_shown/addresses.py": 1,  # whether an address must name it
}
"""How many places may take a goal as it is spelled, by file."""
KEYED = {"goal_key", "goal_keys", "is_same_goal", "find_spelling", "own_spellings", "find_spellings", "every_spelling"}
"""What compares goals by their keys."""


def _is_goal(node: ast.AST) -> bool:
    """Return whether an expression is a goal as it is spelled."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name) | ast.Subscript(slice=ast.Constant(value=str(name))):
            return bool(GOAL.search(name))
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return bool(GOAL.search(name))
        case ast.Call(func=ast.Attribute(attr=name, value=of)) if name in KEEPING:
            return _is_goal(of)
    return False


def _compares(node: ast.AST) -> bool:
    """Return whether a node compares a goal, or looks something up by it."""
    match node:
        case ast.Compare(left=left, ops=ops, comparators=others):
            return any(isinstance(each, COMPARING) for each in ops) and any(map(_is_goal, (left, *others)))
        case ast.Subscript(slice=key):
            return _is_goal(key)
        case ast.Call(func=ast.Attribute(attr=name), args=args) if name in LOOKING_UP:
            return any(map(_is_goal, args if name in ("in_", "group_by") else args[:1]))
    return False


def _places(path: Path) -> list[str]:
    return [ast.unparse(node) for node in nodes_of(path) if _compares(node)]


def _modules() -> list[Path]:
    return sorted(path for path in PACKAGE.rglob("*.py") if path.parent.name != "versions")


def test_goals_are_compared_by_their_keys_only() -> None:
    found = {str(path.relative_to(PACKAGE)): places for path in _modules() if (places := _places(path))}
    unknown = {name: places for name, places in found.items() if len(places) != ALLOWED.get(name, 0)}
    assert unknown == {}
    assert found.keys() == ALLOWED.keys()


def test_goals_are_compared_in_all_these_places() -> None:
    calls = Counter(
        str(path.relative_to(PACKAGE))
        for path in _modules()
        for node in nodes_of(path)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KEYED
    )
    assert (len(calls), sum(calls.values())) == (22, 54)


def test_a_place_that_compares_goals_is_found() -> None:
    written = """
a.goal == b
if row["goal"] in names: pass
names.get(first_goal)
by_goal[each.goal.lower()]
columns.goal.in_(goals)
"""
    assert sum(map(_compares, ast.walk(ast.parse(written)))) == 5
