"""Texts of declarations are shown in the language of the moment, whatever a caller does with them."""

import pytest

from trackyard.base.texts.languages import language, speaking
from trackyard.base.texts.marks import TRANSLATED, lazy_gettext

QUESTIONS = {
    *("casefold", "count", "endswith", "find", "index", "isalnum", "isalpha", "isascii", "isdecimal", "isdigit"),
    *("isidentifier", "islower", "isnumeric", "isprintable", "isspace", "istitle", "isupper", "rfind", "rindex"),
    *("startswith", "maketrans", "join", "format_map"),
}
"""Methods that compare the English text, make a table, or are documented to need `str(text)`."""
ARGUMENTS = {
    "center": (40,), "ljust": (40,), "rjust": (40,), "zfill": (40,), "partition": (" ",), "rpartition": (" ",),
    "removeprefix": ("See",), "removesuffix": ("x",), "replace": ("x", "x"), "translate": ({},),
}  # fmt: skip


def test_every_method_that_returns_a_text_is_of_the_translation() -> None:
    public = {name for name in dir(str) if not name.startswith("_")}
    assert public - QUESTIONS - {"format"} == set(TRANSLATED)
    assert len(TRANSLATED) == 23


@pytest.mark.parametrize("name", TRANSLATED)
def test_method_of_a_text_translates_it(name: str) -> None:
    text = lazy_gettext("See your payments")
    with speaking(language("es")):
        spanish = str(text)
        assert spanish != "See your payments"
        given = ARGUMENTS.get(name, ())
        assert getattr(text, name)(*given) == getattr(spanish, name)(*given)
