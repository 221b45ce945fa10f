"""The world of the conformance tests, made once, and the order of their rows."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from tests.conformance.world import FilledProgram

_FOLDER = "tests/conformance/"


@pytest.fixture(scope="package")
def world(tmp_path_factory: pytest.TempPathFactory) -> Iterator[FilledProgram]:
    """A filled program that runs until the last test of this folder: an idle one takes a part of a core."""
    with ExitStack() as stack:
        yield FilledProgram(tmp_path_factory.mktemp("conformance"), stack)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the rows in the order of the tables: they share one program, and some change it for a moment."""
    places = [place for place, item in enumerate(items) if item.nodeid.startswith(_FOLDER)]
    ordered = sorted((items[place] for place in places), key=_place)
    for place, item in zip(places, ordered, strict=True):
        items[place] = item


def _place(item: pytest.Item) -> tuple[str, int, int]:
    """Return the file, the line of the test, and the number of the row."""
    call = getattr(item, "callspec", None)
    _, line, _ = item.location
    return str(item.path), line or 0, max(call.indices.values(), default=0) if call else 0
