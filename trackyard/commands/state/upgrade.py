"""`trackyard upgrade`: back up, migrate, check (docs/operating.md#a-new-version)."""

from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sqlalchemy.exc import SQLAlchemyError

from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.engine.migrations import check_schema, migrate, newest_number
from trackyard.base.clock import SystemClock
from trackyard.base.logs.outages import first_line
from trackyard.base.metrics.version import program_version
from trackyard.commands.failures import CommandFailed
from trackyard.commands.state.backups import BackupWish, audited, back_up
from trackyard.runtime.app import directory_id_of
from trackyard.runtime.exit_codes import PeerRefuses
from trackyard.runtime.server_file import is_server_running
from trackyard.runtime.settings import Config
from trackyard.runtime.start_checks import check_other_versions
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import (
    SchemaUnknown,
    check_version,
    find_program,
    newest_version,
    upgrade_for_start,
)


@dataclass(frozen=True, slots=True)
class UpgradePlan:
    """What an upgrade changes.

    program: the version that used the installation last, "" = one up to 0.2.0. sql, statistics: the schemas now.
    """

    program: str
    sql: str
    statistics: int

    @property
    def has_work(self) -> bool:
        """Return whether a schema changes."""
        return self.sql != newest_version() or self.statistics != newest_number()

    def lines(self) -> Iterator[str]:
        """Yield what a person reads."""
        yield f"Version: {self.program or 'up to 0.2.0'} → {program_version()}"
        yield f"SQL: schema {_change(self.sql, newest_version())}"
        yield f"Statistics: schema {_change(str(self.statistics), str(newest_number()))}"


@dataclass(frozen=True, slots=True)
class UpgradeDone:
    """An upgrade.

    changed: whether it was made. backup: its id. differences: of the audit; None = none was made.
    """

    plan: UpgradePlan
    changed: bool = False
    backup: str = ""
    differences: int | None = None

    def answer(self) -> dict[str, Any]:
        """Return it for programs."""
        return {
            "from": {"version": self.plan.program, "sql": self.plan.sql, "statistics": self.plan.statistics},
            "to": {"version": program_version(), "sql": newest_version(), "statistics": newest_number()},
            "changed": self.changed,
            "backup": self.backup,
            "differences": self.differences,
        }

    def lines(self) -> Iterator[str]:
        """Yield the report."""
        yield from self.plan.lines()
        if self.backup:
            yield f"Backup {self.backup} was made before."
        if self.differences is not None:
            found = "everything adds up" if self.differences == 0 else f"{self.differences:,} differences"
            yield f"Audited: {found}."
        if self.changed:
            yield "The schemas are up to date. Start the server now."
        elif self.plan.has_work:
            yield "Nothing was changed."
        else:
            yield "The schemas are up to date already."


def upgrade_installation(
    config: Config, target: str, key_file: Path | None, *, no_backup: bool, dry_run: bool
) -> UpgradeDone:
    """Upgrade the installation of the settings while no server uses it. Raises CommandFailed.

    target: where the backup before the upgrade is written; "" = no backup is made.
    """
    if not config.data_dir.is_dir():
        raise CommandFailed(f"there is no installation in {config.data_dir}.")
    if is_server_running(config.data_dir):
        raise CommandFailed("the server runs: stop it first, on every machine of the installation.")
    try:
        with Database(config.database_url, pool_size=1) as database:
            _check_machines(config, database)
            plan = _plan(config, database)
            if dry_run or not plan.has_work:
                return UpgradeDone(plan)
            if not target and not no_backup:
                raise CommandFailed(
                    "make a backup first: --backup TARGET makes one, --no-backup says that there is one."
                )
            made = back_up(config, target, key_file, BackupWish()).manifest.id if target else ""
            upgrade_for_start(database)
        with closing(_open(config)) as analytics:
            migrate(analytics)
        return UpgradeDone(plan, changed=True, backup=made, differences=audited(config).count)
    except PeerRefuses as fault:
        raise CommandFailed(str(fault)) from None
    except (SchemaUnknown, StoreError, SQLAlchemyError) as fault:
        raise CommandFailed(f"the upgrade failed: {first_line(fault).removesuffix('.')}.") from None


def _check_machines(config: Config, database: Database) -> None:
    """Raise PeerRefuses while another machine of the installation runs another version."""
    own_id = directory_id_of(config) if (config.data_dir / "directory.id").exists() else ""
    with database.read() as connection:
        check_other_versions(connection, own_id, SystemClock().now_ms())


def _plan(config: Config, database: Database) -> UpgradePlan:
    """Return the present program and schemas.

    Raises SchemaUnknown and StoreError for schemas of a newer program.
    """
    sql = check_version(database)
    if sql is None:
        raise CommandFailed("the SQL database is empty: a first start fills it.")
    with closing(_open(config)) as analytics:
        return UpgradePlan(find_program(database), sql, check_schema(analytics).number)


def _open(config: Config) -> Analytics:
    return Analytics.open(config.analytics_url, cluster=config.analytics_cluster)


def _change(now: str, newest: str) -> str:
    return f"{now}, up to date" if now == newest else f"{now} → {newest}"
