"""Each figure of a page is what the API answers the same person."""

import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest

from tests.support.api import PASSWORD as AFFILIATE_PASSWORD
from tests.support.api import Api, installed
from tests.support.client import ApiClient
from tests.support.models.events import NOON
from tests.support.pages import PASSWORD, Visitor, console_app
from tests.support.people_pages import earn
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from tests.support.traffic_pages import traffic_desk
from trackyard.actions.people.staff import set_password
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role

DAY_MS = 86_400_000
TODAY = datetime.fromtimestamp((NOON + DAY_MS) / 1000, UTC).date()
FIRST = TODAY - timedelta(days=6)
DAYS = {"filter[date_from]": str(FIRST), "filter[date_to]": str(TODAY)}
LISTED = {"date_from": str(FIRST), "date_to": str(TODAY), "limit": 100}
PERIOD = f"from={FIRST}&to={TODAY}"
NAMES = ("title", "name", "login", "email")
COUNTED = ("confirmed", "pending", "hold")


class SheetReader(HTMLParser):
    """The figures of a page: the first words of each cell of its tables, and its tiles.

    rows: the name of each row, and its cells by their columns; tiles are a row without a name.
    """

    def __init__(self, content: str) -> None:
        super().__init__()
        self.tiles: dict[str, str] = {}
        self.rows: list[tuple[str, dict[str, str]]] = [("", self.tiles)]
        self._headings: list[str] = []
        self._cells: list[list[str]] = []
        self._name, self._label, self._inside = -1, "", ""
        self.feed(content)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Begin a row, a cell or a tile."""
        given = dict(attrs)
        if tag == "thead":
            self._headings = []
        if tag == "tr":
            self._cells, self._name = [], -1
        if tag in ("td", "th"):
            if given.get("scope") == "row":
                self._name = len(self._cells)
            self._cells += [[] for _ in range(int(given.get("colspan") or 1))]
        if tag in ("td", "th", "b", "small"):
            self._inside = tag

    def handle_data(self, data: str) -> None:
        """Keep words of a cell or of a tile."""
        words = " ".join(data.split())
        if not words:
            return
        if self._inside in ("td", "th"):
            self._cells[-1].append(words)
        if self._inside == "small" and not self._label:
            self._label = words.partition(" · ")[0]
        if self._inside == "b" and self._label:
            self.tiles.setdefault(self._label, words)

    def handle_endtag(self, tag: str) -> None:
        """End a row, a cell or a tile."""
        if tag in ("td", "th", "b", "small"):
            self._inside = ""
        if tag in ("a", "div", "header", "h1", "h2"):
            self._label = ""
        if tag != "tr":
            return
        words = [each[0] if each else "" for each in self._cells]
        if self._name < 0 or not self._headings:
            self._headings = [" ".join(each).rstrip(" ↓↑") for each in self._cells]
        else:
            self.rows.append((words[self._name], dict(zip(self._headings, words, strict=False))))


def number(shown: str) -> Decimal | None:
    """Return the number that words of a page show; None for a dash."""
    digits = re.sub(r"[^\d.\-]", "", shown.replace("\N{MINUS SIGN}", "-"))
    return Decimal(digits) if digits else None


@dataclass(frozen=True)
class Office:
    """One filled installation, with an administrator and an affiliate at its pages and at its API."""

    staff: tuple[Visitor, ApiClient]
    affiliate: tuple[Visitor, ApiClient]
    ids: Mapping[str, Any]


@pytest.fixture(scope="module")
def office(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    path = tmp_path_factory.mktemp("figures") / "trackyard.db"
    shutil.copy(migrated_sqlite, path)
    database = open_database(f"sqlite:///{path}")
    with empty_store() as analytics:
        yield filled(installed(database, analytics))
    database.close()


def filled(api: Api) -> Office:
    """Two offers of two advertisers with different figures; payments, an invoice and a hold."""
    desk = traffic_desk(api, privacy="public")
    green = api.add_advertiser(title="Green Hall")
    second = api.add_offer(title="Yoga mats", advertiser=green, privacy="public")
    pid, client = api.add_affiliate(email="ines@affiliate.example", contact_person="Ines Duarte")
    parties = {"affiliate_id": pid, "offer_id": second, "advertiser_id": green}
    for each in range(1, 8):
        desk.conversion(each, charge=Decimal(each) + Decimal("4.25"), payout=Decimal(each), **parties)
    states = (Status.PENDING, Status.HOLD, Status.DECLINED, Status.DECLINED)
    for place, status in enumerate(states, 20):
        desk.conversion(place, status=status, charge=Decimal("3.5"), payout=Decimal("2.75"))
    for each in range(40, 63):
        desk.click(each, affiliate=pid, offer=second, advertiser=green, time=NOON - (each % 3) * DAY_MS)
    for each in range(70, 75):
        desk.click(each, reason="bot" if each % 2 else "overcap")
    api.clock.advance(DAY_MS)
    early = NOON + DAY_MS - 2 * 3_600_000
    for each in range(90, 94):
        desk.click(each, affiliate=pid, offer=second, advertiser=green, time=early)
    desk.conversion(94, payout=Decimal("1.5"), charge=Decimal(2), click={"time": early}, **parties)
    earn(api, pid, "120.5", hold="33.25")
    api.admin.post("/3.1/admin/payments", pid=[pid], comment="October")
    earn(api, pid, "61.25")
    invoice = {"supplier_id": desk.advertiser, "currency": "USD", "start_date": "2023-11-08", "end_date": "2023-11-14"}
    api.admin.post("/3.0/admin/advertiser-invoice", **invoice)
    staff_id, staff = api.add_staff(Role.ADMIN)
    set_password(api.deps, staff_id, PASSWORD)
    app = console_app(api)
    email = api.admin.get(f"/3.0/admin/user/{staff_id}")["user"]["email"]
    ids = {"offer": second, "affiliate": pid, "advertiser": desk.advertiser}
    return Office(
        (signed_in(app, email, PASSWORD), staff),
        (signed_in(app, "ines@affiliate.example", AFFILIATE_PASSWORD), client),
        ids,
    )


def signed_in(app: Any, email: str, password: str) -> Visitor:
    """Return a person who is signed in."""
    visitor = Visitor(app)
    assert visitor.sign_in(email, password).status_code == 303
    return visitor


def sums(client: ApiClient, by: str, **filters: Any) -> dict[str, dict[str, Decimal | None]]:
    """Return the figures of the days by the titles of a slice, from the rows of the API; "" = all of them."""
    rows = client.get("/3.1/stats/custom", **{"slice[]": [by], "limit": 500, **DAYS, **filters})["stats"]
    found: dict[str, list[Any]] = {"": rows}
    for row in rows:
        value = row["slice"][by]
        found.setdefault(
            str(next(filter(None, map(value.get, NAMES)), value) if isinstance(value, dict) else value), []
        ).append(row)
    return {name: summed(each) for name, each in found.items()}


def summed(rows: list[Any]) -> dict[str, Decimal | None]:
    """Return what rows of the API come to."""
    actions = [row["actions"].get(kind) for row in rows for kind in COUNTED]
    counted = [each for each in actions if each]
    confirmed = [row["actions"]["confirmed"] for row in rows if row["actions"].get("confirmed")]

    def money(name: str, of: list[Any] = counted) -> Decimal:
        return sum((Decimal(str(each.get(name, 0))) for each in of), Decimal(0))

    is_staff = any(Decimal(str(each.get("charge", 0))) for each in counted)
    charge = money("charge")
    payout = charge - money("earning") if is_staff else money("revenue")
    sure = money("charge", confirmed) - money("earning", confirmed) if is_staff else money("revenue", confirmed)
    clicks = Decimal(sum(int(row["traffic"]["raw"]) for row in rows))
    conversions = Decimal(sum(each["count"] for each in counted))
    return {
        "Clicks": clicks,
        "Clicks today": clicks,
        "Unique": Decimal(sum(int(row["traffic"]["uniq"]) for row in rows)),
        "Conversions": conversions,
        "Conv.": conversions,
        "CR": 100 * conversions / clicks if clicks else None,
        "Charge": charge,
        "Payout": payout,
        "Earned today": payout,
        "Margin": charge - payout,
        "EPC": sure / clicks if clicks else None,
    }


def only(figures: Mapping[str, Mapping[str, Any]], *columns: str) -> dict[str, dict[str, Any]]:
    """Return some columns of figures, without the sum of all rows."""
    return {name: {column: row[column] for column in columns} for name, row in figures.items() if name}


def tiles(figures: Mapping[str, Any], *columns: str) -> dict[str, dict[str, Any]]:
    """Return figures of tiles."""
    return {"": {column: figures[column] for column in columns}}


SIX = ("Clicks", "Conversions", "Charge", "Payout", "Margin")
Expected = Callable[[ApiClient, Mapping[str, Any]], Any]


def overview(client: ApiClient, _: Any) -> Any:
    rejected = client.get("/3.1/stats/custom", **{"slice[]": ["trafficback_reason"], **DAYS})["stats"]
    count = sum(int(each["trafficback"]) for each in rejected)
    found = sums(client, "offer")
    share = Decimal(100 * count) / (count + found[""]["Clicks"])
    rows = only(found, "Clicks", "Conv.", "CR", "Margin")
    rows |= only(sums(client, "affiliate"), "Clicks", "Conv.", "CR", "Margin")
    return tiles(found[""] | {"Rejected": share}, *SIX, "Rejected") | rows


def balances(client: ApiClient, _: Any) -> Any:
    listed = client.get("/3.1/admin/partners", with_balance=1)["partners"]
    payments = client.get("/3.1/admin/payments")["payments"]
    found = {}
    for each in listed:
        usd = each["balance"].get("USD", {"available": 0, "hold": 0})
        requested = sum(Decimal(str(p["amount"])) for p in payments if p["pid"] == each["id"])
        found[each["name"] or each["login"] or each["email"]] = {
            "Available": usd["available"], "On hold": usd["hold"], "Being paid": requested or None,
        }  # fmt: skip
    return found


def portal_home(client: ApiClient, _: Any) -> Any:
    balance = client.get("/3.1/balance")["balance"]
    today = sums(client, "day", **{"filter[date_from]": str(TODAY), "filter[date_to]": str(TODAY)})[""]
    money = {"Available": balance["available"]["USD"], "On hold": balance["hold"]["USD"]}
    return tiles(today | money, "Available", "On hold", "Earned today", "Clicks today", "Conversions", "EPC")


REPORT = ("Clicks", "Unique", "Conversions", "CR", "Charge", "Payout", "Margin")
PAGES: dict[str, Expected] = {
    f"/console/?{PERIOD}": overview,
    "/console/offers": lambda client, _: only(sums(client, "offer"), "Clicks", "Conversions", "CR"),
    f"/console/offers/{{offer}}?{PERIOD}": lambda client, ids: tiles(
        sums(client, "offer", **{"filter[offer][]": ids["offer"]})[""], *SIX, "CR"
    ),
    "/console/affiliates": lambda client, _: only(sums(client, "affiliate"), "Clicks", "Conversions", "Payout"),
    f"/console/affiliates/{{affiliate}}?{PERIOD}": lambda client, ids: tiles(
        sums(client, "affiliate", **{"filter[partner][]": ids["affiliate"]})[""], *SIX, "CR"
    ),
    "/console/advertisers": lambda client, _: only(
        sums(client, "advertiser"), "Clicks", "Conversions", "Charge", "Margin"
    ),
    f"/console/advertisers/{{advertiser}}?{PERIOD}": lambda client, ids: tiles(
        sums(client, "advertiser", **{"filter[advertiser][]": ids["advertiser"]})[""], *SIX, "CR"
    ),
    f"/console/reports?by=offer&{PERIOD}": lambda client, _: (
        only(sums(client, "offer"), *REPORT)
        | {"Total of 2 rows": only({"all": sums(client, "offer")[""]}, *REPORT)["all"]}
    ),
    f"/console/reports?by=country&{PERIOD}": lambda client, _: only(sums(client, "country"), *REPORT),
    "/console/payments": lambda client, _: {
        f"Payment {each['id']}": {"Amount": each["amount"]} for each in client.get("/3.1/admin/payments")["payments"]
    },
    "/console/invoices": lambda client, _: {
        f"Invoice #{each['number']}": {"Total": sum(Decimal(line["amount"]) for line in each["detail"])}
        for each in client.get("/3.0/admin/advertiser-invoices")["message"]
    },
    "/console/balances": balances,
    f"/portal/reports?by=offer&{PERIOD}": lambda client, _: only(
        sums(client, "offer"), "Clicks", "Unique", "Conversions", "CR", "Payout", "EPC"
    ),
    "/portal/": portal_home,
    "/portal/payments": lambda client, _: (
        {
            f"Payment {each['id']}": {"Amount": each["amount"]}
            for each in client.get("/3.1/partner/payments")["payments"]
        }
        | tiles({"Available": client.get("/3.1/balance")["balance"]["available"]["USD"]}, "Available")
    ),
}
"""What each page shows, by row and column, from the answers of the API."""


@pytest.mark.parametrize("path", PAGES)
def test_figures_of_a_page_equal_those_of_the_api(office: Office, path: str) -> None:
    visitor, client = office.affiliate if path.startswith("/portal/") else office.staff
    answer = visitor.get(path.format(**office.ids))
    assert answer.status_code == 200
    rows: dict[str, dict[str, str]] = {}
    for name, cells in SheetReader(answer.text).rows:
        rows.setdefault(name, {}).update(cells)
    expected = PAGES[path](client, office.ids)
    assert expected
    wrong = [
        (name, column, rows.get(name, {}).get(column), value)
        for name, row in expected.items()
        for column, value in row.items()
        if not is_shown(rows.get(name, {}).get(column), value)
    ]
    assert wrong == [], rows


def is_shown(words: str | None, value: Any) -> bool:
    """Return whether words show a value, as exactly as they can with their digits."""
    if words is None:
        return False
    found = number(words)
    if value is None or found is None:
        return value is None and found is None
    half = Decimal(1).scaleb(int(found.as_tuple().exponent)) / 2
    return abs(Decimal(str(value)) - found) <= half


LISTS = {
    f"/console/conversions?{PERIOD}": ("/3.1/stats/conversions", {"Charge": "revenue", "Payout": "payouts"}),
    f"/portal/conversions?{PERIOD}": ("/3.1/stats/conversions", {"Payout": "payouts"}),
}


@pytest.mark.parametrize("path", LISTS)
def test_amounts_of_a_list_equal_those_of_the_api(office: Office, path: str) -> None:
    visitor, client = office.affiliate if path.startswith("/portal/") else office.staff
    method, columns = LISTS[path]
    expected = client.get(method, **LISTED)["conversions"]
    found = [cells for name, cells in SheetReader(visitor.get(path).text).rows if name]
    assert len(found) == len(expected) > 5
    for cells, row in zip(found, expected, strict=True):
        assert all(is_shown(cells[column], row[name]) for column, name in columns.items()), (cells, row)


def test_number_of_clicks_of_a_list_equals_that_of_the_api(office: Office) -> None:
    visitor, client = office.staff
    for verdict in ("accepted", "rejected"):
        total = client.get("/3.1/stats/clicks", verdict=verdict, **LISTED)["pagination"]["total_count"]
        assert total > 4
        assert f"{total} clicks" in visitor.read(f"/console/clicks?verdict={verdict}&{PERIOD}").text
