"""One's own account on a page."""

import re
from dataclasses import replace

from tests.support.api import PASSWORD as AFFILIATE_PASSWORD
from tests.support.api import Api
from tests.support.pages import (
    PASSWORD,
    PageReader,
    Visitor,
    advertiser_visitor,
    affiliate_visitor,
    console_app,
    staff_visitor,
)
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.domain.people.sessions import SecondFactorRule, SessionPolicy

NEW = "another long password"


def test_password_changes_with_the_present_one_and_ends_other_sessions(api: Api) -> None:
    app = console_app(api)
    visitor, other = staff_visitor(api, app=app), Visitor(app)
    other.sign_in(visitor.login)
    wrong = visitor.post("/console/profile/password", password="wrong", new_password=NEW, again=NEW)
    assert wrong.status_code == 400 and "This is not the password of your account." in wrong.text
    different = visitor.post("/console/profile/password", password=PASSWORD, new_password=NEW, again="else")
    assert "The two passwords differ." in different.text
    common = visitor.post("/console/profile/password", password=PASSWORD, new_password="password1", again="password1")
    assert "at least 12 characters" in common.text
    answer = visitor.post("/console/profile/password", password=PASSWORD, new_password=NEW, again=NEW)
    assert answer.headers["location"] == "/console/profile"
    assert "Your password is changed." in visitor.read("/console/profile").text
    assert other.get("/console/profile").status_code == 303
    assert Visitor(app).sign_in(visitor.login, NEW).status_code == 303


def test_api_key_is_shown_after_the_password_alone(api: Api) -> None:
    visitor = staff_visitor(api)
    [key] = [each["api_key"] for each in api.admin.get("/3.0/admin/users")["users"] if each["email"] == visitor.login]
    key = f"<code>{key}</code>"
    assert key not in visitor.get("/console/profile").text
    assert key not in visitor.post("/console/profile/key", password="wrong").text
    assert key in visitor.post("/console/profile/key", password=PASSWORD).text
    assert key not in visitor.get("/console/profile").text


def test_affiliates_and_advertisers_replace_their_api_key(api: Api) -> None:
    for (_, visitor), root, password, ask in (
        (affiliate_visitor(api), "/portal/profile", AFFILIATE_PASSWORD, "/3.1/partner/me"),
        (advertiser_visitor(api), "/advertiser/profile", PASSWORD, "/3.1/advertiser/me"),
    ):
        assert "Replace the API key" in visitor.read(root).text
        assert visitor.post(f"{root}/key/renew").headers["location"] == root
        assert "You have a new API key." in visitor.read(root).text
        [old] = _shown_keys(visitor, root, password)
        assert api.admin.with_key(old).call("GET", ask).status_code == 200
        visitor.post(f"{root}/key/renew")
        [new] = _shown_keys(visitor, root, password)
        assert new != old and api.admin.with_key(new).call("GET", ask).status_code == 200
        assert api.admin.with_key(old).call("GET", ask).status_code == 401
    staff = staff_visitor(api)
    assert "Replace the API key" not in staff.read("/console/profile").text
    assert staff.post("/console/profile/key/renew").status_code == 404


def _shown_keys(visitor: Visitor, root: str, password: str) -> list[str]:
    shown: str = visitor.post(f"{root}/key", password=password).text
    return re.findall(r"<code>(\w{20,})</code>", shown)


