"""The face of the network on pages, and the story of a sign-up with terms."""

from tests.api.platform.test_network import png
from tests.support.api import Api
from tests.support.pages import PASSWORD, Visitor, affiliate_visitor, console_app, staff_visitor

SETTINGS = "/console/settings/network"
NEW = "new@affiliate.example"
FORM = {"form_do": "save", "form_token": "", "email": NEW, "password": PASSWORD, "name": "Reef"}


def test_name_logo_and_accent_of_the_network_are_on_pages_of_anyone(api: Api) -> None:
    staff = staff_visitor(api)
    chosen = {"form_do": "save", "name": "Northlight", "sign_up": "open", "advertiser_sign_up": "open"}
    refused = staff.post(SETTINGS, **chosen, accent="#ffcc00")
    assert refused.status_code == 400 and "nearest colour" in refused.text
    saved = staff.post(SETTINGS, **chosen, accent="#0a7a5c")
    assert saved.headers["location"] == SETTINGS
    token = staff.read(SETTINGS).fields["form_token"]
    for content, status in ((b"<svg/>", 400), (png(), 303)):
        sent = staff.client.post(
            f"{SETTINGS}/logo", data={"form_token": token}, files={"logo": ("l.png", content, "image/png")}
        )
        assert sent.status_code == status, sent.text
    stranger = Visitor(console_app(api))
    page = stranger.read("/sign-in")
    assert "Sign in to Northlight" in page.text
    [logo] = [given["src"] for tag, given in page.elements if tag == "img"]
    assert stranger.get(logo).content == png()
    [sheet] = [given["href"] for tag, given in page.elements if given.get("href", "").endswith("/network.css")]
    style = stranger.get(sheet)
    assert "--accent: #0a7a5c" in style.text and style.headers["x-content-type-options"] == "nosniff"
    assert stranger.get(sheet.replace("0a7a5c", "0a7a5}")).status_code == 404
    staff.post(f"{SETTINGS}/logo", remove="1")
    _, affiliate = affiliate_visitor(api)
    assert "Northlight" in affiliate.read("/portal/").text


def test_affiliate_signs_up_with_terms_and_reads_what_comes_next_until_it_is_approved(api: Api) -> None:
    api.admin.post("/3.1/admin/network", terms="Be honest.\n\nNo spam.", contact="mia@northlight.example")
    stranger = Visitor(console_app(api))
    assert "No spam." in stranger.read("/sign-up").text
    refused = stranger.post("/sign-up", **FORM)
    assert refused.status_code == 400 and "Accept the terms of the network." in refused.text
    assert stranger.post("/sign-up", **FORM, accept_terms="1").headers["location"] == "/sign-up/done"
    done = stranger.read("/sign-up/done").text
    assert "Confirm your e-mail address." in done and "mia@northlight.example" in done
    waiting = stranger.sign_in(NEW, PASSWORD)
    assert waiting.status_code == 401 and "waits for approval" in waiting.text
    assert "waits for approval" not in stranger.sign_in(NEW, "not the password").text
    program = api.admin.with_key(None).call("POST", "/3.1/auth", data={"login": NEW, "password": PASSWORD})
    assert (program.status_code, program.json()["code"]) == (401, "wrong_credentials")
    [made] = api.admin.get("/3.1/admin/partners", search=NEW)["partners"]
    api.admin.post(f"/3.1/admin/partner/{made['id']}", status="active")
    assert stranger.sign_in(NEW, PASSWORD).status_code == 303
    assert "terms that you have not accepted" not in stranger.read("/portal/").text
    api.admin.post("/3.1/admin/network", terms="Be kind.")
    assert "terms that you have not accepted" in stranger.read("/portal/").text
    assert stranger.post("/portal/terms").headers["location"] == "/portal/"
    assert "terms that you have not accepted" not in stranger.read("/portal/").text


def test_closed_sign_up_says_so_on_its_page_and_takes_nothing(api: Api) -> None:
    api.admin.post("/3.1/admin/network", sign_up="closed")
    stranger = Visitor(console_app(api))
    assert "/sign-up" not in stranger.read("/sign-in").links
    assert "Sign-up is closed" in stranger.read("/sign-up").text
    assert stranger.post("/sign-up", **FORM).status_code == 403
    refused = api.admin.with_key(None).call("POST", "/3.1/partner", data={"email": NEW, "password": PASSWORD})
    assert (refused.status_code, refused.json()["code"]) == (403, "sign_up_closed")
    assert api.admin.get("/3.1/admin/partners", search=NEW)["partners"] == []
