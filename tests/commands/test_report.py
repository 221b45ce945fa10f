"""`trackyard report`: slices, metrics, order, periods and forms, against the API."""

import csv
import io
import json
from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.command import run_command
from tests.support.models.events import new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.api.statistics.reports import SliceName
from trackyard.base.ids import IMPORT_EDGE
from trackyard.commands.periods import DaySpan, WantedPeriod
from trackyard.commands.report.metrics import METRICS
from trackyard.commands.report.report import _summed
from trackyard.commands.report.slices import NAMES, SUBJECTS, text_of
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.metrics import METRIC_BY_NAME
from trackyard.runtime.exit_codes import ExitCode

DAY_MS = 86_400_000
PERIOD = ("--from", "2023-11-13", "--to", "2023-11-14")


@pytest.fixture
def promoter(api: Api) -> tuple[int, ApiClient]:
    """The affiliate of both offers, with its client."""
    return api.add_affiliate()


@pytest.fixture
def offers(api: Api, promoter: tuple[int, ApiClient]) -> tuple[int, int]:
    """Two offers: of the first a click each day and a conversion, of the second two clicks today."""
    shoes, hats = api.add_offer(title="Shoes"), api.add_offer(title="=Hats")
    affiliate, _ = promoter
    common: dict[str, Any] = {"affiliate": affiliate, "country": "DE"}
    load_clicks(
        api.deps,
        [
            new_click(1, offer=shoes, time=NOW - DAY_MS, **common),
            new_click(2, offer=shoes, time=NOW, uniq=0, **common),
            new_click(3, offer=hats, time=NOW, **common),
            new_click(4, offer=hats, time=NOW, **common),
            new_click(5, offer=hats, time=NOW, **common | {"country": "FR"}),
        ],
    )
    for number, status in ((1, Status.CONFIRMED), (2, Status.DECLINED)):
        click = {"time": NOW, "country": "DE"}
        add_conversion(api.deps, number, offer_id=shoes, affiliate_id=affiliate, status=status, click=click)
    return shoes, hats


def table_of(*arguments: str, api: Api) -> list[str]:
    found = run_command("report", *arguments, api=api)
    assert found.exit_code == 0, found.stderr
    return found.stdout.splitlines()


def test_report_of_offers_is_a_table_with_trends_and_total(api: Api, offers: tuple[int, int]) -> None:
    lines = table_of("offers", *PERIOD, api=api)
    assert lines[0] == "2023-11-13 to 2023-11-14, amounts in USD"
    assert lines[2].split() == [
        "Offer", "Clicks", "Unique", "Conversions", "CR", "Charge", "Payout", "Margin", "Clicks", "by", "day",
    ]  # fmt: skip
    assert lines[3].split() == [str(offers[1]), "=Hats", "3", "3", "0", "0.00%", "0.00", "0.00", "0.00", "▁█"]
    assert lines[4].split() == [str(offers[0]), "Shoes", "2", "1", "1", "50.00%", "10.00", "7.00", "3.00", "██"]
    assert lines[6].split() == ["Total", "5", "4", "1", "20.00%", "10.00", "7.00", "3.00"]


def test_report_leaves_conversions_without_a_click_out_of_rates_and_counts_them(
    api: Api, offers: tuple[int, int], promoter: tuple[int, ApiClient]
) -> None:
    click = {"time": NOW, "id": f"{NOW // 1000:08x}{IMPORT_EDGE:02x}{9:014x}"}
    add_conversion(api.deps, 9, offer_id=offers[0], affiliate_id=promoter[0], click=click)
    names = "conversions,without_click,cr,epc,expected_epc,total_epc,cr_total"
    lines = table_of("offers", *PERIOD, "--metric", names, "--order", "conversions", api=api)
    assert lines[3].split()[2:9] == ["2", "1", "50.00%", "3.50", "3.50", "7.00", "150.00%"]
    assert lines[6].split()[:7] == ["Total", "2", "1", "20.00%", "1.40", "1.40", "2.80"]


def test_report_without_subject_has_a_row_for_each_day_in_order(api: Api, offers: tuple[int, int]) -> None:
    lines = table_of(*PERIOD, "--metric", "clicks,declined", api=api)
    assert [line.split() for line in lines[3:5]] == [
        ["2023-11-13", "1", "0", "█████"],
        ["2023-11-14", "4", "1", "█" * 20],
    ]


