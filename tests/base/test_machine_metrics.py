"""What is read at a scrape: build, disk, stores, processes."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from prometheus_client import CollectorRegistry

from trackyard.base.metrics.machine import MachineCollector


def collected(machine: MachineCollector) -> dict[tuple[str, str], float]:
    """Samples by name and value of the label, if there is one."""
    registry = CollectorRegistry()
    registry.register(machine)
    return {
        (sample.name, next(iter(sample.labels.values()), "")): sample.value
        for family in registry.collect()
        for sample in family.samples
    }


def test_machine_metrics_show_build_disk_and_stores(tmp_path: Path) -> None:
    machine = MachineCollector("1.2.3", tmp_path, tmp_path / "processes.json")
    machine.stores = lambda: {"sql": True, "analytics": False}
    found = collected(machine)
    disk = os.statvfs(tmp_path)
    assert found["trackyard_build_info", "1.2.3"] == 1
    assert found["trackyard_disk_size_bytes", ""] == (disk.f_blocks - disk.f_bfree + disk.f_bavail) * disk.f_frsize
    assert 0 < found["trackyard_disk_free_bytes", ""] < found["trackyard_disk_size_bytes", ""]
    assert (found["trackyard_store_up", "sql"], found["trackyard_store_up", "analytics"]) == (1, 0)
    assert not [name for name, _ in found if name.startswith("process_")]


def test_machine_metrics_show_each_running_process_by_role(tmp_path: Path) -> None:
    ended = subprocess.Popen([sys.executable, "-c", ""])
    ended.wait()
    file = tmp_path / "processes.json"
    file.write_text(json.dumps({"core": os.getpid(), "worker": ended.pid}))
    found = collected(MachineCollector("1", tmp_path, file))
    for name in ("cpu_seconds_total", "resident_memory_bytes", "open_fds", "max_fds", "start_time_seconds"):
        assert found[f"process_{name}", "core"] > 0
    assert not [role for name, role in found if name.startswith("process_") and role == "worker"]


@pytest.mark.parametrize("content", ["", '{"core": 1', "7"])
def test_machine_metrics_of_a_cut_file_of_processes_have_no_processes(tmp_path: Path, content: str) -> None:
    file = tmp_path / "processes.json"
    file.write_text(content)
    assert "trackyard_build_info" in {name for name, _ in collected(MachineCollector("1", tmp_path, file))}


def test_machine_metrics_of_a_directory_that_went_have_no_disk(tmp_path: Path) -> None:
    found = collected(MachineCollector("1", tmp_path / "gone", tmp_path / "gone" / "processes.json"))
    assert {name for name, _ in found} == {"trackyard_build_info"}


def test_machine_metrics_show_the_age_of_the_last_backup(tmp_path: Path) -> None:
    (tmp_path / "backup.json").write_text(json.dumps({"id": "x", "made_at": time.time_ns() // 1_000_000 - 90_000}))
    found = collected(MachineCollector("1", tmp_path, tmp_path / "processes.json"))
    assert 90 <= found["trackyard_backup_age_seconds", ""] < 150
