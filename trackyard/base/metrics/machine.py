"""Metrics of the machine, which are read when they are scraped, and their collector."""

import json
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Final

from prometheus_client import ProcessCollector
from prometheus_client.metrics_core import Metric as Family
from prometheus_client.registry import Collector

from trackyard.base.clock import SystemClock
from trackyard.base.disks import disk_space
from trackyard.base.metrics.declarations import MetricLabel, MetricSection

LAST_BACKUP_FILE: Final = "backup.json"
"""The file of the data directory that says when the last backup was made."""

_machine: Final = MetricSection("Machine and processes")

_ROLE: Final = MetricLabel("role", "process, as `role` in the log: `supervisor`, `edge 0`, `core`, `worker`")

BUILD_INFO: Final = _machine.collected(
    "gauge",
    "trackyard_build_info",
    "1",
    "The running version, always 1",
    "Join it to other metrics to see what changed with a version.",
    MetricLabel("version", "of Trackyard"),
    MetricLabel("python", "version of Python"),
)
STORE_UP: Final = _machine.collected(
    "gauge",
    "trackyard_store_up",
    "1 or 0",
    "1 while a store answers, 0 when it failed or did not answer for 15 s",
    "Clicks and postbacks are recorded and loaded later; the API answers 503. Look at the database itself, then at "
    "`trackyard_disk_free_bytes`. The log has `component lost` with the error.",
    MetricLabel("store", "which store", {"sql": "SQLite or PostgreSQL", "analytics": "chDB or the ClickHouse server"}),
)
FILES_SKIPPED: Final = _machine.collected(
    "gauge",
    "trackyard_metrics_files_skipped",
    "files",
    "Files of shared metrics that were empty or broken, and were left out of this answer",
    "Values of a process are missing here. The disk was full: free it. A process writes its file again by itself; the "
    "file of one that has ended is removed at the next start.",
)
DISK_FREE: Final = _machine.collected(
    "gauge",
    "trackyard_disk_free_bytes",
    "bytes",
    "Free space of the file system with the data directory",
    "Below a tenth rejected clicks and postbacks of unknown clicks are not recorded; a full disk makes clicks 503. "
    "Add space, or shorten `TRACKYARD_JOURNAL_DAYS` ([retention](retention.md)).",
)
DISK_SIZE: Final = _machine.collected(
    "gauge",
    "trackyard_disk_size_bytes",
    "bytes",
    "Space of the file system with the data directory that is used or can be used, without blocks reserved for root",
    "Divide `trackyard_disk_free_bytes` by it.",
)
BACKUP_AGE: Final = _machine.collected(
    "gauge",
    "trackyard_backup_age_seconds",
    "seconds",
    "Time since the state of the last complete backup of this data directory",
    "Without a sample there was none. When it is older than your timer allows, run `trackyard backup` by hand: it says "
    "what fails ([backups](operating.md#backups)).",
)
_PROCESS: Final = (
    _machine.collected(
        "counter",
        "process_cpu_seconds_total",
        "seconds",
        "Time of the processor, user and system, of a process",
        "Its rate is cores: an edge near 1 is full, add `TRACKYARD_EDGES`. A core near the machine's cores: heavy "
        "reports, see `TRACKYARD_HEAVY_REPORTS`.",
        _ROLE,
    ),
    _machine.collected(
        "gauge",
        "process_resident_memory_bytes",
        "bytes",
        "Resident memory of a process, shared pages included",
        "The core's follows reports (`TRACKYARD_REPORT_MEMORY`), an edge's the number of offers and "
        "`TRACKYARD_UNIQUE_MB`. When it rises for days, please report it.",
        _ROLE,
    ),
    _machine.collected(
        "gauge",
        "process_virtual_memory_bytes",
        "bytes",
        "Virtual memory of a process",
        "It means little; look at the resident memory.",
        _ROLE,
    ),
    _machine.collected(
        "gauge",
        "process_open_fds",
        "files",
        "Open files and connections of a process",
        "Near `process_max_fds` new connections are closed: raise `LimitNOFILE` of the service.",
        _ROLE,
    ),
    _machine.collected(
        "gauge",
        "process_max_fds",
        "files",
        "Limit of open files and connections of a process",
        "See `process_open_fds`.",
        _ROLE,
    ),
    _machine.collected(
        "gauge",
        "process_start_time_seconds",
        "Unix seconds",
        "When a process started",
        "A change without a start of yours is a restart after a failure: the log has `died` with the exit status.",
        _ROLE,
    ),
)


class MachineCollector(Collector):
    """Reads the build, the disk, the stores and the processes of this machine.

    processes_file: JSON of process ids by role, written by the supervisor; a missing file = they are unknown
    stores: whether each store answers, by name; it may be replaced while the collector is in use
    """

    def __init__(self, version: str, data_directory: Path, processes_file: Path) -> None:
        self._version = version
        self._data_directory = data_directory
        self._processes_file = processes_file
        self.stores: Callable[[], Mapping[str, bool]] = dict

    def collect(self) -> Iterator[Family]:
        """Yield the families; what cannot be read has no sample."""
        build = BUILD_INFO.family()
        build.add_metric([self._version, platform.python_version()], 1)
        yield build
        stores = STORE_UP.family()
        for name, is_up in self.stores().items():
            stores.add_metric([name], is_up)
        yield stores
        with suppress(FileNotFoundError):
            disk = disk_space(self._data_directory)
            for metric, size in ((DISK_FREE, disk.free), (DISK_SIZE, disk.total)):
                family = metric.family()
                family.add_metric([], size)
                yield family
        with suppress(OSError, ValueError, KeyError):
            made_at = json.loads((self._data_directory / LAST_BACKUP_FILE).read_text())["made_at"]
            age = BACKUP_AGE.family()
            age.add_metric([], max(SystemClock().now_ms() - made_at, 0) / 1000)
            yield age
        yield from self._collect_processes()

    def _collect_processes(self) -> Iterator[Family]:
        families = {metric.name.removesuffix("_total"): metric.family() for metric in _PROCESS}
        for role, pid in self._processes().items():
            for found in ProcessCollector(pid=lambda pid=pid: pid, registry=None).collect():  # type: ignore[misc]
                for sample in found.samples:
                    families[found.name].add_metric([role], sample.value)
        yield from families.values()

    def _processes(self) -> dict[str, int]:
        with suppress(OSError, ValueError):  # a full disk cut it
            found = json.loads(self._processes_file.read_text())
            return found if isinstance(found, dict) else {}
        return {}
