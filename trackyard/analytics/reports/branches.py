"""The statements of a report for each table, from rollups where possible."""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any, Final

from trackyard.analytics.engine.rollups import (
    CONVERSION_ROLLUPS,
    DAY_MS,
    HOUR_MS,
    REJECTION_ROLLUPS,
    TRAFFIC_ROLLUPS,
    PeriodPart,
    Rollup,
    find_grains,
    has_whole_grains,
    is_utc,
    split_period,
    time_bucket,
)
from trackyard.analytics.reports.day_rates import day_sql, rate_sql
from trackyard.analytics.reports.dimensions import LOCAL_TIME, part_sql
from trackyard.analytics.reports.metrics import COSTS, REJECTED, REJECTED_SQL, measures_of
from trackyard.domain.statistics.reports import LeastVolume, Report
from trackyard.domain.statistics.slices import FILTERS, SLICES, SlicePart

_VALUES_PER_LIST: Final = 4000
"""Values in one list of a request, as a field of a request has at most 128 KiB."""
_COST_COLUMNS: Final = {
    "day": "Int64",
    "offer": "Int64",
    "affiliate": "Int64",
    "advertiser": "String",
    "units": "Int64",
}
"""The lists of costs and their types; units: ten-thousandths."""


@dataclass(frozen=True, slots=True)
class ReportConditions:
    """The conditions of a report besides its period.

    needs_rows: whether the conditions of conversion events need columns that rollups lack.
    """

    clicks: tuple[str, ...]
    conversion_events: tuple[str, ...]
    needs_rows: bool = False


def build_branches(report: Report, parts: list[SlicePart], narrowed: ReportConditions) -> list[str]:
    """Return a statement for each part of each table with the slices: keys and measures."""
    has_traffic = all(SLICES[name].traffic for name in report.dimensions)
    of_conversions = build_conversion_branches(report, parts, narrowed)
    branches = []
    if has_traffic and (report.counts_rejected or not of_conversions):
        branches += [
            _branch(
                report,
                REJECTED,
                parts,
                [*piece.conditions, REJECTED_SQL, *narrowed.clicks],
                _local_time(piece),
            )
            for piece in _split_report(report, REJECTION_ROLLUPS)
        ]
    if has_traffic and of_conversions:
        branches += [
            _branch(
                report,
                source,
                parts,
                [*piece.conditions, *_accepted_condition(piece), *narrowed.clicks],
                _local_time(piece),
            )
            for piece in _split_report(report, TRAFFIC_ROLLUPS)
            for source in ("click", "view")
        ]
    return branches + of_conversions


def has_rollup(report: Report) -> bool:
    """Return whether a rollup can answer a part of a report. None has a sub, for example."""
    wholes = [report] if report.least is None else [report, volumes_of(report, report.least)]
    return any(
        piece.grain is not None
        for whole in wholes
        for rollups in (TRAFFIC_ROLLUPS, REJECTION_ROLLUPS, CONVERSION_ROLLUPS)
        for piece in _split_report(whole, rollups, of_conversions=rollups is CONVERSION_ROLLUPS)
    )


def volumes_of(report: Report, least: LeastVolume) -> Report:
    """Return the report of the volumes that choose the rows of a report."""
    return replace(
        report, dimensions=least.slices, since=least.since, until=least.until, order=(), least=None,
        counts_rejected="trafficback" in least.counted,
    )  # fmt: skip


def build_conversion_branches(report: Report, parts: list[SlicePart], narrowed: ReportConditions) -> list[str]:
    """Return a statement for each part of the conversions; none when they lack a slice."""
    if any(not SLICES[name].conversions for name in report.dimensions):
        return []
    rollups = () if narrowed.needs_rows or report.has_own_amounts else CONVERSION_ROLLUPS
    return [
        _branch(
            report,
            "fact",
            parts,
            [*piece.conditions, *narrowed.conversion_events],
            _local_time(piece),
            "" if report.day_rates is None else day_sql(report.day_rates, piece),
        )
        for piece in _split_report(report, rollups, of_conversions=True)
    ]


def build_cost_branches(report: Report, parts: list[SlicePart]) -> list[str]:
    """Return a statement for each list of costs that the report brings along."""
    rate = "" if report.day_rates is None else rate_sql(report.day_rates, "day")
    return [_cost_branch(report, parts, number, rate) for number, _ in enumerate(_cost_lists(report))]


def cost_parameters(report: Report) -> dict[str, Any]:
    """Return the parameters of `build_cost_branches`."""
    return {
        f"cost_{name}_{number}": values
        for number, lists in enumerate(_cost_lists(report))
        for name, values in lists.items()
    }


def chosen_conditions(report: Report) -> list[str]:
    """Return the condition of the conversion events that a report counts."""
    if report.conversions is None:
        return []
    lists = (f"conversion_id IN {{counted_{number}:Array(String)}}" for number, _ in enumerate(_id_lists(report)))
    is_named = " OR ".join(lists) or "0"
    return [f"NOT ({is_named})" if report.conversions.others else f"({is_named})"]


