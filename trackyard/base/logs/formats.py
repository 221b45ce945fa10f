"""The two forms of a line of the log: an object of JSON, and a short text for people."""

import logging
import os
from collections.abc import Mapping
from contextlib import suppress
from datetime import UTC, datetime
from typing import Any, Final, TextIO

from pythonjsonlogger.json import JsonFormatter

_OWN_FIELDS: Final = frozenset(
    (*vars(logging.makeLogRecord({})), "message", "asctime", "request_id", "client_request_id", "color_message")
)
"""What a record has besides the fields of `extra`; the ids of a request are left out of text."""
_COLOURS: Final = {"DEBUG": "2", "WARNING": "33", "ERROR": "31", "CRITICAL": "1;31"}
_OF_LINE: Final = frozenset({"time", "level", "message", "role", "logger", "exc_info", "stack_info"})
"""Fields of a line of JSON that text shows elsewhere."""
_ROLE_WIDTH: Final = 10


def moment(record: logging.LogRecord) -> str:
    """Return the time of a record, such as 2026-11-23T05:10:29.657Z, in every zone of a process."""
    return f"{datetime.fromtimestamp(record.created, UTC):%Y-%m-%dT%H:%M:%S}.{int(record.msecs):03}Z"


class JsonLines(JsonFormatter):
    """Writes a record as an object: time, level, role, logger, message and the fields of `extra`."""

    def __init__(self, role: str) -> None:
        super().__init__(
            "%(asctime)s %(levelname)s %(name)s %(message)s",
            rename_fields={"asctime": "time", "levelname": "level", "name": "logger"},
            static_fields={"role": role},
        )

    def formatTime(self, record: logging.LogRecord, datefmt: str | None = None) -> str:  # noqa: N802 # of the library
        return moment(record)


class TextLines(logging.Formatter):
    """Writes a record as `12:38:15 edge 0     listening on 127.0.0.1:8001`, in UTC.

    full_time: with the day, for files.
    """

    def __init__(self, role: str, *, colours: bool, full_time: bool) -> None:
        super().__init__()
        self._role = role
        self._colours = colours
        self._full_time = full_time

    def format(self, record: logging.LogRecord) -> str:
        time = moment(record) if self._full_time else moment(record)[11:19]
        level = "" if record.levelno == logging.INFO else f"{record.levelname} "
        fields = {name: value for name, value in vars(record).items() if name not in _OWN_FIELDS}
        text = self._paint(record.levelname, level + _sentence(record.getMessage(), fields))
        lines = [f"{self._dim(time)} {self._role:<{_ROLE_WIDTH}} {text}"]
        if record.exc_info:
            lines.append(self.formatException(record.exc_info))
        return "\n".join(lines)

    def _paint(self, level: str, text: str) -> str:
        return f"\x1b[{_COLOURS[level]}m{text}\x1b[0m" if self._colours and level in _COLOURS else text

    def _dim(self, text: str) -> str:
        return f"\x1b[2m{text}\x1b[0m" if self._colours else text


def entry_text(entry: Mapping[str, Any], *, colours: bool) -> str:
    """Return the text of a line that JsonLines wrote, read from JSON, with the day."""
    fields = {name: value for name, value in entry.items() if name not in _OF_LINE}
    record = logging.makeLogRecord(
        fields
        | {
            "levelname": str(entry.get("level", "INFO")),
            "levelno": logging.getLevelNamesMapping().get(str(entry.get("level")), logging.INFO),
            "msg": str(entry.get("message", "")),
        }
    )
    with suppress(ValueError):
        at = datetime.fromisoformat(str(entry.get("time")))
        record.created, record.msecs = at.timestamp(), at.microsecond // 1000
    text = TextLines(str(entry.get("role", "")), colours=colours, full_time=True).format(record)
    trace = entry.get("exc_info")
    return f"{text}\n{trace}" if trace else text


def _sentence(message: str, fields: dict[str, Any]) -> str:
    """Return an event and its fields. Requests, addresses and advice have a short form."""
    if fields.keys() >= {"method", "path", "status"}:
        message = f"{fields.pop('method')} {fields.pop('path')} {fields.pop('status')}"
        message += f" {fields.pop('ms'):.0f} ms" if "ms" in fields else ""
    if fields.keys() >= {"host", "port"}:
        host = str(fields.pop("host"))
        message += f" on [{host}]:{fields.pop('port')}" if ":" in host else f" on {host}:{fields.pop('port')}"
    advice = fields.pop("advice", None)
    shown = [f"{name}={_value(value)}" for name, value in fields.items() if value not in ("", None)]
    return " ".join([message, *shown]) + (f": {advice}" if advice else "")


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return ",".join(f"{name}:{item}" for name, item in value.items())
    text = str(value)
    return repr(text) if not text or any(character.isspace() for character in text) else text


def formatter_for(
    form: str, role: str, stream: TextIO, environment: Mapping[str, str] = os.environ
) -> logging.Formatter:
    """Return the formatter of a stream.

    form: text, json, or auto = text at a terminal. A terminal has colours, unless NO_COLOR is set or it is a dumb one.
    """
    terminal = stream.isatty()
    if form == "json" or (form == "auto" and not terminal):
        return JsonLines(role)
    colours = terminal and not environment.get("NO_COLOR") and environment.get("TERM") != "dumb"
    return TextLines(role, colours=colours, full_time=not terminal)
