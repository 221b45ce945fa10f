"""Advertisers sign in at the page of everybody, and get pages of their own."""

from sqlalchemy import select

from tests.support.api import Api
from tests.support.pages import PASSWORD, Visitor, advertiser_visitor, console_app
from trackyard.store.people import keys
from trackyard.store.tables import mail

NEW = "another long password"


def test_advertiser_signs_in_and_out_at_the_page_of_everybody(api: Api) -> None:
    _, visitor = advertiser_visitor(api, email="shop@shop.example", title="Blue Shop")
    again = Visitor(console_app(api))
    assert again.sign_in("Shop@shop.example").headers["location"] == "/advertiser/"
    page = visitor.read("/advertiser/")
    assert "Blue Shop" in page.text and "Trackyard" in page.text
    assert visitor.get("/sign-in").headers["location"] == "/advertiser/"
    assert again.sign_in("shop@shop.example", next="/advertiser/profile").headers["location"] == "/advertiser/profile"
    assert again.sign_in("shop@shop.example", next="/portal/").headers["location"] == "/advertiser/"
    token = page.fields["form_token"]
    assert visitor.client.post("/sign-out", data={"form_token": "wrong"}).status_code == 403
    assert visitor.post("/sign-out", form_token=token).headers["location"] == "/sign-in"
    assert visitor.get("/advertiser/").headers["location"] == "/sign-in?next=%2Fadvertiser%2F"


def test_wrong_passwords_of_an_advertiser_are_counted_as_those_of_others(api: Api) -> None:
    number, _ = advertiser_visitor(api, email="shop@shop.example")
    stranger = Visitor(console_app(api))
    answers = [stranger.sign_in("shop@shop.example", "wrong") for _ in range(11)]
    assert [each.status_code for each in answers[:2]] == [401, 401]
    assert "E-mail or password is wrong." in answers[0].text
    assert answers[10].status_code == 429 and "Too many attempts" in answers[10].text
    api.clock.advance(3_600_000)
    api.admin.post(f"/3.1/admin/advertiser/{number}", status="on moderation")
    waiting = stranger.sign_in("shop@shop.example")
    assert waiting.status_code == 401 and "waits for approval" in waiting.text


def test_advertiser_without_a_password_does_not_sign_in(api: Api) -> None:
    api.add_advertiser(email="shop@shop.example")
    assert Visitor(console_app(api)).sign_in("shop@shop.example", "").status_code == 400
    assert Visitor(console_app(api)).sign_in("shop@shop.example").status_code == 401


def test_advertiser_chooses_a_password_with_a_link_of_a_mail(api: Api) -> None:
    _, visitor = advertiser_visitor(api, email="shop@shop.example")
    stranger = Visitor(console_app(api))
    assert stranger.client.post("/sign-in/forgotten", data={"login": "shop@shop.example"}).status_code == 200
    with api.deps.database.read() as conn:
        [body] = conn.execute(select(mail.c.body).where(mail.c.recipient == "shop@shop.example")).scalars()
    token = body.partition("/sign-in/link?token=")[2].split()[0]
    answer = stranger.client.post("/sign-in/link", data={"token": token, "password": NEW, "again": NEW})
    assert answer.headers["location"] == "/advertiser/"
    assert "Home" in stranger.read("/advertiser/").text
    assert visitor.get("/advertiser/").status_code == 303, "its other sessions end"
    assert Visitor(console_app(api)).sign_in("shop@shop.example").status_code == 401


def test_profile_of_an_advertiser_changes_password_language_and_zone(api: Api) -> None:
    app = console_app(api)
    number, visitor = advertiser_visitor(api, app, email="shop@shop.example")
    page = visitor.read("/advertiser/profile")
    assert "Second factor" in page.text and "shop@shop.example" in page.text
    shown = visitor.post("/advertiser/profile/key", password=PASSWORD).text
    with api.deps.database.read() as conn:
        key = keys.find_key(conn, "advertiser", number, api.deps.cipher)
    assert key is not None and f"<code>{key}</code>" in shown
    assert key in visitor.post("/advertiser/profile/key", password=PASSWORD).text, "a second look makes no other key"
    sent = {"timezone": "Asia/Kathmandu", "language": "es"}
    assert visitor.post("/advertiser/profile/preferences", **sent).status_code == 303
    assert "Cerrar sesión" in visitor.read("/advertiser/").text
    sent = {"password": PASSWORD, "new_password": NEW, "again": NEW}
    assert visitor.post("/advertiser/profile/password", **sent).headers["location"] == "/advertiser/profile"
    assert Visitor(app).sign_in("shop@shop.example").status_code == 401
    assert Visitor(app).sign_in("shop@shop.example", NEW).status_code == 303
