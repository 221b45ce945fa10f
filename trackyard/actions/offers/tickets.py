"""Tickets: affiliates ask to join offers, staff decide; affiliates ask questions, staff answer.

docs/api/tickets.md, docs/spec/platform.md#connection-requests, docs/spec/platform.md#questions.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import Enum

from trackyard.actions.deps import Deps
from trackyard.actions.events.publishing import publish
from trackyard.actions.offers.lists import RelatedRecords, shared_related_records
from trackyard.actions.people.affiliates import AffiliateRecord, nested_records
from trackyard.actions.people.scope import scope_of
from trackyard.base.errors import BadInput, Conflict, required
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.categories import SmartLink
from trackyard.domain.offers.choices import Privacy
from trackyard.domain.offers.lists import ListedOffer
from trackyard.domain.offers.offers import Offer
from trackyard.domain.offers.tickets import (
    MOST_ANSWERS,
    MOST_OPEN_QUESTIONS,
    QUESTIONS,
    Ticket,
    TicketDecision,
    TicketFilter,
    TicketReply,
    TicketStatus,
    TicketType,
)
from trackyard.domain.people.callers import Access, AffiliateCaller
from trackyard.domain.people.scope import Scope
from trackyard.domain.platform.mails.values import MailedOffer
from trackyard.store.engine.database import Connection
from trackyard.store.offers import connections, offers, smartlinks, tickets
from trackyard.store.offers import lists as offer_lists
from trackyard.store.people import affiliates, blacklist
from trackyard.store.tracking import rulesets


class JoinOutcome(Enum):
    """The outcome of a request to join an offer."""

    CONNECTED = "connected"
    ALREADY_CONNECTED = "connected before"
    TICKET_OPENED = "a ticket is open"
    TICKET_EXISTS = "a ticket was open before"


@dataclass(frozen=True, slots=True)
class TicketRecord:
    """A ticket with its affiliate, its offer, and the records that the affiliate's view of it mentions.

    offer: None for a question.
    smartlink: the requested SmartLink; None = none is requested, or it was removed.
    """

    ticket: Ticket
    affiliate: AffiliateRecord
    offer: ListedOffer | None
    related: RelatedRecords
    smartlink: SmartLink | None = None


def request_to_join(deps: Deps, access: Access, pid: int | None, offer_id: int, comment: str) -> JoinOutcome:
    """Request that an affiliate (the caller, or one that staff choose) joins an offer.

    A public offer, or one that connects on first sight, connects at once, with a closed ticket, unless staff had
    disconnected the affiliate. A pair has one open ticket: a repeat changes nothing.
    Raises BadInput for an offer that the affiliate does not see.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        affiliate_id = _lock_affiliate(conn, access, pid)
        offer = _known_offer(conn, affiliate_id, offer_id)
        link = connections.connection_states(conn, affiliate_id, [offer.id]).get(offer.id)
        if link:
            return JoinOutcome.ALREADY_CONNECTED
        if tickets.find_open_ticket(conn, affiliate_id, offer_id=offer.id) is not None:
            return JoinOutcome.TICKET_EXISTS
        new_ticket = Ticket(
            status=TicketStatus.OPEN,
            affiliate_id=affiliate_id,
            offer_id=offer.id,
            title=str(MailedOffer(offer.id, offer.title)),
            description=comment,
            created_at=now,
            updated_at=now,
        )
        if link is None and (offer.privacy == Privacy.PUBLIC or offer.auto_offer_connect):
            tickets.add_ticket(conn, replace(new_ticket, status=TicketStatus.CLOSED, decision=TicketDecision.APPROVE))
            _connect(conn, affiliate_id, offer.id, now)
            return JoinOutcome.CONNECTED
        _publish_request(conn, new_ticket, tickets.add_ticket(conn, new_ticket))
        return JoinOutcome.TICKET_OPENED


