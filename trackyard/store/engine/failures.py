"""Database errors that the API reports in detail."""

import re
import sqlite3


def conflicting_columns(error: Exception) -> tuple[str, ...]:
    """Return the columns of a unique value that another transaction took; () for other errors."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        columns = re.match(r"UNIQUE constraint failed: (.+)", str(cause))
        return tuple(name.rpartition(".")[2] for name in columns[1].split(", ")) if columns else ()
    if getattr(cause, "sqlstate", None) != "23505":
        return ()
    columns = re.search(r"\((.+?)\)=\(", str(getattr(getattr(cause, "diag", None), "message_detail", "")))
    return tuple(columns[1].split(", ")) if columns else ("id",)


def is_disk_full(error: Exception) -> bool:
    """Return whether the database has no space left."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        return cause.sqlite_errorcode == sqlite3.SQLITE_FULL
    return getattr(cause, "sqlstate", None) == "53100"


def is_rolled_back(error: Exception) -> bool:
    """Return whether the server rolled the transaction back because of another one."""
    return str(getattr(getattr(error, "orig", None), "sqlstate", None)).startswith("40")
