"""The way of a new installation to its first conversion: the card "Start here" of the overview."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Final

from trackyard.api.conversions import conversions
from trackyard.api.offers import lists
from trackyard.api.offers.view import ListedOfferView
from trackyard.api.people import advertisers, affiliates
from trackyard.api.people.advertisers import AdvertiserView
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.statistics import clicks
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import Pair
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import total_of

_ONE: Final[tuple[Pair, ...]] = (("limit", "1"),)
_NEEDS: Final = (
    *(advertisers.list_, lists.list_offers, affiliates.list_, lists.list_own),
    *(conversions.list_conversions, clicks.list_clicks),
)
"""Methods of the card: people who may not call them all do not take the steps."""


@dataclass(frozen=True, slots=True)
class FirstStep:
    """One step.

    detail: the current state, or what to do.
    verb, link: the text and link of its button, "" = none.
    copy: the text to copy, "" = none.
    """

    title: str
    detail: str
    is_done: bool
    verb: str = ""
    link: str = ""
    copy: str = ""


@dataclass(frozen=True, slots=True)
class _Present:
    """The first things of the installation; None where there is none. click: the id of the newest click."""

    advertiser: AdvertiserView | None
    offer: ListedOfferView | None
    affiliate: AffiliateView | None
    link: str
    click: str


def find_steps(request: PageRequest) -> list[FirstStep]:
    """Return the steps to the first conversion; [] once there is one, and for people who cannot take them."""
    if not all(request.calls.may(each) for each in _NEEDS):
        return []
    sent = [("date_from", "2000-01-01"), *_ONE]
    if total_of(request.calls.ask(conversions.list_conversions, sent)):
        return []
    return list(_steps(request, _present(request)))


def _present(request: PageRequest) -> _Present:
    calls = request.calls
    advertiser = next(iter(calls.ask(advertisers.list_, _ONE).advertisers), None)
    offer = next(iter(calls.ask_as(lists.OffersAnswer, lists.list_offers, _ONE).offers), None)
    affiliate = next(iter(calls.ask(affiliates.list_, _ONE).partners), None)
    link = _link(request, affiliate.id) if affiliate and offer else ""
    today = request.deps.clock.now_ms()
    return _Present(advertiser, offer, affiliate, link, _newest_click(request, today) if link else "")


def _link(request: PageRequest, affiliate: int) -> str:
    """Return the first link that the affiliate may send traffic to; "" without one."""
    found = request.calls.ask(lists.list_own, [("pid", str(affiliate)), *_ONE]).offers
    return next((link.url for offer in found for link in offer.links), "")


def _newest_click(request: PageRequest, now_ms: int) -> str:
    first, last = _day(request, now_ms - 30 * 86_400_000), _day(request, now_ms)
    found = request.calls.ask(clicks.list_clicks, [("date_from", first), ("date_to", last), *_ONE]).clicks
    return found[0].id if found else ""


def _day(request: PageRequest, ms: int) -> str:
    return datetime.fromtimestamp(ms / 1000, request.deps.zone).date().isoformat()


def _steps(request: PageRequest, present: _Present) -> Iterator[FirstStep]:
    """Yield the steps in their order."""
    yield _thing(
        request,
        gettext("An advertiser"),
        present.advertiser.title if present.advertiser else None,
        "/console/advertisers/new",
        gettext("Add an advertiser"),
    )
    offer = present.offer.title if present.offer else None
    yield _thing(request, gettext("An offer"), offer, "/console/offers/new", gettext("Add an offer"))
    yield _thing(
        request,
        gettext("An affiliate"),
        present.affiliate.login if present.affiliate else None,
        "/console/affiliates/new",
        gettext("Invite an affiliate"),
    )
    yield _click_step(request, present)
    yield _postback_step(request, present)


def _thing(request: PageRequest, title: str, found: str | None, path: str, verb: str) -> FirstStep:
    """Return the step that makes a thing. found: what it is called, None = it is not there."""
    if found is not None:
        return FirstStep(title, found, True)
    has_page = request.may_open(path)
    detail = "" if has_page else gettext("Make it with the API: see the API documentation in your menu.")
    return FirstStep(title, detail, False, verb if has_page else "", path if has_page else "")


def _click_step(request: PageRequest, present: _Present) -> FirstStep:
    title = gettext("A click on the affiliate's link")
    if present.click:
        return FirstStep(title, gettext("The newest click is %(click)s.", click=present.click), True, copy=present.link)
    if present.link:
        return FirstStep(
            title, gettext("Open it in another window: this records a real click."), False, copy=present.link
        )
    if present.offer is None or present.affiliate is None:
        return FirstStep(title, gettext("The link is here once there are an offer and an affiliate."), False)
    path = f"/console/offers/{present.offer.id}"
    detail = gettext("The affiliate has no offer to send traffic to: activate the offer and connect the affiliate.")
    return FirstStep(title, detail, False, gettext("Open the offer"), path)


def _postback_step(request: PageRequest, present: _Present) -> FirstStep:
    title = gettext("The advertiser's postback")
    if not present.click or present.advertiser is None:
        return FirstStep(title, gettext("Its URL is here once there is a click."), False)
    url = present.advertiser.postback_url.replace("clickid=CLICK", f"clickid={present.click}")
    detail = gettext("Open it as the advertiser's server would, then reload this page: it shows the first conversion.")
    return FirstStep(title, detail, False, copy=url)
