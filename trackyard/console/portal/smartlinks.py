"""The SmartLinks of an affiliate, and its requests for their offers (docs/spec/console.md#portal)."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlencode

from jinja2.filters import do_striptags

from trackyard.api.offers import smartlinks as smartlinks_api
from trackyard.api.offers import tickets as tickets_api
from trackyard.api.offers.smartlinks import AffiliateSmartLinksAnswer, AffiliateSmartLinkView
from trackyard.api.offers.tickets import OwnTicketView
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink, Part
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.page import answer_list, declare_list
from trackyard.console.offers.requests import own_state
from trackyard.console.portal.offer import LONGEST_COMMENT
from trackyard.console.portal.words import sentences_of

pages = Pages()

_PATH: Final = "/portal/smartlinks"
_REQUESTS: Final = 1000
"""The newest requests of the affiliate, among which the page looks for requests for SmartLinks."""
_NO_COMMENT: Final = lazy_gettext("Say how you want to promote the offers.")
_WAITS: Final = lazy_gettext("A person of the network decides. You get a mail.")
_NO_OFFER: Final = lazy_gettext("This SmartLink has no offer yet. Ask again later.")
_ANSWERS: Final[Mapping[str, str]] = {
    "The request is sent": lazy_gettext("The request is sent."),
    "The request is sent already": lazy_gettext("The request waits already."),
    "Connected to the offers of the SmartLink already": lazy_gettext("You have all offers of this SmartLink already."),
}
"""Message of the API to its sentence."""


@dataclass(frozen=True, slots=True)
class SmartLinkRow:
    """A SmartLink, the link of the affiliate, and its newest request for the offers."""

    smartlink: AffiliateSmartLinkView
    url: str
    asked: OwnTicketView | None


def _rows(request: PageRequest, answer: AffiliateSmartLinksAnswer) -> list[SmartLinkRow]:
    found = answer.data
    asked = _newest_requests(request) if found and request.calls.may(tickets_api.list_own) else {}
    return [SmartLinkRow(each, _link(each, request.person.caller.id), asked.get(each._id)) for each in found]


def _newest_requests(request: PageRequest) -> dict[str, OwnTicketView]:
    """Return the newest request for each SmartLink, by SmartLink."""
    tickets = request.calls.ask(tickets_api.list_own, [("limit", str(_REQUESTS))]).tickets
    return {each.smartlink_id: each for each in reversed(tickets) if each.smartlink_id}


def _link(smartlink: AffiliateSmartLinkView, pid: int | str) -> str:
    scheme = "https" if smartlink.use_https else "http"
    return f"{scheme}://{smartlink.domain}/sl?{urlencode({'id': smartlink._id, 'pid': pid})}"


def _name(row: SmartLinkRow, _on: On) -> ListCell:
    return cells.cell(row.smartlink.name, do_striptags(row.smartlink.description or ""))


def _url(row: SmartLinkRow, _on: On) -> ListCell:
    return ListCell(part=Part("portal/copied_link.html", {"url": row.url}), value=row.url)


def _state(row: SmartLinkRow, _on: On) -> ListCell:
    """Return the state of the request, with the reason of a rejection."""
    if row.asked is None:
        return ListCell()
    word, mark = own_state(row.asked)
    waits = row.asked.status == "open"
    return cells.status(word, mark, _WAITS if waits else row.asked.reason)


def _ask(row: SmartLinkRow, on: On) -> ListCell:
    """Return the form to request the offers, unless a request waits."""
    waits = row.asked is not None and row.asked.status == "open"
    if waits or not on.request.calls.may(tickets_api.request_smartlink):
        return ListCell(value="")
    return ListCell(part=Part("portal/smartlink_request.html", {"row": row.smartlink, "longest": LONGEST_COMMENT}))


SMARTLINKS: Final = ListPage[SmartLinkRow, AffiliateSmartLinksAnswer](
    path=_PATH,
    audience="affiliate",
    method=smartlinks_api.list_for_affiliates,
    view=AffiliateSmartLinksAnswer,
    rows=_rows,
    record=lambda row: row.smartlink,
    title=lazy_gettext("SmartLinks"),
    counted=lambda _total: "",
    about=lazy_gettext("One link for a group of offers: each visitor gets an offer that takes them."),
    columns=(
        ListColumn(title=lazy_gettext("Name"), below=lazy_gettext("Description"), role="title", cell=_name),
        ListColumn(title=lazy_gettext("Link"), cell=_url),
        ListColumn(title=lazy_gettext("Your request"), below=lazy_gettext("Reason"), cell=_state),
        ListColumn(title=lazy_gettext("Action"), role="act", is_hidden_title=True, cell=_ask),
    ),
    empty=lazy_gettext("The network has no SmartLinks."),
    empty_links=lambda _: [PageLink(gettext("Choose an offer"), "/portal/offers")],
)
declare_list(pages, SMARTLINKS)


@pages.post(f"{_PATH}/{{id}}/request", audience="affiliate", needs=(tickets_api.request_smartlink,))
def ask(request: PageRequest) -> PageAnswer:
    """Ask for the connection to the offers of a SmartLink."""
    found = request.calls.ask(smartlinks_api.list_for_affiliates).data
    wanted = next((each for each in found if each._id == request.key), None)
    if wanted is None:
        raise NotFound
    comment = request.field("comment").strip()
    if not comment:
        return _again(request, comment, _NO_COMMENT)
    try:
        sent = [("smartlink_id", wanted._id), ("comment", comment[:LONGEST_COMMENT])]
        message = request.calls.ask(tickets_api.request_smartlink, sent).message
    except BadInput as refusal:
        fault = _NO_OFFER if "smartlink_id" in (refusal.fields or {}) else sentences_of(refusal)
        return _again(request, comment, fault)
    return Redirect(_PATH, f"{wanted.name}: {gettext(_ANSWERS.get(message, message))}")


def _again(request: PageRequest, comment: str, fault: str) -> PageAnswer:
    """Return the page with a request that was not sent."""
    shown_at = replace(request, address=PageAddress(_PATH))
    return answer_list(
        SMARTLINKS, shown_at, status=400, refused={"id": request.key, "comment": comment, "fault": fault}
    )
