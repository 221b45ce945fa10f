"""API keys with limits: what they may do, from where, for how long, and how they are replaced."""

from typing import Any

import pytest

from tests.contract.test_every_endpoint import make_endpoint_setup
from tests.support.api import Api
from tests.support.client import ApiClient
from trackyard.actions.people.callers import USE_STEP_MS
from trackyard.actions.people.own_account import renew_key
from trackyard.api.catalogue import CATALOGUE
from trackyard.domain.people.key_limits import AREAS
from trackyard.domain.people.keys import MAX_KEYS
from trackyard.domain.people.roles import Permission, Role

DAY = {"filter[date_from]": "2023-11-14", "filter[date_to]": "2023-11-14"}
HOUR_MS = 3_600_000


def make(client: ApiClient, *scopes: str, **params: Any) -> tuple[dict[str, Any], ApiClient]:
    """A key of the caller: its view, and a client that calls with it."""
    sent = {"name": "program", "scopes[]": list(scopes)} | params
    view: dict[str, Any] = client.post("/3.1/auth/keys", **sent)["key"]
    return view, client.with_key(view["api_key"])


def signed_in(api: Api, **login: str) -> ApiClient:
    return api.admin.with_key(api.admin.post("/3.1/auth", **login)["api_key"])


def test_key_is_shown_once_and_listed_without_secret(api: Api) -> None:
    _, client = api.add_affiliate()
    made, program = make(client, "write", "read", "stats", networks="192.0.2.0/24", days="2")
    assert len(made["api_key"]) == 40
    listed = client.get("/3.1/auth/keys")["keys"]
    assert [(each["first"], each["name"]) for each in listed] == [(True, ""), (False, "program")]
    assert listed[1] == {name: value for name, value in made.items() if name != "api_key"}
    assert (made["scopes"], made["networks"]) == (["read", "write", "stats"], ["192.0.2.0/24"])
    assert (made["expires_at"], made["last_used_at"]) == ("2023-11-16 22:13:20", None)
    with api.deps.database.read() as conn:
        stored = conn.exec_driver_sql("SELECT sealed FROM api_key WHERE name = 'program'").scalar_one()
    assert stored == ""
    assert made["api_key"] not in str(api.admin.get("/3.1/admin/audit", limit=1000))
    assert program is not None


def test_key_read_only_refuses_every_write(api: Api) -> None:
    """Each method of the catalogue, by a key of an account that may call it."""
    setup = make_endpoint_setup(api)
    administrators = make(api.admin, "read")[1]
    refused = allowed = 0
    for endpoint in CATALOGUE:
        if endpoint.is_public or endpoint.audience == "advertiser":  # which has one key
            continue
        owned = endpoint.audience == "affiliate"
        program = make(setup.caller(endpoint), "read")[1] if owned else administrators
        path = setup.path(endpoint, endpoint.versions[-1], subject="1")
        answer = program.call(endpoint.method, path)
        code = answer.json().get("code") if isinstance(answer.json(), dict) else None
        if endpoint.credentials or endpoint.permission is Permission.ACCOUNT:
            assert (answer.status_code, code) == (403, "scope.credentials"), endpoint.id
        elif endpoint.method != "GET":
            assert (answer.status_code, code) == (403, "scope.write"), endpoint.id
            assert "scope write" in answer.json()["error"]
            refused += 1
        else:
            assert answer.status_code != 403, endpoint.id
            allowed += 1
    assert refused > 50 and allowed > 50


def test_key_write_only_refuses_reads(api: Api) -> None:
    _, program = make(api.admin, "write")
    assert program.refusal("GET", "/3.0/offers") == (403, "scope.read")
    assert program.call("POST", "/3.0/admin/advertiser", data={"title": "Shop"}).status_code == 200


def test_key_with_areas_is_refused_elsewhere(api: Api) -> None:
    _, program = make(api.admin, "read", "stats", "news")
    assert program.call("GET", "/3.1/stats/getbydate", params=DAY).status_code == 200
    assert program.call("GET", "/3.0/news").status_code == 200
    assert program.refusal("GET", "/3.0/offers") == (403, "scope.offers")
    assert program.refusal("GET", "/3.0/admin/partners") == (403, "scope.affiliates")
    assert program.refusal("POST", "/3.1/admin/news") == (403, "scope.write")


