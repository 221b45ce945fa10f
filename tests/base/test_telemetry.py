"""The lines of the log of a process."""

import json
import subprocess
import sys

LOGS = """
import logging
from trackyard.base.logs.output import log_to_stderr
log_to_stderr("test")
logging.getLogger("python_multipart.multipart").error("a stranger's body is broken")
logging.getLogger("trackyard.edge").error("ours", extra={"edge": 1})
"""


def test_log_lines_are_json_and_omit_foreign_loggers() -> None:
    done = subprocess.run([sys.executable, "-c", LOGS], capture_output=True, text=True, check=True)
    (line,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert (line["message"], line["level"], line["role"], line["edge"]) == ("ours", "ERROR", "test", 1)


PATHS = """
import logging
from starlette.testclient import TestClient
from trackyard.base.logs.output import log_to_stderr
from trackyard.wire.http.dispatch import Dispatch
log_to_stderr("test")
with TestClient(Dispatch([], None, lambda key: None, {})) as client:
    client.get("/3.1/" + "x" * 60_000)
    client.get("/3.1/" + "y" * 200)
logging.getLogger("trackyard.edge").error("request failed", extra={"path": "/" + "z" * 60_000})
"""


def test_log_line_of_long_path_is_cut() -> None:
    done = subprocess.run([sys.executable, "-c", PATHS], capture_output=True, text=True, check=True)
    lines = [line for line in map(json.loads, done.stderr.splitlines()) if line["logger"].startswith("trackyard")]
    assert [line["message"] for line in lines] == ["request", "request", "request failed"]
    assert [line["path"] for line in lines] == ["/3.1/" + "x" * 295 + "…", "/3.1/" + "y" * 200, "/" + "z" * 299 + "…"]
