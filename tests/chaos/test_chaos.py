"""Chaos on one machine, as script/chaos makes it; the cluster takes minutes."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest


def chaos(*arguments: str, seconds: float) -> dict[str, Any]:
    """The figures of a run; it fails for any outcome but the promised one."""
    environment = {name: text for name, text in os.environ.items() if not name.startswith("PYTEST_")}
    done = subprocess.run(
        [sys.executable, "-m", "tests.chaos", "--json", *arguments],
        env=environment,
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
    )
    assert done.returncode == 0, (done.stdout[-6000:], done.stderr[-3000:])
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


@pytest.mark.chaos
def test_chaos_on_one_machine_loses_and_doubles_nothing() -> None:
    figures = chaos("--seconds", "30", "--clicks", "200", "--postbacks", "40", seconds=400)
    assert figures["clicks_acknowledged"] > 1000 and figures["conversions"] > 100
    assert len(figures["faults"]) >= 5


@pytest.mark.chaos
@pytest.mark.long
@pytest.mark.parametrize("place", ["--stores", "--cluster"])
def test_chaos_with_servers_loses_and_doubles_nothing(place: str) -> None:
    figures = chaos(place, "--seconds", "120", "--clicks", "200", "--postbacks", "40", seconds=1500)
    assert figures["clicks_acknowledged"] > 1000 and figures["conversions"] > 100
