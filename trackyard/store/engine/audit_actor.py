"""The staff user that acts, for the audit log (docs/spec/platform.md#audit-log)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

SYSTEM_ACTOR: Final = "system"
"""The actor of changes that time alone causes."""


@dataclass(frozen=True, slots=True)
class AuditActor:
    """A request of a staff user, or a job.

    staff_id: 24 hex digits, or SYSTEM_ACTOR.
    method: the id of the endpoint or job.
    at: UTC milliseconds.
    """

    staff_id: str
    method: str
    request_id: str
    at: int


current_actor: ContextVar[AuditActor | None] = ContextVar("acting", default=None)
"""The staff user's request in this context, or the job; None outside.

Changes by affiliates, and those that follow from requests, are not in the audit log.
"""


@contextmanager
def act_as_system(job: str, now_ms: int) -> Iterator[None]:
    """Log the changes of the block as those of the system. job: its name."""
    token = current_actor.set(AuditActor(SYSTEM_ACTOR, f"job:{job}", "", now_ms))
    try:
        yield
    finally:
        current_actor.reset(token)