def chosen_parameters(report: Report) -> dict[str, Any]:
    """Return the parameters of `chosen_conditions`."""
    return {f"counted_{number}": ids for number, ids in enumerate(_id_lists(report))}


def _id_lists(report: Report) -> Iterator[list[str]]:
    ids = () if report.conversions is None else report.conversions.ids
    for start in range(0, len(ids), _VALUES_PER_LIST):
        yield list(ids[start : start + _VALUES_PER_LIST])


def _cost_lists(report: Report) -> Iterator[dict[str, list[Any]]]:
    """Yield the costs in lists by column, in pieces for one field each."""
    costs = report.costs or ()
    for start in range(0, len(costs), _VALUES_PER_LIST):
        some = costs[start : start + _VALUES_PER_LIST]
        yield {
            "day": [each.day for each in some],
            "offer": [each.offer for each in some],
            "affiliate": [each.affiliate for each in some],
            "advertiser": [each.advertiser for each in some],
            "units": [int(each.cost.scaleb(4)) for each in some],
        }


def _cost_branch(report: Report, parts: list[SlicePart], number: int, rate: str) -> str:
    """Return the statement that makes rows of the lists of costs with this number.

    rate: as of `Measure.column_sql`.
    """
    lists = ", ".join(f"{{cost_{name}_{number}:Array({kind})}}" for name, kind in _COST_COLUMNS.items())
    zipped = f"SELECT arrayJoin(arrayZip({lists})) AS each"
    values = ", ".join(f"each.{place} AS {name}" for place, name in enumerate(_COST_COLUMNS, start=1))
    rows = f"SELECT {values}, toDecimal128(units, 4) / 10000 AS cost FROM ({zipped})"
    columns = [f"{part_sql(part).replace(LOCAL_TIME, 'toDate(day)')} AS k_{part.key}" for part in parts]
    measures = measures_of(counts_clickless=report.counts_clickless)
    columns += [measure.column_sql(COSTS, "", rate) for measure in measures]
    return f"SELECT {', '.join(columns)}\nFROM ({rows})"


def _accepted_condition(piece: PeriodPart) -> tuple[str, ...]:
    """Return the condition that a click was accepted; rollups have no others."""
    return ("reason = ''",) if piece.grain is None else ()


def _split_report(report: Report, rollups: tuple[Rollup, ...], *, of_conversions: bool = False) -> list[PeriodPart]:
    """Split the period; it is one part where rows must know their time in a zone."""
    since, until = report.since, report.until
    columns = _needed_columns(report, of_conversions=of_conversions)
    zones = _needed_zones(report, by_time="time" in columns, of_conversions=of_conversions)
    if not zones:
        return split_period(since, until, columns, rollups)
    coarsest = HOUR_MS if "hour" in report.dimensions else DAY_MS
    fitting = (grain for grain in find_grains(columns - {"time"}, rollups) if grain <= coarsest)
    whole = (grain for grain in fitting if all(has_whole_grains(zone, since, until, grain) for zone in zones))
    return [PeriodPart(since, until, next(whole, None))]


def _needed_zones(report: Report, *, by_time: bool, of_conversions: bool) -> list[str]:
    """Return the zones in which rows must know their hour or day; days of UTC are known always."""
    zones = [report.zone] if by_time else []
    has_rates = of_conversions and report.day_rates is not None and not is_utc(report.day_rates.zone)
    return [*zones, report.day_rates.zone] if has_rates and report.day_rates is not None else zones


def _needed_columns(report: Report, *, of_conversions: bool) -> set[str]:
    """Return the columns of clicks, or of conversion events, that the report needs."""
    scope = report.scope
    requested = {part.column for name in report.dimensions for part in SLICES[name].parts}
    narrowed = (*report.filters, *report.excluded)
    requested |= {name for name in narrowed if of_conversions or FILTERS[name].traffic}
    requested |= {"affiliate"} if scope.affiliate_ids is not None else set()
    return requested | ({"advertiser"} if scope.advertiser_ids is not None else set())


def _local_time(piece: PeriodPart) -> str:
    """Return the SQL of the local time of a row."""
    if piece.grain is None:
        return LOCAL_TIME
    return f"toDateTime({time_bucket(piece.grain)} * {piece.grain // 1000}, {{zone:String}})"


def _branch(
    report: Report, source: str, parts: list[SlicePart], conditions: list[str], local: str = LOCAL_TIME, day: str = ""
) -> str:
    """Return the statement of a source.

    day: the SQL of the day that has the rate of the amounts; "" = they are not converted.
    """
    suffix = "" if report.has_own_amounts else "_base"
    rate = rate_sql(report.day_rates, day) if day and report.day_rates is not None else ""
    columns = [f"{part_sql(part).replace(LOCAL_TIME, local)} AS k_{part.key}" for part in parts]
    measures = measures_of(counts_clickless=report.counts_clickless)
    columns += [measure.column_sql(source, suffix, rate) for measure in measures]
    table = "click" if source == REJECTED else source
    keys = [*(f"k_{part.key}" for part in parts), *(["status"] if source == "fact" else []), *([day] if day else [])]
    grouped = f"\nGROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(columns)}\nFROM {table}\nWHERE {' AND '.join(conditions)}{grouped}"
