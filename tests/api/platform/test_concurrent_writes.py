"""Parallel removals and unique values: one request succeeds.

See docs/spec/api-conventions.md#writes.
"""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest

from tests.support.api import Api, installed
from trackyard.analytics.engine.connection import Analytics
from trackyard.store.engine.database import Database

Request = tuple[str, str, dict[str, Any]]


def _offer(api: Api) -> Request:
    return "POST", "/3.0/admin/offer/delete", {"offer_id": api.add_offer()}


def _creative(api: Api) -> Request:
    offer = api.add_offer(creativeUrls="https://cdn.example/a.png")
    [item] = api.admin.get(f"/3.0/offer/{offer}")["offer"]["creatives"]
    return "DELETE", f"/3.0/admin/offer/{offer}/remove-creative", {"creatives": item["id"]}


def _source(api: Api) -> Request:
    made = api.admin.post("/3.0/admin/offer/source", **{"title_lang[en]": "S"})["source"]
    return "DELETE", f"/3.0/admin/offer/source/{made['id']}", {}


def _smartlink(api: Api) -> Request:
    made = api.admin.post("/3.0/admin/smartlink/category", name="S")["data"]
    return "POST", f"/3.0/admin/smartlink/category/{made['_id']}/remove", {}


def _domain(api: Api) -> Request:
    made = api.admin.post("/3.1/admin/domains", url="go.example.org")["domain"]
    return "POST", f"/3.1/admin/domains/{made['id']}/remove", {}


@pytest.mark.parametrize("subject", [_offer, _creative, _source, _smartlink, _domain])
def test_parallel_removals_succeed_once(
    database: Database, analytics: Analytics, subject: Callable[[Api], Request]
) -> None:
    api = installed(database, analytics)
    method, path, params = subject(api)
    with ThreadPoolExecutor(4) as pool:
        codes = pool.map(lambda _: api.admin.call(method, path, params=params).status_code, range(4))
        assert sorted(codes) == [200, 404, 404, 404]


def test_parallel_edit_and_removal_succeed_or_return_404(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    offer = api.add_offer()
    edits = [f"/3.0/admin/offer/{offer}"] * 4

    def call(path: str) -> int:
        params = {"offer_id": offer} if path.endswith("delete") else {"notes": "N"}
        return int(api.admin.call("POST", path, data=params).status_code)

    with ThreadPoolExecutor(5) as pool:
        codes = list(pool.map(call, [*edits[:2], "/3.0/admin/offer/delete", *edits[2:]]))
    assert codes[2] == 200
    assert set(codes) <= {200, 404}
    assert api.admin.call("GET", f"/3.0/offer/{offer}").status_code == 404


def test_parallel_domain_additions_accept_host_once(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)

    def call(_number: int) -> int:
        return int(api.admin.call("POST", "/3.1/admin/domains", data={"url": "go.example.org"}).status_code)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(call, range(4))) == [200, 409, 409, 409]
