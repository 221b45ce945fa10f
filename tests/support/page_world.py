"""An installation with one thing of each kind, and the address of each page on it."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlencode

import pytest

from tests.contract.requests import comparisons, messages, money, rules, threads
from tests.contract.requests.advertisers import issued
from tests.contract.requests.staff import path_subjects
from tests.support.api import Api, installed
from tests.support.events import make_notices
from tests.support.pages import PageReader, Visitor, advertiser_visitor, affiliate_visitor, console_app, staff_visitor
from tests.support.people_pages import earn
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from tests.support.traffic_pages import TrafficDesk, traffic_desk
from trackyard.actions.events.publishing import publish
from trackyard.actions.platform.alerts.keeping import keep_alerts
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import PageRoute, PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.domain.platform.alerts.causes import SeenCause
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.store.people import staff

ROUTES: Final = PageTable(PARTS).routes
READ: Final = tuple(each for each in ROUTES if each.method == "GET")
"""The pages that are looked at."""
_QUERIES: Final = {"/console/promo-codes/edit": "?code=SPRING", "/console/find": "?q=nothing"}
_URL: Final = "https://tracker.example/?c={clickid}"
_PIXEL: Final = '<img src="https://pixel.example/">'
_LATE: Final = SeenCause(Finding(FindingKind.QUEUE_STUCK, "inbox", {"seconds": 900}))
_IMPORTS: Final = "permissions[stats][conversions-import][level]"


@dataclass(frozen=True)
class PageWorld:
    """People at their pages, and what these are about.

    people: by audience, those of "anyone" without a session. ids: by the beginning of the path before the id.
    queries: what pages need in their query.
    """

    desk: TrafficDesk
    people: Mapping[str, Visitor]
    ids: Mapping[str, Any]
    queries: Mapping[str, str]

    def address(self, route: PageRoute) -> str:
        """Return the address of a page about something that exists."""
        path = re.sub(r"^(/.*?)/\{\w+\}", lambda found: f"{found[1]}/{self.ids[found[1]]}", route.path)
        path = path.replace("{postback}", str(self.ids["/portal/postbacks"]))
        company = "/portal/people" if "/affiliates/" in path else "/advertiser/people"
        path = path.replace("{person}", str(self.ids[company]))
        return f"{path}{self.queries.get(path, '?format=csv' if path.endswith('/file') else '')}"

    def visitor(self, route: PageRoute) -> Visitor:
        """Return the visitor that may open a page."""
        return self.people[route.audience]

    def token(self, audience: str) -> str:
        """Return the token of forms of a person, which each of its forms has."""
        return PageReader(self.people[audience].get("/console/nothing").text).fields.get("form_token", "")


@contextmanager
def page_world(migrated_sqlite: Path, folder: Path) -> Iterator[PageWorld]:
    """Yield an installation of its own."""
    path = folder / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    with empty_store() as analytics:
        yield _filled(installed(database, analytics))
    database.close()


def _filled(api: Api) -> PageWorld:
    desk = traffic_desk(api, privacy="public")
    app = console_app(api)
    pid, affiliate = affiliate_visitor(api)
    number, advertiser = advertiser_visitor(api, app)
    desk = TrafficDesk(api, number, api.add_offer(title="Yoga mats", advertiser=number, privacy="public"), pid)
    user, stranger = staff_visitor(api, app=app), Visitor(app)
    people = {"staff": user, "affiliate": affiliate, "advertiser": advertiser, "person": user, "anyone": stranger}
    ids = _of_people(desk) | _of_traffic(desk) | _of_affiliate(desk) | _of_lists(desk) | _of_money(desk)
    _add_waiting(desk)
    _add_notices(desk)
    change = f"?id={ids['/console/conversions']}&to=declined"
    payouts = {f"/console/affiliates/{pid}/payouts": f"?offer={desk.offer}"}
    costs = {"/console/ad-costs": f"?offer={desk.offer}"}
    queries = {"/console/conversions/change": change, **costs, **payouts, **_QUERIES}
    return PageWorld(desk, people, ids, queries)


def _add_notices(desk: TrafficDesk) -> None:
    """Let each person of the world hear of something."""
    database, now = desk.api.deps.database, desk.api.clock.now_ms()
    with database.write() as conn:
        users = [Account(AccountKind.STAFF, each.id) for each in staff.all_staff(conn)]
        companies = [Account(AccountKind.AFFILIATE, str(desk.pid)), Account(AccountKind.ADVERTISER, desk.advertiser)]
        for account in (*users, *companies):
            publish(conn, EventKind.KEY_MADE, now, Concerned(account=account))
    make_notices(database, now)


def _made(answer: Any) -> Any:
    """Return the id of what a method has made."""
    record = (
        answer if {"id", "_id"} & answer.keys() else next(each for each in answer.values() if isinstance(each, dict))
    )
    made = record["id"] if "id" in record else record["_id"]
    return made["$id"] if isinstance(made, dict) else made


def _of_people(desk: TrafficDesk) -> dict[str, Any]:
    companies = {"/portal/people": f"affiliate:{desk.pid}", "/advertiser/people": f"advertiser:{desk.advertiser}"}
    sent = {"email": "ann@people.example", "name": "Ann Lee", "role": "reports"}
    return {path: _made(desk.api.admin.post("/3.1/people", company=name, **sent)) for path, name in companies.items()}


def _of_traffic(desk: TrafficDesk) -> dict[str, Any]:
    click = desk.click(1, sub1="banner")
    desk.click(2, reason="bot", sub1="banner")
    made = desk.conversion(3, click={"sub1": "banner"})
    for place, status in enumerate((Status.PENDING, Status.HOLD, Status.DECLINED), 4):
        desk.conversion(place, status=status)
    referred, _ = desk.api.add_affiliate(ref=str(desk.pid))
    share = {"referrer_id": desk.pid, "referral_percent": Decimal(10)}
    desk.conversion(8, affiliate_id=referred, status=Status.PENDING, **share)
    return {
        "/console/offers": desk.offer,
        "/portal/offers": desk.offer,
        "/advertiser/offers": desk.offer,
        "/console/affiliates": desk.pid,
        "/console/statements": desk.pid,
        "/console/advertisers": desk.advertiser,
        "/console/clicks": click.id,
        "/console/conversions": made.id,
        "/console/postbacks/received": desk.postback(made.click_id),
        "/console/postbacks/sent": desk.attempt(made),
    }


def _of_affiliate(desk: TrafficDesk) -> dict[str, Any]:
    post, own = desk.api.admin.post, {"pid": desk.pid, "offer_id": desk.offer}
    pixel = post("/3.0/partner/pixel", **own, name="pixel", code=_PIXEL, code_type="image")["pixel"]["id"]
    postback = post("/3.0/partner/postback", **own, url=_URL)["postback"]["id"]
    comparison = comparisons.add_own_comparison(desk.api, desk.api.admin)
    return {
        "/portal/postbacks": postback,
        "/portal/pixels": pixel,
        "/console/pixels": pixel,
        "/console/comparisons": comparison,
    }


def _add_waiting(desk: TrafficDesk) -> None:
    """Add an alert, an open and a decided request, and a refused import."""
    keep_alerts(desk.api.deps, "books", [_LATE])
    post, asked = desk.api.admin.post, "/3.1/partner/activation/offer"
    for title in ("Skis", "Boots"):
        post(asked, pid=desk.pid, offer_id=desk.api.add_offer(title=title, privacy="protected"), comment="mails")
    [first, _] = desk.api.admin.get("/3.0/admin/tickets")["tickets"]
    post(f"/3.0/admin/ticket/{first['id']}/offer", do="approve")
    post(f"/3.1/user/{desk.pid}/permissions", **{_IMPORTS: "write"})
    sent = urlencode({"by": f"affiliate:{desk.pid}", "offer_id": desk.offer, "action_id": "again"})
    desk.postback("", "Conversion exists", method="IMPORT", query=sent)


def _of_lists(desk: TrafficDesk) -> dict[str, Any]:
    post = desk.api.admin.post
    number, _ = desk.api.add_staff(Role.MANAGER_SALES)
    preset = post("/3.1/presets", name="Sales", **{"permissions[stats][clicks-list][level]": "deny"})
    code = {"type": "manual", "code": "SPRING", "offer_id": desk.offer, "affiliate_id": desk.pid}
    code |= {"date_from": "2023-01-01T00:00:00Z", "date_to": "2030-01-01T00:00:00Z"}
    post("/3.1/offers/promocodes/bulk", **{f"promocodes[0][{name}]": value for name, value in code.items()})
    cost = {"offer_id": desk.offer, "affiliate_id": desk.pid, "date": "2023-11-15", "costs": "2", "no_sub8": "1"}
    post("/3.1/adcosts", **cost)
    smartlink = post("/3.0/admin/smartlink/category", name="Links", description="Links")
    feed = post("/3.1/admin/product-feed", name="Mats", csv="sku,name,url\n1,Mat,https://shop.example/a")
    post(f"/3.1/admin/offer/{desk.offer}", product_feed_id=_made(feed), allow_deeplink=1)
    post("/3.1/admin/currency", code="EUR", rate="1.1")
    [currency] = desk.api.admin.get("/3.1/admin/currency", extended=1)["quotes"]
    made = rules.path_subjects(desk.api, desk.offer, desk.pid)
    made["admin.rule-firing.undo"]()
    reader = Account(AccountKind.AFFILIATE, str(desk.pid))
    return {
        "/console/messages": messages.own_subjects(desk.api)["admin.message.get"](desk.api.admin),
        "/console/threads": threads.add_own_thread(desk.api, reader),
        "/portal/threads": threads.add_own_thread(desk.api, reader),
        "/advertiser/threads": threads.add_own_thread(desk.api, Account(AccountKind.ADVERTISER, str(desk.advertiser))),
        "/portal/messages": messages.add_received(desk.api, reader),
        "/console/rules": made["admin.rule.get"](),
        "/console/staff": number,
        "/console/staff/presets": _made(preset),
        "/console/smartlinks": _made(smartlink),
        "/console/product-feeds": _made(feed),
        "/console/domains": _made(post("/3.1/admin/domains", url="go.example")),
        "/console/settings/currencies": currency["_id"],
        "/console/settings/custom-fields": _made(post("/3.1/admin/custom_fields", name="Colour")),
        "/console/settings/payment-systems": _made(post("/3.1/admin/payment_systems", lang_label="Wire")),
        "/console/settings/mails": "offers.connected",
        "/console/settings/news": _made(post("/3.1/admin/news", title="News", small_desc="Short", desc="Long")),
        "/console/settings/categories": _made(post("/3.0/admin/category", title="Sport")),
        "/console/settings/sources": _made(post("/3.0/admin/offer/source", **{"title_lang[en]": "Mail"})),
    }


def _of_money(desk: TrafficDesk) -> dict[str, Any]:
    post = desk.api.admin.post
    earn(desk.api, desk.pid, "60")
    [paid] = post("/3.1/admin/payments", pid=[desk.pid])["payments"]
    post(f"/3.1/admin/payments/{paid['id']}", status="paid")
    invoice = {"supplier_id": desk.advertiser, "currency": "USD", "start_date": "2023-11-08", "end_date": "2023-11-14"}
    post("/3.0/admin/advertiser-invoice", **invoice)
    number = issued(desk.api, desk.advertiser)
    earn(desk.api, desk.pid, "40")
    for _ in range(2):
        asked = money.add_request(desk.api, money.earner(desk.api, desk.api.admin))
    post(f"/3.1/admin/payment-requests/{asked}/reject", reason="The account number is wrong.")
    post("/3.1/admin/corrections", pid=desk.pid, currency="USD", amount="1.5", comment="Bonus")
    path_subjects(desk.api)["admin.held-change.confirm"]()
    return {"/console/payments": paid["id"], "/portal/payments": paid["id"]} | dict.fromkeys(
        ("/console/invoices", "/advertiser/invoices"), number
    )


class ReadNames:
    """What pages read of their addresses, by path; "page" for those that have the pages of a list."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.names = dict[str, set[str]]()
        for name in ("get", "all"):
            monkeypatch.setattr(PageAddress, name, self._noting(getattr(PageAddress, name)))
        self._path = ""

    def of(self, world: PageWorld, route: PageRoute) -> Any:
        """Ask for a page, and note what it reads; return the answer."""
        self._path = route.path
        self.names[route.path] = set()
        return world.visitor(route).get(world.address(route))

    def _noting(self, read: Callable[..., Any]) -> Callable[..., Any]:
        def noted(address: PageAddress, name: str, *default: str) -> Any:
            self.names.setdefault(self._path, set()).add(name)
            return read(address, name, *default)

        return noted
