"""How likely a number is by chance (docs/spec/automation.md#usual-hours)."""

from math import exp, lgamma, log, log1p
from typing import Final

_MOST_STEPS: Final = 10_000
_PRECISION: Final = 1e-13
_TINY: Final = 1e-300


def chance_at_most(successes: int, trials: int, share: float) -> float:
    """Return the chance of at most so many successes, each of `trials` with the probability `share`."""
    if successes >= trials:
        return 1.0
    return _incomplete_beta(trials - successes, successes + 1, 1 - share)


def chance_at_least(successes: int, trials: int, share: float) -> float:
    """Return the chance of at least so many successes, each of `trials` with the probability `share`."""
    if successes <= 0 or successes > trials:
        return 1.0 if successes <= 0 else 0.0
    return _incomplete_beta(successes, trials - successes + 1, share)


def _incomplete_beta(a: float, b: float, x: float) -> float:
    """Return the regularised incomplete beta function, by its continued fraction."""
    if x <= 0 or x >= 1:
        return 0.0 if x <= 0 else 1.0
    front = exp(lgamma(a + b) - lgamma(a) - lgamma(b) + a * log(x) + b * log1p(-x))
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(a, b, x) / a
    return 1.0 - front * _fraction(b, a, 1 - x) / b


def _fraction(a: float, b: float, x: float) -> float:
    """Return the continued fraction of the incomplete beta function, by the method of Lentz."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    result = d
    for step in range(1, _MOST_STEPS):
        for factor in (
            step * (b - step) * x / ((a + 2 * step - 1) * (a + 2 * step)),
            -(a + step) * (a + b + step) * x / ((a + 2 * step) * (a + 2 * step + 1)),
        ):
            d = 1 / _away_from_zero(1 + factor * d)
            c = _away_from_zero(1 + factor / c)
            result *= c * d
        if abs(c * d - 1) < _PRECISION:
            break
    return result


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
