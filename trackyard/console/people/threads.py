"""Threads on pages: the list, the messages of one, and a form (docs/spec/messages.md#threads).

The same pages serve staff, affiliates and advertisers, each below their first page.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import Final
from urllib.parse import urlencode

from trackyard.api.people import threads as api
from trackyard.api.people.threads import ThreadsAnswer, ThreadView
from trackyard.base.errors import BadInput, TooManyRequests, Unavailable, UnsupportedMediaType
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.account.notices import PLACES
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.navigation import RailNumber
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.page import declare_list
from trackyard.console.staff.faults import fault_of
from trackyard.domain.people.callers import HOMES, AccountKind
from trackyard.domain.people.threads import ThreadSubject
from trackyard.wire.endpoint import UPLOAD_MAX

pages = Pages()

SUBJECTS: Final[Mapping[str, str]] = {
    ThreadSubject.TICKET: lazy_gettext("Request"),
    ThreadSubject.CONVERSION: lazy_gettext("Conversion"),
    ThreadSubject.OFFER: lazy_gettext("Offer"),
    ThreadSubject.AFFILIATE: lazy_gettext("Affiliate"),
    ThreadSubject.ADVERTISER: lazy_gettext("Advertiser"),
}
"""Kind of thing to its word."""
_PER_PAGE: Final = 50
_ON_CARD: Final = 3
_REFUSALS: Final = (BadInput, UnsupportedMediaType, TooManyRequests)


def path_of(kind: AccountKind) -> str:
    """Return the path of the threads of a kind of account."""
    return f"{HOMES[kind]}threads"


def about_of(home: str, subject: ThreadSubject, subject_id: object) -> str:
    """Return the address of what is written about a thing. home: the first page of the person."""
    return "?".join((f"{home}threads/about", urlencode({"subject": subject.value, "id": str(subject_id)})))


@dataclass(frozen=True, slots=True)
class ThreadOnCard:
    """A thread on another page. company: for staff; "" for others."""

    link: str
    title: str
    company: str
    at: str
    unread: int


@dataclass(frozen=True, slots=True)
class ThreadsCard:
    """The newest threads about a thing. about: the page with all of them and the form of another message."""

    rows: tuple[ThreadOnCard, ...]
    about: str
    may_write: bool


def threads_card(request: PageRequest, subject: ThreadSubject, subject_id: object) -> ThreadsCard | None:
    """Return the newest threads about a thing; None for a person who has no threads."""
    home = request.person.home
    if not request.may_open(f"{home}threads/about"):
        return None
    sent = [("subject", subject.value), ("subject_id", str(subject_id)), ("limit", str(_ON_CARD))]
    rows = tuple(_shown(request, each) for each in request.calls.ask(api.list_, sent).threads)
    return ThreadsCard(rows, about_of(home, subject, subject_id), request.calls.may(api.open_))


def unread_threads(request: PageRequest) -> list[ThreadOnCard]:
    """Return threads with messages that the person has not read, the newest first, for the first page."""
    if not request.calls.may(api.unread) or not request.calls.ask(api.unread).unread:
        return []
    found = request.calls.ask(api.list_, [("limit", str(_PER_PAGE))]).threads
    return [_shown(request, each) for each in found if each.unread][:_ON_CARD]


def _shown(request: PageRequest, each: ThreadView) -> ThreadOnCard:
    company = each.company_name if request.person.is_staff else ""
    link = f"{request.person.home}threads/{each.id}"
    return ThreadOnCard(link, each.title, company, request.time_of(each.updated_at), each.unread)


def _title(path: str, each: ThreadView, _on: On) -> ListCell:
    new = ngettext("%(num)d unread", "%(num)d unread", each.unread) if each.unread else ""
    return cells.cell(each.title, new, link=f"{path}/{each.id}")


def _subjects_of(kind: AccountKind) -> Mapping[str, str]:
    """Return the things that people of a kind write about: a company about itself, staff about each."""
    others = {AccountKind.AFFILIATE: ThreadSubject.ADVERTISER, AccountKind.ADVERTISER: ThreadSubject.AFFILIATE}
    return {subject: word for subject, word in SUBJECTS.items() if subject != others.get(kind)}


def _list(kind: AccountKind) -> ListPage[ThreadView, ThreadsAnswer]:
    """Return the threads of a kind of account."""
    path = path_of(kind)
    return ListPage[ThreadView, ThreadsAnswer](
        path=path,
        audience=PLACES[kind],
        method=api.list_,
        view=ThreadsAnswer,
        rows=lambda _, answer: answer.threads,
        title=lazy_gettext("Messages"),
        counted=lambda total: ngettext("%(num)d thread.", "%(num)d threads.", total),
        about=lazy_gettext("What staff and companies write to each other about a request, a conversion or an offer."),
        filters=(FilterBy(name="subject", label=lazy_gettext("About"), words=_subjects_of(kind)),),
        columns=(
            ListColumn(
                title=lazy_gettext("About"),
                below=lazy_gettext("Unread"),
                role="title",
                longest=200,
                cell=partial(_title, path),
            ),
            ListColumn(title=lazy_gettext("Kind"), cell=lambda each, _: str(SUBJECTS[each.subject])),
            ListColumn(
                title=lazy_gettext("Company"),
                shown=lambda _request, _rows: kind is AccountKind.STAFF,
                cell=lambda each, _: each.company_name,
            ),
            ListColumn(title=lazy_gettext("Messages"), role="figure", cell=lambda each, _: cells.count(each.messages)),
            ListColumn(title=lazy_gettext("Last"), cell=lambda each, _: cells.moment(each.updated_at)),
        ),
        empty=lazy_gettext("Nothing is written yet. The pages of offers and conversions have a button for it."),
    )


def _show(kind: AccountKind, request: PageRequest) -> PageAnswer:
    """Show the messages of a thread, and mark them as read, unless staff look at the portal."""
    answer = _thread(kind, request)
    if request.calls.may(api.seen):
        request.calls.ask(api.seen, path=request.path)
    return answer


def _thread(kind: AccountKind, request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    page = request.address.page
    found = request.calls.ask(api.show, [("page", str(page)), ("limit", str(_PER_PAGE))], request.path)
    first = (page - 1) * _PER_PAGE + 1
    shown = found.thread
    return request.page(
        "people/thread.html",
        status,
        thread=shown,
        kind=SUBJECTS[shown.subject],
        rows=[(each, request.time_of(each.created_at)) for each in found.messages],
        has_choice=False,
        first=first,
        page=page,
        fault=fault,
        text=request.field("text"),
        may_write=request.calls.may(api.answer),
        back=path_of(kind),
    )


def _answer(kind: AccountKind, request: PageRequest) -> PageAnswer:
    """Write in a thread."""
    try:
        request.calls.ask(api.answer, [("text", request.field("text"))], request.path, request.files)
    except _REFUSALS as refusal:
        return _thread(kind, request, _said(refusal), refusal.status)
    return Redirect(f"{path_of(kind)}/{request.key}", gettext("Your message is sent."))


def _about(kind: AccountKind, request: PageRequest, fault: str = "", status: int = 200) -> PageAnswer:
    """Show the threads about a thing, with a form for another message."""
    subject, subject_id = request.address.get("subject"), request.address.get("id")[:40]
    if subject not in SUBJECTS or not subject_id:
        return Redirect(path_of(kind))
    found = request.calls.ask(api.list_, [("subject", subject), ("subject_id", subject_id), ("limit", "50")]).threads
    return request.page(
        "people/thread_about.html",
        status,
        rows=[(each, request.time_of(each.updated_at)) for each in found],
        kind=SUBJECTS[subject],
        subject=subject,
        subject_id=subject_id,
        path=path_of(kind),
        has_choice=kind is AccountKind.STAFF and subject in (ThreadSubject.CONVERSION, ThreadSubject.OFFER),
        fault=fault,
        text=request.field("text"),
        company=request.field("company"),
        may_write=request.calls.may(api.open_),
    )


def _open(kind: AccountKind, request: PageRequest) -> PageAnswer:
    """Write about a thing."""
    sent = [
        ("subject", request.address.get("subject")),
        ("subject_id", request.address.get("id")),
        ("text", request.field("text")),
        ("company", _company(request.field("company").strip())),
    ]
    try:
        made = request.calls.ask(api.open_, sent, files=request.files).thread
    except _REFUSALS as refusal:
        return _about(kind, request, _said(refusal), refusal.status)
    return Redirect(f"{path_of(kind)}/{made.id}", gettext("Your message is sent."))


def _company(typed: str) -> str:
    """Return a company as the method names it: a number is an affiliate's."""
    return f"{AccountKind.AFFILIATE}:{typed}" if typed.isascii() and typed.isdecimal() else typed


