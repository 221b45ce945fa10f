"""Follow the links of each role to their pages, on an installation with hostile names.

The pages of an administrator, of an affiliate and of an advertiser are seen in another language and zone, too.
"""

import csv
import re
import shutil
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.contract.requests import rules
from tests.contract.requests.advertisers import issued
from tests.support.api import Api, installed
from tests.support.pages import (
    PageReader,
    Visitor,
    advertiser_visitor,
    affiliate_visitor,
    console_app,
    staff_visitor,
)
from tests.support.shown_texts import ForeignPerson
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from tests.support.traffic_pages import HOSTILE, TrafficDesk, traffic_desk
from trackyard.base.zones import zone_names
from trackyard.console.frame.methods import methods_of
from trackyard.console.frame.pages import PageRoute, PageTable
from trackyard.console.parts import PARTS
from trackyard.console.staff.traffic.reasons import DECLINES
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role, permissions_of
from trackyard.domain.platform.geo import countries
from trackyard.wire.response.csv_columns import FORMULA_STARTS

pytestmark = pytest.mark.slow

LONG = "Ü" * 190
"""The longest title that the API takes."""
LONGEST = f"{HOSTILE}{'Ü' * 1000}"
"""What remarks may be."""
FORMULA = "=1+1"
NUMBER = re.compile(r"-?[0-9.]*\Z")
ALIKE = 7
"""Addresses of one page that are followed; at most two have the same names in their query."""
MOST = 520
"""Pages of one person."""
TABLE = PageTable(PARTS)
STAFF_PAGES = {each.path for each in TABLE.routes if each.method == "GET" and each.audience == "staff"}
SENT_BY_FORMS = {"/console/conversions/change", "/console/find", "/console/payments/held"}
OLD_ADDRESSES = {"/console/conversions/file", "/console/clicks/file", "/portal/conversions/file"}
"""Addresses of files that bookmarks have; pages lead to the same files by other ones."""
"""Pages that a form leads to, and one that is linked while changes wait."""
IN_ENGLISH = {"/console/audit-log", "/console/staff", "/console/mails"}
"""Names of fields, the list with times in the zone of the platform, which says so, and mails as they were sent."""
DATA = re.compile(
    "|".join(
        (
            *sorted(map(re.escape, (*DECLINES, *zone_names(), *(each.name.strip() for each in countries()))), key=len)[
                ::-1
            ],
            *map(re.escape, (HOSTILE, ">alert(1)", "=1+1", "Trackyard", "offer,pid,action_id,sum,status")),
            "offer_id,affiliate_id,date,sub8,costs",
            "sku,name,url,price,currency,image_url",
            r"\S+@\S+|[0-9a-f]{20,}|https?:\S+|[0-9]+ (Oct|Nov|Dec)\b|TRACKYARD_[A-Z_]+",
            r"(Mon|Tue|Wed|Thu|Fri|Sat|Sun)(s|nes|rs|ur)?(day)?\b",
            "Mia Manager|First Administrator|Casino deposit|Royal Reef|Shop|On request|track.example|Sale|clickid",
            "Affiliate of secrets|secret-sub",
            "Slack|Telegram|123456789:AAF",
            r"CR of subs|KPI of offer|sub[1-8]\b|\b[a-z]+\.example\b",
            r"python-httpx2/\S+|testclient|X-Trackyard-Delivery|Kathmandu|\b(Esc|GET|UTC|USD|DE|ms|KB|MB|GB|CSV|API|Parquet|en)\b",
        )
    )
)
"""What pages show of the installation, and names that are alike in every language."""


def _populate(desk: TrafficDesk) -> None:
    """Give an installation one thing of each kind, with names that a page must escape or shorten."""
    api = desk.api
    for number, name in enumerate((HOSTILE, LONG), 20):
        other = api.add_offer(title=name, advertiser=api.add_advertiser(title=name), privacy="public")
        pid, _ = api.add_affiliate(contact_person=name)
        desk.conversion(number, offer_id=other, affiliate_id=pid, action_id=name[:100], click={"sub1": name[:500]})
    api.add_affiliate(name=FORMULA, status="on moderation", notes=LONGEST)
    for name in (HOSTILE, LONG, FORMULA):
        _add_lists(api, name)
    _add_levels(api)
    _add_money(desk)
    _add_rules(desk)
    _add_promo_code(api)
    desk.click(1, reason="bot")
    desk.click(4, sub1=HOSTILE)
    desk.click(5, sub1=FORMULA, referrer=f"https://a.example/{HOSTILE}"[:200])
    made = desk.conversion(2)
    desk.conversion(3, status=Status.DECLINED, comment=HOSTILE)
    desk.postback(made.click_id)
    desk.attempt(made)


