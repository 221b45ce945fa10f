"""Tickets: requests to join offers, and questions (docs/api/tickets.md)."""

from typing import Annotated, Final
from zoneinfo import ZoneInfo

from msgspec.structs import replace

from trackyard.actions.deps import Deps
from trackyard.actions.offers import tickets
from trackyard.actions.offers.lists import OfferPage
from trackyard.actions.offers.tickets import JoinOutcome, TicketRecord
from trackyard.actions.people.affiliates import AffiliateRecord
from trackyard.actions.people.scope import scope_for
from trackyard.api.lookups import in_scope_by_number
from trackyard.api.offers.view import OfferFields
from trackyard.api.offers.view_affiliate import (
    AffiliateOfferView,
    FullAffiliateOfferView,
    ViewContext,
    affiliate_offer_views,
)
from trackyard.api.offers.view_parts import schedule_view
from trackyard.api.paging import Paging
from trackyard.api.people.affiliate_view import AffiliateView, nested_affiliate_view
from trackyard.api.plain_fields import with_fields_of
from trackyard.base.errors import BadInput
from trackyard.base.zones import datetime_text
from trackyard.domain.offers.lists import ListedOffer
from trackyard.domain.offers.offers import OfferSchedule
from trackyard.domain.offers.tickets import QUESTIONS, Ticket, TicketDecision, TicketFilter, TicketStatus, TicketType
from trackyard.domain.offers.visibility import goal_names
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.scope import Scope
from trackyard.wire.endpoint import ApiRequest, Routes, for_affiliates, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import AnyOf, NoParams, Only, Params, RequiredFor
from trackyard.wire.response.envelope import Answer, Pagination, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_get = in_scope_by_number(tickets.get_ticket)
_find = in_scope_by_number(tickets.get_plain_ticket)

TYPES: Final = {"offer_request": TicketType.OFFER} | {each.value: each for each in TicketType}
"""The names of types for programs: the shown ones, and the newer name of requests for offers."""


class AskToJoin(Params):
    """An offer, and why the affiliate wants it."""

    offer_id: s.Id
    comment: Annotated[str, s.BoundedText(minimum=1, maximum=20_000)]
    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None


class AskForSmartLink(Params):
    """A SmartLink, and why the affiliate wants it."""

    smartlink_id: s.Hex
    comment: Annotated[str, s.BoundedText(minimum=1, maximum=20_000)]
    pid: Annotated[s.Id | None, Only(admin=True), RequiredFor(staff=True)] = None


class AskQuestion(Params):
    """A question to staff."""

    type: Annotated[str, s.Choice(QUESTIONS)]
    title: Annotated[str, s.BoundedText(minimum=1, maximum=200, strips=True)]
    text: Annotated[str, s.BoundedText(minimum=1, maximum=20_000, strips=True)]


class TicketChoice(Params):
    """The filters of tickets; any value of a parameter matches.

    search: part of the title or description, or the id.
    pid: of these affiliates.
    manager_id: of affiliates with these managers.
    type: offer and offer_request are the same.
    """

    status: AnyOf[Annotated[TicketStatus, s.Choice(TicketStatus)]] = ()
    type: AnyOf[Annotated[str, s.Choice(tuple(TYPES))]] = ()
    search: s.Text = ""
    pid: AnyOf[s.Id] = ()
    manager_id: AnyOf[s.Hex] = ()
    offer_id: AnyOf[s.Id] = ()

    def chosen(self) -> TicketFilter:
        """Return the conditions for the use case."""
        return TicketFilter(
            statuses=self.status,
            affiliate_ids=self.pid,
            offer_ids=self.offer_id,
            manager_ids=self.manager_id,
            part=self.search,
            types=tuple({TYPES[name] for name in self.type}),
        )


class ListTickets(TicketChoice, Paging):
    """A page of the tickets of these filters."""


class ListOwnTickets(Paging):
    """The filters of an affiliate's list."""

    status: AnyOf[Annotated[TicketStatus, s.Choice(TicketStatus)]] = ()


