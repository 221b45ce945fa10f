"""The lists of tracking domains and SmartLinks."""

import re

import pytest

from tests.support.api import Api
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import PageReader, staff_visitor
from trackyard.console.offers_shown import choices
from trackyard.console.staff.offers.click_test import DEVICES
from trackyard.domain.people.roles import Role

PHONE = DEVICES[0][0]
HOSTILE = '"><script>alert(1)</script>'


def test_domains_are_added_changed_and_removed(api: Api) -> None:
    visitor = staff_visitor(api)
    path = "/console/domains"
    assert "all links begin with the platform's URL" in visitor.read(path).text
    refused = send(visitor, f"{path}/new", read_form(visitor, f"{path}/new"), url="no host")
    assert "must be a host" in FormReader(refused.text).faults["f-url-fault"]
    assert send(visitor, f"{path}/new", FormReader(refused.text), url="go.example").status_code == 303
    [domain] = api.admin.get("/3.1/admin/domains")["domains"].values()
    edit = f"{path}/{domain['id']}"
    assert send(visitor, edit, read_form(visitor, edit), use_https=None).status_code == 303
    [changed] = api.admin.get("/3.1/admin/domains")["domains"].values()
    assert (changed["url"], changed["use_https"]) == ("go.example", False)
    assert "go.example http" in visitor.read(path).text
    assert visitor.post(f"{edit}/remove").status_code == 303
    assert api.admin.get("/3.1/admin/domains")["domains"] == {}


def test_smartlinks_are_created_with_a_domain(api: Api) -> None:
    domain = api.admin.post("/3.1/admin/domains", url="go.example")["domain"]["id"]
    visitor = staff_visitor(api)
    path = "/console/smartlinks"
    form = read_form(visitor, f"{path}/new")
    assert send(visitor, f"{path}/new", form, name=HOSTILE, domain_id=str(domain)).status_code == 303
    [made] = api.admin.get("/3.1/admin/smartlink/categories")["data"]
    assert (made["name"], made["domain"]) == (HOSTILE, "go.example")
    assert HOSTILE not in visitor.get(path).text
    edit = f"{path}/{made['_id']}"
    assert send(visitor, edit, read_form(visitor, edit), domain_id="").status_code == 303
    [changed] = api.admin.get("/3.1/admin/smartlink/categories")["data"]
    assert (changed["name"], changed["domain_id"]) == (HOSTILE, None)


def test_lists_of_programs_are_sorted_by_their_headings(api: Api) -> None:
    for url in ("b.example", "a.example"):
        api.admin.post("/3.1/admin/domains", url=url)
        api.admin.post("/3.1/admin/smartlink/category", name=f"For {url}")
        api.admin.post("/3.1/admin/category", title=f"Of {url}")
        api.admin.post("/3.1/admin/offer/source", **{"title_lang[en]": f"From {url}"})
        api.clock.advance(1)
    visitor = staff_visitor(api)
    for path, name, columns in (
        ("/console/smartlinks", "name", {"name", "domain", "count_offer", "description", "created_at"}),
        ("/console/domains", "url", {"url", "use_https"}),
        ("/console/settings/categories", "title", {"title"}),
        ("/console/settings/sources", "title", {"title", "languages"}),
    ):
        page = visitor.read(path)
        assert page.text.index("b.example") < page.text.index("a.example")
        assert {f"{path}?sort={each}-desc" for each in columns} <= set(page.links)
        falling = visitor.read(f"{path}?sort={name}-desc")
        assert f"{path}?sort={name}" in falling.links
        rising = visitor.read(f"{path}?sort={name}")
        assert falling.text.index("b.example") < falling.text.index("a.example")
        assert rising.text.index("a.example") < rising.text.index("b.example")
        assert 'aria-sort="ascending"' in visitor.get(f"{path}?sort={name}").text
        assert f"order={name}" in rising.text
        assert visitor.read(f"{path}?sort=color").text.index("b.example") < page.text.index("a.example")
    currencies = visitor.read("/console/settings/currencies")
    assert not any("sort=" in link for link in currencies.links)


