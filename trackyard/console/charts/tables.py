"""The table behind a chart (docs/spec/console.md#charts)."""

from dataclasses import dataclass
from typing import Protocol

from markupsafe import Markup

from trackyard.console.charts.svg import clean, element
from trackyard.console.charts.words import ENGLISH, ChartWords


@dataclass(frozen=True, slots=True)
class ChartTable:
    """The values of a chart as texts. The first cell of a row is its name."""

    caption: str
    headings: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Tabled(Protocol):
    """A chart that can show its values as a table."""

    def table(self, words: ChartWords = ENGLISH) -> ChartTable:
        """Return the values of the chart as texts."""
        ...


def table_behind(chart: Tabled, words: ChartWords = ENGLISH) -> Markup:
    """Return the values of a chart as an HTML table that opens below it."""
    table = chart.table(words)
    head = (
        element("th", {"scope": "col", "class": "number" if index else None}, clean(heading))
        for index, heading in enumerate(table.headings)
    )
    body = (element("tr", {}, *_cells(row, words)) for row in table.rows)
    return element(
        "details",
        {"class": "chart-table"},
        element("summary", {}, words.show_table),
        element(
            "table",
            {},
            element("caption", {}, clean(table.caption) or words.show_table),
            element("thead", {}, element("tr", {}, *head)),
            element("tbody", {}, *body),
        ),
    )


def _cells(row: tuple[str, ...], words: ChartWords) -> list[Markup]:
    """Return the cells of a row; a gap has the word for a gap."""
    name, *values = row
    cells = [element("th", {"scope": "row"}, element("bdi", {}, clean(name) or "–"))]
    return cells + [element("td", {"class": "number"}, clean(value) or words.gap) for value in values]
