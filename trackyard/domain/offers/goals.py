"""Goals as people type them, and as they are compared (docs/spec/conversions.md#goals). Pure.

Every comparison of goals is made by the key of a goal: outer spaces and letter case do not matter. What is stored and
shown is a spelling.
"""

import unicodedata
from collections.abc import Collection, Iterable, Mapping
from typing import Final

GOAL_LENGTH: Final = 255
DEFAULT_GOAL: Final = "1"


def goal_key(goal: str) -> str:
    """Return the text by which a goal is compared.

    A letter with its accent is one character or two, as the keyboard made it; both are the same letter.
    """
    whole = goal if goal.isascii() else unicodedata.normalize("NFC", goal)
    return whole.strip().casefold()[:GOAL_LENGTH]


def goal_keys(goals: Iterable[str]) -> frozenset[str]:
    """Return the keys of goals."""
    return frozenset(map(goal_key, goals))


def stored_key(goal: str) -> str:
    """Return the value of the column for a goal's key: "" where the key equals the goal."""
    key = goal_key(goal)
    return "" if key == goal else key


def is_same_goal(first: str, second: str) -> bool:
    """Return whether two spellings are of one goal."""
    return first == second or goal_key(first) == goal_key(second)


def find_spelling(goal: str, spellings: Collection[str]) -> str | None:
    """Return the exact spelling of a goal among others, else the first of the same goal, or None."""
    if goal in spellings:
        return goal
    key = goal_key(goal)
    return next((each for each in spellings if goal_key(each) == key), None)


def own_spellings(goal: str, spellings: Collection[str]) -> list[str]:
    """Return the spellings that a goal means among others: the exact one alone, else all of the same goal."""
    if goal in spellings:
        return [goal]
    key = goal_key(goal)
    return [each for each in spellings if goal_key(each) == key]


def first_spellings(goals: Iterable[str]) -> list[str]:
    """Return each goal once, in its first spelling."""
    found: dict[str, str] = {}
    for goal in goals:
        found.setdefault(goal_key(goal), goal)
    return list(found.values())


def trimmed_goal(sent: str) -> str:
    """Return a goal as a sender writes it, without outer spaces; without any text the first goal."""
    return sent.strip()[:GOAL_LENGTH].rstrip() or DEFAULT_GOAL


def newest_uses(uses: Iterable[tuple[str, int]]) -> dict[str, int]:
    """Return the last time of each spelling, from its uses and their times."""
    times: dict[str, int] = {}
    for spelling, at in uses:
        times[spelling] = max(at, times.get(spelling, at))
    return times


def shown_spellings(times: Mapping[str, int]) -> dict[str, str]:
    """Return the spelling in which each goal is shown, by each spelling: that with the highest time.

    times: when each spelling was last used.
    """
    best: dict[str, str] = {}
    for spelling in sorted(times, key=lambda each: (times[each], each)):
        best[goal_key(spelling)] = spelling
    return {spelling: best[goal_key(spelling)] for spelling in times}
