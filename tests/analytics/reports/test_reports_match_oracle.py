"""Every cell of every report and list equals plain Python over the raw journal.

tests/support/models/oracle.py. Figures that several reports have are equal (docs/spec/statistics.md#agreement).
"""

import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.support.clicks.traffic import (
    DrawnTraffic,
    TrafficPeople,
    TrafficPlayer,
    boundary_traffic,
    drawn_traffic,
    enter_costs,
    enter_payments,
)
from tests.support.installation import SteppedInstallation
from tests.support.models import oracle_lists
from tests.support.models.oracle import TIMES, Oracle, ReportRequest, read_oracle
from tests.support.models.oracle_records import divide_rounded
from tests.support.models.report_queries import (
    ADMIN_SLICES,
    GROUPED,
    SLICES,
    STAFF_ONLY,
    ZONES,
    ReportQuery,
    filter_values,
    get_exact,
    report_queries,
    viewer,
)
from tests.support.stores.analytics import empty_store
from tests.support.stores.list_queries import ListQuery, lists
from trackyard.domain.statistics.switches import PAYOUT, PLAIN, REVENUE_CHOICES, ROWS_CHOICES
from trackyard.store.engine.database import Database

YEAR = (date(2025, 12, 31), date(2026, 12, 31))
"""Nearly all that happens."""
PERIOD = {"date_from": str(YEAR[0]), "date_to": str(YEAR[1])}
MONEY = ("revenue", "charge", "earning", "payouts")


@dataclass
class OracleSetup:
    """An installation with traffic, its callers and its oracle."""

    plant: SteppedInstallation
    people: TrafficPeople
    oracle: Oracle

    def check(self, question: ReportQuery) -> None:
        """Check that an answer equals plain Python in every cell."""
        wanted = self.oracle.answer(viewer(self.people, question.caller), question.asked)
        assert question.ask(self.people) == wanted

    def check_list(self, question: ListQuery) -> None:
        """Check that a list equals plain Python."""
        seen, params = viewer(self.people, question.caller), question.params(self.people)
        sent = {f"{name}[]" if isinstance(value, list) else name: value for name, value in params.items()}
        given = self.get(question.caller, f"/{question.version}/stats/{question.path}", sent)
        if isinstance(given, dict):  # an affiliate learns the ignored parameters of staff
            given.pop("warnings", None)
        answers: dict[str, Callable[[], Any]] = {
            "clicks": lambda: oracle_lists.clicks(self.oracle, seen, params),
            "conversions": lambda: oracle_lists.conversions(self.oracle, seen, params, question.version),
            "find-subs": lambda: oracle_lists.find_subs(self.oracle, seen, params, self.plant.clock.now_ms()),
            "retentionrate": lambda: oracle_lists.retention(self.oracle, seen, params),
            "time-to-action": lambda: oracle_lists.timing(self.oracle, seen, params),
            "getreferralpayments": lambda: oracle_lists.referrals(self.oracle, seen, params),
        }
        assert given == answers[question.path]()

    def get(self, caller: str, path: str, params: dict[str, Any]) -> Any:
        """Return the answer for a caller."""
        return get_exact(self.people.clients[caller], path, params)

    def rows(self, path: str, *slices: str, caller: str = "admin", **asked: Any) -> list[dict[str, Any]]:
        """Return the rows of a year."""
        question = ReportQuery(caller, path, ReportRequest(slices, *YEAR, limit=1000, **asked))
        found: list[dict[str, Any]] = question.ask(self.people)["stats"]
        return found


