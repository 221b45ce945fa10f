"""Pivot, heat map and funnel: their tables have the figures of the API."""

from collections.abc import Iterator
from decimal import Decimal
from typing import Any

import pytest

from tests.console.reports_shown.test_reports import HOUR_MS, MARKUP
from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from tests.support.pages import PageReader, Visitor, affiliate_visitor, staff_visitor
from trackyard.console.reports_shown import views
from trackyard.domain.conversions.statuses import Status

DAY_MS = 86_400_000
FILTERS = ("f.goal=1", "f.currency=USD", f"f.smart_id={'a' * 24}", "by=trafficback_reason", "f.sub1=x&not.country=DE")


@pytest.fixture
def week(api: Api) -> Api:
    """Clicks of a Tuesday and a Wednesday, and conversions of each status."""
    api.clock.advance(NOON + 6 * HOUR_MS - NOW)
    first, second = api.add_offer(title=MARKUP), api.add_offer(title="Boots")
    pid, _ = api.add_affiliate()
    clicks = [
        new_click(number, offer=(first, second)[number % 2], affiliate=pid, country=("DE", "ES")[number % 3 == 0])
        for number in range(1, 31)
    ]
    clicks += [new_click(40, offer=first, affiliate=pid, time=NOON - DAY_MS - 3 * HOUR_MS, country="DE")]
    clicks += [new_click(number, offer=first, affiliate=pid, reason="bot") for number in (61, 62)]
    load_clicks(api.deps, clicks)
    for number, status in enumerate((Status.CONFIRMED, Status.PENDING, Status.HOLD, Status.DECLINED), 1):
        add_conversion(api.deps, number, offer_id=first, affiliate_id=pid, status=status, charge=Decimal(number))
    return api


def lines(visitor: Visitor, query: str) -> dict[str, list[str]]:
    """The rows of the table of a view by their first cell."""
    answer = visitor.get(f"/console/reports?period=7d&{query}")
    assert answer.status_code == 200, answer.text[:2000]
    return dict(_each_line(answer.text.split('<table class="report')[1]))


def _each_line(content: str) -> Iterator[tuple[str, list[str]]]:
    for row in content.split("</table>")[0].split("<tr")[1:]:
        cells = row.replace("<th", "<td").split("<td")[1:]
        name, *texts = (" ".join(PageReader(cell.partition(">")[2]).words) for cell in cells)
        yield name, texts


def rows_of(api: Api, *slices: str) -> list[dict[str, Any]]:
    """The rows of the API for the same days."""
    span = {"filter[date_from]": "2023-11-09", "filter[date_to]": "2023-11-15"}
    return list(api.admin.get("/3.1/stats/custom", **span, **{"slice[]": list(slices)})["stats"])


def _clicks(row: dict[str, Any]) -> int:
    return int(row["traffic"]["raw"])


def test_pivot_has_the_rows_columns_and_sums_of_the_api(week: Api) -> None:
    found = lines(staff_visitor(week), "view=pivot&by=offer&by=country&show=clicks")
    clicks = {
        (row["slice"]["offer"]["title"], row["slice"]["country"]): _clicks(row)
        for row in rows_of(week, "offer", "country")
        if _clicks(row)
    }
    countries = found["Offer"][:-1]
    for offer in (MARKUP, "Boots"):
        expected = [clicks[offer, country] for country in countries]
        assert found[offer] == [*map(str, expected), str(sum(expected))]
    sums = [sum(clicks[offer, country] for offer in (MARKUP, "Boots")) for country in countries]
    assert found["Total"] == [*map(str, sums), "31"]


def test_pivot_sums_columns_beyond_twelve_and_asks_for_a_second_slice(week: Api) -> None:
    codes = ["AT", "BE", "BG", "CH", "CZ", "DK", "EE", "FI", "FR", "GB", "GR", "HR", "HU", "IE", "IT"]
    load_clicks(week.deps, [new_click(100 + place, country=code) for place, code in enumerate(codes)])
    visitor = staff_visitor(week)
    found = lines(visitor, "view=pivot&by=day&by=country")
    assert found["Day"][-2:] == ["5 others", "Total"]
    del found["Day"]
    for *texts, whole in found.values():
        assert sum(int(text.replace("—", "0")) for text in texts) == int(whole)


def test_heat_map_sums_hours_of_weekdays_as_the_api_does(week: Api) -> None:
    found = lines(staff_visitor(week), "view=heat&show=clicks")
    assert found["Hour"][0] == "Mon 1 day"
    hours = {(int(row["slice"]["day"]), int(row["slice"]["hour"])): _clicks(row) for row in rows_of(week, "hour")}
    assert found["09:00"][1:3] == [str(hours[14, 9]), "0"]
    assert found["12:00"][1:3] == ["0", str(hours[15, 12])]
    assert found["Total"] == ["0", "1", "30", "0", "0", "0", "0", "31"]


def test_funnel_leads_from_all_clicks_to_confirmed_conversions(week: Api) -> None:
    found = lines(staff_visitor(week), "view=funnel")
    assert found["Clicks"] == ["33", "—", "—"]
    assert found["Accepted clicks"][:2] == ["31", "93.9 %"]
    assert found["Conversions"][:2] == ["3", "9.7 %"]
    assert found["Confirmed"][0] == "1"


@pytest.mark.parametrize("view", ["pivot&by=offer&by=country", "heat", "funnel", "pivot"])
def test_view_without_traffic_or_for_an_affiliate_is_a_page(week: Api, view: str) -> None:
    _, visitor = affiliate_visitor(week)
    page = visitor.read(f"/portal/reports?view={view}")
    assert "Charge" not in page.text
    assert "Nothing was counted in these days." in page.text or view == "pivot"


def test_view_with_filters_of_conversions_and_smartlinks_is_made(week: Api) -> None:
    visitor = staff_visitor(week)
    for view in ("pivot&by=offer&by=country", "heat", "funnel"):
        for filters in FILTERS:
            answer = visitor.get(f"/console/reports?period=7d&view={view}&{filters}")
            assert answer.status_code == 200, (view, filters, answer.text[:1500])
            assert 'class="refused"' not in answer.text, (view, filters)


def test_pivot_of_too_many_cells_says_how_to_narrow_it(week: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(views, "MOST_ROWS", 2)
    page = staff_visitor(week).read("/console/reports?period=7d&view=pivot&by=offer&by=country")
    assert "This pivot has 4 cells with traffic; at most 2 are shown." in page.text
