"""Runs a module in a short-lived process with limits: what goes wrong ends that process alone."""

import os
import resource
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from tempfile import TemporaryFile
from typing import Final

_INHERITED: Final = ("LD_LIBRARY_PATH",)
_MOST_ERROR: Final = 2000


@dataclass(frozen=True, slots=True)
class Ended:
    """How a process ended. code: below 0, the signal that ended it. error: the end of its standard error."""

    code: int
    output: bytes
    error: str


def run_module(module: str, arguments: Sequence[str], given: bytes, *, seconds: float, most_output: int) -> Ended:
    """Run a module as a process that reads `given`; it is killed when it takes longer than `seconds`.

    Settings and their secrets are not in its environment.
    """
    with TemporaryFile() as read, TemporaryFile() as written, TemporaryFile() as errors:
        read.write(given)
        read.seek(0)
        process = subprocess.Popen(  # noqa: S603 (its own command)
            [sys.executable, "-m", module, *arguments],
            stdin=read,
            stdout=written,
            stderr=errors,
            env=_environment(),
            cwd="/",
            start_new_session=True,
        )
        try:
            code = process.wait(seconds)
        except subprocess.TimeoutExpired:
            process.kill()
            code = process.wait()
        errors.seek(max(errors.seek(0, os.SEEK_END) - _MOST_ERROR, 0))
        error = errors.read().decode(errors="replace")
        written.seek(0)
        return Ended(code, written.read(most_output + 1), error)


def limit_this_process(*, memory_bytes: int, processor_s: int, most_output: int) -> None:
    """Bound memory, processor time, files and output of the process that calls this."""
    limits = (
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_AS, memory_bytes),
        (resource.RLIMIT_CPU, processor_s),
        (resource.RLIMIT_FSIZE, most_output + 1),
        (resource.RLIMIT_NOFILE, 64),
    )
    for name, wanted in limits:
        _, most = resource.getrlimit(name)
        value = wanted if most == resource.RLIM_INFINITY else min(wanted, most)
        resource.setrlimit(name, (value, value))


def _environment() -> dict[str, str]:
    """Return the environment variables that a process needs to find its modules."""
    inherited = {name: os.environ[name] for name in _INHERITED if name in os.environ}
    return inherited | {"PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}
