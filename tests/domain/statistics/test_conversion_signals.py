"""Signals of conversions: times out of the usual ones, and addresses that converted before."""

import pytest

from trackyard.domain.statistics.quality.conversion_signals import UsualTimes, is_marking, signals_of, signals_text

HOUR_MS = 3_600_000
USUAL = UsualTimes(100, 120_000, 480_000)
"""Half of the conversions come 2 to 8 minutes after the click: 15 seconds to 64 minutes are within the fences."""


@pytest.mark.parametrize(
    ("age_ms", "usual", "text"),
    [
        (9_999, USUAL, "quick"),
        (10_000, USUAL, ""),  # below the fence, but not that quick
        (24 * HOUR_MS + 1, USUAL, "late"),
        (24 * HOUR_MS, USUAL, ""),  # above the fence, but within a day
        (1_000, UsualTimes(100, 2_000, 4_000), ""),  # all convert within seconds
        (500, UsualTimes(100, 2_000, 4_000), "quick"),
        (30 * HOUR_MS, UsualTimes(100, 20 * HOUR_MS, 40 * HOUR_MS), ""),  # all convert after days
        (114 * HOUR_MS, UsualTimes(100, 20 * HOUR_MS, 40 * HOUR_MS), "late"),
        (1, UsualTimes(99, 120_000, 480_000), ""),  # too few say what is usual
        (1, None, ""),
        (0, UsualTimes(100, 0, 0), "quick"),
    ],
)
def test_time_out_of_the_usual_ones_is_a_signal(age_ms: int, usual: UsualTimes | None, text: str) -> None:
    assert signals_text(signals_of(age_ms, usual, 0)) == text


def test_address_that_converted_before_is_a_signal_that_marks_nothing() -> None:
    repeated, both = signals_of(60_000, USUAL, 1), signals_of(1, USUAL, 3)
    assert (signals_text(repeated), is_marking(repeated)) == ("repeated_address", False)
    assert (signals_text(both), is_marking(both)) == ("quick, repeated_address", True)
