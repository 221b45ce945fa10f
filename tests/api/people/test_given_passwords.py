"""A password that the program makes and gives to a person works 24 hours, and is changed first.

docs/spec/callers.md#passwords-that-are-given
"""

import re
from typing import Any

import pytest

from tests.api.people.test_owner_notices import NEW, Owner, given_password, owner_of
from tests.support.api import Api
from tests.support.pages import Visitor, console_app
from tests.support.processes.mails import mails
from trackyard.actions.people.sign_in.passwords import GIVEN_MS
from trackyard.api.catalogue import CATALOGUE

DOORS = {
    "staff": "admin/user/{id}/password",
    "affiliate": "admin/partner/password/{id}",
    "advertiser": "admin/advertiser/{id}/sendpass",
}
ALLOWED = {"auth.password.change", "auth.sign-out"}


def given(api: Api, owner: Owner) -> str:
    """Give the owner a password; the mail has it, and the answer of the public API too."""
    before = {each for mail in mails(api) for each in re.findall(r"password:\n\n(\S+)", mail.body)}
    answer = api.admin.post(f"/3.1/{DOORS[owner.kind].format(id=owner.id)}")
    found = given_password(api, *before)
    if owner.kind == "affiliate":
        assert (answer["password"], answer["partner"]["password"]) == (found, found)
    return str(found)


def sign_in(api: Api, owner: Owner, password: str) -> Any:
    client = api.admin.with_key(None)
    if owner.kind == "advertiser":
        return client.call("POST", "/3.1/advertiser/login", data={"email": owner.email, "password": password})
    return client.call("POST", "/3.1/auth", data={"login": owner.email, "password": password})


def key_of(answer: Any) -> str:
    body = answer.json()
    return str(body.get("access_token") or body["api_key"])


@pytest.mark.parametrize("kind", DOORS)
def test_session_of_a_given_password_only_chooses_another_one(api: Api, kind: str) -> None:
    owner = owner_of(api, kind)
    password = given(api, owner)
    session = api.admin.with_key(key_of(sign_in(api, owner, password)))
    caller = api.caller_of(session)
    refused = 0
    for endpoint in CATALOGUE:
        if endpoint.admits(caller) and not endpoint.is_public and endpoint.id not in ALLOWED:
            path = re.sub(r"\{\w+\}", "1", endpoint.path)
            code = session.refusal(endpoint.method, f"/{endpoint.versions[-1]}{path}")
            assert code == (403, "password_change_required"), endpoint.id
            refused += 1
    assert refused > (10 if kind == "advertiser" else 60), refused
    text = session.call("GET", "/3.1/auth/sessions").json()["message"]
    assert "POST /auth/password" in text or "POST /auth/password" in str(text)
    session.post("/3.1/auth/password", password=password, new_password=NEW)
    assert session.call("GET", "/3.1/auth/sessions").status_code == 200
    assert sign_in(api, owner, NEW).status_code == 200


def test_advertiser_with_a_given_password_gets_no_lasting_key(api: Api) -> None:
    owner = owner_of(api, "advertiser")
    body = sign_in(api, owner, given(api, owner)).json()
    assert set(body) == {"user", "access_token", "refresh_token", "expires_in"}
    assert body["user"]["api_key"] == body["access_token"] != owner.key.key


@pytest.mark.parametrize("kind", DOORS)
def test_given_password_ends_after_a_day_with_words_that_say_what_to_do(api: Api, kind: str) -> None:
    owner = owner_of(api, kind)
    password = given(api, owner)
    api.clock.advance(GIVEN_MS - 1)
    assert sign_in(api, owner, password).status_code == 200
    api.clock.advance(1)
    answer = sign_in(api, owner, password)
    assert (answer.status_code, answer.json()["code"]) == (401, "password_ended")
    assert "Forgot your password?" in answer.text
    shown = Visitor(console_app(api)).sign_in(owner.email, password)
    assert shown.status_code == 401
    assert "worked for 24 hours" in shown.text
    wrong = Visitor(console_app(api)).sign_in(owner.email, "another password")
    assert "worked for 24 hours" not in wrong.text


@pytest.mark.parametrize("kind", DOORS)
def test_pages_lead_to_the_choice_of_a_password_first(api: Api, kind: str) -> None:
    owner = owner_of(api, kind)
    password = given(api, owner)
    visitor = Visitor(console_app(api))
    assert visitor.sign_in(owner.email, password).status_code == 303
    for path in (f"{owner.home}/", f"{owner.home}/profile", "/console/offers", "/sign-in/keys", "/nothing/else"):
        answer = visitor.get(path)
        assert answer.status_code == 404 or answer.headers["location"] == "/sign-in/choose", path
    form = visitor.read("/sign-in/choose")
    assert "was given to you" in form.text
    sent = {"form_token": form.fields["form_token"], "password": password, "new_password": NEW}
    assert visitor.post("/sign-in/choose", **sent, again="other").status_code == 400
    short = visitor.post("/sign-in/choose", **sent | {"new_password": "short", "again": "short"})
    assert (short.status_code, "at least 12" in short.text) == (400, True)
    done = visitor.post("/sign-in/choose", **sent, again=NEW)
    assert (done.status_code, done.headers["location"]) == (303, f"{owner.home}/")
    assert visitor.get(f"{owner.home}/").status_code == 200


def test_lasting_keys_go_on_while_a_given_password_waits(api: Api) -> None:
    owner = owner_of(api, "affiliate")
    given(api, owner)
    assert owner.key.call("GET", "/3.1/partner/me").status_code == 200


@pytest.mark.parametrize("kind", ["staff", "affiliate"])
def test_reset_shows_the_lasting_keys_and_ends_them(api: Api, kind: str) -> None:
    owner = owner_of(api, kind)
    made = [owner.key.post("/3.1/auth/keys", **{"name": f"key {each}", "scopes[]": "read"})["key"] for each in "abc"]
    visitor = Visitor(console_app(api))
    visitor.client.post("/sign-in/forgotten", data={"login": owner.email})
    [mailed] = [each.body for each in mails(api) if "token=" in each.body]
    token = mailed.partition("token=")[2].split()[0]
    answer = visitor.client.post("/sign-in/link", data={"token": token, "password": NEW, "again": NEW})
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in/keys")
    page = visitor.read("/sign-in/keys")
    assert all(each in page.text for each in ("First key", "key a", "key b", "key c", "End all of them"))
    token = page.fields["form_token"]

    def works() -> list[int]:
        clients = [owner.key, *(api.admin.with_key(each["api_key"]) for each in made)]
        return [each.call("GET", "/3.1/news").status_code for each in clients]

    assert visitor.post("/sign-in/keys", form_token=token, id=made[1]["id"]).status_code == 303
    assert works() == [200, 200, 401, 200]
    assert visitor.post("/sign-in/keys", form_token=token, id="").status_code == 303
    assert works() == [200 if kind == "staff" else 401, 401, 401, 401]
    assert "First key" in visitor.read("/sign-in/keys").text
