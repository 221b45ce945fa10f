"""The forms of a report: a table with sparklines, JSON, CSV."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import Any

from trackyard.commands.frame.output import TableColumn, sparkline, table
from trackyard.commands.report.metrics import Form, PrintedMetric, Row, Value
from trackyard.commands.report.report import ReportRequest, ReportResult
from trackyard.commands.report.slices import is_time, text_of, title_of

_WIDE_BAR = 20


def table_lines(request: ReportRequest, found: ReportResult) -> Iterator[str]:
    """Yield the lines of the table, with a trend or a bar for the first metric at the end."""
    columns = [TableColumn(title_of(name)) for name in request.slices]
    columns += [TableColumn(metric.title, right=metric.form is not Form.TEXT) for metric in request.metrics]
    rows = [
        [*(text_of(name, row["slice"]) for name in request.slices), *_texts(request.metrics, row, found.currency)]
        for row in found.rows
    ]
    drawn = _drawn(request, found)
    if drawn:
        columns.append(TableColumn(f"{request.metrics[0].title} {'by day' if found.trends else ''}".strip()))
        rows = [[*row, text] for row, text in zip(rows, drawn, strict=True)]
    total = None
    if request.slices and found.total is not None:
        total = ["Total", *[""] * (len(request.slices) - 1), *_total_texts(request, found)]
        total += [""] if drawn else []
    yield f"{request.period.first} to {request.period.last}, amounts in {found.currency}"
    yield ""
    yield from table(columns, rows, total)
    if found.count > len(found.rows):
        yield f"{len(found.rows):,} of {found.count:,} rows: --limit 0 shows more, `trackyard export custom` all."


def _texts(metrics: Sequence[PrintedMetric], row: Row, currency: str) -> list[str]:
    return [metric.text_of(row, currency) for metric in metrics]


def _total_texts(request: ReportRequest, found: ReportResult) -> list[str]:
    """Return the totals; a figure that only slices have is the sum of the rows."""
    assert found.total is not None
    texts = []
    for metric in request.metrics:
        value = metric.value(found.total)
        if value is None and metric.form is Form.COUNT and found.count == len(found.rows):
            values = [each for row in found.rows if isinstance(each := metric.value(row), Decimal)]
            texts.append(metric.text(sum(values, Decimal(0)) if values else None, found.currency))
        else:
            texts.append(metric.text_of(found.total, found.currency))
    return texts


def _drawn(request: ReportRequest, found: ReportResult) -> list[str]:
    """Return the drawings of the last column: each row's trend, or for rows of time a bar."""
    if found.trends:
        return [sparkline(values) for values in found.trends]
    if not found.rows or not all(is_time(name) for name in request.slices) or not request.slices:
        return []
    values = [_number(request.metrics[0].value(row)) for row in found.rows]
    highest = max(values)
    return ["█" * round(max(value, Decimal(0)) * _WIDE_BAR / highest) if highest > 0 else "" for value in values]


def _number(value: Value) -> Decimal:
    return value if isinstance(value, Decimal) else Decimal(0)


def json_answer(request: ReportRequest, found: ReportResult) -> dict[str, Any]:
    """Return a report for programs; slices are as the API has them."""
    return {
        "from": request.period.first,
        "to": request.period.last,
        "currency": found.currency,
        "count": found.count,
        "rows": [{"slice": row["slice"], **_values(request.metrics, row)} for row in found.rows],
        "total": None if found.total is None else _values(request.metrics, found.total),
    }


def _values(metrics: Sequence[PrintedMetric], row: Row) -> dict[str, Value]:
    return {metric.name: metric.value(row) for metric in metrics}


def csv_text(request: ReportRequest, found: ReportResult) -> str:
    """Return a report as CSV; things with ids have two columns."""
    from trackyard.wire.response.csv_rows import csv_of_rows

    keys = [_csv_cells(row["slice"]) for row in found.rows]
    names = [*(keys[0] if keys else request.slices), *(metric.name for metric in request.metrics)]
    rows = (
        [*cells.values(), *_values(request.metrics, row).values()] for cells, row in zip(keys, found.rows, strict=True)
    )
    return "".join(csv_of_rows(names, rows))


def _csv_cells(keys: dict[str, Any]) -> dict[str, Any]:
    cells: dict[str, Any] = {}
    for name, value in keys.items():
        if isinstance(value, dict):
            cells |= {f"{name}.{part}": text for part, text in value.items()}
        else:
            cells[name] = value
    return cells
