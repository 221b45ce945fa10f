"""What people choose for their own pages."""

import pytest

from tests.support.api import Api
from trackyard.domain.people.preferences import find_language

DEFAULTS = {"timezone": "", "language": "", "single_keys": True, "pages": {}}


def test_preferences_of_each_account_are_its_own_and_change_field_by_field(api: Api) -> None:
    _, affiliate = api.add_affiliate()
    assert affiliate.get("/3.1/auth/preferences")["preferences"] == DEFAULTS
    changed = {"timezone": "Europe/Lisbon", "language": "es", "single_keys": "0", "pages[offers]": "cr,epc"}
    shown = {"timezone": "Europe/Lisbon", "language": "es", "single_keys": False, "pages": {"offers": "cr,epc"}}
    assert affiliate.post("/3.1/auth/preferences", **changed)["preferences"] == shown
    assert affiliate.get("/3.1/auth/preferences")["preferences"] == shown
    assert api.admin.get("/3.1/auth/preferences")["preferences"] == DEFAULTS
    after = affiliate.post("/3.1/auth/preferences", **{"timezone": "", "pages[offers]": "", "pages[clicks]": "ip"})
    assert after["preferences"] == shown | {"timezone": "", "pages": {"clicks": "ip"}}


@pytest.mark.parametrize(
    ("name", "value"), [("timezone", "Mars/Olympus"), ("language", "de"), ("pages[offers]", "x" * 2001)]
)
def test_preference_outside_of_its_values_is_refused_at_its_field(api: Api, name: str, value: str) -> None:
    refused = api.admin.call("POST", "/3.1/auth/preferences", data={name: value})
    assert refused.status_code == 400
    assert list(refused.json()["fields"]) == [name]


def test_preferences_are_kept_for_fifty_pages_and_go_with_their_staff_user(api: Api) -> None:
    staff_id, mia = api.add_staff()
    mia.post("/3.1/auth/preferences", **{f"pages[p{number}]": "a" for number in range(50)})
    assert mia.call("POST", "/3.1/auth/preferences", data={"pages[one-more]": "a"}).status_code == 400
    api.admin.post(f"/3.1/admin/user/{staff_id}/remove")
    with api.deps.database.read() as conn:
        assert conn.exec_driver_sql("SELECT count(*) FROM preference").scalar_one() == 0


@pytest.mark.parametrize(
    ("header", "expected"),
    [
        ("", "en"),
        ("de, fr;q=0.9", "en"),
        ("ru-RU,ru;q=0.9,en;q=0.8", "ru"),
        ("en;q=0.5, es-MX;q=0.7", "es"),
        ("es;q=0, ru;q=bad", "en"),
        ("de," * 40 + "es", "en"),
    ],
)
def test_language_is_the_one_that_the_browser_prefers_of_ours(header: str, expected: str) -> None:
    assert find_language(header) == expected
