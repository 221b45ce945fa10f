"""Set-ups of the tracking reference and commands of the troubleshooting page work as written."""

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pathlib import Path
from textwrap import dedent
from typing import Any, Final

import pytest

from tests.support.processes.program import KEY, RunningProgram, WaitTimeout, poll_until
from trackyard.domain.tracking.reference.texts import reference_texts

SET_UPS: Final = reference_texts("set_ups")
AT_ONCE: Final = 4
HAS_TOOLS: Final = pytest.mark.skipif(
    any(shutil.which(name) is None for name in ("curl", "openssl")), reason="a reader has both"
)
TROUBLESHOOTING: Final = Path(__file__).parents[2] / "docs" / "troubleshooting.md"
SHOWN: Final = (
    '"passes":true',
    '"passed":true',
    '"stats":[',
    "confirmed",
    '"response":""',
    '"is_new":true',
    '"history":[{',
    '"postbacks":[]',
    '"postbacks":[]',
    '"url":"https://affiliate.example/in?cid=sub2"',
    '"raw":',
    '"warnings":',
)
"""What the commands of the troubleshooting page show for a click with a conversion, in their order."""


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path_factory.mktemp("set-ups"), postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


class Shell:
    """A terminal in which `begin` was run."""

    def __init__(self, program: RunningProgram) -> None:
        self._ports = {8000: program.api_port, 8001: program.tracking_port, 8002: program.monitoring_port}
        self._functions, mark, values = SET_UPS["begin"]["code"].partition("shop=")
        self._variables = ""
        self.keep(mark + values)

    def run(self, code: str) -> str:
        """Run a block; return what it prints."""
        script = "\n".join((self._functions, self._variables, code))
        for port, own in self._ports.items():
            script = script.replace(f"127.0.0.1:{port}", f"127.0.0.1:{own}")
        address = f"http://127.0.0.1:{self._ports[8000]}"
        environment = {"PATH": os.environ["PATH"], "KEY": KEY, "TRACKYARD_URL": address, "TRACKYARD_KEY": KEY}
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=False)
        assert not done.stderr, (code, done.stderr)
        return done.stdout

    def keep(self, code: str) -> None:
        """Run a block, and keep the variables that it sets for the blocks after it."""
        printed = self.run(
            f"{code}\ndeclare -p | grep -E '^declare -- [A-Za-z]+(_KEY|_CODE)?=' | sed 's/^declare -- /VARIABLE /'"
        )
        found = [line.removeprefix("VARIABLE ") for line in printed.splitlines() if line.startswith("VARIABLE ")]
        self._variables = "\n".join(found)


def fault_of(begun: Shell, set_up: dict[str, Any]) -> str:
    """Run a set-up; return what is wrong with it, or nothing."""
    shell = copy(begun)
    try:
        shell.keep(set_up["code"])
        poll_until(lambda: set_up["shows"] in shell.run(set_up["check"]), seconds=15, what=set_up["title"])
    except WaitTimeout:
        return f"{set_up['title']}: {shell.run(set_up['check'])[-1500:]}"
    return ""


@HAS_TOOLS
def test_set_ups_of_the_reference_show_what_they_say(program: RunningProgram) -> None:
    begun = Shell(program)
    with ThreadPoolExecutor(AT_ONCE) as threads:
        faults = list(threads.map(lambda set_up: fault_of(begun, set_up), SET_UPS["set_ups"]))
    assert not [fault for fault in faults if fault]


@HAS_TOOLS
def test_troubleshooting_commands_show_what_happened(program: RunningProgram) -> None:
    shell = Shell(program)
    shell.keep(SET_UPS["set_ups"][0]["code"])
    blocks = [dedent(block) for block in re.findall(r"^ *```sh\n(.*?)```", TROUBLESHOOTING.read_text(), re.S | re.M)]
    faults = []
    for block, shown in zip(blocks, SHOWN, strict=True):
        try:
            poll_until(lambda block=block, shown=shown: shown in shell.run(block), seconds=15, what=block)  # type: ignore[misc]
        except WaitTimeout:
            faults.append((block, shown, shell.run(block)[-800:]))
    assert not faults