def test_second_factor_is_set_up_and_removed_on_the_page(api: Api) -> None:
    visitor = staff_visitor(api)
    form = PageReader(visitor.post("/console/profile/second-factor", password=PASSWORD).text)
    secret, url = form.fields["secret"], form.fields["url"]
    wrong = visitor.post("/console/profile/second-factor/confirm", secret=secret, url=url, otp="000000")
    assert wrong.status_code == 400 and PageReader(wrong.text).fields["secret"] == secret
    code = code_at(secret, api.clock.now_ms() // 1000 // STEP_S)
    page = visitor.post("/console/profile/second-factor/confirm", secret=secret, url=url, otp=code)
    assert "10 recovery codes are left." in page.text
    codes = visitor.post("/console/profile/second-factor/codes", password=PASSWORD)
    assert "Your recovery codes" in codes.text
    visitor.post("/console/profile/second-factor/remove", password=PASSWORD)
    assert "Set up the second factor" in visitor.read("/console/profile").text


def test_sign_out_everywhere_ends_all_sessions(api: Api) -> None:
    app = console_app(api)
    visitor, other = staff_visitor(api, app=app), Visitor(app)
    other.sign_in(visitor.login)
    page = visitor.read("/console/profile")
    assert page.words.count("this browser") == 1 and "2 open" in page.text
    answer = visitor.post("/console/profile/sessions/end")
    assert answer.headers["location"] == "/sign-in"
    assert {each.get("/console/profile").status_code for each in (visitor, other)} == {303}


def test_one_session_ends_and_the_others_stay(api: Api) -> None:
    app = console_app(api)
    visitor, other = staff_visitor(api, app=app), Visitor(app)
    other.sign_in(visitor.login)
    [path] = [
        given["action"]
        for tag, given in visitor.read("/console/profile").elements
        if tag == "form" and re.search("/sessions/[0-9a-f]{24}/end", given.get("action", ""))
    ]
    assert visitor.post(path).headers["location"] == "/console/profile"
    assert other.get("/console/profile").status_code == 303
    assert visitor.get("/console/profile").status_code == 200


def test_administrator_changes_own_name_and_others_do_not(api: Api) -> None:
    visitor = staff_visitor(api)
    name = "<b>Ada</b>"
    answer = visitor.post("/console/profile/name", first_name=name, last_name="Operator")
    assert answer.status_code == 303
    page = visitor.get("/console/profile").text
    assert name not in page and "&lt;b&gt;Ada" in page
    other = staff_visitor(api, Role.SECTION_STATS)
    assert "An administrator changes your name" in other.read("/console/profile").text
    token = other.read("/console/profile").fields["form_token"]
    sent = {"first_name": "A", "last_name": "B", "form_token": token}
    assert other.client.post("/console/profile/name", data=sent).status_code == 403


def test_affiliate_has_the_page_in_the_portal(api: Api) -> None:
    api.add_affiliate(email="known@x.example", login="known")
    visitor = Visitor(console_app(api))
    visitor.sign_in("known", AFFILIATE_PASSWORD)
    page = visitor.read("/portal/profile")
    assert "known@x.example" in page.text
    sent = {"form_token": page.fields["form_token"], "email": "new@x.example", "password": "wrong"}
    wrong = visitor.client.post("/portal/profile/email", data=sent)
    assert PageReader(wrong.text).fields["email"] == "new@x.example"
    asked = visitor.client.post("/portal/profile/email", data=sent | {"password": AFFILIATE_PASSWORD})
    assert asked.headers["location"] == "/portal/profile"
    assert visitor.get("/console/profile").status_code == 403


def test_session_that_needs_second_factor_is_led_to_the_profile(api: Api) -> None:
    policy = SessionPolicy(second_factor=SecondFactorRule.ADMINISTRATORS)
    visitor = staff_visitor(replace(api, deps=replace(api.deps, sessions=policy)))
    refused = visitor.read("/console/", 403)
    assert "/console/profile" in refused.links
    page = visitor.read("/console/profile")
    assert "Your role needs one" in page.text


"""What another encoder draws for the text."""


def test_chosen_zone_language_and_keys_hold_on_every_page_of_the_person(api: Api) -> None:
    visitor = staff_visitor(api)
    assert '<html lang="ru">' in visitor.get("/console/profile", headers={"Accept-Language": "ru"}).text
    sent = {"timezone": "Europe/Lisbon", "language": "es"}
    assert visitor.post("/console/profile/preferences", **sent).headers["location"] == "/console/profile"
    page = visitor.get("/console/offers", headers={"Accept-Language": "ru"}).text
    assert '<html lang="es">' in page and "data-no-keys" in page and "Lisbon" in page
    assert "New York" in visitor.get("/console/offers?tz=America/New_York").text
    refused = visitor.post("/console/profile/preferences", timezone="Mars/Olympus", single_keys="1")
    assert refused.status_code == 400 and "IANA time zone" in refused.text
