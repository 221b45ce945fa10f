"""The SmartLinks of an affiliate, and its requests for their offers (docs/spec/console.md#portal)."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final
from urllib.parse import urlencode

from trackyard.api.offers import smartlinks as smartlinks_api
from trackyard.api.offers import tickets as tickets_api
from trackyard.api.offers.smartlinks import AffiliateSmartLinkView
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.portal.offer import LONGEST_COMMENT
from trackyard.console.portal.offers import request_state
from trackyard.console.portal.words import sentences_of

pages = Pages()

_PATH: Final = "/portal/smartlinks"
_REQUESTS: Final = 1000
"""The newest requests of the affiliate, among which the page looks for those for SmartLinks."""
_NO_COMMENT: Final = lazy_gettext("Say how you want to promote the offers.")
_NO_OFFER: Final = lazy_gettext("This SmartLink has no offer yet. Ask again later.")
_ANSWERS: Final[Mapping[str, str]] = {
    "The request is sent": lazy_gettext("The request is sent."),
    "The request is sent already": lazy_gettext("The request waits already."),
    "Connected to the offers of the SmartLink already": lazy_gettext("You have all offers of this SmartLink already."),
}
"""Message of the API to its sentence."""


@dataclass(frozen=True, slots=True)
class SmartLinkRow:
    """A SmartLink and the newest request for it.

    kind, word: the mark of the request; "" without one. reason: of a rejection.
    """

    id: str
    name: str
    description: str
    url: str
    kind: str
    word: str
    reason: str
    is_open: bool


@dataclass(frozen=True, slots=True)
class RefusedRequest:
    """A request that was not sent, to show the form again."""

    id: str
    comment: str
    fault: str


@pages.get(_PATH, audience="affiliate", needs=(smartlinks_api.list_for_affiliates,))
def smartlinks(request: PageRequest) -> PageAnswer:
    """Show each SmartLink with the link of the affiliate."""
    return _page(request, _find_all(request))


@pages.post(f"{_PATH}/{{id}}/request", audience="affiliate", needs=(tickets_api.request_smartlink,))
def ask(request: PageRequest) -> PageAnswer:
    """Ask for the connection to the offers of a SmartLink."""
    found = _find_all(request)
    wanted = next((each for each in found if each._id == request.key), None)
    if wanted is None:
        raise NotFound
    comment = request.field("comment").strip()
    if not comment:
        return _page(request, found, RefusedRequest(wanted._id, comment, _NO_COMMENT))
    try:
        sent = [("smartlink_id", wanted._id), ("comment", comment[:LONGEST_COMMENT])]
        message = request.calls.ask(tickets_api.request_smartlink, sent).message
    except BadInput as refusal:
        fault = _NO_OFFER if "smartlink_id" in (refusal.fields or {}) else sentences_of(refusal)
        return _page(request, found, RefusedRequest(wanted._id, comment, fault))
    return Redirect(_PATH, f"{wanted.name}: {gettext(_ANSWERS.get(message, message))}")


def _find_all(request: PageRequest) -> list[AffiliateSmartLinkView]:
    return request.calls.ask(smartlinks_api.list_for_affiliates).data


def _page(
    request: PageRequest, found: list[AffiliateSmartLinkView], refused: RefusedRequest | None = None
) -> PageAnswer:
    calls = request.calls
    asked = _newest_requests(request) if found and calls.may(tickets_api.list_own) else {}
    return request.page(
        "portal/smartlinks.html",
        400 if refused else 200,
        rows=[_row(each, asked.get(each._id), request.person.caller.id) for each in found],
        may_ask=calls.may(tickets_api.request_smartlink),
        refused=refused,
        longest_comment=LONGEST_COMMENT,
        api_request_path=calls.address(smartlinks_api.list_for_affiliates),
    )


def _newest_requests(request: PageRequest) -> dict[str, tickets_api.OwnTicketView]:
    """Return the newest request for each SmartLink, by SmartLink."""
    tickets = request.calls.ask(tickets_api.list_own, [("limit", str(_REQUESTS))]).tickets
    return {each.smartlink_id: each for each in reversed(tickets) if each.smartlink_id}


def _row(category: AffiliateSmartLinkView, asked: tickets_api.OwnTicketView | None, pid: int | str) -> SmartLinkRow:
    kind, word = request_state(asked) if asked else ("", "")
    return SmartLinkRow(
        id=category._id,
        name=category.name,
        description=category.description or "",
        url=_link(category, pid),
        kind=kind,
        word=word,
        reason=asked.reason if asked else "",
        is_open=asked is not None and asked.status == "open",
    )


def _link(category: AffiliateSmartLinkView, pid: int | str) -> str:
    scheme = "https" if category.use_https else "http"
    return f"{scheme}://{category.domain}/sl?{urlencode({'id': category._id, 'pid': pid})}"
