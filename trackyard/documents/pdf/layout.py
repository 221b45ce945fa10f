"""Where the columns of a table go on pages, and the lines of its cells."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

Measure = Callable[[str], float]

PADDING: Final = 1.5
"""Space between a cell and its text on each side."""
_ROUNDING: Final = 0.01
_NAME_LEAST: Final = 28.0
"""How wide a name of a row stays, if it is so long, where the figures do not fit on one page."""


@dataclass(frozen=True, slots=True)
class Band:
    """Columns side by side on one page, by their places in a row. Each band has the columns of names."""

    columns: tuple[int, ...]
    widths: tuple[float, ...]


def natural_widths(rows: Sequence[Sequence[str]], headings: Sequence[str], measure: Measure) -> list[float]:
    """Return how wide each column is where nothing but its heading is broken into lines."""
    widths = [max(map(measure, heading.split(" ")), default=0.0) for heading in headings]
    for row in rows:
        widths = [max(width, measure(text)) for width, text in zip(widths, row, strict=True)]
    return [width + 2 * PADDING for width in widths]


def bands_of(widths: Sequence[float], names: int, usable: float) -> list[Band]:
    """Return the columns in bands that fit into a width; names may be narrowed for the figures."""
    own, figures = list(widths[:names]), widths[names:]
    room = max(usable - sum(figures), min(usable / 2, names * _NAME_LEAST))
    if sum(own) > room:
        own = narrowed(own, room)
    groups: list[list[int]] = [[]]
    left = usable - sum(own)
    for place, width in enumerate(figures, names):
        if width > left + _ROUNDING and groups[-1]:
            groups.append([])
            left = usable - sum(own)
        groups[-1].append(place)
        left -= width
    named = range(names)
    return [
        Band((*named, *group), (*own, *(min(widths[place], usable - sum(own)) for place in group))) for group in groups
    ]


def narrowed(widths: Sequence[float], room: float) -> list[float]:
    """Return widths that are `room` together: the widest ones lose most, the narrow ones nothing."""
    found = dict.fromkeys(range(len(widths)), 0.0)
    for done, place in enumerate(sorted(found, key=lambda each: widths[each])):
        found[place] = min(widths[place], room / (len(widths) - done))
        room -= found[place]
    return [found[place] for place in range(len(widths))]


def lines_of(text: str, width: float, measure: Measure) -> list[str]:
    """Return a text in lines that fit, broken at spaces, and within words that are too long."""
    width += _ROUNDING
    if measure(text) <= width:
        return [text]
    lines, line = [], ""
    for word in text.split(" "):
        longer = f"{line} {word}" if line else word
        if measure(longer) <= width:
            line = longer
            continue
        if line:
            lines.append(line)
        while measure(word) > width and len(word) > 1:
            part = _longest_prefix(word, width, measure)
            lines.append(part)
            word = word[len(part) :]
        line = word
    return [*lines, line]


def _longest_prefix(word: str, width: float, measure: Measure) -> str:
    """Return the longest beginning of a word that fits, at least one character."""
    length = len(word) - 1
    while length > 1 and measure(word[:length]) > width:
        length -= 1
    return word[:length]
