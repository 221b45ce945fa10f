"""Reference lists."""

import threading
from dataclasses import replace
from pathlib import Path

import pytest

from tests.support.api import Api
from tests.support.clicks.mmdb import write_mmdb
from tests.support.client import ApiClient
from tests.support.waiting import wait_until
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.api.platform import reference
from trackyard.decision.visitor import providers
from trackyard.decision.visitor.visitor import VisitorLookup


def test_city_list_of_country_names_its_regions(api: Api) -> None:
    body = api.admin.get("/3.0/cities", country="gb", limit=10_000)
    london = next(city for city in body["cities"] if city["id"] == 2643743)
    assert london == {
        "id": 2643743, "name": "London", "country_code": "GB", "region_code": "6269131", "time_zone": "Europe/London",
    }  # fmt: skip
    assert body["pagination"]["total_count"] == len(body["cities"])
    regions = {region["id"] for region in api.admin.get("/3.1/regions", country="GB")["regions"]}
    assert {int(city["region_code"]) for city in body["cities"] if city["region_code"]} <= regions


@pytest.mark.parametrize(("locale", "name"), [(None, "London"), ("en", "London"), ("ru", "Лондон"), ("es", "Londres")])
def test_city_names_follow_locale(api: Api, locale: str | None, name: str) -> None:
    params = {"country": "GB", "limit": 10_000} | ({} if locale is None else {"locale": locale})
    cities = api.admin.get("/3.1/cities", **params)["cities"]
    assert next(city["name"] for city in cities if city["id"] == 2643743) == name


def test_city_list_pages_are_disjoint(api: Api) -> None:
    pages = [api.admin.get("/3.0/cities", country="EE", limit=20, page=page) for page in (1, 2, 3)]
    ids = [city["id"] for page in pages for city in page["cities"]]
    assert len(ids) == len(set(ids)) > 30
    assert pages[0]["pagination"]["next_page"] == 2


def test_city_list_of_unknown_country_is_empty(api: Api) -> None:
    assert api.admin.get("/3.0/cities", country="ZZ")["cities"] == []
    for params in ({}, {"country": "Estonia"}, {"country": "EE", "locale": "de"}):
        assert api.admin.call("GET", "/3.0/cities", params=params).status_code == 400


def test_isp_list_comes_from_configured_database(api: Api, tmp_path: Path) -> None:
    assert api.admin.get("/3.0/isp")["isp"] == []
    database = write_mmdb(
        tmp_path / "isp.mmdb",
        {
            "1.0.0.0/24": {"isp": "Zeta Net", "country_code": "AU"},
            "8.8.8.0/24": {"isp": "Google", "organization": "Google Servers"},
            "8.8.4.0/24": {"isp": "Google"},
            "9.9.9.0/24": {"autonomous_system_organization": "Quad9", "country": {"iso_code": "CH"}},
            "2001:db8::/32": {"organization": "No provider"},
        },
        "GeoIP2-ISP",
    )
    app = build(replace(api.deps, isp_database=database))
    _, known = api.add_affiliate()
    client = ApiClient(app, CATALOGUE, known._key)
    body = client.get("/3.1/isp")
    visitors = VisitorLookup()
    ids = [item.pop("id") for item in body["isp"]]
    assert [item.pop("id") for item in body["isps"]] == ids and len(set(ids)) == 3
    assert body["isp"] == body["isps"] == [
        {"country": visitors.place("8.8.8.1").country, "name": "Google"},
        {"country": "CH", "name": "Quad9"},
        {"country": "AU", "name": "Zeta Net"},
    ]  # fmt: skip
    visitors.close()
    found = client.get("/3.0/isp", q="GOO", limit=1)
    assert [item["name"] for item in found["isp"]] == ["Google"] and "isps" not in found

    def names(**params: object) -> list[str]:
        return [item["name"] for item in client.get("/3.1/isp", **params)["isp"]]

    assert names(**{"country[]": ["ch", "AU"]}) == ["Quad9", "Zeta Net"]
    assert names(country="CH", q="net") == [] and names(country="AU", q="net") == ["Zeta Net"]
    assert names(code=ids[1]) == ["Quad9"] and names(**{"code[]": ids[1:]}) == ["Quad9", "Zeta Net"]