def _said(refusal: BadInput | UnsupportedMediaType | TooManyRequests) -> str:
    if isinstance(refusal, UnsupportedMediaType):
        return gettext("Files are pictures (JPEG, PNG, GIF), PDF files, texts (CSV, UTF-8) and ZIP archives.")
    return fault_of(refusal)


def count_unread_threads(request: PageRequest) -> dict[str, RailNumber]:
    """Return how many threads the person has not read, by the path of their page; empty without any.

    Without the database it is empty, so that the page can show that it is unavailable.
    """
    if not request.calls.may(api.unread):
        return {}
    try:
        number = request.calls.ask(api.unread).unread
    except Unavailable:
        return {}
    path = f"{request.person.home}threads"
    return {path: RailNumber(number, ngettext("%(num)d unread", "%(num)d unread", number))} if number else {}


for _kind, _audience in PLACES.items():
    _path = path_of(_kind)
    declare_list(pages, _list(_kind))
    pages.get(f"{_path}/about", audience=_audience, needs=(api.list_,))(partial(_about, _kind))
    pages.post(f"{_path}/about", audience=_audience, needs=(api.list_, api.open_), body_max=UPLOAD_MAX)(
        partial(_open, _kind)
    )
    pages.get(f"{_path}/{{id}}", audience=_audience, needs=(api.show,))(partial(_show, _kind))
    pages.post(f"{_path}/{{id}}", audience=_audience, needs=(api.show, api.answer), body_max=UPLOAD_MAX)(
        partial(_answer, _kind)
    )
