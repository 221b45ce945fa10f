"""The period of the records in the analytic store."""

from typing import Final

from trackyard.analytics.engine.connection import Analytics

_TABLES: Final = ("click", "view", "fact", "server_log", "affiliate_log")


def find_record_period(analytics: Analytics) -> tuple[int, int] | None:
    """Return the times of the first and last record, UTC ms; None without records.

    The engine answers from the bounds of its parts and reads no rows. Raises ReportTooHeavy.
    """
    each = " UNION ALL ".join(f"SELECT count() AS n, min(time) AS a, max(time) AS b FROM `{name}`" for name in _TABLES)
    sql = f"SELECT sum(n), minIf(a, n > 0), maxIf(b, n > 0) FROM ({each})"
    [(count, first, last)] = analytics.rows(sql, {}, tuple[int, int, int])
    return (first, last) if count else None
