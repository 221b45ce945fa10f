"""docs/generating-a-client.md: its commands make a client that works."""

import os
import re
import subprocess
import sys
from pathlib import Path

from tests.support.processes.program import KEY, RunningProgram

PAGE = Path(__file__).parents[3] / "docs" / "generating-a-client.md"


def test_client_of_the_page_is_generated_and_calls_the_server(program: RunningProgram, tmp_path: Path) -> None:
    section = PAGE.read_text().partition("## In Python")[2].partition("\n## ")[0]
    [commands] = re.findall(r"```sh\n(.*?)```", section, re.DOTALL)
    [script] = re.findall(r"```python\n(.*?)```", section, re.DOTALL)
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "API": f"http://127.0.0.1:{program.api_port}", "KEY": KEY}
    made = subprocess.run(
        ["bash", "-euc", commands], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (made.returncode, made.stderr) == (0, ""), made.stdout[-2000:]
    called = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
    )
    assert (called.returncode, called.stderr) == (0, "")
    listed = {row["title"] for row in program.api("GET", "/3.1/admin/advertisers", {})["advertisers"]}
    assert "Example Shop" in listed
    assert [line.partition(" ")[2] for line in called.stdout.splitlines()].count("Example Shop") == 1
    refused = subprocess.run(
        [sys.executable, "-c", script],
        cwd=tmp_path,
        env=environment | {"KEY": "0" * 40},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (refused.returncode, refused.stderr.strip()) == (1, "token_necessary: Token is necessary")
