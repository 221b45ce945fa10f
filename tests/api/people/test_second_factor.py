"""Second factors: set up, needed by sign-in, each code once, required of administrators."""

from dataclasses import dataclass, replace
from typing import Any

import pytest
from cryptography.fernet import Fernet

from tests.support.api import CIPHER, Api
from tests.support.client import ApiClient
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.actions.platform.installation import reencrypt_secrets
from trackyard.api.app import build
from trackyard.base.secrets import SecretCipher
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.one_time_codes import RECOVERY_CODES, STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.domain.people.sessions import SecondFactorRule, SessionPolicy
from trackyard.store.engine.database import Database
from trackyard.store.people import second_factors

PASSWORD = "a long enough password"


@dataclass(frozen=True)
class Person:
    """A person with a second factor. key: a client of the lasting key."""

    api: Api
    email: str
    id: str
    key: ApiClient
    secret: str
    recovery_codes: list[str]

    def code(self, steps: int = 0) -> str:
        """The present code of the app, or the one of some steps later."""
        return code_at(self.secret, self.api.clock.now_ms() // 1000 // STEP_S + steps)

    def attempt(self, otp: str | None = None, password: str = PASSWORD) -> Any:
        sent = {"login": self.email, "password": password} | ({} if otp is None else {"otp": otp})
        return self.api.admin.with_key(None).call("POST", "/3.1/auth", data=sent)

    def later(self) -> None:
        """Wait until codes that were used do not matter."""
        self.api.clock.advance(5 * STEP_S * 1000)


def enabled(api: Api, email: str, number: str, client: ApiClient) -> Person:
    secret = client.post("/3.1/auth/second_factor", password=PASSWORD)["secret"]
    code = code_at(secret, api.clock.now_ms() // 1000 // STEP_S)
    codes = client.post("/3.1/auth/second_factor/confirm", otp=code)["recovery_codes"]
    person = Person(api, email, number, client, secret, codes)
    person.later()
    return person


def add_staff(api: Api, role: Role = Role.ADMIN, email: str = "mia@staff.example") -> tuple[str, ApiClient]:
    new = {"email": email, "password": PASSWORD, "first_name": "M", "last_name": "M", "roles[]": role}
    user = api.admin.post("/3.0/admin/user", **new)["user"]
    return user["id"], api.admin.with_key(user["api_key"])


@pytest.fixture
def mia(api: Api) -> Person:
    """A staff user with a second factor."""
    return enabled(api, "mia@staff.example", *add_staff(api))


@pytest.fixture
def ann(api: Api) -> Person:
    """An affiliate with a second factor."""
    number, client = api.add_affiliate(email="ann@affiliate.example", password=PASSWORD)
    return enabled(api, "ann@affiliate.example", str(number), client)


@pytest.mark.parametrize("kind", ["mia", "ann"])
def test_second_factor_is_needed_by_sign_in(request: pytest.FixtureRequest, kind: str) -> None:
    person: Person = request.getfixturevalue(kind)
    missing, wrong = person.attempt(), person.attempt("000000" if person.code() != "000000" else "000001")
    assert (missing.status_code, missing.json()["code"]) == (401, "second_factor_required")
    assert (wrong.status_code, wrong.json()["code"]) == (401, "wrong_second_factor")
    assert person.attempt(person.code(), password="wrong").json()["code"] == "wrong_credentials"
    right = person.attempt(person.code()).json()
    session = person.key.with_key(right["api_key"])
    [shown] = session.get("/3.1/auth/sessions")["sessions"]
    assert shown["second_factor"] is True
    assert person.key.get("/3.1/auth/second_factor")["recovery_codes"] == RECOVERY_CODES


def test_second_factor_code_is_right_once(ann: Person) -> None:
    code, before = ann.code(), ann.code(-1)
    assert ann.attempt(code).status_code == 200
    assert ann.attempt(code).json()["code"] == "wrong_second_factor"
    assert ann.attempt(before).json()["code"] == "wrong_second_factor", "nor one before it"
    assert ann.attempt(ann.code(1)).status_code == 200


def test_second_factor_code_of_set_up_does_not_sign_in(api: Api) -> None:
    _, client = api.add_affiliate(email="ann@affiliate.example", password=PASSWORD)
    secret = client.post("/3.1/auth/second_factor", password=PASSWORD)["secret"]
    code = code_at(secret, api.clock.now_ms() // 1000 // STEP_S)
    client.post("/3.1/auth/second_factor/confirm", otp=code)
    sent = {"login": "ann@affiliate.example", "password": PASSWORD, "otp": code}
    assert client.refusal("POST", "/3.1/auth", data=sent) == (401, "wrong_second_factor")


def test_second_factor_recovery_codes_are_right_once_each(ann: Person) -> None:
    assert len(set(ann.recovery_codes)) == RECOVERY_CODES
    for code in (ann.recovery_codes[0], ann.recovery_codes[1].upper().replace("-", " ")):
        assert ann.attempt(code).status_code == 200
        assert ann.attempt(code).status_code == 401
    assert ann.key.get("/3.1/auth/second_factor")["recovery_codes"] == RECOVERY_CODES - 2
    new = ann.key.post("/3.1/auth/second_factor/recovery_codes", password=PASSWORD)["recovery_codes"]
    assert ann.attempt(ann.recovery_codes[2]).status_code == 401
    assert ann.attempt(new[0]).status_code == 200


def test_second_factor_recovery_code_of_another_is_wrong(ann: Person, mia: Person) -> None:
    assert ann.attempt(mia.recovery_codes[0]).status_code == 401
    assert mia.attempt(mia.recovery_codes[0]).status_code == 200


def test_second_factor_wrong_codes_are_failed_attempts(ann: Person) -> None:
    answers = [ann.attempt(f"{number:06}").status_code for number in range(TRIES_PER_ACCOUNT + 2)]
    assert answers == [401] * TRIES_PER_ACCOUNT + [429] * 2
    assert ann.attempt(ann.code()).status_code == 429


def test_second_factor_not_sent_is_no_failed_attempt(ann: Person) -> None:
    assert {ann.attempt().status_code for _ in range(2 * TRIES_PER_ACCOUNT)} == {401}
    assert ann.attempt(ann.code()).status_code == 200


def test_second_factor_begun_and_not_confirmed_is_not_needed(api: Api) -> None:
    _, client = api.add_affiliate(email="ann@affiliate.example", password=PASSWORD)
    assert client.refusal("POST", "/3.1/auth/second_factor", data={"password": "guess"}) == (400, ["password"])
    assert client.refusal("POST", "/3.1/auth/second_factor/confirm", data={"otp": "123456"}) == (400, ["otp"])
    client.post("/3.1/auth/second_factor", password=PASSWORD)
    assert client.refusal("POST", "/3.1/auth/second_factor/confirm", data={"otp": "abcdef"}) == (400, ["otp"])
    assert client.post("/3.1/auth", login="ann@affiliate.example", password=PASSWORD)["status"] == 1


def test_second_factor_is_disabled_with_the_password(ann: Person) -> None:
    sent = {"password": PASSWORD}
    assert ann.key.refusal("POST", "/3.1/auth/second_factor", data=sent) == (409, ["second_factor"])
    assert ann.key.refusal("POST", "/3.1/auth/second_factor/disable", data={"password": "x"}) == (400, ["password"])
    assert ann.attempt().status_code == 401
    ann.key.post("/3.1/auth/second_factor/disable", password=PASSWORD)
    assert ann.attempt().status_code == 200
    assert ann.key.refusal("POST", "/3.1/auth/second_factor/recovery_codes", data=sent) == (400, ["second_factor"])


def test_second_factor_is_reset_by_staff_in_scope(api: Api, ann: Person, mia: Person) -> None:
    _, other = api.add_staff(Role.MANAGER_AFFILIATE)
    assert other.call("POST", f"/3.1/admin/partner/{ann.id}/second_factor/reset").status_code == 404
    assert other.call("POST", f"/3.1/admin/user/{mia.id}/second_factor/reset").status_code == 403
    api.admin.post(f"/3.1/admin/partner/{ann.id}/second_factor/reset")
    api.admin.post(f"/3.1/admin/user/{mia.id}/second_factor/reset")
    assert (ann.attempt().status_code, mia.attempt().status_code) == (200, 200)


def test_second_factor_confirmed_ends_other_sessions(api: Api) -> None:
    _, client = api.add_affiliate(email="ann@affiliate.example", password=PASSWORD)
    keys = [client.post("/3.1/auth", login="ann@affiliate.example", password=PASSWORD)["api_key"] for _ in range(2)]
    one, other = (client.with_key(key) for key in keys)
    enabled(api, "ann@affiliate.example", "", one)
    assert one.get("/3.1/auth/sessions")["sessions"][0]["second_factor"] is True
    assert other.call("GET", "/3.1/auth/sessions").status_code == 401


def test_second_factor_required_of_administrators_binds_their_sessions(api: Api) -> None:
    policy = SessionPolicy(second_factor=SecondFactorRule.ADMINISTRATORS)
    strict = replace(api, app=None, admin=api.admin.of(build(replace(api.deps, sessions=policy))))
    _, key = add_staff(strict)
    add_staff(strict, Role.SECTION_NEWS, "nick@staff.example")
    client = strict.admin.with_key(
        strict.admin.post("/3.1/auth", login="mia@staff.example", password=PASSWORD)["api_key"]
    )
    nick = strict.admin.post("/3.1/auth", login="nick@staff.example", password=PASSWORD)["api_key"]
    assert client.refusal("GET", "/3.0/admin/users") == (403, "second_factor_required")
    assert client.refusal("GET", "/3.0/news") == (403, "second_factor_required")
    sent = {"password": PASSWORD}
    assert client.refusal("POST", "/3.1/auth/api_key/show", data=sent) == (403, "second_factor_required")
    assert strict.admin.with_key(nick).call("GET", "/3.0/news").status_code == 200
    assert key.call("GET", "/3.0/admin/users").status_code == 200, "a lasting key"
    assert client.get("/3.1/auth/second_factor")["required"] is True
    person = enabled(strict, "mia@staff.example", "", client)
    assert client.call("GET", "/3.0/admin/users").status_code == 200
    assert client.get("/3.1/auth/second_factor")["required"] is False
    again = strict.admin.with_key(person.attempt(person.code()).json()["api_key"])
    assert again.call("GET", "/3.0/admin/users").status_code == 200


def test_second_factor_secret_is_stored_encrypted(ann: Person) -> None:
    with ann.api.deps.database.read() as conn:
        found = second_factors.find_factor(conn, Account(AccountKind.AFFILIATE, ann.id))
    assert found is not None
    assert ann.secret not in found.sealed
    assert CIPHER.decrypt(found.sealed) == ann.secret


def test_second_factor_secret_is_encrypted_again_by_rotation(database: Database) -> None:
    old, new = Fernet.generate_key().decode(), Fernet.generate_key().decode()
    account = Account(AccountKind.AFFILIATE, "7")
    with database.write() as conn:
        second_factors.add_factor(conn, account, SecretCipher(old).encrypt("secret"), 1)
    assert reencrypt_secrets(database, SecretCipher(new, old)) == 1
    with database.read() as conn:
        found = second_factors.find_factor(conn, account)
    assert found is not None
    assert SecretCipher(new).decrypt(found.sealed) == "secret"
