"""The audit log of changes (docs/spec/platform.md#audit-log)."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class AuditRecord:
    """The changes of one API request to one row.

    at: UTC milliseconds.
    what: the table.
    changes: column to [from, to].
    """

    id: str
    at: int
    staff_id: str
    request_id: str
    method: str
    what: str
    key: str
    changes: dict[str, list[Any]]


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """The records of a list; None is any. since, until (exclusive): UTC milliseconds."""

    staff_id: str | None = None
    what: str | None = None
    key: str | None = None
    method: str | None = None
    request_id: str | None = None
    since: int | None = None
    until: int | None = None
