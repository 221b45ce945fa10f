"""The table of docs/spec/callers.md#roles-of-staff, called: each role against each group of methods."""

from fnmatch import fnmatch
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.roles import Role
from trackyard.wire.endpoint import Endpoint

R = Role
MANAGERS = {R.MANAGER_AFFILIATE, R.MANAGER_SALES}
STATS = MANAGERS | {R.SECTION_STATS}
FIRST_PAGE = STATS | {R.SECTION_DASHBOARD}

GROUPS: dict[str, tuple[str, set[Role]]] = {
    "reading offers": (
        """goals.list offers.list admin.offers.names admin.offers.counts offers.count offer.get admin.offer.sources.list
        admin.domains.list
        admin.smartlink.categories.list admin.smartlink.category.count partner.smartlink.*
        cities.* isp.* countries.* regions.* oses.* vendors.* devices.* browsers.*
        connection-types.* admin.product-feeds.list admin.product-feed.get product-feed.items.list""",
        MANAGERS | {R.SECTION_OFFER},
    ),
    "writing offers": (
        """admin.offer.add admin.offer.edit admin.offer.delete admin.offer.mass-update
        admin.offer.remove-creative admin.offer.creative.html.* offer.promo-codes.list
        offer.promo-codes.add offer.promo-code.edit
        admin.product-feed.add admin.product-feed.check admin.product-feed.edit admin.product-feed.read
        admin.product-feed.remove""",
        {R.MANAGER_SALES, R.SECTION_OFFER},
    ),
    "sources and SmartLinks": (
        """admin.offer.source.* admin.smartlink.category.add admin.smartlink.category.edit
        admin.smartlink.category.remove""",
        {R.SECTION_OFFER},
    ),
    "connecting to offers": (
        """offer.affiliate.* offer.privacy.get admin.offers.affiliates admin.offer.tracking-link
        admin.offer.disable-affiliates
        admin.affiliate.disable-offers
        partner.offers.list partner.live-offers.list""",
        {R.MANAGER_AFFILIATE, R.SECTION_OFFER},
    ),
    "reading categories": ("offer.categories.list", MANAGERS | {R.SECTION_OFFER, R.SECTION_CATEGORY}),
    "writing categories": ("admin.category.*", {R.SECTION_CATEGORY}),
    "affiliates": (
        """admin.partner.* admin.partners.* partner.postback.* partner.postbacks.* admin.postbacks.*
        admin.postback.* admin.affiliatepostback.* admin.affiliatepostbacks.*
        partner.pixel.* partner.pixels.* admin.pixel* admin.custom_fields.list admin.message.* admin.messages.*""",
        {R.MANAGER_AFFILIATE, R.SECTION_PARTNER},
    ),
    "balances": ("balance.get balance.statement", {R.MANAGER_AFFILIATE, R.SECTION_PARTNER, R.SECTION_PAYMENT}),
    "people of companies": (
        "people.* threads.* thread.*",
        {R.MANAGER_AFFILIATE, R.SECTION_PARTNER, R.MANAGER_SALES, R.SECTION_SUPPLIER},
    ),
    "advertisers": ("admin.advertiser.* admin.advertisers.*", {R.MANAGER_SALES, R.SECTION_SUPPLIER}),
    "invoices": (
        "admin.advertiser-invoice.* admin.advertiser-invoices.* admin.invoices.* admin.billing.get",
        {R.MANAGER_SALES, R.SECTION_SUPPLIER, R.SECTION_PAYMENT},
    ),
    "payments to affiliates": (
        """admin.payments.* admin.payment.* admin.payment-requests.* admin.payment-request.* admin.corrections.*
        admin.correction.* payments.* payment.*""",
        {R.SECTION_PAYMENT},
    ),
    "reading currencies": ("admin.currency.list", {R.MANAGER_SALES, R.SECTION_SUPPLIER, R.SECTION_PAYMENT}),
    "currencies": (
        "admin.currency.add admin.currency.edit admin.currency.remove admin.exchange-rates.refresh",
        {R.SECTION_PAYMENT},
    ),
    "reading payment systems": (
        "admin.payment_systems.list",
        {R.MANAGER_AFFILIATE, R.SECTION_PARTNER, R.SECTION_PAYMENT},
    ),
    "payment systems": ("admin.payment_system.*", {R.SECTION_PAYMENT}),
    "reading tickets": (
        "admin.tickets.list admin.tickets.count admin.ticket.get",
        {R.MANAGER_AFFILIATE, R.SECTION_TICKET, R.SECTION_DASHBOARD},
    ),
    "tickets": (
        "admin.ticket.offer admin.ticket.smartlink admin.ticket.answer admin.ticket.close partner.activation.*",
        {R.MANAGER_AFFILIATE, R.SECTION_TICKET},
    ),
    "reading news": ("news.*", set(Role)),
    "one's own account": ("auth.* user.me.* notices.* admin.notices.*", set(Role)),
    "news": ("admin.news*", {R.SECTION_NEWS}),
    "for administrators": (
        """admin.user.* admin.users.* admin.settings.* admin.audit.* admin.reconciliation admin.status admin.rebuild*
        admin.findings admin.domain.* admin.erasure.* admin.keys.* admin.security-log.* user.permissions* preset*
        admin.custom_field.* admin.held-change.* admin.held-changes.* admin.network.* admin.billing.edit
        admin.mail-text.* admin.mail-texts.* admin.mails.*
        admin.rule* automation.*""",
        set(),
    ),
    "common statistics": (
        "stats.getbydate stats.getbyhour stats.custom stats.saved-report* adcosts.list admin.alerts.*",
        FIRST_PAGE | {R.STATS_COMMON},
    ),
    "conversions": (
        """stats.conversions stats.conversionsbyid stats.conversion.history admin.postback-check
        admin.offer.estimate.conversions comparison.advertiser.* comparison.affiliate.* comparison.get""",
        STATS | {R.STATS_CONVERSION},
    ),
    "edits and imports": (
        "admin.conversion.* admin.conversions.* adcosts.set adcosts.remove comparison.accept",
        {R.MANAGER_SALES},
    ),
    "by advertiser": ("stats.getbyadvertiser", FIRST_PAGE | {R.STATS_SUPPLIER}),
    "by offer": ("stats.getbyprogram", FIRST_PAGE | {R.STATS_OFFER}),
    "by affiliate": ("stats.getbypartner stats.getbypartnerbydate", FIRST_PAGE | {R.STATS_PARTNER}),
    "by country": ("stats.getbycountries", FIRST_PAGE | {R.STATS_COUNTRY}),
    "by city": ("stats.getbycities", STATS | {R.STATS_CITY}),
    "by system": ("stats.getbyos stats.getbyversions", STATS | {R.STATS_OS}),
    "by goal": ("stats.getbygoal", STATS | {R.STATS_GOAL}),
    "by device": (
        """stats.getbydevices stats.getbydevicemodels stats.getbybrowsers stats.getbybrowsersversion
        stats.getbyconnectiontype stats.getbymobilecarrier""",
        STATS | {R.STATS_DEVICE},
    ),
    "caps": ("stats.caps stats.caps31", STATS | {R.STATS_LIMITS}),
    "the affiliate postback log": ("stats.affiliatepostbacks", STATS | {R.STATS_PARTNER_POSTBACK}),
    "the server postback log": ("stats.serverpostbacks stats.health.*", STATS | {R.STATS_SERVER_POSTBACK}),
    "other statistics": (
        """stats.getbysub stats.getbytrafficback stats.clicks admin.click* admin.explain stats.find-subs
        admin.offer.estimate.clicks admin.offer.click-check
        stats.retentionrate stats.time-to-action stats.getbyaccountmanager stats.getbyaffiliatemanager
        stats.getbylanding stats.getbyprelanding""",
        STATS,
    ),
    "referral payments": ("stats.getreferralpayments", STATS | {R.SECTION_PAYMENT}),
}
"""Ids of methods (patterns) by group, with the roles other than administrator that may call them."""

