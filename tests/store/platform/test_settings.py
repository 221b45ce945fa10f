"""Settings that two machines write at once."""

from concurrent.futures import ThreadPoolExecutor

from sqlalchemy import text

from tests.support.stores.databases import PostgresServer
from tests.support.stores.shared_statements import open_database
from tests.support.waiting import wait_until
from trackyard.store.engine.schema import find_program, note_program
from trackyard.store.platform.settings import add_default, edit_setting, find_setting

WAITING = text("SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'")


def test_new_setting_that_two_machines_write_at_once_has_the_later_value(postgres: PostgresServer) -> None:
    with postgres.empty_database() as name, ThreadPoolExecutor(2) as pool:
        database, second, third, watcher = (open_database(postgres.url(name)) for _ in range(4))

        def write_later() -> None:
            with second.write() as conn:
                edit_setting(conn, "both", "later")
                add_default(conn, "first", "later")

        def waits() -> int:
            with watcher.read() as conn:
                return int(conn.execute(WAITING).scalar_one())

        with database.write() as conn:
            edit_setting(conn, "both", "earlier")
            add_default(conn, "first", "earlier")
            edit_setting(conn, "program", "an older version")
            waiting = [pool.submit(write_later), pool.submit(note_program, third)]
            wait_until(lambda: waits() == 2, seconds=10)
        for ended in waiting:
            ended.result(10)
        with database.read() as conn:
            assert (find_setting(conn, "both"), find_setting(conn, "first")) == ("later", "earlier")
        assert find_program(database) not in ("", "an older version")
        for each in (database, second, third, watcher):
            each.close()
