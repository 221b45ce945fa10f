"""The pictures of the documents: they exist, they are those of script/screenshots, and they are small."""

import re
import struct
from pathlib import Path

from tests.support.mail_pictures import MAIL_PICTURES, MAIL_WIDTH
from tests.support.screenshots import MOST_BYTES, PICTURES, PICTURES_FOLDER, WIDTH

ROOT = Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
SHOWN = {
    (document.parent / target).resolve(): document
    for document in DOCUMENTS
    for target in re.findall(r"!\[[^\]]+\]\(([^)\s]+)\)", document.read_text())
}
"""The files that documents show as pictures, each with words for people who do not see it."""


def test_picture_that_a_document_shows_exists() -> None:
    assert {path for path in SHOWN if not path.is_file()} == set()


def test_pictures_are_those_that_screenshots_takes() -> None:
    taken = {PICTURES_FOLDER / f"{name}.png" for name in [*(picture.name for picture in PICTURES), *MAIL_PICTURES]}
    assert len(MAIL_PICTURES) == 8
    assert set(PICTURES_FOLDER.glob("*.png")) == taken
    assert taken - set(SHOWN) == set()


def test_pictures_are_small_and_as_wide_as_a_window() -> None:
    for path in PICTURES_FOLDER.glob("*.png"):
        assert path.stat().st_size <= MOST_BYTES, path.name
        assert struct.unpack(">I", path.read_bytes()[16:20]) == (
            MAIL_WIDTH if path.stem in MAIL_PICTURES else WIDTH,
        ), path.name
