"""Advertisers: lists, edits, passwords, blacklists, and who may (docs/api/advertisers.md)."""

import re
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.processes.mails import mails
from tests.support.stores.statements import recorded_statements
from trackyard.actions.conversions.postback_codes import store_postback_code
from trackyard.base.secrets import password_matches
from trackyard.domain.conversions.codes import is_strong_code
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.tracking.ruleset import RulesetAdvertiser
from trackyard.store.people import advertisers
from trackyard.store.tracking import rulesets

DAY = 86_400_000
REFUSE, ADMIT = "/3.0/admin/advertiser/disable-affiliate", "/3.0/admin/advertiser/enable-affiliate"


def add(api: Api, **params: Any) -> dict[str, Any]:
    made: dict[str, Any] = api.admin.post("/3.0/admin/advertiser", **{"title": "Shop"} | params)["advertiser"]
    return made


def show(api: Api, advertiser: str) -> dict[str, Any]:
    shown: dict[str, Any] = api.admin.get(f"/3.0/admin/advertiser/{advertiser}")["advertiser"]
    return shown


def ids(body: dict[str, Any]) -> list[str]:
    return [item["id"] for item in body["advertisers"]]


def refused(api: Api, advertiser: str) -> frozenset[int]:
    with api.deps.database.read() as conn:
        row = rulesets.compile_row(conn, "advertiser", advertiser)
    assert isinstance(row, RulesetAdvertiser)
    return row.blacklist


def version(api: Api) -> int:
    with api.deps.database.read() as conn:
        return rulesets.ruleset_version(conn)


def test_advertiser_empty_address_fields_are_ignored(api: Api) -> None:
    made = add(api, **{"allowed_ip[]": ["", "192.0.2.1", ""], "disallowed_ip[]": ["", ""]})
    assert (made["allowed_ip"], made["disallowed_ip"]) == (["192.0.2.1"], [])


def test_advertiser_address_list_is_split_by_lines(api: Api) -> None:
    lines = "192.0.2.1\r\n 198.51.100.0/24 \n\n2001:db8::1-2001:db8::9\n"
    made = add(api, allowed_ip=lines, **{"disallowed_ip[]": ["203.0.113.1\n203.0.113.2", "203.0.113.3"]})
    entries = ["192.0.2.1", "198.51.100.0/24", "2001:db8::1-2001:db8::9"]
    denied = ["203.0.113.1", "203.0.113.2", "203.0.113.3"]
    assert (made["allowed_ip"], made["disallowed_ip"]) == (entries, denied)
    path = f"/3.1/admin/advertiser/{made['id']}"
    edited = api.admin.post(path, disallowed_ip="203.0.113.4\n203.0.113.5")["advertiser"]
    assert (edited["allowed_ip"], edited["disallowed_ip"]) == (entries, ["203.0.113.4", "203.0.113.5"])
    assert api.admin.refusal("POST", path, data={"allowed_ip": "192.0.2.1\nnowhere"}) == (400, ["allowed_ip[0]"])


@pytest.mark.parametrize(
    ("order", "expected"),
    [
        ({}, [0, 1, 2]),
        ({"orderType": "desc"}, [2, 1, 0]),
        ({"order": "_id", "orderType": "asc"}, [0, 1, 2]),
        ({"order": "title"}, [1, 2, 0]),
        ({"order": "title", "orderType": "desc"}, [0, 2, 1]),
        ({"order": "email"}, [2, 0, 1]),
        ({"order": "email", "orderType": "desc"}, [1, 0, 2]),
    ],
)
def test_advertiser_list_order_follows_parameter(api: Api, order: dict[str, str], expected: list[int]) -> None:
    made = []
    for title, email in (("Zoo", "b@shop.example"), ("Ark", "c@shop.example"), ("Mill", "")):
        made.append(add(api, title=title, email=email)["id"])
        api.clock.advance(1000)
    assert ids(api.admin.get("/3.0/admin/advertisers", **order)) == [made[place] for place in expected]
    pages = [ids(api.admin.get("/3.0/admin/advertisers", **order, page=page, limit=2)) for page in (1, 2, 3)]
    assert [each for page in pages for each in page] == [made[place] for place in expected]


