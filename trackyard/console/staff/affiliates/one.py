"""The page of one affiliate: balance, figures, programs, contact (docs/spec/console.md#affiliates)."""

from collections.abc import Iterator
from dataclasses import replace

from trackyard.api.conversions import edits
from trackyard.api.offers import connections, offers
from trackyard.api.offers import lists as lists_api
from trackyard.api.people import affiliates
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.statistics import reports
from trackyard.api.tracking import postbacks
from trackyard.api.tracking.postback_trials import PostbackTestView
from trackyard.base.texts.marks import gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import MANAGERS
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.people.threads import threads_card
from trackyard.console.staff.access import access_card, declare_access
from trackyard.console.staff.affiliates.programs import MOST, find_programs
from trackyard.console.staff.affiliates.seen_by import find_seeing
from trackyard.console.staff.affiliates.words import EMAIL_STATES
from trackyard.console.staff.people_names import affiliate_name, manager_name
from trackyard.console.staff.results import with_results
from trackyard.console.system.audit_log import recent_changes
from trackyard.domain.people.affiliates import AffiliateStatus
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.threads import ThreadSubject

pages = Pages()


def find_affiliate(request: PageRequest) -> AffiliateView:
    """Return the affiliate of the path. Raises NotFound."""
    return request.calls.ask(affiliates.show, path={"id": request.key}).partner


@pages.get("/console/affiliates/{id}", needs=(affiliates.show,))
def affiliate_page(request: PageRequest) -> PageAnswer:
    """Show an affiliate."""
    return page_of(request, find_affiliate(request))


def access_page(request: PageRequest, *, fault: str = "", status: int = 200, link: str = "") -> Html:
    """Return the page of the affiliate of the path after a button of its access."""
    return page_of(request, find_affiliate(request), fault, status, link=link)


declare_access(pages, AccountKind.AFFILIATE, access_page, affiliates.show)


def page_of(
    request: PageRequest,
    affiliate: AffiliateView,
    banner: str = "",
    status: int = 200,
    tested: tuple[int, PostbackTestView] | None = None,
    link: str = "",
) -> Html:
    """Return the page of an affiliate.

    banner: why the change that was asked for was refused. tested: the number of a postback with the result of its test.
    link: a new sign-in link, which is shown once.
    """
    calls, number = request.calls, affiliate.id
    request = replace(request, address=PageAddress(f"/console/affiliates/{number}", request.address.pairs))
    may_write = calls.may(affiliates.edit)
    page = request.page(
        "staff/affiliate.html",
        status,
        affiliate=affiliate,
        address=request.address,
        may_count=calls.may(reports.custom),
        name=affiliate_name(affiliate),
        rule=AffiliateStatus(affiliate.status).rule,
        manager=manager_name(affiliate.manager),
        managers=MANAGERS.choices(calls) if may_write else (),
        contact=list(_contact(request, affiliate)),
        seen_by=find_seeing(request, affiliate),
        activity=recent_changes(request, "affiliate", str(number)),
        written=threads_card(request, ThreadSubject.AFFILIATE, number),
        note=request.field("note") if banner else "",
        words=request.field("message") if banner else "",
        answers=[(each.name, each.label) for each in affiliate.custom_fields],
        may_write=may_write,
        tested=tested,
        card=access_card(request, AccountKind.AFFILIATE, f"/console/affiliates/{number}", link),
        may_pay=request.may_open("/console/payments"),
        waits_for_email=affiliate.email_state == "waiting",
        most=MOST,
        banner=banner,
        path=f"/console/affiliates/{number}",
        api_request_path=calls.address(affiliates.show, path={"id": str(number)}),
        **_rights(request, affiliate),
        **find_programs(request, number),
    )
    return with_results(request, page, [("filter[partner][]", str(number))], "7d", _lists(number))


def _lists(affiliate: int) -> list[tuple[str, str]]:
    """Return the lists of what an affiliate brought."""
    return [
        (f"/console/conversions?affiliate={affiliate}", gettext("Conversions")),
        (f"/console/clicks?affiliate={affiliate}", gettext("Clicks")),
        (f"/console/reports?by=offer&f.affiliate={affiliate}", gettext("Open as report")),
    ]


def _rights(request: PageRequest, affiliate: AffiliateView) -> dict[str, bool]:
    """Return the person's rights on an affiliate, except the right to edit it."""
    may = request.calls.may
    return {
        "may_look": may(affiliates.look_as) and AffiliateStatus(affiliate.status).rule.may_sign_in,
        "may_release": _has_suspicious(request, affiliate.id),
        "may_connect": may(connections.enable_affiliate),
        "may_add_postbacks": may(postbacks.add),
        "may_set_payouts": may(offers.edit) and may(lists_api.get),
    }


def _has_suspicious(request: PageRequest, affiliate: int) -> bool:
    """Return whether conversions of an affiliate are held as suspicious, and the person may release them."""
    calls, method = request.calls, edits.release
    if not calls.may(method):
        return False
    return bool(calls.ask(method, [("pid", str(affiliate)), ("preview", "1")]).released)


def _contact(request: PageRequest, affiliate: AffiliateView) -> Iterator[tuple[str, str]]:
    """Yield what is known about the affiliate, by label."""
    country = dict(country_names()).get(affiliate.country or "", affiliate.country)
    place = " ".join(part for part in (affiliate.zip_code, affiliate.city) if part)
    address = "\n".join(part for part in (affiliate.address_1, affiliate.address_2, place, country) if part)
    email_state = EMAIL_STATES[affiliate.email_state or "not asked"]
    facts = (
        (gettext("E-mail"), f"{affiliate.email}, {email_state}" if email_state else affiliate.email),
        (gettext("Login"), affiliate.login if affiliate.login != affiliate.email else ""),
        (gettext("Contact"), affiliate.contact_person),
        (gettext("Company"), affiliate.company),
        (gettext("Phone"), affiliate.phone),
        (gettext("Address"), address),
        (gettext("Level"), str(affiliate.level or "")),
        (gettext("Referral share"), f"{affiliate.ref_percent} %" if affiliate.ref_percent else ""),
        (gettext("Signed up"), request.time_of(affiliate.created_at)),
        (gettext("Changed"), request.time_of(affiliate.updated_at)),
    )
    return ((label, value) for label, value in facts if value)
