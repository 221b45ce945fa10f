"""The owner of an account gets a mail when the way into it changes, .

docs/spec/callers.md#notices-to-the-owner
"""

import ast
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.arch.sources import tree_of
from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.command import run_command
from tests.support.pages import PASSWORD, Visitor, console_app
from tests.support.processes.mails import mails
from trackyard.actions.people.staff import set_password
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role

ACTIONS = Path(__file__).parents[3] / "trackyard" / "actions"
NEW = "another long password"
CHANGED, GIVEN = "Your password was changed", "Your new password"
ADDED, REMOVED = "Your account has a second factor", "The second factor of your account was removed"
KEY = "Your account has a new API key"


@dataclass
class Owner:
    """An account, a client of its lasting key, and its pages."""

    api: Api
    kind: str
    id: str
    email: str
    key: ApiClient

    @property
    def home(self) -> str:
        return {"staff": "/console", "affiliate": "/portal", "advertiser": "/advertiser"}[self.kind]

    def visitor(self) -> Visitor:
        visitor = Visitor(console_app(self.api))
        assert visitor.sign_in(self.email, PASSWORD).status_code == 303
        return visitor

    def page(self, path: str, **fields: str) -> None:
        """Send a form of the owner's own pages."""
        answer = self.visitor().post(f"{self.home}/profile/{path}", **fields)
        assert answer.status_code in (200, 303), answer.text

    def use_link(self) -> None:
        """Ask for a link, and choose a password with it."""
        visitor = Visitor(console_app(self.api))
        visitor.client.post("/sign-in/forgotten", data={"login": self.email})
        [link] = [each.body for each in mails(self.api) if "token=" in each.body and each.recipient == self.email]
        token = link.partition("token=")[2].split()[0]
        sent = {"token": token, "password": NEW, "again": NEW}
        assert visitor.client.post("/sign-in/link", data=sent).status_code == 303

    def add_factor(self) -> None:
        secret = self.key.post("/3.1/auth/second_factor", password=PASSWORD)["secret"]
        self.key.post("/3.1/auth/second_factor/confirm", otp=self.code(secret))

    def code(self, secret: str) -> str:
        return code_at(secret, self.api.clock.now_ms() // 1000 // STEP_S)

    def remove_factor(self, act: Callable[[], Any]) -> None:
        self.add_factor()
        act()


def given_password(api: Api, *before: str) -> str:
    """The password that was mailed last. before: those that were mailed earlier."""
    found = {each for mail in mails(api) for each in re.findall(r"password:\n\n(\S+)", mail.body)}
    [new] = found - set(before)
    return new


def owner_of(api: Api, kind: str) -> Owner:
    match kind:
        case "staff":
            number, key = api.add_staff(Role.MANAGER_AFFILIATE)
            set_password(api.deps, number, PASSWORD)
            email = api.admin.get(f"/3.1/admin/user/{number}")["user"]["email"]
        case "affiliate":
            email = "owner@affiliate.example"
            pid, key = api.add_affiliate(email=email, password=PASSWORD, status="active")
            number = str(pid)
        case _:
            email = "owner@shop.example"
            number = api.add_advertiser(email=email, status="active")
            key = api.advertiser_client(number)
            api.admin.post(f"/3.1/admin/advertiser/{number}/sendpass")
            [given] = re.findall(r"password:\n\n(\S+)", mails(api)[-1].body)
            first = Visitor(console_app(api))
            first.sign_in(email, given)
            assert (
                first.post("/sign-in/choose", password=given, new_password=PASSWORD, again=PASSWORD).status_code == 303
            )
    return Owner(api, kind, number, email, key)


def admin(path: str, **sent: str) -> Callable[[Owner], Any]:
    return lambda owner: owner.api.admin.post(f"/3.1/{path.format(id=owner.id)}", **sent)


def own(path: str, **sent: str) -> Callable[[Owner], Any]:
    return lambda owner: owner.key.post(f"/3.1/{path}", **sent)


def page(path: str, **sent: str) -> Callable[[Owner], Any]:
    return lambda owner: owner.page(path, **sent)


def command(*words: str) -> Callable[[Owner], Any]:
    def run(owner: Owner) -> None:
        done = run_command(*(word.format(id=owner.id) for word in words), api=owner.api)
        assert done.exit_code == 0, done.stderr
        json.loads(done.stdout)

    return run


def without_factor(act: Callable[[Owner], Any]) -> Callable[[Owner], Any]:
    return lambda owner: owner.remove_factor(lambda: act(owner))


def rotate(owner: Owner) -> None:
    first = owner.key.get("/3.1/auth/keys")["keys"][0]["id"]
    owner.key.post(f"/3.1/auth/keys/{first}/rotate")


KINDS = ("staff", "affiliate", "advertiser")
REPORT = {"name": "report", "scopes[]": "read"}
CHANGE = {"password": PASSWORD, "new_password": NEW}
DOORS: list[tuple[str, str, str, Callable[[Owner], Any]]] = [
    *(("own password, API", kind, CHANGED, own("auth/password", **CHANGE)) for kind in KINDS),
    *(
        ("own password, page", kind, CHANGED, page("password", **CHANGE, again=NEW))
        for kind in KINDS
    ),
    *(("link", kind, CHANGED, Owner.use_link) for kind in KINDS),
    ("password of a user", "staff", CHANGED, admin("admin/user/{id}/password", password=NEW)),
    ("new password of a user", "staff", GIVEN, admin("admin/user/{id}/password")),
    ("edit of a user", "staff", CHANGED, admin("admin/user/{id}", password=NEW)),
    ("command", "staff", GIVEN, command("user", "passwd", "{id}", "--generate", "--json")),
    ("password of an affiliate", "affiliate", GIVEN, admin("admin/partner/password/{id}")),
    ("edit of an affiliate", "affiliate", CHANGED, admin("admin/partner/{id}", password=NEW)),
    ("sendpass", "advertiser", GIVEN, admin("admin/advertiser/{id}/sendpass")),
    *(("factor added", kind, ADDED, Owner.add_factor) for kind in ("staff", "affiliate")),
    *(
        ("factor disabled", kind, REMOVED, without_factor(own("auth/second_factor/disable", password=PASSWORD)))
        for kind in ("staff", "affiliate")
    ),
    ("factor reset", "staff", REMOVED, without_factor(admin("admin/user/{id}/second_factor/reset"))),
    ("factor reset", "advertiser", REMOVED, without_factor(admin("admin/advertiser/{id}/second_factor/reset"))),
    ("factor reset", "affiliate", REMOVED, without_factor(admin("admin/partner/{id}/second_factor/reset"))),
    *(
        ("another key", kind, KEY, own("auth/keys", **REPORT))
        for kind in ("staff", "affiliate")
    ),
    ("key by an administrator", "staff", KEY, admin("admin/keys?user_id={id}", **REPORT)),
    *(("rotated key", kind, KEY, rotate) for kind in ("staff", "affiliate")),
    ("renewed key", "staff", KEY, admin("admin/user/api_key/{id}")),
    ("renewed key, API", "affiliate", KEY, own("partner/api_key")),
    ("renewed key, page", "affiliate", KEY, page("key/renew")),
    ("renewed key, API", "advertiser", KEY, own("advertiser/api_key")),
    ("renewed key, page", "advertiser", KEY, page("key/renew")),
]  # fmt: skip


@pytest.mark.parametrize(("door", "kind", "subject", "act"), DOORS, ids=[f"{kind}: {door}" for door, kind, *_ in DOORS])
def test_owner_gets_one_mail_when_the_way_into_the_account_changes(
    api: Api, door: str, kind: str, subject: str, act: Callable[[Owner], Any]
) -> None:
    owner = owner_of(api, kind)
    before = [each.id for each in mails(api)]
    act(owner)
    told = [each for each in mails(api) if each.id not in before and each.recipient == owner.email]
    kinds = sorted(each.subject for each in told if each.subject in (CHANGED, GIVEN, ADDED, REMOVED, KEY))
    assert kinds == sorted([*([ADDED] if subject == REMOVED else []), subject]), door


def test_table_of_doors_has_them_all() -> None:
    assert len(DOORS) == 33


def test_each_act_on_passwords_factors_and_keys_notifies_the_owner() -> None:
    """Every function of the use cases that stores one of them, except what makes or removes an account."""
    acts = {"add_key", "add_limited_key", "confirm_factor", "remove_factor"}
    found: dict[str, bool] = {}
    hashes = set[str]()
    for path in sorted(ACTIONS.rglob("*.py")):
        for function in (node for node in ast.walk(tree_of(path)) if isinstance(node, ast.FunctionDef)):
            calls = [each.func for each in ast.walk(function) if isinstance(each, ast.Call)]
            named = {
                each.attr
                for each in calls
                if isinstance(each, ast.Attribute)
                and isinstance(each.value, ast.Name)
                and each.value.id in ("keys", "second_factors")
            }
            if named & acts:
                found[f"{path.stem}.{function.name}"] = any(
                    isinstance(each, ast.Name) and each.id == "notify_owner" for each in calls
                )
            if any(isinstance(each, ast.Constant) and each.value == "password_hash" for each in ast.walk(function)):
                hashes.add(f"{path.stem}.{function.name}")
    assert {name for name, tells in found.items() if not tells} == {
        "affiliates.store_affiliate", "installation.first_start", "staff.make_staff", "staff.remove_staff",
    }  # fmt: skip
    assert len(found) >= 12
    assert hashes == {"passwords._store"}