def test_report_is_ordered_by_a_metric_and_limited(api: Api, offers: tuple[int, int]) -> None:
    lines = table_of("offers", *PERIOD, "--order", "margin", "--limit", "1", api=api)
    assert "Shoes" in lines[3]
    assert lines[-1].startswith("1 of 2 rows")


def test_report_filter_narrows_rows_and_total(api: Api, offers: tuple[int, int]) -> None:
    lines = table_of("countries", *PERIOD, "--filter", f"offer={offers[1]}", "--metric", "clicks", api=api)
    assert [line.split()[:2] for line in (*lines[3:5], lines[6])] == [["DE", "2"], ["FR", "1"], ["Total", "3"]]


def test_report_as_json_has_metrics_by_name_and_slices_of_api(api: Api, offers: tuple[int, int]) -> None:
    asked = (
        "report",
        "offers",
        *PERIOD,
        "--metric",
        "charge",
        "--metric",
        "total.charge",
        "--order",
        "charge",
        "--json",
    )
    found = json.loads(run_command(*asked, api=api).stdout)
    first = found["rows"][0]
    assert (first["slice"]["offer"]["title"], first["charge"], first["total.charge"]) == ("Shoes", 10, 20)
    assert (found["currency"], found["count"], found["total"]) == ("USD", 2, {"charge": 10, "total.charge": 20})


def test_report_as_csv_has_no_formulas(api: Api, offers: tuple[int, int]) -> None:
    text = run_command("report", "offers", *PERIOD, "--metric", "clicks", "--csv", api=api).stdout
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["offer.title"], row["clicks"]) for row in rows] == [("'=Hats", "3"), ("Shoes", "2")]


def test_report_knows_every_slice_of_custom_statistics() -> None:
    schema = SliceName.__metadata__[0]  # type: ignore[attr-defined]
    accepted = {*schema.values, *schema.admin, *schema.permission}
    assert set(NAMES) == accepted and set(SUBJECTS.values()) <= accepted


def test_report_by_any_slice_shows_its_values(api: Api, offers: tuple[int, int]) -> None:
    for name in NAMES:
        assert len(table_of("--slice", name, *PERIOD, api=api)) > 2, name


def test_report_knows_every_metric_of_custom_statistics(api: Api, offers: tuple[int, int]) -> None:
    params = {"filter[date_from]": "2023-11-13", "filter[date_to]": "2023-11-14", "format": "csv"}
    columns: set[str] = set()
    for name in ("country", "trafficback_reason"):
        answer = api.admin.call("GET", "/3.1/stats/custom", params=params | {"slice[]": name})
        columns |= set(answer.text.split("\r\n")[0].split(",")) - {name, "currency"}
    assert columns <= set(METRICS)
    text = run_command("report", "countries", *PERIOD, "--metric", ",".join(METRICS), "--csv", api=api).stdout
    row = next(csv.DictReader(io.StringIO(text)))
    exported = api.admin.call("GET", "/3.1/stats/custom", params=params | {"slice[]": "country"}).text
    shown = {each["country"]: each for each in csv.DictReader(io.StringIO(exported))}[row["country"]]
    for name in columns & set(shown) - {"ratio"}:
        assert Decimal(row[name]) == Decimal(shown[name]), name


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--slice", "contry"), "there is no slice 'contry'. Did you mean country? There are hour, "),
        (("--metric", "clics"), "there is no metric 'clics'. Did you mean clicks? There are clicks, "),
        (("--json", "--csv"), "give --json or --csv, not both"),
        (("--last", "7"), "'7' is not such as 7d, 4w, today or yesterday"),
        (("--last", "7d", "--from", "2023-11-13"), "--last is a period of its own"),
        (("--to", "2023-11-13"), "--from and --to need each other"),
        (("--filter", "offers=1", "--from", "2023-11-13", "--to", "2023-11-14"), "there is no filter[offers]"),
        (("--timezone", "Mars/Olympus"), "--timezone must be an IANA name"),
    ],
)
def test_report_with_mistake_says_what_there_is(api: Api, arguments: tuple[str, ...], said: str) -> None:
    found = run_command("report", *arguments, api=api)
    assert (found.exit_code, said in found.stderr) == (ExitCode.USAGE, True), found.stderr


