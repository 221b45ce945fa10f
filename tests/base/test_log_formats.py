"""The forms of a line of the log."""

import io
import json
import logging
import os
import subprocess
import sys
from typing import Any

import pytest

from trackyard.base.logs.formats import JsonLines, TextLines, formatter_for

MOMENT = 1_795_410_629.657


class Screen(io.StringIO):
    """A stream that is a terminal."""

    def isatty(self) -> bool:
        return True


def record(message: str, level: int = logging.INFO, **fields: Any) -> logging.LogRecord:
    made = logging.LogRecord("trackyard.test", level, "", 0, message, (), None)
    made.created, made.msecs = MOMENT, 657.0
    vars(made).update(fields)
    return made


def text(message: str, level: int = logging.INFO, *, role: str = "edge 0", **fields: Any) -> str:
    return TextLines(role, colours=False, full_time=False).format(record(message, level, **fields))


@pytest.mark.parametrize(
    ("message", "fields", "line"),
    [
        ("listening", {"host": "127.0.0.1", "port": 8001}, "listening on 127.0.0.1:8001"),
        ("listening", {"host": "::1", "port": 8001, "edge": 3}, "listening on [::1]:8001 edge=3"),
        (
            "request",
            {"method": "GET", "path": "/3.0/offers", "status": 200, "caller": "", "ms": 12.4, "request_id": "f" * 24},
            "GET /3.0/offers 200 12 ms",
        ),
        ("journal removed", {"journal": "", "rows": 0, "reason": "too old"}, "journal removed rows=0 reason='too old'"),
        ("running as root", {"advice": "start it as a user"}, "running as root: start it as a user"),
        ("started", {"processes": {"core": 7, "worker": 8}}, "started processes=core:7,worker:8"),
    ],
)
def test_log_text_line_is_an_event_with_fields(message: str, fields: dict[str, Any], line: str) -> None:
    assert text(message, **fields) == f"05:10:29 edge 0     {line}"


def test_log_text_line_names_levels_other_than_info() -> None:
    assert text("ruleset stale", logging.WARNING, role="core") == "05:10:29 core       WARNING ruleset stale"


def test_log_text_line_of_failure_has_its_traceback() -> None:
    try:
        raise ValueError("broken")
    except ValueError:
        failed = record("job failed", logging.ERROR)
        failed.exc_info = sys.exc_info()
    lines = TextLines("worker", colours=False, full_time=False).format(failed).splitlines()
    assert (lines[0], lines[-1]) == ("05:10:29 worker     ERROR job failed", "ValueError: broken")


def test_log_text_line_in_a_file_has_the_day() -> None:
    line = TextLines("core", colours=False, full_time=True).format(record("stopped"))
    assert line == "2026-11-23T05:10:29.657Z core       stopped"


@pytest.mark.parametrize(
    ("environment", "coloured"),
    [({}, True), ({"NO_COLOR": "1"}, False), ({"NO_COLOR": ""}, True), ({"TERM": "dumb"}, False)],
)
def test_log_at_terminal_has_colours_unless_refused(environment: dict[str, str], coloured: bool) -> None:
    line = formatter_for("auto", "core", Screen(), environment).format(record("full", logging.ERROR))
    assert ("\x1b[31mERROR full\x1b[0m" in line) is coloured and ("\x1b" in line) is coloured


@pytest.mark.parametrize(
    ("form", "stream", "kind"),
    [
        ("auto", Screen(), TextLines), ("auto", io.StringIO(), JsonLines), ("text", io.StringIO(), TextLines),
        ("json", Screen(), JsonLines),
    ],
)  # fmt: skip
def test_log_form_follows_setting_and_terminal(form: str, stream: io.StringIO, kind: type) -> None:
    assert type(formatter_for(form, "core", stream, {})) is kind


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kathmandu"])
def test_log_time_is_utc_with_offset_in_every_zone(zone: str) -> None:
    """The supervisor has the zone of the machine, its children have UTC."""
    program = (
        "import logging; from trackyard.base.logs.output import log_to_stderr; log_to_stderr('t');"
        "r = logging.makeLogRecord({'msg': 'm', 'levelno': 30, 'levelname': 'WARNING'});"
        f"r.created, r.msecs = {MOMENT}, 657.0; logging.getLogger().handle(r)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], env=os.environ | {"TZ": zone}, capture_output=True, text=True, check=True
    )
    line = json.loads(done.stderr)
    assert (line["time"], line["level"], line["role"]) == ("2026-11-23T05:10:29.657Z", "WARNING", "t")
    assert "request_id" not in line
