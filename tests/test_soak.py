"""The judgement of script/soak, and its short form."""

import random
from pathlib import Path

import pytest

from bench.judgement import Growth, is_predicted, judge
from bench.soak import measure

MINUTES = 20


def series(grows: float, *, noise: float = 0.0, saw: float = 0.0) -> list[tuple[float, float]]:
    """Megabytes every 5 s: 300, growing by so much a minute, with noise, and a saw as garbage makes it."""
    choose = random.Random(7)
    return [
        (place * 5.0, 300 + grows * place / 12 + choose.gauss(0, noise) + saw * (place % 24) / 24)
        for place in range(MINUTES * 12)
    ]


def judged(samples: list[tuple[float, float]]) -> Growth:
    found = judge(samples, floor=4.0)
    assert found is not None
    return found


@pytest.mark.parametrize(("noise", "saw"), [(0, 0), (3, 0), (3, 40)])
def test_judgement_finds_a_leak(noise: float, saw: float) -> None:
    found = judged(series(1.0, noise=noise, saw=saw))
    assert found.leaks and found.grown == pytest.approx(MINUTES, abs=4)
    assert found.first < found.last


@pytest.mark.parametrize(("noise", "saw"), [(0, 0), (3, 0), (10, 0), (3, 40)])
def test_judgement_takes_noise_for_no_leak(noise: float, saw: float) -> None:
    found = judged(series(0.0, noise=noise, saw=saw))
    assert not found.leaks and abs(found.grown) < 8


def test_judgement_takes_a_cache_that_fills_once_for_no_leak() -> None:
    filled = [(at, value + min(at, 240.0) / 8) for at, value in series(0.0, noise=2)]
    assert not judged(filled).leaks


def test_judgement_takes_growth_below_the_floor_for_no_leak() -> None:
    assert not judged(series(0.1, noise=0.1)).leaks


def test_judgement_of_a_short_series_is_none() -> None:
    assert judge(series(1.0)[:19], floor=4.0) is None


def test_disk_that_grows_with_the_work_is_as_predicted() -> None:
    steady = [(clicks * 1000.0, 50 + clicks * 0.4) for clicks in range(20)]
    predicted, last, as_predicted = is_predicted(steady, within=0.25)
    assert (round(predicted, 1), round(last, 1), as_predicted) == (57.6, 57.6, True)
    faster = [(work, value + (max(0.0, work - 10_000) / 1000) ** 2) for work, value in steady]
    assert not is_predicted(faster, within=0.25)[2]


@pytest.mark.long
def test_short_soak_finds_nothing(tmp_path: Path) -> None:
    figures = measure(tmp_path, minutes=3.5, rate=50, probe_s=0, drain_s=120)
    assert figures["faults"] == []
    assert figures["clicks"] > 1000 and figures["conversions_counted"] == figures["postbacks"] > 0
    assert set(figures["restarts_s"]) == {"core", "worker", "edge 0", "all"}
    assert {"core mb", "worker mb", "edge 0 mb", "core descriptors"} <= set(figures["growth"])
