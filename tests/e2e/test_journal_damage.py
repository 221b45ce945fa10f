"""A corrupt journal is reported with its place, quarantined, and otherwise loaded."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.offer_scenario import OfferScenario, click_id_of, create_offer_scenario, period_around_today
from tests.support.processes.program import RunningProgram, poll_until, request
from trackyard.journal.frames import Frame
from trackyard.journal.records import RecordKind
from trackyard.journal.segments import each_frame, find_segment_end

pytestmark = pytest.mark.chaos

CLICKS = 6


@pytest.fixture
def program(tmp_path: Path) -> Iterator[RunningProgram]:
    running = RunningProgram(tmp_path)
    running.start()
    yield running
    assert running.stop() == 0


def _journals(program: RunningProgram) -> list[Path]:
    return sorted((program.directory / "data" / "journal").glob("*.log"))


def _write_unloaded(program: RunningProgram, story: OfferScenario, names: list[str], *, sealed: bool) -> Path:
    """Record clicks with these values of sub1, which the stopped core cannot load; kill everything."""
    children = program.children()
    poll_until(lambda: _clicks(program), seconds=10, what="the first click")
    os.kill(children["core"], signal.SIGSTOP)
    for name in names:
        click_id_of(story.click(sub1=name))
    journal = _journals(program)[-1]
    if sealed:
        os.kill(children["edge 0"], signal.SIGTERM)
        poll_until(lambda: find_segment_end(journal.parent, journal.stem), seconds=10, what="the seal")
    assert program.process is not None
    program.process.send_signal(signal.SIGSTOP)  # it must not restart what is killed
    for child, pid in children.items():
        if not (sealed and child == "edge 0"):
            os.kill(pid, signal.SIGKILL)
    program.stop(signal.SIGKILL)
    assert sealed == (find_segment_end(journal.parent, journal.stem) is not None)
    return journal


def _damage(journal: Path, name: str) -> Frame:
    """Flip a byte in the middle of the click with this value of sub1."""
    data = bytearray(journal.read_bytes())
    [found] = [
        item
        for item in each_frame(bytes(data), 0)
        if isinstance(item, Frame) and item.kind == RecordKind.CLICK and f'"{name}"'.encode() in item.payload
    ]
    data[(found.position + found.end) // 2] ^= 0xFF
    journal.write_bytes(data)
    return found


def _shows_gap(program: RunningProgram) -> bool:
    return b"\ntrackyard_journal_gaps_total 1.0\n" in request(program.monitoring_port, "GET", "/metrics").body


def _clicks(program: RunningProgram) -> set[str]:
    rows = program.api("GET", "/3.0/stats/clicks", {**period_around_today(), "limit": 1000})["clicks"]
    return {row["sub1"] for row in rows}


PLACES = {
    "in the live journal": (False, 2),
    "in a sealed journal": (True, 2),
    "at the end of a sealed journal": (True, CLICKS - 1),
    "at the live end": (False, CLICKS - 1),
}
"""Whether the damaged journal is sealed, and the number of the damaged click."""


@pytest.mark.long
def test_journal_damage_is_quarantined_and_reported(program: RunningProgram) -> None:
    story = create_offer_scenario(program)
    story.await_rules()
    for place in PLACES:
        _check_damage(program, story, place)


def _check_damage(program: RunningProgram, story: OfferScenario, place: str) -> None:
    sealed, number = PLACES[place]
    names = [f"{place} {each}" for each in range(CLICKS)]
    journal = _write_unloaded(program, story, names, sealed=sealed)
    damaged = _damage(journal, names[number])
    logged = len(list(program.log_lines()))
    content = journal.read_bytes()  # once it is loaded, the finished journal is compressed
    program.start()

    rest = {*names} - {names[number]}
    poll_until(lambda: rest <= _clicks(program), seconds=10, what="the clicks that are whole")
    assert names[number] not in _clicks(program)
    since = list(program.log_lines())[logged:]
    [line] = [line for line in since if line["message"] == "damaged place of a journal quarantined"]
    assert (line["level"], line["journal"], line["start"]) == ("ERROR", journal.stem, damaged.position)
    kept = (journal.parent / "damaged" / line["kept"]).read_bytes()
    assert kept == content[line["start"] : line["end"]] and len(kept) >= damaged.end - damaged.position
    for port in (program.api_port, program.tracking_port):
        assert request(port, "GET", "/readyz").status == 200
    poll_until(lambda: _shows_gap(program), seconds=10, what="the count of damaged places")
    later = click_id_of(story.click(sub1=f"after {names[number]}"))
    poll_until(lambda: f"after {names[number]}" in _clicks(program), seconds=10, what=f"the click {later}")
