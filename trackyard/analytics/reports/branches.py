"""What each table adds to a report: clicks, views and facts, from their rollups where these have what is asked."""

from dataclasses import dataclass

from trackyard.analytics.engine.rollups import (
    DAY_MS,
    FACT_ROLLUPS,
    HOUR_MS,
    ROLLUPS,
    Piece,
    Rollup,
    grains,
    is_whole,
    moment,
    pieces_of,
)
from trackyard.analytics.reports.dimensions import DIMENSIONS, FILTERS, LOCAL, Part
from trackyard.analytics.reports.metrics import MEASURES, REFUSED
from trackyard.analytics.reports.query import Report


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The conditions of a report beside its period. of_rows: whether those of facts ask what rollups do not know."""

    clicks: tuple[str, ...]
    facts: tuple[str, ...]
    of_rows: bool = False


def branches_of(report: Report, parts: list[Part], narrowed: Narrowed) -> list[str]:
    """A statement for each piece of each table that has the slices: keys, and MEASURES."""
    dimensions = [DIMENSIONS[name] for name in report.dimensions]
    branches = []
    if not (of_facts := facts_of(report, parts, narrowed)):
        if all(dimension.traffic for dimension in dimensions):
            refused = (f"time >= {report.since}", f"time < {report.until}", "reason != ''")
            branches.append(_branch(report, REFUSED, parts, [*refused, *narrowed.clicks]))
        return branches
    if all(dimension.traffic for dimension in dimensions):
        branches += [
            _branch(report, source, parts, [*piece.conditions, *_accepted(piece), *narrowed.clicks], _local(piece))
            for piece in _pieces(report, ROLLUPS)
            for source in ("click", "view")
        ]
    return branches + of_facts


def facts_of(report: Report, parts: list[Part], narrowed: Narrowed) -> list[str]:
    """A statement for each piece of the conversions alone; none where a slice has none."""
    if any(not DIMENSIONS[name].conversions for name in report.dimensions):
        return []
    rollups = () if narrowed.of_rows or report.currency else FACT_ROLLUPS
    return [
        _branch(report, "fact", parts, [*piece.conditions, *narrowed.facts], _local(piece))
        for piece in _pieces(report, rollups)
    ]


def _accepted(piece: Piece) -> tuple[str, ...]:
    """That a click was accepted; rollups have no others."""
    return ("reason = ''",) if piece.grain is None else ()


def _pieces(report: Report, rollups: tuple[Rollup, ...]) -> list[Piece]:
    """The period in pieces; one alone where there are parts of time among the keys."""
    since, until = report.since, report.until
    columns = _columns(report, of_facts=rollups is not ROLLUPS)
    if "time" not in columns:
        return pieces_of(since, until, columns, rollups)
    coarsest = HOUR_MS if "hour" in report.dimensions else DAY_MS
    fitting = (grain for grain in grains(columns - {"time"}, rollups) if grain <= coarsest)
    return [Piece(since, until, next((grain for grain in fitting if is_whole(report.zone, since, until, grain)), None))]


def _columns(report: Report, *, of_facts: bool) -> set[str]:
    """The columns of clicks, or of facts, that the report asks for."""
    scope = report.scope
    asked = {part.column for name in report.dimensions for part in DIMENSIONS[name].parts}
    narrowed = (*report.filters, *report.excluded)
    asked |= {FILTERS[name].column for name in narrowed if of_facts or FILTERS[name].traffic}
    asked |= {"affiliate"} if scope.affiliate_ids is not None else set()
    return asked | ({"advertiser"} if scope.advertiser_ids is not None else set())


def _local(piece: Piece) -> str:
    """The moment of a row on the clocks of the asked zone."""
    if piece.grain is None:
        return LOCAL
    return f"toDateTime({moment(piece.grain)} * {piece.grain // 1000}, {{zone:String}})"


def _branch(report: Report, source: str, parts: list[Part], conditions: list[str], local: str = LOCAL) -> str:
    suffix = "" if report.currency else "_base"
    columns = [f"{part.sql.replace(LOCAL, local)} AS k_{part.key}" for part in parts]
    columns += [measure.over(source, suffix) for measure in MEASURES]
    table = "click" if source == REFUSED else source
    keys = [*(f"k_{part.key}" for part in parts), *(["status"] if source == "fact" else [])]
    grouped = f"\nGROUP BY {', '.join(keys)}" if keys else ""
    return f"SELECT {', '.join(columns)}\nFROM {table}\nWHERE {' AND '.join(conditions)}{grouped}"
