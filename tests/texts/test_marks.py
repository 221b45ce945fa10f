"""Texts of pages are marked for translation, and translated."""

import subprocess
import sys

from tests.texts.catalogues import ROOT
from tests.texts.unmarked import unmarked_in_code, unmarked_in_templates


def test_every_text_of_pages_is_marked() -> None:
    """The remedy is a mark: gettext where a text is made, lazy_gettext where it is declared."""
    assert [*unmarked_in_code(), *unmarked_in_templates()] == []


def test_every_text_is_translated_into_every_language() -> None:
    """The remedy is `script/texts`, and a translation of what it adds.

    The check has a process of its own, because it takes the forms that exist: other tests make further ones.
    """
    command = [sys.executable, "-m", "tests.texts.catalogues", "--check"]
    assert subprocess.run(command, cwd=ROOT, capture_output=True, text=True).stdout == "The catalogues are complete.\n"
