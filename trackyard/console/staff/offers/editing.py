"""Creating, editing and copying an offer (docs/spec/console.md#offers)."""

from datetime import UTC, datetime
from typing import Final

from trackyard.api.offers import lists, offers
from trackyard.api.offers.view import OfferView
from trackyard.api.platform import domains as domains_api
from trackyard.base.errors import AccessDenied
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.base.zones import find_zone
from trackyard.console.forms import flat_pairs, open_form
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import ADVERTISERS, PRODUCT_FEEDS
from trackyard.console.money.words import currency_choices
from trackyard.console.offers_shown.choices import Choices, categories, smartlink_choices, source_choices
from trackyard.console.offers_shown.who_gets_through import sentences
from trackyard.console.staff.offers.effects import find_effect
from trackyard.console.staff.offers.one import find_offer, may_write
from trackyard.console.staff.offers.plan import DEVICES, EDIT, NEW
from trackyard.domain.tracking.subs import SUBS
from trackyard.wire.response.envelope import values_by_name

pages = Pages()

_WITHOUT_FIELDS: Final = ("targeting", "sub_restrictions")
"""Conditions that a copy keeps, and for which the form has no field."""


@pages.get("/console/offers/new", needs=(offers.add,))
@pages.post("/console/offers/new", needs=(offers.add,))
def new_offer(request: PageRequest) -> PageAnswer:
    """Create an offer, or a copy of the offer in the address."""
    copied, values, fixed = _find_copied(request), None, list[Pair]()
    if copied is not None:
        title = gettext("Copy of %(title)s", title=copied.title)[:500]
        values = values_of(request, copied) | {"title": title, "status": "stopped"}
        fixed = [pair for name in _WITHOUT_FIELDS for pair in flat_pairs(name, values[name])]
    form = open_form(request, NEW, values, choices=_choices(request), fixed=fixed, is_new=True)
    answer = form.save()
    if answer is not None:
        offer = answer.offer
        return Redirect(f"/console/offers/{offer.id}", gettext("%(title)s is created.", title=offer.title))
    return form.page(
        request,
        gettext("New offer") if copied is None else gettext("New offer like %(copied)s", copied=copied.title),
        back="/console/offers",
        line=gettext("Nothing is saved yet. A stopped offer takes no clicks until you activate it."),
        save=gettext("Create the offer"),
    )


@pages.get("/console/offers/{id}/edit", needs=(lists.get, offers.edit))
@pages.post("/console/offers/{id}/edit", needs=(lists.get, offers.edit))
def edit_offer(request: PageRequest) -> PageAnswer:
    """Change an offer."""
    offer = find_offer(request)
    if not may_write(request, offer):
        raise AccessDenied
    path = f"/console/offers/{offer.id}"
    form = open_form(request, EDIT, values_of(request, offer), choices=_choices(request), path={"id": str(offer.id)})
    answer = form.save()
    if answer is not None:
        count = len(form.changes)
        title = answer.offer.title
        done = ngettext("%(title)s: 1 change is saved.", "%(title)s: %(num)d changes are saved.", count, title=title)
        return Redirect(path, done)
    return form.page(
        request,
        gettext("Edit %(title)s", title=offer.title),
        back=path,
        line=gettext("Nothing is saved yet. Affiliates see a change at once."),
        template="staff/offer_form.html",
        sentences=sentences(offer, request.time_of),
        effect=find_effect(request, form, offer.id),
    )


def _find_copied(request: PageRequest) -> OfferView | None:
    """Return the offer to copy; None where the address has none. Raises NotFound."""
    copied = request.address.get("copy")
    return request.calls.ask_as(lists.OneOfferAnswer, lists.get, path={"id": copied}).offer if copied else None


def values_of(request: PageRequest, offer: OfferView) -> dict[str, object]:
    """Return an offer's values by parameter name."""
    schedule = values_by_name(offer.schedule)
    if offer.schedule.date_start:
        zone = find_zone(offer.schedule.timezone)
        moment = datetime.fromtimestamp(offer.schedule.date_start.sec, UTC).astimezone(zone or request.deps.zone)
        schedule["date_start"] = moment.date().isoformat()
    domains = {host: number for number, host in _domains(request)}
    return values_by_name(offer) | {
        "schedule": schedule,
        "stop_date": (offer.stop_at or "")[:10],
        "domain_id": domains.get(offer.domain_url, ""),
        "caps": [values_by_name(cap) | {"goals": list(cap.goals)} for cap in offer.caps],
    }


def _choices(request: PageRequest) -> dict[str, Choices]:
    """Return the choices by field.

    A field has no choices where there are too many, or where the person may not see them.
    """
    calls = request.calls
    currencies = currency_choices(request)
    return {
        "payments[currency]": currencies,
        "partner_payments[currency]": currencies,
        "advertiser": ADVERTISERS.choices(calls),
        "categories": categories(calls),
        "sources": source_choices(calls),
        "smartlink_categories": smartlink_choices(calls),
        "product_feed_id": PRODUCT_FEEDS.choices(calls),
        "domain_url": _domains(request),
        "strictly_devices": DEVICES,
        "payments[devices]": DEVICES,
        "partner_payments[devices]": DEVICES,
        "search_empty_sub": tuple((name.removeprefix("sub"), name) for name in SUBS),
    }


def _domains(request: PageRequest) -> Choices:
    if not request.calls.may(domains_api.list_all):
        return ()
    return tuple((number, each.url) for number, each in request.calls.ask(domains_api.list_all).domains.items())
