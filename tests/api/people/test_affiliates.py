"""Affiliates, as staff see and change them."""

from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.processes.mails import mails
from tests.support.stores.statements import recorded_statements
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.people.roles import ROLE_PERMISSIONS, Permission, Role
from trackyard.domain.tracking.ruleset import RulesetAffiliate
from trackyard.store.money import ledger
from trackyard.store.people import affiliates as store
from trackyard.store.tracking import rulesets


def partner(api: Api, pid: int) -> Any:
    return api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]


def refused(client: ApiClient, path: str, **params: Any) -> dict[str, list[str]]:
    answer = client.call("POST", path, data=params)
    assert answer.status_code == 400, answer.text
    fields: dict[str, list[str]] = answer.json()["fields"]
    return fields


def earn(api: Api, pid: int, amount: str) -> None:
    entry = LedgerEntry(
        affiliate_id=pid, kind="conversion", source_id=f"{pid}-{amount}", version=1, currency="USD", hold=Decimal(0),
        available=Decimal(amount), at=api.clock.now_ms(),
    )  # fmt: skip
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])


def test_affiliate_list_shows_balances_on_request(api: Api) -> None:
    pid, _ = api.add_affiliate()
    earn(api, pid, "12.5")
    [without] = api.admin.get("/3.0/admin/partners")["partners"]
    assert without["balance"] == {}
    [with_] = api.admin.get("/3.0/admin/partners", with_balance=1)["partners"]
    assert with_["balance"] == {"USD": {"balance": 12.5, "hold": 0, "available": 12.5}}
    assert with_ == partner(api, pid)


def test_affiliate_list_pages_are_disjoint(api: Api) -> None:
    ids = [api.add_affiliate()[0] for _ in range(5)]
    pages = [api.admin.get("/3.0/admin/partners", limit=2, page=page) for page in (1, 2, 3)]
    assert [[row["id"] for row in page["partners"]] for page in pages] == [ids[:2], ids[2:4], ids[4:]]
    assert pages[0]["pagination"] == {"per_page": 2, "total_count": 5, "page": 1, "next_page": 2}


