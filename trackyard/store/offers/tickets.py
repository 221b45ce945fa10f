"""Tickets: requests of affiliates to join offers (docs/api/tickets.md)."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Final

from sqlalchemy import ColumnElement, Connection, insert, select, update

from trackyard.domain.people.scope import Scope
from trackyard.store.engine.dialect import read_page
from trackyard.store.engine.in_lists import among
from trackyard.store.engine.search import ids_with_part
from trackyard.store.offers.lists import OfferPostback
from trackyard.store.tables import affiliate, affiliate_postback, connection, ticket

OPEN: Final = "open"
CLOSED: Final = "closed"
APPROVE: Final = "approve"
REJECT: Final = "reject"


@dataclass(frozen=True, slots=True, kw_only=True)
class NewTicket:
    """What a new row holds. status: OPEN or CLOSED · decision: APPROVE or REJECT, None while it is open · decided_by:
    a staff user's id, None when the platform did it · times UTC ms."""

    status: str
    affiliate_id: int
    offer_id: int
    title: str
    description: str
    created_at: int
    updated_at: int
    decision: str | None = None
    decided_by: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Ticket(NewTicket):
    """A row of the table."""

    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TicketFilter:
    """Which tickets; all conditions must hold, an empty one asks nothing. In each list any value matches. part: of the
    title or description, or the id · manager_ids: of the affiliate's manager."""

    statuses: tuple[str, ...] = ()
    affiliate_ids: tuple[int, ...] = ()
    offer_ids: tuple[int, ...] = ()
    manager_ids: tuple[str, ...] = ()
    part: str = ""

    def conditions(self) -> list[ColumnElement[bool]]:
        """Return all of them but `part`."""
        columns = ticket.c
        lists = ((columns.status, self.statuses), (columns.affiliate_id, self.affiliate_ids))
        found: list[ColumnElement[bool]] = [
            column.in_(values) for column, values in (*lists, (columns.offer_id, self.offer_ids)) if values
        ]
        if self.manager_ids:
            managed = select(affiliate.c.id).where(affiliate.c.manager_id.in_(self.manager_ids))
            found.append(columns.affiliate_id.in_(managed))
        return found


def add_ticket(conn: Connection, new: NewTicket) -> int:
    """Stores a new one; its id."""
    values = {name: getattr(new, name) for name in NewTicket.__dataclass_fields__}
    return int(conn.execute(insert(ticket).values(**values).returning(ticket.c.id)).scalar_one())


def find_ticket(conn: Connection, scope: Scope, ticket_id: int, *, lock: bool = False) -> Ticket | None:
    """The ticket of an id; None when there is none of an affiliate in scope. `lock`: nobody else changes it until
    this transaction ends."""
    statement = select(ticket).where(ticket.c.id == ticket_id)
    row = conn.execute(statement.with_for_update() if lock else statement).one_or_none()
    return None if row is None or not scope.has_affiliate(row.affiliate_id) else Ticket(**row._mapping)


def find_open_ticket(conn: Connection, affiliate_id: int, offer_id: int) -> int | None:
    """The id of the open ticket of an affiliate for an offer."""
    pair = ticket.c.affiliate_id == affiliate_id, ticket.c.offer_id == offer_id
    return conn.execute(select(ticket.c.id).where(*pair, ticket.c.status == OPEN).limit(1)).scalar_one_or_none()


def list_tickets(
    conn: Connection, scope: Scope, criteria: TicketFilter, *, page: int, limit: int
) -> tuple[list[Ticket], int]:
    """A page of the tickets in scope, newest first, and how many there are."""
    conditions = criteria.conditions()
    if scope.affiliate_ids is not None:
        conditions.append(ticket.c.affiliate_id.in_(scope.affiliate_ids))
    values: dict[str, Any] = {}
    if criteria.part.strip():
        texts = (ticket.c.title, ticket.c.description)
        values["found"] = ids_with_part(conn, ticket.c.id, texts, criteria.part, conditions)
        conditions.append(among(ticket.c.id, "found"))
    query = select(ticket).where(*conditions).order_by(ticket.c.id.desc())
    rows, total = read_page(conn, query, page, limit, values)
    return [Ticket(**row._mapping) for row in rows], total


def close_ticket(conn: Connection, ticket_id: int, decision: str, staff_id: str, now_ms: int) -> None:
    """Closes an open ticket."""
    values = {"status": CLOSED, "decision": decision, "decided_by": staff_id, "updated_at": now_ms}
    conn.execute(update(ticket).where(ticket.c.id == ticket_id).values(**values))


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
