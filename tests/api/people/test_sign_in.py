"""Signing in: session keys, that end, and tries that are counted."""

from typing import Any

import pytest

from tests.support.api import Api
from trackyard.actions.people.credentials import KNOWN_NETWORK_MS, TRIES_PER_ACCOUNT, TRIES_PER_NETWORK, WINDOW_MS
from trackyard.actions.people.sign_in.by_password import sign_in
from trackyard.base.errors import TooManyRequests, WrongCredentials
from trackyard.domain.people.sessions import MAX_SESSIONS, SessionPolicy

EMAIL, PASSWORD = "ann@affiliate.example", "long-enough"


@pytest.fixture
def pid(api: Api) -> int:
    number, _ = api.add_affiliate(email=EMAIL, password=PASSWORD, login="Ann")
    return number


def attempt(api: Api, login: str = EMAIL, password: str = PASSWORD, **params: Any) -> Any:
    return api.admin.with_key(None).call("POST", "/3.1/auth", data={"login": login, "password": password} | params)


@pytest.mark.parametrize("login", [EMAIL, "Ann", " ANN@affiliate.example "])
def test_sign_in_of_affiliate_returns_session_key(api: Api, pid: int, login: str) -> None:
    body = attempt(api, login).json()
    assert (body["type"], body["id"], len(body["api_key"])) == ("affiliate", str(pid), 40)
    session = api.admin.with_key(body["api_key"])
    assert session.get("/3.0/balance")["status"] == 1
    assert api.admin.get("/3.0/balance", pid=pid)["status"] == 1


def test_sign_in_of_staff_returns_session_key(api: Api) -> None:
    named = {"email": "mia@staff.example", "password": "sesame", "first_name": "M", "last_name": "M"}
    user = api.admin.post("/3.0/admin/user", **named, **{"roles[]": "ROLE_ADMIN"})["user"]
    body = api.admin.with_key(None).post("/3.0/auth", email="mia@staff.example", password="sesame")
    assert (body["type"], body["id"]) == ("staff", user["id"])
    shown = api.admin.with_key(body["api_key"]).get(f"/3.0/admin/user/{user['id']}")["user"]
    assert (shown["last_login_at"], shown["api_key"]) == ("2023-11-14 22:13:20", None)
    shown = api.admin.with_key(user["api_key"]).get(f"/3.0/admin/user/{user['id']}")["user"]
    assert shown["api_key"] == user["api_key"], "a session key is not shown as the user's own"


def test_session_key_expires_after_lifetime(api: Api, pid: int) -> None:
    body = attempt(api).json()
    assert body["expires_at"] == "2023-11-15 10:13:20"
    session = api.admin.with_key(body["api_key"])
    for _ in range(11):  # it ends earlier when it is not used
        api.clock.advance(3_600_000)
        assert session.call("GET", "/3.0/balance").status_code == 200
    api.clock.advance(SessionPolicy().lifetime_ms - 11 * 3_600_000 - 1)
    assert session.call("GET", "/3.0/balance").status_code == 200
    api.clock.advance(1)
    assert session.call("GET", "/3.0/balance").status_code == 401


def test_sign_in_eleventh_session_ends_the_oldest(api: Api, pid: int) -> None:
    api.add_affiliate(email="bob@affiliate.example", password=PASSWORD)
    lasting = attempt(api, "bob@affiliate.example").json()["api_key"]
    sessions = []
    for _ in range(MAX_SESSIONS + 2):
        api.clock.advance(1000)
        sessions.append(attempt(api).json()["api_key"])
    answers = [api.admin.with_key(key).call("GET", "/3.0/balance").status_code for key in sessions]
    assert answers == [401] * 2 + [200] * MAX_SESSIONS
    assert api.admin.with_key(lasting).call("GET", "/3.0/balance").status_code == 200, "of another affiliate"


def test_sign_in_failure_does_not_reveal_reason(api: Api, pid: int) -> None:
    api.add_affiliate(email="off@affiliate.example", password=PASSWORD, status="not active")
    answers = [
        attempt(api, password="wrong"),
        attempt(api, "unknown@affiliate.example"),
        attempt(api, "off@affiliate.example"),
        attempt(api, "admin@localhost", "unknown"),  # the first administrator has no password
    ]
    assert [answer.status_code for answer in answers] == [401] * 4
    assert len({answer.text for answer in answers}) == 1
    assert answers[0].json()["code"] == "wrong_credentials"