class DecideTicket(Params):
    """The decision on a ticket. reason: of a rejection; the affiliate sees it."""

    do: Annotated[TicketDecision, s.Choice(TicketDecision)]
    reason: Annotated[str, s.BoundedText(maximum=2000)] = ""


class AnswerTicket(Params):
    """An answer to the affiliate."""

    text: Annotated[str, s.BoundedText(minimum=1, maximum=2000, strips=True)]


class TicketReplyView(View):
    """What a staff user wrote to the affiliate without deciding."""

    text: str
    created: str


@with_fields_of(
    (FullAffiliateOfferView, OfferFields),
    ("goals", "description_lang", "kpi", "logo_source", "cross_postback_url", "send_emails", "caps_timezone"),
    ("hide_caps", "strictly_country", "strictly_os", "strictly_isp", "restriction_isp", "strictly_brands"),
    ("click_session", "minimal_click_session", "search_empty_sub", "schedule", "io_document"),
    ("consider_personal_targeting_only", "uniq_ip_only", "reject_not_uniq_ip"),
)
class TicketOfferView(AffiliateOfferView):
    """The offer of a ticket. goals: value → title of what it pays."""


class CommentsView(View):
    """Numbers of answers to a ticket."""

    answers: int = 0
    unread: int = 0


class TicketSmartLinkView(View):
    """The SmartLink that a ticket requests."""

    id: str
    name: str


class TicketView(View):
    """A ticket. updated: the time when it ended, else when it was made.

    decision: null while it is open, and for a question.
    reason: the reason of a rejection.
    offer: the requested offer; for a SmartLink, one of its offers; null for a question.
    smartlink: null for a ticket that does not request a SmartLink, or when the SmartLink was removed.
    """

    id: str
    status: str
    type: str
    title: str
    description: str
    partner: AffiliateView
    offer: TicketOfferView | None
    attachments: list[str]
    comments: CommentsView
    decision: str | None
    reason: str
    created: str
    updated: str
    smartlink: TicketSmartLinkView | None
    answers: list[TicketReplyView]


class TicketsAnswer(Answer):
    """A page of tickets."""

    tickets: list[TicketView]
    pagination: Pagination


class TicketCountAnswer(Answer):
    """The number of tickets."""

    count: int


class TicketAnswer(Answer):
    """One ticket."""

    ticket: TicketView
    id: str


class OwnTicketView(View):
    """A request of the calling affiliate to join an offer, or its question.

    decision: null while it is open, and for a question. updated: the time of its end, else of its making.
    """

    id: int
    status: str
    type: str
    decision: str | None
    reason: str
    offer_id: int | None
    smartlink_id: str | None
    title: str
    description: str
    answers: list[TicketReplyView]
    created: str
    updated: str


class OwnTicketsAnswer(Answer):
    """A page of the requests of an affiliate."""

    tickets: list[OwnTicketView]
    pagination: Pagination


class OwnTicketAnswer(Answer):
    """A ticket of the calling affiliate."""

    ticket: OwnTicketView


class MessageAnswer(Answer):
    """The result in words."""

    message: str


_OUTCOME_TEXTS = {
    JoinOutcome.CONNECTED: "Connected to the offer",
    JoinOutcome.ALREADY_CONNECTED: "Connected to the offer already",
    JoinOutcome.TICKET_OPENED: "The request is sent",
    JoinOutcome.TICKET_EXISTS: "The request is sent already",
}


@routes.post("/partner/activation/offer", for_callers(Permission.TICKETS_WRITE), id="partner.activation.offer")
def request_connection(request: ApiRequest[Deps], params: AskToJoin) -> MessageAnswer:
    """Ask for the connection of an affiliate to an offer.

    A public offer connects at once, else staff decide; staff ask for an affiliate. One request for an offer is open at
    a time: to ask again changes nothing. An affiliate that staff took off a public offer asks as for any other.
    """
    outcome = tickets.request_to_join(request.deps, request.access, params.pid, params.offer_id, params.comment)
    return MessageAnswer(message=_OUTCOME_TEXTS[outcome])


