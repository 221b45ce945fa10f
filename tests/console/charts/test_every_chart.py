"""Rules that every chart follows (docs/spec/console.md#charts)."""

import math
import re
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup

from tests.console.charts.pictures import KINDS, SIZED, SVG, ChartKind, parsed
from trackyard.console import charts
from trackyard.console.charts import (
    ChartTable,
    ChartWords,
    LineChart,
    LinePoint,
    chart_box,
    line_chart,
    table_behind,
)
from trackyard.console.charts.numbers import Value
from trackyard.console.charts.svg import PAINT

HOSTILE = [
    "<script>alert(1)</script>",
    "\"onload='alert(1)' x=\"",
    "</title></svg><img src=x onerror=alert(1)>",
    "]]><!--&amp;{{ 7*7 }}",
    "\u202eםולש\u202c \u2066 עברית العربية",
    "=cmd|'/c calc'!A1",
    "\x00\x08\x1b\ufffe\ud800\n\t",
    "x" * 1000,
    "漢字" * 500,
    " ",
    Markup("<b>bold</b>"),
]
VALUES: list[Value] = [3, None, Decimal("-1.5"), 2.25]
CSS = Path(charts.__file__).with_name("charts.css").read_text()


def every_text(root: ElementTree.Element) -> list[str]:
    return [text for element in root.iter() for text in (element.text, *element.attrib.values()) if text]


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("label", HOSTILE, ids=ascii)
def test_chart_of_hostile_labels_has_marks_of_its_own_only(kind: ChartKind, label: str) -> None:
    drawn = kind.draw(kind.make(label, VALUES), "c")
    hostile, harmless = parsed(drawn), parsed(kind.draw(kind.make("Blue", VALUES), "c"))
    known = {"svg", "g", "rect", "line", "path", "circle", "text", "title", "desc", "defs", "pattern"}
    assert {element.tag.removeprefix(SVG) for element in hostile.iter()} <= known
    names = {name for element in harmless.iter() for name in element.attrib}
    assert {name for element in hostile.iter() for name in element.attrib} <= names | {"text-anchor"}
    assert max(map(len, every_text(hostile))) <= 1000
    assert "<b>" not in drawn


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_chart_title_is_the_text_that_was_given(kind: ChartKind) -> None:
    title = parsed(kind.draw(kind.make("<b>&\"'</b> ü", VALUES), "c")).find(f"{SVG}title")
    assert title is not None and title.text == "<b>&\"'</b> ü"


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
@pytest.mark.parametrize("values", [VALUES, [0, 0], [None], [], [7]], ids=str)
def test_chart_is_an_image_with_title_and_description(kind: ChartKind, values: list[Value]) -> None:
    root = parsed(kind.draw(kind.make("Clicks", values), "first"))
    title, description = root[0], root[1]
    assert [title.tag, description.tag] == [f"{SVG}title", f"{SVG}desc"]
    assert root.get("role") == "img"
    assert root.attrib["aria-labelledby"].split() == [title.get("id"), description.get("id")]
    assert title.text == "Clicks" and description.text


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_chart_ids_are_unique_and_begin_with_the_prefix(kind: ChartKind) -> None:
    root = parsed(kind.draw(kind.make("Clicks", VALUES), "first"))
    ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
    assert len({*ids}) == len(ids) and all(each == "first" or each.startswith("first-") for each in ids)
    for bad in ("", "1", 'a"b', "a b", "ä"):
        with pytest.raises(ValueError, match="prefix of ids"):
            kind.draw(kind.make("Clicks", VALUES), bad)


@pytest.mark.parametrize("kind", KINDS.values(), ids=KINDS)
def test_chart_has_no_inline_style_and_no_script(kind: ChartKind) -> None:
    root = parsed(kind.draw(kind.make("Clicks", VALUES), "c"))
    names = {name for element in root.iter() for name in element.attrib}
    assert "style" not in names and not {name for name in names if name.startswith("on") or "href" in name}
    assert not [
        element for element in root.iter() if element.tag.removeprefix(SVG) in ("style", "script", "a", "image")
    ]


@pytest.mark.parametrize("kind", SIZED.values(), ids=SIZED)
def test_chart_takes_the_focus_once(kind: ChartKind) -> None:
    root = parsed(kind.draw(kind.make("Clicks", VALUES), "c"))
    assert root.get("tabindex") == "0"
    assert len([element for element in root.iter() if "tabindex" in element.attrib]) == 1
    points = [element for element in root.iter() if "chart-point" in element.get("class", "").split()]
    assert points and all(point.get("data-label") and point.get("data-value") for point in points)


