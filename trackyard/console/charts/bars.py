"""A bar in a cell of a table: a share behind the figure or the name (docs/spec/console.md#charts)."""

from dataclasses import dataclass

from markupsafe import Markup

from trackyard.console.charts.numbers import Value, plain
from trackyard.console.charts.svg import coordinate, element, mark, part_id, shorten


@dataclass(frozen=True, slots=True)
class CellBar:
    """A share from 0 to 1 of the width of a cell; a negative one is drawn in another colour.

    title: what the bar shows. Without it the bar is decoration, because the cell or its row has the figure.
    """

    share: Value
    title: str = ""
    description: str = ""


def cell_bar(bar: CellBar, prefix: str = "") -> Markup:
    """Draw a bar for a cell with the class chart-cell. A bar with a title needs a prefix for its ids."""
    share = plain(bar.share) or 0.0
    width = min(abs(share), 1.0) * 100
    css_class = "chart-bar-negative" if share < 0 else "chart-bar"
    drawn = mark("rect", css_class, {"width": f"{coordinate(width)}%", "height": "100%", "rx": 2})
    attributes: dict[str, str | float | None] = {"xmlns": "http://www.w3.org/2000/svg", "class": "chart-cell-bar"}
    if not bar.title:
        return element("svg", {**attributes, "aria-hidden": "true"}, drawn if width else "")
    title_id, description_id = part_id(prefix, "title"), part_id(prefix, "desc")
    return element(
        "svg",
        {**attributes, "id": prefix, "role": "img", "aria-labelledby": f"{title_id} {description_id}"},
        element("title", {"id": title_id}, shorten(bar.title)),
        element("desc", {"id": description_id}, shorten(bar.description)),
        drawn if width else "",
    )
