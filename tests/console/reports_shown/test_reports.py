"""The page Reports: its figures are those of the API, its links lead to the rows they name."""

import re
from codecs import BOM_UTF8
from decimal import Decimal
from html import unescape
from typing import Any
from urllib.parse import parse_qsl, urlencode, urlsplit

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversions, load_clicks
from tests.support.pages import PageReader, Visitor, affiliate_visitor, staff_visitor
from trackyard.api.statistics.reports import CustomFilter
from trackyard.console.frame import figures
from trackyard.console.reports_shown import rows
from trackyard.console.reports_shown.filters import FILTERS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.wire.request.params import fields_of

DAY_MS = 86_400_000
HOUR_MS = 3_600_000
MARKUP = '"><script>alert(1)</script>'
FORMULA = '=HYPERLINK("https://shop.example","x")'
LONG = "x" * 1000
PATH = "/console/reports"
SPAN = {"filter[date_from]": "2023-11-15", "filter[date_to]": "2023-11-15"}


@pytest.fixture
def busy(api: Api) -> Api:
    """Clicks of two offers from two countries at noon, and conversions of each status; it is 18:00."""
    api.clock.advance(NOON + 6 * HOUR_MS - NOW)
    first, second = api.add_offer(title=MARKUP), api.add_offer(title="Boots")
    pid, _ = api.add_affiliate(name="Blue Harbor")
    subs = ("", "social", MARKUP, FORMULA, LONG)
    clicks = [
        new_click(number, offer=(first, second)[number % 2], affiliate=pid, country=("DE", "ES", "")[number % 3],
                  sub1=subs[number % 5], device="mobile", uniq=number % 2)
        for number in range(1, 31)
    ]  # fmt: skip
    clicks += [new_click(number, offer=first, affiliate=pid, time=NOON - DAY_MS) for number in range(41, 44)]
    clicks += [new_click(51, offer=first, affiliate=pid, time=NOON - DAY_MS + 9 * HOUR_MS)]
    clicks += [new_click(61, offer=first, affiliate=pid, reason="bot")]
    load_clicks(api.deps, clicks)
    statuses = (Status.CONFIRMED, Status.PENDING, Status.HOLD, Status.DECLINED)
    each = {number: {"status": status, "charge": Decimal(number)} for number, status in enumerate(statuses, 1)}
    add_conversions(api.deps, each, offer_id=first, affiliate_id=pid)
    return api


def table(page: PageReader, content: str) -> list[list[str]]:
    """The cells of the rows of the report as texts without shares, the sum first."""
    content = re.sub(r'<small class="part">.*?</small>', "", content)
    body = content.split('<table class="report">')[1].split("<tbody>")[1].split("</tbody>")[0]
    return [
        [" ".join(PageReader(cell.partition(">")[2].partition("<details")[0]).words) for cell in cells]
        for row in body.split("<tr")[1:]
        if (cells := row.replace("<th", "<td").split("<td")[1:])
    ]


def shown(visitor: Visitor, query: str) -> list[list[str]]:
    """The rows of a report as texts."""
    answer = visitor.get(f"{PATH}?period=today&compare=none&{query}")
    assert answer.status_code == 200, answer.text[:2000]
    return table(PageReader(answer.text), answer.text)


def of_api(api: Api, **sent: Any) -> list[dict[str, Any]]:
    """The rows of the same report of the API."""
    return list(api.admin.get("/3.1/stats/custom", **SPAN | sent)["stats"])


COUNTED = ("clicks", "unique", "conversions", "declined", "charge", "payout")
COLUMNS = urlencode([("figures", name) for name in COUNTED])


def expected(row: dict[str, Any]) -> list[str]:
    """The texts of the figures of a row of the API."""
    actions = [row["actions"][kind] for kind in ("confirmed", "pending", "hold")]
    charge, payout = (sum(Decimal(str(each[name])) for each in actions) for name in ("charge", "payouts"))
    count, declined = sum(each["count"] for each in actions), row["actions"]["declined"]["count"]
    return [
        row["traffic"]["raw"],
        row["traffic"]["uniq"],
        str(count),
        str(declined),
        f"${charge:.2f}",
        f"${payout:.2f}",
    ]


