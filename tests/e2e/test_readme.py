"""The commands of README.md work as they are written, on a new installation."""

import json
import os
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.support.processes.program import KEY, RunningProgram, poll_until

README = Path(__file__).parents[2] / "README.md"
NAMES = ("AFFILIATE_KEY", "AFFILIATE", "ADVERTISER", "OFFER", "CLICK", "CODE")
"""What a reader fills in, longer names first."""


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path, postback_code="")
    running.start()
    yield running
    assert running.stop() == 0


def commands() -> list[str]:
    """Return the commands of the story, without comments."""
    story = README.read_text().partition("## From a click to a balance")[2]
    block = re.findall(r"```sh\n(.*?)```", story, re.S)[0].replace("\\\n", " ")
    return [line.partition("  #")[0].strip() for line in block.splitlines() if line.strip()]


class Reader:
    """Types the commands of the story and remembers what their answers show."""

    def __init__(self, program: RunningProgram) -> None:
        addresses, self._call, *self.steps = commands()
        for port, own in ((8000, program.api_port), (8001, program.tracking_port)):
            addresses = addresses.replace(f":{port}", f":{own}")
        self._addresses = addresses
        self.known: dict[str, str] = {}

    def type(self, step: str) -> str:
        """Run a command; return what it prints."""
        for name in NAMES:
            step = step.replace(name, self.known.get(name, name))
        script = "\n".join((self._addresses, self._call, step))
        environment = {"PATH": os.environ["PATH"], "KEY": KEY}
        done = subprocess.run(["bash", "-c", script], env=environment, capture_output=True, text=True, check=True)
        return done.stdout

    def answer(self, step: str) -> Any:
        """Run a command; return its JSON."""
        return json.loads(self.type(step))


@pytest.mark.skipif(shutil.which("curl") is None, reason="a reader of these commands has curl")
def test_readme_commands_lead_from_a_click_to_a_balance(program: RunningProgram) -> None:
    reader = Reader(program)
    advertiser, offer, affiliate, connect, click, postback, statistics, balance = reader.steps
    made = reader.answer(advertiser)["advertiser"]
    reader.known |= {"ADVERTISER": made["id"], "CODE": made["hash_password"]}
    reader.known["OFFER"] = str(reader.answer(offer)["offer"]["id"])
    person = reader.answer(affiliate)["partner"]
    reader.known |= {"AFFILIATE": str(person["id"]), "AFFILIATE_KEY": person["api_key"]}
    assert reader.answer(connect)["status"] == 1

    def found(step: str, pattern: str) -> Callable[[], re.Match[str] | None]:
        return lambda: re.search(pattern, reader.type(step))

    clicked = poll_until(found(click, r"shop\.example/\?click=([0-9a-f]{24})"), seconds=10, what="an accepted click")
    assert clicked is not None
    reader.known["CLICK"] = clicked[1]
    assert reader.answer(postback) == {"status": 1}
    poll_until(found(balance, '"balance":{"USD":7}'), seconds=10, what="the balance")
    poll_until(found(statistics, '"confirmed":{"revenue":10,'), seconds=10, what="the statistics")
