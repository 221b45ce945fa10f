"""Messages of staff to affiliates (docs/spec/messages.md#messages-to-affiliates)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from trackyard.domain.people.affiliates import AffiliateFilter, AffiliateStatus

LONGEST_TEXT: Final = 10_000
MOST_NAMED: Final = 1_000
"""Affiliates, offers or managers that one message may name."""
MOST_AN_HOUR: Final = 20
"""Messages that one staff user may send within an hour."""


class MessageState(StrEnum):
    """How far a message is.

    DRAFT: it is written. PLANNED: it waits for its time. SENDING: people get it now. SENT: all have it.
    CANCELLED: it is not sent, or not to the rest.
    """

    DRAFT = "draft"
    PLANNED = "planned"
    SENDING = "sending"
    SENT = "sent"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class MessageAudience:
    """The affiliates that a message is for. All conditions must hold; an empty one always holds.

    affiliates, offers, tags, countries, managers, statuses: any of the values. offers: that it is connected to.
    Without statuses only active affiliates are meant.
    """

    affiliates: tuple[int, ...] = ()
    offers: tuple[int, ...] = ()
    tags: tuple[str, ...] = ()
    countries: tuple[str, ...] = ()
    managers: tuple[str, ...] = ()
    statuses: tuple[AffiliateStatus, ...] = ()

    @classmethod
    def read(cls, stored: Mapping[str, Any]) -> "MessageAudience":
        """Return an audience from JSON."""
        named = {name: tuple(values) for name, values in stored.items()}
        return cls(**named | {"statuses": tuple(AffiliateStatus(each) for each in stored.get("statuses", ()))})

    @property
    def criteria(self) -> AffiliateFilter:
        """Return the conditions, without the one for offers."""
        return AffiliateFilter(
            ids=self.affiliates,
            statuses=self.statuses or (AffiliateStatus.ACTIVE,),
            managers=self.managers,
            countries=self.countries,
            tags=self.tags,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """A message to affiliates.

    author: the id of the staff user. text: `{name}` becomes the name of the person.
    send_at: when it is due; planned_at: when that was decided; sent_at: when all had it. UTC milliseconds.
    cursor: the last affiliate that has it. people: how many accounts have it; mails: how many mails were queued.
    reason: why it was not sent to the rest. event_id: the event of its sending, "" before.
    """

    id: str
    author: str
    title: str
    text: str
    audience: MessageAudience = field(default_factory=MessageAudience)
    state: MessageState = MessageState.DRAFT
    send_at: int | None = None
    planned_at: int | None = None
    sent_at: int | None = None
    cursor: int = 0
    people: int = 0
    mails: int = 0
    reason: str = ""
    event_id: str = ""
    created_at: int
    updated_at: int


@dataclass(frozen=True, slots=True)
class ReceivedMessage:
    """A message as one of its people has it. sent_at: UTC milliseconds."""

    id: str
    title: str
    text: str
    sent_at: int
    is_read: bool
