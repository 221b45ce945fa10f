"""The page of a link that stops mails, without a sign-in (docs/spec/mails.md#links-that-stop-mails)."""

from trackyard.actions.events.stops import STOP_PAGE, StoppableMail, get_stoppable, switch_mails
from trackyard.base.errors import NotFound
from trackyard.base.strangers import StrangerAct
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()


@pages.get(STOP_PAGE, audience="anyone")
def show(request: PageRequest) -> PageAnswer:
    """Show which mails the link stops, with a button.

    It changes nothing: programs open the links of mails, too.
    """
    try:
        return _page(request, get_stoppable(request.deps, request.address.get("key")))
    except NotFound:
        return _ended(request)


@pages.post(STOP_PAGE, audience="anyone", act=StrangerAct.USE_LINK)
def switch(request: PageRequest) -> PageAnswer:
    """Stop the mails, or switch them on again. Mail programs send the form of RFC 8058, which stops them."""
    try:
        is_on = request.field("on") == "1"
        found = switch_mails(request.deps, request.address.get("key"), request.client, is_on=is_on)
    except NotFound:
        return _ended(request)
    return _page(request, found, is_done=True)


def _page(request: PageRequest, found: StoppableMail, *, is_done: bool = False) -> Html:
    return request.page("account/stop_mails.html", found=found, is_done=is_done, to=str(request.address))


def _ended(request: PageRequest) -> Html:
    return request.page("account/stop_ended.html", 404)