def request_smartlink(deps: Deps, access: Access, pid: int | None, smartlink_id: str, comment: str) -> JoinOutcome:
    """Request that an affiliate (the caller, or one that staff choose) joins the offers of a SmartLink.

    One that is connected to all of them needs no ticket. A pair has one open ticket: a repeat changes nothing.
    Raises BadInput for a SmartLink that does not exist or has no offer.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        affiliate_id = _lock_affiliate(conn, access, pid)
        found = smartlinks.find_smartlink(conn, smartlink_id)
        offer_ids = smartlinks.offers_of(conn, smartlink_id)
        if found is None or not offer_ids:
            raise BadInput({"smartlink_id": [f"A SmartLink {smartlink_id} with offers does not exist."]})
        links = connections.connection_states(conn, affiliate_id, offer_ids)
        if all(links.get(offer_id) for offer_id in offer_ids):
            return JoinOutcome.ALREADY_CONNECTED
        if tickets.find_open_ticket(conn, affiliate_id, smartlink_id=found.id) is not None:
            return JoinOutcome.TICKET_EXISTS
        new_ticket = Ticket(
            status=TicketStatus.OPEN,
            affiliate_id=affiliate_id,
            offer_id=offer_ids[0],
            smartlink_id=found.id,
            type=TicketType.SMARTLINK,
            title=found.name,
            description=comment,
            created_at=now,
            updated_at=now,
        )
        _publish_request(conn, new_ticket, tickets.add_ticket(conn, new_ticket))
        return JoinOutcome.TICKET_OPENED


def ask_question(deps: Deps, access: Access, asked: TicketType, title: str, text: str) -> Ticket:
    """Open a ticket with a question of the calling affiliate, and return it.

    asked: one of QUESTIONS. Raises Conflict when too many of the affiliate's questions are open.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        affiliate_id = _lock_affiliate(conn, access, None)
        if tickets.count_open_questions(conn, affiliate_id) >= MOST_OPEN_QUESTIONS:
            fault = f"You have {MOST_OPEN_QUESTIONS} open questions. Wait until staff close one, then ask again."
            raise Conflict({"text": [fault]})
        new = Ticket(
            status=TicketStatus.OPEN,
            affiliate_id=affiliate_id,
            offer_id=None,
            type=asked,
            title=title,
            description=text,
            created_at=now,
            updated_at=now,
        )
        made = replace(new, id=tickets.add_ticket(conn, new))
        told = {"title": title, "text": text, "affiliate": _name_of(conn, affiliate_id)}
        publish(conn, EventKind.QUESTION_OPENED, now, Concerned(made.id, affiliate_id), **told)
        return made


def list_tickets(
    deps: Deps, access: Access, chosen: TicketFilter, *, page: int, limit: int
) -> tuple[list[TicketRecord], int]:
    """Return a page of tickets in scope, newest first, and the total, in a constant number of statements."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        found, total = tickets.list_tickets(conn, scope, chosen, page=page, limit=limit)
        return _records(deps, conn, found), total


def count_tickets(deps: Deps, access: Access, chosen: TicketFilter) -> int:
    """Return the number of tickets in scope."""
    with deps.database.read() as conn:
        return tickets.count_tickets(conn, scope_of(conn, access), chosen)


def get_ticket(deps: Deps, access: Access, ticket_id: int) -> TicketRecord:
    """Return the ticket of an id. Raises NotFound."""
    with deps.database.read() as conn:
        found = tickets.find_ticket(conn, scope_of(conn, access), ticket_id)
        [record] = _records(deps, conn, [required(found)])
        return record


def get_plain_ticket(deps: Deps, access: Access, ticket_id: int) -> Ticket:
    """Return the bare ticket of an id. Raises NotFound."""
    with deps.database.read() as conn:
        found = tickets.find_ticket(conn, scope_of(conn, access), ticket_id)
    return required(found)


def decide_ticket(
    deps: Deps, access: Access, ticket_id: int, *, approve: bool, reason: str = "", of_smartlink: bool = False
) -> None:
    """Close an open ticket, connect an approved affiliate, and mail it.

    reason: the reason for a rejection; the affiliate sees it. of_smartlink: whether the ticket must request a
    SmartLink. Raises NotFound, and Conflict for a decided ticket, a ticket of the other kind, or the approval of a
    removed offer or SmartLink.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _lock_open(conn, access, ticket_id)
        wanted = TicketType.SMARTLINK if of_smartlink else TicketType.OFFER
        if found.type != wanted:
            raise _other_method(found)
        joined = _offers_to_join(conn, found)
        if approve and not joined:
            removed = f"The SmartLink of the ticket {ticket_id}" if of_smartlink else f"The offer {found.offer_id}"
            raise Conflict({"id": [f"{removed} was removed."]})
        decision = TicketDecision.APPROVE if approve else TicketDecision.REJECT
        tickets.close_ticket(conn, found.id, decision, str(access.caller.id), reason, now)
        if approve:
            for offer_id in joined:
                _connect(conn, found.affiliate_id, offer_id, now)
        _publish_decision(conn, found, approve=approve, reason=reason, now=now)


