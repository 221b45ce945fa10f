"""Which staff user acts, for the audit log (behaviour.md §9)."""

from contextvars import ContextVar
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Acting:
    """A call of a staff user. staff_id: 24 hex digits · method: the endpoint's id · at: UTC ms."""

    staff_id: str
    method: str
    request_id: str
    at: int


acting: ContextVar[Acting | None] = ContextVar("acting", default=None)
"""The staff user's call being served in this context; None outside of one: what the program itself writes, and what
affiliates write, is not in the audit log."""