def test_key_areas_are_those_of_permissions() -> None:
    """Every method that a key may call at all is in an area."""
    asked = {endpoint.permission for endpoint in CATALOGUE if not endpoint.is_public} - {Permission.ACCOUNT}
    assert {permission.partition(".")[0] for permission in asked} <= set(AREAS)


def test_key_may_not_do_more_than_its_owner(api: Api) -> None:
    _, editor = api.add_staff(Role.SECTION_NEWS)
    _, program = make(editor, "read", "write", "offers", "news")
    assert program.refusal("GET", "/3.0/offers") == (403, "offers.read")
    pid, client = api.add_affiliate()
    _, other = make(client, "read", "write")
    assert other.refusal("GET", "/3.0/admin/partners") == (403, "auth_denied")
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][slice-day][level]": "deny"})
    assert other.refusal("GET", "/3.1/stats/getbydate", params=DAY) == (403, "stats.slice-day")
    api.admin.post(f"/3.0/admin/partner/{pid}", status="banned")
    assert other.call("GET", "/3.1/partner/me").status_code == 401


def test_key_never_gives_a_lasting_key(api: Api) -> None:
    """A stolen key with limits must not become one without, or outlast its end."""
    pid, client = api.add_affiliate()
    _, program = make(client, "read", "write")
    assert program.get("/3.1/partner/me")["user"]["api_key"] is None
    for method, path in (
        ("POST", "/3.1/partner/api_key"),
        ("POST", "/3.1/auth/keys"),
        ("GET", "/3.1/auth/keys"),
        ("POST", "/3.1/auth/api_key/show"),
    ):
        assert program.refusal(method, path) == (403, "scope.credentials")
    _, administrator = make(api.admin, "read", "write")
    assert administrator.get(f"/3.0/admin/partner/{pid}")["partner"]["api_key"] is None
    assert {each["api_key"] for each in administrator.get("/3.0/admin/users")["users"]} == {None}
    own = api.admin.get("/3.0/admin/users")["users"][0]["id"]
    for path in (f"/3.0/admin/user/api_key/{own}", f"/3.0/admin/user/{own}", "/3.0/admin/user", "/3.1/admin/keys"):
        assert administrator.refusal("POST", path) == (403, "scope.credentials")


@pytest.mark.parametrize(
    ("networks", "accepted"), [("192.0.2.0/24", True), ("192.0.2.1-192.0.2.9", True), ("198.51.100.7", False)]
)
def test_key_is_accepted_from_its_networks_only(
    api: Api, monkeypatch: pytest.MonkeyPatch, networks: str, accepted: bool
) -> None:
    _, program = make(api.admin, "read", networks=networks)
    assert program.refusal("GET", "/3.0/offers")[1] == "key_address", "the tests' client has no address"
    monkeypatch.setattr("trackyard.wire.http.origins.address_of", lambda _request: "192.0.2.7")
    monkeypatch.setattr("trackyard.wire.http.dispatch.address_of", lambda _request: "192.0.2.7")
    answer = program.call("GET", "/3.0/offers")
    assert answer.status_code == (200 if accepted else 403)
    if not accepted:
        assert "192.0.2.7" in answer.json()["error"]
    assert api.admin.call("GET", "/3.0/offers").status_code == 200, "the first key has no list"


def test_key_ends_at_its_time(api: Api) -> None:
    made, program = make(api.admin, "read", days=1)
    api.clock.advance(24 * HOUR_MS - 1)
    assert program.call("GET", "/3.0/offers").status_code == 200
    api.clock.advance(1)
    assert program.call("GET", "/3.0/offers").status_code == 401
    assert api.admin.refusal("POST", f"/3.1/auth/keys/{made['id']}/rotate") == (409, ["id"])


def test_key_last_use_is_stored_once_a_minute(api: Api) -> None:
    made, program = make(api.admin, "read")

    def used() -> str | None:
        found = [each for each in api.admin.get("/3.1/auth/keys")["keys"] if each["id"] == made["id"]]
        used_at: str | None = found[0]["last_used_at"]
        return used_at

    assert used() is None
    program.get("/3.0/offers")
    assert used() == "2023-11-14 22:13:20"
    api.clock.advance(USE_STEP_MS - 1)
    program.get("/3.0/offers")
    assert used() == "2023-11-14 22:13:20"
    api.clock.advance(1)
    program.get("/3.0/offers")
    assert used() == "2023-11-14 22:14:20"


