"""Tickets: requests of affiliates to join offers, and their questions (docs/api/tickets.md)."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, func, select

from trackyard.domain.offers.tickets import (
    QUESTIONS,
    Ticket,
    TicketDecision,
    TicketFilter,
    TicketReply,
    TicketStatus,
    TicketType,
)
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.rows import Rows, in_scope
from trackyard.store.engine.search import part_conditions
from trackyard.store.tables import affiliate, ticket


def _ticket(
    status: str, decision: str | None, answers: Iterable[Mapping[str, Any]], type: str, **values: Any
) -> Ticket:
    return Ticket(
        **values,
        type=TicketType(type),
        status=TicketStatus(status),
        decision=TicketDecision(decision) if decision else None,
        answers=tuple(TicketReply(**each) for each in answers),
    )


_ROWS: Final = Rows[Ticket, int](ticket, _ticket)
add_ticket = _ROWS.add_numbered


def find_ticket(conn: Connection, scope: Scope, ticket_id: int, *, lock: bool = False) -> Ticket | None:
    """Return the ticket of an id, of an affiliate in scope, or None; `lock` works as in `Rows.find`."""
    found = _ROWS.find(conn, ticket_id, lock=lock)
    return found if found is not None and scope.has_affiliate(found.affiliate_id) else None


def find_open_ticket(
    conn: Connection, affiliate_id: int, *, offer_id: int | None = None, smartlink_id: str | None = None
) -> int | None:
    """Return the id of the open ticket of an affiliate for an offer or a SmartLink, or None."""
    columns = ticket.c
    subject = (
        (columns.smartlink_id == smartlink_id,)
        if smartlink_id is not None
        else (columns.offer_id == offer_id, columns.smartlink_id.is_(None))
    )
    pair = columns.affiliate_id == affiliate_id, *subject
    return conn.execute(
        select(ticket.c.id).where(*pair, ticket.c.status == TicketStatus.OPEN).limit(1)
    ).scalar_one_or_none()


def requested_offers(conn: Connection, affiliate_id: int, offer_ids: Sequence[int]) -> frozenset[int]:
    """Return the given offers that an affiliate requests in an open ticket."""
    columns = ticket.c
    asked = select(columns.offer_id).where(
        columns.affiliate_id == affiliate_id,
        columns.offer_id.in_(offer_ids),
        columns.smartlink_id.is_(None),
        columns.status == TicketStatus.OPEN,
    )
    return frozenset(conn.execute(asked).scalars())


def count_open_questions(conn: Connection, affiliate_id: int) -> int:
    """Return how many questions of an affiliate are open."""
    columns = ticket.c
    open_ones = columns.affiliate_id == affiliate_id, columns.status == TicketStatus.OPEN, columns.type.in_(QUESTIONS)
    return conn.execute(select(func.count()).select_from(ticket).where(*open_ones)).scalar_one()


def list_tickets(
    conn: Connection, scope: Scope, criteria: TicketFilter, *, page: int, limit: int
) -> tuple[list[Ticket], int]:
    """Return a page of the tickets in scope, newest first, and the total."""
    conditions = _conditions_in_scope(conn, scope, criteria)
    return _ROWS.read_page(conn, select(ticket).where(*conditions).order_by(ticket.c.id.desc()), page, limit)


def count_tickets(conn: Connection, scope: Scope, criteria: TicketFilter) -> int:
    """Return the number of tickets in scope."""
    conditions = _conditions_in_scope(conn, scope, criteria)
    return conn.execute(select(func.count()).select_from(ticket).where(*conditions)).scalar_one()


def close_ticket(
    conn: Connection, ticket_id: int, decision: TicketDecision | None, staff_id: str, reason: str, now_ms: int
) -> None:
    """Close an open ticket. decision: None for a question. reason: of a rejection."""
    values = {"status": TicketStatus.CLOSED, "decision": decision, "decided_by": staff_id, "updated_at": now_ms}
    _ROWS.edit(conn, ticket_id, values | {"reason": reason})


def add_answer(conn: Connection, found: Ticket, new: TicketReply) -> None:
    """Add an answer to a ticket, which the caller has locked."""
    _ROWS.edit(conn, found.id, {"answers": [asdict(each) for each in (*found.answers, new)]})


def _conditions_in_scope(conn: Connection, scope: Scope, criteria: TicketFilter) -> list[ColumnElement[bool]]:
    conditions = _conditions(criteria) + in_scope(scope, affiliate=ticket.c.affiliate_id)
    texts = (ticket.c.title, ticket.c.description)
    return conditions + part_conditions(conn, ticket.c.id, texts, criteria.part, conditions)


def _conditions(criteria: TicketFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter except `part`."""
    columns = ticket.c
    lists = (
        (columns.status, criteria.statuses),
        (columns.affiliate_id, criteria.affiliate_ids),
        (columns.offer_id, criteria.offer_ids),
        (columns.type, criteria.types),
    )
    found: list[ColumnElement[bool]] = [column.in_(values) for column, values in lists if values]
    if criteria.manager_ids:
        managed = select(affiliate.c.id).where(affiliate.c.manager_id.in_(criteria.manager_ids))
        found.append(columns.affiliate_id.in_(managed))
    return found
