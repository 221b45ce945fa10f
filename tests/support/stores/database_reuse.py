"""PostgreSQL databases that are used again: emptied, which takes a fraction of what a copy takes."""

from typing import Any

from sqlalchemy import Connection, Engine, create_engine

_LOOK = """
SELECT md5(string_agg(said, ',' ORDER BY said)) FROM (
  SELECT concat_ws(' ', oid, relname, relkind, relchecks) FROM pg_class WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', attrelid, attnum, attname, atttypid, atttypmod, attnotnull, attisdropped, atthasdef)
    FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid WHERE relnamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'constraint', oid, convalidated) FROM pg_constraint
  UNION ALL SELECT concat_ws(' ', 'default', oid) FROM pg_attrdef
  UNION ALL SELECT concat_ws(' ', 'trigger', oid, tgenabled) FROM pg_trigger
  UNION ALL SELECT concat_ws(' ', 'function', oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
  UNION ALL SELECT concat_ws(' ', 'schema', oid) FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp_'
) AS declared (said)
"""
"""All that is declared in a database, as one text; in a copy it is the same."""

_LEAVE = """
SELECT coalesce(bool_and(pg_terminate_backend(pid, 10000)), true) FROM pg_stat_activity
WHERE datname = current_database() AND pid != pg_backend_pid() AND backend_type = 'client backend'
"""
_TABLES = "SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind = 'r' ORDER BY relname"
_COUNTED = "SELECT sequencename FROM pg_sequences WHERE last_value IS NOT NULL ORDER BY sequencename"


class DatabaseTemplate:
    """What a migrated database holds, and how another copy of it becomes that again."""

    def __init__(self, url: str) -> None:
        engine = _engine(url)
        with engine.connect() as connection:
            self._declared = _one(connection, _LOOK)
            tables = _all(connection, _TABLES)
            looks = (f"SELECT '{name}' WHERE EXISTS (SELECT FROM \"{name}\")" for name in tables)
            self._filled = " UNION ALL ".join(looks)
            self._rows = [(name, row) for name in _all(connection, self._filled) for row in _rows(connection, name)]
            assert _all(connection, _COUNTED) == [], "a number was given out by a migration"
        engine.dispose()
        self._engines: dict[str, Engine] = {}

    def restore(self, url: str) -> bool:
        """Empties a copy; whether it is as it was made then: rows are undone, and nothing else is."""
        with self._engines.setdefault(url, _engine(url)).connect() as connection:
            if not _one(connection, _LEAVE) or _one(connection, _LOOK) != self._declared:
                return False
            if filled := _all(connection, self._filled):
                named = ", ".join(f'"{name}"' for name in filled)
                connection.exec_driver_sql(f"TRUNCATE {named} RESTART IDENTITY CASCADE")
            for name in _all(connection, _COUNTED):  # for rows that were removed again
                connection.exec_driver_sql(f'ALTER SEQUENCE "{name}" RESTART')
            for name, row in self._rows:
                columns, places = ", ".join(f'"{key}"' for key in row), ", ".join("%s" for _ in row)
                sql = f'INSERT INTO "{name}" ({columns}) VALUES ({places})'
                connection.exec_driver_sql(sql, tuple(row.values()))
            return True

    def forget(self, url: str) -> None:
        """A copy is gone."""
        if url in self._engines:
            self._engines.pop(url).dispose()

    def close(self) -> None:
        """Gives every connection back."""
        for url in list(self._engines):
            self.forget(url)


def _engine(url: str) -> Engine:
    return create_engine(url, isolation_level="AUTOCOMMIT", pool_size=1)


def _rows(connection: Connection, table: str) -> list[dict[str, Any]]:
    return [dict(row) for row in connection.exec_driver_sql(f'SELECT * FROM "{table}"').mappings()]


def _one(connection: Connection, sql: str) -> Any:
    return connection.exec_driver_sql(sql).scalar_one()


def _all(connection: Connection, sql: str) -> list[str]:
    return list(connection.exec_driver_sql(sql).scalars())
