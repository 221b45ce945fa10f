"""Statuses of a conversion, their numbers and their transitions (docs/spec/conversions.md#statuses)."""

from collections.abc import Mapping
from enum import StrEnum
from typing import Final


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
        """Return the status on the wire and in the analytic store."""
        return STATUS_NUMBERS[self]

    @property
    def shown(self) -> "Status":
        """Return the status as it is shown: pending_cap is pending."""
        return Status.PENDING if self is Status.PENDING_CAP else self

    @property
    def as_sent(self) -> "Status":
        """Return the status that a postback sends for it."""
        return Status.DECLINED if self is Status.NOT_FOUND else self.shown


STATUS_NUMBERS = {
    Status.CONFIRMED: 1,
    Status.PENDING: 2,
    Status.DECLINED: 3,
    Status.NOT_FOUND: 4,
    Status.HOLD: 5,
    Status.PENDING_CAP: 6,
}
STATUSES_BY_NUMBER = {number: status for status, number in STATUS_NUMBERS.items()}


SENT_STATUSES: Final[Mapping[str, Status]] = {
    "": Status.CONFIRMED,
    "1": Status.CONFIRMED,
    "2": Status.PENDING,
    "3": Status.DECLINED,
    "4": Status.DECLINED,
    "5": Status.HOLD,
}
"""Sent status of a postback to its meaning."""


class ChangeOrigin(StrEnum):
    """Who makes or changes a conversion."""

    POSTBACK = "call"
    HOLD_END = "the end of a hold"
    EDIT = "edit"
    IMPORT = "import"


_SET_BY_EDITS: Final = frozenset(Status) - {Status.PENDING_CAP}
_SET_BY_POSTBACKS: Final = _SET_BY_EDITS - {Status.NOT_FOUND}

STATUS_TRANSITIONS: Final[Mapping[ChangeOrigin, Mapping[Status | None, frozenset[Status]]]] = {
    # A postback may repeat that a conversion is pending: another status was sent before.
    ChangeOrigin.POSTBACK: {
        None: _SET_BY_POSTBACKS,
        Status.PENDING: _SET_BY_POSTBACKS,
        Status.PENDING_CAP: _SET_BY_POSTBACKS,
        Status.HOLD: frozenset({Status.DECLINED}),
    },
    ChangeOrigin.HOLD_END: {Status.HOLD: frozenset({Status.CONFIRMED})},
    ChangeOrigin.EDIT: {before: _SET_BY_EDITS - {before} for before in Status},
    ChangeOrigin.IMPORT: {None: frozenset(Status)},
}
"""Origin to status before (None = a new conversion) to the allowed statuses after."""


def is_transition_allowed(mover: ChangeOrigin, before: Status | None, after: Status) -> bool:
    """Return whether an origin may change one status to another; before None = it makes the conversion."""
    return after in STATUS_TRANSITIONS[mover].get(before, frozenset())
