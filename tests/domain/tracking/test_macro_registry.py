"""The registry of macros agrees with the documents and with each place that fills macros."""

import re
from pathlib import Path

import pytest

from tests.domain.conversions.test_conversions import make_conversion
from trackyard.base.zones import find_zone
from trackyard.decision.target.templates import CLICK_MACROS
from trackyard.domain.tracking.macro_registry import MACROS, MacroPlace, macro_names
from trackyard.domain.tracking.postbacks import _COLUMNS, _values

DOCS = Path(__file__).parents[3] / "docs" / "tracking"


def documented(page: str) -> dict[str, str]:
    """Return the macros in the table of a page, and their meanings."""
    return dict(re.findall(r"^\| `\{([a-z_0-9]+)\}` \| (.+)\. \|$", (DOCS / page).read_text(), re.MULTILINE))


@pytest.mark.parametrize(
    ("page", "place"), [("clicks.md", MacroPlace.OFFER_URL), ("affiliate-postbacks.md", MacroPlace.POSTBACK)]
)
def test_macros_of_registry_are_the_documented_ones(page: str, place: MacroPlace) -> None:
    assert documented(page) == {macro.name: macro.meaning for macro in MACROS if place in macro.places}


def test_macro_names_are_unique_and_have_meanings() -> None:
    assert len({macro.name for macro in MACROS}) == len(MACROS)
    assert all(macro.meaning and macro.places for macro in MACROS)


def test_macros_of_click_urls_are_those_of_registry() -> None:
    assert macro_names(MacroPlace.OFFER_URL) == CLICK_MACROS


def test_macros_of_postbacks_all_have_values() -> None:
    zone = find_zone("UTC")
    assert zone is not None
    conversion = make_conversion()
    click = dict.fromkeys(_COLUMNS.values(), "") | dict(conversion.click)
    object.__setattr__(conversion, "click", click)
    assert _values(conversion, "Shoes", zone, "1").keys() == macro_names(MacroPlace.POSTBACK)
