"""Small files about a running server, for monitoring and commands.

The supervisor writes each again until the disk has it: a full disk ends no role, and leaves no old or empty file behind
once it has space.
"""

import logging
from pathlib import Path

from trackyard.runtime.settings import write_private

log = logging.getLogger("trackyard.runtime.supervisor")


class StateFiles:
    """The files with the content that each should have. Not safe to use from several threads."""

    def __init__(self) -> None:
        self._wanted: dict[Path, str] = {}
        self._is_behind = False

    def set(self, file: Path, text: str) -> None:
        """Let a file have this content from now on."""
        if self._wanted.get(file) != text:
            self._wanted[file] = text
            self.write()

    def write(self) -> None:
        """Write the files that lack their content. It is logged once that this fails, and when it works again."""
        try:
            for file, text in self._wanted.items():
                if not _has(file, text):
                    write_private(file, text)
        except OSError as fault:
            if not self._is_behind:
                self._is_behind = True
                log.warning("state for monitoring not written", extra={"file": file.name, "error": fault.strerror})
            return
        if self._is_behind:
            self._is_behind = False
            log.info("state for monitoring written again")


def _has(file: Path, text: str) -> bool:
    try:
        return file.read_text() == text
    except (OSError, ValueError):
        return False
