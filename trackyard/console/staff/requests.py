"""Requests of affiliates to join offers, and their questions (docs/spec/console.md#requests)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.offers import tickets
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown.words import payout
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.list_figures import ListFigures, find_list_figures, last_week
from trackyard.console.staff.lists import ListFilter, back_to, read_list
from trackyard.console.staff.money.words import read_or_fault
from trackyard.console.staff.people_names import affiliate_name, manager_name, managers
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

TABS: Final = (("open", lazy_gettext("Open")), ("closed", lazy_gettext("Decided or closed")))
"""The values of `tab` in the address, which are statuses of the API."""
DECISIONS: Final[Mapping[str, tuple[str, str]]] = {
    "approve": (lazy_gettext("Approved"), "confirmed"),
    "reject": (lazy_gettext("Rejected"), "declined"),
}
"""Decision to its name and its mark."""
QUESTIONS: Final[Mapping[str, str]] = {
    "common": lazy_gettext("Question"),
    "financial": lazy_gettext("Question about money"),
    "technical": lazy_gettext("Technical question"),
}
"""Types of tickets that are questions, by name."""
ANSWER: Final = "answer"
CLOSE: Final = "close"
_KINDS: Final = {"offer": "", "smartlink_request": "s"}
"""Type of a ticket to the letter that its id begins with here; questions have q."""
_PATH: Final = "/console/requests"


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A request. id: begins with `s` for a SmartLink, with `q` for a question.

    path: the page of the requested offer or SmartLink; "" for a question. kind: a question's kind in words.
    clicks, conversions: the affiliate's in the last 7 days, None where the person may not see them.
    """

    id: str
    path: str
    kind: str
    ticket: tickets.TicketView
    name: str
    manager: str
    title: str
    payout: str
    status: str
    mark: str
    clicks: int | None
    conversions: int | None


@pages.get(_PATH, needs=(tickets.list_all,))
def requests(request: PageRequest) -> PageAnswer:
    """Show open or decided requests, a page at a time."""
    calls = request.calls
    tab = request.address.get("tab") if request.address.get("tab") in dict(TABS) else "open"
    filters = (
        ListFilter("affiliate", gettext("Affiliate number"), "pid[]", None, "number"),
        ListFilter("offer", gettext("Offer number"), "offer_id[]", None, "number"),
        ListFilter("manager", gettext("Manager"), "manager_id[]", managers(calls)),
    )
    state = read_list(request.address, filters)
    sent = [("status[]", tab), *state.sent("search")]
    if (file := list_file(request, tickets.list_all, lambda answer: answer.tickets, sent)) is not None:
        return file
    found, total, fault = read_or_fault(request, tickets.list_all, lambda answer: answer.tickets, sent)
    affiliates = sorted({each.partner.id for each in found})
    week, no_figures = find_list_figures(request, last_week(request), "affiliate", "partner", affiliates)
    return request.page(
        "staff/requests.html",
        rows=[_row(each, week) for each in found],
        tabs=TABS,
        tab=tab,
        may_decide=tab == "open" and calls.may(tickets.decide_request),
        fault=fault or no_figures,
        api_request_path=calls.address(tickets.list_all, sent),
        **state.shown(total),
    )


@pages.post(
    _PATH, needs=(tickets.decide_request, tickets.decide_smartlink, tickets.answer_ticket, tickets.close_ticket)
)
def decide(request: PageRequest) -> PageAnswer:
    """Approve, reject, answer or close requests: the one of the button, or all that were chosen."""
    decision, _, one = request.field("one").partition(" ")
    chosen = [one] if one else list(dict.fromkeys(value for name, value in request.form if name == "request"))
    decision = decision or request.field("do")
    back = back_to(_PATH, request.field("back"))
    if decision == ANSWER and chosen:
        return Redirect(back, _answered(request.calls, chosen, request.field("reason").strip()))
    if decision == CLOSE and chosen:
        return Redirect(back, _closed(request.calls, chosen))
    if decision not in DECISIONS or not chosen:
        return Redirect(back, gettext("Nothing is decided: choose requests first."))
    reason = request.field("reason").strip() if decision == "reject" else ""
    return Redirect(back, _decided(request.calls, decision, chosen, reason))