def test_affiliate_list_statement_count_is_constant(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    api.add_affiliate(manager_id=manager)
    with recorded_statements() as few:
        api.admin.get("/3.0/admin/partners", with_balance=1)
    for _ in range(3):
        api.add_affiliate(manager_id=manager)
    with recorded_statements() as many:
        assert len(api.admin.get("/3.0/admin/partners", with_balance=1)["partners"]) == 4
    assert len(many) == len(few) > 0


def test_affiliate_edit_changes_sent_fields_only(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    referrer, _ = api.add_affiliate()
    pid, client = api.add_affiliate(email="ann@affiliate.example", notes="first", **{"tags[]": ["a", "b", "a"]})
    before = partner(api, pid)
    assert (before["tags"], before["login"]) == (["a", "b"], "ann@affiliate.example")
    api.clock.advance(1000)
    path = f"/3.0/admin/partner/{pid}"
    sent = {"manager_id": manager, "ref": referrer, "ref_percent": "2.5", "level": 4, "login": "ann", "city": "Riga"}
    edited = api.admin.post(path, **sent, contactPerson="Ann", country="lv", **{"tags[]": "c"})
    assert edited["id"] == pid
    after = edited["partner"]
    assert after["manager"]["id"] == manager
    assert after["manager"]["api_key"] is None
    changed = {
        "manager": after["manager"], "ref": str(referrer), "ref_percent": "2.5", "level": 4, "login": "ann",
        "contactPerson": "Ann", "city": "Riga", "country": "LV", "tags": ["c"], "updated_at": "2023-11-14 22:13:21",
    }  # fmt: skip
    assert after == before | changed == partner(api, pid)
    cleared = api.admin.post(path, manager_id="", ref="", ref_percent="", contactPerson="", notes="", **{"tags[]": ""})
    assert cleared["partner"] | {"updated_at": ""} == after | {
        "manager": None, "ref": "0", "ref_percent": None, "contactPerson": None, "notes": "", "tags": [],
        "updated_at": "",
    }  # fmt: skip
    assert client.call("GET", "/3.0/balance").status_code == 200


def test_affiliate_status_change_takes_effect_at_once(api: Api) -> None:
    pid, client = api.add_affiliate(login="ann")
    path = f"/3.0/admin/partner/{pid}"
    for status, code in (("banned", 401), ("active", 200), ("on moderation", 401), ("not active", 401)):
        api.admin.post(path, status=status)
        assert client.call("GET", "/3.0/balance").status_code == code
        with api.deps.database.read() as conn:
            rule = rulesets.compile_row(conn, "affiliate", str(pid))
        assert rule == RulesetAffiliate(pid, "" if status == "active" else "inactive-affiliate")


@pytest.mark.parametrize(
    ("change", "field"),
    [
        ({"manager_id": "0" * 24}, "manager_id"),
        ({"ref": "999"}, "ref"),
        ({"ref": "1"}, "ref"),  # itself
        ({"status": "gone"}, "status"),
        ({"password": ""}, "password"),
        ({"country": "Latvia"}, "country"),
        ({"custom_fields[shoe size]": "44"}, "custom_fields[shoe size]"),
        ({"payment_systems[0][system_id]": "9"}, "payment_systems[0][system_id]"),
        ({"payment_systems[0][currency]": "USD"}, "payment_systems[0][system_id]"),
    ],
)
def test_affiliate_edit_with_invalid_value_is_rejected(api: Api, change: dict[str, str], field: str) -> None:
    pid, _ = api.add_affiliate()
    assert pid == 1
    before = partner(api, pid)
    assert list(refused(api.admin, "/3.0/admin/partner/1", notes="new", **change)) == [field]
    assert partner(api, pid) == before


def test_affiliate_new_password_is_mailed_and_keeps_api_key(api: Api) -> None:
    pid, client = api.add_affiliate(email="ann@affiliate.example", password="old-one")
    login = {"login": "ann@affiliate.example"}
    session = api.admin.post("/3.1/auth", password="old-one", **login)["api_key"]
    answer = api.admin.post(f"/3.0/admin/partner/password/{pid}")
    assert answer["partner"] == {"id": pid, "password": answer["password"]}
    assert api.admin.call("POST", "/3.1/auth", data=login | {"password": answer["password"]}).status_code == 200
    assert api.admin.call("POST", "/3.1/auth", data=login | {"password": "old-one"}).status_code == 401
    assert api.admin.with_key(session).call("GET", "/3.0/balance").status_code == 401
    assert client.call("GET", "/3.0/balance").status_code == 200, "its key stays"
    [mail] = mails(api)
    assert mail.recipient == "ann@affiliate.example"
    assert answer["password"] in mail.body


def test_affiliate_password_set_by_staff_ends_sessions(api: Api) -> None:
    pid, _ = api.add_affiliate(email="ann@affiliate.example", password="old-one")
    session = api.admin.post("/3.1/auth", login="ann@affiliate.example", password="old-one")["api_key"]
    api.admin.post(f"/3.0/admin/partner/{pid}", password="new-one")
    assert api.admin.with_key(session).call("GET", "/3.0/balance").status_code == 401
    assert api.admin.post("/3.1/auth", login="ann@affiliate.example", password="new-one")["status"] == 1


def test_referral_list_has_pages(api: Api) -> None:
    referrer, _ = api.add_affiliate()
    ids = [api.add_affiliate(ref=referrer)[0] for _ in range(3)]
    api.add_affiliate(ref=ids[0])
    first = api.admin.get(f"/3.0/admin/partner/{referrer}/referrals", limit=2)
    assert list(first["referrals"]) == [str(each) for each in ids[:2]]
    assert first["referrals"][str(ids[0])] == partner(api, ids[0])
    assert first["pagination"]["total_count"] == 3
    assert api.admin.get(f"/3.0/admin/partner/{ids[2]}/referrals")["referrals"] == {}


def test_affiliate_manager_accesses_own_affiliates_only(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    other, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=manager)
    foreign, _ = api.add_affiliate(manager_id=other, ref=own)
    assert [row["id"] for row in client.get("/3.0/admin/partners")["partners"]] == [own]
    assert client.get(f"/3.0/admin/partner/{own}/referrals")["referrals"] == {}
    for method, path in (
        ("GET", f"/3.0/admin/partner/{foreign}"),
        ("POST", f"/3.0/admin/partner/{foreign}"),
        ("POST", f"/3.0/admin/partner/password/{foreign}"),
        ("GET", f"/3.0/admin/partner/{foreign}/referrals"),
    ):
        assert client.call(method, path).status_code == 404
    path = f"/3.0/admin/partner/{own}"
    assert list(refused(client, path, ref=foreign)) == ["ref"]
    assert list(refused(client, path, manager_id=other)) == ["manager_id"]
    assert client.post(path, manager_id="", notes="x")["partner"]["manager"]["id"] == manager


SYSTEM = {
    "lang_label": "Wire", "fields[0][lang_label]": "IBAN", "fields[0][required]": "1", "fields[1][lang_label]": "BIC",
}  # fmt: skip


def test_payment_systems_require_their_fields(api: Api) -> None:
    wire = api.admin.post("/3.1/admin/payment_systems", **SYSTEM)["payment_system"]
    assert [field["id"] for field in wire["fields"]] == [1, 2]
    coin = api.admin.post("/3.1/admin/payment_systems", lang_label="Coin", currency="USD")["payment_system"]
    pid, _ = api.add_affiliate()
    path, name = f"/3.0/admin/partner/{pid}", "payment_systems[0]"
    good = {f"{name}[system_id]": wire["id"], f"{name}[fields][1]": "EE12", f"{name}[currency]": "USD"}
    for change, field in (
        ({f"{name}[fields][1]": " "}, f"{name}[fields][1]"),
        ({f"{name}[fields][7]": "x"}, f"{name}[fields][7]"),
        ({f"{name}[currency]": "XXX"}, f"{name}[currency]"),
        ({f"{name}[system_id]": coin["id"], f"{name}[currency]": "EUR", f"{name}[fields]": ""}, f"{name}[currency]"),
    ):
        sent = {key: value for key, value in (good | change).items() if value != ""}
        if f"{name}[fields]" in change:
            del sent[f"{name}[fields][1]"]
        assert list(refused(api.admin, path, **sent)) == [field]
    api.admin.post(path, **good, **{"payment_systems[1][system_id]": coin["id"]})
    assert partner(api, pid)["payment_systems"] == [
        {"id": wire["id"], "active": 1, "system": "Wire", "currency": "USD", "fields": {"1": "EE12"}},
        {"id": coin["id"], "active": 1, "system": "Coin", "currency": "USD", "fields": {}},
    ]
    in_use = api.admin.call("POST", f"/3.1/admin/payment_systems/{wire['id']}/remove")
    assert in_use.status_code == 409
    assert api.admin.post(path, payment_systems="")["partner"]["payment_systems"] == []
    removed = api.admin.post(f"/3.1/admin/payment_systems/{wire['id']}/remove")
    assert removed["payment_system"] == wire
    assert api.admin.get("/3.0/admin/payment_systems")["payment_systems"] == [coin]


def test_payment_system_field_ids_are_not_reused(api: Api) -> None:
    system = api.admin.post("/3.1/admin/payment_systems", **SYSTEM)["payment_system"]
    path = f"/3.1/admin/payment_systems/{system['id']}"
    kept = {"fields[0][id]": 1, "fields[0][lang_label]": "Account"}
    assert api.admin.post(path, **kept)["payment_system"]["fields"] == [
        {"id": 1, "lang_label": "Account", "required": False}
    ]
    added = api.admin.post(path, **kept, **{"fields[1][lang_label]": "Bank"})["payment_system"]
    assert [field["id"] for field in added["fields"]] == [1, 3]
    assert list(refused(api.admin, path, **{"fields[0][id]": 2, "fields[0][lang_label]": "BIC"})) == ["fields[0][id]"]
    renamed = api.admin.post(path, lang_label="Bank transfer", currency="usd")["payment_system"]
    assert renamed == added | {"lang_label": "Bank transfer", "currency": "USD"}
    assert api.admin.post(path, currency="")["payment_system"]["currency"] is None
    assert list(refused(api.admin, path, currency="XXX")) == ["currency"]


def test_custom_fields_are_added_edited_and_removed(api: Api) -> None:
    size = api.admin.post("/3.1/admin/custom_fields", name="Size", required=1)["field"]
    chosen = {"name": "Vertical", "field_type": "select", "field_values[]": ["games", "loans"]}
    vertical = api.admin.post("/3.1/admin/custom_fields", **chosen)["field"]
    assert size == {"id": size["id"], "name": "Size", "required": True, "field_type": "text", "field_values": None}
    assert vertical["field_values"] == ["games", "loans"]
    assert api.admin.get("/3.0/admin/custom_fields")["fields"] == [size, vertical]
    assert api.admin.refusal("POST", "/3.1/admin/custom_fields", data={"name": "Size"}) == (409, ["name"])
    path = f"/3.1/admin/custom_fields/{vertical['id']}"
    assert api.admin.call("POST", path, data={"name": "Size"}).status_code == 409
    assert list(refused(api.admin, path, field_values="")) == ["field_values"]

    pid, _ = api.add_affiliate(**{f"custom_fields[{size['id']}]": "9"})
    edit = f"/3.0/admin/partner/{pid}"
    assert list(refused(api.admin, edit, **{"custom_fields[Vertical]": "cars"})) == ["custom_fields[Vertical]"]
    answer = api.admin.post(edit, **{"custom_fields[Vertical]": "loans"})["partner"]["customFields"]
    assert answer == [
        {"id": size["id"], "name": "Size", "value": "9", "label": "9"},
        {"id": vertical["id"], "name": "Vertical", "value": "loans", "label": "loans"},
    ]
    assert api.admin.post(edit, **{"custom_fields[Size]": ""})["partner"]["customFields"] == answer[1:]
    assert api.admin.post(f"{path}/remove")["field"] == vertical
    assert partner(api, pid)["customFields"] == []
    assert api.admin.call("POST", f"{path}/remove").status_code == 404


def test_affiliate_read_permission_implies_write_permission() -> None:
    """Lists and records show API keys to staff that may edit the affiliate.

    See docs/spec/callers.md#api-keys-in-answers.
    """
    for role, given in ROLE_PERMISSIONS.items():
        assert (Permission.AFFILIATES_READ in given) == (Permission.AFFILIATES_WRITE in given), role


def test_affiliate_edits_by_staff_are_in_audit_log(api: Api) -> None:
    pid, _ = api.add_affiliate()
    api.admin.post(f"/3.0/admin/partner/{pid}", notes="new", password="new-one")
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][slice-day][level]": "deny"})
    answer = api.admin.get("/3.1/admin/audit", what="affiliate", key=str(pid))["audit"]
    changes = {record["method"]: record["changes"] for record in answer}
    assert changes["admin.partner.edit"] == {
        "notes": {"from": "", "to": "new"}, "password_hash": {"from": "***", "to": "***"},
    }  # fmt: skip
    permissions = {"from": {}, "to": {"stats.slice-day": "deny"}}
    assert changes["user.permissions.edit"] == {"permissions": permissions}


def test_affiliate_server_addresses_are_stored_and_compiled(api: Api) -> None:
    pid, _ = api.add_affiliate(server_clicks=1, **{"server_ip[]": ["192.0.2.1", "198.51.100.0/28", "192.0.2.1"]})
    path = f"/3.0/admin/partner/{pid}"

    def compiled() -> tuple[str, ...]:
        with api.deps.database.read() as conn:
            row = rulesets.compile_row(conn, "affiliate", str(pid))
        assert isinstance(row, RulesetAffiliate)
        return row.server_networks

    shown = partner(api, pid)
    assert (shown["server_clicks"], shown["server_ip"]) == (True, ["192.0.2.1", "198.51.100.0/28"])
    assert compiled() == ("192.0.2.1", "198.51.100.0/28")
    api.admin.post(path, server_clicks=0)
    assert (partner(api, pid)["server_ip"], compiled()) == (["192.0.2.1", "198.51.100.0/28"], ())
    api.admin.post(path, server_clicks=1, server_ip="2001:db8::/48")
    assert compiled() == ("2001:db8::/48",)
    api.admin.post(path, **{"server_ip[]": ["203.0.113.5-203.0.113.9", "2001:db8::1-2001:db8::f"]})
    assert compiled() == ("203.0.113.5-203.0.113.9", "2001:db8::1-2001:db8::f")
    api.admin.post(path, **{"server_ip[]": ""})
    assert (partner(api, pid)["server_ip"], compiled()) == ([], ())


@pytest.mark.parametrize(
    "entry", ["nonsense", "192.0.2.256", "192.0.2.0/33", "192.0.2.9-192.0.2.1", "1.2.3.4-::1", "a.example"]
)
def test_affiliate_server_address_must_be_ip_network_or_range(api: Api, entry: str) -> None:
    pid, _ = api.add_affiliate()
    sentence = "[server_ip] This value must hold IP addresses, ranges a-b, or networks a/n."
    for path in ("/3.0/admin/partner", f"/3.0/admin/partner/{pid}"):
        answer = api.admin.call(
            "POST", path, data={"email": "b@b.example", "password": "long-enough", "server_ip[]": ["1.1.1.1", entry]}
        )
        assert answer.status_code == 400 and answer.json()["error"].startswith("[server_ip"), answer.text
        assert answer.json()["error"].endswith(sentence.partition("] ")[2])
    assert refused(api.admin, f"/3.0/admin/partner/{pid}", server_clicks="yes") == {
        "server_clicks": ["This value must be 0 or 1."]
    }


def test_affiliate_may_not_set_own_server_addresses(api: Api) -> None:
    pid, client = api.add_affiliate()
    assert client.call("POST", f"/3.0/admin/partner/{pid}", data={"server_clicks": 1}).status_code == 403
    assert "server_ip" not in client.call("GET", "/3.0/partner/me").text


@pytest.mark.parametrize("password", ["", "five5"])
def test_affiliate_password_needs_at_least_six_characters(api: Api, password: str) -> None:
    pid, _ = api.add_affiliate()
    sent = {"email": "new@a.example", "password": password}
    assert list(refused(api.admin, "/3.0/admin/partner", **sent)) == ["password"]
    assert list(refused(api.admin, f"/3.0/admin/partner/{pid}", password=password)) == ["password"]
    api.add_affiliate(password="sixsix")


def test_referrer_ring_of_affiliates_is_rejected(api: Api) -> None:
    first, _ = api.add_affiliate()
    second, _ = api.add_affiliate(ref=first)
    third, _ = api.add_affiliate(ref=second)
    for ref in (first, second, third):
        assert list(refused(api.admin, f"/3.0/admin/partner/{first}", ref=ref)) == ["ref"]
    assert api.admin.post(f"/3.0/admin/partner/{third}", ref=first)["partner"]["ref"] == str(first)
    assert api.admin.post(f"/3.0/admin/partner/{second}", ref=third)["partner"]["ref"] == str(third)


def test_referrer_check_ends_at_an_existing_ring(api: Api) -> None:
    first, _ = api.add_affiliate()
    second, _ = api.add_affiliate(ref=first)
    third, _ = api.add_affiliate()
    with api.deps.database.write() as conn:
        store.edit_affiliate(conn, first, {"ref": second})
    assert api.admin.post(f"/3.0/admin/partner/{third}", ref=first)["partner"]["ref"] == str(first)


def test_referrer_in_existing_ring_may_be_resent(api: Api) -> None:
    first, _ = api.add_affiliate()
    second, _ = api.add_affiliate(ref=first)
    with api.deps.database.write() as conn:
        store.edit_affiliate(conn, first, {"ref": second})
    assert api.admin.post(f"/3.0/admin/partner/{first}", ref=second, notes="x")["partner"]["ref"] == str(second)
    api.admin.post(f"/3.0/admin/partner/{first}", ref=0)
    assert list(refused(api.admin, f"/3.0/admin/partner/{first}", ref=second)) == ["ref"]


def test_affiliate_without_referrer_shows_zero(api: Api) -> None:
    referrer, _ = api.add_affiliate()
    pid, client = api.add_affiliate(ref=0)
    assert partner(api, pid)["ref"] == client.get("/3.1/partner/me")["user"]["ref"] == "0"
    api.admin.post(f"/3.0/admin/partner/{pid}", ref=referrer)
    assert partner(api, pid)["ref"] == client.get("/3.1/partner/me")["user"]["ref"] == str(referrer)
    assert api.admin.post(f"/3.0/admin/partner/{pid}", ref=0)["partner"]["ref"] == "0"


@pytest.mark.parametrize("name", ["contactPerson", "contact_person"])
def test_contact_person_is_stored_and_shown(api: Api, name: str) -> None:
    pid, client = api.add_affiliate(**{name: "Ann"})
    assert partner(api, pid)["contactPerson"] == "Ann"
    assert api.admin.post(f"/3.0/admin/partner/{pid}", **{name: "Bea"})["partner"]["contactPerson"] == "Bea"
    assert client.get("/3.1/partner/me")["user"]["contact_person"] == "Bea"
    assert api.admin.post(f"/3.0/admin/partner/{pid}", **{name: ""})["partner"]["contactPerson"] is None


def test_sub_accounts_of_an_affiliate_are_stored_and_shown(api: Api) -> None:
    pid, client = api.add_affiliate(sub_account_1="a,b", sub_account_2="c", sub_account_2_except=1)
    path, none = f"/3.0/admin/partner/{pid}", {"value": "", "except": 0}
    both = {"1": {"value": "a,b", "except": 0}, "2": {"value": "c", "except": 1}}
    assert partner(api, pid)["sub_accounts"] == client.get("/3.1/partner/me")["user"]["sub_accounts"] == both
    changed = api.admin.post(path, sub_account_1_except=1)["partner"]["sub_accounts"]
    assert changed == both | {"1": {"value": "a,b", "except": 1}}
    assert api.admin.post(path, notes="x")["partner"]["sub_accounts"] == changed
    assert api.admin.post(path, sub_account_2="")["partner"]["sub_accounts"] == changed | {"2": none}
    assert list(refused(api.admin, path, sub_account_1="A")) == ["sub_account_1"]


def test_affiliates_are_filtered_by_id_status_text_and_change(api: Api) -> None:
    ann, _ = api.add_affiliate(email="ann@a.example", name="Anna Ärlig")
    bob, _ = api.add_affiliate(email="bob@b.example", login="robert", status="banned", company="Blue Ads")
    cid, _ = api.add_affiliate(email="cid@c.example", status="on moderation", contactPerson="Zoe")
    api.clock.advance(3 * 86_400_000)
    api.admin.post(f"/3.0/admin/partner/{bob}", notes="changed")

    def found(**params: Any) -> list[int]:
        answer = api.admin.get("/3.0/admin/partners", **params)
        assert answer["pagination"]["total_count"] == len(answer["partners"])
        return [row["id"] for row in answer["partners"]]

    assert found(id=bob) == found(**{"id[]": bob}) == [bob]
    assert found(**{"id[]": [ann, cid, 99]}) == [ann, cid]
    assert found(status="banned") == [bob]
    assert found(**{"status[]": ["active", "on moderation"]}) == [ann, cid]
    assert found(search="ÄRL") == found(search="ANN@") == [ann]
    assert found(search="ROBERT") == found(search="blue") == [bob]
    assert found(search="zoe") == found(search=str(cid)) == [cid]
    assert found(search="%") == [] and found(search=" ") == [ann, bob, cid]
    assert found(updated_at="2023-11-17") == [bob] and found(updated_at="2023-11-14") == [ann, bob, cid]
    assert found(search="b.example", status="active") == []
    assert found(search="a.example", limit=1, page=1) == [ann]
    assert list(api.admin.call("GET", "/3.0/admin/partners", params={"status": "gone"}).json()["fields"]) == ["status"]


def test_affiliates_are_filtered_and_ordered_by_manager_country_tags_and_name(api: Api) -> None:
    mia, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    zed, _ = api.add_affiliate(
        email="a@a.example", name="Zed", country="DE", manager_id=mia, **{"tags[]": ["top", "x"]}
    )
    amy, _ = api.add_affiliate(email="b@a.example", name="Amy", country="PL", **{"tags[]": "new"})
    bob, _ = api.add_affiliate(email="c@a.example", login="bob", manager_id=mia)

    def found(**params: Any) -> list[int]:
        return [row["id"] for row in api.admin.get("/3.1/admin/partners", **params)["partners"]]

    assert found(manager_id=mia) == [zed, bob]
    assert found(**{"country[]": ["DE", "pl"]}) == [zed, amy]
    assert found(**{"tags[]": ["new", "top"]}) == [zed, amy] and found(tags="to") == []
    assert found(manager_id=mia, tags="top", search="zed") == [zed]
    assert found(order="name") == [amy, zed, bob] and found(order="email", orderType="desc") == [bob, amy, zed]
    assert found(orderType="desc") == [bob, amy, zed]


def test_affiliate_manager_search_covers_own_affiliates_only(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(email="one@same.example", manager_id=manager)
    foreign, _ = api.add_affiliate(email="two@same.example")
    for params in ({"search": "same"}, {"id[]": [own, foreign]}, {"status": "active"}):
        assert [row["id"] for row in client.get("/3.0/admin/partners", **params)["partners"]] == [own]


def test_affiliate_country_that_does_not_exist_is_rejected(api: Api) -> None:
    pid, _ = api.add_affiliate(country="de")
    unknown = "A country {} does not exist: codes follow ISO 3166-1, such as DE."
    for country in ("ZZ", "UK", "DEU", "Germany"):
        sentence = [unknown.format(country.upper())]
        sent = {"email": "new@a.example", "password": "long enough for all", "country": country}
        assert refused(api.admin, "/3.0/admin/partner", **sent) == {"country": sentence}
        assert refused(api.admin.with_key(None), "/3.1/partner", **sent) == {"country": sentence}
        assert refused(api.admin, f"/3.0/admin/partner/{pid}", country=country) == {"country": sentence}
    assert partner(api, pid)["country"] == "DE"


def test_affiliate_stored_unknown_country_may_be_resent(api: Api) -> None:
    pid, _ = api.add_affiliate()
    with api.deps.database.write() as conn:
        store.edit_affiliate(conn, pid, {"country": "UK"})
    path = f"/3.0/admin/partner/{pid}"
    assert partner(api, pid)["country"] == api.admin.post(path, notes="x")["partner"]["country"] == "UK"
    again = api.admin.post(path, country="UK")
    assert again["partner"]["country"] == "UK"
    assert again["warnings"] == ["UK is not a country code of ISO 3166-1; the stored value was kept."]
    assert list(refused(api.admin, path, country="ZZ")) == ["country"]
    assert api.admin.post(path, country="gb")["partner"]["country"] == "GB"


def test_balance_in_platform_currency_exists_before_first_conversion(api: Api) -> None:
    pid, client = api.add_affiliate()
    zero = {"balance": {"USD": 0}, "hold": {"USD": 0}, "available": {"USD": 0}}
    assert client.get("/3.0/balance")["balance"] == api.admin.get("/3.0/balance", pid=pid)["balance"] == zero
    assert partner(api, pid)["balance"] == {"USD": {"balance": 0, "hold": 0, "available": 0}}
    user = client.get("/3.1/partner/me")["user"]
    assert (user["balance_usd"], user["hold_usd"], user["available_usd"]) == ("0", "0", "0")
    earn(api, pid, "12.5")
    assert client.get("/3.0/balance")["balance"]["available"] == {"USD": 12.5}


def test_affiliate_request_with_staff_parameter_ignores_and_names_it(api: Api) -> None:
    _, client = api.add_affiliate()
    other, _ = api.add_affiliate()
    earn(api, other, "5")
    answer = client.call("GET", "/3.0/balance", params={"pid": other})
    assert answer.json()["balance"]["balance"] == {"USD": 0}
    assert answer.headers["x-ignored-parameters"] == "pid"
    assert answer.json()["warnings"] == ["pid is a parameter for staff only. It was ignored."]
