"""The address of pages with figures holds the currency (docs/spec/console.md#urls)."""

import csv
from decimal import Decimal
from html import unescape

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversions, load_clicks
from tests.support.pages import PageReader, Visitor, advertiser_visitor, affiliate_visitor, staff_visitor
from tests.support.people_pages import earn
from trackyard.domain.people.roles import Role
from trackyard.store.money.exchange_rates import add_rate

DAY_MS = 86_400_000
MIDNIGHT = NOON // DAY_MS * DAY_MS
DAYS = "from=2023-11-14&to=2023-11-15"


@pytest.fixture
def sides(api: Api) -> tuple[Api, dict[str, Visitor]]:
    """A conversion (charge 10, payout 7) yesterday, at half a euro, and one today, at a quarter."""
    api.clock.advance(NOON + 6 * 3_600_000 - NOW)
    advertiser, shop = advertiser_visitor(api, title="Blue Shop")
    pid, seller = affiliate_visitor(api)
    offer = api.add_offer(advertiser=advertiser, privacy="public")
    load_clicks(api.deps, [new_click(1, offer=offer, affiliate=pid, advertiser=advertiser)])
    ids = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser}
    add_conversions(api.deps, {number: {"created_at": NOON - (2 - number) * DAY_MS} for number in (1, 2)}, **ids)
    with api.deps.database.write() as conn:
        add_rate(conn, "EUR", MIDNIGHT - DAY_MS, Decimal("0.5"))
        add_rate(conn, "EUR", MIDNIGHT, Decimal("0.25"))
    return api, {"/console/": staff_visitor(api), "/portal/": seller, "/advertiser/": shop}


PAGES = {
    "/console/": ("€7.50", "$20.00"),
    "/console/reports": ("€7.50", "$20.00"),
    "/console/affiliates": ("€5.25", "$14.00"),
    "/console/advertisers": ("€7.50", "$20.00"),
    "/portal/reports": ("€5.25", "$14.00"),
    "/portal/": ("€1.75", "$7.00"),  # of today
    "/advertiser/statistics": ("€7.50", "$20.00"),
}
"""Pages with figures: the sum in euro, at the rate of each day, and in the platform's currency."""


def of_page(sides: tuple[Api, dict[str, Visitor]], path: str) -> Visitor:
    """The visitor who has a page."""
    return next(visitor for start, visitor in sides[1].items() if path.startswith(start))


@pytest.mark.parametrize("path", PAGES)
def test_page_shows_amounts_in_the_currency_of_its_address(sides: tuple[Api, dict[str, Visitor]], path: str) -> None:
    visitor, (euros, dollars) = of_page(sides, path), PAGES[path]
    text = visitor.read(f"{path}?{DAYS}").text
    assert dollars in text
    assert "Amounts in USD" in text
    page = visitor.read(f"{path}?{DAYS}&currency=EUR")
    assert euros in page.text
    assert "Amounts in EUR" in page.text
    assert " · EUR" in page.text  # the header
    assert "in_currency=EUR" in unescape(page.source)  # of the API request


@pytest.mark.parametrize("path", PAGES)
def test_links_of_a_page_keep_its_currency(sides: tuple[Api, dict[str, Visitor]], path: str) -> None:
    visitor = of_page(sides, path)
    links = visitor.read(f"{path}?{DAYS}").links
    [to] = [link for link in links if link.startswith(f"{path}?") and link.endswith("currency=EUR")]
    page = visitor.read(to)
    states = [link for link in page.links if link.startswith((f"{path}?", "?"))]
    assert len(states) > 3
    assert [link for link in states if "currency=" not in link] == []


def test_files_of_reports_are_in_the_currency_of_the_page(sides: tuple[Api, dict[str, Visitor]]) -> None:
    for path, column in (("/console/reports", "total.charge"), ("/portal/reports", "total.payouts")):
        visitor = of_page(sides, path)
        page = visitor.read(f"{path}?{DAYS}&by=offer&currency=EUR")
        [file] = [link for link in page.links if "format=csv" in link]
        [row] = csv.DictReader(visitor.get(file).content.decode("utf-8-sig").splitlines())
        assert (row[column], row["currency"]) == ({"/console/reports": "7.5", "/portal/reports": "5.25"}[path], "EUR")
    visitor = of_page(sides, "/advertiser/statistics")
    page = visitor.read(f"/advertiser/statistics?{DAYS}&by=offer&currency=EUR")
    [file] = [link for link in page.links if "format=csv" in link and "fields=all" in link]
    [row] = csv.DictReader(visitor.get(file).content.decode("utf-8-sig").splitlines())
    assert row["actions.confirmed.charge"] == "7.5"


@pytest.mark.parametrize("path", PAGES)
@pytest.mark.parametrize("code", ["PLN", "x'>y"])
def test_page_says_that_a_currency_has_no_rate(sides: tuple[Api, dict[str, Visitor]], path: str, code: str) -> None:
    text = of_page(sides, path).read(f"{path}?{DAYS}&currency={code}").text
    assert f"There is no exchange rate of {code.upper()}: amounts are in USD." in text
    assert PAGES[path][1] in text


def test_tables_of_the_overview_lead_to_reports_in_its_currency(sides: tuple[Api, dict[str, Visitor]]) -> None:
    page = sides[1]["/console/"].read(f"/console/?{DAYS}&currency=EUR")
    reports = [link for link in page.links if link.startswith("/console/reports?")]
    assert reports
    assert all("currency=EUR" in link for link in reports)


