"""What pages have in common, read from their templates and style sheets (docs/spec/console.md)."""

import re
from functools import cache
from pathlib import Path
from typing import Final

import pytest

CONSOLE: Final = Path(__file__).parents[2] / "trackyard" / "console"
SHEETS: Final = sorted((CONSOLE / "assets").glob("*.css"))
TEMPLATES: Final = sorted((CONSOLE / "templates").rglob("*.html"))
_RULE: Final = re.compile(r"([^{}]+)\{([^{}]*)\}")
_HEX: Final = re.compile(r"#[0-9a-fA-F]{3,8}\b")


@cache
def sheet(name: str) -> str:
    """A style sheet without comments."""
    return re.sub(r"/\*.*?\*/", "", (CONSOLE / "assets" / name).read_text(), flags=re.DOTALL)


@cache
def rules(name: str) -> dict[str, str]:
    """The declarations of each selector of a style sheet, those of media queries too."""
    found = dict[str, str]()
    for selectors, body in _RULE.findall(sheet(name)):
        for selector in selectors.split(","):
            found[selector.strip()] = found.get(selector.strip(), "") + body
    return found


def narrow(name: str, width: int) -> str:
    """The part of a style sheet for windows up to a width."""
    start = sheet(name).index(f"@media (max-width: {width}px)")
    depth, end = 0, start
    for end in range(sheet(name).index("{", start), len(sheet(name))):
        depth += {"{": 1, "}": -1}.get(sheet(name)[end], 0)
        if not depth:
            break
    return sheet(name)[start:end]


def test_figures_of_tables_are_on_the_right_with_digits_of_one_width() -> None:
    assert "text-align: right" in rules("style.css")["td.r"] and "text-align: right" in rules("style.css")["th.r"]
    assert "font-variant-numeric: tabular-nums" in sheet("style.css")
    wrong = []
    for path in TEMPLATES:
        for attributes, content in re.findall(r"<td([^>]*)>((?:(?!</td>).)*)</td>", path.read_text()):
            is_figure = re.match(r"\{\{[^}]*\|(?:money\([^)]*\)|percent(?:\(\d\))?) *\}\}$", content)
            if is_figure and not re.search(r'class="[^"]*\br\b', attributes):
                wrong.append(f"{path.name}: {content}")
    assert wrong == []


@pytest.mark.parametrize("name", [each.name for each in SHEETS])
def test_colours_are_tokens_of_the_style_sheet(name: str) -> None:
    outside = re.sub(r"--[\w-]+:[^;}]*", "", sheet(name))
    assert _HEX.findall(outside) == []
    used = set(re.findall(r"var\((--[\w-]+)\)", sheet(name)))
    assert used <= set(re.findall(r"(--[\w-]+):", sheet("style.css") + sheet(name))), "a token without a value"


def test_every_token_of_colour_is_in_the_light_and_in_the_dark_theme() -> None:
    light, _, dark = sheet("style.css").partition("prefers-color-scheme: dark")
    dark = dark.partition("}\n}")[0] or dark.partition("} }")[0]
    tokens = [set(re.findall(r"(--[\w-]+): *#", part)) for part in (light, dark)]
    assert len(tokens[0]) > 20 and tokens[0] == tokens[1]


def test_select_of_a_menu_is_as_wide_as_the_menu_with_any_length_of_its_choices() -> None:
    """A title of 100 characters made the menu of filters wider than the window."""
    style = rules("lists.css")[".menu > .sheet select"]
    assert "width: 100%" in style
    assert "76vw" in style


def test_needs_you_is_first_and_controls_stay_on_a_phone() -> None:
    overview = narrow("style.css", 1100)
    assert ".columns > .first { order: -1; }" in overview and ".at-1 { order: 1; }" in overview
    phone = narrow("style.css", 700)
    hidden = {
        each.strip()
        for selectors, body in _RULE.findall(phone.partition("{")[2])
        if "display: none" in body
        for each in selectors.split(",")
    }
    assert hidden == {".where", ".find kbd", ".wide-only"}, "search, account and period are not hidden"
    cards = (CONSOLE / "templates" / "staff" / "overview_cards.html").read_text()
    assert "wide-only" in cards and "Open as report" in cards, "the report has the columns that a phone leaves out"


def test_late_part_is_a_polite_live_region_with_another_try() -> None:
    waiting, failed, refused = (
        (CONSOLE / "templates" / name).read_text()
        for name in ("deferred_waiting.html", "deferred_failed.html", "refused.html")
    )
    assert 'role="status"' in waiting and "assertive" not in waiting
    for part in (failed, refused):
        assert 'href="{{ address }}"' in part and "Try again" in part


@pytest.mark.parametrize("name", ["reports.html"])
def test_button_copies_the_address_of_a_report(name: str) -> None:
    button = re.search(r'<button[^>]*data-copy="\{\{ share \}\}"', (CONSOLE / "templates" / name).read_text())
    assert button is not None
    assert "navigator.clipboard" in (CONSOLE / "assets" / "console.js").read_text()
