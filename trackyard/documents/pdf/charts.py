"""Draws the charts of the pages, which are SVG, into PDF files."""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from io import BytesIO
from typing import Final
from xml.etree.ElementTree import Element, fromstring, register_namespace, tostring

from fpdf import FPDF

from trackyard.documents.pdf.signs import Signs

_POINTS: Final = 72 / 25.4
_INHERITED: Final = {"fill": "#000000", "text-anchor": "start", "font-size": "12"}
_HIDDEN: Final = frozenset({"chart-points", "chart-cross", "chart-cross-dot"})
"""Classes of what a page needs for its pointer."""
_NAME: Final = re.compile(r"\{.*\}")
register_namespace("", "http://www.w3.org/2000/svg")  # the library wants elements without a prefix


@dataclass(frozen=True, slots=True)
class ChartText:
    """A text of a chart at a place in its pixels."""

    text: str
    x: float
    y: float
    size: float
    anchor: str
    fill: str


def draw_chart(pdf: FPDF, svg: str, signs: Signs, place: tuple[float, float], width: float) -> float:
    """Draw a chart at a place of the page, with the fonts of the file, and return its height."""
    root = fromstring(svg)  # noqa: S314 (made by trackyard.console.charts)
    _, _, pixels, height = map(float, root.attrib["viewBox"].split())
    scale = width / pixels
    left, top = place
    texts = list(_take_texts(root, {}))
    label = root.attrib.get("aria-label") or "".join(each.text or "" for each in root if _tag(each) == "title")
    pdf.image(BytesIO(tostring(root)), x=left, y=top, w=width, alt_text=signs.of(label))
    for each in texts:
        text = signs.of(each.text)
        pdf.set_font_size(each.size * scale * _POINTS)
        shift = {"end": 1.0, "middle": 0.5}.get(each.anchor, 0.0) * pdf.get_string_width(text)
        pdf.set_text_color(each.fill)
        pdf.text(left + each.x * scale - shift, top + each.y * scale, text)
    return height * scale


def _take_texts(parent: Element, inherited: Mapping[str, str]) -> Iterator[ChartText]:
    """Remove the texts, and what is not seen, from the elements, and yield the texts."""
    own = {name: parent.attrib.get(name, inherited.get(name, default)) for name, default in _INHERITED.items()}
    for each in list(parent):
        if _tag(each) == "text":
            parent.remove(each)
            yield _text(each, own)
        elif _HIDDEN.intersection(each.attrib.get("class", "").split()):
            parent.remove(each)
        else:
            yield from _take_texts(each, own)


def _text(element: Element, inherited: Mapping[str, str]) -> ChartText:
    own = {**inherited, **element.attrib}
    size = float(own["font-size"])
    shift = own.get("dy", "0").removesuffix("em")
    return ChartText(
        text="".join(element.itertext()),
        x=float(own.get("x", 0)),
        y=float(own.get("y", 0)) + float(shift) * (size if own.get("dy", "").endswith("em") else 1),
        size=size,
        anchor=own["text-anchor"],
        fill=own["fill"],
    )


def _tag(element: Element) -> str:
    return _NAME.sub("", element.tag)
