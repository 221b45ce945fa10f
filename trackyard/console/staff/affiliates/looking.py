"""Looking at the portal as an affiliate sees it (docs/spec/console.md#looking-as-an-affiliate)."""

from trackyard.base.errors import Conflict
from trackyard.console.frame.answers import Looks, PageAnswer
from trackyard.console.frame.looks import seal_look
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.affiliates.one import find_affiliate, page_of

pages = Pages()


@pages.post("/console/affiliates/{id}/look-as", needs=("admin.partner.get", "admin.partner.look_as"))
def look(request: PageRequest) -> PageAnswer:
    """Show the portal as the affiliate sees it."""
    try:
        answer = request.calls.call("admin.partner.look_as", path={"id": request.path["id"]})
    except Conflict as refusal:
        sentence = " ".join(each for sentences in (refusal.fields or {}).values() for each in sentences)
        return page_of(request, find_affiliate(request), sentence, 409)
    return Looks("/portal/", seal_look(request, answer["id"]))


@pages.post("/console/end-look")
def end_look(request: PageRequest) -> PageAnswer:
    """End the look, and lead back to the affiliate."""
    affiliate = request.field("affiliate")
    is_number = affiliate.isascii() and affiliate.isdecimal() and len(affiliate) < 10
    return Looks(f"/console/affiliates/{affiliate}" if is_number else "/console/")