def test_test_click_on_a_smartlink_says_which_offer_gets_it_and_why_others_do_not(api: Api) -> None:
    smartlink = api.admin.post("/3.1/admin/smartlink/category", name="Shoes")["data"]["_id"]
    group = {"smartlink_categories[]": smartlink, "privacy": "public"}
    tablets = api.add_offer(title="For televisions", **group, **{"strictly_devices[]": "tv"})
    boots, last = api.add_offer(title="Boots", **group), api.add_offer(title=HOSTILE, **group)
    pid, _ = api.add_affiliate()
    visitor = staff_visitor(api)
    path = f"/console/smartlinks/{smartlink}/test"
    assert path in visitor.read("/console/smartlinks").links
    assert "test-affiliate" in visitor.get(path).text
    query = f"{path}?test=1&affiliate={pid}&ip=203.0.113.9&device={PHONE}"
    page = visitor.read(query)
    link = f"https://x.example/sl?pid={pid}&id={smartlink}"
    check = api.admin.post("/3.1/admin/click-check", url=link, ip="203.0.113.9", ua=PHONE)["check"]
    assert [each["offer_id"] for each in check["smart_offers"]] == [tablets, boots, last]
    assert check["offer_id"] == boots
    assert "Boots gets the click." in page.text and str(check["target"]) in page.text
    rows = [row for row in visitor.get(query).text.split("<tr>") if "#" in row][-3:]
    assert "Rejected because" in rows[0] and f"/console/offers/{tablets}" in rows[0]
    assert "It gets the click." in rows[1]
    assert "It would take the click, and comes later." in rows[2] and HOSTILE not in rows[2]
    for offer in (boots, last):
        api.admin.post(f"/3.1/admin/offer/{offer}", status="stopped")
    assert "No offer of the SmartLink takes the click." in visitor.read(query).text
    assert "IP address" in visitor.get(f"{path}?test=1&affiliate={pid}&ip=nowhere").text
    assert visitor.get(f"/console/smartlinks/{'f' * 24}/test").status_code == 404
    empty = api.admin.post("/3.1/admin/smartlink/category", name="Empty")["data"]["_id"]
    assert (
        "The SmartLink has no offer." in visitor.read(f"/console/smartlinks/{empty}/test?test=1&affiliate={pid}").text
    )


def test_domain_is_tested_by_a_button_of_its_page(api: Api) -> None:
    domain = api.admin.post("/3.1/admin/domains", url="10.0.0.1:81", use_https=0)["domain"]["id"]
    visitor = staff_visitor(api)
    path = f"/console/domains/{domain}/test"
    assert path in visitor.read("/console/domains").links
    before = visitor.read(path).text
    assert "Test the domain" in before and "Links of the domain" not in before
    after = visitor.post(path)
    text = PageReader(after.text).text
    assert (after.status_code, "Links of the domain do not work." in text) == (200, True)
    assert "10.0.0.1 has no IP address that may be called" in text and "Add a DNS record of 10.0.0.1" in text
    assert text.count("An earlier step failed.") == 3 and "Test again" in text
    assert visitor.post(path, form_token="x").status_code == 403
    assert visitor.get("/console/domains/999/test").status_code == 404
    assert visitor.post("/console/domains/999/test").status_code == 404


def test_lists_of_programs_are_for_those_who_may_change_them(api: Api) -> None:
    visitor = staff_visitor(api, Role.MANAGER_AFFILIATE)
    links = visitor.read("/console/").links
    for path in ("/console/domains", "/console/smartlinks"):
        assert visitor.get(f"{path}/new").status_code == 403
        if visitor.get(path).status_code == 403:
            assert path not in links


def test_source_needs_a_title_in_some_language(api: Api) -> None:
    visitor = staff_visitor(api)
    path = "/console/settings/sources/new"
    refused = send(visitor, path, read_form(visitor, path))
    assert (refused.status_code, "This value is required." in refused.text) == (400, True)
    assert send(visitor, path, FormReader(refused.text), **{"title_lang[es]": "Correo"}).status_code == 303
    [source] = api.admin.get("/3.1/admin/offer/sources")["sources"]
    edit = f"/console/settings/sources/{source['id']}"
    fields = {"title_lang[es]": "", "title_lang[en]": "Mail"}
    assert send(visitor, edit, read_form(visitor, edit), **fields).status_code == 303
    [changed] = api.admin.get("/3.1/admin/offer/sources")["sources"]
    assert changed["title_lang"] == {"en": "Mail"}


