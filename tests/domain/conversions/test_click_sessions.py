"""The age that a click may have."""

import pytest

from trackyard.base.ids import new_click_id
from trackyard.domain.conversions.sessions import (
    DAY_MS,
    MIN_CLICK_RETENTION_MS,
    click_retention_ms,
    duration_ms,
    is_click_expired,
    is_possible_click_id,
)

AT = 1_790_000_000_000


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("0s", 0), ("5s", 5), ("2i", 120), ("1h", 3600), ("1d", 86_400), ("1w", 604_800), ("1m", 30 * 86_400),
        ("1y", 365 * 86_400), ("1d12h", 129_600), ("12h1d", 129_600), ("1s1s", 2),
        ("999999999y", 999_999_999 * 31_536_000),
    ],
)  # fmt: skip
def test_click_session_durations_are_parsed(text: str, seconds: int) -> None:
    assert duration_ms(text) == seconds * 1000


@pytest.mark.parametrize(
    ("sessions", "days"),
    [([], 400), (["1d", "5s"], 400), (["1y"], 400), (["366d"], 401), (["1y", "2y", "1s"], 765)],
)
def test_click_retention_exceeds_longest_session_by_35_days(sessions: list[str], days: int) -> None:
    assert click_retention_ms(sessions) == days * DAY_MS


def made(age_ms: int, edge: int = 1) -> str:
    return new_click_id(AT - age_ms, edge)[:10] + "0" * 14


@pytest.mark.parametrize(
    ("click_id", "forgotten"),
    [
        (made(0), False),
        (made(MIN_CLICK_RETENTION_MS), False),
        (made(MIN_CLICK_RETENTION_MS + 1000), True),
        (made(MIN_CLICK_RETENTION_MS + 1000, edge=9), False),  # of an edge that never was: it is broken
        ("", False),
        ("no id", False),
    ],
)
def test_click_id_age_decides_expiry(click_id: str, forgotten: bool) -> None:
    assert is_click_expired(click_id, AT, MIN_CLICK_RETENTION_MS, {1, 2}) is forgotten


@pytest.mark.parametrize(
    ("click_id", "possible"),
    [
        (made(0), True),
        (made(-11_000), True),  # the clock of its edge may have been ahead
        (made(MIN_CLICK_RETENTION_MS * 2), True),
        (made(0, edge=3), False),
        (made(0, edge=255), False),
        (made(0).upper().replace("0", "A"), False),
        ("x", False),
        ("", False),
    ],
)
def test_click_id_is_checked_for_plausibility(click_id: str, possible: bool) -> None:
    assert is_possible_click_id(click_id, {1, 2}) is possible
