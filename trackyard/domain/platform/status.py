"""The state of the platform at a moment, for administrators (docs/spec/platform.md#status)."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from trackyard.domain.platform.findings import Finding, FindingKind

LOW_DISK: Final = 20
FULL_DISK: Final = 10
"""Percent of a disk that are free below which there is a finding, as in the alert rules."""


@dataclass(frozen=True, slots=True)
class MachineStatus:
    """The state of the machine that answers.

    version: the version of the program.
    started_at: when the API process started, UTC milliseconds.
    reasons: why the machine cannot do its work; empty when it can.
    warnings: problems that need a look.
    lags: delay of each queue in seconds.
    disk_free, disk_total: bytes of the disk with the data directory.
    """

    version: str = ""
    started_at: int = 0
    roles: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lags: Mapping[str, float] = field(default_factory=dict)
    disk_free: int = 0
    disk_total: int = 0


@dataclass(frozen=True, slots=True)
class PlatformStatus:
    """The state of the platform.

    now, last_click_at, last_postback_at: UTC milliseconds, None without one.
    rows: stored rows by kind.
    """

    machine: MachineStatus
    now: int
    currency: str
    timezone: str
    last_click_at: int | None
    last_postback_at: int | None
    rows: Mapping[str, int]


def find_low_disk(directory: str, free: int, total: int) -> Iterator[Finding]:
    """Yield a finding when too little of the disk of a data directory is free. free, total: bytes."""
    percent = free * 100 // total if total else 100
    if percent < LOW_DISK:
        kind = FindingKind.DISK_FULL if percent < FULL_DISK else FindingKind.DISK_LOW
        yield Finding(kind, directory, {"free_percent": percent, "free_bytes": free, "total_bytes": total})
