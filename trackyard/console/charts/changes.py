"""How a figure changed, in words and with the tone of its colour (docs/spec/console.md#charts)."""

from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from typing import Final

from trackyard.base.texts.languages import spoken
from trackyard.console.charts.numbers import Value, exact
from trackyard.console.charts.words import ENGLISH, ChartWords
from trackyard.domain.statistics.metrics import MetricDirection


class ChangeTone(StrEnum):
    """What a change means, and so its colour."""

    BETTER = "better"
    WORSE = "worse"
    NEUTRAL = "neutral"


_LEAST: Final = Decimal("0.1")
_MOST: Final = 9999


def change_text(
    now: Value,
    before: Value,
    direction: MetricDirection,
    *,
    points: bool = False,
    shown: Value = None,
    words: ChartWords = ENGLISH,
) -> tuple[str, ChangeTone]:
    """Return the change of a figure in words, such as "↑ 12 %", and its tone.

    points: both values are percentages; the change is their difference: "↓ 1.3 points".
    shown: the figure next to the change, where it counts more than `now` does: an unchanged `now` then has
    no text, or is "new" after zero.
    Without one of the values there is nothing to say: the text is empty. A change from zero is "new".
    A change is a share of the size of the value before, so that a margin that rises from −50 to −25 is "↑ 50 %".
    """
    new, old = exact(now), exact(before)
    if new is None or old is None:
        return "", ChangeTone.NEUTRAL
    if new == old:
        beside = exact(shown)
        if beside is None or beside == new:
            return words.no_change, ChangeTone.NEUTRAL
        return (words.new, _tone(beside > new, direction)) if old == 0 else ("", ChangeTone.NEUTRAL)
    tone = _tone(new > old, direction)
    arrow = "↑" if new > old else "↓"
    if points:
        return f"{arrow} {_points(abs(new - old), words)}", tone
    if old == 0:
        return words.new, tone
    return f"{arrow} {words.percent.format(number=_percentage(abs(new - old) / abs(old) * 100))}", tone


def _tone(rises: bool, direction: MetricDirection) -> ChangeTone:
    if direction is MetricDirection.NEUTRAL:
        return ChangeTone.NEUTRAL
    return ChangeTone.BETTER if rises == (direction is MetricDirection.UP) else ChangeTone.WORSE


def _rounded(number: Decimal, unit: str) -> Decimal:
    return number.quantize(Decimal(unit), ROUND_HALF_UP)


def _written(number: Decimal | int | str) -> str:
    """Return a number with the separators of the language."""
    form, text = spoken().form, number if isinstance(number, str) else f"{number:,}"
    return text if form.decimal == "." else text.translate({ord(","): form.group, ord("."): form.decimal})


def _percentage(size: Decimal) -> str:
    """Return a percentage: whole from one on, with one decimal below."""
    if size > _MOST:
        return f">{_written(_MOST)}"
    if (small := _rounded(size, "0.1")) >= 1:
        return _written(_rounded(size, "1"))
    return _written(small) if small >= _LEAST else f"<{_written(_LEAST)}"


def _points(size: Decimal, words: ChartWords) -> str:
    """Return a difference of percentages with one decimal."""
    if size > _MOST:
        return words.points.format(number=f">{_written(_MOST)}")
    small = _rounded(size, "0.1")
    if small < _LEAST:
        return words.points.format(number=f"<{_written(_LEAST)}")
    whole = small == small.to_integral_value()
    form = words.point if small == 1 else words.points
    return form.format(number=_written(f"{small:.0f}" if whole else f"{small}"))
