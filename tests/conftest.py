"""Databases for all tests of a process, and settings that make tests quick.

Tests do not wait for the disk, passwords get cheap hashes, Hypothesis has no deadline, and the garbage collector leaves
alone what collecting the tests made.
"""

import gc
from collections.abc import Iterator
from typing import Any

import pytest
from argon2 import PasswordHasher
from hypothesis import HealthCheck, settings

from tests.support.stores.databases import (
    database,
    database_url,
    empty_database,
    migrated_sqlite,
    postgres,
    sqlite_database,
)
from trackyard.base import secrets
from trackyard.store.engine import database as engine

gc.disable()  # until the tests are collected: nothing of them is garbage, and visiting them takes a third of the time

__all__ = ["database", "database_url", "empty_database", "migrated_sqlite", "postgres", "sqlite_database"]

settings.register_profile("any machine", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

IN_USE = secrets._passwords
"""The hasher of passwords that programs use."""
SYNCED = engine.SQLITE_PRAGMAS


@pytest.fixture(autouse=True, scope="session")
def quick() -> Iterator[None]:
    """Make hashes of passwords cheap and leave writes to disk to the kernel.

    Tests kill processes and never cut the power. Programs that tests start keep the settings of the product.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_passwords", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        unsynced = tuple(line.replace("synchronous=FULL", "synchronous=OFF") for line in SYNCED)
        patch.setattr(engine, "SQLITE_PRAGMAS", unsynced)
        yield


@pytest.fixture
def as_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the hasher and the settings of SQLite that programs use."""
    monkeypatch.setattr(secrets, "_passwords", IN_USE)
    monkeypatch.setattr(engine, "SQLITE_PRAGMAS", SYNCED)


_SLOW_FIRST = (
    "tests/e2e/commands/",
    "tests/conformance/",
    "tests/isolation/",
    "tests/contract/test_every_endpoint",
    "tests/cluster/",
    "tests/e2e/shared/",
    "tests/actions/test_rebuild",
    "tests/analytics/reports/",
    "tests/jobs/conversions/test_random_histories",
    "tests/e2e/",
    "tests/contract/",
    "tests/crashes/",
    "tests/deploy/",
    "tests/fuzz/",
    "tests/console/test_crawl",
    "tests/api/people/test_role_table",
    "tests/analytics/",
    "tests/jobs/",
)
"""Tests that begin first, so that no process works on a slow file alone at the end."""


_SHARING = ("tests/arch/", "tests/cluster/", "tests/conformance/", "tests/e2e/shared/")
"""Folders of tests that share what is slow to make: a running program, or every module's syntax tree."""
_WITH_PROGRAMS = ("tests/conformance/", "tests/e2e/")
"""Folders of tests that start whole programs: `script/test --ci` runs them."""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Put slow files first, keep the order of others, and mark tests that start whole programs."""
    for item in items:
        if item.nodeid.startswith(_WITH_PROGRAMS):
            item.add_marker(pytest.mark.slow)
        if item.get_closest_marker("long_on_postgresql") and "postgresql" in item.name:
            item.add_marker(pytest.mark.long)

    def place(item: pytest.Item) -> int:
        name = item.nodeid
        if not name.startswith(_SLOW_FIRST):
            return len(_SLOW_FIRST)
        return next(place for place, start in enumerate(_SLOW_FIRST) if name.startswith(start))

    items.sort(key=place)


def pytest_collection_finish() -> None:
    """Hide the collected tests from the garbage collector, which would visit a million objects each time."""
    gc.collect()
    gc.freeze()
    gc.enable()


class _Collected(list[str]):
    """The names of the tests of a process.

    Each is found without a search: a search for every test takes seconds.
    """

    def __init__(self, names: list[str]) -> None:
        super().__init__(names)
        self._places = {name: place for place, name in enumerate(names)}

    def index(self, name: str, *_: Any) -> int:
        return self._places[name]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Schedule files in the order of the collection, and folders that share a program as one."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class SharedPrograms(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = next((each for each in _SHARING if nodeid.startswith(each)), None)
            return folder or super()._split_scope(nodeid)

        def add_node_collection(self, node: Any, collection: Any) -> None:
            super().add_node_collection(node, collection)
            found = self.registered_collections
            if node in found:
                found[node] = _Collected(found[node])

        def _assign_work_unit(self, node: Any) -> None:
            """Forget finished files: their tests would be counted again after each test."""
            assigned = self.assigned_work[node]
            for file in [file for file, tests in assigned.items() if all(tests.values())]:
                del assigned[file]
            super()._assign_work_unit(node)

    config.option.loadscopereorder = False  # it would put files with few tests last, which are the slow ones
    return SharedPrograms(config, log)
