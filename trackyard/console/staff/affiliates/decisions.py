"""What staff decide about an affiliate: its status, its manager, its offers."""

from typing import Final

from trackyard.api.offers import connections
from trackyard.api.people import affiliates
from trackyard.base.errors import BadInput, Conflict, RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import Pair, back_to
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.affiliates.one import find_affiliate, page_of
from trackyard.console.staff.affiliates.words import DONE
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.notes import signed_note
from trackyard.console.staff.people_names import affiliate_name, manager_name

pages = Pages()

_LIST: Final = "/console/affiliates"


@pages.post("/console/affiliates/{id}/status", needs=(affiliates.edit,))
def set_status(request: PageRequest) -> PageAnswer:
    """Approve, reject, block or activate an affiliate."""
    sent: list[Pair] = [("status", request.field("status"))]
    if request.field("email_confirmed") == "1":
        sent.append(("email_confirmed", "1"))
    for name in ("status_reason", "message"):
        if words := request.field(name).strip():
            sent.append((name, words))
    try:
        affiliate = request.calls.ask(affiliates.edit, sent, {"id": request.key}).partner
    except (BadInput, Conflict) as refusal:
        return page_of(request, find_affiliate(request), fault_of(refusal), refusal.status)
    return Redirect(_back(request), DONE[affiliate.status].format(name=affiliate_name(affiliate)))


@pages.post("/console/affiliates/{id}/manager", needs=(affiliates.edit,))
def set_manager(request: PageRequest) -> PageAnswer:
    """Give an affiliate another manager."""
    sent = [("manager_id", request.field("manager_id"))]
    affiliate = request.calls.ask(affiliates.edit, sent, {"id": request.key}).partner
    manager = manager_name(affiliate.manager)
    name = affiliate_name(affiliate)
    return Redirect(
        _page(request),
        gettext("%(manager)s manages %(name)s now.", manager=manager, name=name)
        if manager
        else gettext("No one manages %(name)s now.", name=name),
    )


@pages.post("/console/affiliates/{id}/note", needs=(affiliates.show, affiliates.edit))
def add_note(request: PageRequest) -> PageAnswer:
    """Add a note of staff, with its author and time."""
    try:
        request.calls.ask(affiliates.edit, [("add_note", signed_note(request))], {"id": request.key})
    except BadInput as refusal:
        return page_of(request, find_affiliate(request), fault_of(refusal), refusal.status)
    return Redirect(f"{_page(request)}#notes", gettext("The note is saved."))


@pages.post("/console/affiliates/{id}/connect", needs=(connections.enable_affiliate,))
def connect(request: PageRequest) -> PageAnswer:
    """Connect an affiliate to an offer, or take it off one."""
    is_on = request.field("do") != "disconnect"
    method = connections.enable_affiliate if is_on else connections.disable_affiliate
    offer = request.field("offer_id").strip()
    try:
        request.calls.ask(method, [("pid", request.key), ("offer_id[]", offer)])
    except RequestError as refusal:
        if not request.calls.may(affiliates.show):
            raise
        return page_of(request, find_affiliate(request), fault_of(refusal), refusal.status)
    done = (
        lazy_gettext("Affiliate {id} is connected to offer {offer}. It gets a mail about it.")
        if is_on
        else lazy_gettext("Affiliate {id} is taken off offer {offer}. It gets a mail about it.")
    )
    return Redirect(_page(request), done.format(id=request.key, offer=offer))


def _page(request: PageRequest) -> str:
    return f"{_LIST}/{int(request.key)}"


def _back(request: PageRequest) -> str:
    """Return the list that the form came from, or the page of the affiliate."""
    return back_to(_LIST, request.field("back")) if request.field("back") else _page(request)