def _add_lists(api: Api, name: str) -> None:
    """Add what administrators keep lists of."""
    api.admin.post("/3.0/admin/category", title=name)
    api.admin.post("/3.0/admin/offer/source", **{"title_lang[en]": name})
    api.admin.post("/3.0/admin/smartlink/category", name=name[:100], description=name)
    api.admin.post("/3.1/admin/news", title=name, small_desc=LONGEST, desc=LONGEST)


def _add_levels(api: Api) -> None:
    """Add a preset with a hostile name, and a staff user with its levels."""
    number, _ = api.add_staff(Role.MANAGER_SALES)
    levels = {f"permissions[stats][{each}][level]": "deny" for each in ("clicks-list", "slice-city")}
    preset = api.admin.post("/3.1/presets", name=HOSTILE, **levels)["preset"]
    api.admin.post(f"/3.1/user/{number}/permissions", preset_id=preset["id"])


def _add_money(desk: TrafficDesk) -> None:
    """Add a payment, an invoice and a request with remarks."""
    api = desk.api
    pid, client = api.add_affiliate(name=HOSTILE)
    desk.conversion(30, affiliate_id=pid)
    api.admin.post("/3.1/admin/payments", pid=[pid], comment=LONGEST)
    days = {"start_date": "2023-11-01", "end_date": "2023-11-14"}
    invoice = {"supplier_id": desk.advertiser, "currency": "USD", "comment": LONGEST}
    api.admin.post("/3.0/admin/advertiser-invoice", **invoice | days)
    asked = api.add_offer(title="On request", privacy="protected")
    client.post("/3.0/partner/activation/offer", offer_id=asked, comment=LONGEST)


def _add_promo_code(api: Api) -> None:
    """Add a promo code with a remark and an ad cost, on an offer and for an affiliate with hostile names."""
    pid, _ = api.add_affiliate(name=HOSTILE)
    item = {"type": "manual", "code": "{=1+1}", "offer_id": api.add_offer(title=HOSTILE), "affiliate_id": pid}
    item |= {"description": HOSTILE, "date_from": "2023-01-01T00:00:00Z", "date_to": "2030-01-01T00:00:00Z"}
    api.admin.post("/3.1/offers/promocodes/bulk", **{f"promocodes[0][{name}]": item[name] for name in item})
    cost = {"offer_id": item["offer_id"], "affiliate_id": pid, "date": "2023-11-10", "sub8": FORMULA, "costs": "2"}
    api.admin.post("/3.1/adcosts", **cost)
    products = f'sku,name,url,brand\n1,"{HOSTILE.replace(chr(34), chr(34) * 2)}",https://shop.example/a,"{FORMULA}"'
    api.admin.post("/3.1/admin/product-feed", name=HOSTILE[:200], csv=products)


def _add_rules(desk: TrafficDesk) -> None:
    """Add a rule, a KPI rule, and a firing."""
    pid, _ = desk.api.add_affiliate()
    desk.api.admin.post("/3.1/admin/rules", **rules.RULE | {"title": HOSTILE})
    made = rules.path_subjects(desk.api, desk.offer, pid)
    made["automation.kpi.edit"]()
    made["admin.rule-firing.undo"]()