@given(st.lists(st.none() | st.integers() | st.floats() | st.decimals(), max_size=6), st.sampled_from(sorted(KINDS)))
def test_chart_of_any_values_stays_inside_its_picture(values: list[Value], name: str) -> None:
    kind = KINDS[name]
    root = parsed(kind.draw(kind.make("Clicks", values), "c"))
    for element in root.iter():
        for key in ("x", "y", "x1", "x2", "y1", "y2", "cx", "cy", "width", "height", "data-x", "data-y"):
            number = element.get(key, "0").rstrip("%")
            assert math.isfinite(float(number)) and 0 <= float(number) <= 961, (element.tag, key, number)
        assert not re.search(r"nan|inf", element.get("d", ""))


@pytest.mark.parametrize("kind", SIZED.values(), ids=SIZED)
def test_chart_box_holds_a_wide_and_a_narrow_picture(kind: ChartKind) -> None:
    box = parsed(chart_box(kind.draw, kind.make("Clicks", VALUES), "c"))
    wide, narrow = box
    assert [wide.get("id"), narrow.get("id")] == ["c-wide", "c-narrow"]
    assert "wide-only" in wide.attrib["class"] and "narrow-only" in narrow.attrib["class"]
    assert [wide.attrib["viewBox"].split()[2], narrow.attrib["viewBox"].split()[2]] == ["960", "360"]
    ids = [element.attrib["id"] for element in box.iter() if "id" in element.attrib]
    assert len({*ids}) == len(ids)


def test_chart_classes_have_a_rule_with_a_token_each() -> None:
    tokens = set(re.findall(r"var\(--([\w-]+)\)", CSS))
    assert tokens <= {
        *("paper", "card", "well", "hairline", "float-border", "control-border", "ink", "ink-2", "ink-3", "accent"),
        *(
            "accent-ink",
            "accent-soft",
            "comparison",
            "bar",
            "confirmed",
            "pending",
            "hold",
            "declined",
            "declined-soft",
        ),
    }
    for css_class, paint in PAINT.items():
        coloured = {name for name, value in paint.items() if str(value).startswith("#")}
        found = re.search(rf"^\.{css_class} {{ (\w+): var\(--[\w-]+\); }}$", CSS, re.MULTILINE)
        assert {found[1]} if found else set() == coloured, css_class


def test_chart_styles_name_classes_that_charts_use() -> None:
    line = LineChart("Clicks", (LinePoint("1", 1),))
    pictures = [kind.draw(kind.make("Clicks", VALUES), "c") for kind in KINDS.values()]
    made = "".join(map(str, [*pictures, table_behind(line), chart_box(line_chart, line, "c")]))
    used = {name for names in re.findall(r'class="([^"]*)"', made) for name in names.split()} | {*PAINT, "chart-cell"}
    styled = set(re.findall(r"\.([a-z][\w-]*)", re.sub(r"/\*.*?\*/", "", CSS, flags=re.DOTALL)))
    assert styled <= used


class _Cells(HTMLParser):
    """The texts of cells by row, and all tags of a page."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th"):
            self.rows[-1].append("")

    def handle_data(self, data: str) -> None:
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def cells(markup: Markup) -> _Cells:
    read = _Cells()
    read.feed(markup)
    return read


def test_table_behind_has_the_values_of_the_chart() -> None:
    points = (
        LinePoint("1 Nov", 1412, 1000, name="Sunday 1 Nov", change="↑ 41 %"),
        LinePoint("2 Nov", None, 7, before_text="7 clicks"),
    )
    table = cells(table_behind(LineChart("Clicks", points, before_name="Week before"), ChartWords(gap="–")))
    assert table.rows == [
        ["Period", "Clicks", "Week before", "Change"],
        ["Sunday 1 Nov", "1,412", "1,000", "↑ 41 %"],
        ["2 Nov", "–", "7 clicks", "–"],
    ]
    assert table.tags[:4] == ["details", "summary", "table", "caption"]


@pytest.mark.parametrize("kind", [kind for name, kind in KINDS.items() if name != "bar"])
@pytest.mark.parametrize("label", HOSTILE, ids=ascii)
def test_table_behind_keeps_hostile_labels_whole_as_text(kind: ChartKind, label: str) -> None:
    chart = kind.make(label, VALUES)
    table: ChartTable = chart.table()
    behind = cells(table_behind(chart))
    assert {*behind.tags} <= {"details", "summary", "table", "caption", "thead", "tbody", "tr", "th", "td", "bdi"}
    assert len(behind.rows) == 1 + len(table.rows)
    assert {len(row) for row in behind.rows} == {len(table.headings)}
    if label.startswith("x"):
        assert label in table_behind(chart)
