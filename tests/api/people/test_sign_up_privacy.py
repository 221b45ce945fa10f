"""Sign-up by strangers shows nothing of which accounts exist, and owners get mail."""

from typing import Any

import pytest

from tests.support.api import Api
from tests.support.events import make_notices
from trackyard.actions.people.credentials import TRIES_PER_ACCOUNT
from trackyard.actions.people.sign_in.by_password import sign_in
from trackyard.base.errors import TooManyRequests, WrongCredentials
from trackyard.store.platform import mail

EMAIL, PASSWORD = "ann@affiliate.example", "long enough for all"
DAY = 86_400_000


def sign_up(api: Api, **params: Any) -> dict[str, Any]:
    sent = {"email": "new@affiliate.example", "password": PASSWORD} | params
    user: dict[str, Any] = api.admin.with_key(None).post("/3.1/partner", **sent)["user"]
    return user


def mails(api: Api) -> list[tuple[str, str]]:
    """Recipient and subject of the queued mail, which is removed."""
    make_notices(api.deps.database, api.clock.now_ms())
    found = []
    with api.deps.database.write() as conn:
        while (item := mail.claim(conn, api.clock.now_ms(), 1)) is not None:
            found.append((item.recipient, item.subject))
            mail.remove(conn, item.id)
    return found


@pytest.mark.parametrize(
    ("taken", "recipient", "subject"),
    [
        ({"email": "ANN@affiliate.example"}, EMAIL, "You have an account already"),
        ({"email": "sue@staff.example"}, "sue@staff.example", "You have an account already"),
        ({"login": "ann"}, "new@affiliate.example", "Your sign-up needs another login"),
    ],
)
def test_sign_up_with_taken_name_is_answered_as_any_other(
    api: Api, taken: dict[str, str], recipient: str, subject: str
) -> None:
    api.add_affiliate(email=EMAIL, login="Ann")
    api.admin.post("/3.0/admin/user", email="sue@staff.example", password="mustard", first_name="S", last_name="S")
    free = sign_up(api, email="free@affiliate.example", login="free")
    assert mails(api) == [("free@affiliate.example", "Confirm your e-mail address")]
    refused = sign_up(api, **taken)
    assert mails(api) == [(recipient, subject)]
    after = sign_up(api, email="after@affiliate.example")
    assert refused.keys() == free.keys()
    assert (refused["status"], len(refused["api_key"])) == (free["status"], len(free["api_key"]))
    numbers = [user["partner_id"] for user in (free, refused, after)]
    assert numbers == list(range(numbers[0], numbers[0] + 3)), "numbers do not tell either"
    assert (refused["email"], refused["id"]) == (taken.get("email", "new@affiliate.example").lower(), str(numbers[1]))
    for user in (free, refused):
        assert api.admin.with_key(user["api_key"]).call("GET", "/3.1/partner/me").status_code == 401
        login = {"login": user["email"], "password": PASSWORD}
        assert api.admin.refusal("POST", "/3.1/auth", data=login) == (401, "wrong_credentials")
    assert api.admin.call("GET", f"/3.0/admin/partner/{numbers[1]}").status_code == 404
    assert api.admin.get("/3.0/admin/partners")["pagination"]["total_count"] == 3


def test_sign_up_notice_is_sent_once_a_day(api: Api) -> None:
    api.add_affiliate(email=EMAIL)
    for advanced, expected in ((0, 1), (DAY - 1, 0), (1, 1)):
        api.clock.advance(advanced)
        sign_up(api, email=EMAIL)
        assert len(mails(api)) == expected


def test_sign_in_failed_attempts_are_mailed_to_the_owner_once_a_day(api: Api) -> None:
    api.add_affiliate(email=EMAIL, login="Ann")
    mails(api)

    def attack() -> None:
        for number in range(TRIES_PER_ACCOUNT + 3):
            with pytest.raises((WrongCredentials, TooManyRequests)):
                sign_in(api.deps, "Ann", "guess", f"198.51.100.{number}")

    for _ in range(TRIES_PER_ACCOUNT):
        with pytest.raises(WrongCredentials):
            sign_in(api.deps, EMAIL, "guess", "198.51.100.1")
    assert mails(api) == []
    attack()
    assert mails(api) == [(EMAIL, "Failed attempts to sign in to your account")]
    api.clock.advance(DAY // 2)
    attack()
    assert mails(api) == []
    api.clock.advance(DAY // 2)
    attack()
    assert len(mails(api)) == 1
