"""The lines of the log of a process."""

import json
import subprocess
import sys

LOGS = """
import logging
from trackyard.base.logs import log_to_stderr
log_to_stderr("test")
logging.getLogger("python_multipart.multipart").error("a stranger's body is broken")
logging.getLogger("trackyard.edge").error("ours", extra={"edge": 1})
"""


def test_log_lines_are_json_and_omit_foreign_loggers() -> None:
    done = subprocess.run([sys.executable, "-c", LOGS], capture_output=True, text=True, check=True)
    (line,) = [json.loads(line) for line in done.stderr.splitlines()]
    assert (line["message"], line["level"], line["role"], line["edge"]) == ("ours", "ERROR", "test", 1)
