"""Changes of the offers that are selected in the list (docs/spec/console.md#offers)."""

from collections.abc import Callable, Mapping, Sequence
from typing import Final

from trackyard.api.offers import connections, lists
from trackyard.api.offers import offers as offers_api
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import back_to
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.methods import OneOf
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.words import STATUSES
from trackyard.console.staff.faults import fault_of

pages = Pages()

PATH: Final = "/console/offers"
_LONGEST_TAG: Final = 200


@pages.post(f"{PATH}/selected", needs=(lists.list_offers, OneOf((offers_api.update, connections.enable_affiliate))))
def change_selected(request: PageRequest) -> PageAnswer:
    """Change the selected offers, or the one of a row's menu."""
    back = back_to(PATH, request.field("back"))
    status, _, one = request.field("one").partition(" ")
    chosen = [one] if one else list(dict.fromkeys(value for name, value in request.form if name == "offer"))
    change = _set_status if one else _CHANGES.get(request.field("do"))
    if change is None or not chosen:
        return Redirect(back, gettext("Nothing is changed: select offers first."))
    try:
        return Redirect(back, change(request, chosen, status))
    except RequestError as refusal:
        return Redirect(back, gettext("Nothing is changed. %(fault)s", fault=fault_of(refusal)))


def _set_status(request: PageRequest, offers: Sequence[str], status: str) -> str:
    status = status or request.field("status")
    request.calls.ask(offers_api.update, [*_sent(offers), ("status", status)])
    name = str(STATUSES.get(status, status)).lower()
    return ngettext("1 offer is %(status)s now.", "%(num)d offers are %(status)s now.", len(offers), status=name)


def _connect(request: PageRequest, offers: Sequence[str], _status: str) -> str:
    affiliate = request.field("affiliate").strip()
    if not affiliate:
        return gettext("Nothing is changed: name the affiliate.")
    request.calls.ask(connections.enable_affiliate, [*_sent(offers), ("pid", affiliate)])
    return ngettext(
        "Affiliate %(affiliate)s may send clicks to the offer. It gets a mail if the offer is new to it.",
        "Affiliate %(affiliate)s may send clicks to the %(num)d offers. It gets a mail about its new offers.",
        len(offers),
        affiliate=affiliate,
    )


def _add_tag(request: PageRequest, offers: Sequence[str], _status: str) -> str:
    """Add a tag to each offer that lacks it. Offers before a refusal keep it."""
    tag = request.field("tag").strip()[:_LONGEST_TAG]
    if not tag:
        return gettext("Nothing is changed: write the tag.")
    done = 0
    for offer in offers:
        tags = request.calls.ask_as(lists.OneOfferAnswer, lists.get, path={"id": offer}).offer.tags
        if tag not in tags:
            sent = [("tags[]", each) for each in (*tags, tag)]
            try:
                request.calls.ask(offers_api.edit, sent, {"id": offer})
            except RequestError as refusal:
                fault = gettext("Offer %(number)s: %(fault)s", number=offer, fault=fault_of(refusal))
                return f"{_tagged(done, tag)} {fault}"
            done += 1
    return _tagged(done, tag)


def _tagged(count: int, tag: str) -> str:
    return ngettext("1 offer has the tag %(tag)s now.", "%(num)d offers more have the tag %(tag)s now.", count, tag=tag)


def _sent(offers: Sequence[str]) -> list[tuple[str, str]]:
    return [("offer_id[]", each) for each in offers]


_CHANGES: Final[Mapping[str, Callable[[PageRequest, Sequence[str], str], str]]] = {
    "status": _set_status,
    "connect": _connect,
    "tag": _add_tag,
}
"""What can be done with the selected offers, by the button's value."""
