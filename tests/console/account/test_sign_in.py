"""Signing in and out by the page."""

from dataclasses import replace

import pytest

from tests.support.api import PASSWORD as AFFILIATE_PASSWORD
from tests.support.api import Api
from tests.support.client import ApiClient
from tests.support.pages import PageReader, Visitor, console_app, staff_visitor
from trackyard.console.account.sign_in import CODE_MS, WRONG
from trackyard.domain.people.one_time_codes import STEP_S, code_at
from trackyard.domain.people.roles import Role
from trackyard.domain.people.sessions import SecondFactorRule, SessionPolicy


@pytest.fixture
def stranger(api: Api) -> Visitor:
    """A visitor who is not signed in."""
    return Visitor(console_app(api))


def test_page_without_session_leads_to_sign_in_and_back(api: Api, stranger: Visitor) -> None:
    answer = stranger.get("/console/?period=7d")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in?next=%2Fconsole%2F%3Fperiod%3D7d")
    form = stranger.read(answer.headers["location"])
    assert form.fields["next"] == "/console/?period=7d"
    signed_in = staff_visitor(api)
    signed_in.post("/sign-out")
    answer = signed_in.sign_in(signed_in.login, next=form.fields["next"])
    assert answer.headers["location"] == "/console/?period=7d"


@pytest.mark.parametrize(
    "wanted",
    [
        "https://evil.example/",
        "//evil.example/",
        "/\\evil.example",
        "/console//evil",
        "/portal/",
        "/3.0/offers",
        "javascript:1",
    ],
)
def test_sign_in_leads_to_pages_of_ones_own_kind_only(api: Api, wanted: str) -> None:
    visitor = staff_visitor(api)
    assert visitor.sign_in(visitor.login, next=wanted).headers["location"] == "/console/"


@pytest.mark.parametrize(("login", "password"), [("nobody@x.example", "wrong"), ("known", "wrong")])
def test_sign_in_says_the_same_for_unknown_accounts_and_wrong_passwords(
    api: Api, stranger: Visitor, login: str, password: str
) -> None:
    api.add_affiliate(email="known@x.example", login="known")
    answer = stranger.sign_in(login, password)
    page = PageReader(answer.text)
    assert answer.status_code == 401
    assert WRONG in page.text
    assert page.fields["login"] == login
    assert "set-cookie" not in answer.headers


def test_sign_in_leads_affiliates_to_portal(api: Api, stranger: Visitor) -> None:
    api.add_affiliate(email="known@x.example", login="known")
    assert stranger.sign_in("known", AFFILIATE_PASSWORD).headers["location"] == "/portal/"
    assert stranger.get("/console/").status_code == 403


def test_sign_in_throttles_and_names_the_delay(api: Api, stranger: Visitor) -> None:
    api.add_affiliate(email="known@x.example", login="known")
    for _ in range(50):
        answer = stranger.sign_in("known", "wrong")
        if answer.status_code == 429:
            break
    assert answer.status_code == 429
    assert "Too many attempts. Try again in " in answer.text


def test_sign_in_asks_for_code_of_second_factor(api: Api, stranger: Visitor) -> None:
    _, client = api.add_affiliate(email="known@x.example", login="known")
    codes = _second_factor(api, client)
    asked = stranger.sign_in("known", AFFILIATE_PASSWORD)
    step = PageReader(asked.text).fields["step"]
    assert AFFILIATE_PASSWORD not in asked.text
    assert "set-cookie" not in asked.headers
    wrong = stranger.client.post("/sign-in", data={"step": step, "otp": "000000"})
    assert wrong.status_code == 401
    assert "This code is wrong" in wrong.text
    right = stranger.client.post("/sign-in", data={"step": PageReader(wrong.text).fields["step"], "otp": codes[0]})
    assert right.headers["location"] == "/portal/"


def test_sign_in_forgets_password_of_second_factor_after_five_minutes(api: Api, stranger: Visitor) -> None:
    _, client = api.add_affiliate(email="known@x.example", login="known")
    codes = _second_factor(api, client)
    step = PageReader(stranger.sign_in("known", AFFILIATE_PASSWORD).text).fields["step"]
    api.clock.advance(CODE_MS + 1)
    late = stranger.client.post("/sign-in", data={"step": step, "otp": codes[0]})
    assert late.status_code == 400
    assert "password" in PageReader(late.text).fields
    assert stranger.client.post("/sign-in", data={"step": "forged", "otp": codes[0]}).status_code == 400


def test_sign_out_ends_session_for_good(api: Api) -> None:
    visitor = staff_visitor(api)
    cookie = visitor.client.cookies["trackyard"]
    answer = visitor.post("/sign-out")
    assert (answer.status_code, answer.headers["location"]) == (303, "/sign-in")
    assert "trackyard" not in visitor.client.cookies
    visitor.client.cookies.set("trackyard", cookie)
    assert visitor.get("/console/").status_code == 303


def test_key_of_a_browser_opens_no_method_of_the_api(api: Api) -> None:
    visitor = staff_visitor(api)
    cookie = visitor.client.cookies["trackyard"]
    answer = visitor.client.get("/3.0/offers", headers={"API-Key": cookie})
    assert answer.status_code == 401
    assert visitor.client.get("/3.0/offers").status_code == 401


def test_session_of_the_api_opens_no_page(api: Api, stranger: Visitor) -> None:
    _, client = api.add_staff(Role.ADMIN)
    _, session = api.open_session(client)
    stranger.client.cookies.set("trackyard", session.key or "")
    assert stranger.get("/console/").status_code == 303


def test_cookie_of_https_is_bound_to_its_host(api: Api) -> None:
    visitor = Visitor(console_app(api), "https://console.example")
    api.add_affiliate(email="known@x.example", login="known")
    cookie = visitor.sign_in("known", AFFILIATE_PASSWORD).headers["set-cookie"]
    name, _, rest = cookie.partition("=")
    assert name == "__Host-trackyard"
    assert {"HttpOnly", "Path=/", "SameSite=lax", "Secure"} <= {part.strip() for part in rest.split(";")}


@pytest.mark.parametrize(
    "headers", [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"}]
)
def test_form_of_another_site_is_refused(api: Api, headers: dict[str, str]) -> None:
    visitor = staff_visitor(api)
    assert visitor.post("/sign-out", headers=headers).status_code == 403
    assert visitor.get("/console/").status_code == 200


def test_form_without_token_of_its_session_is_refused(api: Api) -> None:
    visitor, other = staff_visitor(api), staff_visitor(api)
    token = PageReader(other.get("/console/").text).fields["form_token"]
    for sent in ("", token):
        answer = visitor.post("/sign-out", form_token=sent)
        assert answer.status_code == 403
        assert "This form is too old" in answer.text


def test_session_that_needs_second_factor_sees_no_page_of_staff(api: Api) -> None:
    policy = SessionPolicy(second_factor=SecondFactorRule.ADMINISTRATORS)
    strict = replace(api, deps=replace(api.deps, sessions=policy))
    answer = staff_visitor(strict).get("/console/")
    assert answer.status_code == 403
    assert "need a second factor" in answer.text


def _second_factor(api: Api, client: ApiClient) -> list[str]:
    """Set up a second factor; return its recovery codes."""
    secret = client.post("/3.1/auth/second_factor", password=AFFILIATE_PASSWORD)["secret"]
    code = code_at(secret, api.clock.now_ms() // 1000 // STEP_S)
    codes: list[str] = client.post("/3.1/auth/second_factor/confirm", otp=code)["recovery_codes"]
    return codes
