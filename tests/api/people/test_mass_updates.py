"""Changes of several affiliates at once, and of the language and zone of one."""

from tests.support.api import Api
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Role
from trackyard.store.people.preferences import find_preferences


def test_mass_update_changes_status_and_manager_of_all_named(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_AFFILIATE)
    first, second, other = (api.add_affiliate()[0] for _ in range(3))
    answer = api.admin.post(
        "/3.0/admin/partners/mass-update", **{"id[]": [first, second], "status": "banned", "manager_id": manager}
    )
    assert answer == {"status": 1}
    shown = {row["id"]: row for row in api.admin.get("/3.0/admin/partners")["partners"]}
    assert [shown[each]["status"] for each in (first, second, other)] == ["banned", "banned", "active"]
    assert [shown[each]["manager"]["id"] for each in (first, second)] == [manager, manager]
    api.admin.post("/3.1/admin/partners/mass-update", **{"id[]": [first], "manager_id": ""})
    assert api.admin.get(f"/3.0/admin/partner/{first}")["partner"]["status"] == "banned"
    assert api.admin.get(f"/3.0/admin/partner/{first}")["partner"]["manager"] is None


def test_mass_update_with_an_unknown_affiliate_changes_none(api: Api) -> None:
    pid, _ = api.add_affiliate()
    answer = api.admin.call("POST", "/3.0/admin/partners/mass-update", data={"id[]": [pid, 987654], "status": "banned"})
    assert answer.status_code == 400
    assert answer.json()["fields"] == {"id": ["An affiliate 987654 does not exist."]}
    assert api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["status"] == "active"


def test_mass_update_of_a_manager_reaches_own_affiliates_alone(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(manager_id=manager)
    foreign, _ = api.add_affiliate()
    answer = client.call("POST", "/3.0/admin/partners/mass-update", data={"id[]": [own, foreign], "status": "banned"})
    assert answer.json()["fields"] == {"id": [f"An affiliate {foreign} does not exist."]}
    assert client.post("/3.0/admin/partners/mass-update", **{"id[]": [own], "status": "banned"}) == {"status": 1}


def test_locale_of_affiliate_is_that_of_its_pages(api: Api) -> None:
    pid, _ = api.add_affiliate()
    account = Account(AccountKind.AFFILIATE, str(pid))
    answer = api.admin.post(f"/3.0/admin/partner/{pid}/locale", lang="es", timezone="Europe/Madrid")
    assert answer == {"status": 1, "message": "updated"}
    api.admin.post(f"/3.1/admin/partner/{pid}/locale", lang="ru")
    with api.deps.database.read() as conn:
        kept = find_preferences(conn, account)
    assert (kept.language, kept.timezone) == ("ru", "Europe/Madrid")
    wrong = api.admin.call("POST", f"/3.0/admin/partner/{pid}/locale", data={"lang": "xx", "timezone": "Mars/Base"})
    assert set(wrong.json()["fields"]) == {"lang", "timezone"}


def test_api_key_path_with_hyphen_renews_the_key(api: Api) -> None:
    pid, client = api.add_affiliate()
    renewed = client.post("/3.1/partner/api-key")["user"]
    assert renewed["id"] == str(pid)
    assert client.call("GET", "/3.1/partner/me").status_code == 401
    assert client.with_key(renewed["api_key"]).get("/3.1/partner/me")["user"]["partner_id"] == pid
