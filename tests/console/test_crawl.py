"""Follow the links of each role to their pages, on an installation with hostile names."""

import re
import shutil
from collections import Counter, deque
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.support.api import installed
from tests.support.pages import PageReader, Visitor, affiliate_visitor, console_app, staff_visitor
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from tests.support.traffic_pages import HOSTILE, TrafficDesk, traffic_desk
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role

LONG = "Ü" * 190
"""The longest title that the API takes."""
ALIKE = 5
"""Addresses of one page that are followed; at most two have the same names in their query."""
MOST = 400
"""Pages of one person."""
TABLE = PageTable(PARTS)
STAFF_PAGES = {each.path for each in TABLE.routes if each.method == "GET" and each.audience == "staff"}
SENT_BY_FORMS = {"/console/conversions/change", "/console/find", "/console/payments/held"}
"""Pages that a form leads to, and one that is linked while changes wait."""


def _populate(desk: TrafficDesk) -> None:
    """Give an installation one thing of each kind, with names that a page must escape or shorten."""
    api = desk.api
    for number, name in enumerate((HOSTILE, LONG), 20):
        other = api.add_offer(title=name, advertiser=api.add_advertiser(title=name), privacy="public")
        pid, _ = api.add_affiliate(contact_person=name)
        desk.conversion(number, offer_id=other, affiliate_id=pid, action_id=name[:100], click={"sub1": name[:500]})
    desk.click(1, reason="bot")
    desk.click(4, sub1=HOSTILE)
    made = desk.conversion(2)
    desk.conversion(3, status=Status.DECLINED, comment=HOSTILE)
    desk.postback(made.click_id)
    desk.attempt(made)


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


def _kind(address: str) -> str:
    """Return the page of an address; the first part of its path where the console has no such page."""
    path = urlsplit(address).path
    found = (each.path for each in TABLE.routes if each.method == "GET" and each.pattern.match(path))
    return next(found, path.split("/")[1])


def _crawl(visitor: Visitor, start: str) -> Iterator[tuple[str, str, int, PageReader]]:
    """Yield the pages that links lead to: the page with the link, the address, the status, the content."""
    queue, seen, alike = deque([("", start)]), {start}, Counter[str]()
    while queue and len(seen) < MOST:
        origin, address = queue.popleft()
        answer = visitor.get(address)
        page = PageReader(answer.text if answer.headers.get("content-type", "").startswith("text/html") else "")
        yield origin, address, answer.status_code, page
        links = [answer.headers["location"]] if "location" in answer.headers else page.links
        for link in links:
            path = link.partition("#")[0]
            if not path.startswith("/") or path in seen:
                continue
            names = f"{_kind(path)}?{sorted(parse_qs(urlsplit(path).query))}"
            if alike[_kind(path)] < ALIKE and alike[names] < 2:
                seen.add(path)
                alike.update((_kind(path), names))
                queue.append((address, path))


def _faults(origin: str, address: str, status: int, page: PageReader) -> list[str]:
    """Return what is wrong with a page."""
    faults = [] if status in (200, 303) else [f"{address} answers {status}; linked from {origin}"]
    if any(tag == "script" and "src" not in given for tag, given in page.elements):
        faults.append(f"{address} has a script of its data")
    anchors = {given["id"] for _, given in page.elements if "id" in given}
    broken = [link for link in page.links if link.startswith("#") and link[1:] not in anchors]
    return faults + [f"{address} has a link to {link}, and nothing with this id" for link in broken]


@pytest.mark.parametrize("role", Role)
def test_every_link_of_a_staff_role_leads_to_a_page(desk: TrafficDesk, role: Role) -> None:
    visitor = staff_visitor(desk.api, role)
    if visitor.get("/console/").status_code == 403:
        assert "Your roles open no page" in visitor.read("/console/", 403).text
        return
    met, faults = set(), []
    for origin, address, status, page in _crawl(visitor, "/console/"):
        met.add(_kind(address))
        faults += _faults(origin, address, status, page)
    assert faults == []
    if role is Role.ADMIN:
        assert {path for path in STAFF_PAGES if "{" not in path} - met <= SENT_BY_FORMS


def test_every_link_of_an_affiliate_leads_to_a_page(desk: TrafficDesk) -> None:
    pid, visitor = affiliate_visitor(desk.api)
    desk.conversion(50, affiliate_id=pid, click={"sub1": HOSTILE})
    crawled = _crawl(visitor, "/portal/")
    assert [fault for each in crawled for fault in _faults(*each)] == []
    assert all(visitor.get(path).status_code == 403 for path in STAFF_PAGES if "{" not in path)


def test_stranger_is_led_to_sign_in_from_every_page(desk: TrafficDesk) -> None:
    stranger = Visitor(console_app(desk.api))
    for route in TABLE.routes:
        if route.method == "GET" and route.audience != "anyone":
            answer = stranger.get(re.sub(r"{\w+}", "1", route.path))
            assert answer.headers.get("location", "").startswith("/sign-in?next="), route.path
