"""The calling staff user shown to itself."""

from tests.support.api import Api
from trackyard.domain.people.roles import Role


def test_own_user_is_shown_without_its_key(api: Api) -> None:
    number, client = api.add_staff(Role.SECTION_NEWS)
    for version in ("3.0", "3.1"):
        own = client.get(f"/{version}/user/me")["user"]
        assert (own["id"], own["roles"], own["api_key"]) == (number, ["ROLE_SECTION_NEWS"], None)
    shown = api.admin.get(f"/3.1/admin/user/{number}")["user"]
    assert {**shown, "api_key": None} == own
    _, affiliate = api.add_affiliate()
    assert affiliate.call("GET", "/3.1/user/me").status_code == 403
