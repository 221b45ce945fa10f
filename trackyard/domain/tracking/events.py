"""Outbound events: every kind of request that is queued in `delivery`. Pure.

docs/spec/postbacks.md#delivery
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class EventKind(StrEnum):
    """What a delivery reports; stored with it."""

    POSTBACK = "postback"
    CROSS_POSTBACK = "cross"


class DeliveryOutcome(StrEnum):
    """The result of an attempt, as in the affiliate postback log; `parked` is not logged."""

    SENT = "sent"
    FAILED = "failed"
    DEAD = "dead"
    SUPERSEDED = "superseded"
    DROPPED = "dropped"
    PARKED = "parked"


@dataclass(frozen=True, slots=True)
class OutboundEvent:
    """How deliveries of one kind are made, in order of their sequence.

    is_retried: by the schedule of retries.
    pauses: requests that end dead in a row pause the postback.
    is_logged: attempts are in the affiliate postback log.
    """

    is_retried: bool = True
    pauses: bool = False
    is_logged: bool = True


EVENTS: Final[Mapping[EventKind, OutboundEvent]] = {
    EventKind.POSTBACK: OutboundEvent(pauses=True),
    EventKind.CROSS_POSTBACK: OutboundEvent(),
}
"""Every kind of event; a new one is a row here and the action that adds its delivery.

Parallel tracking and trials are made at most once and are not queued here."""

DEFAULT_RETRY_SECONDS: Final = (5, 60, 600, 3_600, 21_600)
"""Seconds from a failed attempt to the next one. After the last one the delivery is dead."""