@pytest.mark.parametrize("slices", [("country",), ("offer",), ("sub1", "country"), ("day",), ("affiliate", "device")])
@pytest.mark.parametrize("dropped", ["", "DE"])
def test_reports_figures_equal_those_of_the_api_and_their_sum(busy: Api, slices: tuple[str, ...], dropped: str) -> None:
    query = urlencode([("by", name) for name in slices] + [("not.country", dropped)])
    sums, *found = shown(staff_visitor(busy), f"{query}&{COLUMNS}")
    sent: dict[str, Any] = {"slice[]": list(slices), "filter[not_country][]": dropped}
    api_rows = [expected(row) for row in of_api(busy, **sent)]
    width = len(COUNTED)
    assert sorted(row[len(slices) : len(slices) + width] for row in found) == sorted(api_rows)
    assert [int(text) for text in sums[1:5]] == [sum(int(row[place]) for row in api_rows) for place in range(4)]


def test_report_writes_the_share_of_each_row_in_the_column_that_compares(busy: Api) -> None:
    def parts(query: str) -> list[str]:
        content = staff_visitor(busy).get(f"{PATH}?period=today&compare=none&{query}").text
        return [text.replace("\xa0", " ") for text in re.findall(r'<small class="part">(.*?)<span', content)]

    sums, *found = shown(staff_visitor(busy), "by=country&figures=clicks&sort=clicks")
    shares = [f"{int(row[1]) * 100 / int(sums[1]):.1f} %" for row in found]
    assert parts("by=country&figures=clicks&figures=cr&sort=clicks") == ["100.0 %", *shares]
    assert len(parts("by=country&figures=clicks&sort=country")) == len(found) + 1
    assert parts("by=country&figures=clicks&figures=cr&sort=cr") == []


def test_reports_show_ad_costs_to_staff_in_rows_that_have_them(busy: Api) -> None:
    [row] = [row for row in of_api(busy, **{"slice[]": "offer"}) if row["actions"]["total"]["count"]]
    offer, pid = row["slice"]["offer"]["id"], of_api(busy, **{"slice[]": "affiliate"})[0]["slice"]["affiliate"]["id"]
    costs = {"offer_id": offer, "affiliate_id": pid, "date": "2023-11-15", "sub8": "none"}
    busy.admin.post("/3.1/adcosts", **costs, costs="2.5")
    margin = sum(Decimal(str(row["actions"][kind]["earning"])) for kind in ("confirmed", "pending", "hold"))
    figures = urlencode([("figures", name) for name in ("cost", "profit", "roi")])  # the older names
    visitor = staff_visitor(busy)
    sums, *found = shown(visitor, f"by=offer&{figures}&sort=cost&dir=desc")
    assert found[0][1:3] == sums[1:3] == ["$2.50", f"−${Decimal('2.5') - margin:.2f}"]
    assert found[1][1] == "$0.00"
    heads = visitor.get(f"{PATH}?period=today&by=offer&{figures}").text.split("</thead>")[0]
    assert "Expected profit" in heads and "Expected ROI" in heads
    confirmed = shown(visitor, "by=offer&figures=confirmed_profit&figures=impressions&sort=confirmed_profit&dir=asc")
    assert confirmed[1][1:3] == ["0", f"−${Decimal('2.5') - Decimal(str(row['actions']['confirmed']['earning'])):.2f}"]
    columns = visitor.get(f"{PATH}?period=today&by=country&{figures}").text
    assert "Ad costs" not in columns.split('<table class="report">')[1].split("</thead>")[0]
    _, affiliate = affiliate_visitor(busy)
    own = affiliate.get(f"/portal/reports?period=today&by=offer&{figures}")
    assert (own.status_code, "Ad costs" in own.text) == (200, False)


@pytest.mark.parametrize("name", COUNTED)
@pytest.mark.parametrize("order", ["asc", "desc"])
def test_reports_sort_by_each_figure(busy: Api, name: str, order: str) -> None:
    query = f"by=offer&by=country&by=sub1&{COLUMNS}&sort={name}&dir={order}"
    place = 3 + COUNTED.index(name)
    values = [Decimal(row[place].lstrip("$")) for row in shown(staff_visitor(busy), query)[1:]]
    assert len(values) > 5
    assert values == sorted(values, reverse=order == "desc")
    content = staff_visitor(busy).get(f"{PATH}?{query}").text
    assert f'aria-sort="{order}ending"' in content


def links(visitor: Visitor, query: str, text: str) -> list[str]:
    """The addresses of the links of menus with a text."""
    content = visitor.get(f"{PATH}?{query}").text
    found = (piece.partition('"') for piece in content.split('<a href="')[1:])
    return [unescape(to) for to, _, rest in found if rest.startswith(f">{text}</a>")]


