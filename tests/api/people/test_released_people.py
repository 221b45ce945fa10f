"""Keys, passwords and factors of the last release work after an upgrade.

docs/spec/people.md#people-of-a-company.

`people_1d3ce804.json` is a data directory that release 1d3ce804 filled (tests/support/stores/released_people.py).
"""

import json
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.support.api import NOW, UNBOUNDED, Api, opened
from tests.support.client import ApiClient
from tests.support.pages import Visitor, console_app
from tests.support.stores.released_people import digest_of_migrations, write_rows
from tests.support.stores.sql_dumps import FOLDER
from trackyard.analytics.engine.connection import Analytics
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.secrets import SecretCipher
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import upgrade

FILLED: dict[str, Any] = json.loads((FOLDER / "people_1d3ce804.json").read_text())
HOMES = {"staff": "/console/", "affiliate": "/portal/", "advertiser": "/advertiser/"}


@dataclass(frozen=True)
class Upgraded:
    """The upgraded installation, and how many of each thing were tried."""

    api: Api
    tried: Counter[str]

    def client(self, key: str | None) -> ApiClient:
        """Return a client of a key or a session."""
        return self.api.admin.with_key(key)

    def sign_in(self, person: dict[str, Any], otp: str | None = None) -> Any:
        """Send the password, and a code."""
        path, login = ("/3.1/auth", "login")
        if person["kind"] == "advertiser":
            path, login = ("/3.1/advertiser/login", "email")
        sent = {login: person["login"], "password": person["password"]} | ({} if otp is None else {"otp": otp})
        return self.client(None).call("POST", path, data=sent)

    def count(self, kind: str, thing: str) -> None:
        """Count a thing that works."""
        self.tried[f"{thing} of {kind}"] += 1


@pytest.fixture
def upgraded(empty_database: Database, analytics: Analytics) -> Iterator[Upgraded]:
    """The data directory of the release, after the migrations of today."""
    upgrade(empty_database, FILLED["schema"])
    with empty_database.write() as conn:
        write_rows(conn, FILLED["rows"])
    upgrade(empty_database)
    api = opened(empty_database, analytics)
    api.clock.advance(FILLED["now"] - NOW + 1000)
    deps = replace(api.deps, cipher=SecretCipher(FILLED["key"]))
    app = build(deps, limits=UNBOUNDED)
    yield Upgraded(Api(deps, api.clock, app, ApiClient(app, CATALOGUE, api.admin.key)), Counter())


def test_migrations_up_to_the_release_are_its_own() -> None:
    """So the rows of the release are in tables as the release made them."""
    assert digest_of_migrations(FILLED["schema"]) == FILLED["migrations"]


def test_every_key_password_session_and_factor_works_after_an_upgrade(upgraded: Upgraded) -> None:
    people = FILLED["people"]
    for person in people:
        _try_keys(upgraded, person)
        _try_sessions(upgraded, person)
        _try_password(upgraded, person)
    for person in people:
        _try_link(upgraded, person)
    assert upgraded.tried == {
        "key of staff": 2, "key of affiliate": 3, "key of advertiser": 2,
        "further key of staff": 2, "further key of affiliate": 1,
        "saved report of staff": 2, "saved report of affiliate": 1,
        "session of staff": 2, "session of affiliate": 2, "session of advertiser": 2,
        "cookie of affiliate": 1, "cookie of advertiser": 2,
        "password of staff": 2, "password of affiliate": 2, "password of advertiser": 2,
        "code of staff": 2, "code of affiliate": 1, "recovery code of staff": 2, "recovery code of affiliate": 1,
        "link of staff": 1, "link of affiliate": 1,
    }  # fmt: skip


def _try_keys(upgraded: Upgraded, person: dict[str, Any]) -> None:
    api, kind = upgraded.api, person["kind"]
    if "key" not in person:
        return
    caller = api.caller_of(upgraded.client(person["key"]))
    assert (caller.account, caller.member) == (Account(AccountKind(kind), person["id"]), None)
    assert upgraded.client(person["key"]).get("/3.1/auth/sessions")["sessions"] is not None
    upgraded.count(kind, "key")
    if kind == "affiliate":
        assert api.admin.get(f"/3.0/admin/partner/{person['id']}")["partner"]["api_key"] == person["key"]
    if "further_key" in person:
        program = upgraded.client(person["further_key"])
        assert api.caller_of(program).account.name == f"{kind}:{person['id']}"
        [key] = [each for each in upgraded.client(person["key"]).get("/3.1/auth/keys")["keys"] if each["name"]]
        assert key["name"] == "program"
        upgraded.count(kind, "further key")
        reports = program.get("/3.1/stats/saved-reports")["reports"]
        assert [each["id"] for each in reports] == [person["report"]]
        upgraded.count(kind, "saved report")


def _try_sessions(upgraded: Upgraded, person: dict[str, Any]) -> None:
    kind = person["kind"]
    if "session" in person:
        sessions = upgraded.client(person["session"]).get("/3.1/auth/sessions")["sessions"]
        assert [each for each in sessions if each["current"]]
        upgraded.count(kind, "session")
    if "cookie" in person:
        visitor = Visitor(console_app(upgraded.api))
        visitor.client.cookies["trackyard"] = person["cookie"]
        assert visitor.get(HOMES[kind]).status_code == 200
        upgraded.count(kind, "cookie")


def _try_password(upgraded: Upgraded, person: dict[str, Any]) -> None:
    kind = person["kind"]
    if "password" not in person:
        return
    if "otp_secret" not in person:
        assert upgraded.sign_in(person).status_code == 200
    else:
        assert "second_factor_required" in upgraded.sign_in(person).text
        code = code_at(person["otp_secret"], upgraded.api.clock.now_ms() // 1000 // STEP_S)
        assert upgraded.sign_in(person, code).status_code == 200
        upgraded.count(kind, "code")
        assert upgraded.sign_in(person, person["used_recovery_code"]).status_code == 401
        assert upgraded.sign_in(person, person["recovery_codes"][0]).status_code == 200
        upgraded.count(kind, "recovery code")
    wrong = upgraded.sign_in(person | {"password": "another password"})
    assert wrong.status_code == 401
    upgraded.count(kind, "password")


def _try_link(upgraded: Upgraded, person: dict[str, Any]) -> None:
    if "link" not in person:
        return
    visitor, chosen = Visitor(console_app(upgraded.api)), "chosen after the upgrade"
    assert visitor.get(f"/sign-in/link?token={person['link']}").status_code == 200
    answer = visitor.post("/sign-in/link", token=person["link"], password=chosen, again=chosen)
    assert answer.status_code in (200, 303) and visitor.client.cookies["trackyard"], answer.text
    upgraded.count(person["kind"], "link")


def test_owner_of_each_company_is_the_account_with_its_id_after_an_upgrade(upgraded: Upgraded) -> None:
    owners = [each for each in FILLED["people"] if each["kind"] != "staff"]
    for person in owners:
        company = f"{person['kind']}:{person['id']}"
        [owner] = upgraded.api.admin.get("/3.1/people", company=company)["people"]
        assert (owner["role"], owner["email"], owner["id"]) == ("owner", person["login"], "")
        [own] = upgraded.client(person["key"]).get("/3.1/auth/companies")["companies"]
        assert (own["company"], own["role"], own["current"]) == (company, "owner", True)
    assert len(owners) == 5
