"""Which staff user acts, for the audit log (docs/spec/platform.md#audit-log)."""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Final

SYSTEM_ACTOR: Final = "system"
"""Who acts where time alone brings a change about."""


@dataclass(frozen=True, slots=True)
class AuditActor:
    """A call of a staff user. staff_id: 24 hex digits, or SYSTEM · method: the endpoint's id, or the job's · at: UTC
    ms."""

    staff_id: str
    method: str
    request_id: str
    at: int


current_actor: ContextVar[AuditActor | None] = ContextVar("acting", default=None)
"""The staff user's call being served in this context, or the job; None outside of one: what affiliates write, and what
follows from calls, is not in the audit log."""


@contextmanager
def act_as_system(job: str, now_ms: int) -> Iterator[None]:
    """What the block writes is in the audit log as done by the system. job: its name."""
    token = current_actor.set(AuditActor(SYSTEM_ACTOR, f"job:{job}", "", now_ms))
    try:
        yield
    finally:
        current_actor.reset(token)
