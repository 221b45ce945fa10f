"""Workers that die at a chosen moment: around a statement, a commit or a load."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import event
from sqlalchemy.engine import Engine

from trackyard.analytics.engine.connection import Analytics
from trackyard.store.engine.database import Connection, Database


class SimulatedKill(BaseException):
    """The process is gone: nothing catches it."""


class SimulatedFailure(Exception):
    """Something failed once, and the process lives on."""


@dataclass
class CrashPoint:
    """Raises `error` once, at the moment that is `left` moments from now. happened: that it did."""

    left: int
    error: type[BaseException]
    happened: bool = field(default=False, init=False)

    def moment(self, *_event: Any) -> None:
        """Something is about to happen, or just happened."""
        if self.happened:
            return
        self.left -= 1
        if self.left < 0:
            self.happened = True
            raise self.error


@contextmanager
def inject_crash(database: Database, analytics: Analytics, crash: CrashPoint) -> Iterator[CrashPoint]:
    """Within, moments are counted; a kill ends the block."""
    write, load = database.write, analytics.insert

    @contextmanager
    def written(*, independent: bool = False) -> Iterator[Connection]:
        with write(independent=independent) as conn:
            yield conn
            crash.moment()
        crash.moment()

    def loaded(*args: Any) -> None:
        crash.moment()
        load(*args)
        crash.moment()

    event.listen(Engine, "before_cursor_execute", crash.moment)
    database.write, analytics.insert = written, loaded  # type: ignore[assignment,method-assign]
    try:
        yield crash
    except SimulatedKill:
        pass
    finally:
        event.remove(Engine, "before_cursor_execute", crash.moment)
        del database.write, analytics.insert


@contextmanager
def crash_before_commit(database: Database, error: type[BaseException]) -> Iterator[None]:
    """Within, a writer dies when everything is written and nothing committed."""
    write = database.write

    @contextmanager
    def written(*, independent: bool = False) -> Iterator[Connection]:
        with write(independent=independent) as conn:
            yield conn
            raise error

    database.write = written  # type: ignore[method-assign]
    try:
        yield
    finally:
        database.write = write  # type: ignore[method-assign]
