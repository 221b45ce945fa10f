"""Tickets: requests of affiliates to join offers (docs/api/tickets.md)."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import asdict
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, insert, select, update

from trackyard.domain.offers.lists import OfferPostback
from trackyard.domain.offers.tickets import Ticket, TicketDecision, TicketFilter, TicketStatus
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.in_lists import among
from trackyard.store.engine.search import ids_with_part
from trackyard.store.tables import affiliate, affiliate_postback, connection, ticket


def add_ticket(conn: Connection, new: Ticket) -> int:
    """Stores a new one; its id."""
    values = asdict(new)
    del values["id"]
    return int(conn.execute(insert(ticket).values(**values).returning(ticket.c.id)).scalar_one())


def find_ticket(conn: Connection, scope: Scope, ticket_id: int, *, lock: bool = False) -> Ticket | None:
    """The ticket of an id; None when there is none of an affiliate in scope. `lock`: nobody else changes it until
    this transaction ends."""
    statement = select(ticket).where(ticket.c.id == ticket_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None or not scope.has_affiliate(row.affiliate_id) else _ticket(row)


def find_open_ticket(conn: Connection, affiliate_id: int, offer_id: int) -> int | None:
    """The id of the open ticket of an affiliate for an offer."""
    pair = ticket.c.affiliate_id == affiliate_id, ticket.c.offer_id == offer_id
    return conn.execute(
        select(ticket.c.id).where(*pair, ticket.c.status == TicketStatus.OPEN).limit(1)
    ).scalar_one_or_none()


def list_tickets(
    conn: Connection, scope: Scope, criteria: TicketFilter, *, page: int, limit: int
) -> tuple[list[Ticket], int]:
    """A page of the tickets in scope, newest first, and how many there are."""
    conditions = _conditions(criteria)
    if scope.affiliate_ids is not None:
        conditions.append(ticket.c.affiliate_id.in_(scope.affiliate_ids))
    values: dict[str, Any] = {}
    if criteria.part.strip():
        texts = (ticket.c.title, ticket.c.description)
        values["found"] = ids_with_part(conn, ticket.c.id, texts, criteria.part, conditions)
        conditions.append(among(ticket.c.id, "found"))
    query = select(ticket).where(*conditions).order_by(ticket.c.id.desc())
    rows, total = read_page(conn, query, page, limit, values)
    return [_ticket(row) for row in rows], total


def close_ticket(conn: Connection, ticket_id: int, decision: TicketDecision, staff_id: str, now_ms: int) -> None:
    """Closes an open ticket."""
    values = {"status": TicketStatus.CLOSED, "decision": decision, "decided_by": staff_id, "updated_at": now_ms}
    conn.execute(update(ticket).where(ticket.c.id == ticket_id).values(**values))


def _ticket(row: Row[Any]) -> Ticket:
    values = dict(row._mapping)
    decision = values.pop("decision")
    status = TicketStatus(values.pop("status"))
    return Ticket(**values, status=status, decision=decision and TicketDecision(decision))


def _conditions(criteria: TicketFilter) -> list[ColumnElement[bool]]:
    """Return the conditions of a filter except `part`."""
    columns = ticket.c
    lists = (
        (columns.status, criteria.statuses),
        (columns.affiliate_id, criteria.affiliate_ids),
        (columns.offer_id, criteria.offer_ids),
    )
    found: list[ColumnElement[bool]] = [column.in_(values) for column, values in lists if values]
    if criteria.manager_ids:
        managed = select(affiliate.c.id).where(affiliate.c.manager_id.in_(criteria.manager_ids))
        found.append(columns.affiliate_id.in_(managed))
    return found


def connections_among(
    conn: Connection, affiliate_ids: Collection[int], offer_ids: Collection[int]
) -> dict[int, dict[int, bool]]:
    """By affiliate and offer whether they are connected; absent where nobody ever decided."""
    columns = connection.c
    rows = conn.execute(
        select(columns.affiliate_id, columns.offer_id, columns.enabled).where(
            columns.affiliate_id.in_(affiliate_ids), columns.offer_id.in_(offer_ids)
        )
    )
    found: dict[int, dict[int, bool]] = defaultdict(dict)
    for row in rows:
        found[row.affiliate_id][row.offer_id] = row.enabled
    return found


def postbacks_among(
    conn: Connection, affiliate_ids: Collection[int], offer_ids: Collection[int]
) -> dict[int, dict[int, list[OfferPostback]]]:
    """By affiliate and offer its postbacks for it, oldest first."""
    columns = affiliate_postback.c
    rows = conn.execute(
        select(columns.affiliate_id, columns.offer_id, columns.id, columns.url, columns.status, columns.goal)
        .add_columns(columns.created_at)
        .where(columns.affiliate_id.in_(affiliate_ids), columns.offer_id.in_(offer_ids))
        .order_by(columns.id)
    )
    found: dict[int, dict[int, list[OfferPostback]]] = defaultdict(lambda: defaultdict(list))
    for affiliate_id, offer_id, *values in rows:
        found[affiliate_id][offer_id].append(OfferPostback(*values))
    return found
