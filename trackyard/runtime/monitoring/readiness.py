"""Whether this machine can do its work, for the pages `/readyz` (docs/operating.md#watching-it)."""

import json
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import TYPE_CHECKING, Final

from trackyard.base.clock import SystemClock
from trackyard.base.disks import disk_space
from trackyard.base.logs.outages import first_line
from trackyard.base.metrics import EDGE_FAULTS
from trackyard.base.metrics.exposition import read_states
from trackyard.domain.platform.status import MachineStatus
from trackyard.domain.tracking.ruleset import RULESET_STALE_S
from trackyard.runtime.monitoring.full_disks import find_full_disks
from trackyard.runtime.settings import Config
from trackyard.runtime.start_checks import find_split_click_state, find_split_statistics

if TYPE_CHECKING:
    from trackyard.jobs.loading.journal_copies import JournalCopier
    from trackyard.jobs.loading.projector import Projector
    from trackyard.store.engine.database import Database
    from trackyard.wire.http.health import Readiness

STALLED_SECONDS: Final = 30.0
"""A projector that has not completed its duties for so long is not ready."""
LATE_COPY_SECONDS: Final = 10.0
"""From this lag of copies of journals on a person should look."""
READINESS_S: Final = 1.0
"""Age up to which an answer of `/readyz` is given again."""


@dataclass(frozen=True, slots=True)
class MachineReport:
    """The state of a machine, in words.

    reasons: why it cannot do its work; empty when it can.
    warnings: what needs a look.
    lags: queue to seconds of delay.
    """

    reasons: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    lags: dict[str, float] = field(default_factory=dict)


def machine_report(config: Config, core: "Callable[[], Readiness] | None" = None) -> MachineReport:
    """Return the state of every process of this machine.

    core: returns the readiness of the stores, on machines that use them; it includes `local_reasons`.
    """
    states = read_states()
    warnings = tuple(
        f"the source of the rules is silent for {age:.0f} s: what changed is not in force"
        for age in states.ruleset_ages.values()
        if age > RULESET_STALE_S
    )
    if states.redis_lost:
        warnings = (*warnings, "Redis does not answer: click caps and unique visitors hold on each machine by itself")
    if states.api_redis_lost:
        warnings = (*warnings, "Redis does not answer the API: rates and report turns hold on each machine by itself")
    lags = dict(states.queue_lags)
    if states.ruleset_ages:
        lags["rules"] = max(states.ruleset_ages.values())
    reasons = [EDGE_FAULTS[fault] for fault in states.edge_faults]
    if core is None:
        return MachineReport((*local_reasons(config), *reasons), warnings, lags)
    found = core()
    return MachineReport((*found.reasons, *reasons), (*warnings, *found.warnings), lags | found.lags)


def starting_report(config: Config) -> MachineReport:
    """Return the state of a machine with a core that opens its stores, or waits for space to do so."""
    return MachineReport((*(disk.sentence() for disk in find_full_disks(config)), "the core is starting"))


def local_reasons(config: Config) -> list[str]:
    """Return why this machine cannot do its work, as far as no store is asked."""
    full = [disk.sentence() for disk in find_full_disks(config)]
    return [*full, *failing_roles(config.failing_roles_file)]


def failing_roles(file: Path) -> list[str]:
    """Return a sentence for each role that cannot be kept running.

    The result is empty for a file that a full disk cut.
    """
    with suppress(OSError, ValueError):
        found = json.loads(file.read_text())
        return [f"the role {name} dies again and again" for name in found] if isinstance(found, list) else []
    return []


def core_readiness(
    config: Config,
    database: "Database",
    projector: "Projector | None",
    directory_id: str,
    copier: "JournalCopier | None" = None,
    stores: Callable[[], Mapping[str, bool]] | None = None,
) -> "Readiness":
    """Return whether the stores can be used and the projector works, with the lag of each queue.

    stores: whether each store answers, where they are watched.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.actions.conversions.postback_codes import find_code_warning
    from trackyard.store.engine.queue_depths import get_queue_states
    from trackyard.wire.http.health import Readiness

    reasons: list[str] = []
    warning: str | None = None
    separate: str | None = None
    lags: dict[str, float] = {}
    warnings: list[str] = []
    try:
        with database.read() as connection:
            now_ms = SystemClock().now_ms()
            lags |= {state.queue: state.lag_ms / 1000 for state in get_queue_states(connection, now_ms)}
            warning = find_code_warning(connection)
            split = find_split_statistics(config, connection, directory_id, now_ms)
            separate = find_split_click_state(config, connection, directory_id, now_ms)
        reasons += [] if split is None else [split]
    except SQLAlchemyError as fault:
        reasons.append(f"the SQL database cannot be read: {first_line(fault)}")
    if projector is not None:
        lags |= projector.lag()
        if lags["projector"] > STALLED_SECONDS:
            reasons.append(f"the projector has been stalled for {lags['projector']:.0f} s")
        if not find_full_disks(config):  # which says why its duties fail
            reasons += [f"the projector's duty {name!r} fails again and again" for name in projector.failing()]
        warnings += _find_backlog(projector, lags["journal"])
    late: str | None = None
    if copier is not None:
        lags["journal_copy"] = copier.lag()
        if lags["journal_copy"] > LATE_COPY_SECONDS:
            late = f"journals have not been copied to the bucket for {lags['journal_copy']:.0f} s"
    warnings += [sentence for sentence in (warning, separate, late) if sentence is not None]
    if stores is not None and not stores()["analytics"]:
        warnings.append("the analytic store does not answer: reports are refused, and clicks are loaded later")
    return Readiness((*local_reasons(config), *reasons), tuple(warnings), lags)


def _find_backlog(projector: "Projector", lag_s: float) -> list[str]:
    """Return a sentence about journalled clicks that will not be loaded within seconds."""
    from trackyard.jobs.loading.projector import BACKLOG_S

    if lag_s <= BACKLOG_S:
        return []
    megabytes = projector.journals.backlog_bytes() // 1_000_000
    return [f"statistics lack the clicks of the last {lag_s:.0f} s: {megabytes} MB of journals are being loaded"]


def machine_status_of(config: Config, report: Callable[[], MachineReport]) -> Callable[[], MachineStatus]:
    """Return a function that looks at this machine (docs/spec/platform.md#status). report: its readiness."""
    started_at = SystemClock().now_ms()

    def look() -> MachineStatus:
        found = report()
        disk = disk_space(config.data_dir)
        return MachineStatus(
            version=version("trackyard"),
            started_at=started_at,
            roles=config.roles,
            reasons=found.reasons,
            warnings=found.warnings,
            lags=found.lags,
            disk_free=disk.free,
            disk_total=disk.total,
        )

    return look