def drawn(strategy: st.SearchStrategy[Any], number: int) -> list[Any]:
    """Return the same number of examples each time, without the smallest one."""
    found: list[Any] = []

    @settings(
        max_examples=number + 1,
        derandomize=True,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @given(strategy)
    def keep(each: Any) -> None:
        found.append(each)

    keep()
    return found[1 : number + 1]


@contextmanager
def open_oracle_setup(migrated: Path, home: Path, traffic: DrawnTraffic) -> Iterator[OracleSetup]:
    """Yield an installation with the traffic."""
    shutil.copy(migrated, home / "trackyard.db")
    with empty_store() as analytics:
        plant = SteppedInstallation(Database(f"sqlite:///{home / 'trackyard.db'}"), analytics, home)
        play = TrafficPlayer(plant)
        play.play(traffic)
        play.close()
        enter_costs(play.people)
        yield OracleSetup(plant, play.people, read_oracle(home / "journal", plant.database))
        plant.database.close()


@pytest.fixture(scope="module", params=["edges of time", pytest.param("drawn", marks=pytest.mark.long)])
def world(
    request: pytest.FixtureRequest, migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[OracleSetup]:
    """Yield an installation with a past, for reads alone."""
    [traffic] = drawn({"edges of time": boundary_traffic(), "drawn": drawn_traffic(90, 120)}[request.param], 1)
    with open_oracle_setup(migrated_sqlite, tmp_path_factory.mktemp("cells"), traffic) as made:
        enter_payments(made.people)
        made.oracle = read_oracle(made.plant.home / "journal", made.plant.database)
        yield made


# --- every cell -----------------------------------------------------------------------------------------------


@settings(max_examples=30, derandomize=True, database=None)
@given(question=report_queries())
def test_random_report_matches_oracle(world: OracleSetup, question: ReportQuery) -> None:
    world.check(question.of(world.people))


@settings(max_examples=30, derandomize=True, database=None)
@given(question=lists)
def test_random_list_matches_oracle(world: OracleSetup, question: ListQuery) -> None:
    world.check_list(question)


@pytest.mark.parametrize("version", ["3.0", "3.1"])
@pytest.mark.parametrize("path", ["clicks", "conversions"])
def test_whole_list_of_each_caller_matches_oracle(world: OracleSetup, path: str, version: str) -> None:
    year = (("date_from", "2025-12-31"), ("date_to", "2026-12-31"), ("timezone", "UTC"), ("limit", 500))
    for caller in ("admin", "affiliate manager", "sales", "both", "affiliate 1"):
        world.check_list(ListQuery(caller, path, version, year))


@pytest.mark.parametrize("path", GROUPED)
def test_every_grouped_report_matches_oracle(world: OracleSetup, path: str) -> None:
    filters = (("offer", tuple(world.people.offers)),) if path == "getbysub" else ()
    asked = ReportRequest(GROUPED[path], *YEAR, zone="Asia/Kathmandu", version="3.0", filters=filters, limit=1000)
    for caller in ("admin", *(() if path in STAFF_ONLY else ("affiliate 1",))):
        world.check(ReportQuery(caller, path, asked))


@pytest.mark.parametrize("code", ["JPY", *(pytest.param(code, marks=pytest.mark.long) for code in ("EUR", "USD"))])
@pytest.mark.parametrize("slices", [("day", "offer"), ("month",), ("affiliate",), ("country",), ("goal",), ("sub1",)])
def test_every_report_in_another_currency_matches_oracle(
    world: OracleSetup, code: str, slices: tuple[str, ...]
) -> None:
    """The money of each day is converted at the rate of that day, costs of advertising too."""
    for filters in ((), (("currency", ("EUR",)),)):
        for caller in ("admin", "affiliate 1") if slices != ("affiliate",) else ("admin",):
            order = ("total_revenue", "confirmed_revenue")
            asked = ReportRequest(slices, *YEAR, filters=filters, order=order, in_currency=code, by_request=True)
            world.check(ReportQuery(caller, "custom", asked))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("revenue", "rows"),
    [
        pytest.param(revenue, rows, marks=() if revenue == PAYOUT and rows == PLAIN else pytest.mark.long)
        for revenue in REVENUE_CHOICES
        for rows in ROWS_CHOICES
    ],
)
def test_every_grouped_report_with_switches_matches_oracle(world: OracleSetup, revenue: str, rows: str) -> None:
    """Every report in every combination of the platform's switches equals the oracle."""
    admin = world.people.clients["admin"]
    admin.post("/3.1/admin/settings", statistics_revenue=revenue, statistics_rows=rows)
    try:
        for path, slices in (*GROUPED.items(), ("custom", ("manager", "offer")), ("custom", ("advertiser",))):
            filters = (("offer", tuple(world.people.offers)),) if path == "getbysub" else ()
            order = ("total_revenue", slices[0]) if path == "custom" else ()
            asked = ReportRequest(slices, *YEAR, filters=filters, order=order, limit=1000, by_request=path == "custom")
            question = ReportQuery("admin", path, asked)
            seen = replace(viewer(world.people, "admin"), by_payout=revenue == PAYOUT, plain=rows == PLAIN)
            assert question.ask(world.people) == world.oracle.answer(seen, asked)
    finally:
        admin.post("/3.1/admin/settings", statistics_revenue="", statistics_rows="")


@pytest.mark.parametrize("name", TIMES)
def test_every_time_slice_in_every_zone_matches_oracle(world: OracleSetup, name: str) -> None:
    for zone in ZONES:
        world.check(ReportQuery("admin", "custom", ReportRequest((name,), *YEAR, zone=zone, limit=1000)))


@pytest.mark.parametrize("locale", ["ru", "es"])
def test_every_city_report_uses_localised_names(world: OracleSetup, locale: str) -> None:
    for path, slices in (("getbycities", ("city",)), ("custom", ("city", "offer"))):
        question = ReportQuery("affiliate manager", path, ReportRequest(slices, *YEAR, locale=locale, limit=1000))
        world.check(question)
    rows = question.ask(world.people)["stats"]
    sent = {name: value for name, value in question.params().items() if name not in ("page", "limit")} | {
        "format": "csv"
    }
    file = world.people.clients["affiliate manager"].call("GET", "/3.1/stats/custom", params=sent).text
    assert [line.partition(",")[0] for line in file.splitlines()[1:]] == [row["slice"]["city"] for row in rows]


@pytest.mark.parametrize("currency", ["", "JPY"])
def test_every_count_of_conversions_without_a_click_matches_oracle(world: OracleSetup, currency: str) -> None:
    """Rollups and rows have them, after every edit: imports alone are without a click."""
    found = 0
    for slices in (("day",), ("offer",), ("affiliate",), ("country", "os"), ("goal",), ("sub1",), ("hour",)):
        for fields in (("without_click",), ("without_click", "payouts", "cr", "epc")):
            for caller in ("admin", *(("affiliate 1",) if slices != ("affiliate",) else ())):
                asked = ReportRequest(slices, *YEAR, fields=fields, limit=1000, in_currency=currency)
                world.check(ReportQuery(caller, "custom", asked))
                found += sum(
                    row["actions"]["total"]["without_click"] for row in world.rows("custom", *slices, fields=fields)
                )
    assert found > 0


def test_every_filter_matches_oracle(world: OracleSetup) -> None:
    for name, known in filter_values(world.people).items():
        slices = ("month", "smart_id") if name == "smart_id" else ("month",)
        for chosen in (known[:1], known[-2:-1]) if name == "smart_id" else (known[:1], known[:2]):
            world.check(
                ReportQuery("admin", "custom", ReportRequest(slices, *YEAR, filters=((name, chosen),), limit=1000))
            )


def test_every_cohort_report_matches_oracle(world: OracleSetup) -> None:
    for offer in world.people.offers:
        for base in ("install", "sale", "free"):
            asked = PERIOD | {
                "offer": offer,
                "base_event": base,
                "events": "install,sale,free",
                "timezone": "Asia/Kathmandu",
            }
            world.check_list(ListQuery("admin", "retentionrate", "3.1", tuple(asked.items())))


def test_every_conversion_by_id_matches_oracle(world: OracleSetup) -> None:
    for place, made in enumerate(world.oracle.conversions):
        caller, version = (("admin", "affiliate manager", "affiliate 0")[place % 3], ("3.0", "3.1")[place % 2])
        seen, path = viewer(world.people, caller), f"/{version}/stats/conversionsbyid"
        if not seen.sees(made):
            refused = world.people.clients[caller].call("GET", path, params={"id": made["id"]})
            assert refused.status_code == 404
            continue
        given = world.get(caller, path, {"id": made["id"]})["conversion"]
        manager = world.oracle.known.affiliates[made["affiliate"]].manager_id
        shown = given["partner"].pop("manager")
        assert (shown and shown["id"]) == manager
        assert given == oracle_lists.by_id(world.oracle, seen, made, version)


@pytest.mark.long
@settings(max_examples=150, suppress_health_check=list(HealthCheck))
@given(
    traffic=drawn_traffic(10, 60),
    asked=st.lists(report_queries(), min_size=5, max_size=20),
    listed=st.lists(lists, min_size=5, max_size=20),
)
def test_random_report_over_random_traffic_matches_oracle(
    migrated_sqlite: Path,
    tmp_path_factory: pytest.TempPathFactory,
    traffic: DrawnTraffic,
    asked: list[ReportQuery],
    listed: list[ListQuery],
) -> None:
    with open_oracle_setup(migrated_sqlite, tmp_path_factory.mktemp("cells"), traffic) as made:
        for question in asked:
            made.check(question.of(made.people))
        for each in listed:
            made.check_list(each)


# --- what can be got twice is the same twice --------------------------------------------------------------------


def total(rows: Iterable[dict[str, Any]]) -> dict[str, Any]:
    """Return the sums of all additive metrics."""
    rows = list(rows)
    kinds = sorted({kind for row in rows for kind in row["actions"]})
    measures = (*MONEY, "null", "count")
    actions = {(kind, name): sum(row["actions"][kind][name] for row in rows) for kind in kinds for name in measures}
    traffic = {name: sum(int(row["traffic"][name]) for row in rows) for name in ("raw", "uniq")}
    return {"actions": actions, "views": sum(row["views"] for row in rows), **traffic}


def counts(row: dict[str, Any]) -> tuple[int, int, int]:
    """Return clicks, impressions and conversions."""
    return int(row["traffic"]["raw"]), row["views"], row["actions"]["total"]["count"]


def test_report_sum_is_equal_over_any_slice(world: OracleSetup) -> None:
    whole = total(world.rows("getbydate", "day"))
    for name in (*SLICES, *ADMIN_SLICES):
        found = total(world.rows("custom", name))
        assert found == (whole | {"raw": 0, "uniq": 0, "views": 0} if name == "goal" else whole), name


def test_report_totals_equal_lists(world: OracleSetup) -> None:
    for zone in ("UTC", "Asia/Kathmandu"):
        params = PERIOD | {"timezone": zone, "limit": 5000}
        made = world.get("admin", "/3.0/stats/conversions", params)["conversions"]
        for code in ("USD", "EUR", "JPY"):
            mine = [each for each in made if each["currency"] == code]
            found = total(world.rows("getbydate", "day", zone=zone, version="3.0", filters=(("currency", (code,)),)))
            for kind in ("total", "confirmed", "pending", "declined", "hold", "not_found"):
                of_kind = [each for each in mine if kind in ("total", each["status"])]
                if mine:
                    sums = found["actions"]
                    assert sums[kind, "count"] == len(of_kind)
                    assert sums[kind, "null"] == sum(each["payouts"] == 0 for each in of_kind)
                    for name in ("revenue", "payouts"):
                        assert sums[kind, name] == sum(each[name] for each in of_kind)
                    assert sums[kind, "earning"] == sum(each["earnings"] for each in of_kind)
        clicks = world.get("admin", "/3.1/stats/clicks", params)["clicks"]
        found = total(world.rows("getbydate", "day", zone=zone))
        assert (found["raw"], found["uniq"]) == (len(clicks), sum(each["uniq"] for each in clicks))


def test_report_of_affiliates_sums_to_report_of_staff(world: OracleSetup) -> None:
    staff = {row["slice"]["affiliate"]["id"]: row for row in world.rows("getbypartner", "affiliate")}
    for place, pid in enumerate(world.people.affiliates):
        own = world.rows("getbyprogram", "offer", caller=f"affiliate {place}")
        mine, theirs = total(own), total([staff[pid]] if pid in staff else [])
        assert {**mine, "actions": None} == {**theirs, "actions": None}
        for (kind, name), amount in theirs["actions"].items():
            shown = {"revenue": theirs["actions"][kind, "payouts"], "charge": 0, "earning": 0}.get(name, amount)
            assert mine["actions"][kind, name] == shown


def test_report_versions_differ_in_not_found_only(world: OracleSetup) -> None:
    old, new = (world.rows("getbyprogram", "offer", version=version) for version in ("3.0", "3.1"))
    for before, after in zip(old, new, strict=True):
        apart, rate = before["actions"].pop("not_found"), before["cr"].pop("not_found")
        assert rate == divide_rounded(Decimal(100 * apart["count"]), int(before["traffic"]["raw"]))
        before["cr"]["declined"] = after["cr"]["declined"]  # rounded sums differ from sums of what is rounded
        declined = before["actions"]["declined"]
        before["actions"]["declined"] = {name: declined[name] + apart[name] for name in declined}
        assert before == after


def test_report_pages_join_to_the_whole(world: OracleSetup) -> None:
    asked = ReportRequest(("day", "country"), *YEAR, order=("raw",), descending=True, limit=1000)
    whole = ReportQuery("admin", "custom", asked).ask(world.people)
    pages = [
        ReportQuery("admin", "custom", replace(asked, limit=17, page=page)).ask(world.people)
        for page in range(1, 2 + whole["pagination"]["total_count"] // 17)
    ]
    assert [row for page in pages for row in page["stats"]] == whole["stats"]
    assert {page["pagination"]["total_count"] for page in pages} == {len(whole["stats"])}
    for path, name in (("conversions", "conversions"), ("clicks", "clicks")):
        several = [
            world.get("admin", f"/3.1/stats/{path}", PERIOD | {"limit": 40, "page": page}) for page in range(1, 6)
        ]
        one = world.get("admin", f"/3.1/stats/{path}", PERIOD | {"limit": 5000})
        assert [each for page in several for each in page[name]] == one[name]


def test_report_by_day_equals_report_by_hour(world: OracleSetup) -> None:
    for zone in ("Europe/Berlin", "Australia/Lord_Howe", "Africa/Cairo", "Atlantic/Azores", "Pacific/Apia"):
        by_day = [row for row in world.rows("getbydate", "day", zone=zone) if any(counts(row))]  # not costs alone
        by_hour = world.rows("getbyhour", "hour", zone=zone)
        for row in by_day:
            mine = [each for each in by_hour if row["slice"].items() <= each["slice"].items()]
            assert total(mine) == total([row])
        rich = max(by_hour, key=lambda row: (row["actions"]["total"]["count"], int(row["traffic"]["raw"])))["slice"]
        day = f"{rich['year']}-{rich['month']:02}-{rich['day']:02}"
        hour = {"date_from": day, "date_to": day, "hour": rich["hour"], "timezone": zone}
        listed = world.get("admin", "/3.1/stats/conversions", hour)["pagination"]["total_count"]
        [row] = [each for each in by_hour if each["slice"] == rich]
        assert listed == row["actions"]["total"]["count"]


def test_conversion_exchange_rate_is_stored_at_creation(world: OracleSetup) -> None:
    """Amounts in the platform's currency use the stored rate of each conversion."""
    rates = {each["stored"].rate for each in world.oracle.conversions if each["currency"] == "EUR"}
    assert len(rates) > 1
    assert all(isinstance(rate, Decimal) for rate in rates)
    for each in world.oracle.conversions:
        assert (each["charge_base"], each["payout_base"]) == (each["stored"].charge_base, each["stored"].payout_base)
