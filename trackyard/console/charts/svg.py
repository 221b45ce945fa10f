"""Elements of SVG and HTML with escaped texts, and the frame of a chart (docs/spec/console.md#charts).

No element has an inline style or script. Colours come from the classes in charts.css; presentation attributes repeat
the light ones for places without the style sheet, such as mails.
"""

import re
import unicodedata
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from markupsafe import Markup, escape

from trackyard.console.charts.words import ENGLISH, ChartWords

Attributes = Mapping[str, str | float | None]
_Chart = TypeVar("_Chart")

_UNFIT: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow, and control characters."""
_SHAPES: Final = frozenset({"circle", "line", "path", "rect"})
"""Elements without children."""
_PREFIX: Final = re.compile(r"[A-Za-z][\w-]*", re.ASCII)
_LONG: Final = 200

PAINT: Final[Mapping[str, Attributes]] = {
    "chart-line": {
        "fill": "none",
        "stroke": "#3546c8",
        "stroke-width": 2,
        "stroke-linejoin": "round",
        "stroke-linecap": "round",
    },
    "chart-before": {"fill": "none", "stroke": "#7f88d6", "stroke-width": 1.5, "stroke-dasharray": "3 3"},
    "chart-area": {"fill": "#3546c8", "fill-opacity": 0.07},
    "chart-dot": {"fill": "#3546c8"},
    "chart-dot-before": {"fill": "#7f88d6"},
    "chart-grid": {"stroke": "#e7e6e1"},
    "chart-zero": {"stroke": "#85878f"},
    "chart-label": {"fill": "#666973"},
    "chart-value": {"fill": "#1b1c20"},
    "chart-points": {"fill": "none", "pointer-events": "all"},
    "chart-cross": {"stroke": "#85878f", "visibility": "hidden"},
    "chart-cross-dot": {"fill": "#3546c8", "visibility": "hidden"},
    "chart-bar": {"fill": "#e4e7fa"},
    "chart-bar-negative": {"fill": "#fcebe9"},
    "chart-solid": {"fill": "#3546c8"},
    "chart-negative": {"fill": "#a8241c"},
    "chart-hatch": {"fill": "none", "stroke": "#ffffff", "stroke-width": 1.5, "stroke-opacity": 0.5},
    "chart-minus": {"stroke": "#1b1c20", "stroke-width": 1.5},
    "chart-minus-light": {"stroke": "#ffffff", "stroke-width": 1.5},
    "chart-well": {"fill": "#f3f3f0"},
    "chart-accent": {"fill": "#3546c8"},
    "chart-comparison": {"fill": "#7f88d6"},
    "chart-confirmed": {"fill": "#116b43"},
    "chart-pending": {"fill": "#7d5200"},
    "chart-hold": {"fill": "#5f41a8"},
    "chart-declined": {"fill": "#a8241c"},
}
"""What each class draws where charts.css is missing: the colours of the light theme."""


@dataclass(frozen=True, slots=True)
class ChartSize:
    """The size of a chart in pixels, which style sheets may scale.

    text: the size of its text. room: the largest size of text that style sheets may set, for which space is left.
    visibility: the class that shows or hides the chart by the width of its box.
    """

    width: int = 960
    height: int = 240
    text: int = 12
    room: int = 16
    visibility: str = ""

    @property
    def narrow(self) -> bool:
        """Whether labels have to be few and short."""
        return self.width < 560


WIDE: Final = ChartSize()
NARROW: Final = ChartSize(360, 200, 11, 12)


def element(name: str, attributes: Attributes, *children: str) -> Markup:
    """Return an element. Children that are not markup, and all values of attributes, are escaped.

    The program sets the name of the element and the names of attributes; they are not escaped.
    """
    pairs = "".join(f' {key}="{_quoted(value)}"' for key, value in attributes.items() if value is not None)
    if name in _SHAPES:
        return Markup(f"<{name}{pairs}/>")  # noqa: S704
    inner = "".join(child if isinstance(child, Markup) else escape(clean(child)) for child in children)
    return Markup(f"<{name}{pairs}>{inner}</{name}>")  # noqa: S704


def _quoted(value: str | float) -> str:
    return escape(clean(value)) if isinstance(value, str) else coordinate(value)


def mark(name: str, css_class: str, attributes: Attributes, *children: str) -> Markup:
    """Return an element of a class, with the colours of the class as attributes."""
    return element(name, {"class": css_class, **PAINT.get(css_class, {}), **attributes}, *children)


def group(css_class: str, attributes: Attributes, *children: str) -> Markup:
    """Return a group of elements that share a class, or nothing if it would be empty."""
    return mark("g", css_class, attributes, *children) if any(children) else Markup("")


def clean(text: str) -> str:
    """Return a text as plain characters that XML allows. Markup becomes text too."""
    return _UNFIT.sub("\ufffd", str(text))


def coordinate(number: float) -> str:
    """Return a coordinate with at most two decimals."""
    text = f"{number:.2f}".rstrip("0").rstrip(".") if isinstance(number, float) else str(number)
    return "0" if text == "-0" else text


def shorten(text: str, limit: int = _LONG) -> str:
    """Return a text on one line, cut off after `limit` characters with an ellipsis."""
    line = " ".join(clean(text).split())
    return line if len(line) <= limit else f"{line[: limit - 1].rstrip()}…"


def isolate(text: str) -> str:
    """Return a text, shortened, in marks that keep its direction of writing from its surroundings."""
    return f"\u2068{shorten(text)}\u2069"


def text_width(text: str, size: float) -> float:
    """Return about how wide a text is in pixels, rather too wide than too narrow."""
    return sum(_sign_width(sign) for sign in text) * size


def _sign_width(sign: str) -> float:
    if unicodedata.category(sign) in ("Mn", "Me", "Cf"):
        return 0.0
    return 1.0 if unicodedata.east_asian_width(sign) in "WF" else 0.6


def fitting(text: str, width: float, size: float) -> str:
    """Return a text, shortened to about a width in pixels."""
    line = shorten(text)
    if text_width(line, size) <= width:
        return line
    lengths = range(len(line) - 1, 0, -1)
    cut = next((line[:length] for length in lengths if text_width(line[:length], size) + size <= width), "")
    return f"{cut.rstrip()}…"


def part_id(prefix: str, part: str) -> str:
    """Return the id of a part of a chart. The prefix is unique on its page."""
    if not _PREFIX.fullmatch(prefix):
        raise ValueError(f"the prefix of ids must begin with a letter and have letters, digits, - and _ only: {prefix}")
    return f"{prefix}-{part}"


def frame(
    kind: str, prefix: str, size: ChartSize, title: str, description: str, *parts: str, points: bool = True
) -> Markup:
    """Return a chart: an svg with its title and description, tied to it by their ids.

    kind: the class of this kind of chart.
    points: whether it has points for the cross-hair; then it takes the focus once, and a script moves between points.
    """
    title_id, description_id = part_id(prefix, "title"), part_id(prefix, "desc")
    classes = " ".join(filter(None, ("chart", kind, size.visibility)))
    attributes: dict[str, str | float | None] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "id": prefix,
        "class": classes,
        "role": "img",
        "aria-labelledby": f"{title_id} {description_id}",
        "viewBox": f"0 0 {size.width} {size.height}",
        "width": size.width,
        "height": size.height,
        "preserveAspectRatio": "xMidYMid meet",
        "font-size": size.text,
        "tabindex": 0 if points else None,
    }
    return element(
        "svg",
        attributes,
        element("title", {"id": title_id}, shorten(title)),
        element("desc", {"id": description_id}, shorten(description, 5 * _LONG)),
        *parts,
    )


def empty_chart(kind: str, prefix: str, size: ChartSize, title: str, sentence: str) -> Markup:
    """Return a chart without data: a base line and a sentence that explains it."""
    base = mark("line", "chart-grid", {"x1": 0, "y1": size.height - 28, "x2": size.width, "y2": size.height - 28})
    place: Attributes = {"x": size.width / 2, "y": size.height / 2, "text-anchor": "middle"}
    said = mark("text", "chart-label", place, shorten(sentence))
    return frame(kind, prefix, size, title, sentence, base, said, points=False)


def chart_box(
    draw: Callable[[_Chart, str, ChartSize, ChartWords], Markup],
    chart: _Chart,
    prefix: str,
    words: ChartWords = ENGLISH,
    *,
    wide: ChartSize = WIDE,
    narrow: ChartSize = NARROW,
) -> Markup:
    """Return a chart drawn wide and narrow in a box; charts.css shows one by the width of the box.

    draw: the function of the chart, such as `line_chart`.
    """
    return element(
        "div",
        {"class": "chart-box"},
        draw(chart, part_id(prefix, "wide"), replace(wide, visibility="wide-only"), words),
        draw(chart, part_id(prefix, "narrow"), replace(narrow, visibility="narrow-only"), words),
    )
