"""The page that says how many sentences have a row."""

from tests.conformance.pages import FILE, render_page, sections


def test_conformance_page_is_up_to_date() -> None:
    assert FILE.read_text() == render_page(), "run script/docs"


def test_conformance_sections_have_one_file_each() -> None:
    headings = [section for section, _, _ in sections()]
    assert len(headings) == len({*headings})
