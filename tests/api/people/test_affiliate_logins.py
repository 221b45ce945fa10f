"""Logins of affiliates: each belongs to one, and is no other's e-mail address."""

from typing import Any

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.store.people import affiliates
from trackyard.store.platform import personal_data


def login_of(api: Api, pid: int) -> str:
    shown: str = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["login"]
    return shown


def taken(client: ApiClient, path: str, **params: Any) -> list[str]:
    answer = client.call("POST", path, data=params)
    assert answer.status_code == 409, answer.text
    return list(answer.json()["fields"])


def test_login_belongs_to_one_affiliate(api: Api) -> None:
    api.add_affiliate(email="ann@a.example", login="Ann")
    bob, _ = api.add_affiliate(email="bob@a.example")
    api.add_staff()
    api.admin.post("/3.0/admin/user", email="sue@staff.example", password="mustard", first_name="Sue", last_name="S")
    new = {"password": "long enough for all"}
    for login in ("ann", "ANN", "Bob@a.example", "sue@staff.example"):
        assert taken(api.admin, "/3.0/admin/partner", email="new@a.example", login=login, **new) == ["login"]
    for login in ("ann", "ann@a.example", "sue@staff.example"):
        assert taken(api.admin, f"/3.0/admin/partner/{bob}", login=login) == ["login"]
    assert login_of(api, bob) == "bob@a.example"
    eve, _ = api.add_affiliate(email="eve@a.example")
    with api.deps.database.write() as conn:  # as earlier versions allowed
        affiliates.edit_affiliate(conn, eve, {"login": "zoe@a.example"})
        affiliates.claim_names(conn, eve, "eve@a.example", "zoe@a.example")
    assert taken(api.admin, "/3.0/admin/partner", email="zoe@a.example", **new) == ["email"]
    assert api.admin.get("/3.0/admin/partners")["pagination"]["total_count"] == 3
    assert api.admin.post(f"/3.0/admin/partner/{eve}", login="zoe@a.example", notes="x")["status"] == 1


def test_login_like_an_address_is_the_accounts_own(api: Api) -> None:
    new = {"email": "eve@a.example", "password": "long enough for all"}
    for login in ("admin@elsewhere.example", "@", "eve@a.example.org"):
        for client, path in ((api.admin, "/3.0/admin/partner"), (api.admin.with_key(None), "/3.1/partner")):
            assert client.refusal("POST", path, data=new | {"login": login}) == (400, ["login"])
    pid, _ = api.add_affiliate(email="eve@a.example", login="EVE@a.example")
    assert api.admin.refusal("POST", f"/3.0/admin/partner/{pid}", data={"login": "a@b.example"}) == (400, ["login"])


def test_login_is_stored_without_surrounding_blanks(api: Api) -> None:
    pid, _ = api.add_affiliate(login=" Ann\t", password="long-enough")
    assert login_of(api, pid) == "Ann"
    stranger = api.admin.with_key(None)
    assert stranger.post("/3.1/auth", login=" Ann ", password="long-enough")["id"] == str(pid)
    new = {"email": "new@a.example", "password": "long enough for all", "login": "ann "}
    assert taken(api.admin, "/3.0/admin/partner", **new) == ["login"]
    bob, _ = api.add_affiliate()
    assert taken(api.admin, f"/3.0/admin/partner/{bob}", login="  ANN") == ["login"]


def test_login_no_longer_used_is_free_again(api: Api) -> None:
    ann, _ = api.add_affiliate(email="ann@a.example", login="ann")
    path = f"/3.0/admin/partner/{ann}"
    assert api.admin.post(path, login="Ann", notes="x")["partner"]["login"] == "Ann"
    api.admin.post(path, login="")
    bob, _ = api.add_affiliate(login="ANN")
    assert taken(api.admin, path, login="ann") == ["login"]
    api.admin.post(f"/3.0/admin/partner/{bob}", login="robert")
    assert api.admin.post(path, login="ann")["partner"]["login"] == "ann"


def test_login_of_an_erased_affiliate_is_free(api: Api) -> None:
    ann, _ = api.add_affiliate(email="ann@a.example", login="ann")
    with api.deps.database.write() as conn:
        personal_data.redact_account(conn, ann, "hash", api.clock.now_ms())
    assert login_of(api, ann) == f"erased-{ann}@erased.invalid"
    api.add_affiliate(email="ann@a.example", login="ann")
