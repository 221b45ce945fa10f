"""`trackyard logs`: the log of the server of this machine, from the copy that its processes write."""

import json
import logging
import os
import re
import time
from collections import deque
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO, Final

from trackyard.base.logs.file import rotated_path
from trackyard.base.logs.formats import entry_text
from trackyard.commands.failures import CommandFailed, ServerAway, WrongUse
from trackyard.runtime.settings import Config

_POLL_S: Final = 0.2
_AGE: Final = re.compile(r"([0-9]{1,6})\s*([smhdw])")
_UNITS: Final = {"s": "seconds", "m": "minutes", "h": "hours", "d": "days", "w": "weeks"}


@dataclass(frozen=True, slots=True)
class LogFilter:
    """The lines to show.

    level: the least. since: RFC 3339 in UTC, as lines have it; "" = all. request: its id, ours or the caller's.
    """

    level: str = "DEBUG"
    since: str = ""
    request: str = ""

    def selects(self, entry: dict[str, Any]) -> bool:
        """Return whether a line is shown."""
        if _number(str(entry.get("level", ""))) < _number(self.level) or str(entry.get("time", "")) < self.since:
            return False
        return not self.request or self.request in (entry.get("request_id"), entry.get("client_request_id"))


def _number(level: str) -> int:
    return logging.getLevelNamesMapping().get(level, logging.CRITICAL)


def log_path(config: Config) -> Path:
    """Return the file of the log. Raises CommandFailed without one, ServerAway before the first start."""
    path = config.log_file
    if path is None:
        raise CommandFailed(
            "TRACKYARD_LOG_FILE is none: the log is on standard error of the server only; as a service, "
            "`journalctl -u trackyard` shows it."
        )
    if not path.exists() and not rotated_path(path).exists():
        raise ServerAway(
            f"there is no log in {path}: no server has run with these settings yet. Name it with --config."
        )
    if not os.access(path, os.R_OK) and path.exists():
        raise CommandFailed(f"{path} cannot be read: run this as the user of the server, as with sudo -u trackyard.")
    return path


def since_time(text: str, now: datetime) -> str:
    """Return the time of `--since`: an age such as 1h, or a date or time in UTC. Raises WrongUse."""
    age = _AGE.fullmatch(text.strip())
    if age:
        at = now - timedelta(**{_UNITS[age[2]]: int(age[1])})
    else:
        try:
            at = datetime.fromisoformat(text.strip())
        except ValueError:
            raise WrongUse(
                f"--since must be an age such as 90s, 30m, 1h or 2d, or a time in UTC, not {text!r}."
            ) from None
        at = at.replace(tzinfo=at.tzinfo or UTC)
    return f"{at.astimezone(UTC):%Y-%m-%dT%H:%M:%S}"


class LogReader:
    """Reads the lines of a log that a filter selects, as JSON.

    Each line is read once, also when its file is rotated meanwhile.
    """

    def __init__(self, path: Path, wanted: LogFilter) -> None:
        self._path = path
        self._wanted = wanted
        self._file: BinaryIO | None = None

    def close(self) -> None:
        """Close the file."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def last_lines(self, count: int) -> list[str]:
        """Return the last lines that are there. count: 0 = all."""
        self._open()  # before the older file: the newer one may become it now
        return [*deque(chain(self._older_lines(), self._read()), maxlen=count or None)]

    def new_lines(self) -> Iterator[str]:
        """Yield the lines that were added since the last call."""
        yield from self._read()
        if not self._is_current():
            yield from self._read()  # the last ones of the file that is full
            self.close()
            self._open()
            yield from self._read()

    def _open(self) -> None:
        with suppress(FileNotFoundError):
            self._file = self._path.open("rb")

    def _is_current(self) -> bool:
        try:
            return self._file is not None and os.path.samestat(os.fstat(self._file.fileno()), self._path.stat())
        except FileNotFoundError:
            return self._file is not None  # full, and nothing was logged since

    def _older_lines(self) -> Iterator[str]:
        with suppress(FileNotFoundError), rotated_path(self._path).open("rb") as older:
            if self._file is None or not os.path.samestat(os.fstat(self._file.fileno()), os.fstat(older.fileno())):
                yield from self._selected(older)

    def _read(self) -> Iterator[str]:
        if self._file is not None:
            yield from self._selected(self._file)

    def _selected(self, file: BinaryIO) -> Iterator[str]:
        while True:
            place = file.tell()
            line = file.readline()
            if not line.endswith(b"\n"):
                file.seek(place)  # a line that is not whole yet
                return
            text = line.decode(errors="replace").rstrip("\n")
            if _is_chosen(text, self._wanted):
                yield text


def wait_for_lines() -> None:
    """Wait before the next look at the log."""
    time.sleep(_POLL_S)


def shown_line(line: str, *, as_json: bool, colours: bool) -> str:
    """Return a line of the log as it is printed."""
    return line if as_json else entry_text(json.loads(line), colours=colours)


def _is_chosen(line: str, wanted: LogFilter) -> bool:
    """Return whether a filter selects a line; a line that a full disk cut is not selected."""
    try:
        entry = json.loads(line)
    except ValueError:
        return False
    return isinstance(entry, dict) and wanted.selects(entry)
