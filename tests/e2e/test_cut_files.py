"""Files that were cut to nothing or to a half after a kill: a start mends or names them."""

import os
import re
import shutil
import signal
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import pytest

from tests.support.offer_scenario import OfferScenario, click_id_of, create_offer_scenario
from tests.support.processes.acknowledged import every_row
from tests.support.processes.program import RunningProgram, poll_until

STARTS: Final = ""
KINDS: Final[dict[str, str]] = {
    # the files, by a pattern of their path, and what a start says that cannot use them
    r"trackyard\.db": "trackyard.db cannot be used: it ",
    r"secret\.key": "secret.key ",
    r"directory\.id": STARTS,
    r"edges\.json": STARTS,
    r"analytics\.xml": STARTS,
    r"trackyard\.host": STARTS,
    r"(trackyard|analytics)\.lock": STARTS,
    r"journal/[\d-]+\.log": STARTS,
    r"journal/[\d-]+\.sealed": STARTS,
    r"rules/rules\.log": STARTS,
    r"rules/rules\.snapshot": STARTS,
    r"run/metrics/\w+_\d+\.db": STARTS,
    r"run/processes\.json": STARTS,
    r"run/server\.json": STARTS,
    r"state/boot": STARTS,
    r"state/counts-\d+\.map": STARTS,
    r"state/counts\.shared": STARTS,
    r"state/synced-\d+\.log": STARTS,
    r"state/visitors\.map": STARTS,
    r"log/trackyard\.log": STARTS,
}
OF_CHDB: Final = ("analytics", "chdb")
"""Its own files have checksums of their own."""


@dataclass(frozen=True)
class KilledDirectory:
    """A data directory after a kill, and the clicks that were loaded before it."""

    directory: Path
    scenario: OfferScenario
    loaded: frozenset[str]

    def files(self) -> dict[str, str]:
        """Each file with contents that is not of chDB, and its kind."""
        data = self.directory / "data"
        paths = [path.relative_to(data) for path in sorted(data.rglob("*")) if path.is_file() and path.stat().st_size]
        found = {}
        for path in paths:
            if path.parts[0] not in OF_CHDB:
                [kind] = [kind for kind in KINDS if re.fullmatch(kind, str(path))] or [f"unknown: {path}"]
                found[str(path)] = kind
        return found

    def cut(self, copy: Path, names: list[str], share: float) -> RunningProgram:
        """A program on a copy, with these files cut to a share of their size."""
        shutil.copytree(self.directory / "data", copy / "data", symlinks=True)
        for name in names:
            path = copy / "data" / name
            os.truncate(path, int(path.stat().st_size * share))
        return RunningProgram(copy)


def listed(scenario: OfferScenario) -> set[str]:
    """The ids of the clicks that the API lists."""
    return {each["id"] for each in every_row(scenario, "clicks")}


@pytest.fixture(scope="module")
def killed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[KilledDirectory]:
    """A program that loaded ten clicks, took five more, and was killed."""
    directory = tmp_path_factory.mktemp("killed")
    program = RunningProgram(directory)
    program.start()
    scenario = create_offer_scenario(program)
    scenario.await_rules()
    first = {click_id_of(scenario.click(sub1=f"first{number}")) for number in range(10)}
    poll_until(lambda: first <= listed(scenario), seconds=60, what="ten loaded clicks")
    for number in range(5):
        click_id_of(scenario.click(sub1=f"last{number}"))
    program.stop(signal.SIGKILL)
    yield KilledDirectory(directory, scenario, frozenset(first))


def test_every_file_of_a_data_directory_has_a_kind(killed: KilledDirectory) -> None:
    seen = set(killed.files().values())
    assert seen <= set(KINDS) and len(seen) == len(KINDS) == 20, set(KINDS) ^ seen


@pytest.mark.parametrize("share", [0.0, 0.5])
def test_start_mends_every_cut_file_that_it_can_and_keeps_what_was_loaded(
    killed: KilledDirectory, tmp_path: Path, share: float
) -> None:
    names = [name for name, kind in killed.files().items() if KINDS[kind] == STARTS]
    assert len(names) > 20
    program = killed.cut(tmp_path, names, share)
    program.start()
    try:
        at_copy = replace(killed.scenario, program=program)
        at_copy.await_rules()
        assert click_id_of(at_copy.click(sub1="after"))
        poll_until(lambda: killed.loaded <= listed(at_copy), seconds=60, what="the loaded clicks")
    finally:
        program.stop()
    assert "Traceback" not in program.log_file.read_text() + program.out_file.read_text()


@pytest.mark.parametrize("share", [0.0, 0.5])
@pytest.mark.parametrize("kind", [kind for kind, said in KINDS.items() if said != STARTS])
def test_start_names_the_cut_file_that_it_cannot_use(
    killed: KilledDirectory, tmp_path: Path, kind: str, share: float
) -> None:
    [name] = [name for name, found in killed.files().items() if found == kind]
    program = killed.cut(tmp_path, [name], share)
    program.start(ready=False)
    assert program.process is not None and program.process.wait(60) == 78
    said = program.log_file.read_text()
    [sentence] = [line for line in said.splitlines() if line.startswith("trackyard: ")]
    assert str(tmp_path / "data" / name) in sentence and KINDS[kind] in sentence
    assert sentence.endswith("Restore it from a backup of the data directory.") and "Traceback" not in said
