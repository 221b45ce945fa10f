"""The lists of requests to join offers, and of questions (docs/spec/console.md#requests)."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.api.offers import tickets
from trackyard.api.offers.tickets import OwnTicketsAnswer, OwnTicketView, TicketsAnswer, TicketView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms import FormField, FormGroup, FormPlan, open_form
from trackyard.console.frame.address import Pair, back_to
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import Button, ListColumn, ListPage, On, Search, Selection, Tabs
from trackyard.console.lists.figures import ListFigures, find_list_figures, last_week
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import AFFILIATES, LIVE_OFFERS, MANAGERS, OFFERS
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.words import payout
from trackyard.console.people.threads import about_of
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.people_names import affiliate_name, manager_name
from trackyard.domain.people.threads import ThreadSubject
from trackyard.wire.local_calls import LocalCalls

pages = Pages()

PATH: Final = "/console/requests"
OWN_PATH: Final = "/portal/requests"
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
_OWN_QUESTIONS: Final[Mapping[str, str]] = {
    "common": lazy_gettext("Something else"),
    "financial": lazy_gettext("Money"),
    "technical": lazy_gettext("Technical matters"),
}
"""Type of a question to what it is about, for affiliates."""
ANSWER: Final = "answer"
CLOSE: Final = "close"
_KINDS: Final = {"offer": "", "smartlink_request": "s"}
"""Type of a ticket to the letter that its id begins with here; questions have q."""
_TABS: Final = Tabs(
    name="tab",
    label=lazy_gettext("Requests"),
    choices=(("open", lazy_gettext("Open")), ("closed", lazy_gettext("Decided or closed"))),
)


@dataclass(frozen=True, slots=True)
class RequestRow:
    """A request for offers, or a question.

    clicks, conversions: counts of the affiliate in the last 7 days, None where the person may not see them.
    fault: why they cannot be read.
    """

    ticket: TicketView
    clicks: int | None
    conversions: int | None
    fault: str

    @property
    def id(self) -> str:
        """Return its id, which begins with `s` for a SmartLink, with `q` for a question."""
        return f"{_KINDS.get(self.ticket.type, 'q')}{self.ticket.id}"

    @property
    def name(self) -> str:
        """Return the name of its affiliate."""
        return affiliate_name(self.ticket.partner)

    @property
    def title(self) -> str:
        """Return the title of its offer, or its own."""
        offer = self.ticket.offer if self.ticket.type == "offer" else None
        return offer.title if offer else self.ticket.title

    @property
    def is_question(self) -> bool:
        """Return whether it is a question."""
        return self.ticket.type in QUESTIONS


def _rows(request: PageRequest, answer: TicketsAnswer) -> list[RequestRow]:
    affiliates = sorted({each.partner.id for each in answer.tickets})
    week, fault = find_list_figures(request, last_week(request), "affiliate", "partner", affiliates)
    rows = []
    for each in answer.tickets:
        found = None if week is None else week.get(each.partner.id, ListFigures()).figures
        clicks, conversions = (None, None) if found is None else (found.clicks, found.conversions)
        rows.append(RequestRow(each, clicks, conversions, fault))
    return rows


def _subject(row: RequestRow, _on: On) -> ListCell:
    """Return the requested offer or SmartLink and what it pays, or the question and its kind."""
    ticket = row.ticket
    if ticket.smartlink:
        all_ = gettext("SmartLink: all of its offers")
        return cells.cell(row.title, all_, link=f"/console/smartlinks/{ticket.smartlink.id}")
    if row.is_question:
        return cells.cell(row.title, str(QUESTIONS[ticket.type]))
    if ticket.offer is None:
        return cells.cell(row.title)
    best = max(ticket.offer.payments, key=lambda payment: payment.revenue, default=None)
    pays = gettext("pays %(payout)s", payout=payout(best)) if best and ticket.type == "offer" else ""
    return cells.cell(row.title, pays, link=f"/console/offers/{ticket.offer.id}")


def _why(row: RequestRow, on: On) -> ListCell:
    answered = (
        gettext("Answered %(time)s:", time=on.request.time_of(each.created)[:16]) + f" {each.text}"
        for each in row.ticket.answers
    )
    place = about_of("/console/", ThreadSubject.TICKET, row.ticket.id)
    return cells.cell(row.ticket.description, *answered, PageLink(gettext("Messages"), place, _about_thread(row.title)))


def _about_thread(title: str) -> str:
    return gettext("Messages about %(title)s", title=title)


def _buttons(row: RequestRow, _on: On) -> ListCell:
    """Return the buttons of an open request."""
    values = {"name": row.name, "title": row.title}

    def act(do: str, label: str, about: str) -> Act:
        return Act(label, fields=(("one", f"{do} {row.id}"),), about=about)

    answer = act(ANSWER, gettext("Answer"), gettext("Answer the request of %(name)s for %(title)s", **values))
    if row.is_question:
        about = gettext("Close the question of %(name)s: %(title)s", **values)
        return cells.acts(act(CLOSE, gettext("Close"), about), answer)
    return cells.acts(
        act("approve", gettext("Approve"), gettext("Approve the request of %(name)s for %(title)s", **values)),
        act("reject", gettext("Reject"), gettext("Reject the request of %(name)s for %(title)s", **values)),
        answer,
    )


def _status(row: RequestRow, _on: On) -> ListCell:
    undecided = (gettext("Open"), "pending") if row.ticket.status == "open" else (gettext("Closed"), "confirmed")
    word, mark = DECISIONS.get(row.ticket.decision or "", undecided)
    return cells.status(str(word), mark, row.ticket.reason)


def _has_figures(_request: PageRequest, rows: Sequence[RequestRow]) -> bool:
    return any(row.clicks is not None for row in rows)


def _may_decide(request: PageRequest, _rows: Sequence[RequestRow] = ()) -> bool:
    return request.calls.may(tickets.decide_request)


_COLUMNS: Final = (
    ListColumn[RequestRow](
        title=lazy_gettext("Affiliate"),
        below=lazy_gettext("Manager"),
        role="title",
        cell=lambda row, on: on.object(
            AFFILIATES, row.ticket.partner.id, manager_name(row.ticket.partner.manager) or cells.NOTHING, name=row.name
        ),
    ),
    ListColumn[RequestRow](
        title=lazy_gettext("Offer or question"), below=lazy_gettext("Kind"), longest=80, cell=_subject
    ),
    ListColumn[RequestRow](title=lazy_gettext("Why"), below=lazy_gettext("Answers"), longest=300, cell=_why),
    ListColumn[RequestRow](title=lazy_gettext("Asked"), cell=lambda row, _: cells.moment(row.ticket.created)),
    ListColumn[RequestRow](
        title=lazy_gettext("Clicks, 7 d"),
        role="figure",
        shown=_has_figures,
        cell=lambda row, _: cells.count(row.clicks or 0),
    ),
    ListColumn[RequestRow](
        title=lazy_gettext("Conversions"),
        role="figure",
        shown=_has_figures,
        cell=lambda row, _: cells.count(row.conversions or 0),
    ),
)
_STATUS: Final = ListColumn[RequestRow](title=lazy_gettext("Status"), below=lazy_gettext("Reason"), cell=_status)
CLOSED: Final = ListPage[RequestRow, TicketsAnswer](
    path=PATH,
    own=(("tab", "closed"),),
    method=tickets.list_all,
    view=TicketsAnswer,
    rows=_rows,
    record=lambda row: row.ticket,
    title=lazy_gettext("Requests"),
    counted=lambda total: ngettext(
        "%(num)d request is decided or closed.", "%(num)d requests are decided or closed.", total
    ),
    fixed=(("status[]", "closed"),),
    tabs=_TABS,
    search=Search(placeholder=lazy_gettext("Offer, comment or number"), parameter="search"),
    filters=(
        FilterBy(name="affiliate", parameter="pid", objects=AFFILIATES),
        FilterBy(name="offer", parameter="offer_id", objects=OFFERS),
        FilterBy(name="manager", parameter="manager_id", objects=MANAGERS),
    ),
    columns=(*_COLUMNS, _STATUS),
    above="staff/figures_fault.html",
    values=lambda _, rows: {"figures_fault": next((row.fault for row in rows), "")},
    empty=lazy_gettext("No request is decided yet."),
)
OPEN: Final = replace(
    CLOSED,
    own=(("tab", "open"),),
    counted=lambda total: ngettext("%(num)d request waits.", "%(num)d requests wait.", total),
    about=lazy_gettext("Approving connects the affiliate. Questions are answered and closed."),
    fixed=(("status[]", "open"),),
    columns=(
        *_COLUMNS,
        ListColumn(title=lazy_gettext("Decision"), role="act", shown=_may_decide, cell=_buttons),
        replace(_STATUS, shown=lambda request, _: not _may_decide(request)),
    ),
    selection=Selection(
        path=PATH,
        field="request",
        needs=(tickets.decide_request,),
        key=lambda row: row.id,
        about=lambda row, _: gettext("Choose the request of %(name)s", name=row.name),
        line=lazy_gettext("The chosen ones:"),
        buttons=(
            Button(label=lazy_gettext("Approve requests"), value="approve"),
            Button(label=lazy_gettext("Reject requests"), value="reject"),
            Button(label=lazy_gettext("Answer requests"), value=ANSWER),
            Button(label=lazy_gettext("Close questions"), value=CLOSE),
        ),
        text=lazy_gettext("Reason of a rejection, or an answer, which the affiliate sees"),
    ),
    empty=lazy_gettext(
        "No request waits. Affiliates ask to join protected and private offers, and the offers of SmartLinks."
    ),
)
declare_list(pages, OPEN, CLOSED)


def own_state(ticket: OwnTicketView) -> tuple[str, str]:
    """Return the word of a request and the class of its mark, from the affiliate's own view."""
    if decided := DECISIONS.get(ticket.decision or ""):
        return str(decided[0]), decided[1]
    if ticket.status == "open":
        return gettext("Open"), "pending"
    return gettext("Closed"), "confirmed" if ticket.type in QUESTIONS else "declined"