def test_key_rotated_overlaps_with_its_successor(api: Api) -> None:
    made, program = make(api.admin, "read", "stats", days=10, networks="0.0.0.0/0", statistics_rows="plain")
    path = f"/3.1/auth/keys/{made['id']}/rotate"
    api.admin.post(f"/3.1/auth/keys/{made['id']}", networks="")
    successor = api.admin.post(path, hours=2)["key"]
    newer = api.admin.with_key(successor["api_key"])
    assert (successor["scopes"], successor["statistics_rows"]) == (["read", "stats"], "plain")
    assert successor["expires_at"] == "2023-11-24 22:13:20"
    [old] = [each for each in api.admin.get("/3.1/auth/keys")["keys"] if each["id"] == made["id"]]
    assert (old["successor_id"], old["expires_at"]) == (successor["id"], "2023-11-15 00:13:20")
    assert api.admin.refusal("POST", path) == (409, ["id"])
    api.clock.advance(2 * HOUR_MS - 1)
    assert [each.call("GET", "/3.0/stats/getbydate", params=DAY).status_code for each in (program, newer)] == [200, 200]
    api.clock.advance(1)
    assert [each.call("GET", "/3.0/stats/getbydate", params=DAY).status_code for each in (program, newer)] == [401, 200]


def test_key_first_rotated_stays_shown_and_old_one_ends(api: Api) -> None:
    _, client = api.add_affiliate()
    [first] = client.get("/3.1/auth/keys")["keys"]
    made = client.post(f"/3.1/auth/keys/{first['id']}/rotate", hours=1)["key"]
    newer = client.with_key(made["api_key"])
    assert made["first"] is True and newer.get("/3.1/partner/me")["user"]["api_key"] == made["api_key"]
    assert client.get("/3.1/partner/me")["user"]["api_key"] is None, "the old one makes and shows none any more"
    assert client.refusal("POST", "/3.1/partner/api_key") == (403, "scope.credentials")
    api.clock.advance(HOUR_MS)
    assert client.call("GET", "/3.1/partner/me").status_code == 401


def test_key_first_renewed_ends_what_it_replaced_and_keeps_others(api: Api) -> None:
    pid, client = api.add_affiliate()
    _, program = make(client, "read")
    [first, _] = client.get("/3.1/auth/keys")["keys"]
    newer = client.with_key(client.post(f"/3.1/auth/keys/{first['id']}/rotate")["key"]["api_key"])
    assert client.call("GET", "/3.1/partner/me").status_code == 200
    newest = client.with_key(renew_key(api.deps, pid))
    statuses = [each.call("GET", "/3.1/partner/me").status_code for each in (client, newer, newest, program)]
    assert statuses == [401, 401, 200, 200]


def test_key_first_cannot_be_limited_or_removed(api: Api) -> None:
    [first] = api.admin.get("/3.1/auth/keys")["keys"]
    path = f"/3.1/auth/keys/{first['id']}"
    assert api.admin.refusal("POST", path, data={"scopes[]": "read"}) == (400, ["id"])
    assert api.admin.refusal("DELETE", path) == (400, ["id"])


def test_key_edited_and_removed_holds_at_once(api: Api) -> None:
    made, program = make(api.admin, "read", days=1)
    path = f"/3.1/auth/keys/{made['id']}"
    changed = api.admin.post(path, **{"scopes[]": ["write"], "name": "import", "days": ""})["key"]
    assert (changed["name"], changed["scopes"], changed["expires_at"]) == ("import", ["write"], None)
    assert "api_key" not in changed
    assert program.refusal("GET", "/3.0/offers") == (403, "scope.read")
    assert api.admin.call("DELETE", path).json()["id"] == made["id"]
    assert program.call("GET", "/3.0/offers").status_code == 401
    assert api.admin.call("DELETE", path).status_code == 404


@pytest.mark.parametrize(
    ("params", "fields"),
    [
        ({"scopes[]": "read"}, ["name"]),
        ({"name": "x"}, ["scopes"]),
        ({"name": "x", "scopes[]": "stats"}, ["scopes"]),
        ({"name": "x", "scopes[]": "everything"}, ["scopes[0]"]),
        ({"name": "x", "scopes[]": "read", "networks": "here"}, ["networks[0]"]),
        ({"name": "x", "scopes[]": "read", "networks[]": ["192.0.2.0/24"] + [f"192.0.2.{n}" for n in range(51)]},
         ["networks"]),
        ({"name": "x", "scopes[]": "read", "days": 0}, ["days"]),
        ({"name": "x", "scopes[]": "read", "statistics_rows": "some"}, ["statistics_rows"]),
    ],
)  # fmt: skip
def test_key_with_wrong_parameter_is_rejected(api: Api, params: dict[str, Any], fields: list[str]) -> None:
    assert api.admin.refusal("POST", "/3.1/auth/keys", data=params) == (400, fields)


