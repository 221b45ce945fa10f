"""Whether a series of measurements grows: a leak is found, noise is not.

Memory of a process goes up and down: caches fill, parts are merged, garbage waits. A leak shows in what is left each
time. So the series is cut into blocks of equal time, and the lowest value of each is kept. They grow when the median of
the slopes of all pairs (Theil-Sen) adds more over the time than noise and a floor, and nine of ten pairs rise.
"""

import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

BLOCKS: Final = 10
RISING_PAIRS: Final = 0.9
"""The share of pairs of blocks of which the later one is higher, from which a series rises all the time."""
_NOISES: Final = 3.0


@dataclass(frozen=True, slots=True)
class Growth:
    """How a series grew.

    first, last: median of the first and of the last quarter of the lowest values.
    grown: by the slope, over the whole time. noise: the typical distance of a block from the line.
    rising: the share of pairs that rise. leaks: it grows by more than noise.
    """

    first: float
    last: float
    grown: float
    noise: float
    rising: float
    leaks: bool


def judge(samples: Sequence[tuple[float, float]], *, floor: float) -> Growth | None:
    """Return how a series of (seconds, value) grew; None = it is too short to say.

    floor: growth up to this is none.
    """
    lows = _lows(samples)
    if len(lows) < BLOCKS:
        return None
    pairs = [(before, after) for place, before in enumerate(lows) for after in lows[place + 1 :]]
    slope = statistics.median((after[1] - before[1]) / (after[0] - before[0]) for before, after in pairs)
    middle = statistics.median(value - slope * at for at, value in lows)
    noise = statistics.median(abs(value - slope * at - middle) for at, value in lows)
    rising = sum(after[1] > before[1] for before, after in pairs) / len(pairs)
    grown = slope * (lows[-1][0] - lows[0][0]) * BLOCKS / (BLOCKS - 1)
    leaks = grown > max(floor, _NOISES * noise) and rising >= RISING_PAIRS
    quarter = max(1, len(lows) // 4)
    first = statistics.median(value for _, value in lows[:quarter])
    last = statistics.median(value for _, value in lows[-quarter:])
    return Growth(first, last, grown, noise, rising, leaks)


def _lows(samples: Sequence[tuple[float, float]]) -> list[tuple[float, float]]:
    """Return the lowest value of each block, at the middle of its time."""
    if len(samples) < 2 * BLOCKS:
        return []
    since, width = samples[0][0], (samples[-1][0] - samples[0][0]) / BLOCKS
    blocks: list[list[float]] = [[] for _ in range(BLOCKS)]
    for at, value in samples:
        blocks[min(BLOCKS - 1, int((at - since) / width))].append(value)
    return [(since + (place + 0.5) * width, min(block)) for place, block in enumerate(blocks) if block]


def is_predicted(samples: Sequence[tuple[float, float]], *, within: float) -> tuple[float, float, bool]:
    """Return the predicted and the real end of a series, and whether the real one is not above.

    The first half of the series predicts its end.

    samples: (work done, value). within: the share of the growth by which the value may be above; merges make it less.
    """
    (work, value), (last_work, last_value) = samples[0], samples[-1]
    half_work, half_value = samples[len(samples) // 2]
    rate = (half_value - value) / (half_work - work) if half_work > work else 0.0
    predicted = value + rate * (last_work - work)
    return predicted, last_value, last_value <= predicted + within * max(1.0, predicted - value)