def _decided(calls: LocalCalls[Deps], decision: str, chosen: Iterable[str], reason: str) -> str:
    """Decide requests and return what was done, and why not where the API refused. reason: of a rejection."""
    sent = [("do", decision), *((("reason", reason),) if reason else ())]
    done, refused = _called(calls, _decides, chosen, sent)
    if decision == "approve":
        sentence = ngettext("1 request is approved.", "%(num)d requests are approved.", done)
    else:
        sentence = ngettext("1 request is rejected.", "%(num)d requests are rejected.", done)
    mails = [gettext("Each affiliate gets a mail.")] if done else []
    return " ".join([sentence, *mails, *refused])


def _decides(request_id: str) -> Method:
    """Return the method that decides a request."""
    return tickets.decide_smartlink if request_id.startswith("s") else tickets.decide_request


def _answered(calls: LocalCalls[Deps], chosen: Iterable[str], text: str) -> str:
    """Answer requests without deciding, and return what was done, and why not where the API refused."""
    if not text:
        return gettext("Nothing is sent: write the answer first.")
    done, refused = _called(calls, lambda _: tickets.answer_ticket, chosen, [("text", text)])
    sentence = ngettext("1 request is answered.", "%(num)d requests are answered.", done)
    return " ".join([sentence, *([gettext("Each affiliate gets a mail.")] if done else []), *refused])


def _closed(calls: LocalCalls[Deps], chosen: Iterable[str]) -> str:
    """Close questions, and return what was done, and why not where the API refused."""
    done, refused = _called(calls, lambda _: tickets.close_ticket, chosen, [])
    return " ".join([ngettext("1 question is closed.", "%(num)d questions are closed.", done), *refused])


def _called(
    calls: LocalCalls[Deps], method_of: Callable[[str], Method], chosen: Iterable[str], sent: Sequence[Pair]
) -> tuple[int, list[str]]:
    """Call the method of each request, and return how often it succeeded, and why not for the others."""
    done, refused = 0, list[str]()
    for each in chosen:
        number = each.lstrip("sq")
        try:
            calls.ask(method_of(each), sent, {"id": number})
            done += 1
        except RequestError as refusal:
            refused.append(gettext("Request %(number)s: %(fault)s", number=number, fault=fault_of(refusal)))
    return done, refused


def _row(ticket: tickets.TicketView, week: Mapping[int, ListFigures] | None) -> RequestRow:
    affiliate, kind = ticket.partner, ticket.type
    offer = ticket.offer if kind == "offer" else None
    best = max(offer.payments, key=lambda payment: payment.revenue, default=None) if offer else None
    undecided = (gettext("Open"), "pending") if ticket.status == "open" else (gettext("Closed"), "confirmed")
    status, mark = DECISIONS.get(ticket.decision or "", undecided)
    figures = None if week is None else week.get(affiliate.id, ListFigures()).figures
    return RequestRow(
        id=f"{_KINDS.get(kind, 'q')}{ticket.id}",
        path=_path(ticket),
        kind=QUESTIONS.get(kind, ""),
        ticket=ticket,
        name=affiliate_name(affiliate),
        manager=manager_name(affiliate.manager),
        title=offer.title if offer else ticket.title,
        payout=payout(best) if best else "",
        status=status,
        mark=mark,
        clicks=None if figures is None else figures.clicks,
        conversions=None if figures is None else figures.conversions,
    )


def _path(ticket: tickets.TicketView) -> str:
    """Return the page of the offer or SmartLink that a ticket requests; "" for a question."""
    if ticket.smartlink:
        return f"/console/smartlinks/{ticket.smartlink.id}"
    return f"/console/offers/{ticket.offer.id}" if ticket.offer else ""
