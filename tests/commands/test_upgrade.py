"""`trackyard upgrade` backs up, migrates and audits (docs/operating.md#a-new-version)."""

import json
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from click.testing import CliRunner
from sqlalchemy import text

from tests.support.stores.analytic_dumps import restore_dump
from tests.support.stores.analytics import address
from trackyard.actions.backup.last import find_last_backup
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import find_schema, newest_number
from trackyard.base.metrics.version import program_version
from trackyard.commands.main import root
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import check_version, find_program, newest_version, upgrade


@pytest.fixture
def data_dir(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The data directory of an installation of 0.2.0, with clicks."""
    folder = tmp_path / "data"
    (folder / "journal").mkdir(parents=True)
    monkeypatch.setenv("TRACKYARD_DATA_DIR", str(folder))
    monkeypatch.setenv("TRACKYARD_ANALYTICS_URL", address())
    with Database(f"sqlite:///{folder}/trackyard.db") as database:
        upgrade(database, "0005")
    with closing(Analytics.open(address())) as analytics:
        restore_dump(analytics, 6)
        yield folder
        analytics.run("DROP DATABASE trackyard")


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(root, ["upgrade", *arguments])
    return done.exit_code, done.output


def schemas(data_dir: Path) -> tuple[str | None, int]:
    with Database(f"sqlite:///{data_dir}/trackyard.db") as database, closing(Analytics.open(address())) as analytics:
        return check_version(database), find_schema(analytics).number


def test_upgrade_of_an_old_installation_backs_up_migrates_and_audits(data_dir: Path, tmp_path: Path) -> None:
    status, shown = run("--dry-run")
    assert status == 0 and f"0005 → {newest_version()}" in shown and f"6 → {newest_number()}" in shown
    status, shown = run()
    assert status != 0 and "--no-backup" in shown
    assert schemas(data_dir) == ("0005", 6)

    _, shown = run("--backup", str(tmp_path / "kept"), "--json")
    done = json.loads(shown)
    assert done["changed"] and done["differences"] is not None
    assert [path.name for path in (tmp_path / "kept" / "backups").iterdir()] == [done["backup"]]
    assert schemas(data_dir) == (newest_version(), newest_number())
    with Database(f"sqlite:///{data_dir}/trackyard.db") as database:
        assert find_program(database) == program_version()
        last = find_last_backup(database)
        assert last is not None and last.id == done["backup"]
    status, shown = run()
    assert status == 0 and "up to date already" in shown


def test_upgrade_of_a_newer_installation_is_refused(data_dir: Path) -> None:
    with Database(f"sqlite:///{data_dir}/trackyard.db") as database, database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
    status, shown = run("--no-backup")
    assert status != 0 and "9999" in shown and "restore a backup" in shown
    with Database(f"sqlite:///{data_dir}/trackyard.db") as database, database.write() as connection:
        connection.execute(text("UPDATE alembic_version SET version_num = '0005'"))
    assert schemas(data_dir) == ("0005", 6)
