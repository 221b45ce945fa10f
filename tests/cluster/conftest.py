"""One installation on several machines for the tests of this folder."""

from collections.abc import Iterator

import pytest

from tests.support.processes.cluster import RunningCluster, running_cluster
from tests.support.processes.program import STARTED, stop_all
from tests.support.processes.receiver import receiver  # noqa: F401


@pytest.fixture(scope="package")
def started_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningCluster]:
    """The cluster; when all tests are over, its books agree on every machine."""
    before = len(STARTED)
    try:
        with running_cluster(tmp_path_factory.mktemp("cluster")) as cluster:
            yield cluster
            cluster.await_healthy()
            cluster.check_books()
    finally:
        stop_all(STARTED[before:])


@pytest.fixture
def cluster(started_cluster: RunningCluster) -> RunningCluster:
    """The cluster, with every machine ready and every store in reach."""
    started_cluster.await_healthy()
    return started_cluster