def test_reports_menu_of_a_row_leads_to_its_rows_alone(busy: Api) -> None:
    visitor, query = staff_visitor(busy), "period=today&compare=none&by=country&by=sub1"
    before = shown(visitor, "by=country&by=sub1")[1:]
    for row, to in zip(before, links(visitor, query, "Only these rows"), strict=True):
        content = visitor.get(f"{PATH}{to}").text
        _, only = table(PageReader(content), content)
        assert only[:3] == row[:3]


def test_reports_menu_of_a_row_leaves_it_out(busy: Api) -> None:
    visitor = staff_visitor(busy)
    before = shown(visitor, "by=offer")[1:]
    for row, to in zip(before, links(visitor, "period=today&compare=none&by=offer", "Without these rows"), strict=True):
        content = visitor.get(f"{PATH}{to}").text
        kept = [each[0] for each in table(PageReader(content), content)[1:]]
        assert kept == [each[0] for each in before if each[0] != row[0]]


def test_reports_menu_splits_a_row_by_another_slice(busy: Api) -> None:
    visitor = staff_visitor(busy)
    last = shown(visitor, "by=offer")[-1]
    to = links(visitor, "period=today&compare=none&by=offer", "Country")[-1]  # of the last row
    assert ("by", "country") in parse_qsl(urlsplit(to).query)
    content = visitor.get(f"{PATH}{to}").text
    assert table(PageReader(content), content)[0][1] == last[1]


@pytest.mark.parametrize("value", [MARKUP, FORMULA, LONG])
def test_reports_show_hostile_values_as_text_and_filter_by_them(busy: Api, value: str) -> None:
    visitor = staff_visitor(busy)
    query = urlencode({"by": "sub1", "f.sub1": value, "add": "sub1"})
    answer = visitor.get(f"{PATH}?period=today&{query}")
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    [row] = of_api(busy, **{"slice[]": "sub1", "filter[sub1][]": value})
    assert shown(visitor, query)[1][1] == row["traffic"]["raw"]


def test_reports_form_of_a_filter_leads_to_the_address_with_it(busy: Api) -> None:
    visitor = staff_visitor(busy)
    sent = {"by": "offer", "filter": "country", "how": "not", "value": "DE", "typed": "ES\r\n\r\nFR", "add": "country"}
    to = visitor.get(f"{PATH}?{urlencode(sent)}").headers["Location"]
    assert parse_qsl(urlsplit(to).query) == [
        ("by", "offer"), ("not.country", "DE"), ("not.country", "ES"), ("not.country", "FR")
    ]  # fmt: skip
    empty = visitor.get(f"{PATH}?filter=sub1&none=1").headers["Location"]
    assert parse_qsl(urlsplit(empty).query) == [("empty", "sub1")]


def test_reports_of_staff_are_forbidden_to_affiliates(busy: Api) -> None:
    _, visitor = affiliate_visitor(busy)
    for path in (PATH, f"{PATH}/file?format=csv"):
        assert visitor.get(path).status_code == 403


def test_reports_of_a_manager_show_own_affiliates_alone(busy: Api) -> None:
    text = staff_visitor(busy, Role.MANAGER_AFFILIATE).read(f"{PATH}?period=today").text
    assert "Nothing was counted in these days." in text
    assert "Boots" not in text


def test_reports_of_a_role_without_statistics_have_no_page_and_no_link(busy: Api) -> None:
    visitor = staff_visitor(busy, Role.SECTION_NEWS)
    assert PATH not in visitor.read(PATH, 403).links


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_reports_file_has_the_bytes_of_the_api(busy: Api, form: str) -> None:
    visitor, key = staff_visitor(busy), {"API-Key": busy.admin.key or ""}
    answer = visitor.get(f"{PATH}/file?period=today&by=offer&by=country&f.country=DE&format={form}")
    sent = {**SPAN, "slice[]": ["offer", "country"], "filter[country][]": "DE", "order[]": "raw", "orderType": "desc"}
    direct = visitor.client.get("/3.1/stats/custom", params={**sent, "format": form}, headers=key)
    assert answer.status_code == direct.status_code == 200
    mark = BOM_UTF8 if form == "csv" else b""  # in files for people
    assert answer.content == mark + direct.content
    assert answer.headers["Content-Disposition"] == direct.headers["Content-Disposition"]


def test_reports_files_free_their_places_when_they_were_sent(busy: Api) -> None:
    visitor = staff_visitor(busy)
    for _ in range(8):
        assert visitor.get(f"{PATH}/file?by=offer&format=csv").status_code == 200


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("by=nonsense", "Rows by nonsense do not exist"),
        ("figures=nonsense", "The figure nonsense does not exist"),
        ("sort=nonsense", "cannot be sorted by nonsense"),
        ("f.nonsense=1", "A filter by nonsense does not exist"),
        ("not.sub1=1", "cannot be left out"),
        ("compare=nonsense", "compare has the values"),
        ("from=2020-01-01&to=2023-11-15", "at most 366 days"),
        ("from=x&to=y", "not two days"),
    ],
)
def test_reports_name_wrong_values_in_a_sentence(busy: Api, query: str, sentence: str) -> None:
    assert sentence in staff_visitor(busy).read(f"{PATH}?{query}").text


