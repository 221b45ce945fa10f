"""Statistics rows as the rows of a file: the JSON of a row, laid flat."""

from collections.abc import Callable, Collection, Iterator
from operator import attrgetter
from types import MappingProxyType
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.exports import export_rows
from trackyard.actions.statistics import Question, ask
from trackyard.api.files import ALL_ROWS, each_piece
from trackyard.api.stats_rows import REASON, ActionView, StatsRowView, row_view
from trackyard.stats.dimensions import DIMENSIONS
from trackyard.stats.metrics import conversion_types
from trackyard.wire.endpoint import Call
from trackyard.wire.sheets import Column, Kind, Row, Table, columns_of, in_pieces

CUSTOM_COLUMNS: Final = (
    "Columns: those of the slices (`year`, `month`, `day`, `offer.id`, `offer.title`, `sub1`…), traffic.raw, "
    "traffic.uniq, of each conversion type what JSON answers have (`confirmed.count`, `confirmed.payouts`…), views, "
    f"ctr, cr, epc, ecpm, ratio, and currency, in which the amounts are. {ALL_ROWS}"
)
_NAMED: Final = MappingProxyType(
    {
        "offer": (Column("id", Kind.WHOLE), Column("offer_id"), Column("title")),
        "affiliate": (Column("id", Kind.WHOLE), Column("email"), Column("login"), Column("name")),
        "advertiser": (Column("id"), Column("title")),
        "affiliate_manager_id": (Column("id"), Column("first_name"), Column("last_name")),
        "advertiser_manager_id": (Column("id"), Column("first_name"), Column("last_name")),
    }
)
"""What stands beside the value of a slice."""
_ACTION: Final = columns_of(ActionView)


def stats_table(call: Call[Deps], question: Question, types: Collection[str], period: str, *, is_paged: bool) -> Table:
    """The rows that answer a question: all of them, or its page. `types`: the conversion types to show; none = all."""
    refused = REASON in question.dimensions
    kinds = [] if refused else _kinds(question, types)
    columns = (*_slices(question), *_figures(kinds, refused=refused))
    currencies = question.filters.get("currency", ())
    currency = str(currencies[0]) if len(currencies) == 1 else call.deps.currency
    flat = _flattener(kinds, refused=refused, currency=currency)
    if is_paged:
        page, names = ask(call.deps, call.caller, call.permission, question)
        rows = (flat(row_view(row, names, types)) for row in page.rows)
        return Table(columns, in_pieces(rows), call.deps.zone, period)
    export = export_rows(call.deps, call.caller, call.permission, question)
    pieces = each_piece(export, lambda rows, names: [flat(row_view(row, names, types)) for row in rows])
    return Table(columns, pieces, call.deps.zone, period, lambda: export.count)


def _kinds(question: Question, types: Collection[str]) -> list[str]:
    """The conversion types that are shown."""
    known = conversion_types(not_found_apart=question.not_found_apart)
    return [kind for kind in known if not types or kind in types]


def _slices(question: Question) -> Iterator[Column]:
    """The columns of the slices."""
    parts = {part.key: part for name in question.dimensions for part in DIMENSIONS[name].parts}
    for key, part in parts.items():
        if key in _NAMED:
            yield from (Column(f"{key}.{column.name}", column.kind) for column in _NAMED[key])
        else:
            yield Column(key, Kind.TEXT if part.kind == "String" else Kind.WHOLE)


def _figures(kinds: Collection[str], *, refused: bool) -> Iterator[Column]:
    """The columns after those of the slices."""
    yield from (Column("traffic.raw", Kind.WHOLE), Column("traffic.uniq", Kind.WHOLE))
    for kind in kinds:
        yield from (Column(f"{kind}.{column.name}", column.kind) for column in _ACTION)
    yield Column("views", Kind.WHOLE)
    yield from (Column(name, Kind.AMOUNT) for name in ("ctr", "cr", "epc", "ecpm"))
    yield Column("ratio")
    if refused:
        yield Column("trafficback", Kind.WHOLE)
    yield Column("currency")


def _flattener(kinds: Collection[str], *, refused: bool, currency: str) -> Callable[[StatsRowView], Row]:
    """What makes the values of those columns out of a row."""
    action = attrgetter(*(column.name for column in _ACTION))
    figures = attrgetter("views", "ctr", "cr", "epc", "ecpm", "ratio", *(["trafficback"] if refused else []))

    def flat(row: StatsRowView) -> Row:
        values: list[object] = []
        for value in row.slice.values():
            values += value.values() if isinstance(value, dict) else (value,)
        values += int(row.traffic.raw), int(row.traffic.uniq)
        if isinstance(row.actions, dict):
            for kind in kinds:
                values += action(row.actions[kind])
        return [*values, *figures(row), currency]

    return flat
