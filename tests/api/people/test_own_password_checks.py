"""The password of an account that is signed in: tries are counted, and checked one at a time."""

import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import pytest

from tests.support.api import PASSWORD, Api
from tests.support.waiting import wait_until
from trackyard.actions.people import credentials
from trackyard.actions.people.credentials import check_own_password
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.errors import BadInput, TooManyRequests
from trackyard.domain.people.callers import Account
from trackyard.wire.request.params import fields_of

TRIES: Final = 3
NEW: Final = {"new_password": "a long enough password", "password_repeat": "a long enough password"}
METHODS: Final[dict[str, dict[str, str]]] = {
    "/3.1/auth/api_key/show": {},
    "/3.1/auth/password": NEW,
    "/3.1/auth/keys": {"name": "reports", "scopes[]": "read"},
    "/3.1/partner/email": {"email": "other@affiliate.example"},
    "/3.1/auth/second_factor": {},
    "/3.1/auth/second_factor/recovery_codes": {},
    "/3.1/auth/second_factor/disable": {},
}
"""What an affiliate sends with its password."""

OF_THINGS: Final = {
    "/3.1/auth/keys/{id}/rotate", "/3.1/partner/payment_systems", "/3.1/admin/keys", "/3.1/admin/keys/{id}/rotate",
    "/3.1/admin/held-changes/{id}/confirm", "/3.1/admin/settings", "/3.1/people/{id}/owner",
}  # fmt: skip
"""Methods that check the same password (`check_own_password`) for a thing, or for staff alone."""
SET_BY_STAFF: Final = {
    "/3.1/admin/partner", "/3.1/admin/partner/{id}", "/3.1/admin/user", "/3.1/admin/user/{id}",
    "/3.1/admin/user/{id}/password",
}  # fmt: skip
"""Methods with which staff set the password of another account."""


def test_every_method_with_a_password_of_a_caller_is_known() -> None:
    found = {
        f"/3.1{each.path}"
        for each in CATALOGUE
        if not each.is_public and any(field.name == "password" for field in fields_of(each.params))
    }
    assert found == METHODS.keys() | OF_THINGS | SET_BY_STAFF
    assert len(found) == 19


@pytest.mark.parametrize("path", METHODS)
def test_tries_of_ones_own_password_are_counted_by_every_method(
    api: Api, monkeypatch: pytest.MonkeyPatch, path: str
) -> None:
    monkeypatch.setattr(credentials, "TRIES_PER_ACCOUNT", TRIES)
    _, client = api.add_affiliate()
    _, session = api.open_session(client)
    sent = METHODS[path] | {"password": "wrong"}
    found = [session.refusal("POST", path, data=sent) for _ in range(TRIES + 1)]
    assert found == [(400, ["password"])] * TRIES + [(429, "too_many_requests")]
    assert session.refusal("POST", path, data=sent | {"password": PASSWORD})[0] == 429


def test_one_request_at_a_time_checks_the_password_of_an_account(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    go, begun = threading.Event(), list[int]()

    def held(_password: str, _hashed: str) -> bool:
        begun.append(1)
        assert go.wait(60)
        return False

    monkeypatch.setattr(credentials, "password_matches", held)
    accounts = [api.caller_of(api.add_affiliate()[1]).account for _ in range(2)]

    def check(account: Account) -> None:
        check_own_password(api.deps, account, "wrong", "192.0.2.1")

    with ThreadPoolExecutor(2) as threads:
        first = threads.submit(check, accounts[0])
        wait_until(lambda: len(begun) == 1)
        with pytest.raises(TooManyRequests, match="another request checks your password now"):
            check(accounts[0])
        other = threads.submit(check, accounts[1])
        wait_until(lambda: len(begun) == 2)
        go.set()
        for each in (first, other):
            with pytest.raises(BadInput):
                each.result()
    with pytest.raises(BadInput):
        check(accounts[0])