def _own_subject(each: OwnTicketView, on: On) -> ListCell:
    if each.offer_id and not each.smartlink_id:
        return on.object(LIVE_OFFERS, each.offer_id, name=each.title)
    about = _OWN_QUESTIONS.get(each.type)
    return cells.cell(each.title, f"{gettext('Question:')} {about}" if about else "")


OWN_REQUESTS: Final = ListPage[OwnTicketView, OwnTicketsAnswer](
    path=OWN_PATH,
    audience="affiliate",
    method=tickets.list_own,
    view=OwnTicketsAnswer,
    rows=lambda _, answer: answer.tickets,
    title=lazy_gettext("Requests"),
    counted=lambda total: ngettext("%(num)d request or question", "%(num)d requests and questions", total),
    columns=(
        ListColumn(
            title=lazy_gettext("Offer or question"),
            below=lazy_gettext("Kind"),
            role="title",
            longest=80,
            cell=_own_subject,
        ),
        ListColumn(
            title=lazy_gettext("Your words"),
            below=lazy_gettext("Answers"),
            longest=200,
            cell=lambda each, _: cells.cell(
                each.description,
                *(f"{gettext('Answer:')} {answer.text}" for answer in each.answers),
                PageLink(
                    gettext("Messages"),
                    about_of("/portal/", ThreadSubject.TICKET, each.id),
                    _about_thread(each.title),
                ),
            ),
        ),
        ListColumn(
            title=lazy_gettext("Status"),
            below=lazy_gettext("Reason"),
            cell=lambda each, _: cells.status(*own_state(each), each.reason),
        ),
        ListColumn(title=lazy_gettext("Asked"), cell=lambda each, _: cells.moment(each.created)),
        ListColumn(
            title=lazy_gettext("Decided or closed"),
            cell=lambda each, _: cells.moment(each.updated if each.status == "closed" else ""),
        ),
    ),
    links=lambda _: [PageLink(gettext("Ask a question"), f"{OWN_PATH}/ask")],
    empty=lazy_gettext("You asked for no offer and asked no question yet."),
    empty_links=lambda _: [PageLink(gettext("Choose an offer"), "/portal/offers")],
    per_page=30,
)
declare_list(pages, OWN_REQUESTS)


