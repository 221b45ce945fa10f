"""Run `trackyard serve`, and start it again after each edit of its code.

`script/dev` runs it. Ctrl-C stops both.
"""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from threading import Event
from types import FrameType
from typing import Final

from tests.support.development.process import PYTHON

ROOT: Final = Path(__file__).parents[3]
CODE: Final = (".py", ".toml", ".po", ".tsv", ".json")
"""Ends of the names of files that a start reads. Templates are read again by the running server."""
PERIOD_S: Final = 0.5
STOP_S: Final = 30


def edits(folder: Path) -> dict[Path, int]:
    """Return when each file of the code was edited last."""
    return {path: path.stat().st_mtime_ns for path in _files(folder)}


def _files(folder: Path) -> Iterator[Path]:
    for place, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if name != "__pycache__"]
        yield from (Path(place) / name for name in names if name.endswith(CODE) and name != "compiled.json")


def watch(arguments: Sequence[str], folder: Path = ROOT / "trackyard") -> int:
    """Serve until a signal; return the status of the server at its end."""
    ended = Event()

    def end(_number: int, _frame: FrameType | None) -> None:
        ended.set()

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)
    lifeline, _kept = os.pipe()  # its end stops the server, however this process ends
    command = [str(PYTHON), "-m", "trackyard", "serve", "--lifeline", str(lifeline), *arguments]
    while True:
        before = edits(folder)
        server = subprocess.Popen(command, start_new_session=True, pass_fds=[lifeline])
        while not ended.wait(PERIOD_S) and (after := edits(folder)) == before:
            pass
        if server.poll() is None:
            server.terminate()
        status = server.wait(STOP_S)
        if ended.is_set():
            return status
        names = sorted(path.relative_to(folder).as_posix() for path, _ in before.items() ^ after.items())
        print(f"edited: {', '.join(dict.fromkeys(names))}; the server starts again", file=sys.stderr, flush=True)  # noqa: T201


if __name__ == "__main__":
    sys.exit(watch(sys.argv[1:]))
