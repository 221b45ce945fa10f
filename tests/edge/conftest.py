"""Fixtures of the edge's tests."""

from collections.abc import Iterator

import pytest

from tests.support.edge import RunningEdge, running_edge
from tests.support.rules import ADVERTISER, an_offer
from trackyard.domain.rules import Advertiser, Affiliate, Row

ROWS: list[Row] = [an_offer(), Affiliate(id=7, active=True), Advertiser(id=ADVERTISER)]


@pytest.fixture(scope="module")
def shared_edge(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningEdge]:
    """One edge for the tests of a module that leave it as it was."""
    with running_edge(tmp_path_factory.mktemp("edge"), ROWS) as edge:
        yield edge