@pytest.mark.parametrize("params", [{"password": PASSWORD}, {"login": EMAIL}, {"login": " ", "password": PASSWORD}])
def test_sign_in_without_required_fields_is_400(api: Api, params: dict[str, str]) -> None:
    assert api.admin.call("POST", "/3.1/auth", data=params).status_code == 400


def test_sign_in_is_locked_per_account_after_too_many_tries(api: Api, pid: int) -> None:
    api.add_affiliate(email="bob@affiliate.example", password=PASSWORD)
    for _ in range(TRIES_PER_ACCOUNT):
        assert attempt(api, password="wrong").status_code == 401
    refused = attempt(api)
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_requests")
    assert int(refused.headers["retry-after"]) == WINDOW_MS // 1000
    assert attempt(api, EMAIL.upper()).status_code == 429, "another spelling is the same account"
    assert attempt(api, "bob@affiliate.example").status_code == 200
    api.clock.advance(WINDOW_MS - 1)
    assert attempt(api).status_code == 429
    api.clock.advance(1)
    assert attempt(api).status_code == 200


def tried(api: Api, login: str, password: str, address: str) -> str:
    """Try to sign in; the outcome."""
    try:
        return sign_in(api.deps, login, password, address).session.account.kind
    except WrongCredentials:
        return "wrong"
    except TooManyRequests:
        return "throttled"


def test_sign_in_success_of_another_account_forgives_nothing(api: Api) -> None:
    named = {"email": "mia@staff.example", "password": "sesame", "first_name": "M", "last_name": "M"}
    api.admin.post("/3.0/admin/user", **named, **{"roles[]": "ROLE_ADMIN"})
    api.add_affiliate(email="mia@staff.example", password=PASSWORD)  # addresses are not confirmed
    outcomes = []
    for _ in range(4):
        outcomes += [tried(api, "mia@staff.example", "guess", "198.51.100.1") for _ in range(9)]
        tried(api, "mia@staff.example", PASSWORD, "198.51.100.1")
    assert outcomes.count("wrong") <= TRIES_PER_ACCOUNT
    assert tried(api, "mia@staff.example", "sesame", "198.51.100.1") == "throttled", "the right one comes too late"
    assert tried(api, "mia@staff.example", PASSWORD, "198.51.100.2") == "affiliate", "each account has its own count"


def test_sign_in_of_owner_passes_failed_tries_of_strangers(api: Api, pid: int) -> None:
    assert tried(api, EMAIL, PASSWORD, "192.0.2.1") == "affiliate"
    for number in range(TRIES_PER_ACCOUNT + 5):
        tried(api, EMAIL, "guess", f"198.51.100.{number}")
    assert tried(api, EMAIL, PASSWORD, "198.51.100.200") == "throttled"
    assert tried(api, EMAIL, PASSWORD, "192.0.2.1") == "affiliate"
    assert tried(api, EMAIL, PASSWORD, "198.51.100.200") == "throttled", "that success is not a stranger's"
    api.clock.advance(KNOWN_NETWORK_MS - 1)
    for number in range(TRIES_PER_ACCOUNT + 5):
        tried(api, EMAIL, "guess", f"198.51.100.{number}")
    assert tried(api, "Ann", PASSWORD, "192.0.2.1") == "affiliate", "by another name of the account"
    api.clock.advance(KNOWN_NETWORK_MS)
    for number in range(TRIES_PER_ACCOUNT + 5):
        tried(api, EMAIL, "guess", f"198.51.100.{number}")
    assert tried(api, EMAIL, PASSWORD, "192.0.2.1") == "throttled", "a network is remembered for a time"


