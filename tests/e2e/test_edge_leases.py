"""Edge numbers of real servers: they come back, and a copy of a data directory does not start."""

import json
import shutil
from pathlib import Path

import pytest

from tests.support.processes.program import RunningProgram
from trackyard.store.engine.database import Database
from trackyard.store.tracking.edges import claim_edge

pytestmark = pytest.mark.cluster

SECRET = "of both machines, and not a short one"


@pytest.mark.long
def test_stopped_servers_number_is_leased_by_the_next_one_and_a_copy_is_refused(tmp_path: Path) -> None:
    url = f"sqlite:///{tmp_path / 'shared.db'}"
    yards = [RunningProgram(tmp_path / name, database_url=url, secret_key=SECRET, database_wait="0") for name in "abc"]
    for yard in yards:
        yard.directory.mkdir()
    first, second, copy = yards
    first.start()
    refused = first.command("edges", "release", "1")
    assert (refused.returncode, refused.stderr) == (
        1,
        "trackyard: edge 1 is in use: stop its server first; one that was killed counts as in use for 5 minutes.\n",
    )
    assert first.stop() == 0
    assert [path.name for path in tmp_path.rglob("trackyard.host")] == []
    (lease,) = json.loads(first.command("edges", "list", "--json").stdout)
    assert (lease["edge"], lease["state"], lease["directory"]) == (1, "free", str(tmp_path / "a" / "data"))
    assert lease["to"] == lease["free_at"] and lease["journal"].startswith("001-") and lease["used_until"] is None
    assert first.command("edges", "release", "1").stdout == "edge 1 is free.\n"
    assert first.command("edges", "release", "2").stderr == (
        "trackyard: no edge has the number 2: `trackyard edges list` shows the edges that have one.\n"
    )

    with Database(url) as database, database.write() as conn:
        for slot in range(249):
            claim_edge(conn, "f" * 24, slot, 1)
    second.start()
    assert json.loads((tmp_path / "b" / "data" / "edges.json").read_text()) == [1]
    shutil.copytree(tmp_path / "b" / "data", tmp_path / "c" / "data", ignore=shutil.ignore_patterns("run", "*.sock"))
    stopped = copy.command("prepare")
    assert stopped.returncode == 1
    assert f"it is a copy of {tmp_path / 'b' / 'data'} on host " in stopped.stderr, stopped.stderr
    assert "the same edge number (1)" in stopped.stderr
    assert second.stop() == 0
    lines = second.command("edges", "list").stdout.splitlines()
    assert lines[1].split()[:2] == ["1", "free"] and lines[-1] == "0 of 250 numbers were never given."
