"""Tickets: requests of affiliates to join offers, and their questions (docs/api/tickets.md)."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MOST_ANSWERS: Final = 50
"""Answers that a ticket takes."""
MOST_OPEN_QUESTIONS: Final = 20
"""Open questions that an affiliate may have."""


class TicketStatus(StrEnum):
    """The status of a ticket; an open one waits for a decision, a question for its end."""

    OPEN = "open"
    CLOSED = "closed"


class TicketType(StrEnum):
    """The type of a ticket."""

    OFFER = "offer"
    SMARTLINK = "smartlink_request"
    COMMON = "common"
    FINANCIAL = "financial"
    TECHNICAL = "technical"


QUESTIONS: Final = (TicketType.COMMON, TicketType.FINANCIAL, TicketType.TECHNICAL)
"""The types of tickets that ask for nothing to join: staff answer and close them."""


class TicketDecision(StrEnum):
    """The decision of staff on a ticket."""

    APPROVE = "approve"
    REJECT = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketReply:
    """What a staff user wrote to the affiliate without deciding. created_at: UTC ms."""

    text: str
    staff_id: str
    created_at: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket:
    """A request to join an offer, or the offers of a SmartLink, or a question. Times are UTC ms.

    id: 0 = not stored yet
    offer_id: None for a question
    decision: None while the ticket is open, and for a question
    reason: why the request was rejected, shown to the affiliate
    decided_by: id of the staff user who decided, or who closed a question; None = the platform decided
    smartlink_id: None = the request is for the offer; else the offer belongs to the SmartLink
    answers: staff's answers, oldest first
    """

    id: int = 0
    status: TicketStatus
    affiliate_id: int
    offer_id: int | None
    title: str
    description: str
    created_at: int
    updated_at: int
    decision: TicketDecision | None = None
    decided_by: str | None = None
    reason: str = ""
    smartlink_id: str | None = None
    answers: tuple[TicketReply, ...] = ()
    type: TicketType = TicketType.OFFER


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFilter:
    """The filters of a list. All conditions must hold; an empty one selects all.

    part: a part of the title or description, or the id.
    manager_ids: the managers of the affiliate.
    """

    statuses: tuple[TicketStatus, ...] = ()
    affiliate_ids: tuple[int, ...] = ()
    offer_ids: tuple[int, ...] = ()
    manager_ids: tuple[str, ...] = ()
    part: str = ""
    types: tuple[TicketType, ...] = ()