ANYONE = {endpoint.id for endpoint in CATALOGUE if endpoint.audience == "anyone"}


def groups_of(endpoint: Endpoint[Any]) -> list[str]:
    return [
        name
        for name, (patterns, _) in GROUPS.items()
        if any(fnmatch(endpoint.id, pattern) for pattern in patterns.split())
    ]


METHODS = [
    endpoint
    for endpoint in CATALOGUE
    if endpoint.id not in ANYONE and endpoint.audience not in ("affiliate", "advertiser")
]
OF = {endpoint.id: groups_of(endpoint) for endpoint in METHODS}
METHODS_OF = {group: [endpoint for endpoint in METHODS if group in OF[endpoint.id]] for group in GROUPS}


@pytest.fixture(scope="session")
def clients(shared_api: Api) -> dict[Role, ApiClient]:
    """A staff user of each role alone."""
    return {role: shared_api.add_staff(role)[1] for role in Role}


def test_endpoint_is_in_exactly_one_role_group() -> None:
    assert {method: groups for method, groups in OF.items() if len(groups) != 1} == {}


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("role", list(Role))
def test_endpoint_access_follows_role_table(clients: dict[Role, ApiClient], role: Role, group: str) -> None:
    _, roles = GROUPS[group]
    for endpoint in METHODS_OF[group]:
        path = f"/{endpoint.versions[-1]}" + endpoint.path.replace("{", "nothing-").replace("}", "")
        answer = clients[role].call(endpoint.method, path)  # what may be called is then refused for what it lacks
        if role is Role.ADMIN or role in roles:
            assert (endpoint.id, answer.status_code) in {(endpoint.id, status) for status in (200, 400, 404)}
        else:
            shown = answer.json()
            assert (endpoint.id, answer.status_code, shown["error"]) == (endpoint.id, 403, "Access denied")
            assert shown["code"] == endpoint.permission


