"""QR codes are drawn as their modules are."""

import re

import segno

from trackyard.console.qr_codes import QUIET, qr_svg

LINK = "https://go.example/JQs6WDE"


def test_qr_code_draws_each_dark_module_once() -> None:
    drawn = qr_svg(LINK, "Your link")
    assert drawn is not None
    path = re.search(r' d="([^"]+)"', drawn)
    assert path is not None
    dark = [
        (int(x) + place, int(y))
        for x, y, length in re.findall(r"M(\d+) (\d+)h(\d+)v1h-\d+z", path[1])
        for place in range(int(length))
    ]
    rows = enumerate(segno.make_qr(LINK, error="m").matrix, QUIET)
    assert sorted(dark) == sorted((x, y) for y, row in rows for x, module in enumerate(row, QUIET) if module)


def test_qr_code_of_a_hostile_title_is_text_and_a_long_text_has_none() -> None:
    drawn = qr_svg(LINK, "<script>alert(1)</script>")
    assert drawn is not None and "<script>" not in drawn
    assert qr_svg("x" * 5000, "") is None
