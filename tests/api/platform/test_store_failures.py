"""Answers to callers when a store fails or another call takes a value first."""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier
from typing import Any

import pytest

from tests.support.api import Api, installed
from trackyard.actions.failures import refusal_of
from trackyard.analytics.engine.connection import Analytics, QueryLimits
from trackyard.api.app import build
from trackyard.store.engine.database import Database

DAY = {"date_from": "2023-11-14", "date_to": "2023-11-14"}
FILTER = {f"filter[{name}]": day for name, day in DAY.items()}


@pytest.fixture
def unreachable_store() -> Iterator[Analytics]:
    """A ClickHouse server that has gone."""
    store = Analytics("http://127.0.0.1:9", "trackyard", None, QueryLimits())
    yield store
    store.close()


def drop_click_table(analytics: Analytics) -> None:
    analytics.run("DROP TABLE click")


@pytest.mark.parametrize("path", ["/3.0/stats/custom", "/3.0/stats/clicks", "/3.0/stats/serverpostbacks"])
def test_report_without_analytic_store_is_503(api: Api, unreachable_store: Analytics, path: str) -> None:
    admin = api.admin.of(build(replace(api.deps, analytics=unreachable_store)))
    answer = admin.call("GET", path, params={"slice[]": "day"} | DAY | FILTER)
    assert (answer.status_code, answer.json()["code"], answer.headers["Retry-After"]) == (503, "unavailable", "60")
    assert "127.0.0.1" not in answer.text
    assert admin.call("GET", "/3.0/admin/users").status_code == 200


def test_report_with_missing_analytic_tables_is_503(api: Api) -> None:
    drop_click_table(api.deps.analytics)
    answer = api.admin.call("GET", "/3.0/stats/custom", params={"slice[]": "day"} | DAY | FILTER)
    assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")


def test_write_on_full_disk_is_503_and_writes_nothing(api: Api) -> None:
    def add(text: str) -> Any:
        return api.admin.call("POST", "/3.1/admin/news", data={"title": "News", "desc": text})

    assert add("short").status_code == 200
    with api.deps.database.read() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count=1")  # that is: no more than there are
    answer = add("<p>" + "x" * 9_000)
    assert (answer.status_code, answer.json()["code"]) == (503, "disk_full")
    assert "nothing was changed" in answer.json()["message"]
    with api.deps.database.read() as conn:
        conn.exec_driver_sql("PRAGMA max_page_count=1000000")
    assert api.admin.get("/3.0/news")["all_items"] == 1


def rename_staff(api: Api) -> Callable[[int, str], Any]:
    users = [api.add_staff()[0] for _ in range(2)]
    return lambda place, name: api.admin.call(
        "POST", f"/3.0/admin/user/{users[place]}", data={"email": f"{name}@staff.example"}
    )


def rename_field(api: Api) -> Callable[[int, str], Any]:
    made = [api.admin.post("/3.1/admin/custom_fields", name=name, type="text") for name in ("one", "two")]
    fields = [body["field"]["id"] for body in made]
    return lambda place, name: api.admin.call("POST", f"/3.1/admin/custom_fields/{fields[place]}", data={"name": name})


@pytest.mark.parametrize("renaming", [rename_staff, rename_field])
def test_parallel_writes_of_one_unique_value_return_one_409(
    database: Database, analytics: Analytics, renaming: Callable[[Api], Callable[[int, str], Any]]
) -> None:
    rename = renaming(installed(database, analytics))
    with ThreadPoolExecutor(2) as pool:
        for turn in range(12):
            start = Barrier(2)

            def both(place: int, start: Barrier = start, name: str = f"name{turn}") -> Any:
                start.wait(10)
                return rename(place, name)

            answers = list(pool.map(both, range(2)))
            assert sorted(each.status_code for each in answers) == [200, 409]
            [refused] = [each.json() for each in answers if each.status_code == 409]
            assert list(refused["fields"]) in (["email"], ["name"])


def test_unexpected_errors_are_not_exposed() -> None:
    assert refusal_of(KeyError("x")) is None
    assert refusal_of(OSError(2, "no such file")) is None
    full = refusal_of(OSError(28, "no space"))
    assert full is not None
    assert (full.status, full.code) == (503, "disk_full")