def test_report_by_one_currency_of_conversions_names_it(sides: tuple[Api, dict[str, Visitor]]) -> None:
    """Its amounts are those of the conversions, unless the address names a currency."""
    visitor, path = sides[1]["/console/"], f"/console/reports?{DAYS}&f.currency=EUR"
    page = visitor.read(path)
    assert "Amounts in EUR" in page.text
    [back] = [link for link in page.links if link.endswith("currency=USD")]
    assert "Amounts in USD" in visitor.read(back).text
    assert "Amounts in USD" in visitor.read(f"{path}&f.currency=USD").text
    assert "Amounts in USD" in visitor.read(f"/console/?{DAYS}&f.currency=EUR").text  # which has no such filter


def test_views_of_a_report_are_in_its_currency(sides: tuple[Api, dict[str, Visitor]]) -> None:
    visitor = sides[1]["/console/"]
    for view in ("pivot", "heat"):
        page: PageReader = visitor.read(
            f"/console/reports?{DAYS}&by=day&by=offer&view={view}&show=charge&figures=charge&currency=EUR"
        )
        assert "€5.00" in page.text
        assert "€2.50" in page.text
        assert "$" not in page.text.replace("$KEY", "")


def test_lists_of_people_keep_their_currency_when_they_are_filtered(sides: tuple[Api, dict[str, Visitor]]) -> None:
    visitor = sides[1]["/console/"]
    for path in ("/console/affiliates", "/console/advertisers"):
        page = visitor.read(f"{path}?{DAYS}&currency=EUR&tag=x&sort=email&page=1")
        [clear] = {link for link in page.links if link.startswith(f"{path}?") and "tag=" not in link}
        assert clear == f"{path}?{DAYS}&currency=EUR&sort=email"
        forms = page.source.split("<form ")[1:]
        [filters] = [form for form in forms if f'action="{path}"' in form and "<select" in form]
        assert filters.count('name="currency" value="EUR"') == 1


def test_lists_of_people_lead_to_pages_in_their_currency(sides: tuple[Api, dict[str, Visitor]]) -> None:
    visitor = sides[1]["/console/"]
    for path in ("/console/affiliates", "/console/advertisers"):
        [link] = [link for link in visitor.read(f"{path}?{DAYS}&currency=EUR").links if link.endswith("?currency=EUR")]
        assert link.startswith(f"{path}/")
        assert "Amounts in EUR" in visitor.read(link).text
        assert link.removesuffix("?currency=EUR") in visitor.read(f"{path}?{DAYS}").links


def test_list_without_figures_offers_no_currency(sides: tuple[Api, dict[str, Visitor]]) -> None:
    api, _ = sides
    visitor = staff_visitor(api, Role.SECTION_PARTNER)
    page = visitor.read("/console/affiliates?currency=EUR")
    assert "Amounts in" not in page.text
    assert " · USD" in page.text
    assert "in_currency" not in page.source


def test_balances_of_a_list_stay_in_the_currency_in_which_they_are_owed(sides: tuple[Api, dict[str, Visitor]]) -> None:
    api, visitors = sides
    [affiliate] = api.admin.get("/3.1/admin/partners")["partners"]
    earn(api, affiliate["id"], "12.50")
    text = visitors["/console/"].read(f"/console/affiliates?{DAYS}&currency=EUR").text
    assert "$12.50" in text
    assert "€5.25" in text


OBJECTS = {
    "offers": ("offer", "€7.50", "$20.00"),
    "affiliates": ("affiliate", "€5.25", "$14.00"),
    "advertisers": ("advertiser", "€7.50", "$20.00"),
}
"""Lists of objects: the name of one in filters, and a sum of its card in euro and in the platform's currency."""


@pytest.mark.parametrize("kind", OBJECTS)
def test_results_of_one_object_are_in_the_currency_of_its_address(
    sides: tuple[Api, dict[str, Visitor]], kind: str
) -> None:
    api, visitors = sides
    filter_, euros, dollars = OBJECTS[kind]
    key, path = {"offers": ("offers", "/3.1/offers"), "affiliates": ("partners", "/3.1/admin/partners")}.get(
        kind, ("advertisers", "/3.1/admin/advertisers")
    )
    [one] = api.admin.get(path)[key]
    page = f"/console/{kind}/{one['id']}"
    usual = visitors["/console/"].read(f"{page}?{DAYS}&show=charge")
    assert "Amounts in USD" in usual.text
    assert dollars in usual.text
    [to] = [link for link in usual.links if link.endswith("&currency=EUR")]
    shown = visitors["/console/"].read(to)
    assert "Amounts in EUR" in shown.text
    assert euros in shown.text
    assert " · EUR" in shown.text  # the header
    assert dollars not in shown.text
    states = [link for link in shown.links if link.startswith(f"{page}?")]
    assert len(states) > 5
    assert [link for link in states if "currency=" not in link] == []
    for other in ("conversions", "clicks"):  # which filter by the currency, or have none
        assert f"/console/{other}?{filter_}={one['id']}&{DAYS}" in shown.links
    [report] = [link for link in shown.links if link.startswith("/console/reports?") and DAYS in link]
    assert report.endswith(f"&{DAYS}&currency=EUR")
    unknown = visitors["/console/"].read(f"{page}?{DAYS}&currency=PLN").text
    assert "There is no exchange rate of PLN: amounts are in USD." in unknown
    assert dollars in unknown