def test_categories_and_sources_are_listed_a_page_at_a_time(api: Api) -> None:
    """Every one is reached: by its page, by its form and in the file."""
    for number in range(121):
        api.admin.post("/3.1/admin/category", title=f"Category {number:03}")
        api.admin.post("/3.1/admin/offer/source", **{"title_lang[en]": f"Source {number:03}"})
        api.clock.advance(1)
    visitor = staff_visitor(api)
    for path, name in (("/console/settings/categories", "Category"), ("/console/settings/sources", "Source")):
        first = visitor.read(f"{path}?sort=title-desc")
        assert f"{name} 120" in first.text
        assert f"{name} 101" in first.text
        assert f"{name} 100" not in first.text
        assert "1–20 of 121" in first.text
        assert f"{path}?sort=title-desc&page=2" in first.links
        last = visitor.read(f"{path}?sort=title-desc&page=7")
        assert "121–121 of 121" in last.text
        [edit] = [link for link in last.links if re.fullmatch(rf"{path}/[0-9a-f]{{24}}", link)]
        assert f"Edit {name} 000" in visitor.read(edit).text
        assert visitor.get(f"{path}/{'f' * 24}").status_code == 404
        assert "The list has no page 8." in visitor.read(f"{path}?page=8").text
        assert len(visitor.get(f"{path}?format=csv").text.splitlines()) == 122


def test_categories_sources_and_smartlinks_count_their_offers_and_lead_to_them(api: Api) -> None:
    category = api.admin.post("/3.1/admin/category", title="Games")["category"]["id"]
    source = api.admin.post("/3.1/admin/offer/source", **{"title_lang[en]": "Mail"})["source"]["id"]
    smartlink = api.admin.post("/3.1/admin/smartlink/category", name="Best")["data"]["_id"]
    api.admin.post("/3.1/admin/category", title="Unused")
    labels = {"categories[]": category, "sources[]": source, "smartlink_categories[]": smartlink}
    for status in ("active", "stopped", "suspended"):
        api.add_offer(title=f"Play {status}", status=status, **labels)
    api.add_offer(title="Bare")
    visitor = staff_visitor(api)
    for path, to in (
        ("/console/smartlinks", f"/console/offers?smartlink={smartlink}"),
        ("/console/settings/categories", f"/console/offers?category={category}"),
        ("/console/settings/sources", f"/console/offers?source={source}"),
    ):
        page = visitor.read(path)
        assert to in page.links
        assert re.search(rf'href="{re.escape(to)}" aria-label="[^"]+: 3">3<', page.source)
        found = visitor.read(to)
        assert all(f"Play {status}" in found.text for status in ("active", "stopped", "suspended"))
        assert "of 3" in found.text
        assert "Bare" not in found.text
    assert "Unused 0" in visitor.read("/console/settings/categories").text


def test_filter_of_offers_knows_categories_sources_and_smartlinks_beyond_the_choices_of_its_select(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(choices, "MOST_CHOICES", 1)
    for title in ("One", "Two"):
        category = api.admin.post("/3.1/admin/category", title=title)["category"]["id"]
        source = api.admin.post("/3.1/admin/offer/source", **{"title_lang[en]": f"From {title}"})["source"]["id"]
        smartlink = api.admin.post("/3.1/admin/smartlink/category", name=f"Best {title}")["data"]["_id"]
    labels = {"categories[]": category, "sources[]": source, "smartlink_categories[]": smartlink}
    api.add_offer(title="Play", **labels)
    api.add_offer(title="Bare")
    visitor = staff_visitor(api)
    for query, words in (
        (f"category={category}", "Category is Two"),
        (f"source={source}", "source is From Two"),
        (f"smartlink={smartlink}", "SmartLink is Best Two"),
    ):
        page = visitor.read(f"/console/offers?{query}")
        assert "of 1" in page.text
        assert words in page.text
