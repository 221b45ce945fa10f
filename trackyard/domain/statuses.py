"""Statuses of a conversion and their wire numbers (spec: State sets; behaviour.md §5)."""

from enum import StrEnum


class Status(StrEnum):
    """The state of a conversion. `pending_cap` is made by imports only and shown as pending."""

    CONFIRMED = "confirmed"
    PENDING = "pending"
    DECLINED = "declined"
    NOT_FOUND = "not_found"
    HOLD = "hold"
    PENDING_CAP = "pending_cap"

    @property
    def number(self) -> int:
        """The status on the wire and in the analytic store."""
        return NUMBERS[self]

    @property
    def shown(self) -> "Status":
        """How it is told to others: pending_cap is pending."""
        return Status.PENDING if self is Status.PENDING_CAP else self

    @property
    def is_pending(self) -> bool:
        """Whether nothing is decided yet, so that a call may decide it."""
        return self.shown is Status.PENDING


NUMBERS = {
    Status.CONFIRMED: 1,
    Status.PENDING: 2,
    Status.DECLINED: 3,
    Status.NOT_FOUND: 4,
    Status.HOLD: 5,
    Status.PENDING_CAP: 6,
}
BY_NUMBER = {number: status for status, number in NUMBERS.items()}