def test_key_beyond_the_number_of_an_account_is_rejected(api: Api) -> None:
    for _ in range(MAX_KEYS - 1):
        make(api.admin, "read")
    sent = {"name": "x", "scopes[]": "read"}
    assert api.admin.refusal("POST", "/3.1/auth/keys", data=sent) == (400, ["name"])


def test_key_of_another_account_is_not_found(api: Api) -> None:
    _, client = api.add_affiliate()
    made, program = make(api.admin, "read")
    path = f"/3.1/auth/keys/{made['id']}"
    for method, target in (("POST", path), ("POST", f"{path}/rotate"), ("DELETE", path)):
        assert client.call(method, target).status_code == 404
    assert client.call("GET", "/3.1/admin/keys").status_code == 403
    assert program.call("GET", "/3.0/offers").status_code == 200


def test_key_in_session_needs_the_password(api: Api) -> None:
    """A stolen session of hours must not become a key that lasts."""
    api.add_affiliate(email="ann@affiliate.example")
    session = signed_in(api, login="ann@affiliate.example", password="long-enough")
    sent = {"name": "x", "scopes[]": "read"}
    assert session.refusal("POST", "/3.1/auth/keys", data=sent) == (400, ["password"])
    assert session.refusal("POST", "/3.1/auth/keys", data=sent | {"password": "guess-1"}) == (400, ["password"])
    made = session.post("/3.1/auth/keys", **sent | {"password": "long-enough"})["key"]
    assert session.refusal("POST", f"/3.1/auth/keys/{made['id']}/rotate") == (400, ["password"])
    assert session.post(f"/3.1/auth/keys/{made['id']}/rotate", password="long-enough")["key"]["api_key"]


def test_key_of_others_is_managed_by_administrators(api: Api) -> None:
    pid, client = api.add_affiliate()
    staff_id, _ = api.add_staff(Role.SECTION_NEWS)
    for owner in ({"affiliate_id": pid}, {"user_id": staff_id}):
        sent = {"name": "program", "scopes[]": "read"} | owner
        made = api.admin.post("/3.1/admin/keys", **sent)["key"]
        assert api.admin.with_key(made["api_key"]).call("GET", "/3.0/news").status_code == 200
        path = f"/3.1/admin/keys/{made['id']}"
        assert api.admin.post(path, name="other")["key"]["name"] == "other"
        successor = api.admin.post(f"{path}/rotate", hours=0)["key"]
        assert api.admin.with_key(made["api_key"]).call("GET", "/3.0/news").status_code == 401
        listed = api.admin.get("/3.1/admin/keys", **owner)["keys"]
        assert {each["id"] for each in listed if not each["first"]} == {made["id"], successor["id"]}
        assert api.admin.call("DELETE", f"/3.1/admin/keys/{successor['id']}").status_code == 200
    assert client.call("GET", "/3.1/partner/me").status_code == 200
    for owner, field in (({}, "user_id"), ({"affiliate_id": 99}, "affiliate_id"), ({"user_id": "f" * 24}, "user_id")):
        sent = {"name": "x", "scopes[]": "read"} | owner
        assert api.admin.refusal("POST", "/3.1/admin/keys", data=sent) == (400, [field])


def test_key_overrides_statistics_switches_of_its_owner(api: Api) -> None:
    _, program = make(api.admin, "read", statistics_rows="plain", statistics_revenue="payout")
    api.admin.get("/3.1/stats/getbydate", **DAY)
    from trackyard.actions.people.callers import find_caller
    from trackyard.actions.statistics.reports import switches_of

    first = find_caller(api.deps.database, api.clock, "ad" * 20)
    assert first is not None
    plain = switches_of(api.deps, first)
    assert (plain.statistics_rows, plain.statistics_revenue) == ("full", "advertiser")
    assert program.call("GET", "/3.1/stats/getbydate", params=DAY).status_code == 200
