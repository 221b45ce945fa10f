"""The form of an offer, and with it what all forms have in common."""

from typing import Any

from tests.support.api import Api
from tests.support.offer_pages import sales_desk
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import PageReader, staff_visitor
from trackyard.domain.people.roles import Role

HOSTILE = '"><script>alert(1)</script>'


def stored(api: Api, offer: int) -> Any:
    """The offer as the API shows it."""
    return api.admin.get(f"/3.1/offer/{offer}")["offer"]


def test_unchanged_offer_form_sends_nothing(api: Api) -> None:
    offer = api.add_offer()
    given = api.admin.post(
        f"/3.1/admin/offer/{offer}",
        **{"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "5", "stopDate": "2030-01-02"},
        **{"schedule[date_start]": "2024-01-01", "schedule[enabled]": "1", "kpi[en]": "Two\r\nlines", "tags[]": "a, b"},
        **{
            "start_at": "2024-05-06 07:08:09",
            "payments[0][sub1]": "x,y",
            "restriction_os[0][os]": "iOS",
            "restriction_os[0][versions]": "",
            "schedule[intervals][6][0][From]": "20",
            "schedule[intervals][6][0][To]": "2",
        },
    )
    assert given["status"] == 1, given
    before = stored(api, offer)
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    answer = send(visitor, path, read_form(visitor, path))
    assert answer.status_code == 200
    assert "Nothing was changed, so nothing was saved." in answer.text
    assert stored(api, offer) == before


def test_offer_form_saves_only_what_was_changed(api: Api) -> None:
    offer = api.add_offer(title="Casino", is_top="1", **{"payments[0][sub1]": "x", "tags[]": "old"})
    before = stored(api, offer)
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    form = read_form(visitor, path)
    api.admin.post(f"/3.1/admin/offer/{offer}", notes="Meanwhile")
    fields = {"title": "Casino deposit", "is_top": None, "tags": "new, second", "payments[0][revenue]": "8.50"}
    preview = send(visitor, path, form, "preview", **fields)
    for words in ("Casino</del>", "Payout of payment 1", "7</del>", "8.50</ins>", "Save 4 changes"):
        assert words in preview.text
    assert stored(api, offer)["title"] == "Casino"
    answer = send(visitor, path, FormReader(preview.text))
    assert answer.status_code == 303
    after = stored(api, offer)
    assert after["notes"] == "Meanwhile"
    assert after["tags"] == ["new", "second"]
    assert (after["title"], after["is_top"]) == ("Casino deposit", 0)
    assert after["payments"] == [{**before["payments"][0], "revenue": 8.5}]
    message = visitor.read(answer.headers["location"]).text
    assert "Casino deposit: 4 changes are saved." in message


def test_refused_offer_form_keeps_what_was_typed_and_names_the_fields(api: Api) -> None:
    offer = api.add_offer(title="Casino")
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    fields = {"title": HOSTILE, "click_session": "soon", "payments[0][countries]": "GB, U1"}
    answer = send(visitor, path, read_form(visitor, path), **fields)
    assert answer.status_code == 400
    assert HOSTILE not in answer.text
    form = FormReader(answer.text)
    assert {name: form.value(name) for name in fields} == fields
    assert "A country U1 does not exist" in form.faults["f-payments-0-countries-fault"]
    assert "must be a duration" in form.faults["f-click-session-fault"]
    assert "f-payments-0-countries-fault" in form.described["payments[0][countries]"]
    assert 'href="#f-payments-0-countries">Countries of payment 1</a>' in answer.text
    assert "2 fields need another look" in answer.text
    assert stored(api, offer)["title"] == "Casino"


def test_offer_form_adds_and_removes_payments_without_mixing_them(api: Api) -> None:
    first = {"payments[0][goal]": "1", "payments[0][countries][]": "GB", "payments[0][sub1]": "x"}
    second = {"payments[1][goal]": "1", "payments[1][total]": "20", "payments[1][revenue]": "15"}
    offer = api.add_offer(**first, **second)
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    dropped = send(visitor, path, read_form(visitor, path), "drop:payments:0")
    added = FormReader(send(visitor, path, FormReader(dropped.text), "add:payments").text)
    fields = {"payments[1][goal]": "2", "payments[1][total]": "3", "payments[1][revenue]": "2"}
    assert send(visitor, path, added, **fields).status_code == 303
    kept, new = stored(api, offer)["payments"]
    assert (kept["goal"], kept["total"], kept["countries"], kept["sub1"]) == ("1", 20, [], "")
    assert (new["goal"], new["total"], new["revenue"], new["currency"]) == ("2", 3, 2, "USD")


def test_new_offer_form_creates_an_offer(api: Api) -> None:
    advertiser = api.add_advertiser(title="Royal Reef")
    visitor = staff_visitor(api)
    path = "/console/offers/new"
    refused = send(visitor, path, read_form(visitor, path), url="https://shop.example/")
    assert FormReader(refused.text).faults["f-title-fault"] == "This value is required."
    fields = {"title": "Shoes", "advertiser": advertiser, "payments[0][total]": "10", "payments[0][revenue]": "7"}
    answer = send(visitor, path, FormReader(refused.text), **fields)
    assert answer.status_code == 303, FormReader(answer.text).faults
    offer = stored(api, int(answer.headers["location"].rpartition("/")[2]))
    assert (offer["title"], offer["status"], offer["payments"][0]["revenue"]) == ("Shoes", "stopped", 7)
    assert offer["pixels"] is True


def test_offer_form_is_for_those_who_may_change_the_offer(api: Api) -> None:
    desk = sales_desk(api)
    assert desk.visitor.get(f"/console/offers/{desk.own}/edit").status_code == 200
    assert desk.visitor.get(f"/console/offers/{desk.foreign}/edit").status_code in (403, 404)
    affiliates = staff_visitor(api, Role.MANAGER_AFFILIATE)
    assert affiliates.get(f"/console/offers/{desk.own}/edit").status_code == 403
    assert "/console/offers/new" not in affiliates.read("/console/offers").links


def test_copied_offer_has_the_conditions_of_the_first(api: Api) -> None:
    offer = api.add_offer(title="Casino", **{"payments[0][sub1]": "x", "countries[]": "GB"})
    groups = {
        "targeting[0][country][allow][]": "GB",
        "targeting[0][region][deny][GB][]": "2641364",
        "targeting[0][os][allow][0][name]": "iOS",
        "targeting[0][os][allow][0][comparison]": "GTE",
        "targeting[0][os][allow][0][version]": "15",
        "targeting[0][sub][deny_groups][0][1]": "",
        "sub_restrictions[0][sub3]": "spam",
        "sub_account_1": "a,b",
        "sub_account_1_except": "1",
        "schedule[intervals][1][0][From]": "9",
        "schedule[intervals][1][0][To]": "17",
    }
    assert api.admin.post(f"/3.1/admin/offer/{offer}", **groups)["status"] == 1
    visitor = staff_visitor(api)
    path = f"/console/offers/new?copy={offer}"
    answer = send(visitor, path, read_form(visitor, path))
    assert answer.status_code == 303, FormReader(answer.text).faults
    first, copy = stored(api, offer), stored(api, offer + 1)
    assert (copy["title"], copy["status"]) == ("Copy of Casino", "stopped")
    same = ("targeting", "payments", "sub_restrictions", "sub_accounts", "countries", "advertiser", "url")
    for name in (*same, "caps_status", "click_session"):
        assert copy[name] == first[name]
    assert copy["schedule"]["intervals"] == first["schedule"]["intervals"]


def test_targeting_form_writes_groups_as_conditions(api: Api) -> None:
    offer = api.add_offer()
    group = {"targeting[0][country][allow][]": "GB", "targeting[0][sub][deny_groups][0][2]": "spam"}
    group |= {"targeting[0][urls][0][url]": "https://a.example/", "targeting[0][urls][0][weight]": "30"}
    assert api.admin.post(f"/3.1/admin/offer/{offer}", **group)["status"] == 1
    [before] = stored(api, offer)["targeting"]
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/targeting"
    form = FormReader(send(visitor, path, read_form(visitor, path), "add:targeting").text)
    fields = {
        "targeting[1][country][deny]": "FR, DE",
        "targeting[1][os][allow]": "iOS >= 15\r\nAndroid",
        "targeting[1][isp][allow]": "DE: Example Telecom",
        "targeting[1][device_type]": ["mobile"],
        "targeting[1][block_proxy]": "1",
    }
    preview = send(visitor, path, form, "preview", **fields)
    assert "iOS 15 or newer or Android" in preview.text
    assert stored(api, offer)["targeting"] == [before]
    assert send(visitor, path, FormReader(preview.text)).status_code == 303
    first, second = stored(api, offer)["targeting"]
    assert first == before
    assert second["country"] == {"allow": [], "deny": ["FR", "DE"]}
    assert [each["name"] for each in second["os"]["allow"]] == ["iOS", "Android"]
    assert second["isp"]["allow"] == {"DE": ["Example Telecom"]}
    assert (second["device_type"], second["block_proxy"]) == (["mobile"], 1)


def test_targeting_form_shows_faults_at_the_condition(api: Api) -> None:
    offer = api.add_offer(title=HOSTILE)
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/targeting"
    form = FormReader(send(visitor, path, read_form(visitor, path), "add:targeting").text)
    fields = {"targeting[0][ip][deny]": "nowhere", "targeting[0][region][allow]": "2641364"}
    answer = send(visitor, path, form, **fields)
    assert answer.status_code == 400
    assert HOSTILE not in answer.text
    faults = FormReader(answer.text).faults
    assert "must hold IP addresses" in faults["f-targeting-0-ip-deny-fault"]
    assert "must hold named values" in faults["f-targeting-0-region-allow-fault"]


def test_form_sent_after_the_session_ended_is_kept_for_its_person(api: Api) -> None:
    offer = api.add_offer(title="Casino")
    visitor, other = staff_visitor(api), staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    form = read_form(visitor, path)
    assert visitor.post("/sign-out").status_code == 303
    ended = send(visitor, path, form, title=HOSTILE)
    assert ended.status_code == 401
    kept = PageReader(ended.text).fields["kept"]
    strange = other.sign_in(other.login, kept=kept, next=path)
    assert strange.headers["location"] == path
    again = visitor.sign_in(visitor.login, kept=kept, next=path)
    assert (again.status_code, HOSTILE in again.text) == (200, False)
    page = PageReader(again.text)
    hidden = [(given["name"], given["value"]) for tag, given in page.elements if tag == "input"]
    data: dict[str, list[str]] = {}
    for name, value in hidden:
        data.setdefault(name, []).append(value)
    shown = visitor.client.post(path, data=data)
    assert shown.status_code == 200
    assert FormReader(shown.text).value("title") == HOSTILE
    assert stored(api, offer)["title"] == "Casino"
    assert send(visitor, path, FormReader(shown.text)).status_code == 303
    assert stored(api, offer)["title"] == HOSTILE


def test_form_of_an_earlier_session_is_shown_again_and_not_saved(api: Api) -> None:
    offer = api.add_offer(title="Casino")
    visitor, other = staff_visitor(api), staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    form = read_form(visitor, path)
    visitor.post("/sign-out")
    visitor.sign_in(visitor.login)
    shown = send(visitor, path, form, title="Casino deposit")
    assert shown.status_code == 200
    assert FormReader(shown.text).value("title") == "Casino deposit"
    assert stored(api, offer)["title"] == "Casino"
    assert send(other, path, form, title="Theirs").status_code == 403


def test_kept_form_is_forgotten_after_ten_minutes(api: Api) -> None:
    visitor = staff_visitor(api)
    path = "/console/offers/new"
    form = read_form(visitor, path)
    visitor.post("/sign-out")
    kept = PageReader(send(visitor, path, form, title="Late").text).fields["kept"]
    api.clock.advance(600_001)
    assert visitor.sign_in(visitor.login, kept=kept, next=path).headers["location"] == path


def test_form_asks_before_it_replaces_the_change_of_another_person(api: Api) -> None:
    offer = api.add_offer(title="Casino", notes="Old")
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    form = read_form(visitor, path)
    api.admin.post(f"/3.1/admin/offer/{offer}", title="Theirs", notes="Same")
    answer = send(visitor, path, form, title="Mine", notes="Same")
    assert answer.status_code == 400
    again = FormReader(answer.text)
    assert again.faults == {
        "f-title-fault": "Another person changed this to Theirs meanwhile. Save again to replace it by yours."
    }
    assert stored(api, offer)["title"] == "Theirs"
    assert send(visitor, path, again).status_code == 303
    assert (stored(api, offer)["title"], stored(api, offer)["notes"]) == ("Mine", "Same")


def test_values_of_subs_are_edited_as_lines(api: Api) -> None:
    values = {"macros_replacement[sub1][]": ["a, b", "c"], "macros_replacement[sub2][]": "x"}
    offer = api.add_offer(**values, **{"macros_replacement_enabled[]": "sub1"})
    visitor = staff_visitor(api)
    path = f"/console/offers/{offer}/edit"
    assert "sub1: a, b\nsub1: c\nsub2: x" in visitor.get(path).text
    for typed, kept in (("sub1: d: e\nsub8: y", {"sub1": ["d: e"], "sub8": ["y"]}), ("", {})):
        assert send(visitor, path, read_form(visitor, path), macros_replacement=typed).status_code == 303
        assert (stored(api, offer)["macros_replacement"], stored(api, offer)["macros_replacement_enabled"]) == (
            kept,
            ["sub1"],
        )
    assert send(visitor, path, read_form(visitor, path), macros_replacement="blue").status_code == 400
