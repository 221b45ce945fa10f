"""Sessions: their list, their ends, and what they may not see."""

from dataclasses import replace
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.people.callers import USE_STEP_MS
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.actions.people.sessions import remove_ended_sessions
from trackyard.api.app import build
from trackyard.domain.people.sessions import SessionPolicy
from trackyard.store.engine.database import Connection

EMAIL, PASSWORD = "ann@affiliate.example", "long-enough"
MINUTE = 60_000
IDLE = SessionPolicy().idle_ms


@pytest.fixture
def pid(api: Api) -> int:
    number, _ = api.add_affiliate(email=EMAIL, password=PASSWORD)
    return number


def signed_in(api: Api, login: str = EMAIL, password: str = PASSWORD, agent: str = "") -> ApiClient:
    """A client with a new session."""
    sent = {"login": login, "password": password}
    answer = api.admin.with_key(None).call("POST", "/3.1/auth", data=sent, headers={"User-Agent": agent})
    return api.admin.with_key(answer.json()["api_key"])


def signed_in_administrator(api: Api) -> ApiClient:
    named = {"email": "mia@staff.example", "password": PASSWORD, "first_name": "M", "last_name": "M"}
    api.admin.post("/3.0/admin/user", **named, **{"roles[]": "ROLE_ADMIN"})
    return signed_in(api, "mia@staff.example")


def status(client: ApiClient) -> int:
    found: int = client.call("GET", "/3.0/news").status_code
    return found


def test_session_list_shows_own_sessions_with_address_agent_and_last_use(api: Api, pid: int) -> None:
    api.add_affiliate(email="bob@affiliate.example", password=PASSWORD)
    signed_in(api, "bob@affiliate.example")
    signed_in(api, agent="Mozilla/5.0 (old)")
    api.clock.advance(30 * MINUTE)
    client = signed_in(api, agent="x" * 5000)
    newest, oldest = client.get("/3.1/auth/sessions")["sessions"]
    assert (newest["current"], oldest["current"]) == (True, False)
    assert (oldest["user_agent"], newest["user_agent"]) == ("Mozilla/5.0 (old)", "x" * 300)
    assert oldest["address"] == newest["address"] == "testclient"
    assert (oldest["created_at"], oldest["last_used_at"]) == ("2023-11-14 22:13:20",) * 2
    assert (newest["created_at"], newest["expires_at"]) == ("2023-11-14 22:43:20", "2023-11-15 00:43:20")


def test_session_sign_out_ends_the_calling_session_alone(api: Api, pid: int) -> None:
    one, other = signed_in(api), signed_in(api)
    assert one.call("DELETE", "/3.1/auth").json() == {"status": 1, "ended": 1}
    assert (status(one), status(other)) == (401, 200)


def test_session_sign_out_with_lasting_key_ends_nothing(api: Api, pid: int) -> None:
    session = signed_in(api)
    key = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["api_key"]
    body = api.admin.with_key(key).call("DELETE", "/3.1/auth").json()
    assert (body["ended"], len(body["warnings"])) == (0, 1)
    assert (status(api.admin.with_key(key)), status(session)) == (200, 200)


def test_session_of_own_is_ended_by_id_and_of_others_is_404(api: Api, pid: int) -> None:
    api.add_affiliate(email="bob@affiliate.example", password=PASSWORD)
    foreign = signed_in(api, "bob@affiliate.example")
    lost, client = signed_in(api), signed_in(api)
    ids = {each["id"]: each["current"] for each in client.get("/3.1/auth/sessions")["sessions"]}
    others = [number for number, current in ids.items() if not current]
    assert client.call("DELETE", f"/3.1/auth/sessions/{others[0]}").status_code == 200
    assert (status(lost), status(client)) == (401, 200)
    [theirs] = foreign.get("/3.1/auth/sessions")["sessions"]
    assert client.call("DELETE", f"/3.1/auth/sessions/{theirs['id']}").status_code == 404
    assert status(foreign) == 200


