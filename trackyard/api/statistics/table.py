"""Statistics rows as flat rows of a file."""

from collections.abc import Callable, Collection, Iterator
from operator import attrgetter
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.statistics.exports import export_rows
from trackyard.actions.statistics.names import EntityNames
from trackyard.actions.statistics.reports import list_statistics_rows
from trackyard.api.statistics.exports import ALL_ROWS, each_export_piece
from trackyard.api.statistics.rows import (
    FIELD_NAMES,
    RATED,
    WITHOUT_CLICK,
    ActionView,
    RowFormat,
    StatsRowView,
    row_view,
    shown_value,
)
from trackyard.domain.statistics.metrics import FIELDS_OF_ROWS, InRows, Unit
from trackyard.domain.statistics.reports import Report, conversion_types
from trackyard.domain.statistics.slices import REJECTION_REASON, SLICES
from trackyard.wire.endpoint import ApiRequest
from trackyard.wire.response.exports import (
    ColumnType,
    ExportColumn,
    ExportTable,
    Row,
    block_of_rows,
    blocks_of,
    columns_of,
)

CUSTOM_COLUMNS: Final = (
    "Columns: the columns of the slices (`year`, `month`, `day`, `offer.id`, `offer.title`, `sub1`…), traffic.raw, "
    "traffic.uniq, of each conversion type what JSON answers have (`confirmed.count`, `confirmed.payouts`…), views, "
    "ctr, `cr` of each conversion type (`cr_total`, `cr_confirmed`…), epc, ecpm, ratio, where costs can have the "
    "slices and filters cost, profit and roi, and currency, in which the amounts are. `plain` rows have fewer. "
    f"{ALL_ROWS}"
)
_ACTION: Final = columns_of(ActionView)
_KINDS: Final = {
    "ratio": ColumnType.TEXT,
    **{field.name: ColumnType.WHOLE for metric, field in FIELDS_OF_ROWS if metric.unit is Unit.COUNT},
}
"""The types of fields that are not amounts."""


def stats_table(
    request: ApiRequest[Deps], report: Report, form: RowFormat, period: str, *, is_paged: bool
) -> ExportTable:
    """Return the rows of a report as a table: all, or only its page."""
    rejected = REJECTION_REASON in report.dimensions
    kinds = [kind for kind in conversion_types(separate_not_found=report.separate_not_found) if form.shows(kind)]
    figures = _figures(report, form)
    columns = (*_slices(report, form), *_metrics(kinds, form, figures, rejected=rejected))
    flat = _flattener(kinds, form, figures, report.currency or request.deps.currency)
    if is_paged:
        page, names = list_statistics_rows(request.deps, request.access, report)
        rows = (flat(row_view(row, names, form)) for row in page.rows)
        return ExportTable(columns, blocks_of(columns, rows), request.deps.zone, period)
    export = export_rows(request.deps, request.access, report)
    pieces = each_export_piece(
        export, lambda rows, names: block_of_rows(columns, [flat(row_view(row, names, form)) for row in rows])
    )
    return ExportTable(columns, pieces, request.deps.zone, period, lambda: export.count)


def _slices(report: Report, form: RowFormat) -> Iterator[ExportColumn]:
    """Yield the columns of the slices."""
    parts = {part.key: part for name in report.dimensions for part in SLICES[name].parts}
    for key, part in parts.items():
        example = shown_value(key, 0, EntityNames(), form)
        kind = ColumnType.WHOLE if part.is_number and not isinstance(example, str) else ColumnType.TEXT
        for name in (form.requested[key], key) if key in form.requested else (key,):
            if isinstance(example, dict):
                yield from (
                    ExportColumn(f"{name}.{field}", kind if field == "id" else ColumnType.TEXT) for field in example
                )
            else:
                yield ExportColumn(name, kind)


def _figures(report: Report, form: RowFormat) -> tuple[str, ...]:
    """Return the figures that follow the conversions' figures in rows, in the order of the columns."""
    keys = {part.key for name in report.dimensions for part in SLICES[name].parts}
    has_costs = form.staff and report.can_have_costs
    shown = {
        "cr": form.has("cr", otherwise=not form.plain),
        "ratio": form.has("ratio", otherwise=not form.plain or not RATED.isdisjoint(keys)),
    }
    for _, field in FIELDS_OF_ROWS:
        is_possible = has_costs or field.rows is not InRows.COSTS
        shown[field.name] = is_possible and form.has_field(field, keys, has_cost=False)
        shown[field.also] = field.also in form.fields
    return tuple(name for name in FIELD_NAMES if shown[name])


def _metrics(
    kinds: Collection[str], form: RowFormat, figures: Collection[str], *, rejected: bool
) -> Iterator[ExportColumn]:
    """Yield the columns after the columns of slices."""
    yield from (ExportColumn("traffic.raw", ColumnType.WHOLE), ExportColumn("traffic.uniq", ColumnType.WHOLE))
    for kind in () if rejected else kinds:
        yield from (ExportColumn(f"{kind}.{column.name}", column.kind) for column in _action_columns(form))
    for name in figures:
        if name == "cr":
            yield from (ExportColumn(f"cr_{kind}", ColumnType.AMOUNT) for kind in kinds)
        else:
            yield ExportColumn(name, _KINDS.get(name, ColumnType.AMOUNT))
    yield ExportColumn("currency")


def _action_columns(form: RowFormat) -> list[ExportColumn]:
    """Return the columns of the conversions of one type."""
    lacking = set() if form.has("payouts", otherwise=not form.plain) else {"payouts"}
    lacking |= set() if form.has_clickless else {WITHOUT_CLICK, "payouts_without_click"}
    return [column for column in _ACTION if column.name not in lacking]


def _flattener(
    kinds: Collection[str], form: RowFormat, figures: Collection[str], currency: str
) -> Callable[[StatsRowView], Row]:
    """Return a function that makes the values of the columns of a row."""
    action = attrgetter(*(column.name for column in _action_columns(form)))

    def flat(row: StatsRowView) -> Row:
        values: list[object] = []
        for value in row.slice.values():
            values += value.values() if isinstance(value, dict) else (value,)
        values += int(row.traffic.raw), int(row.traffic.uniq)
        if isinstance(row.actions, dict):
            for kind in kinds:
                values += action(row.actions[kind])
        for name in figures:
            value = getattr(row, name)
            values += value.values() if isinstance(value, dict) else (value,)
        return [*values, currency]

    return flat
