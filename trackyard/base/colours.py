"""Colours as #rrggbb, and their contrast by WCAG 2."""

import re
from typing import Final

COLOUR: Final = r"#[0-9a-fA-F]{6}"
_WHITE: Final = "#ffffff"
_BLACK: Final = "#000000"
_STEPS: Final = 256


def contrast(one: str, other: str) -> float:
    """Return the contrast of two colours, 1 to 21."""
    first, second = sorted((_luminance(one), _luminance(other)))
    return (second + 0.05) / (first + 0.05)


def least_contrast(colour: str, others: tuple[str, ...]) -> float:
    """Return the contrast of a colour to the one that is nearest to it."""
    return min(contrast(colour, other) for other in others)


def nearest_colour(colour: str, others: tuple[str, ...], least: float, *, darker: bool) -> str:
    """Return the colour of the same hue that is nearest and has at least this contrast to all others.

    darker: whether it is found towards black, else towards white.
    """
    end = _BLACK if darker else _WHITE
    mixed = (_mix(colour, end, step / _STEPS) for step in range(_STEPS + 1))
    return next((found for found in mixed if least_contrast(found, others) >= least), end)


def _mix(colour: str, end: str, share: float) -> str:
    parts = zip(_channels(colour), _channels(end), strict=True)
    return "#" + "".join(f"{round(one + (other - one) * share):02x}" for one, other in parts)


def _channels(colour: str) -> tuple[int, int, int]:
    if re.fullmatch(COLOUR, colour) is None:
        raise ValueError(f"{colour!r} is not a colour such as #3546c8")
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(part / 255) for part in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(part: float) -> float:
    return part / 12.92 if part <= 0.04045 else float(((part + 0.055) / 1.055) ** 2.4)
