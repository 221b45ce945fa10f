"""Changes of figures in words (docs/spec/console.md#charts)."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.console.charts import ChangeTone, ChartWords, MetricDirection, change_text

UP, DOWN, NEUTRAL = MetricDirection.UP, MetricDirection.DOWN, MetricDirection.NEUTRAL


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        (112, 100, "↑ 12 %"),
        (69, 100, "↓ 31 %"),
        (Decimal("1004"), Decimal("1000"), "↑ 0.4 %"),
        (1_000_001, 1_000_000, "↑ <0.1 %"),
        (100.96, 100, "↑ 1 %"),
        (1350, 100, "↑ 1,250 %"),
        (10**9, 1, "↑ >9,999 %"),
        (0, 50, "↓ 100 %"),
        (50, 0, "new"),
        (-50, 0, "new"),
        (0, 0, "no change"),
        (7, Decimal("7.00"), "no change"),
        (-25, -50, "↑ 50 %"),
        (-50, 100, "↓ 150 %"),
        (None, 5, ""),
        (5, None, ""),
        (float("nan"), 5, ""),
    ],
)
def test_change_text_is_a_share_of_the_value_before(now: float | None, before: float | None, text: str) -> None:
    assert change_text(now, before, UP)[0] == text


@pytest.mark.parametrize(
    ("now", "before", "text"),
    [
        (Decimal("24.5"), Decimal("25.8"), "↓ 1.3 points"),
        (3.9, 3.0, "↑ 0.9 points"),
        (3, 2, "↑ 1 point"),
        (5, 2, "↑ 3 points"),
        (0.4, 0, "↑ 0.4 points"),
        (2.01, 2.0, "↑ <0.1 points"),
        (2, 2, "no change"),
        (10**30, 0, "↑ >9,999 points"),
    ],
)
def test_change_of_percentages_is_in_points(now: float, before: float, text: str) -> None:
    assert change_text(now, before, DOWN, points=True)[0] == text


@pytest.mark.parametrize(
    ("direction", "rise", "fall"),
    [(UP, "better", "worse"), (DOWN, "worse", "better"), (NEUTRAL, "neutral", "neutral")],
)
def test_change_tone_follows_the_direction_of_the_metric(direction: MetricDirection, rise: str, fall: str) -> None:
    for points in (False, True):
        assert change_text(2, 1, direction, points=points)[1] == rise
        assert change_text(1, 2, direction, points=points)[1] == fall
        assert change_text(1, 1, direction, points=points)[1] == "neutral"
    assert change_text(1, 0, direction)[1] == rise
    assert change_text(-1, 0, direction)[1] == fall


@given(st.floats() | st.decimals() | st.integers(), st.floats() | st.decimals() | st.integers(), st.booleans())
def test_change_text_of_any_values_is_short(now: float, before: float, points: bool) -> None:
    text, tone = change_text(now, before, UP, points=points)
    assert len(text) <= 16 and tone in ChangeTone
    assert text.startswith("↑") <= (tone == ChangeTone.BETTER)


def test_change_words_are_those_of_the_language() -> None:
    words = ChartWords(no_change="sin cambios", percent="{number} por ciento", points="{number} puntos", new="nuevo")
    assert change_text(1, 1, UP, words=words)[0] == "sin cambios"
    assert change_text(2, 1, UP, words=words)[0] == "↑ 100 por ciento"
    assert change_text(5, 2, UP, points=True, words=words)[0] == "↑ 3 puntos"
    assert change_text(5, 0, UP, words=words)[0] == "nuevo"
