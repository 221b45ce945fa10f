"""Staff look at the portal as an advertiser sees it, and decide about advertisers that signed up."""

from tests.support.api import Api
from tests.support.events import make_notices
from tests.support.pages import PageReader, staff_visitor
from trackyard.base.secrets import hash_password
from trackyard.domain.people.roles import Role
from trackyard.store.people import advertisers
from trackyard.store.platform import mail


def test_look_at_the_portal_of_an_advertiser_changes_nothing(api: Api) -> None:
    number = api.add_advertiser(title="Blue Shop", email="own@shop.example")
    offer = api.add_offer(title="Own offer", advertiser=number)
    api.add_offer(title="Offer of another")
    visitor = staff_visitor(api)
    assert visitor.get("/advertiser/").status_code == 403
    assert f"/console/advertisers/{number}/look-as" in visitor.get(f"/console/advertisers/{number}").text
    begun = visitor.post(f"/console/advertisers/{number}/look-as")
    assert (begun.status_code, begun.headers["location"]) == (303, "/advertiser/")
    for path in ("/advertiser/", "/advertiser/offers", f"/advertiser/offers/{offer}", "/advertiser/postbacks"):
        seen = visitor.read(path).text
        assert f"You see the portal as Blue Shop (#{number}) sees it." in seen and "Back to the advertiser" in seen
    listed = visitor.read("/advertiser/offers").text
    assert "Own offer" in listed and "Offer of another" not in listed
    for path in ("/advertiser/profile/password", "/advertiser/profile/key/renew"):
        refused = visitor.post(path)
        assert (refused.status_code, "nothing can be changed here" in refused.text) == (403, True), path
    assert visitor.get("/advertiser/profile").status_code == 403
    assert visitor.get("/portal/").status_code == 403
    assert visitor.get(f"/console/advertisers/{number}").status_code == 200
    sent = {"what": "advertiser", "key": number, "method": "admin.advertiser.look_as"}
    [logged] = api.admin.get("/3.1/admin/audit", **sent)["audit"]
    assert logged["changes"]["portal_seen_until_at"]["from"] is None
    api.admin.post(f"/3.1/admin/advertiser/{number}", status="not active")
    gone = visitor.get("/advertiser/")
    assert (gone.status_code, gone.headers["location"]) == (303, f"/console/advertisers/{number}")
    assert "not active" in visitor.post(f"/console/advertisers/{number}/look-as").text
    ended = visitor.post("/console/end-look", advertiser=number)
    assert ended.headers["location"] == f"/console/advertisers/{number}"


def test_look_at_an_advertiser_is_for_staff_who_may_change_it(api: Api) -> None:
    manager, _ = api.add_staff(Role.MANAGER_SALES)
    foreign = api.add_advertiser(manager=manager)
    for roles, status in (((Role.MANAGER_SALES,), 404), ((Role.SECTION_STATS,), 403)):
        visitor = staff_visitor(api, *roles)
        assert visitor.post(f"/console/advertisers/{foreign}/look-as").status_code == status
        assert visitor.get("/advertiser/").status_code == 403
        assert "look-as" not in PageReader(visitor.get("/console/advertisers").text).text


def test_advertiser_that_signed_up_is_approved_on_its_page_and_gets_a_mail(api: Api) -> None:
    number = api.add_advertiser(title="New shop", email="new@shop.example", status="on moderation")
    with api.deps.database.write() as conn:
        advertisers.edit_advertiser(conn, number, {"password_hash": hash_password("a long enough password")})
    visitor = staff_visitor(api)
    assert "1 advertiser waits for approval" in visitor.read("/console/").text
    [waiting] = [each for each in visitor.read("/console/advertisers?status=on+moderation").links if number in each][:1]
    page = visitor.read(waiting.partition("?")[0])
    assert "Approve the advertiser" in page.text
    approved = visitor.post(f"/console/advertisers/{number}/status", status="active")
    assert approved.headers["location"] == f"/console/advertisers/{number}"
    assert "waits for approval" not in visitor.read("/console/").text
    make_notices(api.deps.database, api.clock.now_ms())
    with api.deps.database.write() as conn:
        waiting_mails = [mail.claim(conn, api.clock.now_ms(), 1000) for _ in range(9)]
    [sent] = [each for each in waiting_mails if each is not None and each.recipient == "new@shop.example"]
    assert sent.subject == "Your account is approved" and "/advertiser/\n" in sent.body
    assert api.admin.get("/3.1/admin/advertisers", **{"status[]": "on moderation"})["advertisers"] == []