def test_reports_explain_a_value_that_the_api_refuses(busy: Api) -> None:
    page = staff_visitor(busy).read(f"{PATH}?f.offer=shoes", 400)
    assert "This value must be a whole number." in page.text


def test_reports_by_city_show_the_warning_of_the_api(busy: Api) -> None:
    assert "No city database is configured" in staff_visitor(busy).read(f"{PATH}?period=today&by=city").text


def test_reports_compare_an_unfinished_day_up_to_the_last_full_hour(busy: Api) -> None:
    """Three clicks of yesterday noon count, the one of 21:00 does not."""
    answer = staff_visitor(busy).get(f"{PATH}?period=today&by=affiliate&figures=clicks")
    sums, row = table(PageReader(answer.text), answer.text)
    assert sums[-2] == row[-2] == "↑ 900 %"


def test_reports_compare_as_many_rows_as_they_read_whatever_the_hours_of_the_day(
    busy: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "MOST_ROWS", 3)
    late = [new_click(70 + hour, offer=1, affiliate=1, time=NOON - DAY_MS + hour * HOUR_MS) for hour in range(6, 12)]
    load_clicks(busy.deps, late)
    answer = staff_visitor(busy).get(f"{PATH}?period=today&by=affiliate&figures=clicks")
    assert [row[-2] for row in table(PageReader(answer.text), answer.text)] == ["↑ 900 %"] * 2


def test_reports_of_many_rows_ask_for_their_rows_once(busy: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_ROWS", 3)
    asked, read = list[Any](), figures.read_report
    monkeypatch.setattr(figures, "read_report", lambda calls, sent: asked.append(sent) or read(calls, sent))
    shown(staff_visitor(busy), "by=offer&by=sub1")
    assert [("slice[]", "sub1") in sent for sent in asked].count(True) == 1
    found = shown(staff_visitor(busy), "by=offer&by=sub1&page=9")
    assert len(found) == 1 + len(of_api(busy, **{"slice[]": ["offer", "sub1"]}))


def test_reports_of_many_rows_are_ordered_and_added_up_by_the_api(busy: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rows, "MOST_ROWS", 3)
    sums, *found = shown(staff_visitor(busy), f"by=offer&by=sub1&{COLUMNS}&sort=unique&dir=desc")
    values = [int(row[3]) for row in found]
    assert len(found) == len(of_api(busy, **{"slice[]": ["offer", "sub1"]}))
    assert values == sorted(values, reverse=True)
    assert int(sums[1]) == sum(int(row[2]) for row in found)


def test_reports_by_rejection_reason_count_rejected_clicks(busy: Api) -> None:
    sums, row = shown(staff_visitor(busy), "by=trafficback_reason")
    assert sums[1] == row[1] == "1"


@pytest.mark.parametrize("revenue", ["advertiser", "payout"])
@pytest.mark.parametrize("rows_form", ["full", "plain"])
def test_reports_are_the_same_under_all_compatibility_switches(busy: Api, revenue: str, rows_form: str) -> None:
    visitor, query = staff_visitor(busy), f"by=offer&{COLUMNS}&figures=epc&figures=margin"
    usual = shown(visitor, query)
    busy.admin.post("/3.1/admin/settings", statistics_revenue=revenue, statistics_rows=rows_form)
    assert shown(visitor, query) == usual


def test_reports_show_the_request_that_makes_them(busy: Api) -> None:
    text = unescape(staff_visitor(busy).get(f"{PATH}?period=today&by=country&f.country=DE").text)
    line = next(part for part in text.split("<code>") if part.startswith("curl ")).partition("</code>")[0]
    path = line.split("'")[1].removeprefix("http://api.example")
    assert len(busy.admin.get(urlsplit(path).path, **dict(parse_qsl(urlsplit(path).query)))["stats"]) == 1


def test_reports_filters_are_those_of_the_api() -> None:
    known = {field.name for field in fields_of(CustomFilter)} - {
        "date_from",
        "date_to",
        "from_hour",
        "to_hour",
        "nonzero",
    }
    assert {name for kind in FILTERS for name in (kind.accepts, kind.excludes) if name} == known
