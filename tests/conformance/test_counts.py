"""The page that says how many sentences have a row."""

from tests.conformance.pages import FILE, sections, written


def test_conformance_page_written_again_is_the_same() -> None:
    assert FILE.read_text() == written(), "run script/docs"


def test_conformance_sections_have_one_file_each() -> None:
    headings = [section for section, _, _ in sections()]
    assert len(headings) == len({*headings})
