"""QR codes as SVG, made by the server (docs/spec/console.md#portal)."""

from collections.abc import Iterator
from itertools import groupby
from typing import Final

import segno
from markupsafe import Markup

QUIET: Final = 4
"""Light modules around a code."""


def qr_svg(text: str, title: str) -> Markup | None:
    """Return the code of a text as an image; None for a text that is too long."""
    try:
        made = segno.make_qr(text, error="m")
    except segno.DataOverflowError:
        return None
    rows = [[bool(module) for module in row] for row in made.matrix_iter(border=QUIET)]
    path = "".join(f"M{x} {y}h{length}v1h-{length}z" for y, row in enumerate(rows) for x, length in _runs(row))
    picture = Markup(
        '<svg class="qr" role="img" viewBox="0 0 {size} {size}" xmlns="http://www.w3.org/2000/svg"><title>{title}</title>'
        '<rect width="{size}" height="{size}" fill="#ffffff"/><path d="{path}" fill="#000000"/></svg>'
    )
    return picture.format(size=len(rows), title=title, path=path)


def _runs(row: list[bool]) -> Iterator[tuple[int, int]]:
    """Yield the place and the length of each run of dark modules."""
    place = 0
    for dark, run in groupby(row):
        length = len(list(run))
        if dark:
            yield place, length
        place += length
