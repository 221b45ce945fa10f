"""The page of one offer: conditions, figures, actions (docs/spec/console.md#offers)."""

from dataclasses import dataclass, replace
from typing import Final

from trackyard.api.conversions import edits
from trackyard.api.offers import lists as lists_api
from trackyard.api.offers import offers
from trackyard.api.offers.view import OfferFields, OfferView
from trackyard.api.offers.view_parts import OfferPaymentView, PersonalPaymentView
from trackyard.api.statistics import health, reports
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES
from trackyard.console.offers_shown.cap_lists import CapLists
from trackyard.console.offers_shown.caps import find_meters
from trackyard.console.offers_shown.payments import payment_conditions, payment_goal
from trackyard.console.offers_shown.who_gets_through import sentences
from trackyard.console.offers_shown.words import charge, payout
from trackyard.console.people.threads import threads_card
from trackyard.console.staff.offers.click_test import DEVICES, find_click_test
from trackyard.console.staff.offers.links import find_links
from trackyard.console.staff.results import with_results
from trackyard.console.system.audit_log import recent_changes
from trackyard.domain.offers.choices import OfferStatus
from trackyard.domain.people.threads import ThreadSubject

pages = Pages()

_HIDDEN: Final = "***"
"""What the API shows of codes to people who may not write the offer."""
_STATUS_DONE: Final = {
    "active": lazy_gettext("takes clicks"),
    "stopped": lazy_gettext("is stopped"),
    "suspended": lazy_gettext("takes no more clicks"),
}


@dataclass(frozen=True, slots=True)
class PaymentRow:
    """A payment in words."""

    goal: str
    partners: tuple[int, ...]
    only: str
    charge: str
    payout: str
    margin: str


def find_offer(request: PageRequest) -> OfferView:
    """Return the offer of the path. Raises NotFound."""
    return request.calls.ask_as(lists_api.OneOfferAnswer, lists_api.get, path={"id": request.key}).offer


def may_write(request: PageRequest, offer: OfferFields) -> bool:
    """Return whether the person may change this offer. Managers may change their advertisers' offers."""
    return request.calls.may(offers.edit) and offer.pixel_code != _HIDDEN


def _may_see_health(request: PageRequest, offer: OfferView) -> bool:
    """Return whether the person may see the health. Managers see it for offers of their advertisers."""
    if not request.calls.may(health.of_offer):
        return False
    return may_write(request, offer) or not request.calls.may(offers.edit)


@pages.get("/console/offers/{id}", needs=(lists_api.get,))
def offer_page(request: PageRequest) -> PageAnswer:
    """Show an offer."""
    return page_of(request, find_offer(request))


def page_of(request: PageRequest, offer: OfferView, file_fault: str = "", status: int = 200) -> Html:
    """Return the page of an offer. file_fault: why the files that were sent were refused."""
    path, calls = f"/console/offers/{offer.id}", request.calls
    request = replace(request, address=PageAddress(path, request.address.pairs))
    titles = ADVERTISERS.names(calls, [offer.advertiser])
    capped = [offer] if offer.caps or offer.personal_limits else []
    lists = CapLists.of(request, capped)
    meters = find_meters(calls, [each.id for each in capped], request.deps.currency, lists.link)
    payments = [*offer.partner_payments, *offer.payments]
    page = request.page(
        "staff/offer.html",
        status,
        offer=offer,
        address=request.address,
        may_count=calls.may(reports.custom),
        file_fault=file_fault,
        addresses=request.field("addresses") if file_fault else "",
        activity=recent_changes(request, "offer", str(offer.id)),
        written=threads_card(request, ThreadSubject.OFFER, offer.id),
        advertiser=titles.get(offer.advertiser, ""),
        rule=OfferStatus(offer.status).rule,
        sentences=sentences(offer, request.time_of),
        payments=[payment_row(each) for each in payments],
        meters=meters.get(offer.id, []),
        links=find_links(request, offer),
        affiliates=AFFILIATES.choices(calls),
        click_test=find_click_test(request, offer.id),
        devices=DEVICES,
        may_write=may_write(request, offer),
        may_release=offer.quality == "hold" and calls.may(edits.release),
        may_see_health=_may_see_health(request, offer),
        may_add=calls.may(offers.add),
        may_remove=may_write(request, offer) and calls.may(offers.remove),
        api_request_path=calls.address(lists_api.get, path={"id": str(offer.id)}),
    )
    return with_results(request, page, [("filter[offer][]", str(offer.id))], lists=_lists(offer.id))


def _lists(offer: int) -> list[tuple[str, str]]:
    """Return the lists of what an offer counts."""
    return [
        (f"/console/conversions?offer={offer}", gettext("Conversions")),
        (f"/console/clicks?offer={offer}", gettext("Clicks")),
        (f"/console/clicks?offer={offer}&verdict=rejected", gettext("Rejected clicks")),
        (f"/console/reports?by=day&f.offer={offer}", gettext("Open as report")),
        (f"/console/promo-codes?offer={offer}", gettext("Promo codes")),
        (f"/console/ad-costs?offer={offer}", gettext("Ad costs")),
    ]


@pages.post("/console/offers/{id}/status", needs=(offers.edit,))
def set_status(request: PageRequest) -> PageAnswer:
    """Activate, pause or stop an offer."""
    status = request.field("status")
    offer = request.calls.ask(offers.edit, [("status", status)], {"id": request.key}).offer
    return Redirect(f"/console/offers/{offer.id}", f"{offer.title} {_STATUS_DONE[offer.status]}.")


@pages.get("/console/offers/{id}/delete", needs=(lists_api.get, offers.remove))
def ask_before_removal(request: PageRequest) -> PageAnswer:
    """Ask whether an offer shall be removed, and say what stays."""
    offer = find_offer(request)
    return request.page("staff/offer_delete.html", offer=offer)


@pages.post("/console/offers/{id}/delete", needs=(offers.remove,))
def remove(request: PageRequest) -> PageAnswer:
    """Remove an offer."""
    offer = find_offer(request)
    request.calls.ask(offers.remove, [("offer_id[]", str(offer.id))])
    return Redirect(
        "/console/offers",
        gettext("%(title)s is removed. Its clicks and conversions stay in reports.", title=offer.title),
    )


def payment_row(payment: OfferPaymentView) -> PaymentRow:
    """Return a payment in words."""
    is_alike = payment.type != "mixed" and payment.total
    share = 1 - payment.revenue / payment.total if is_alike else None
    partners = tuple(payment.partners) if isinstance(payment, PersonalPaymentView) else ()
    return PaymentRow(
        payment_goal(payment),
        partners,
        payment_conditions(payment),
        charge(payment),
        payout(payment),
        shown.percent(share, 0),
    )