@pytest.fixture(scope="module")
def desk(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[TrafficDesk]:
    path = tmp_path_factory.mktemp("crawl") / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    with empty_store() as analytics:
        found = traffic_desk(installed(database, analytics))
        _populate(found)
        yield found
    database.close()


@pytest.fixture(scope="module")
def app(desk: TrafficDesk) -> Any:
    """One program for all roles: each would write the documents of the API again."""
    return console_app(desk.api)


def _kind(address: str) -> str:
    """Return the page of an address; the first part of its path where the console has no such page."""
    path = urlsplit(address).path
    found = (each.path for each in TABLE.routes if each.method == "GET" and each.pattern.match(path))
    return next(found, path.split("/")[1])


def _crawl(visitor: Visitor, start: str) -> Iterator[tuple[str, str, Any, PageReader]]:
    """Yield the pages that links lead to: the page with the link, the address, the answer, the content.

    Beyond the limit only pages that were not met yet are asked for, so that it leaves none out.
    """
    queue, seen, alike, met = deque([("", start)]), {start}, Counter[str](), set[str]()
    while queue:
        origin, address = queue.popleft()
        if len(seen) >= MOST and _kind(address) in met:
            continue
        met.add(_kind(address))
        answer = visitor.get(address)
        page = PageReader(answer.text if answer.headers.get("content-type", "").startswith("text/html") else "")
        yield origin, address, answer, page
        links = [answer.headers["location"]] if "location" in answer.headers else page.links
        for link in links:
            path = link.partition("#")[0]
            if not path.startswith("/") or path in seen or "lang=" in path:
                continue
            kind = f"{_kind(path)} as a file" if "format=csv" in path else _kind(path)
            names = f"{kind}?{sorted(parse_qs(urlsplit(path).query))}"
            if alike[kind] < ALIKE and alike[names] < 2:
                seen.add(path)
                alike.update((kind, names))
                queue.append((address, path))


def _faults(origin: str, address: str, answer: Any, page: PageReader) -> list[str]:
    """Return what is wrong with a page, or with a file."""
    status = answer.status_code
    faults = [] if status in (200, 303) else [f"{address} answers {status}; linked from {origin}"]
    if answer.headers.get("content-type", "").startswith("text/csv"):
        cells = [cell for row in csv.reader(answer.content.decode("utf-8-sig").splitlines()) for cell in row]
        formulas = [cell for cell in cells if cell[:1] in FORMULA_STARTS and not NUMBER.match(cell)]
        faults += [f"{address} has the formula {cell}" for cell in formulas]
    if any(tag == "script" and "src" not in given for tag, given in page.elements):
        faults.append(f"{address} has a script of its data")
    always = re.sub(r"<details.*?</details>", "", page.source, flags=re.DOTALL)
    if len(re.findall(r'class="(?:[^"]* )?main(?: [^"]*)?"', always)) > 1:
        faults.append(f"{address} has several filled buttons")
    anchors = {given["id"] for _, given in page.elements if "id" in given}
    broken = [link for link in page.links if link.startswith("#") and link[1:] not in anchors]
    return faults + [f"{address} has a link to {link}, and nothing with this id" for link in broken]


def _foreign(visitor: Visitor, home: str, monkeypatch: pytest.MonkeyPatch) -> ForeignPerson:
    """Give a person another language and zone than the platform has."""
    person = ForeignPerson(monkeypatch, DATA)
    visitor.post(f"{home}/profile/preferences", timezone="Asia/Kathmandu", single_keys="1")
    return person


def _is_translated(address: str, answer: Any) -> bool:
    is_page = answer.headers.get("content-type", "").startswith("text/html") and _kind(address).startswith("/")
    return is_page and _kind(address) not in IN_ENGLISH


def _forms(page: PageReader) -> list[PageRoute]:
    """Return where the forms of a page are sent."""
    sent = [given.get("action", "") for tag, given in page.elements if tag == "form" and given.get("method") == "post"]
    paths = [urlsplit(each).path for each in sent]
    return [each for path in paths for each in TABLE.routes if each.method == "POST" and each.pattern.match(path)]


def _may_open(role: Role, route: PageRoute) -> bool:
    """Return whether a role has the rights to the methods that a page needs."""
    has = permissions_of([role])
    return route.audience != "staff" or all(
        any(method.permission in has for method in methods_of(need)) for need in route.needs
    )


_SOME_ROLES: Final = (Role.ADMIN, Role.MANAGER_SALES)
"""Roles of which each run tries every page; the others, which differ from them in single rights, run with --all."""


@pytest.mark.parametrize(
    "role", [*_SOME_ROLES, *(pytest.param(each, marks=pytest.mark.long) for each in Role if each not in _SOME_ROLES)]
)
def test_page_is_forbidden_to_a_role_that_lacks_its_methods(desk: TrafficDesk, app: Any, role: Role) -> None:
    visitor = staff_visitor(desk.api, role, app=app)
    token = visitor.read("/console/nothing", 404).fields.get("form_token", "")
    for route in TABLE.routes:
        path = re.sub(r"{\w+}", "1", route.path)
        is_forbidden = not _may_open(role, route) or route.audience in ("affiliate", "advertiser")
        if route.path == "/console/":
            continue  # it leads to the first page that a role may open
        if route.method == "GET" and (is_forbidden or role is Role.ADMIN):
            assert (visitor.get(path).status_code == 403) is is_forbidden, route.path
        elif is_forbidden:
            assert visitor.post(path, form_token=token).status_code == 403, route.path


@pytest.mark.parametrize("role", [each for each in Role if each is not Role.ADMIN])
def test_every_link_of_a_staff_role_leads_to_a_page(desk: TrafficDesk, app: Any, role: Role) -> None:
    visitor = staff_visitor(desk.api, role, app=app)
    if visitor.get("/console/").status_code == 403:
        assert "Your roles open no page" in visitor.read("/console/", 403).text
        return
    faults = []
    for origin, address, answer, page in _crawl(visitor, "/console/"):
        faults += _faults(origin, address, answer, page)
        faults += [f"{address} has a form for {each.path}" for each in _forms(page) if not _may_open(role, each)]
    assert faults == []


def test_every_link_of_an_administrator_leads_to_a_page_in_the_own_language_and_zone(
    desk: TrafficDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    visitor = staff_visitor(desk.api)
    foreign = _foreign(visitor, "/console", monkeypatch)
    met, faults = set(), []
    for origin, address, answer, page in _crawl(visitor, "/console/"):
        met.add(_kind(address))
        faults += _faults(origin, address, answer, page)
        faults += foreign.faults(address, answer.text) if _is_translated(address, answer) else ()
    assert faults == []
    assert {path for path in STAFF_PAGES if "{" not in path} - met <= SENT_BY_FORMS | OLD_ADDRESSES


def test_every_link_of_an_affiliate_leads_to_a_page_in_the_own_language_and_zone(
    desk: TrafficDesk, monkeypatch: pytest.MonkeyPatch
) -> None:
    pid, visitor = affiliate_visitor(desk.api)
    member = {"email": "ann@people.example", "name": HOSTILE, "role": "reports"}
    desk.api.admin.post("/3.1/people", company=f"affiliate:{pid}", **member)
    desk.conversion(50, affiliate_id=pid, click={"sub1": HOSTILE})
    foreign = _foreign(visitor, "/portal", monkeypatch)
    faults = []
    for origin, address, answer, page in _crawl(visitor, "/portal/"):
        faults += _faults(origin, address, answer, page)
        faults += foreign.faults(address, answer.text) if _is_translated(address, answer) else ()
    assert faults == []
    _check_forbidden(visitor, ("staff", "advertiser"))


def test_every_link_of_an_advertiser_leads_to_a_page_in_the_own_language_and_zone(
    desk: TrafficDesk, app: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    number, visitor = advertiser_visitor(desk.api, app, title=HOSTILE, contact=HOSTILE)
    member = {"email": "ann@people.example", "name": HOSTILE, "role": "reports"}
    desk.api.admin.post("/3.1/people", company=f"advertiser:{number}", **member)
    thread = {"subject": "advertiser", "subject_id": number, "text": HOSTILE}
    desk.api.advertiser_client(number).post("/3.1/threads", **thread)
    for place, name in enumerate((HOSTILE, LONG), 60):
        offer = desk.api.add_offer(title=name, advertiser=number, **{"payments[0][title]": name[:100]})
        pid, _ = desk.api.add_affiliate(name="Affiliate of secrets")
        desk.conversion(
            place,
            offer_id=offer,
            affiliate_id=pid,
            advertiser_id=number,
            click={"sub1": "secret-sub"},
            action_id=HOSTILE,
        )
    issued(desk.api, number, offer)
    foreign = _foreign(visitor, "/advertiser", monkeypatch)
    met, faults = set(), []
    for origin, address, answer, page in _crawl(visitor, "/advertiser/"):
        met.add(_kind(address))
        faults += _faults(origin, address, answer, page)
        faults += foreign.faults(address, answer.text) if _is_translated(address, answer) else ()
        faults += [f"{address} shows {name}" for name in ("of secrets", "secret-sub") if name in answer.text]
    assert faults == [], "\n".join(faults)
    assert {each.path for each in TABLE.routes if each.method == "GET" and each.audience == "advertiser"} <= met
    _check_forbidden(visitor, ("staff", "affiliate"))


def _check_forbidden(visitor: Visitor, audiences: tuple[str, ...]) -> None:
    """Check that the pages of other people are a 403."""
    token = visitor.read("/portal/nothing", 404).fields.get("form_token", "")
    for route in (each for each in TABLE.routes if each.audience in audiences):
        path = re.sub(r"{\w+}", "1", route.path)
        answer = visitor.get(path) if route.method == "GET" else visitor.post(path, form_token=token)
        assert answer.status_code == 403, (route.method, route.path)


def test_stranger_is_led_to_sign_in_from_every_page(app: Any) -> None:
    stranger = Visitor(app)
    for route in TABLE.routes:
        if route.method == "GET" and route.audience != "anyone":
            answer = stranger.get(re.sub(r"{\w+}", "1", route.path))
            assert answer.headers.get("location", "").startswith("/sign-in?next="), route.path
