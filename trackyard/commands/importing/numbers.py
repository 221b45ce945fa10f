"""The numbers that records have here, by their numbers on the old platform: one line of JSON for each."""

import json
import os
from pathlib import Path

from trackyard.commands.failures import CommandFailed


class NumberMap:
    """Numbers of imported records in a file, so that a second run continues where the first one ended.

    A run that was killed while it wrote leaves a part of a line, which is ignored: that record is imported once more.
    """

    def __init__(self, file: Path, source: str) -> None:
        """Read the file. Raises CommandFailed for a file of another platform. source: URL of this one."""
        self._file = file
        self.source = source
        self._numbers: dict[tuple[str, str], str] = {}
        try:
            lines = file.read_bytes().splitlines(keepends=True)
        except FileNotFoundError:
            return
        except OSError as fault:
            raise CommandFailed(f"{file} cannot be read: {fault.strerror}.") from None
        for line in lines:
            if line.endswith(b"\n"):
                self._add_line(line)

    def find(self, kind: str, number: object) -> str | None:
        """Return the number here of a record; None = it is not imported."""
        return self._numbers.get((kind, str(number)))

    def add(self, kind: str, number: object, here: object) -> None:
        """Remember a record. The line is on the disk when this returns. Raises CommandFailed."""
        line = json.dumps({"from": self.source, "kind": kind, "old": str(number), "new": str(here)})
        try:
            with self._file.open("ab+") as out:
                if out.tell() and os.pread(out.fileno(), 1, out.tell() - 1) != b"\n":
                    out.write(b"\n")
                out.write(line.encode() + b"\n")
                out.flush()
                os.fsync(out.fileno())
        except OSError as fault:
            raise CommandFailed(f"{self._file} cannot be written: {fault.strerror}.") from None
        self._numbers[kind, str(number)] = str(here)

    def _add_line(self, line: bytes) -> None:
        try:
            found = json.loads(line)
            source, kind, old, new = (found[name] for name in ("from", "kind", "old", "new"))
        except (ValueError, KeyError, TypeError):
            return
        if source != self.source:
            raise CommandFailed(f"{self._file} is of an import from {source}: name another file with --map.")
        self._numbers[kind, old] = new
