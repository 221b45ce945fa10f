"""The pages as a whole: assets, headers, errors, rights."""

import pytest

from tests.support.api import Api
from tests.support.pages import PageReader, Visitor, console_app, staff_visitor
from trackyard.base.errors import Unavailable
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import PageTable
from trackyard.console.parts import PARTS
from trackyard.domain.people.roles import Role
from trackyard.wire.local_calls import LocalCalls


def test_root_leads_to_console_and_unknown_api_paths_stay_json(api: Api) -> None:
    stranger = Visitor(console_app(api))
    assert stranger.get("/").headers["location"] == "/console/"
    assert stranger.get("/console").headers["location"] == "/console/"
    missing = stranger.get("/3.0/nothing")
    assert (missing.status_code, missing.headers["content-type"]) == (404, "application/json")


def test_every_page_runs_scripts_and_styles_of_its_host_alone(api: Api) -> None:
    visitor = staff_visitor(api)
    for path in ("/console/", "/sign-in", "/console/nothing"):
        answer = visitor.get(path)
        policy = answer.headers["content-security-policy"]
        assert "unsafe" not in policy
        assert "default-src 'none'" in policy
        assert answer.headers["cache-control"] == "no-store"
        for tag, given in PageReader(answer.text).elements:
            assert "style" not in given
            assert not any(name.startswith("on") for name in given)
            assert tag != "style"
            assert tag != "script" or given["src"].startswith("/console/assets/")


def test_assets_are_kept_for_a_year_under_addresses_that_change_with_them(api: Api) -> None:
    visitor = Visitor(console_app(api))
    page = visitor.read("/sign-in")
    addresses = [given["href"] for tag, given in page.elements if tag == "link"]
    addresses += [given["src"] for tag, given in page.elements if tag == "script"]
    for address in addresses:
        answer = visitor.get(address)
        assert answer.status_code == 200
        assert "immutable" in answer.headers["cache-control"]
        assert "set-cookie" not in answer.headers
    assert visitor.get("/console/assets/000000000000/style.css").status_code == 404
    assert visitor.get("/console/assets/../app.py").status_code == 404


def test_page_that_does_not_exist_is_a_404_with_the_way_back(api: Api) -> None:
    page = staff_visitor(api).read("/console/nothing", 404)
    assert "This page does not exist" in page.text
    assert "/console/" in page.links
    assert Visitor(console_app(api)).get("/console/nothing").status_code == 404


def test_page_without_store_is_a_503_in_words(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = staff_visitor(api)

    def lost(*_arguments: object) -> None:
        raise Unavailable

    monkeypatch.setattr(LocalCalls, "ask", lost)
    answer = visitor.get("/console/offers")
    assert answer.status_code == 503
    assert "The data cannot be read now" in answer.text


def test_defect_of_a_page_shows_the_id_of_its_request_alone(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    visitor = staff_visitor(api)
    route = next(each for each in PageTable(PARTS).routes if each.path == "/console/")

    def fails(*_arguments: object) -> None:
        raise RuntimeError("a secret of the program")

    monkeypatch.setattr("trackyard.console.staff.overview.read_period", fails)
    answer = visitor.get(route.path)
    assert answer.status_code == 500
    assert answer.headers["x-request-id"] in answer.text
    assert "a secret of the program" not in answer.text


def test_other_method_of_a_page_is_a_405(api: Api) -> None:
    assert staff_visitor(api).client.request("DELETE", "/console/").status_code == 405
    assert staff_visitor(api).client.request("POST", "/console/").status_code == 405


def test_form_above_a_megabyte_is_a_413(api: Api) -> None:
    assert staff_visitor(api).client.post("/sign-out", data={"a": "b" * 1_100_000}).status_code == 413


def test_overview_is_for_staff_with_statistics_and_others_see_their_first_page(api: Api) -> None:
    assert staff_visitor(api, Role.SECTION_STATS).get("/console/").status_code == 200
    other = staff_visitor(api, Role.SECTION_OFFER).get("/console/")
    assert (other.status_code, other.headers["location"]) == (303, "/console/offers")
    assert "Your roles open no page" in staff_visitor(api, Role.STATS_CITY).read("/console/", 403).text


def test_address_keeps_its_other_values() -> None:
    address = PageAddress("/console/", (("by", "offer"), ("f.sub1", "a&b"), ("f.sub1", "c"), ("page", "3")))
    assert str(address.set("by", "country")) == "/console/?f.sub1=a%26b&f.sub1=c&by=country"
    assert str(address.drop("f.sub1", "c")) == "/console/?by=offer&f.sub1=a%26b"
    assert address.add("f.sub1", "c").all("f.sub1") == ("a&b", "c")
    assert str(address.at_page(4)) == "/console/?by=offer&f.sub1=a%26b&f.sub1=c&page=4"
    assert address.get("page") == "3"
    assert list(address.hidden("by")) == [("f.sub1", "a&b"), ("f.sub1", "c")]


def test_message_is_shown_once_and_in_its_session_only(api: Api) -> None:
    visitor = staff_visitor(api)
    visitor.client.cookies.set("trackyard-message", "Zm9yZ2Vk.0000")
    assert "forged" not in visitor.get("/console/").text
