"""The security log: sign-ins with their outcome, and reads of other people's keys."""

from typing import Any

import pytest

from tests.support.api import Api
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.domain.people.roles import Role
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.store.platform import personal_data

DAY_MS = 86_400_000
RIGHT = {"login": "ann@affiliate.example", "password": "long-enough"}
AGENT = {"User-Agent": "Browser 1"}


@pytest.fixture
def ann(api: Api) -> int:
    pid, _ = api.add_affiliate(email=RIGHT["login"], name="Ann")
    return pid


def events(api: Api, **params: Any) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = api.admin.get("/3.1/admin/security-log", **params)["events"]
    return found


def sign_in(api: Api, **params: str) -> int:
    answer = api.admin.with_key(None).call("POST", "/3.1/auth", data=RIGHT | params, headers=AGENT)
    return int(answer.status_code)


def test_security_log_records_sign_ins_with_account_and_place(api: Api, ann: int) -> None:
    """Guessed passwords, and those that were found, left no trace."""
    statuses = []
    for sent in ({"password": "guess-1"}, {}, {"login": "none@a.example"}):
        statuses.append(sign_in(api, **sent))
        api.clock.advance(1)
    assert statuses == [401, 200, 401]
    unknown, right, wrong = events(api, event="sign_in")
    user = {"id": str(ann), "email": RIGHT["login"], "first_name": "Ann", "last_name": ""}
    assert [(each["outcome"], each["user"], each["user_type"]) for each in (wrong, right, unknown)] == [
        ("wrong", user, "affiliate"),
        ("accepted", user, "affiliate"),
        ("wrong", None, ""),
    ]
    assert (wrong["address"], wrong["user_agent"], len(wrong["request_id"])) == ("testclient", "Browser 1", 24)
    assert "guess-1" not in str(events(api)) and "none@a.example" not in str(events(api))


def test_security_log_records_first_throttled_sign_in_only(api: Api, ann: int) -> None:
    """Strangers must not fill it: after the limit one event is enough."""
    for _ in range(TRIES_PER_ACCOUNT + 5):
        sign_in(api, password="guess-1")
    assert len(events(api, outcome="wrong")) == TRIES_PER_ACCOUNT
    assert len(events(api, outcome="throttled", affiliate_id=ann)) == 1


def test_security_log_records_reads_of_keys_of_others(api: Api, ann: int) -> None:
    staff_id, manager = api.add_staff(Role.SECTION_PARTNER)
    manager.get("/3.0/admin/partners")
    manager.get(f"/3.0/admin/partner/{ann}")
    own = api.admin.get("/3.0/admin/users", q="admin@localhost")["users"][0]["id"]
    api.admin.get(f"/3.0/admin/user/{own}")
    assert events(api, event="keys_read", user_id=own) == [], "one's own key"
    read = events(api, event="keys_read", user_id=staff_id)
    assert [each["subject"] for each in read] == [f"affiliate {ann}"] * 2
    api.admin.get(f"/3.0/admin/user/{staff_id}")
    assert [each["subject"] for each in events(api, event="keys_read", user_id=own)] == [f"staff {staff_id}"]


def test_security_log_omits_reads_that_show_no_key(api: Api, ann: int) -> None:
    made = api.admin.post("/3.1/auth/keys", name="program", **{"scopes[]": "read"})["key"]["api_key"]
    program = api.admin.with_key(made)
    assert program.get(f"/3.0/admin/partner/{ann}")["partner"]["api_key"] is None
    program.get("/3.0/admin/users")
    assert events(api, event="keys_read") == []


@pytest.mark.parametrize(
    ("params", "count"),
    [
        ({"outcome": "accepted"}, 1),
        ({"event": "keys_read"}, 0),
        ({"address": "testclient"}, 2),
        ({"address": "192.0.2.1"}, 0),
        ({"date_from": "2023-11-15"}, 1),
        ({"date_to": "2023-11-14"}, 1),
        ({"user_id": "f" * 24}, 0),
    ],
)
def test_security_log_filters_select_matching_events(api: Api, ann: int, params: dict[str, Any], count: int) -> None:
    sign_in(api, password="guess-1")
    api.clock.advance(DAY_MS)
    sign_in(api)
    assert len(events(api, **params)) == count


def test_security_log_of_two_accounts_or_wrong_period_is_rejected(api: Api) -> None:
    for params, field in (
        ({"user_id": "f" * 24, "affiliate_id": 1}, "affiliate_id"),
        ({"date_from": "2023-11-15", "date_to": "2023-11-14"}, "date_to"),
    ):
        assert api.admin.refusal("GET", "/3.1/admin/security-log", params=params) == (400, [field])


def test_security_log_is_for_administrators(api: Api, ann: int) -> None:
    _, manager = api.add_staff(Role.MANAGER_AFFILIATE, Role.SECTION_PARTNER)
    assert manager.refusal("GET", "/3.1/admin/security-log") == (403, "audit.read")


def test_security_log_is_trimmed_and_forgets_the_erased(api: Api, ann: int) -> None:
    scheduler = JobScheduler(api.deps.database, api.deps.zone, api.clock)
    sign_in(api)
    assert scheduler.trim_security_log() == 0
    api.clock.advance(60 * DAY_MS)
    sign_in(api, login="none@a.example")
    api.clock.advance(31 * DAY_MS)
    assert (scheduler.trim_security_log(), len(events(api))) == (1, 1)
    sign_in(api)
    with api.deps.database.write() as conn:
        personal_data.redact_account(conn, ann, "x", api.clock.now_ms())
    assert events(api, affiliate_id=ann) == [] and len(events(api)) == 1
