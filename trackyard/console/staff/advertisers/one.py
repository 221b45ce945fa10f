"""The page of one advertiser: figures, offers, postback address, contact."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Final

from trackyard.api.offers import lists as lists_api
from trackyard.api.people import advertisers
from trackyard.api.statistics import reports
from trackyard.base.errors import BadInput
from trackyard.base.texts.marks import LazyText, gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import MANAGERS
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.offers_shown.words import MARKS as OFFER_MARKS
from trackyard.console.offers_shown.words import STATUSES as OFFER_STATUSES
from trackyard.console.people.threads import threads_card
from trackyard.console.staff.access import access_card, declare_access
from trackyard.console.staff.custom_answers import custom_answers
from trackyard.console.staff.faults import fault_of
from trackyard.console.staff.notes import signed_note
from trackyard.console.staff.people_names import manager_name
from trackyard.console.staff.results import with_results
from trackyard.console.system.audit_log import recent_changes
from trackyard.domain.people.advertisers import ADVERTISER_STATUS_RULES, AdvertiserStatus
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.threads import ThreadSubject

pages = Pages()

MOST: Final = 25
"""Offers of the page."""
STATUSES: Final[Mapping[str, str]] = {
    status.value: LazyText(rule.label) for status, rule in ADVERTISER_STATUS_RULES.items()
}
"""Whether an advertiser may sign in, in words."""
_HIDDEN: Final = "***"
"""What the API shows of codes to people who may not write the advertiser."""


def find_advertiser(request: PageRequest) -> advertisers.AdvertiserView:
    """Return the advertiser of the path. Raises NotFound."""
    return request.calls.ask(advertisers.show, path={"id": request.key}).advertiser


@pages.get("/console/advertisers/{id}", needs=(advertisers.show,))
def advertiser_page(request: PageRequest) -> PageAnswer:
    """Show an advertiser."""
    return page_of(request, find_advertiser(request))


def access_page(request: PageRequest, *, fault: str = "", status: int = 200, link: str = "") -> Html:
    """Return the page of the advertiser of the path after a button of its access."""
    return page_of(request, find_advertiser(request), fault, status, link)


declare_access(pages, AccountKind.ADVERTISER, access_page, advertisers.show)


def page_of(
    request: PageRequest, advertiser: advertisers.AdvertiserView, banner: str = "", status: int = 200, link: str = ""
) -> Html:
    """Return the page of an advertiser.

    banner: why the change that was asked for was refused. link: a new sign-in link, which is shown once.
    """
    calls, number = request.calls, advertiser.id
    request = replace(request, address=PageAddress(f"/console/advertisers/{number}", request.address.pairs))
    may_write, rule = calls.may(advertisers.edit), AdvertiserStatus(advertiser.status).rule
    sent = [("advertiser[]", number), *(("status[]", each) for each in OFFER_STATUSES), ("limit", str(MOST))]
    offers = (
        calls.ask_as(lists_api.OffersAnswer, lists_api.list_offers, sent) if calls.may(lists_api.list_offers) else None
    )
    page = request.page(
        "staff/advertiser.html",
        status,
        advertiser=advertiser,
        address=request.address,
        may_count=calls.may(reports.custom),
        banner=banner,
        note=request.field("note") if banner else "",
        words=request.field("message") if banner else "",
        manager=manager_name(advertiser.manager_obj),
        managers=MANAGERS.choices(calls) if may_write else (),
        contact=list(_contact(request, advertiser)),
        custom=custom_answers(request, advertiser.custom_fields),
        offers=None if offers is None else offers.offers,
        offers_total=0 if offers is None else offers.pagination.total_count,
        activity=recent_changes(request, "advertiser", number),
        written=threads_card(request, ThreadSubject.ADVERTISER, number),
        statuses=OFFER_STATUSES,
        marks=OFFER_MARKS,
        rule=rule,
        card=access_card(request, AccountKind.ADVERTISER, f"/console/advertisers/{number}", link),
        has_code=_HIDDEN not in advertiser.postback_url,
        may_write=may_write,
        may_look=calls.may(advertisers.look_as) and rule.may_sign_in,
        may_invoice=request.may_open("/console/invoices"),
        most=MOST,
        path=f"/console/advertisers/{number}",
        api_request_path=calls.address(advertisers.show, path={"id": number}),
    )
    lists = [
        (f"/console/conversions?advertiser={number}", gettext("Conversions")),
        (f"/console/clicks?advertiser={number}", gettext("Clicks")),
        (f"/console/reports?by=offer&f.advertiser={number}", gettext("Open as report")),
    ]
    return with_results(request, page, [("filter[advertiser][]", number)], "7d", lists)


@pages.post("/console/advertisers/{id}/manager", needs=(advertisers.edit,))
def set_manager(request: PageRequest) -> PageAnswer:
    """Give an advertiser another manager."""
    sent = [("manager", request.field("manager_id"))]
    found = request.calls.ask(advertisers.edit, sent, {"id": request.key}).advertiser
    manager = manager_name(found.manager_obj)
    done = (
        gettext("%(manager)s manages %(title)s now.", manager=manager, title=found.title)
        if manager
        else gettext("No one manages %(title)s now.", title=found.title)
    )
    return Redirect(f"/console/advertisers/{found.id}", done)


@pages.post("/console/advertisers/{id}/note", needs=(advertisers.show, advertisers.edit))
def add_note(request: PageRequest) -> PageAnswer:
    """Add a note of staff, with its author and time."""
    sent, path = [("add_note", signed_note(request))], {"id": request.key}
    try:
        advertiser = request.calls.ask(advertisers.edit, sent, path).advertiser
    except BadInput as refusal:
        return page_of(request, find_advertiser(request), fault_of(refusal), refusal.status)
    return Redirect(f"/console/advertisers/{advertiser.id}#notes", gettext("The note is saved."))


def _contact(request: PageRequest, advertiser: advertisers.AdvertiserView) -> Iterator[tuple[str, str]]:
    """Yield what is known about the advertiser, by label."""
    country = dict(country_names()).get(advertiser.country, advertiser.country)
    place = " ".join(part for part in (advertiser.zip_code, advertiser.city) if part)
    address = [advertiser.address_1, advertiser.address_2, place, country]
    facts = (
        (gettext("E-mail"), advertiser.email),
        (gettext("Contact"), advertiser.contact),
        (gettext("Messenger"), advertiser.skype),
        (gettext("Site"), advertiser.url),
        (gettext("Address"), "\n".join(part for part in address if part)),
        (gettext("VAT number"), advertiser.vat_code),
        (gettext("Since"), request.time_of(advertiser.created_at)),
    )
    return ((label, value) for label, value in facts if value)
