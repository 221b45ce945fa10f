"""The creatives and the logo of an offer: add and remove (docs/spec/console.md#offers)."""

from typing import Final

from trackyard.api.offers import lists, offers
from trackyard.api.platform import files
from trackyard.base.errors import BadInput, UnsupportedMediaType
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.offers.one import find_offer, page_of
from trackyard.wire.endpoint import UPLOAD_MAX

pages = Pages()

_ADDRESSES: Final = "creativeUrls[]"


@pages.post("/console/offers/{id}/files", needs=(lists.get, offers.edit), body_max=UPLOAD_MAX)
def add_files(request: PageRequest) -> PageAnswer:
    """Add creatives, as files and as addresses of other sites, and replace the logo."""
    lines = (line.strip() for line in request.field("addresses").splitlines())
    addresses: list[Pair] = [(_ADDRESSES, line) for line in lines if line]
    if not request.files and not addresses:
        return _refused(request, gettext("Choose a file or write a URL first."))
    try:
        request.calls.ask(offers.edit, addresses, {"id": request.key}, request.files)
    except BadInput as refusal:
        return _refused(request, fault_of(refusal))
    except UnsupportedMediaType:
        return _refused(request, gettext("Creatives are JPEG, PNG or GIF pictures and ZIP archives, logos pictures."))
    return Redirect(_back(request), gettext("The files are saved."))


@pages.post("/console/offers/{id}/files/remove", needs=(lists.get, files.remove))
def remove_files(request: PageRequest) -> PageAnswer:
    """Remove the chosen creatives."""
    chosen = [("creatives[]", value) for name, value in request.form if name == "creative"]
    if not chosen:
        return _refused(request, gettext("Choose the files that shall go first."))
    try:
        gone = request.calls.ask(files.remove, chosen, {"id": request.key}).removed
    except BadInput as refusal:
        return _refused(request, fault_of(refusal))
    return Redirect(_back(request), ngettext("%(num)d file is removed.", "%(num)d files are removed.", len(gone)))


def _refused(request: PageRequest, fault: str) -> Html:
    return page_of(request, find_offer(request), fault, BadInput.status)


def _back(request: PageRequest) -> str:
    return f"/console/offers/{int(request.key)}#files"
