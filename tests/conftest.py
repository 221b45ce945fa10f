"""Databases, for all tests of a process; and what spares them what none is about: waiting for the disk, hashes of
passwords that take long, and Hypothesis' expectations of a quick machine."""

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

__all__ = ["database", "database_url", "empty_database", "migrated_sqlite", "postgres", "sqlite_database"]

settings.register_profile("any machine", settings(), deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("any machine")

IN_USE = secrets._passwords
"""What makes hashes of passwords that are worth having."""
SYNCED = engine.SQLITE_PRAGMAS


@pytest.fixture(autouse=True, scope="session")
def quick() -> Iterator[None]:
    """Hashes of passwords take microseconds, and SQLite leaves it to the kernel when the disk is written: tests kill
    processes and never cut the power. Programs that tests start do as in use."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(secrets, "_passwords", PasswordHasher(time_cost=1, memory_cost=8, parallelism=1))
        unsynced = tuple(line.replace("synchronous=FULL", "synchronous=OFF") for line in SYNCED)
        patch.setattr(engine, "SQLITE_PRAGMAS", unsynced)
        yield


@pytest.fixture
def as_in_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Passwords and SQLite as they are in use."""
    monkeypatch.setattr(secrets, "_passwords", IN_USE)
    monkeypatch.setattr(engine, "SQLITE_PRAGMAS", SYNCED)


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Keep the files of tests/conformance on one worker: they share one running program."""
    if config.getoption("dist") != "loadfile":
        return None
    from xdist.scheduler import LoadFileScheduling

    class SharedPrograms(LoadFileScheduling):
        def _split_scope(self, nodeid: str) -> str:
            folder = "tests/conformance/"
            return folder if nodeid.startswith(folder) else super()._split_scope(nodeid)

    return SharedPrograms(config, log)
