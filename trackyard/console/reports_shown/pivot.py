"""A pivot: rows by one slice, columns by another, one figure (docs/spec/console.md#views-of-a-report)."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.base.texts.marks import ngettext
from trackyard.console.charts.heat_maps import level
from trackyard.console.frame.figures import Row, figure_text, total, value_of
from trackyard.console.frame.slice_keys import Key, row_key
from trackyard.console.reports_shown.slices import Cell, cell_of, order_key
from trackyard.domain.statistics.metrics import Metric, MetricSums

MOST_COLUMNS: Final = 12
"""Columns of a pivot; the sum of the others is one more."""
MOST_LINES: Final = 60
"""Rows of a pivot; the sum of the others is one more."""


@dataclass(frozen=True, slots=True)
class PivotCell:
    """A cell. level: 0 to 5, by its share of the largest cell; sums of rows and columns have 0."""

    text: str
    level: int = 0


@dataclass(frozen=True, slots=True)
class PivotLine:
    """A row: what it is of, its cells, and their sum."""

    cell: Cell
    cells: tuple[PivotCell, ...]
    total: PivotCell


@dataclass(frozen=True, slots=True)
class Pivot:
    """A pivot. The last line of `lines` has the sums of the columns."""

    columns: tuple[Cell, ...]
    lines: tuple[PivotLine, ...]
    total: PivotLine


def pivot_of(rows: Iterable[Row], by: tuple[str, str], kind: Metric, currency: str) -> Pivot:
    """Return a pivot of a report by two slices."""
    sums = defaultdict[tuple[Key, Key], MetricSums](MetricSums)
    lines, columns = dict[Key, Row](), dict[Key, Row]()
    for row in rows:
        line, column = (_place(name, row) for name in by)
        sums[line, column] += row.figures
        lines.setdefault(line, row)
        columns.setdefault(column, row)
    of_line = {key: total(each for (line, _), each in sums.items() if line == key) for key in lines}
    of_column = {key: total(each for (_, column), each in sums.items() if column == key) for key in columns}
    line_groups = _groups(by[0], kind, lines, of_line, MOST_LINES)
    column_groups = _groups(by[1], kind, columns, of_column, MOST_COLUMNS)
    cells = [[_sum(sums, line, column) for _, column in column_groups] for _, line in line_groups]
    values = [value_of(kind, each) for line in cells for each in line if each is not None]
    largest = max((Decimal(value).copy_abs() for value in values if value is not None), default=Decimal(0))
    whole = total(of_line.values())
    return Pivot(
        columns=tuple(cell for cell, _ in column_groups),
        lines=tuple(
            PivotLine(
                cell,
                tuple(_cell(kind, each, currency, largest) for each in found),
                _cell(kind, total(of_line[key] for key in keys), currency),
            )
            for (cell, keys), found in zip(line_groups, cells, strict=True)
        ),
        total=PivotLine(
            Cell("", "", ""),
            tuple(_cell(kind, total(of_column[key] for key in keys), currency) for _, keys in column_groups),
            _cell(kind, whole, currency),
        ),
    )


def _place(name: str, row: Row) -> Key:
    """Return the key of a row's value in a slice."""
    cell = cell_of(name, row.keys)
    return (cell.text,) if cell.is_time else row_key({name: row.keys[name]})


def _groups(
    name: str, kind: Metric, rows: Mapping[Key, Row], sums: Mapping[Key, MetricSums], most: int
) -> list[tuple[Cell, Sequence[Key]]]:
    """Return the places of a slice in their order, and what each sums; the last one may sum several."""
    ordered = sorted(rows, key=lambda key: order_key(name, rows[key].keys))
    if not cell_of(name, rows[ordered[0]].keys).is_time if ordered else False:
        ordered.sort(key=lambda key: _size(kind, sums[key]), reverse=True)
    kept = ordered if len(ordered) <= most + 1 else ordered[:most]
    found: list[tuple[Cell, Sequence[Key]]] = [(cell_of(name, rows[key].keys), [key]) for key in kept]
    if rest := ordered[len(kept) :]:
        found.append((Cell("", ngettext("%(num)d other", "%(num)d others", len(rest)), ""), rest))
    return found


def _size(kind: Metric, of: MetricSums) -> tuple[bool, Decimal]:
    value = value_of(kind, of)
    return value is not None, Decimal(value or 0)


def _sum(sums: Mapping[tuple[Key, Key], MetricSums], lines: Sequence[Key], columns: Sequence[Key]) -> MetricSums | None:
    found = [sums[line, column] for line in lines for column in columns if (line, column) in sums]
    return total(found) if found else None


def _cell(kind: Metric, of: MetricSums | None, currency: str, largest: Decimal = Decimal(0)) -> PivotCell:
    value = None if of is None else value_of(kind, of)
    text = "" if of is None else figure_text(kind, of, currency)
    return PivotCell(text, level(float(value), float(largest)) if value and value > 0 and largest else 0)
