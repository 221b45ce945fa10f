"""New passwords: which people may choose, which staff may set, and changing one's own."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.api import Api
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.api.app import build
from trackyard.domain.people.passwords import PasswordPolicy

OLD, NEW = "the old password", "a new password of mine"
EMAIL = "ann@affiliate.example"
BAD = ["eleven char", "Password1234", "qwertyqwerty"]


def sign_up(api: Api, password: str) -> Any:
    return api.admin.with_key(None).call("POST", "/3.1/partner", data={"email": EMAIL, "password": password})


@pytest.mark.parametrize("password", BAD)
def test_sign_up_password_must_be_long_and_uncommon(api: Api, password: str) -> None:
    refused = sign_up(api, password)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["password"])
    assert sign_up(api, "twelve chars").status_code == 200


def test_password_set_by_staff_over_the_api_may_be_short(api: Api) -> None:
    assert api.add_affiliate(email=EMAIL, password="123456")[0]
    named = {"email": "mia@staff.example", "password": "12345", "first_name": "M", "last_name": "M"}
    assert api.admin.post("/3.0/admin/user", **named)["status"] == 1


def test_password_set_by_staff_meets_the_rule_when_it_holds_everywhere(api: Api) -> None:
    admin = api.admin.of(build(replace(api.deps, passwords=PasswordPolicy(14, everywhere=True))))
    pid, _ = api.add_affiliate(email=EMAIL)
    named = {"first_name": "M", "last_name": "M"}
    user = api.admin.post("/3.0/admin/user", email="mia@staff.example", password="12345", **named)["user"]["id"]
    writes: dict[str, dict[str, str]] = {
        "/3.0/admin/partner": {"email": "bob@affiliate.example"},
        f"/3.0/admin/partner/{pid}": {},
        "/3.0/admin/user": {"email": "nick@staff.example"} | named,
        f"/3.0/admin/user/{user}": {},
        f"/3.0/admin/user/{user}/password": {},
    }
    for path, params in writes.items():
        for password in ("twelve chars!", "!!!password123456"):
            assert admin.refusal("POST", path, data=params | {"password": password}) == (400, ["password"])
        assert admin.call("POST", path, data=params | {"password": "fourteen chars"}).status_code == 200
    assert len(admin.post(f"/3.0/admin/partner/password/{pid}")["password"]) == 16
    stranger = admin.with_key(None)
    sent = {"email": "new@affiliate.example", "password": "twelve chars"}
    assert stranger.refusal("POST", "/3.1/partner", data=sent) == (400, ["password"])


def test_password_of_ones_own_changes_and_ends_other_sessions(api: Api) -> None:
    api.add_affiliate(email=EMAIL, password=OLD)
    keys = [api.admin.post("/3.1/auth", login=EMAIL, password=OLD)["api_key"] for _ in range(3)]
    one, *others = [api.admin.with_key(key) for key in keys]
    assert one.post("/3.1/auth/password", password=OLD, new_password=NEW)["ended"] == 2
    assert [client.call("GET", "/3.0/balance").status_code for client in (one, *others)] == [200, 401, 401]
    assert api.admin.refusal("POST", "/3.1/auth", data={"login": EMAIL, "password": OLD})[0] == 401
    assert api.admin.post("/3.1/auth", login=EMAIL, password=NEW)["status"] == 1


def test_password_of_staff_changes_by_its_owner(api: Api) -> None:
    named = {"email": "mia@staff.example", "password": OLD, "first_name": "M", "last_name": "M"}
    key = api.admin.post("/3.0/admin/user", **named)["user"]["api_key"]
    api.admin.with_key(key).post("/3.1/auth/password", password=OLD, new_password=NEW)
    assert api.admin.post("/3.1/auth", login="mia@staff.example", password=NEW)["type"] == "staff"


def test_password_change_needs_the_old_one_and_a_good_new_one(api: Api) -> None:
    _, client = api.add_affiliate(email=EMAIL, password=OLD)
    path = "/3.1/auth/password"
    for bad in BAD:
        sent = {"password": OLD, "new_password": bad}
        assert client.refusal("POST", path, data=sent) == (400, ["new_password"])
    wrong = {"password": "guess", "new_password": NEW}
    answers = [client.refusal("POST", path, data=wrong)[0] for _ in range(TRIES_PER_ACCOUNT + 1)]
    assert answers == [400] * TRIES_PER_ACCOUNT + [429]
