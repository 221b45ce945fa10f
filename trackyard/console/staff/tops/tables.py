"""The tables of the overview, as its template shows them (docs/spec/console.md#overview)."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.charts.changes import ChangeTone
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import money
from trackyard.console.money.currencies import PARAMETER as CURRENCY
from trackyard.console.reports_shown.counted import CountedRows
from trackyard.console.reports_shown.slices import cell_of
from trackyard.console.staff.tops.ranks import RANKS, RankedRow, RankedRows
from trackyard.domain.statistics.metrics import MetricSums


@dataclass(frozen=True, slots=True)
class Tab:
    """A slice that a table may have. one: the name of a row."""

    slice: str
    label: str
    one: str


@dataclass(frozen=True, slots=True)
class ShownTable:
    """A table of the page: what chooses its slice in the address, the slice, and the order of its rows."""

    parameter: str
    tab: Tab
    rank: str

    @property
    def rank_parameter(self) -> str:
        """Return the parameter of its order in the address."""
        return f"{self.parameter}_order"


@dataclass(frozen=True, slots=True)
class TopRow:
    """A row of a table.

    share: the share of the largest row, 0 to 1. clicks, conversions: the lists that the figures count.
    change: the change of the margin, "" in a table without changes.
    """

    title: str
    link: str
    figures: MetricSums
    share: float
    clicks: str
    conversions: str
    change: str
    tone: str


PROGRAMS: Final = (
    Tab("offer", lazy_gettext("Offers"), lazy_gettext("Offer")),
    Tab("advertiser", lazy_gettext("Advertisers"), lazy_gettext("Advertiser")),
    Tab("country", lazy_gettext("Countries"), lazy_gettext("Country")),
)
PEOPLE: Final = (
    Tab("affiliate", lazy_gettext("Affiliates"), lazy_gettext("Affiliate")),
    Tab("manager", lazy_gettext("Managers"), lazy_gettext("Manager")),
    Tab("sub1", lazy_gettext("Sub 1"), lazy_gettext("Sub 1")),
)
TABLES: Final = {"by": PROGRAMS, "who": PEOPLE}
"""The tables by what chooses their slice in the address."""


def chosen_table(address: PageAddress, parameter: str) -> ShownTable:
    """Return a table as the address describes it; wrong values are taken for the usual ones."""
    tabs = TABLES[parameter]
    tab = next((tab for tab in tabs if tab.slice == address.get(parameter)), tabs[0])
    ranks = [name for name, _ in RANKS]
    asked = address.get(f"{parameter}_order")
    return ShownTable(parameter, tab, asked if asked in ranks else ranks[0])


def table_values(
    request: PageRequest, period: DayPeriod, table: ShownTable, found: RankedRows, filters: Sequence[Pair]
) -> dict[str, object]:
    """Return the values of a table's template. filters: the page's filters, by their names on lists."""
    measure = _MEASURES[table.rank]
    most = max((abs(measure(row)) for row in found.rows), default=Decimal(0))
    report = (("by", table.tab.slice), ("from", period.first), ("to", period.last), *request.zone_pairs)
    return {
        "parameter": table.parameter,
        "tabs": TABLES[table.parameter],
        "chosen": table.tab,
        "ranks": [
            (label, request.address.set(table.rank_parameter, name), name == table.rank) for name, label in RANKS
        ],
        "rank": dict(RANKS)[table.rank],
        "has_changes": any(row.change is not None for row in found.rows),
        "rows": [_top_row(request, period, table, row, found.currency, most, filters) for row in found.rows],
        "currency": found.currency,
        "hint": found.hint,
        "report": PageAddress(
            "/console/reports", (*((name, str(value)) for name, value in report), *filters_of_page(request))
        ),
    }


def filters_of_page(request: PageRequest) -> tuple[Pair, ...]:
    """Return the filters and the currency of the address."""
    kept = ("f", "not", "empty", CURRENCY)
    return tuple(pair for pair in request.address.pairs if pair[0].partition(".")[0] in kept)


_MEASURES: Final[Mapping[str, Callable[[RankedRow], Decimal]]] = {
    "clicks": lambda row: Decimal(row.figures.clicks),
    "margin": lambda row: row.figures.charge - row.figures.payout,
    "least": lambda row: row.figures.charge - row.figures.payout,
    "up": lambda row: row.change or Decimal(0),
    "down": lambda row: row.change or Decimal(0),
}
"""What the bar of a row is a share of, by the order of the table."""


def _top_row(
    request: PageRequest,
    period: DayPeriod,
    table: ShownTable,
    row: RankedRow,
    currency: str,
    most: Decimal,
    filters: Sequence[Pair],
) -> TopRow:
    cell = cell_of(table.tab.slice, row.keys)
    link = f"/console/{cell.path}" if cell.path else ""
    counted = CountedRows.of(request, period.first, period.last)
    chosen = [*((name, value) for name, value in filters if name != cell.slice), (cell.slice, cell.value)]
    change, tone = _change(row.change, currency)
    return TopRow(
        title=cell.text,
        link=link if link and request.may_open(link) else "",
        figures=row.figures,
        share=float(abs(_MEASURES[table.rank](row)) / most) if most else 0.0,
        clicks=counted.to("clicks", chosen),
        conversions=counted.to("conversions", chosen),
        change=change,
        tone=tone,
    )


def _change(change: Decimal | None, currency: str) -> tuple[str, str]:
    """Return a change of the margin in words, and its tone."""
    if change is None:
        return "", ChangeTone.NEUTRAL
    arrow, tone = ("↑", ChangeTone.BETTER) if change > 0 else ("↓", ChangeTone.WORSE)
    return f"{arrow} {money(abs(change), currency)}", tone
