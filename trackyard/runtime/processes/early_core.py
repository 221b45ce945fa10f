"""What the core does while the data directory is prepared (docs/spec/engine.md#a-backlog)."""

import importlib
import os
import select
import threading
from typing import Final

from trackyard.runtime.settings import Config

_POLL_S: Final = 0.1
_MODULES: Final = (
    "trackyard.store.engine.database",
    "trackyard.analytics.engine.migrations",
    "trackyard.jobs.loading.projector",
    "trackyard.jobs.loading.table_freezes",
    "trackyard.jobs.schedule.retention",
    "trackyard.runtime.checks.registry",
    "trackyard.runtime.machines.heartbeat",
)
_API_MODULES: Final = ("uvicorn", "trackyard.api.app", "trackyard.console.app", "trackyard.console.mailed.mailer")
"""What takes long to import. What is missing here is imported later."""


def import_core(config: Config) -> None:
    """Import what the core will use, and change nothing."""
    from trackyard.analytics.engine.chdb import load_chdb

    if config.chdb_directory is not None:
        load_chdb()
    for name in (*_MODULES, *(_API_MODULES if "api" in config.roles else ())):
        importlib.import_module(name)


def wait_for_byte(pipe: int, stop: threading.Event) -> bool:
    """Return whether a byte came; False when the pipe ended or the process should stop."""
    while not stop.is_set():
        if select.select([pipe], [], [], _POLL_S)[0]:
            return os.read(pipe, 1) != b""
    return False