@pages.post(PATH, needs=(tickets.decide_request, tickets.decide_smartlink, tickets.answer_ticket, tickets.close_ticket))
def decide(request: PageRequest) -> PageAnswer:
    """Approve, reject, answer or close requests: the one of the button, or all that were chosen."""
    decision, _, one = request.field("one").partition(" ")
    chosen = [one] if one else list(dict.fromkeys(value for name, value in request.form if name == "request"))
    decision = decision or request.field("do")
    back = back_to(PATH, request.field("back"))
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


_QUESTION: Final = FormPlan(
    tickets.ask,
    (
        FormGroup(
            lazy_gettext("Question"),
            (
                FormField("type", lazy_gettext("About"), words=_OWN_QUESTIONS, help=""),
                FormField("title", lazy_gettext("Subject"), help=""),
                FormField(
                    "text",
                    lazy_gettext("Your question"),
                    widget="long",
                    wide=True,
                    help=lazy_gettext("The network reads it."),
                ),
            ),
        ),
    ),
)


@pages.get(f"{OWN_PATH}/ask", audience="affiliate", needs=(tickets.ask,))
@pages.post(f"{OWN_PATH}/ask", audience="affiliate", needs=(tickets.ask,))
def ask_question(request: PageRequest) -> PageAnswer:
    """Ask the network a question."""
    form = open_form(request, _QUESTION, {"type": "common", "title": "", "text": ""}, is_new=True)
    if form.save() is not None:
        return Redirect(OWN_PATH, gettext("Your question is sent. You get a mail with each answer."))
    line = gettext("A person of the network answers. You see the answer here and get it by mail.")
    return form.page(request, gettext("Ask a question"), back=OWN_PATH, line=line, save=gettext("Send the question"))