def test_isp_list_during_slow_database_read_is_503(api: Api, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    go = threading.Event()
    read = providers._read
    monkeypatch.setattr(providers, "_read", lambda path: read(path) if go.wait(10) else ())
    monkeypatch.setattr(reference, "WAIT_SECONDS", 0.05)
    database = write_mmdb(tmp_path / "isp.mmdb", {"1.0.0.0/24": {"isp": "Zeta Net"}}, "GeoIP2-ISP")
    client = ApiClient(build(replace(api.deps, isp_database=database)), CATALOGUE, api.admin._key)
    answer = client.call("GET", "/3.1/isp")
    assert answer.status_code == 503 and "ask again" in answer.json()["error"]
    go.set()
    wait_until(lambda: client.call("GET", "/3.1/isp").status_code == 200)


def test_isp_database_replaced_is_reloaded(api: Api, tmp_path: Path) -> None:
    path, new = tmp_path / "isp.mmdb", tmp_path / "new.mmdb"
    write_mmdb(path, {"1.0.0.0/24": {"isp": "Zeta Net"}}, "GeoIP2-ISP")
    client = ApiClient(build(replace(api.deps, isp_database=path)), CATALOGUE, api.admin._key)

    def names() -> list[str]:
        return [item["name"] for item in client.get("/3.1/isp")["isp"]]

    assert names() == ["Zeta Net"]
    new.write_text("no database")
    new.replace(path)
    assert names() == ["Zeta Net"]
    write_mmdb(new, {"1.0.0.0/24": {"isp": "Eta Net"}}, "GeoIP2-ISP").replace(path)
    wait_until(lambda: names() == ["Eta Net"])


def test_country_and_region_lists_agree(api: Api) -> None:
    countries = {item["code"]: item["name"] for item in api.admin.get("/3.1/countries")["countries"]}
    assert countries["EE"] == "Estonia"
    russian = {item["code"]: item["name"] for item in api.admin.get("/3.1/countries", locale="ru")["countries"]}
    assert russian["EE"] == "Эстония"
    everywhere = api.admin.get("/3.1/regions")["regions"]
    some = api.admin.get("/3.1/regions", country="us,EE")["regions"]
    assert {"id": 5332921, "name": "California", "country_code": "US"} in some
    assert {item["country_code"] for item in some} == {"US", "EE"}
    assert len({item["id"] for item in everywhere}) == len(everywhere) > 3500
    assert {item["country_code"] for item in everywhere} <= set(countries)


def test_os_list_shows_versions_of_each_system(api: Api) -> None:
    systems = api.admin.get("/3.1/oses", limit=1000)["oses"]
    assert {systems["android"], systems["ios"], systems["mac-os-x"]} == {"Android", "iOS", "Mac OS X"}
    for name in ("android", "Android"):
        versions = api.admin.get(f"/3.1/oses/{name}")["versions"]
        assert versions.index("9") < versions.index("10")
    assert api.admin.call("GET", "/3.1/oses/none").status_code == 404
    assert all(api.admin.call("GET", f"/3.1/oses/{each}").status_code == 200 for each in systems)


def test_targeting_reference_lists_have_known_words(api: Api) -> None:
    assert "Apple" in api.admin.get("/3.1/vendors")["vendors"]
    assert "Chrome Mobile" in api.admin.get("/3.1/browsers", limit=1000)["browsers"]
    assert set(api.admin.get("/3.1/devices")["types"]) == {
        "mediahub", "mobile", "ereader", "console", "tv", "tablet", "desktop", "smartwatch",
    }  # fmt: skip
    assert api.admin.get("/3.1/connection-types")["types"] == ["wi-fi", "cellular"]


def test_city_filters_by_country_name_and_id_must_all_match(api: Api) -> None:
    def names(**params: object) -> list[str]:
        return [city["name"] for city in api.admin.get("/3.1/cities", limit=10_000, **params)["cities"]]

    several = api.admin.get("/3.0/cities", **{"country[]": ["ee", "LV"], "limit": 10_000})["cities"]
    assert {city["country_code"] for city in several} == {"EE", "LV"}
    assert names(country="EE", q="LLINN") == ["Põhja-Tallinn", "Tallinn"]
    assert "Лондон" in names(country="GB", q="лОНДОн", locale="ru") and names(country="GB", q="лондон") == []
    ids = {city["name"]: city["id"] for city in several}
    assert names(country="EE", code=ids["Tallinn"]) == ["Tallinn"]
    assert names(**{"country[]": ["EE", "LV"], "code[]": [ids["Tallinn"], ids["Riga"]]}) == ["Tallinn", "Riga"]
    assert names(country="LV", code=ids["Tallinn"]) == []
    page = api.admin.get("/3.1/cities", country="EE", q="a", limit=2, page=2)
    assert len(page["cities"]) == 2 and page["pagination"]["total_count"] > 4


def test_region_filter_by_id_selects_those_regions(api: Api) -> None:
    california = {"id": 5332921, "name": "California", "country_code": "US"}
    assert api.admin.get("/3.1/regions", code=5332921)["regions"] == [california]
    assert api.admin.get("/3.1/regions", country="US", **{"code[]": [5332921, 1]})["regions"] == [california]
    assert api.admin.get("/3.1/regions", country="EE", code=5332921)["regions"] == []


def test_vendor_filter_by_part_of_name_ignores_case(api: Api) -> None:
    found = api.admin.get("/3.1/vendors", q="SAMS")["vendors"]
    assert "Samsung" in found and all("sams" in name.lower() for name in found)


@pytest.mark.parametrize(
    "path",
    [
        "countries", "regions", "oses", "oses/android", "vendors", "devices", "browsers", "connection-types", "isp",
        "cities",
    ],
)  # fmt: skip
def test_reference_lists_have_status_code_under_3_1_only(api: Api, path: str) -> None:
    params = {"country": "EE"} if path == "cities" else {}
    assert api.admin.get(f"/3.1/{path}", **params)["statusCode"] == 200
    assert "statusCode" not in api.admin.get(f"/3.0/{path}", **params)
