"""Faults at crash points, injected in this process."""

import errno
import os
import shutil
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from pathlib import Path
from typing import Any, Final
from unittest.mock import patch

from sqlalchemy.exc import OperationalError

from tests.crashes.points import OS_CALLS, PATH_CALLS, Point, find_points
from tests.support.processes.crashes import SimulatedKill
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.store.engine.database import Connection, Database

_DEPTH: Final = 40


class Injector:
    """Notes which points are reached, and injects one fault.

    point, fault: None = points are noted only. passes: how often the point is passed before the fault.
    """

    def __init__(self, point: str | None = None, fault: str = "", passes: int = 0) -> None:
        self._point = point
        self._fault = fault
        self._passes = passes
        self._by_file: dict[str, list[Point]] = {}
        for each in find_points().values():
            self._by_file.setdefault(each.file, []).append(each)
        self.reached: Counter[str] = Counter()
        self.happened = False

    @contextmanager
    def injected(self) -> Iterator[None]:
        """Within, the calls of points go through this."""
        patches: list[AbstractContextManager[Any]] = [
            patch.object(os, name, self._call(getattr(os, name))) for name in OS_CALLS
        ]
        patches += [patch.object(Path, name, self._call(getattr(Path, name))) for name in PATH_CALLS]
        patches += [patch.object(shutil, "rmtree", self._call(shutil.rmtree))]
        patches += [patch.object(Analytics, name, self._store(getattr(Analytics, name))) for name in ("insert", "run")]
        patches += [patch.object(Database, "write", self._transaction(Database.write))]
        for each in patches:
            each.__enter__()
        try:
            yield
        finally:
            for each in reversed(patches):
                each.__exit__(None, None, None)

    def _due(self) -> str:
        """Return the fault that is due at this call, "" = none."""
        frame, found = sys._getframe(2), list[str]()
        for _ in range(_DEPTH):
            for point in self._by_file.get(frame.f_code.co_filename, ()):
                if frame.f_lineno in point.lines and point.name not in found:
                    found.append(point.name)
            if frame.f_back is None:
                break
            frame = frame.f_back
        if not found:
            return ""
        # One that is further away is the caller of this one: it has its own call.
        nearest = found[0]
        self.reached[nearest] += 1
        if nearest != self._point or self.happened or self.reached[nearest] <= self._passes:
            return ""
        self.happened = True
        return self._fault

    def _call(self, original: Callable[..., Any]) -> Callable[..., Any]:
        def called(*arguments: Any, **named: Any) -> Any:
            fault = self._due()
            if fault == "before":
                raise SimulatedKill
            if fault == "error":
                code = errno.ENOSPC if original is _WRITE else errno.EIO
                raise OSError(code, os.strerror(code))
            if fault == "short":
                if original is _WRITE:
                    original(arguments[0], arguments[1][: len(arguments[1]) // 2])
                raise SimulatedKill
            result = original(*arguments, **named)
            if fault == "after":
                raise SimulatedKill
            return result

        return called

    def _store(self, original: Callable[..., None]) -> Callable[..., None]:
        def called(*arguments: Any, **named: Any) -> None:
            fault = self._due()
            if fault == "before":
                raise SimulatedKill
            if fault == "error":
                raise StoreError("the store refuses")
            original(*arguments, **named)
            if fault == "after":
                raise SimulatedKill
            if fault == "no answer":
                raise StoreError("no answer came")

        return called

    def _transaction(self, original: Callable[..., AbstractContextManager[Connection]]) -> Callable[..., Any]:
        @contextmanager
        def written(database: Database, **named: Any) -> Iterator[Connection]:
            fault = self._due()
            with original(database, **named) as conn:
                yield conn
                if fault == "before":
                    raise SimulatedKill
                if fault == "error":
                    raise OperationalError("COMMIT", None, Exception("the database is away"))
            if fault == "after":
                raise SimulatedKill

        return written


_WRITE: Final = os.write
