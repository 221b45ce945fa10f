"""What failed, where callers of the API can be told more than that something did."""

import re
import sqlite3


def conflicting_columns(error: Exception) -> tuple[str, ...]:
    """The columns of the unique values that another transaction took first; () when that is not what failed."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        columns = re.match(r"UNIQUE constraint failed: (.+)", str(cause))
        return tuple(name.rpartition(".")[2] for name in columns[1].split(", ")) if columns else ()
    if getattr(cause, "sqlstate", None) != "23505":
        return ()
    columns = re.search(r"\((.+?)\)=\(", str(getattr(getattr(cause, "diag", None), "message_detail", "")))
    return tuple(columns[1].split(", ")) if columns else ("id",)


def is_disk_full(error: Exception) -> bool:
    """Whether the database has no space left to write on."""
    cause = getattr(error, "orig", None)
    if isinstance(cause, sqlite3.Error):
        return cause.sqlite_errorcode == sqlite3.SQLITE_FULL
    return getattr(cause, "sqlstate", None) == "53100"


def is_rolled_back(error: Exception) -> bool:
    """Whether the server undid the transaction since another one stood in its way."""
    return str(getattr(getattr(error, "orig", None), "sqlstate", None)).startswith("40")
