"""Payment systems: the ways in which affiliates are paid (docs/api/payment-systems.md)."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class PaymentSystem:
    """A way to be paid.

    id: given when it is stored.
    currency: the only one that it pays; None is any.
    fields: {id, lang_label, required} each.
    last_field: the highest number that a field ever had.
    created_at, updated_at: UTC milliseconds.
    """

    id: int = 0
    lang_label: str
    currency: str | None
    fields: list[dict[str, Any]]
    last_field: int
    created_at: int
    updated_at: int