def test_sign_in_tries_from_known_network_are_limited_too(api: Api, pid: int) -> None:
    tried(api, EMAIL, PASSWORD, "192.0.2.1")
    outcomes = [tried(api, EMAIL, "guess", "192.0.2.1") for _ in range(TRIES_PER_ACCOUNT + 1)]
    assert outcomes == ["wrong"] * TRIES_PER_ACCOUNT + ["throttled"]
    assert tried(api, EMAIL, PASSWORD, "192.0.2.1") == "throttled"
    assert tried(api, EMAIL, PASSWORD, "192.0.2.2") == "affiliate"


def test_sign_in_of_unknown_login_is_throttled_as_a_known_one(api: Api, pid: int) -> None:
    outcomes = [
        [tried(api, login, "guess", f"198.51.100.{number}") for number in range(TRIES_PER_ACCOUNT + 2)]
        for login in (EMAIL, "unknown@affiliate.example")
    ]
    assert outcomes[0] == outcomes[1] == ["wrong"] * TRIES_PER_ACCOUNT + ["throttled"] * 2


def test_sign_in_refused_by_busy_hashing_counts_as_no_try(api: Api, pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    def busy(_password: str, _hashed: str) -> bool:
        raise TooManyRequests(1)

    with monkeypatch.context() as patch:
        patch.setattr("trackyard.actions.people.credentials.password_matches", busy)
        assert {tried(api, EMAIL, PASSWORD, "192.0.2.1") for _ in range(2 * TRIES_PER_ACCOUNT)} == {"throttled"}
    assert tried(api, EMAIL, PASSWORD, "192.0.2.1") == "affiliate"


def test_sign_in_success_resets_failed_tries(api: Api, pid: int) -> None:
    for _ in range(3):
        for _ in range(TRIES_PER_ACCOUNT - 1):
            assert attempt(api, password="wrong").status_code == 401
        assert attempt(api).status_code == 200


def test_sign_in_is_locked_per_address_after_too_many_tries(
    api: Api, pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackyard.actions.people.credentials.TRIES_PER_NETWORK", 3)
    assert TRIES_PER_NETWORK > TRIES_PER_ACCOUNT
    for number in range(3):
        assert attempt(api, f"unknown-{number}").status_code == 401
    assert attempt(api).status_code == 429
    api.clock.advance(WINDOW_MS)
    assert attempt(api).status_code == 200


def test_sign_in_of_owner_passes_failed_tries_of_neighbours(
    api: Api, pid: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trackyard.actions.people.credentials.TRIES_PER_NETWORK", 3)
    assert tried(api, EMAIL, PASSWORD, "2001:db8:7:1::1") == "affiliate"
    assert [tried(api, f"unknown-{number}", "guess", f"2001:db8:7:{number + 2}::1") for number in range(4)] == [
        *(["wrong"] * 3),
        "throttled",
    ]
    assert tried(api, EMAIL, "guess", "2001:db8:7:1::2") == "wrong", "a network of the account"
    assert tried(api, EMAIL, PASSWORD, "2001:db8:7:1::2") == "affiliate"
    assert tried(api, EMAIL, PASSWORD, "2001:db8:7:2::1") == "throttled"
    assert tried(api, EMAIL, PASSWORD, "2001:db8:8:1::1") == "affiliate"


def test_sign_in_ignores_wrong_api_key(api: Api, pid: int) -> None:
    answer = api.admin.with_key("f" * 40).call("POST", "/3.1/auth", data={"login": EMAIL, "password": PASSWORD})
    assert answer.status_code == 200


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("192.0.2.1", "192.0.2.2", True),
        ("192.0.2.1", "192.0.3.1", False),
        ("2001:db8:0:1::1", "2001:db8:0:ffff::2", True),
        ("2001:db8:0:1::1", "2001:db8:1:1::1", False),
        ("testclient", "testclient", True),
    ],
)
def test_sign_in_limit_groups_addresses_of_one_wide_network(
    api: Api, monkeypatch: pytest.MonkeyPatch, one: str, other: str, same: bool
) -> None:
    monkeypatch.setattr("trackyard.actions.people.credentials.TRIES_PER_NETWORK", 1)
    with pytest.raises(WrongCredentials):
        sign_in(api.deps, "unknown", "wrong", one)
    with pytest.raises(TooManyRequests if same else WrongCredentials):
        sign_in(api.deps, "no one", "wrong", other)
