"""What charts keep for the script that shows values: data of each point, and the hidden cross-hair.

A point is an element of the class chart-point with the attributes data-label, data-value, data-before, data-change,
data-tone, data-detail, data-day, and its place data-x and data-y. A script sets the places and the visibility of
chart-cross and chart-cross-dot. The svg takes the focus once; arrow keys move between its points.
"""

from markupsafe import Markup

from trackyard.console.charts.changes import ChangeTone
from trackyard.console.charts.svg import mark, shorten


def point_data(
    label: str,
    value: str,
    *,
    before: str = "",
    change: str = "",
    tone: ChangeTone = ChangeTone.NEUTRAL,
    detail: str = "",
    day: str = "",
    at: tuple[float, float | None] | None = None,
) -> dict[str, str | float | None]:
    """Return the attributes of a point. Empty texts are left out.

    day: the day of a point, such as 2026-11-21, where people can select it as an end of a period.
    at: the place of the cross-hair, and of its dot unless the point is a gap.
    """
    x, y = at or (None, None)
    return {
        "class": "chart-point",
        "data-label": shorten(label),
        "data-value": shorten(value),
        "data-before": shorten(before) or None,
        "data-change": shorten(change) or None,
        "data-tone": tone.value if change else None,
        "data-detail": shorten(detail) or None,
        "data-day": day or None,
        "data-x": x,
        "data-y": y,
    }


def cross_hair(top: float, bottom: float) -> Markup:
    """Return the line and the dot that a script moves to the point under the pointer."""
    line = mark("line", "chart-cross", {"x1": 0, "y1": top, "x2": 0, "y2": bottom})
    return line + mark("circle", "chart-cross-dot", {"cx": 0, "cy": 0, "r": 4})
