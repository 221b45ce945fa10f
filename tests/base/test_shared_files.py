"""Files of shared metrics on a full disk, and files that are empty or broken."""

import os
import struct
from pathlib import Path

import pytest
from prometheus_client import values
from prometheus_client.parser import text_string_to_metric_families

from trackyard.base.metrics import exposition, shared_files
from trackyard.base.metrics.shared_files import FILE_BYTES, SharedValues, is_whole, read_shared_values

KEY = '["a_total", "a_total", {}, "help"]'
_USED = struct.Struct("i")


def values_in(directory: Path) -> dict[str, float]:
    return {sample.name: sample.value for family in read_shared_values(directory).families for sample in family.samples}


def counted(directory: Path, number: float) -> SharedValues:
    """The file of a process that counted something."""
    made = SharedValues(str(directory / "counter_1.db"))
    made.write_value(KEY, number, 0.0)
    return made


class RefusingDisk:
    """Writes fail while it is full."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.is_full = True
        self.now = 0.0
        self._write = os.write
        monkeypatch.setattr(os, "write", self.write)
        monkeypatch.setattr(shared_files.time, "monotonic", lambda: self.now)

    def write(self, descriptor: int, content: bytes) -> int:
        if self.is_full:
            self._write(descriptor, content[:100])
            raise OSError(28, "No space left on device")
        return self._write(descriptor, content)


def test_metrics_of_this_program_are_shared_by_these_files() -> None:
    assert values.__dict__["MmapedDict"] is SharedValues


def test_values_on_a_full_disk_stay_in_memory_and_reach_their_file_later(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    disk = RefusingDisk(monkeypatch)
    made = counted(tmp_path, 3)
    disk.now = 100.0
    made.write_value(KEY, 4, 0.0)
    assert not list(tmp_path.iterdir()), "neither an empty file nor a part of one stays behind"
    disk.is_full = False
    made.write_value(KEY, 5, 0.0)
    assert not list(tmp_path.iterdir()), "the next attempt is not due yet"
    disk.now = 110.0
    made.write_value(KEY, 6, 0.0)
    assert [(file.name, file.stat().st_size) for file in tmp_path.iterdir()] == [("counter_1.db", FILE_BYTES)]
    assert values_in(tmp_path) == {"a_total": 6}
    made.write_value(KEY, 7, 0.0)
    assert values_in(tmp_path) == {"a_total": 7}
    assert "write_value" not in vars(made), "a value of a file costs what it cost before"


def test_values_that_outgrow_their_file_on_a_full_disk_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = counted(tmp_path, 3)
    disk = RefusingDisk(monkeypatch)
    names = [f'["b_total", "b_total", {{"n": "{number}"}}, "{"x" * 200}"]' for number in range(300)]
    for name in names:
        made.write_value(name, 1, 0.0)
    disk.is_full, disk.now = False, 100.0
    made.write_value(KEY, 8, 0.0)
    assert (tmp_path / "counter_1.db").stat().st_size == 2 * FILE_BYTES
    assert values_in(tmp_path)["a_total"] == 8
    families = read_shared_values(tmp_path).families
    assert sum(len(family.samples) for family in families) == len(names) + 1


def _cut(size: int) -> bytes:
    return b"\0" * size


BROKEN = {
    "empty": b"",
    "cut in its head": b"\1",
    "cut before its end": _USED.pack(400) + bytes(100),
    "says more than it has": _USED.pack(FILE_BYTES * 2) + bytes(FILE_BYTES - 4),
    "length of a key is negative": _USED.pack(64) + bytes(4) + _USED.pack(-8) + bytes(FILE_BYTES - 12),
    "length of a key is too large": _USED.pack(64) + bytes(4) + _USED.pack(4000) + bytes(FILE_BYTES - 12),
    "key is not text": _USED.pack(40) + bytes(4) + _USED.pack(4) + b"\xff\xfe\xfd\xfc" + bytes(FILE_BYTES - 16),
    "key has another form": _USED.pack(40) + bytes(4) + _USED.pack(4) + b"[12]" + bytes(FILE_BYTES - 16),
}


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN)
def test_broken_file_is_skipped_by_readers_counted_and_begun_again_by_its_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, content: bytes
) -> None:
    counted(tmp_path, 3)
    broken = tmp_path / "counter_2.db"
    broken.write_bytes(content)
    monkeypatch.setenv("PROMETHEUS_MULTIPROC_DIR", str(tmp_path))
    page = exposition.render_metrics()[0].decode()
    shown = {s.name: s.value for family in text_string_to_metric_families(page) for s in family.samples}
    assert (shown["a_total"], shown["trackyard_metrics_files_skipped"]) == (3, 1)
    assert exposition.read_states().edge_faults == []
    SharedValues(str(broken)).write_value(KEY, 4, 0.0)
    assert is_whole(broken) and values_in(tmp_path) == {"a_total": 7}
    assert len(BROKEN) == 8


def test_whole_file_of_the_same_process_id_goes_on(tmp_path: Path) -> None:
    counted(tmp_path, 3).close()
    assert SharedValues(str(tmp_path / "counter_1.db")).read_value(KEY) == (3, 0.0)
