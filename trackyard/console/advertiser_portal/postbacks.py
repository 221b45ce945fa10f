"""The addresses of all offers of an advertiser (docs/spec/console.md#portal-of-advertisers)."""

from collections.abc import Mapping, Sequence
from typing import Final

from trackyard.api.people.advertiser_side import account, own_offers
from trackyard.api.people.advertiser_side.own_offers import OwnOffersAnswer, OwnOfferView
from trackyard.base.texts.marks import lazy_gettext
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.cells import ListCell, Part
from trackyard.console.lists.declared import ListColumn, ListPage, On
from trackyard.console.lists.objects import OFFERS_OF_ADVERTISER
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.addresses import goal_addresses, has_code

pages = Pages()


def _addresses(each: OwnOfferView, _on: On) -> ListCell:
    """Return the addresses of the goals of an offer, ready to copy."""
    goals = goal_addresses(each)
    part = Part("advertiser/goal_addresses.html", {"id": each.id, "title": each.title, "goals": goals})
    return ListCell(part=part, value="\n".join(goal.postback for goal in goals))


def _own(request: PageRequest, _rows: Sequence[OwnOfferView]) -> Mapping[str, object]:
    own = request.calls.ask(account.show).advertiser
    return {"own": own, "has_code": has_code(own.postback_url)}


POSTBACK_ADDRESSES: Final = ListPage[OwnOfferView, OwnOffersAnswer](
    path="/advertiser/postbacks",
    audience="advertiser",
    method=own_offers.list_,
    view=OwnOffersAnswer,
    rows=lambda _, answer: answer.offers,
    needs=(account.show,),
    title=lazy_gettext("Postback URLs"),
    counted=lambda _total: "",
    about=lazy_gettext(
        "Your server calls a postback URL for each conversion. A pixel does it from the visitor's browser."
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Offer"),
            role="title",
            longest=80,
            cell=lambda each, on: on.object(OFFERS_OF_ADVERTISER, each.id, f"#{each.id}", name=each.title),
        ),
        ListColumn(title=lazy_gettext("URLs"), cell=_addresses),
    ),
    template="advertiser/postbacks.html",
    values=_own,
    empty=lazy_gettext("You have no offers yet. The network adds them."),
)
declare_list(pages, POSTBACK_ADDRESSES)