@routes.post("/partner/activation/smartlink", for_callers(Permission.TICKETS_WRITE), id="partner.activation.smartlink")
def request_smartlink(request: ApiRequest[Deps], params: AskForSmartLink) -> MessageAnswer:
    """Ask for the connection of an affiliate to the offers of a SmartLink.

    Staff decide; staff ask for an affiliate. One request for a SmartLink is open at a time: to ask again changes
    nothing.
    """
    outcome = tickets.request_smartlink(
        request.deps, request.access, params.pid, params.smartlink_id.lower(), params.comment
    )
    return MessageAnswer(message=_OUTCOME_TEXTS[outcome].replace("the offer", "the offers of the SmartLink"))


@routes.post("/partner/ticket", for_affiliates(Permission.TICKETS_WRITE), id="partner.ticket.add")
def ask(request: ApiRequest[Deps], params: AskQuestion) -> OwnTicketAnswer:
    """Ask staff a question.

    They answer and close it. At most 20 questions of an affiliate are open at a time: a further one is a conflict.
    """
    made = tickets.ask_question(request.deps, request.access, TicketType(params.type), params.title, params.text)
    return OwnTicketAnswer(ticket=_own_view(made, request.deps.zone))


@routes.get("/partner/tickets", for_affiliates(Permission.TICKETS_READ), id="partner.tickets.list")
def list_own(request: ApiRequest[Deps], params: ListOwnTickets) -> OwnTicketsAnswer:
    """List the requests of the calling affiliate to join offers, and its questions, the newest first."""
    chosen, zone = TicketFilter(statuses=params.status), request.deps.zone
    found, total = tickets.list_tickets(request.deps, request.access, chosen, **params.place(request))
    views = [_own_view(record.ticket, zone) for record in found]
    return OwnTicketsAnswer(tickets=views, pagination=params.pagination(request, total))


@routes.get("/admin/tickets", for_staff(Permission.TICKETS_READ), id="admin.tickets.list")
def list_all(request: ApiRequest[Deps], params: ListTickets) -> TicketsAnswer:
    """List the requests of affiliates to join offers, and their questions, newest first.

    A manager sees tickets of its affiliates.
    """
    found, total = tickets.list_tickets(request.deps, request.access, params.chosen(), **params.place(request))
    readable = _readable(request)
    return TicketsAnswer(
        tickets=[ticket_view(record, request.deps, request.version, readable) for record in found],
        pagination=params.pagination(request, total),
    )


@routes.get("/admin/tickets/count", for_staff(Permission.TICKETS_READ), id="admin.tickets.count")
def count(request: ApiRequest[Deps], params: TicketChoice) -> TicketCountAnswer:
    """Count the tickets of these filters that the caller sees, without their records."""
    return TicketCountAnswer(count=tickets.count_tickets(request.deps, request.access, params.chosen()))


@routes.get("/admin/ticket/{id}", for_staff(Permission.TICKETS_READ), id="admin.ticket.get", find=_get)
def get(request: ApiRequest[Deps], _params: NoParams) -> TicketAnswer:
    """Show one request or question."""
    view = ticket_view(request.subject, request.deps, request.version, _readable(request))
    return TicketAnswer(ticket=view, id=view.id)


@routes.post("/admin/ticket/{id}/offer", for_staff(Permission.TICKETS_WRITE), id="admin.ticket.offer", find=_find)
def decide_request(request: ApiRequest[Deps], params: DecideTicket) -> MessageAnswer:
    """Approve a request, which connects the affiliate, or reject it.

    The affiliate gets a mail. A second decision is a conflict.
    """
    return _decided(request, params, of_smartlink=False)


@routes.post(
    "/admin/ticket/{id}/smartlink", for_staff(Permission.TICKETS_WRITE), id="admin.ticket.smartlink", find=_find
)
def decide_smartlink(request: ApiRequest[Deps], params: DecideTicket) -> MessageAnswer:
    """Approve a request for a SmartLink, which connects the affiliate to its offers, or reject it.

    The affiliate gets a mail. A second decision is a conflict.
    """
    return _decided(request, params, of_smartlink=True)


