"""What staff decide about an advertiser, and looks at its portal (docs/spec/console.md#advertisers)."""

from typing import Final

from trackyard.api.people import advertisers
from trackyard.base.errors import BadInput, Conflict
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import Pair, back_to
from trackyard.console.frame.answers import Looks, PageAnswer, Redirect
from trackyard.console.frame.looks import seal_look
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.advertisers.one import find_advertiser, page_of
from trackyard.console.staff.faults import fault_of
from trackyard.domain.people.advertisers import AdvertiserStatus
from trackyard.domain.people.callers import Account, AccountKind

pages = Pages()

_LIST: Final = "/console/advertisers"


@pages.post("/console/advertisers/{id}/status", needs=(advertisers.show, advertisers.edit))
def set_status(request: PageRequest) -> PageAnswer:
    """Approve, reject or activate an advertiser, with the words that were typed."""
    sent: list[Pair] = [("status", request.field("status"))]
    if words := request.field("message").strip():
        sent.append(("message", words))
    try:
        found = request.calls.ask(advertisers.edit, sent, {"id": request.key}).advertiser
    except BadInput as refusal:
        return page_of(request, find_advertiser(request), fault_of(refusal), refusal.status)
    back = back_to(_LIST, request.field("back")) if request.field("back") else f"{_LIST}/{found.id}"
    return Redirect(back, gettext(AdvertiserStatus(found.status).rule.done).format(name=found.title))


@pages.post("/console/advertisers/{id}/look-as", needs=(advertisers.show, advertisers.look_as))
def look(request: PageRequest) -> PageAnswer:
    """Show the portal as the advertiser sees it."""
    try:
        answer = request.calls.ask(advertisers.look_as, path={"id": request.key})
    except Conflict as refusal:
        return page_of(request, find_advertiser(request), fault_of(refusal), refusal.status)
    return Looks("/advertiser/", seal_look(request, Account(AccountKind.ADVERTISER, answer.id)))