def test_session_sign_out_everywhere_ends_all_and_no_key(api: Api, pid: int) -> None:
    clients = [signed_in(api) for _ in range(3)]
    key = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["api_key"]
    assert clients[0].call("DELETE", "/3.1/auth/sessions").json()["ended"] == 3
    assert [status(client) for client in clients] == [401] * 3
    assert status(api.admin.with_key(key)) == 200


def test_session_without_requests_ends_after_idle_time(api: Api, pid: int) -> None:
    used, unused = signed_in(api), signed_in(api)
    api.clock.advance(IDLE - MINUTE)
    assert status(used) == 200
    api.clock.advance(MINUTE)
    assert (status(used), status(unused)) == (200, 401)
    api.clock.advance(IDLE)
    assert status(used) == 401


def test_session_in_use_ends_after_its_lifetime(api: Api, pid: int) -> None:
    client = signed_in(api)
    for _ in range(11):
        api.clock.advance(3_600_000)
        assert status(client) == 200
    api.clock.advance(3_600_000)
    assert status(client) == 401


def test_session_lengths_are_those_of_the_policy(api: Api, pid: int) -> None:
    short = SessionPolicy(lifetime_ms=10 * MINUTE, idle_ms=5 * MINUTE)
    client = api.admin.of(build(replace(api.deps, sessions=short)))
    sent = {"login": EMAIL, "password": PASSWORD}
    session = client.with_key(client.with_key(None).post("/3.1/auth", **sent)["api_key"])
    for minutes, expected in ((4, 200), (4, 200), (2, 401)):
        api.clock.advance(minutes * MINUTE)
        assert status(session) == expected


