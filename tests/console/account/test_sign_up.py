"""Signing up as an affiliate or as an advertiser with pages alone."""

from tests.support.api import Api
from tests.support.pages import Visitor, console_app

MARKUP = '"><script>alert(1)</script>'
PASSWORD = "a long enough password"


def test_sign_up_asks_the_custom_fields_and_keeps_what_was_typed(api: Api) -> None:
    select = {"field_type": "select", "field_values[]": ["Mail", MARKUP], "required": 1}
    source = api.admin.post("/3.1/admin/custom_fields", name="Traffic", **select)["field"]["id"]
    stranger = Visitor(console_app(api))
    assert "/sign-up" in stranger.read("/sign-in").links
    page = stranger.get("/sign-up")
    assert page.status_code == 200 and "<script>alert" not in page.text
    typed = {
        "form_do": "save",
        "form_token": "",
        "email": "new@affiliate.example",
        "password": PASSWORD,
        "name": "Reef",
    }
    refused = stranger.post("/sign-up", **typed)
    assert refused.status_code == 400 and "new@affiliate.example" in refused.text and PASSWORD not in refused.text
    assert "Traffic" in refused.text
    sent = stranger.post("/sign-up", **typed, **{f"custom_fields[{source}]": "Mail"})
    assert sent.headers["location"] == "/sign-up/done"
    assert "Confirm your e-mail address." in stranger.read("/sign-up/done").text
    [made] = api.admin.get("/3.1/admin/partners", search="new@affiliate.example")["partners"]
    assert (made["name"], made["status"], made["customFields"][0]["value"]) == ("Reef", "on moderation", "Mail")
    assert stranger.sign_in("new@affiliate.example", PASSWORD).status_code != 303


def test_sign_up_keeps_the_referrer_and_answers_a_taken_address_alike(api: Api) -> None:
    pid, _ = api.add_affiliate(email="known@affiliate.example")
    stranger = Visitor(console_app(api))
    typed = {"form_do": "save", "form_token": "", "password": PASSWORD}
    sent = stranger.post(f"/sign-up?ref={pid}", **typed, email="new@affiliate.example")
    taken = stranger.post(f"/sign-up?ref={pid}", **typed, email="known@affiliate.example")
    assert sent.headers["location"] == taken.headers["location"] == "/sign-up/done"
    [made] = api.admin.get("/3.1/admin/partners", search="new@affiliate.example")["partners"]
    assert made["ref"] == str(pid)
    assert stranger.post("/sign-up", **typed, email="x").status_code == 400


def test_stranger_has_no_methods_but_those_for_anyone(api: Api) -> None:
    stranger = Visitor(console_app(api))
    for path in ("/portal/", "/console/"):
        assert stranger.get(path).headers["location"].startswith("/sign-in?next=")
    forged = {"headers": {"sec-fetch-site": "cross-site"}}
    assert stranger.post("/sign-up", form_token="", form_do="save", **forged).status_code == 403


def test_advertiser_signs_up_and_a_taken_address_is_answered_alike(api: Api) -> None:
    api.add_affiliate(email="known@affiliate.example")
    stranger = Visitor(console_app(api))
    assert "/sign-up/advertiser" in stranger.read("/sign-in").links
    typed = {"form_do": "save", "form_token": "", "title": "Reef shop", "url": "https://reef.example/"}
    weak = stranger.post("/sign-up/advertiser", **typed, email="new@shop.example", password="password1234")
    assert weak.status_code == 400 and "password1234" not in weak.text and "Reef shop" in weak.text
    for email in ("new@shop.example", "known@affiliate.example"):
        sent = stranger.post("/sign-up/advertiser", **typed, email=email, password=PASSWORD)
        assert sent.headers["location"] == "/sign-up/advertiser/done", sent.text
    assert "Wait for the decision." in stranger.read("/sign-up/advertiser/done").text
    [made] = api.admin.get("/3.1/admin/advertisers", search="Reef shop")["advertisers"]
    assert (made["email"], made["url"], made["status"]) == (
        "new@shop.example",
        "https://reef.example/",
        "on moderation",
    )
    assert "waits for approval" in stranger.sign_in("new@shop.example", PASSWORD).text
    api.admin.post(f"/3.1/admin/advertiser/{made['id']}", status="active")
    assert stranger.sign_in("new@shop.example", PASSWORD).headers["location"] == "/advertiser/"


def test_sign_up_of_advertisers_is_closed_apart_from_that_of_affiliates(api: Api) -> None:
    stranger = Visitor(console_app(api))
    sent = {"title": "Shop", "email": "new@shop.example", "password": PASSWORD}
    for changes, affiliates, advertisers in (
        ({"sign_up": "closed"}, False, False),
        ({"advertiser_sign_up": "open"}, False, True),
        ({"sign_up": "open", "advertiser_sign_up": "closed"}, True, False),
    ):
        network = api.admin.post("/3.1/admin/network", **changes)["network"]
        assert network["advertiser_sign_up"] == ("open" if advertisers else "closed")
        links = stranger.read("/sign-in").links
        assert ("/sign-up" in links, "/sign-up/advertiser" in links) == (affiliates, advertisers)
    assert "Sign-up is closed" in stranger.read("/sign-up/advertiser").text
    assert stranger.post("/sign-up/advertiser", **sent, form_do="save", form_token="").status_code == 403
    refused = api.admin.with_key(None).call("POST", "/3.1/advertiser/registration", data=sent)
    assert (refused.status_code, refused.json()["code"]) == (403, "sign_up_closed")
