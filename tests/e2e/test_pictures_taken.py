"""The pictures of README and documents are taken from a demonstration."""

import struct
from pathlib import Path

import pytest

from tests.support.browser import browser_tab
from tests.support.screenshots import INTER, PICTURES, PICTURES_FOLDER, demonstration, take


def size_of(picture: Path) -> tuple[int, int]:
    width, height = struct.unpack(">II", picture.read_bytes()[16:24])
    return width, height


@pytest.mark.browser
@pytest.mark.long
def test_demonstration_gives_the_pictures_of_the_documents(tmp_path: Path) -> None:
    taken = tmp_path / "pictures"
    taken.mkdir()
    with demonstration() as people, browser_tab(tmp_path, INTER) as tab:
        take(tab, people, taken)
    assert {path.name for path in taken.iterdir()} == {f"{picture.name}.png" for picture in PICTURES}
    for path in taken.iterdir():
        assert size_of(path) == size_of(PICTURES_FOLDER / path.name), path.name
        # a page that lost its figures, its chart or its style has far fewer bytes, or more
        assert 0.5 < path.stat().st_size / (PICTURES_FOLDER / path.name).stat().st_size < 2, path.name
