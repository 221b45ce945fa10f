"""Managers see and change their own objects only."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.statistics.rows import StatsAnswer
from trackyard.domain.people.roles import Role

NUMBER = 770_000
"""Clicks and conversions here are numbered from it."""
BUILT = {endpoint.id: endpoint for endpoint in CATALOGUE}


@dataclass(frozen=True)
class ManagedRecords:
    """The records of one manager.

    They are an affiliate, an advertiser with an offer and an invoice, and two tickets.

    open_ticket: of an offer that no method here connects.
    """

    affiliate: int
    advertiser: str
    offer: int
    ticket: str
    open_ticket: str
    invoice: int


@dataclass(frozen=True)
class ManagersSetup:
    """Two managers, their objects, and those of a third."""

    api: Api
    affiliate_manager: ApiClient
    sales_manager: ApiClient
    own: ManagedRecords
    foreign: ManagedRecords


def estate(api: Api, affiliate_manager: str, sales_manager: str) -> ManagedRecords:
    pid, _ = api.add_affiliate(manager_id=affiliate_manager)
    advertiser = api.add_advertiser(manager=sales_manager, email=f"{sales_manager}@shop.example")
    offer = api.add_offer(advertiser=advertiser, privacy="protected")
    other = api.add_offer(advertiser=advertiser, privacy="protected")
    for each in (offer, other):
        asked = {"pid": pid, "offer_id": each, "comment": "Search"}
        assert api.admin.post("/3.0/partner/activation/offer", **asked)["status"] == 1
    found = api.admin.get("/3.0/admin/tickets", limit=1000)["tickets"]
    tickets = {ticket["offer"]["id"]: ticket["id"] for ticket in found if ticket["partner"]["id"] == pid}
    lines = {"detail[0][offer_id]": offer, "detail[0][payout_type]": "RPA", "detail[0][amount]": "5"}
    invoice = api.admin.post("/3.0/admin/advertiser-invoice", supplier_id=advertiser, currency="USD", **lines)
    return ManagedRecords(pid, advertiser, offer, tickets[offer], tickets[other], invoice["number"])


@pytest.fixture(scope="session")
def world(shared_api: Api) -> ManagersSetup:
    api = shared_api
    (affiliates, affiliate_manager), (sales, sales_manager) = (
        api.add_staff(Role.MANAGER_AFFILIATE),
        api.add_staff(Role.MANAGER_SALES),
    )
    own = estate(api, affiliates, sales)
    foreign = estate(api, api.add_staff(Role.MANAGER_AFFILIATE)[0], api.add_staff(Role.MANAGER_SALES)[0])
    pairs = [(a, b) for a in (own, foreign) for b in (own, foreign)]
    clicks = [
        new_click(NUMBER + n, offer=b.offer, affiliate=a.affiliate, advertiser=b.advertiser, sub1="s")
        for n, (a, b) in enumerate(pairs)
    ]
    refused = [
        new_click(NUMBER + 10 + n, offer=b.offer, affiliate=a.affiliate, advertiser=b.advertiser, reason="overcap")
        for n, (a, b) in enumerate(pairs)
    ]
    load_clicks(api.deps, [*clicks, *refused])
    for n, (a, b) in enumerate(pairs):
        ids = {"offer_id": b.offer, "affiliate_id": a.affiliate, "advertiser_id": b.advertiser}
        add_conversion(api.deps, NUMBER + n, **ids, goal="action")
    return ManagersSetup(api, affiliate_manager, sales_manager, own, foreign)


Named = Callable[[ManagedRecords], Any]

AFFILIATE_MANAGER: dict[str, tuple[Named | None, Callable[[ManagersSetup, ManagedRecords], dict[str, Any]]]] = {
    "admin.partner.get": (lambda it: it.affiliate, lambda _w, _it: {}),
    "admin.partner.edit": (lambda it: it.affiliate, lambda _w, _it: {"notes": "seen"}),
    "admin.partner.locale": (lambda it: it.affiliate, lambda _w, _it: {"lang": "es"}),
    "admin.partners.mass-update": (None, lambda _w, it: {"id": [it.affiliate], "status": "active"}),
    "admin.partner.password": (lambda it: it.affiliate, lambda _w, _it: {}),
    "admin.partner.referrals": (lambda it: it.affiliate, lambda _w, _it: {}),
    "admin.postbacks.list": (None, lambda _w, it: {"partner_id": it.affiliate}),
    "admin.affiliate.disable-offers": (lambda it: it.affiliate, lambda _w, _it: {}),
    "offer.affiliate.enable": (None, lambda w, it: {"pid": it.affiliate, "offer_id": w.own.offer, "notice": 0}),
    "offer.affiliate.disable": (None, lambda w, it: {"pid": it.affiliate, "offer_id": w.own.offer, "notice": 0}),
    "partner.offers.list": (None, lambda _w, it: {"pid": it.affiliate}),
    "partner.live-offers.list": (None, lambda _w, it: {"pid": it.affiliate}),
    "partner.postback.add": (None, lambda _w, it: {"pid": it.affiliate, "url": "https://a.example"}),
    "balance.get": (None, lambda _w, it: {"pid": it.affiliate}),
    "admin.ticket.get": (lambda it: it.ticket, lambda _w, _it: {}),
    "admin.ticket.answer": (lambda it: it.open_ticket, lambda _w, _it: {"text": "Which traffic?"}),
    "admin.ticket.offer": (lambda it: it.ticket, lambda _w, _it: {"do": "reject"}),
}
"""Method → what its path names, and its parameters, of an estate: allowed for the own, refused for the other."""

SALES_MANAGER: dict[str, tuple[Named | None, Callable[[ManagersSetup, ManagedRecords], dict[str, Any]]]] = {
    "admin.advertiser.get": (lambda it: it.advertiser, lambda _w, _it: {}),
    "admin.advertiser.edit": (lambda it: it.advertiser, lambda _w, _it: {"note": "seen"}),
    "admin.advertiser.sendpass": (lambda it: it.advertiser, lambda _w, _it: {}),
    "admin.advertiser.disable-affiliate": (
        None,
        lambda w, it: {"advertisers_id[]": it.advertiser, "pid": w.own.affiliate},
    ),
    "admin.advertiser.enable-affiliate": (
        None,
        lambda w, it: {"advertisers_id[]": it.advertiser, "pid": w.own.affiliate},
    ),
    "admin.advertiser-invoice.get": (lambda it: it.invoice, lambda _w, _it: {}),
    "admin.advertiser-invoice.edit": (
        lambda it: it.invoice,
        lambda _w, it: {"supplier_id": it.advertiser, "status": "unpaid"},
    ),
    "admin.invoices.get": (lambda it: it.invoice, lambda _w, _it: {}),
    "admin.invoices.edit": (lambda it: it.invoice, lambda _w, _it: {"comment": "seen"}),
    "admin.invoices.add": (None, lambda _w, it: {"supplier_id": it.advertiser, "currency": "USD"}),
    "admin.advertiser-invoice.add": (None, lambda _w, it: {"supplier_id": it.advertiser, "currency": "USD"}),
    "admin.offer.edit": (lambda it: it.offer, lambda _w, _it: {"title": "Boots"}),
    "admin.offer.mass-update": (None, lambda _w, it: {"offer_id[]": it.offer, "status": "active"}),
    "admin.offer.add": (
        None,
        lambda _w, it: {
            "title": "Hats", "url": "https://a.example", "advertiser": it.advertiser,
            "payments[0][total]": "2", "payments[0][revenue]": "1",
        },
    ),
}  # fmt: skip


def send(client: ApiClient, method: str, subject: Any, params: dict[str, Any]) -> Any:
    endpoint = BUILT[method]
    path = f"/3.1{endpoint.path}"
    for variable in endpoint.variables:
        path = path.replace("{" + variable + "}", str(subject))
    return client.call(endpoint.method, path, **{"data" if endpoint.method == "POST" else "params": params})


def check(world: ManagersSetup, client: ApiClient, table: Any, method: str) -> None:
    named, params = table[method]
    for it in (world.foreign, world.own):
        answer = send(client, method, None if named is None else named(it), params(world, it))
        wanted = 200 if it is world.own else (400 if named is None else 404)
        assert (method, it is world.own, answer.status_code) == (method, it is world.own, wanted), answer.text


@pytest.mark.parametrize("method", sorted(AFFILIATE_MANAGER.keys() & BUILT))
def test_affiliate_manager_reaches_own_affiliates_only(world: ManagersSetup, method: str) -> None:
    check(world, world.affiliate_manager, AFFILIATE_MANAGER, method)


@pytest.mark.parametrize("method", sorted(SALES_MANAGER.keys() & BUILT))
def test_sales_manager_reaches_own_advertisers_only(world: ManagersSetup, method: str) -> None:
    check(world, world.sales_manager, SALES_MANAGER, method)


def test_affiliate_manager_lists_own_records_only(world: ManagersSetup) -> None:
    tickets = world.affiliate_manager.get("/3.0/admin/tickets", limit=1000)["tickets"]
    assert {ticket["partner"]["id"] for ticket in tickets} == {world.own.affiliate}
    partners = world.affiliate_manager.get("/3.0/admin/partners", limit=1000)["partners"]
    assert {partner["id"] for partner in partners} == {world.own.affiliate}


def test_sales_manager_lists_own_records_and_all_offers(world: ManagersSetup) -> None:
    offers = world.sales_manager.get("/3.0/offers", limit=1000)["offers"]
    assert {offer["id"] for offer in offers} >= {world.own.offer, world.foreign.offer}
    found = world.sales_manager.get("/3.0/admin/advertisers", limit=1000)["advertisers"]
    assert {advertiser["id"] for advertiser in found} == {world.own.advertiser}
    invoices = world.sales_manager.get("/3.0/admin/advertiser-invoices", limit=1000)["message"]
    assert {invoice["supplier_id"] for invoice in invoices} == {world.own.advertiser}


def test_sales_manager_removal_spares_foreign_offers(world: ManagersSetup) -> None:
    send(world.sales_manager, "admin.offer.delete", None, {"offer_id[]": world.foreign.offer})
    assert world.api.admin.get(f"/3.0/offer/{world.foreign.offer}")["status"] == 1


DAY = {"date_from": "2023-11-15", "date_to": "2023-11-15"}
FILTER = {f"filter[{name}]": value for name, value in DAY.items()}
REPORTS = sorted(endpoint.id for endpoint in CATALOGUE if endpoint.answer is StatsAnswer)


@pytest.mark.parametrize("report", REPORTS)
def test_manager_reports_count_own_traffic_only(world: ManagersSetup, report: str) -> None:
    needed = {"stats.getbysub": {"filter[offer][]": [world.own.offer, world.foreign.offer]}}
    params = FILTER | needed.get(report, {}) | ({"slice[]": ["affiliate", "sub1"]} if report == "stats.custom" else {})
    for client in (world.affiliate_manager, world.sales_manager):
        rows = send(client, report, None, params).json()["stats"]
        if report == "stats.getbytrafficback":
            assert sum(row["trafficback"] for row in rows) == 2
            continue
        assert sum(row["actions"]["total"]["count"] for row in rows) == 2
        assert sum(int(row["traffic"]["raw"]) for row in rows) == (0 if report == "stats.getbygoal" else 2)


def test_manager_report_filter_by_foreign_id_is_empty(world: ManagersSetup) -> None:
    filters = FILTER | {"filter[partner]": str(world.foreign.affiliate)}
    assert world.affiliate_manager.get("/3.1/stats/getbydate", **filters)["stats"] == []
    filters = FILTER | {"filter[advertiser]": world.foreign.advertiser}
    assert world.sales_manager.get("/3.1/stats/getbydate", **filters)["stats"] == []


def test_manager_cohort_and_sub_reports_cover_own_clicks_only(world: ManagersSetup) -> None:
    own, foreign = world.own, world.foreign
    for client, offer, seen in (
        (world.affiliate_manager, own.offer, {own.affiliate}),
        (world.affiliate_manager, foreign.offer, {own.affiliate}),
        (world.sales_manager, own.offer, {own.affiliate, foreign.affiliate}),
        (world.sales_manager, foreign.offer, set()),
    ):
        timed = client.get("/3.1/stats/time-to-action", **DAY, offer_id=offer, timezone="UTC")["data"]
        cohorts = client.get("/3.1/stats/retentionrate", **DAY, offer=offer, base_event="action", events="sale")
        assert {row["affiliate_id"] for row in timed} == {row["affiliate_id"] for row in cohorts} == seen
    subs = [client.get("/3.1/stats/find-subs")["subs"] for client in (world.affiliate_manager, world.sales_manager)]
    assert subs == [[{"sub1": "s"}]] * 2


@pytest.mark.parametrize("path", ["conversions", "clicks"])
def test_manager_logs_list_own_records_only(world: ManagersSetup, path: str) -> None:
    mine = world.affiliate_manager.get(f"/3.1/stats/{path}", limit=1000, **DAY)
    assert mine["pagination"]["total_count"] == 2
    theirs = world.sales_manager.get(f"/3.1/stats/{path}", limit=1000, **DAY)
    assert theirs["pagination"]["total_count"] == 2
    if path == "conversions":
        assert {row["partner"]["id"] for row in mine[path]} == {world.own.affiliate}
        assert {row["advertiser"]["id"] for row in theirs[path]} == {world.own.advertiser}
