"""Numbers of charts: ticks of an axis, short and exact texts (docs/spec/console.md#charts).

Texts have the separators and the signs of thousands of the language that is spoken.
"""

import math
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import Final

from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import lazy_gettext

Value = Decimal | int | float | None
"""A value of a chart. None is a gap."""

LARGEST: Final = 1e300
"""The largest value that a chart draws; above it, and below its inverse, arithmetic with floats ends."""

_STEPS: Final = (Fraction(1), Fraction(2), Fraction(5, 2), Fraction(5), Fraction(10))
_UNITS: Final = (
    (12, lazy_gettext("{number}t")),
    (9, lazy_gettext("{number}b")),
    (6, lazy_gettext("{number}m")),
    (3, lazy_gettext("{number}k")),
)
"""Powers of ten, and how a number of them is written."""
_SCIENTIFIC: Final = Decimal("1e15")
_TINY: Final = Decimal("1e-6")
_MINUS: Final = "−"


def plain(value: Value) -> float | None:
    """Return a value as a float that can be drawn, or None for a gap or a value that is not a number."""
    if value is None:
        return None
    if isinstance(value, int):
        value = Decimal(value)
    if isinstance(value, Decimal) and not value.is_finite():
        return None
    found = float(value)
    if not math.isfinite(found) or abs(found) > LARGEST:
        return None
    return 0.0 if abs(found) < 1 / LARGEST else found


def exact(value: Value) -> Decimal | None:
    """Return a value without rounding, or None for what `plain` leaves out.

    A float has the digits that it shows.
    """
    if value is None or (found := plain(value)) is None:
        return None
    if not found:
        return Decimal(0)
    return Decimal(str(value)) if isinstance(value, float) else Decimal(value)


def numbers_of(values: Iterable[Value]) -> list[float]:
    """Return the values that can be drawn, without gaps."""
    return [found for value in values if (found := plain(value)) is not None]


def nice_ticks(low: Value, high: Value, count: int, *, whole: bool = False) -> tuple[Decimal, ...]:
    """Return evenly spaced round numbers that cover a range.

    count: the number of ticks to aim at, at least 1; there are at most two more.
    whole: whether the steps are whole numbers, as for counts.
    The step is 1, 2, 2.5 or 5 times a power of ten. A range without extent reaches to zero, and zero to one.
    """
    if count < 1:
        raise ValueError("the number of ticks must be at least 1")
    if low is None or high is None or not (math.isfinite(low) and math.isfinite(high)):
        raise ValueError("the range of an axis needs two finite numbers")
    bottom, top = sorted((Fraction(low), Fraction(high)))
    if bottom == top:
        bottom, top = min(bottom, Fraction(0)), max(top, Fraction(0) if top else Fraction(1))
    step, exponent = _round_step((top - bottom) / count, whole)
    size = step * Fraction(10) ** exponent
    first, last = math.floor(bottom / size), math.ceil(top / size)
    return tuple(_exact(step * index, exponent) for index in range(first, last + 1))


def _round_step(least: Fraction, whole: bool) -> tuple[Fraction, int]:
    """Return the smallest round step of at least `least`: a factor and a power of ten."""
    exponent = len(str(least.numerator)) - len(str(least.denominator)) - 1
    if whole and least <= 1:
        return Fraction(1), 0
    while True:
        power = Fraction(10) ** exponent
        for step in _STEPS:
            if step * power >= least and not (whole and (step * power).denominator != 1):
                return (Fraction(1), exponent + 1) if step == 10 else (step, exponent)
        exponent += 1


def _exact(factor: Fraction, exponent: int) -> Decimal:
    """Return factor × 10^exponent without rounding; the factor is a multiple of a half."""
    tenths = int(factor * 10)
    return Decimal((int(tenths < 0), tuple(int(digit) for digit in str(abs(tenths))), exponent - 1))


def short_number(value: Value) -> str:
    """Return a number in few signs: "950", "1.2k", "100k", "1.4m"; an empty text for a gap.

    In Russian 1200 is "1,2 тыс.".
    """
    if (number := exact(value)) is None:
        return ""
    with localcontext() as context:
        context.prec = 40
        context.rounding = ROUND_HALF_UP
        return _signed(number, _short(abs(number)))


def _short(number: Decimal) -> str:
    """Return a number of at least 0 in few signs."""
    number = _three_digits(number)
    if number >= _SCIENTIFIC or 0 < number < _TINY:
        return _scientific(f"{number:.1e}")
    for exponent, written in _UNITS:
        if number >= Decimal(10) ** exponent:
            return written.format(number=_stripped(f"{_three_digits(number.scaleb(-exponent)):f}"))
    return _stripped(f"{number:f}")


def _three_digits(number: Decimal) -> Decimal:
    """Round a number to what few signs can show: two digits, or three from one hundred on."""
    if not number:
        return number
    lead = number.adjusted() % 3 if number.adjusted() > 0 else 0
    return number.quantize(Decimal((0, (1,), number.adjusted() - (2 if lead == 2 else lead + 1))))


def tick_text(tick: Decimal) -> str:
    """Return the text of a tick: short, and exact where `short_number` rounds, such as "1.25k"."""
    size = abs(tick)
    for exponent, written in _UNITS:
        if Decimal(10) ** exponent <= size < _SCIENTIFIC:
            return _signed(tick, written.format(number=_stripped(f"{size.scaleb(-exponent):f}")))
    if size >= _SCIENTIFIC or 0 < size < _TINY:
        return _signed(tick, _scientific(f"{size:e}"))
    return _signed(tick, _stripped(f"{size:f}"))


def exact_number(value: Value) -> str:
    """Return a number with all of its digits, in groups: "1,412,806"; an empty text for a gap."""
    if (number := exact(value)) is None:
        return ""
    if not -20 < number.adjusted() < 30:
        return short_number(value)
    return _signed(number, _separated(f"{number.copy_abs():,f}"))


def with_unit(text: str, prefix: str, suffix: str) -> str:
    """Put a unit around the text of a number, and the sign of a negative one before all: "−$50k"."""
    if not text:
        return ""
    sign, digits = (_MINUS, text[1:]) if text.startswith(_MINUS) else ("", text)
    return f"{sign}{prefix}{digits}{suffix}"


def _scientific(text: str) -> str:
    digits, _, exponent = text.partition("e")
    return f"{_stripped(digits)}e{int(exponent)}".replace("-", _MINUS)


def _signed(number: Decimal, text: str) -> str:
    return f"{_MINUS}{text}" if number < 0 and any(digit in "123456789" for digit in text) else text


def _separated(digits: str) -> str:
    """Return a number of Python with the separators of the language."""
    form = spoken().form
    return digits if form.decimal == "." else digits.translate({ord(","): form.group, ord("."): form.decimal})


def _stripped(digits: str) -> str:
    return _separated(digits.rstrip("0").rstrip(".") if "." in digits else digits)
