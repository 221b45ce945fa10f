"""Looking at the portal as an affiliate sees it (docs/spec/console.md#looking-as-an-affiliate).

The end of a look at the portal of an advertiser is here, too.
"""

import re
from typing import Final

from trackyard.api.people import affiliates
from trackyard.base.errors import Conflict
from trackyard.console.frame.answers import Looks, PageAnswer
from trackyard.console.frame.looks import seal_look
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.affiliates.one import find_affiliate, page_of
from trackyard.domain.people.callers import Account, AccountKind

pages = Pages()

_PAGES: Final = {"affiliate": re.compile(r"[0-9]{1,9}"), "advertiser": re.compile(r"[0-9a-f]{24}")}
"""What a look may be of, and the form of its id."""


@pages.post("/console/affiliates/{id}/look-as", needs=(affiliates.show, affiliates.look_as))
def look(request: PageRequest) -> PageAnswer:
    """Show the portal as the affiliate sees it."""
    try:
        answer = request.calls.ask(affiliates.look_as, path={"id": request.key})
    except Conflict as refusal:
        sentence = " ".join(each for sentences in (refusal.fields or {}).values() for each in sentences)
        return page_of(request, find_affiliate(request), sentence, 409)
    return Looks("/portal/", seal_look(request, Account(AccountKind.AFFILIATE, str(answer.id))))


@pages.post("/console/end-look")
def end_look(request: PageRequest) -> PageAnswer:
    """End the look, and lead back to the page of the affiliate or the advertiser."""
    for name, form in _PAGES.items():
        if form.fullmatch(number := request.field(name)):
            return Looks(f"/console/{name}s/{number}")
    return Looks("/console/")
