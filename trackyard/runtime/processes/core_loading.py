"""What loads in the core: journals, the outbox, and their copies; and the threads of the core."""

import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from trackyard.base.clock import SystemClock
from trackyard.runtime.processes.starting import StartingAnswers
from trackyard.runtime.settings import Config

if TYPE_CHECKING:
    from trackyard.actions.platform.rebuild import Rebuilder
    from trackyard.analytics.engine.connection import Analytics
    from trackyard.jobs.loading.projector import Projector
    from trackyard.store.engine.database import Database


@dataclass(slots=True)
class CoreThreads:
    """The threads of the core, which start together when the API is built: a backlog must not delay it."""

    starting: StartingAnswers | None
    waiting: list[threading.Thread] = field(default_factory=list)
    started: list[threading.Thread] = field(default_factory=list)

    def start(self) -> None:
        """Start them, and leave the listener to the API."""
        if self.starting is not None:
            self.starting.end()
        for thread in self.waiting:
            thread.start()
            self.started.append(thread)

    def join(self) -> None:
        """Wait for the threads that were started."""
        for thread in self.started:
            thread.join()


def loaders(
    config: Config,
    database: "Database",
    analytics: "Analytics",
    directory_id: str,
    is_busy: Callable[[], bool],
) -> "tuple[Rebuilder, Projector]":
    """Return the rebuilder and the projector of this machine. is_busy: whether requests run now."""
    from trackyard.actions.platform.rebuild import Rebuilder
    from trackyard.jobs.loading.pace import LoadPace
    from trackyard.jobs.loading.projector import Projector

    journals, rules = config.data_dir / "journal", config.data_dir / "rules"
    rebuilder = Rebuilder(database, analytics, journals, SystemClock(), directory_id)
    rebuilder.recover()
    turn = LoadPace(is_busy).turn
    projector = Projector(database, analytics, journals, rules, SystemClock(), directory_id, turn)
    projector.log_backlog()
    return rebuilder, projector