@routes.post("/admin/ticket/{id}/answer", for_staff(Permission.TICKETS_WRITE), id="admin.ticket.answer", find=_find)
def answer_ticket(request: ApiRequest[Deps], params: AnswerTicket) -> MessageAnswer:
    """Answer a question, or a request without deciding it.

    The affiliate sees the answer and gets a mail. A closed ticket is a conflict.
    """
    tickets.answer_ticket(request.deps, request.access, request.subject.id, params.text)
    return MessageAnswer(message=f"Ticket {request.subject.id} has an answer")


@routes.post("/admin/ticket/{id}/close", for_staff(Permission.TICKETS_WRITE), id="admin.ticket.close", find=_find)
def close_ticket(request: ApiRequest[Deps], _params: NoParams) -> MessageAnswer:
    """Close a question.

    No mail is sent. A closed one is a conflict, and so is a request to join, which is approved or rejected.
    """
    tickets.close_question(request.deps, request.access, request.subject.id)
    return MessageAnswer(message=f"Ticket {request.subject.id} is closed")


def _decided(request: ApiRequest[Deps], params: DecideTicket, *, of_smartlink: bool) -> MessageAnswer:
    approve = params.do == TicketDecision.APPROVE
    if approve and params.reason:
        raise BadInput({"reason": ["An approval has no reason."]})
    tickets.decide_ticket(
        request.deps,
        request.access,
        request.subject.id,
        approve=approve,
        reason=params.reason.strip(),
        of_smartlink=of_smartlink,
    )
    done = "approved" if approve else "rejected"
    return MessageAnswer(message=f"Ticket {request.subject.id} is {done}")


def ticket_view(record: TicketRecord, deps: Deps, version: str, readable: Scope) -> TicketView:
    """Return the view of a ticket; phone, postal address, money and answers of `readable` affiliates only."""
    row, found = record.ticket, record.smartlink
    return view_of(
        TicketView,
        row,
        id=str(row.id),
        smartlink=None if found is None else TicketSmartLinkView(id=found.id, name=found.name),
        partner=_partner_view(record.affiliate, deps, readable),
        offer=None if record.offer is None else ticket_offer_view(record, record.offer, deps, version),
        attachments=[],
        comments=CommentsView(answers=len(row.answers)),
        answers=_answers(row, deps.zone),
        created=datetime_text(row.created_at, deps.zone),
        updated=datetime_text(row.updated_at, deps.zone),
    )


def _own_view(row: Ticket, zone: ZoneInfo) -> OwnTicketView:
    return view_of(
        OwnTicketView,
        row,
        answers=_answers(row, zone),
        created=datetime_text(row.created_at, zone),
        updated=datetime_text(row.updated_at, zone),
    )


def _answers(ticket: Ticket, zone: ZoneInfo) -> list[TicketReplyView]:
    return [TicketReplyView(text=each.text, created=datetime_text(each.created_at, zone)) for each in ticket.answers]


def _partner_view(record: AffiliateRecord, deps: Deps, readable: Scope) -> AffiliateView:
    view = nested_affiliate_view(record, deps.zone)
    if readable.has_affiliate(record.affiliate.id):
        return view
    return replace(
        view,
        phone=None,
        address_1=None,
        address_2=None,
        zip_code=None,
        balance={},
        payment_systems=[],
        custom_fields=[],
    )


def _readable(request: ApiRequest[Deps]) -> Scope:
    return scope_for(request.deps, request.caller, Permission.AFFILIATES_READ)


def ticket_offer_view(record: TicketRecord, listed: ListedOffer, deps: Deps, version: str) -> TicketOfferView:
    """Return the view of the offer of a ticket."""
    offer, view_context = listed.offer, ViewContext(record.ticket.affiliate_id, deps, version)
    [seen] = affiliate_offer_views(OfferPage([listed], 1, record.related), view_context)
    shared = {name: getattr(seen, name) for name in AffiliateOfferView.__struct_fields__}
    return view_of(
        TicketOfferView,
        offer,
        **shared,
        goals=goal_names(offer, record.ticket.affiliate_id),
        caps_timezone=offer.caps_timezone or deps.zone.key,
        strictly_os=[item.os for item in offer.restriction_os],
        strictly_isp=[item.name for item in offer.restriction_isp],
        schedule=schedule_view(offer.schedule or OfferSchedule(), deps.zone),
        io_document=None,
    )
