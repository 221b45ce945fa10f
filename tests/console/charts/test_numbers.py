"""Ticks and texts of numbers (docs/spec/console.md#charts)."""

import itertools
import math
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trackyard.base.texts.languages import language, speaking
from trackyard.console.charts import exact_number, nice_ticks, short_number
from trackyard.console.charts.numbers import plain, tick_text, with_unit

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ENDS = FLOATS | st.integers(-(10**18), 10**18) | st.decimals(-(10**12), 10**12, places=4)


@given(ENDS, ENDS, st.integers(1, 12), st.booleans())
def test_nice_ticks_cover_the_range_in_equal_round_steps(low: float, high: float, count: int, whole: bool) -> None:
    ticks = nice_ticks(low, high, count, whole=whole)
    assert ticks[0] <= min(Decimal(low), Decimal(high)) and max(Decimal(low), Decimal(high)) <= ticks[-1]
    assert 2 <= len(ticks) <= count + 2
    steps = {as_integer(after) - as_integer(before) for before, after in itertools.pairwise(ticks)}
    assert len(steps) == 1
    digits = str(steps.pop()).rstrip("0")
    assert digits in ("1", "2", "25", "5")
    if whole:
        assert all(tick == tick.to_integral_value() for tick in ticks)


def as_integer(tick: Decimal) -> int:
    """Return a tick times 10^400, exactly."""
    sign, digits, exponent = tick.as_tuple()
    assert isinstance(exponent, int)
    return (-1) ** sign * int("".join(map(str, digits))) * 10 ** (exponent + 400)


@pytest.mark.parametrize(
    ("low", "high", "count", "ticks"),
    [
        (0, 84_000, 3, "0 50000 100000"),
        (0, 51_000, 3, "0 20000 40000 60000"),
        (0, 3, 3, "0 1 2 3"),
        (-2600, 8100, 3, "-5000 0 5000 10000"),
        (0, Decimal("0.7"), 3, "0 0.25 0.50 0.75"),
        (0, 0, 4, "0 0.25 0.50 0.75 1.00"),
        (5, 5, 5, "0 1 2 3 4 5"),
        (-4, -4, 2, "-4 -2 0"),
    ],
)
def test_nice_ticks_of_known_ranges_are_round(low: float, high: float, count: int, ticks: str) -> None:
    assert list(nice_ticks(low, high, count)) == [Decimal(tick) for tick in ticks.split()]


def test_nice_ticks_of_whole_numbers_have_no_fractions() -> None:
    assert list(nice_ticks(0, 1, 3, whole=True)) == [0, 1]
    assert list(nice_ticks(0, 9, 4, whole=True)) == [0, 5, 10]


@pytest.mark.parametrize(("low", "high", "count"), [(0, math.inf, 3), (math.nan, 1, 3), (None, 1, 3), (0, 1, 0)])
def test_nice_ticks_without_a_range_are_refused(low: float, high: float, count: int) -> None:
    with pytest.raises(ValueError, match=r"finite numbers|at least 1"):
        nice_ticks(low, high, count)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0, "0"),
        (950, "950"),
        (999.6, "1k"),
        (1200, "1.2k"),
        (1250, "1.3k"),
        (12_345, "12.3k"),
        (100_000, "100k"),
        (999_950, "1m"),
        (1_412_806, "1.4m"),
        (Decimal("2500000000"), "2.5b"),
        (3 * 10**12, "3t"),
        (10**17, "1e17"),
        (2.25, "2.3"),
        (0.5, "0.5"),
        (0.034, "0.034"),
        (1e-9, "1e−9"),
        (-1200, "−1.2k"),
        (-0.0, "0"),
        (None, ""),
        (math.nan, ""),
    ],
)
def test_short_number_has_few_signs_and_a_unit(value: float | None, text: str) -> None:
    assert short_number(value) == text


@given(ENDS)
def test_short_number_of_any_value_is_short_and_near(value: float) -> None:
    text = short_number(value)
    if plain(value) is None:
        assert text == ""
        return
    assert len(text) <= 10
    units = {"k": 1e3, "m": 1e6, "b": 1e9, "t": 1e12}
    number = float(text.rstrip("kmbt").replace("−", "-")) * units.get(text[-1], 1)
    assert number == pytest.approx(plain(value), rel=0.051)


def test_tick_text_keeps_what_short_numbers_round() -> None:
    ticks = [Decimal(tick) for tick in ("0", "250", "1250", "-2500", "1.25E+6", "0.025", "1E+17", "2.5E-9")]
    assert [tick_text(tick) for tick in ticks] == ["0", "250", "1.25k", "−2.5k", "1.25m", "0.025", "1e17", "2.5e−9"]


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**9), st.integers(1, 8))
def test_tick_text_differs_for_each_tick_of_an_axis(low: int, size: int, count: int) -> None:
    made = [tick_text(tick) for tick in nice_ticks(low, low + size, count)]
    assert len({*made}) == len(made)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1_412_806, "1,412,806"),
        (Decimal("1234.50"), "1,234.50"),
        (Decimal("1E+3"), "1,000"),
        (-31, "−31"),
        (0.1, "0.1"),
        (10**29 + 1, "100,000,000,000,000,000,000,000,000,001"),
        (10**40, "1e40"),
        (None, ""),
    ],
)
def test_exact_number_has_all_digits_in_groups(value: float | None, text: str) -> None:
    assert exact_number(value) == text


def test_unit_of_a_negative_number_follows_its_sign() -> None:
    made = [with_unit("−50k", "$", ""), with_unit("2", "", " %"), with_unit("", "$", "")]
    assert made == ["−$50k", "2 %", ""]


@pytest.mark.parametrize("value", [math.inf, math.nan, 1e301, 10**400, Decimal("1e400"), Decimal("NaN"), None])
def test_plain_value_of_what_is_no_number_is_a_gap(value: float | None) -> None:
    assert plain(value) is None


@pytest.mark.parametrize(
    ("code", "texts"),
    [
        ("en", ["1.2k", "−1.25k", "3m", "0.5", "1,412,806.5", "−1,020"]),
        ("ru", ["1,2 тыс.", "−1,25 тыс.", "3 млн", "0,5", "1 412 806,5", "−1 020"]),
        ("es", ["1,2 mil", "−1,25 mil", "3 M", "0,5", "1.412.806,5", "−1.020"]),
    ],
)
def test_numbers_are_in_the_language_of_the_page(code: str, texts: list[str]) -> None:
    with speaking(language(code)):
        written = [
            short_number(1200),
            tick_text(Decimal(-1250)),
            tick_text(Decimal(3_000_000)),
            tick_text(Decimal("0.50")),
            exact_number(Decimal("1412806.5")),
            exact_number(-1020),
        ]
    assert [text.replace("\N{NO-BREAK SPACE}", " ") for text in written] == texts
