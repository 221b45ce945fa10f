"""docs/api says what the declarations say, and its examples are true."""

from tests.contract.pages import DIRECTORY, written


def test_the_pages_are_as_the_declarations_and_the_answers() -> None:
    kept = {path.name: path.read_text() for path in DIRECTORY.glob("*.md")}
    pages = written()
    stale = sorted(name for name in pages.keys() | kept.keys() if pages.get(name) != kept.get(name))
    assert not stale, f"script/docs writes {stale} anew"