def test_staff_with_several_roles_have_all_their_permissions(shared_api: Api) -> None:
    _, both = shared_api.add_staff(Role.SECTION_NEWS, Role.SECTION_SUPPLIER)
    assert both.call("POST", "/3.0/admin/advertiser").status_code == 400
    _, none = shared_api.add_staff()
    assert none.call("POST", "/3.0/admin/advertiser").status_code == 403


def test_staff_without_roles_read_published_news_only(api: Api) -> None:
    _, none = api.add_staff()
    _, editor = api.add_staff(Role.SECTION_NEWS)
    draft = editor.post("/3.1/admin/news", title="Draft", status=0)["news"]["_id"]["$id"]
    editor.post("/3.1/admin/news", title="Summer")
    assert [item["title"] for item in none.get("/3.0/news")["items"].values()] == ["Summer"]
    assert none.call("GET", f"/3.0/news/{draft}").status_code == 404
    assert editor.get("/3.0/news")["all_items"] == 2
    assert none.call("POST", "/3.1/admin/news", data={"title": "x"}).status_code == 403


def test_dashboard_role_does_not_widen_manager_scope(api: Api) -> None:
    offer = api.add_offer(privacy="protected")
    manager_id, manager = api.add_staff(Role.MANAGER_AFFILIATE, Role.SECTION_DASHBOARD)
    _, dashboard = api.add_staff(Role.SECTION_DASHBOARD)
    for params in ({}, {"manager_id": manager_id}):
        _, affiliate = api.add_affiliate(**params)
        affiliate.post("/3.0/partner/activation/offer", offer_id=offer, comment="Search traffic")
    assert len(dashboard.get("/3.0/admin/tickets")["tickets"]) == 2
    assert len(manager.get("/3.0/admin/tickets")["tickets"]) == 1


def test_affiliate_methods_reject_staff(shared_api: Api) -> None:
    for endpoint in CATALOGUE:
        if endpoint.audience == "affiliate":
            answer = shared_api.admin.call(endpoint.method, "/3.1" + endpoint.path)
            assert (endpoint.id, answer.status_code, answer.json()["code"]) == (endpoint.id, 403, "auth_denied")


def test_staff_methods_reject_affiliates(shared_api: Api) -> None:
    _, affiliate = shared_api.add_affiliate()
    for endpoint in CATALOGUE:
        if endpoint.audience == "staff":
            path = "/3.1" + endpoint.path.replace("{", "nothing-").replace("}", "")
            assert (endpoint.id, *affiliate.refusal(endpoint.method, path)) == (endpoint.id, 403, "auth_denied")
