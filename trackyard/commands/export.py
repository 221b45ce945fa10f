"""`trackyard export`: write clicks, conversions or custom statistics to a file."""

import os
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from http.client import HTTPException, HTTPResponse
from pathlib import Path
from typing import Any, BinaryIO, Final, TextIO

from trackyard.commands.failures import CommandFailed
from trackyard.commands.local_api import ApiClient
from trackyard.commands.progress import ProgressBar

STDOUT: Final = "-"
_READ_BYTES: Final = 1 << 18


@dataclass(frozen=True, slots=True)
class ExportRequest:
    """What to export.

    since, until: YYYY-MM-DD, both included.
    filters: name and value, repeated for several values.
    output: a file, or - for standard output.
    """

    what: str
    since: str
    until: str
    form: str
    output: str
    slices: Sequence[str] = ()
    filters: Sequence[tuple[str, str]] = ()
    timezone: str = ""

    def params(self) -> dict[str, Any]:
        """Return the parameters of the API."""
        sent_values: dict[str, list[str]] = {"date_from": [self.since], "date_to": [self.until]}
        for name, value in self.filters:
            sent_values.setdefault(name, []).append(value)
        if self.what == "custom":
            sent_values = {f"filter[{name}]": values for name, values in sent_values.items()}
        params_sent = {f"{name}[]" if len(values) > 1 else name: values for name, values in sent_values.items()}
        params_sent |= {"slice[]": list(self.slices)} if self.slices else {}
        params_sent |= {"timezone": [self.timezone]} if self.timezone else {}
        return params_sent | {"format": [self.form]}


class ExportFailed(CommandFailed):
    """No file was written; the message has the reason."""


def export(api: ApiClient, request: ExportRequest, progress_out: TextIO) -> None:
    """Write the export; a file appears only when it is complete. progress_out: where progress is shown.

    Raises ExportFailed, ServerAway, ApiError when the server rejects it, and BrokenPipeError when standard
    output is closed.
    """
    if request.output == STDOUT and request.form == "parquet" and sys.stdout.isatty():
        raise ExportFailed("a Parquet file does not belong on a terminal: name a file with --output.")
    try:
        with (
            api.stream(f"/3.1/stats/{request.what}", request.params()) as response,
            _open_output(request.output) as out,
        ):
            _copy_response(response, out, request, progress_out)
    except (HTTPException, ConnectionError) as fault:
        if isinstance(fault, BrokenPipeError):
            raise
        raise ExportFailed("the server broke off before the file was complete; its log has the reason.") from None


def _copy_response(response: HTTPResponse, out: BinaryIO, request: ExportRequest, progress_out: TextIO) -> None:
    """Copy with progress: a bar of rows for CSV, which has countable lines, else the number of bytes."""
    count = response.headers.get("X-Total-Count")
    rows = int(count or "0") if request.form == "csv" else 0
    done = 0
    with ProgressBar(progress_out, request.what, rows or None) as progress:
        while piece := response.read(_READ_BYTES):
            out.write(piece)
            done += piece.count(b"\r\n") if rows else len(piece)
            progress.to(done)
    if count is not None:
        progress_out.write(f"{int(count):,} {'row' if count == '1' else 'rows'} written\n")


@contextmanager
def _open_output(name: str) -> Iterator[BinaryIO]:
    """Open the output; a file has another name until the block succeeds. Raises ExportFailed."""
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
        raise ExportFailed(f"{name} cannot be written: {fault.strerror}.") from None
    finally:
        part.unlink(missing_ok=True)