def test_advertiser_list_shows_same_fields_as_view_and_offer_counts(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    advertiser = add(api, manager=manager, **{"tags[]": ["a", "b"]})["id"]
    other = add(api)["id"]
    offers = [api.add_offer(advertiser=advertiser) for _ in range(3)]
    api.admin.post("/3.0/admin/offer/delete", **{"offer_id[]": offers[0]})
    body = api.admin.get("/3.0/admin/advertisers")
    found = {item["id"]: item for item in body["advertisers"]}
    assert body["pagination"] == {"per_page": 100, "total_count": 2, "page": 1}
    assert [found[each]["offers"] for each in (advertiser, other)] == ["2", "0"]
    assert found[advertiser]["manager_obj"]["id"] == manager
    assert found[advertiser]["manager_obj"]["api_key"] is None
    assert (found[other]["manager"], found[other]["manager_obj"]) == ("", "")
    assert found[advertiser] == show(api, advertiser)


def test_advertiser_list_statement_count_is_constant(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    counts = []
    for more in (1, 5):
        for _ in range(more):
            api.add_offer(advertiser=add(api, manager=manager)["id"])
        with recorded_statements() as seen:
            api.admin.get("/3.0/admin/advertisers")
        counts.append(len(seen))
    assert counts[0] == counts[1]


def test_advertiser_list_filter_updated_at_selects_changed(api: Api) -> None:
    old, touched = add(api)["id"], add(api)["id"]
    api.clock.advance(2 * DAY)
    new = add(api)["id"]
    api.admin.post(f"/3.0/admin/advertiser/{touched}", note="called")
    assert set(ids(api.admin.get("/3.1/admin/advertisers", updated_at="2023-11-16"))) == {touched, new}
    assert set(ids(api.admin.get("/3.1/admin/advertisers", updated_at="2023-11-14"))) == {old, touched, new}
    assert ids(api.admin.get("/3.1/admin/advertisers", updated_at="2023-11-17")) == []


def test_advertisers_are_filtered_by_id_text_manager_country_and_tags(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_SALES)
    reef = add(api, title="Royal Reef", contact="Ann", country="DE", manager=manager, **{"tags[]": "top"})["id"]
    bank = add(api, title="Bank", email="pay@bank.example", country="PL", **{"tags[]": ["new", "top"]})["id"]

    def found(**params: Any) -> list[str]:
        return sorted(ids(api.admin.get("/3.1/admin/advertisers", **params)))

    assert found(search="REEF") == found(search="ann") == found(search=reef) == [reef]
    assert found(search="bank.ex") == found(id=bank) == found(tags="new") == [bank]
    assert (
        found(**{"country[]": ["DE", "PL"]})
        == found(tags="top")
        == found(**{"id[]": [reef, bank]})
        == sorted([reef, bank])
    )
    assert found(manager=manager) == [reef] and found(tags="top", search="royal") == [reef]
    assert found(search="nothing") == found(tags="to") == []
    assert ids(client.get("/3.1/admin/advertisers", **{"tags[]": "top"})) == [reef]


def test_advertiser_edit_changes_sent_fields_only(api: Api) -> None:
    before = add(
        api, contact="Ann", email="Ann@Shop.Example", city="Tartu", country="EE", sub_account_1="a,b", url="http://a.b",
        consider_personal_targeting_only="true", **{"tags[]": ["x", "y"], "allowed_ip[]": ["192.0.2.1", "192.0.2.2"]},
    )  # fmt: skip
    api.clock.advance(DAY)
    edited = api.admin.post(f"/3.0/admin/advertiser/{before['id']}", title="Mall", note="n", **{"tags[]": "z"})
    changed = {"title": "Mall", "note": "n", "tags": ["z"], "updated_at": "2023-11-15 22:13:20"}
    assert edited["advertiser"] == before | changed
    assert show(api, before["id"]) == before | changed
    everything = api.admin.post(f"/3.1/admin/advertiser/{before['id']}", **{"tags[]": "", "allowed_ip[]": ""})
    assert everything["advertiser"] == before | changed | {"tags": [], "allowed_ip": []}


def test_advertiser_edit_changes_and_clears_every_field(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    values = {
        "contact": "Ann", "skype": "ann", "manager": manager, "url": "https://shop.example", "email": "a@shop.example",
        "address_1": "1st", "address_2": "2nd", "city": "Tartu", "country": "EE", "zip_code": "51014",
        "vat_code": "EE1", "hash_password": "secret", "note": "n",
    }  # fmt: skip
    advertiser = add(api)["id"]
    edited = api.admin.post(f"/3.0/admin/advertiser/{advertiser}", **values)["advertiser"]
    assert {name: edited[name] for name in values} == values
    cleared = api.admin.post(f"/3.0/admin/advertiser/{advertiser}", **dict.fromkeys(values, ""))["advertiser"]
    assert not any(cleared[name] for name in values)
    assert api.admin.call("POST", f"/3.0/admin/advertiser/{advertiser}", data={"title": ""}).status_code == 400


def test_advertiser_edit_changes_each_sub_account_separately(api: Api) -> None:
    advertiser = add(api, sub_account_1="a,b", sub_account_2="c")["id"]
    edit = f"/3.0/admin/advertiser/{advertiser}"
    after = api.admin.post(edit, sub_account_1_except=1)["advertiser"]["sub_accounts"]
    assert after == {"1": {"value": "a,b", "except": True}, "2": {"value": "c", "except": False}}
    after = api.admin.post(edit, sub_account_1="d", sub_account_2="")["advertiser"]["sub_accounts"]
    assert after == {"1": {"value": "d", "except": True}, "2": {"value": "", "except": False}}


@pytest.mark.parametrize(
    ("params", "field"),
    [
        ({"manager": "f" * 24}, "manager"),
        ({"email": "nobody"}, "email"),
        ({"allowed_ip[]": "everywhere"}, "allowed_ip[0]"),
        ({"sub_account_1": "A B"}, "sub_account_1"),
    ],
)
def test_advertiser_edit_with_invalid_value_is_rejected(api: Api, params: dict[str, str], field: str) -> None:
    before = add(api)
    answer = api.admin.call("POST", f"/3.0/admin/advertiser/{before['id']}", data={"title": "Mall"} | params)
    assert (answer.status_code, list(answer.json()["fields"])) == (400, [field])
    assert show(api, before["id"]) == before


def test_advertiser_password_is_sent_by_mail_only(api: Api) -> None:
    advertiser = add(api, contact="Ann", email="ann@shop.example")["id"]
    before = version(api)
    answer = api.admin.post(f"/3.0/admin/advertiser/{advertiser}/sendpass")
    [mail] = mails(api)
    assert (mail.recipient, mail.subject) == ("ann@shop.example", "Your new password")
    found = re.search(r"^\w{16}$", mail.body, re.MULTILINE)
    assert found and "Ann" in mail.body
    password = found.group()
    assert "ann@shop.example" in answer["message"] and password not in str(answer)
    with api.deps.database.read() as conn:
        row = advertisers.find_advertiser(conn, Scope.everything(), advertiser)
    assert row and row.password_hash and password_matches(password, row.password_hash)
    assert show(api, advertiser)["has_user"] is True
    log = str(api.admin.get("/3.1/admin/audit"))
    assert "admin.advertiser.sendpass" in log
    assert password not in log and row.password_hash not in log
    api.clock.advance(1000)
    api.admin.post(f"/3.0/admin/advertiser/{advertiser}/sendpass")
    assert password not in mails(api)[1].body
    assert version(api) == before  # edges know no passwords


def test_advertiser_password_without_email_is_rejected(api: Api) -> None:
    advertiser = add(api)["id"]
    assert api.admin.refusal("POST", f"/3.0/admin/advertiser/{advertiser}/sendpass") == (400, ["email"])
    assert mails(api) == []
    assert show(api, advertiser)["has_user"] is False


def test_blacklist_edit_covers_several_advertisers(api: Api) -> None:
    first, second, third = (add(api)["id"] for _ in range(3))
    pid, _ = api.add_affiliate()
    other, _ = api.add_affiliate()
    before = version(api)
    answer = api.admin.post(REFUSE, **{"advertisers_id[]": [first, second], "pid": pid})["message"]
    assert answer == f"Affiliate {pid} is on the blacklist of: {first}, {second}"
    assert version(api) > before
    api.admin.post(REFUSE, advertisers_id=first, pid=pid)
    api.admin.post(REFUSE, advertisers_id=first, pid=other)
    assert [refused(api, each) for each in (first, second, third)] == [{pid, other}, {pid}, frozenset()]
    answer = api.admin.post(ADMIT, **{"advertisers_id[]": [first, third], "pid": pid})["message"]
    assert answer == (
        f"Affiliate {pid} is removed from the blacklist of: {first}; it was not on the blacklist of: {third}"
    )
    assert [refused(api, each) for each in (first, second, third)] == [{other}, {pid}, frozenset()]
    answer = api.admin.post(ADMIT, advertisers_id=first, pid=pid)["message"]
    assert answer == f"Affiliate {pid} was not on the blacklist of: {first}"
    assert mails(api) == []


def test_blacklist_edit_with_invalid_ids_writes_nothing(api: Api) -> None:
    advertiser = add(api)["id"]
    pid, _ = api.add_affiliate()
    before = version(api)
    for path in (REFUSE, ADMIT):
        wrong = {"advertisers_id[]": [advertiser, "f" * 24], "pid": pid + 1}
        answer = api.admin.call("POST", path, data=wrong)
        assert (answer.status_code, sorted(answer.json()["fields"])) == (400, ["advertisers_id", "pid"])
    assert refused(api, advertiser) == frozenset()
    assert version(api) == before


def test_live_offers_exclude_advertisers_that_blacklist_the_affiliate(api: Api) -> None:
    advertiser = add(api)["id"]
    mine, other = api.add_offer(advertiser=advertiser, privacy="public"), api.add_offer(privacy="public")
    pid, affiliate = api.add_affiliate()
    assert live(affiliate) == {mine, other}
    api.admin.post(REFUSE, advertisers_id=advertiser, pid=pid)
    assert live(affiliate) == {other}
    assert live(api.add_affiliate()[1]) == {mine, other}
    api.admin.post(ADMIT, advertisers_id=advertiser, pid=pid)
    assert live(affiliate) == {mine, other}


def live(client: Any) -> set[int]:
    return {offer["id"] for offer in client.get("/3.0/partner/live-offers")["offers"]}


def test_sales_manager_accesses_own_advertisers_only(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_SALES)
    own, foreign = add(api, manager=manager)["id"], add(api, email="a@shop.example")["id"]
    pid, _ = api.add_affiliate()
    assert ids(client.get("/3.0/admin/advertisers")) == [own]
    assert client.get(f"/3.0/admin/advertiser/{own}")["advertiser"]["id"] == own
    for method, path in (("GET", ""), ("POST", ""), ("POST", "/sendpass")):
        assert client.call(method, f"/3.0/admin/advertiser/{foreign}{path}").status_code == 404
    assert mails(api) == []
    for path in (REFUSE, ADMIT):
        answer = client.call("POST", path, data={"advertisers_id[]": [own, foreign], "pid": pid})
        assert answer.json()["fields"] == {"advertisers_id": [f"An advertiser {foreign} does not exist."]}
    assert client.post(REFUSE, advertisers_id=own, pid=pid)["status"] == 1
    given_away = client.call("POST", f"/3.0/admin/advertiser/{own}", data={"manager": api.add_staff()[0]})
    assert (given_away.status_code, list(given_away.json()["fields"])) == (400, ["manager"])
    assert client.post(f"/3.0/admin/advertiser/{own}", manager="", note="n")["advertiser"]["manager"] == manager


def test_advertiser_writes_are_in_audit_log(api: Api) -> None:
    advertiser = add(api)["id"]
    pid, _ = api.add_affiliate()
    api.admin.post(f"/3.0/admin/advertiser/{advertiser}", title="Mall")
    api.admin.post(REFUSE, advertisers_id=advertiser, pid=pid)
    answer = str(api.admin.get("/3.1/admin/audit"))
    assert "{'from': 'Shop', 'to': 'Mall'}" in answer
    assert f"{advertiser}/{pid}" in answer


def test_advertiser_hosts_only_is_false(api: Api) -> None:
    path = f"/3.0/admin/advertiser/{api.add_advertiser()}"
    assert api.admin.get(path)["advertiser"]["hosts_only"] is False
    assert api.admin.get("/3.0/admin/advertisers")["advertisers"][0]["hosts_only"] is False


def test_advertiser_country_must_exist_or_be_stored_before(api: Api) -> None:
    number = api.add_advertiser(country="de")
    path = f"/3.0/admin/advertiser/{number}"
    assert api.admin.get(path)["advertiser"]["country"] == "DE"
    unknown = "A country {} does not exist: codes follow ISO 3166-1, such as DE."
    for country in ("ZZ", "UK", "Germany"):
        sentence = [unknown.format(country.upper())]
        for where, params in (("/3.0/admin/advertiser", {"title": "Mall"}), (path, {})):
            refused = api.admin.call("POST", where, data={"country": country} | params)
            assert (refused.status_code, refused.json()["fields"]) == (400, {"country": sentence})
    with api.deps.database.write() as conn:
        advertisers.edit_advertiser(conn, number, {"country": "UK"})
    assert api.admin.post(path, note="x")["advertiser"]["country"] == "UK"
    again = api.admin.post(path, country="UK")
    assert again["advertiser"]["country"] == "UK" and len(again["warnings"]) == 1
    assert api.admin.post(path, country="")["advertiser"]["country"] == ""


def test_advertiser_code_is_shown_to_staff_who_may_write_the_advertiser(api: Api) -> None:
    seller_id, seller = api.add_staff(Role.MANAGER_SALES)
    number = api.add_advertiser(manager=seller_id, hash_password="c0de-c0de")
    for client in (api.admin, seller, api.add_staff(Role.SECTION_SUPPLIER)[1]):
        assert client.get(f"/3.1/admin/advertiser/{number}")["advertiser"]["hash_password"] == "c0de-c0de"
        assert [each["hash_password"] for each in client.get("/3.1/admin/advertisers")["advertisers"]] == ["c0de-c0de"]


def test_new_advertiser_gets_its_own_code_in_its_postback_address(api: Api) -> None:
    plain = api.admin.post("/3.0/admin/advertiser", title="Before")["advertiser"]
    assert (plain["hash_password"], plain["postback_url"]) == (None, "http://track.example/postback?clickid=CLICK")
    store_postback_code(api.deps.database, "generate")
    platform = api.admin.get("/3.1/admin/settings")["settings"]["hash_password"]
    made = [api.admin.post("/3.0/admin/advertiser", title=title)["advertiser"] for title in ("A", "B")]
    codes = [each["hash_password"] for each in made]
    assert len({platform, *codes}) == 3 and all(is_strong_code(code) for code in codes)
    assert made[0]["postback_url"] == f"http://track.example/postback?clickid=CLICK&secure={codes[0]}"
    chosen = api.admin.post("/3.0/admin/advertiser", title="C", hash_password="a b&c")["advertiser"]
    assert chosen["hash_password"] == "a b&c"
    assert chosen["postback_url"] == "http://track.example/postback?clickid=CLICK&secure=a%20b%26c"
    shown = api.admin.get(f"/3.1/admin/advertiser/{plain['id']}")["advertiser"]
    assert shown["hash_password"] is None and shown["postback_url"].endswith(f"&secure={platform}")


def test_postback_address_hides_codes_from_staff_who_may_not_write_their_owner(api: Api) -> None:
    store_postback_code(api.deps.database, "generate")
    seller_id, seller = api.add_staff(Role.MANAGER_SALES)
    own, bare = api.add_advertiser(manager=seller_id), api.add_advertiser(manager=seller_id)
    api.admin.post(f"/3.0/admin/advertiser/{bare}", hash_password="")
    platform = api.admin.get("/3.1/admin/settings")["settings"]["hash_password"]
    code = api.admin.get(f"/3.1/admin/advertiser/{own}")["advertiser"]["hash_password"]
    expected = {own: f"&secure={code}", bare: "&secure=***"}
    for client in (seller, api.add_staff(Role.SECTION_SUPPLIER)[1]):
        listed = {each["id"]: each for each in client.get("/3.1/admin/advertisers")["advertisers"]}
        for number, end in expected.items():
            shown = client.get(f"/3.1/admin/advertiser/{number}")["advertiser"]["postback_url"]
            assert shown.endswith(end) and listed[number]["postback_url"] == shown
            assert platform not in shown
    assert client.call("GET", "/3.1/admin/settings").status_code == 403


def test_signing_secret_of_advertiser_is_shown_once_and_stored_encrypted(api: Api) -> None:
    seller_id, seller = api.add_staff(Role.MANAGER_SALES)
    own, other = api.add_advertiser(manager=seller_id), api.add_advertiser()
    path = "/3.1/admin/advertiser/{}/signing-secret"
    assert show(api, own)["signs_postbacks"] is False
    first, second = (seller.post(path.format(own))["signing_secret"] for _ in range(2))
    assert len(first) == len(second) == 40 and first != second
    assert show(api, own)["signs_postbacks"] is True
    assert seller.call("POST", path.format(other)).status_code == 404
    with api.deps.database.read() as conn:
        stored = advertisers.find_advertiser(conn, Scope.everything(), own)
    assert stored is not None and stored.signing_secret is not None
    assert second not in stored.signing_secret and api.deps.cipher.decrypt(stored.signing_secret) == second
    log = api.admin.get("/3.1/admin/audit", key=own)["audit"]
    secrets = [each["changes"]["signing_secret"] for each in log if "signing_secret" in each["changes"]]
    assert {side for change in secrets for side in change.values()} == {None, "***"}
    for body in (show(api, own), api.admin.get("/3.1/admin/advertisers")):
        assert first not in str(body) and second not in str(body)
    assert seller.call("DELETE", path.format(own)).status_code == 200
    assert show(api, own)["signs_postbacks"] is False