def answer_ticket(deps: Deps, access: Access, ticket_id: int, text: str) -> None:
    """Answer an open ticket without deciding it, and mail the affiliate.

    Raises NotFound, and Conflict for a closed ticket and one with too many answers.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _lock_open(conn, access, ticket_id)
        is_question = found.type in QUESTIONS
        if len(found.answers) >= MOST_ANSWERS:
            rest = "close" if is_question else "decide"
            raise Conflict({"id": [f"The ticket {ticket_id} has {MOST_ANSWERS} answers: {rest} it."]})
        new = TicketReply(text=text, staff_id=str(access.caller.id), created_at=now)
        tickets.add_answer(conn, found, new)
        concerned = Concerned(found.id, found.affiliate_id, offer_id=found.offer_id)
        if is_question:
            publish(conn, EventKind.QUESTION_ANSWERED, now, concerned, offer=_label(conn, found), answer=text)
        else:
            offer = _label(conn, found)
            publish(conn, EventKind.REQUEST_ANSWERED, now, concerned, offer=offer, answer=text)


def close_question(deps: Deps, access: Access, ticket_id: int) -> None:
    """Close an open question, which has no decision.

    Raises NotFound, and Conflict for a closed ticket and a request to join.
    """
    now = deps.clock.now_ms()
    with deps.database.write() as conn:
        found = _lock_open(conn, access, ticket_id)
        if found.type not in QUESTIONS:
            raise _other_method(found)
        tickets.close_ticket(conn, found.id, None, str(access.caller.id), "", now)


def _lock_open(conn: Connection, access: Access, ticket_id: int) -> Ticket:
    """Return an open ticket in scope and lock it. Raises NotFound, and Conflict for a closed one."""
    found = required(tickets.find_ticket(conn, scope_of(conn, access), ticket_id, lock=True))
    if found.status != TicketStatus.OPEN:
        state = "closed" if found.type in QUESTIONS else "decided"
        raise Conflict({"id": [f"The ticket {ticket_id} is {state}."]})
    return found


def _other_method(found: Ticket) -> Conflict:
    """Return the refusal of a method that ends tickets of another type."""
    asked, method = {
        TicketType.OFFER: ("asks for an offer", "offer"),
        TicketType.SMARTLINK: ("asks for a SmartLink", "smartlink"),
    }.get(found.type, ("is a question", "close"))
    return Conflict({"id": [f"The ticket {found.id} {asked}: use /admin/ticket/{found.id}/{method}."]})


def _offers_to_join(conn: Connection, ticket: Ticket) -> list[int]:
    """Return the current offers of a ticket; none when they were removed."""
    if ticket.offer_id is None:
        return []
    if ticket.smartlink_id is None:
        exists = offers.find_offer(conn, Scope.everything(), ticket.offer_id) is not None
        return [ticket.offer_id] if exists else []
    if smartlinks.find_smartlink(conn, ticket.smartlink_id) is None:
        return []
    return smartlinks.offers_of(conn, ticket.smartlink_id)


def _lock_affiliate(conn: Connection, access: Access, pid: int | None) -> int:
    """Return the affiliate of a request and lock it: concurrent requests make one ticket."""
    applicant_id = access.caller.id if isinstance(access.caller, AffiliateCaller) else pid
    scope = scope_of(conn, access)
    if applicant_id is None or affiliates.find_affiliate(conn, scope, applicant_id, lock=True) is None:
        raise BadInput({"pid": [f"An affiliate {pid} does not exist."]})
    return applicant_id


def _known_offer(conn: Connection, affiliate_id: int, offer_id: int) -> Offer:
    """Return an offer that the affiliate sees. Raises BadInput.

    One that it does not see runs the statements of a missing one.
    """
    found = offers.find_offer(conn, Scope.everything(), offer_id)
    is_visible = offers.is_visible(conn, offer_id, affiliate_id)
    if found is None or not is_visible:
        raise BadInput({"offer_id": [f"An offer {offer_id} does not exist."]})
    return found


def _connect(conn: Connection, affiliate_id: int, offer_id: int, now: int) -> None:
    connections.connect(conn, affiliate_id, [offer_id], now)
    rulesets.touch(conn, "connections", offer_id)


def _publish_request(conn: Connection, new: Ticket, ticket_id: int) -> None:
    """Publish that an affiliate requests an offer or a SmartLink."""
    publish(
        conn,
        EventKind.REQUEST_OPENED,
        new.created_at,
        Concerned(ticket_id, new.affiliate_id, offer_id=new.offer_id),
        affiliate=_name_of(conn, new.affiliate_id),
        offer=_label(conn, new),
        text=new.description,
    )


def _publish_decision(conn: Connection, ticket: Ticket, *, approve: bool, reason: str, now: int) -> None:
    """Publish the decision about a request."""
    kind = EventKind.REQUEST_APPROVED if approve else EventKind.REQUEST_REJECTED
    concerned = Concerned(ticket.id, ticket.affiliate_id, offer_id=ticket.offer_id)
    publish(conn, kind, now, concerned, offer=_label(conn, ticket), reason=reason)


def _name_of(conn: Connection, affiliate_id: int) -> str:
    found = affiliates.names_of(conn, [affiliate_id])[affiliate_id]
    return found.name or found.login


def _label(conn: Connection, ticket: Ticket) -> MailedOffer | str:
    """Return the subject of a ticket for mails."""
    if ticket.smartlink_id is not None or ticket.offer_id is None:
        return ticket.title
    return MailedOffer(ticket.offer_id, offers.names_of(conn, [ticket.offer_id])[ticket.offer_id].title)


def _records(deps: Deps, conn: Connection, found: Sequence[Ticket]) -> list[TicketRecord]:
    affiliate_ids = {ticket.affiliate_id for ticket in found}
    offer_ids = sorted({ticket.offer_id for ticket in found if ticket.offer_id is not None})
    people = nested_records(deps, conn, affiliate_ids)
    listed = {item.offer.id: item for item in offer_lists.list_by_ids(conn, offer_ids)}
    general = shared_related_records(conn, list(listed.values()))
    links = connections.connections_among(conn, affiliate_ids, offer_ids)
    blocked = blacklist.advertisers_of(conn, affiliate_ids)
    postbacks = connections.postbacks_among(conn, affiliate_ids, offer_ids)
    asked = {ticket.smartlink_id for ticket in found if ticket.smartlink_id is not None}
    by_id = {each.id: each for each in smartlinks.list_smartlinks(conn, asked)} if asked else {}
    return [
        TicketRecord(
            ticket=ticket,
            affiliate=people[ticket.affiliate_id],
            offer=None if ticket.offer_id is None else listed[ticket.offer_id],
            smartlink=by_id.get(ticket.smartlink_id or ""),
            related=replace(
                general,
                connected=links.get(ticket.affiliate_id, {}),
                postbacks=postbacks.get(ticket.affiliate_id, {}),
                blocked_by=blocked.get(ticket.affiliate_id, frozenset()),
            ),
        )
        for ticket in found
    ]
