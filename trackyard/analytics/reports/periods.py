"""The period of the records in the analytic store."""

from dataclasses import dataclass
from typing import Final

from trackyard.analytics.engine.connection import Analytics

_TABLES: Final = ("click", "view", "fact", "server_log", "affiliate_log")


@dataclass(frozen=True, slots=True)
class RecordCount:
    """The records of a table. last: the time of the newest, UTC ms; None without records."""

    count: int
    last: int | None


def count_records(analytics: Analytics) -> dict[str, RecordCount]:
    """Return the records of each table with times, by its name. Raises ReportTooHeavy.

    The engine answers from the bounds of its parts and reads no rows.
    """
    each = " UNION ALL ".join(f"SELECT '{name}' AS t, count() AS n, max(time) AS b FROM `{name}`" for name in _TABLES)
    found = analytics.rows(each, {}, tuple[str, int, int])
    return {name: RecordCount(count, last if count else None) for name, count, last in found}


def find_record_period(analytics: Analytics) -> tuple[int, int] | None:
    """Return the times of the first and last record, UTC ms; None without records.

    The engine answers from the bounds of its parts and reads no rows. Raises ReportTooHeavy.
    """
    each = " UNION ALL ".join(f"SELECT count() AS n, min(time) AS a, max(time) AS b FROM `{name}`" for name in _TABLES)
    sql = f"SELECT sum(n), minIf(a, n > 0), maxIf(b, n > 0) FROM ({each})"
    [(count, first, last)] = analytics.rows(sql, {}, tuple[int, int, int])
    return (first, last) if count else None