@pytest.mark.parametrize("caller", ["admin", "affiliate"])
def test_report_has_the_same_money_in_plain_rows(
    api: Api, offers: tuple[int, int], promoter: tuple[int, ApiClient], caller: str
) -> None:
    """`plain` rows have no `payouts`; what they lack is a dash, and no figure is another number."""
    client = api.admin if caller == "admin" else promoter[1]
    names = [name for name in METRIC_BY_NAME if not {"impressions", "rejected", "cost"} & {*METRIC_BY_NAME[name].reads}]
    asked = {"filter[date_from]": "2023-11-13", "filter[date_to]": "2023-11-14", "slice[]": "offer"}
    rows = []
    for form in ("full", "plain"):
        api.admin.post("/3.1/admin/settings", statistics_rows=form)
        rows.append(client.get("/3.1/stats/custom", **asked)["stats"])
    assert "payouts" not in rows[1][0]["actions"]["confirmed"] and len(names) >= 14
    for full, plain in zip(*rows, strict=True):
        assert {name: METRICS[name].value(full) for name in names} == {
            name: METRICS[name].value(plain) for name in names
        }
    assert any(METRICS["payout"].value(row) for row in rows[1])


def test_report_of_rows_without_a_figure_has_no_total_of_it(api: Api, offers: tuple[int, int]) -> None:
    api.admin.post("/3.1/admin/settings", statistics_rows="plain")
    lines = table_of("offers", *PERIOD, "--metric", "clicks,impressions", api=api)
    assert [line.split()[-2:-1] for line in lines if line.startswith("Total")] == [["5"]]
    assert [line.split()[-1] for line in lines if line.startswith("Total")] == ["-"]


def test_report_total_of_several_years_sums_figures_and_computes_rates() -> None:
    year = {
        "traffic": {"raw": "2", "uniq": "1"}, "views": 4, "epc": 1.5,
        "actions": {"confirmed": {"count": 1, "charge": 0.1, "payouts": 3}, "declined": {"count": 1, "charge": 3}},
    }  # fmt: skip
    total = _summed([year, year])
    assert total is not None and _summed([]) is None and _summed([year]) is year
    shown = {
        name: METRICS[name].value(total) for name in ("clicks", "conversions", "charge", "impressions", "cr", "epc")
    }
    assert shown == {
        "clicks": 4, "conversions": 2, "charge": Decimal("0.2"), "impressions": 8, "cr": 50, "epc": Decimal("1.5"),
    }  # fmt: skip


class FixedApi:
    """An API of a platform with a fixed date."""

    def get(self, _path: str) -> dict[str, Any]:
        return {"platform": {"now": "2026-03-01 00:10:00"}}


@pytest.mark.parametrize(
    ("last", "period"),
    [
        ("7d", DaySpan("2026-02-23", "2026-03-01")),
        ("1w", DaySpan("2026-02-23", "2026-03-01")),
        ("today", DaySpan("2026-03-01", "2026-03-01")),
        ("yesterday", DaySpan("2026-02-28", "2026-02-28")),
        ("1d", DaySpan("2026-03-01", "2026-03-01")),
    ],
)
def test_last_days_end_today_of_the_platform(last: str, period: DaySpan) -> None:
    api: Any = FixedApi()
    found = WantedPeriod(last, None, None).resolved(api, "")
    assert (found, len(found.each_day())) == (period, found.days)


def test_period_in_zone_of_request_ends_there_today() -> None:
    api: Any = None
    found = WantedPeriod("today", None, None).resolved(api, "Pacific/Kiritimati")
    assert date.fromisoformat(found.first) >= datetime.now(UTC).date()


@pytest.mark.parametrize(
    ("name", "values", "text"),
    [
        ("hour", {"year": "2026", "month": 3, "day": 1, "hour": 5}, "2026-03-01 05:00"),
        ("quarter", {"year": 2026, "quarter": 1}, "2026 Q1"),
        ("country", {"country": ""}, "(unknown)"),
        ("advertiser", {"advertiser": {"id": "a" * 24, "title": "Shop"}}, "a" * 24 + " Shop"),
    ],
)
def test_slice_value_is_shown_as_text(name: str, values: dict[str, Any], text: str) -> None:
    assert text_of(name, values) == text
