"""What commands print: tables, sparklines, JSON; colours at a terminal only, and none with NO_COLOR."""

import json
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final

import click

_BARS: Final = "▁▂▃▄▅▆▇█"
_UNITS: Final = ("B", "KB", "MB", "GB", "TB")


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column of a table. right: whether its values end at one line, as numbers do."""

    title: str
    right: bool = False


def table(
    columns: Sequence[TableColumn], rows: Sequence[Sequence[str]], total: Sequence[str] | None = None
) -> list[str]:
    """Return the lines of a table: titles, rows, and below a line their total."""
    shown = [*rows, *([total] if total else [])]
    widths = [
        max(len(column.title), *(len(row[place]) for row in shown)) if shown else len(column.title)
        for place, column in enumerate(columns)
    ]
    lines = [styled(_line(columns, widths, [column.title for column in columns]), bold=True)]
    lines += [_line(columns, widths, row) for row in rows]
    if total:
        lines.append("─" * (sum(widths) + 2 * (len(widths) - 1)))
        lines.append(styled(_line(columns, widths, total), bold=True))
    return lines


def _line(columns: Sequence[TableColumn], widths: Sequence[int], values: Sequence[str]) -> str:
    cells = zip(columns, widths, values, strict=True)
    return "  ".join(
        f"{value:>{width}}" if column.right else f"{value:<{width}}" for column, width, value in cells
    ).rstrip()


def sparkline(values: Sequence[Decimal | int]) -> str:
    """Return a bar for each value, as high as its share of the highest; negative ones have the lowest."""
    highest = max(values, default=0)
    if highest <= 0:
        return _BARS[0] * len(values)
    last = len(_BARS) - 1
    return "".join(_BARS[max(0, round(Decimal(value) * last / Decimal(highest)))] for value in values)


def styled(text: str, **style: Any) -> str:
    """Return a text with colours where standard output is a terminal that wants them."""
    return click.style(text, **style) if sys.stdout.isatty() and not os.environ.get("NO_COLOR") else text


def print_json(answer: object) -> None:
    """Print JSON for programs. Amounts are numbers."""
    click.echo(json.dumps(answer, indent=2, ensure_ascii=False, default=_plain))


def _plain(value: object) -> object:
    if isinstance(value, Decimal):
        return int(value) if value == value.to_integral_value() else float(value)
    raise TypeError(f"not JSON: {value!r}")


def duration_text(seconds: float) -> str:
    """Return a duration in its two largest units, such as 3 d 4 h."""
    left, parts = int(seconds), []
    for unit, size in (("d", 86_400), ("h", 3_600), ("min", 60), ("s", 1)):
        count, left = divmod(left, size)
        if count:
            parts.append(f"{count} {unit}")
    return " ".join(parts[:2]) or "0 s"


def size_text(count: float) -> str:
    """Return a number of bytes, such as 1.5 GB."""
    for unit in _UNITS:
        if count < 1000 or unit == _UNITS[-1]:
            break
        count /= 1000
    return f"{count:.0f} {unit}" if unit in ("B", "KB", "MB") else f"{count:.1f} {unit}"
