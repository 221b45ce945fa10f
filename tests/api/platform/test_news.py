"""News: what affiliates read and staff maintain."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient


def add(api: Api, title: str, **params: Any) -> str:
    """A piece of news, a minute after the one before; its id."""
    api.clock.advance(60_000)
    return str(api.admin.post("/3.1/admin/news", title=title, **params)["news"]["_id"]["$id"])


def titles(client: ApiClient, **params: Any) -> list[str]:
    return [item["title"] for item in client.get("/3.0/news", **params)["items"].values()]


def test_news_item_shows_stored_fields(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    number = add(api, "Summer", small_desc="Sale", desc="<b>Everything</b>")
    shown = {
        "_id": {"$id": number}, "title": "Summer", "small_desc": "Sale", "desc": "<b>Everything</b>", "status": 1,
        "fixed": 0, "created_at": {"sec": api.clock.now_ms() // 1000, "usec": api.clock.now_ms() % 1000 * 1000},
    }  # fmt: skip
    assert affiliate.get("/3.0/news") == {"status": 1, "items": {number: shown}, "all_items": 1}
    assert affiliate.get(f"/3.1/news/{number}") == {"status": 1, "news": shown}
    assert affiliate.get(f"/3.1/news/{number.upper()}") == {"status": 1, "news": shown}


def test_news_list_starts_with_pinned_then_newest(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    for title, fixed in (("1", 0), ("2", 1), ("3", 0), ("4", 1)):
        add(api, title, fixed=fixed)
    assert titles(affiliate) == ["4", "2", "3", "1"]
    assert titles(affiliate, fixed=1) == ["4", "2"]
    assert titles(affiliate, fixed=0) == ["3", "1"]
    assert titles(affiliate, limit=2, skip=1) == ["2", "3"]
    assert affiliate.get("/3.0/news", limit=1, fixed=0)["all_items"] == 2
    assert titles(affiliate, skip=4) == []


def test_news_list_limit_defaults_to_10_and_ends_at_100(api: Api) -> None:
    for number in range(102):
        add(api, str(number))
    assert len(titles(api.admin)) == 10
    assert len(titles(api.admin, limit=1000)) == 100
    assert api.admin.get("/3.0/news")["all_items"] == 102


@pytest.mark.parametrize(("name", "value"), [("limit", "0"), ("skip", "-1"), ("fixed", "2"), ("limit", "x")])
def test_news_list_with_invalid_parameter_is_rejected(api: Api, name: str, value: str) -> None:
    answer = api.admin.call("GET", "/3.0/news", params={name: value})
    assert (answer.status_code, answer.json()["fields"].keys()) == (400, {name})


def test_news_drafts_are_visible_to_staff_only(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    draft = add(api, "Draft", status=0)
    assert affiliate.get("/3.0/news") == {"status": 1, "items": {}, "all_items": 0}
    assert affiliate.call("GET", f"/3.0/news/{draft}").status_code == 404
    assert titles(api.admin) == ["Draft"]
    api.admin.post(f"/3.1/admin/news/{draft}", status=1)
    assert titles(affiliate) == ["Draft"]


def test_news_edit_changes_sent_fields_only(api: Api) -> None:
    number = add(api, "Summer", small_desc="Sale", desc="All", fixed=1)
    before = api.admin.get(f"/3.0/news/{number}")["news"]
    changed = api.admin.post(f"/3.1/admin/news/{number}", title="Winter", desc="")["news"]
    assert changed == before | {"title": "Winter", "desc": ""}
    assert api.admin.post(f"/3.1/admin/news/{number}", fixed=0)["news"] == changed | {"fixed": 0}
    assert api.admin.get(f"/3.0/news/{number}")["news"] == changed | {"fixed": 0}
    for params in ({"title": ""}, {"title": "x" * 201}):
        assert api.admin.call("POST", f"/3.1/admin/news/{number}", data=params).json()["fields"].keys() == {"title"}
    assert api.admin.call("POST", "/3.1/admin/news", data={"desc": "x"}).json()["fields"].keys() == {"title"}


def test_news_removed_item_is_404(api: Api) -> None:
    number, kept = add(api, "Old"), add(api, "New")
    before = api.admin.get(f"/3.0/news/{number}")
    assert api.admin.post(f"/3.1/admin/news/{number}/remove") == before
    for method, path in (("GET", "news/{}"), ("POST", "admin/news/{}"), ("POST", "admin/news/{}/remove")):
        assert api.admin.call(method, f"/3.1/{path.format(number)}").status_code == 404
    assert list(api.admin.get("/3.0/news")["items"]) == [kept]
