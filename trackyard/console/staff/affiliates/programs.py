"""The offers, postbacks and referrals of an affiliate, as far as the person may see them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Generic, TypeVar

from trackyard.api.offers import lists
from trackyard.api.offers.view_affiliate import AffiliateOfferView
from trackyard.api.people import affiliates
from trackyard.api.tracking import postbacks
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.words import payout
from trackyard.console.staff.affiliates.words import MARKS, STATUSES
from trackyard.console.staff.offers.one import PaymentRow, may_write, payment_row
from trackyard.console.staff.people_names import affiliate_name

MOST: Final = 25
"""Rows of each list."""
L = TypeVar("L")
"""A row of a list."""


@dataclass(frozen=True, slots=True)
class OpenOffer:
    """An offer that the affiliate may send traffic to. more: the number of further payments."""

    id: int
    title: str
    payout: str
    more: int


@dataclass(frozen=True, slots=True)
class OwnPayout:
    """A payment of an offer for this affiliate. may_write: whether the person may change the offer."""

    offer: int
    title: str
    payment: PaymentRow
    may_write: bool


@dataclass(frozen=True, slots=True)
class PostbackLine:
    """A postback of the affiliate. paused: the time since when its deliveries wait, "" = they are sent."""

    id: int
    url: str
    offer: str
    events: str
    paused: str


@dataclass(frozen=True, slots=True)
class ReferredLine:
    """An affiliate that this one referred."""

    id: int
    name: str
    status: str
    mark: str


@dataclass(frozen=True, slots=True)
class Listed(Generic[L]):
    """The first rows of a list. total: the number of all rows."""

    rows: Sequence[L]
    total: int


def find_programs(request: PageRequest, number: int) -> dict[str, object]:
    """Return the values of the template; None where the person may not see a value."""
    offers = _offers(request, number)
    return {
        "offers": offers,
        "payouts": None if offers is None else _payouts(request, number, [each.id for each in offers.rows]),
        "postbacks": _postbacks(request, number),
        "referrals": _referrals(request, number),
    }


def _offers(request: PageRequest, number: int) -> Listed[OpenOffer] | None:
    if not request.calls.may(lists.list_live):
        return None
    answer = request.calls.ask(lists.list_live, [("pid", str(number)), ("limit", str(MOST))])
    return Listed([_open_offer(each) for each in answer.offers], answer.pagination.total_count)


def _open_offer(offer: AffiliateOfferView) -> OpenOffer:
    best = max(offer.payments, key=lambda payment: payment.revenue, default=None)
    return OpenOffer(offer.id, offer.title, payout(best) if best else "", max(len(offer.payments) - 1, 0))


def _payouts(request: PageRequest, number: int, offers: Sequence[int]) -> list[OwnPayout] | None:
    """Return the personal payments of the affiliate in these offers."""
    if not request.calls.may(lists.list_offers):
        return None
    if not offers:
        return []
    sent = [("int_id[]", str(each)) for each in offers]
    found = request.calls.ask_as(lists.OffersAnswer, lists.list_offers, [*sent, ("limit", str(MOST))]).offers
    return [
        OwnPayout(offer.id, offer.title, payment_row(payment), may_write(request, offer))
        for offer in found
        for payment in offer.partner_payments
        if number in payment.partners
    ]


def _postbacks(request: PageRequest, number: int) -> Listed[PostbackLine] | None:
    if not request.calls.may(postbacks.list_):
        return None
    answer = request.calls.ask(postbacks.list_, [("partner_id[]", str(number)), ("limit", str(MOST))])
    lines = [
        PostbackLine(
            each.id,
            each.url,
            each.offer_id or "",
            ", ".join(part for part in (each.status, each.goal and gettext("goal %(goal)s", goal=each.goal)) if part),
            each.paused or "",
        )
        for each in answer.postbacks
    ]
    return Listed(lines, answer.pagination.total_count)


def _referrals(request: PageRequest, number: int) -> Listed[ReferredLine]:
    answer = request.calls.ask(affiliates.list_referrals, [("limit", str(MOST))], {"id": str(number)})
    lines = [
        ReferredLine(each.id, affiliate_name(each), STATUSES[each.status], MARKS[each.status])
        for each in answer.referrals.values()
    ]
    return Listed(lines, answer.pagination.total_count)
