"""`trackyard export`: clicks, conversions or custom statistics as a file."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

from trackyard.commands.local_api import Refused, administrator
from trackyard.commands.progress import Progress
from trackyard.runtime.settings import Config

STDOUT: Final = "-"
_READ: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is to be exported. since, until: YYYY-MM-DD, both included · filters: name and value, as often as there are
    values · output: a file, or - for standard output."""

    what: str
    since: str
    until: str
    form: str
    output: str
    slices: tuple[str, ...] = ()
    filters: tuple[tuple[str, str], ...] = ()
    timezone: str = ""

    def params(self) -> dict[str, Any]:
        """As the API takes them."""
        named: dict[str, list[str]] = {"date_from": [self.since], "date_to": [self.until]}
        for name, value in self.filters:
            named.setdefault(name, []).append(value)
        if self.what == "custom":
            named = {f"filter[{name}]": values for name, values in named.items()}
        asked = {f"{name}[]" if len(values) > 1 else name: values for name, values in named.items()}
        asked |= {"slice[]": list(self.slices)} if self.slices else {}
        asked |= {"timezone": [self.timezone]} if self.timezone else {}
        return asked | {"format": [self.form]}


class Failed(Exception):
    """There is no file, for the reason that the message gives."""


def export(config: Config, wanted: Wanted, told: TextIO) -> None:
    """Writes what is wanted; a file is there when it is whole, and not before. told: where progress is shown.

    Raises Failed and, when nobody answers, CannotStart; BrokenPipeError when nobody reads standard output any more.
    """
    if wanted.output == STDOUT and wanted.form == "parquet" and sys.stdout.isatty():
        raise Failed("a Parquet file is nothing for a terminal: name one with --output.")
    try:
        with (
            administrator(config).stream(f"/3.1/stats/{wanted.what}", wanted.params()) as response,
            _output(wanted.output) as out,
        ):
            _copy(response, out, wanted, told)
    except Refused as refused:
        raise Failed(f"the API answers {refused.status}: {refused}") from None
    except (HTTPException, ConnectionError) as fault:
        if isinstance(fault, BrokenPipeError):
            raise
        raise Failed("the server broke off before the file was whole; its log says why.") from None


def _copy(response: HTTPResponse, out: BinaryIO, wanted: Wanted, told: TextIO) -> None:
    """A bar of rows for CSV, whose lines can be counted; of others, and on no terminal, how much there is."""
    rows = int(response.headers.get("X-Total-Count", "0")) if wanted.form == "csv" else 0
    done = 0
    with Progress(told, wanted.what, rows or None) as progress:
        while piece := response.read(_READ):
            out.write(piece)
            done += piece.count(b"\r\n") if rows else len(piece)
            progress.to(done)


@contextmanager
def _output(name: str) -> Iterator[BinaryIO]:
    """What to write to. A file has another name until the block ends well. Raises Failed when it cannot be written."""
    if name == STDOUT:
        yield sys.stdout.buffer
        sys.stdout.buffer.flush()
        return
    part = Path(f"{name}.part")
    try:
        with part.open("wb") as out:
            yield out
            out.flush()
            os.fsync(out.fileno())
        part.replace(name)
    except OSError as fault:
        if isinstance(fault, ConnectionError):
            raise
        raise Failed(f"{name} cannot be written: {fault.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