def test_session_use_is_written_once_a_minute(api: Api, pid: int, monkeypatch: pytest.MonkeyPatch) -> None:
    client, writes = signed_in(api), []

    def counted(conn: Connection, session_id: str, now: int, idle_until: int) -> None:
        writes.append(now)

    monkeypatch.setattr("trackyard.store.people.sessions.record_use", counted)
    for _ in range(10):
        api.clock.advance(USE_STEP_MS // 10 - 1)
        assert status(client) == 200
    assert writes == []
    api.clock.advance(10)
    assert status(client) == 200
    assert len(writes) == 1


def test_session_last_use_is_shown_to_the_minute(api: Api, pid: int) -> None:
    client = signed_in(api)
    api.clock.advance(61_000)
    status(client)
    api.clock.advance(30_000)
    [shown] = client.get("/3.1/auth/sessions")["sessions"]
    assert (shown["last_used_at"], shown["expires_at"]) == ("2023-11-14 22:14:21", "2023-11-15 00:14:21")


def test_session_changed_password_ends_the_other_sessions(api: Api) -> None:
    one = signed_in_administrator(api)
    other = signed_in(api, "mia@staff.example")
    own = one.get("/3.1/admin/users", q="mia@staff.example")["users"][0]["id"]
    one.post(f"/3.1/admin/user/{own}", password="another long one")
    assert (status(one), status(other)) == (200, 401)
    api.admin.post(f"/3.1/admin/user/{own}", password="a third long one")
    assert status(one) == 401


def test_session_sees_no_lasting_key(api: Api, pid: int) -> None:
    _, affiliate_key = keys_of(api, pid)
    client = signed_in(api)
    assert client.get("/3.1/partner/me")["user"]["api_key"] is None
    assert client.post("/3.1/partner/api_key")["user"]["api_key"] is None
    _, renewed = keys_of(api, pid)
    assert renewed != affiliate_key
    assert status(client) == 200, "the session that asked stays, to see the new key"


def test_session_of_administrator_sees_no_lasting_key(api: Api, pid: int) -> None:
    user, affiliate = keys_of(api, pid)
    client = signed_in_administrator(api)
    own = client.get("/3.1/admin/users", q="mia@staff.example")["users"][0]
    new = {"password": PASSWORD, "first_name": "N", "last_name": "N"}
    answers = [
        client.call("GET", "/3.1/admin/users"),
        client.call("GET", f"/3.1/admin/user/{own['id']}"),
        client.call("POST", f"/3.1/admin/user/{own['id']}", data={"skype": "mia"}),
        client.call("POST", f"/3.1/admin/user/api_key/{own['id']}"),
        client.call("POST", "/3.1/admin/user", data=new | {"email": "new@staff.example"}),
        client.call("GET", "/3.1/admin/partners"),
        client.call("GET", f"/3.1/admin/partner/{pid}"),
        client.call("POST", f"/3.1/admin/partner/{pid}", data={"notes": "x"}),
        client.call("POST", "/3.1/admin/partner", data=new | {"email": "new@affiliate.example"}),
    ]
    assert [answer.status_code for answer in answers] == [200] * len(answers)
    shown = [found for answer in answers for found in _values_of("api_key", answer.json())]
    assert len(shown) >= len(answers)
    assert set(shown) == {None}
    assert not [answer.url for answer in answers if user in answer.text or affiliate in answer.text]


def test_session_gets_no_answer_that_was_stored_for_the_key(api: Api, pid: int) -> None:
    key = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["api_key"]
    headers = {"Idempotency-Key": "renewal-1"}
    made = api.admin.with_key(key).call("POST", "/3.1/partner/api_key", headers=headers).json()["user"]["api_key"]
    again = signed_in(api).call("POST", "/3.1/partner/api_key", headers=headers)
    assert made not in again.text


def test_key_is_shown_after_the_password_alone(api: Api, pid: int) -> None:
    _, key = keys_of(api, pid)
    client = signed_in(api)
    assert client.refusal("POST", "/3.1/auth/api_key/show") == (400, ["password"])
    assert client.refusal("POST", "/3.1/auth/api_key/show", data={"password": "guess"}) == (400, ["password"])
    shown = client.post("/3.1/auth/api_key/show", password=PASSWORD)
    assert (shown["api_key"], shown["type"], shown["id"]) == (key, "affiliate", str(pid))


def test_key_of_staff_without_password_is_not_shown(api: Api) -> None:
    sent = {"password": "none"}
    assert api.admin.refusal("POST", "/3.1/auth/api_key/show", data=sent) == (400, ["password"])


def test_key_show_counts_wrong_passwords_as_sign_in_does(api: Api, pid: int) -> None:
    thief = signed_in(api)
    answers = [thief.refusal("POST", "/3.1/auth/api_key/show", data={"password": f"guess {n}"}) for n in range(12)]
    assert answers == [(400, ["password"])] * TRIES_PER_ACCOUNT + [(429, "too_many_requests")] * 2
    assert thief.refusal("POST", "/3.1/auth/api_key/show", data={"password": PASSWORD})[0] == 429


def test_session_of_role_without_permissions_may_sign_out(api: Api) -> None:
    named = {"email": "no@staff.example", "password": PASSWORD, "first_name": "N", "last_name": "N"}
    api.admin.post("/3.0/admin/user", **named)
    client = signed_in(api, "no@staff.example")
    assert client.call("DELETE", "/3.1/auth").status_code == 200
    assert status(client) == 401


def test_session_of_banned_affiliate_may_not_call(api: Api, pid: int) -> None:
    client = signed_in(api)
    api.admin.post(f"/3.0/admin/partner/{pid}", status="banned")
    assert status(client) == 401


def test_sessions_that_ended_are_removed(api: Api, pid: int) -> None:
    signed_in(api)
    api.clock.advance(IDLE - 1)
    assert remove_ended_sessions(api.deps.database, api.clock.now_ms()) == 0
    api.clock.advance(1)
    assert remove_ended_sessions(api.deps.database, api.clock.now_ms()) == 1


def keys_of(api: Api, pid: int) -> tuple[str, str]:
    """The lasting keys of the first administrator and of an affiliate."""
    user = api.admin.get("/3.0/admin/users", q="admin@localhost")["users"][0]["api_key"]
    return user, api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["api_key"]


def _values_of(name: str, value: Any) -> list[Any]:
    """All values of a name in a body."""
    if isinstance(value, dict):
        own = [value[name]] if name in value else []
        return own + [found for inner in value.values() for found in _values_of(name, inner)]
    return [found for inner in value for found in _values_of(name, inner)] if isinstance(value, list) else []
