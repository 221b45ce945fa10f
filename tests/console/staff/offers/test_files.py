"""The creatives, the logo and the activity of an offer on its page."""

from typing import Any

from tests.support.api import Api
from tests.support.offer_pages import sales_desk
from tests.support.pages import PageReader, Visitor, staff_visitor
from tests.support.pictures import gif, png


def send(visitor: Visitor, path: str, files: list[tuple[str, tuple[str, bytes, str]]], **fields: Any) -> Any:
    """Send a form with files as the pages of the session do."""
    token = PageReader(visitor.get("/console/nothing").text).fields["form_token"]
    return visitor.client.post(path, data={"form_token": token, **fields}, files=files)


def stored(api: Api, offer: int) -> Any:
    """The offer as the API shows it."""
    return api.admin.get(f"/3.1/offer/{offer}")["offer"]


def test_offer_page_adds_and_removes_creatives_through_the_api(api: Api) -> None:
    offer, visitor = api.add_offer(title="Sale"), staff_visitor(api)
    path = f"/console/offers/{offer}"
    assert "Affiliates find no banner here yet." in visitor.read(path).text
    sent = [("creativeFiles[]", ("banner.png", png(30, 20), "image/png")), ("logo", ("l.gif", gif(), "image/gif"))]
    answer = send(visitor, f"{path}/files", sent, addresses="https://cdn.example/a.png\n\n")
    assert (answer.status_code, answer.headers["location"]) == (303, f"{path}#files")
    found = stored(api, offer)
    assert found["title"] == "Sale"
    assert found["logo"]
    assert [each["title"] for each in found["creatives"]] == ["banner.png", "a.png"]
    page = visitor.read(path)
    assert "banner.png image/png · 30 × 20" in page.text
    assert {each["url"] for each in found["creatives"]} <= set(page.links)
    answer = visitor.post(f"{path}/files/remove", creative=str(found["creatives"][0]["id"]))
    assert answer.status_code == 303
    assert [each["url"] for each in stored(api, offer)["creatives"]] == ["https://cdn.example/a.png"]
    records = api.admin.get("/3.1/admin/audit", method="admin.offer.remove-creative")["audit"]
    assert {each["user"]["email"] for each in records} == {visitor.login}


def test_offer_page_says_why_files_are_refused_and_keeps_what_was_typed(api: Api) -> None:
    offer, visitor = api.add_offer(), staff_visitor(api)
    path = f"/console/offers/{offer}"
    assert "Choose a file or write a URL first." in PageReader(send(visitor, f"{path}/files", []).text).text
    assert "Choose the files that shall go first." in PageReader(visitor.post(f"{path}/files/remove").text).text
    answer = send(visitor, f"{path}/files", [("creativeFiles[]", ("a.exe", b"MZ", "application/x-dosexec"))])
    assert (answer.status_code, "JPEG, PNG or GIF pictures" in answer.text) == (400, True)
    answer = send(visitor, f"{path}/files", [], addresses="not an address")
    assert answer.status_code == 400
    assert "not an address</textarea>" in answer.text
    assert f"{path}/files?" not in answer.text
    assert stored(api, offer)["creatives"] == []


def test_files_of_a_foreign_offer_cannot_be_changed_by_a_sales_manager(api: Api) -> None:
    desk = sales_desk(api)
    for offer, status in ((desk.own, 303), (desk.foreign, 404)):
        answer = send(desk.visitor, f"/console/offers/{offer}/files", [], addresses="https://cdn.example/a.png")
        assert answer.status_code == status, offer
    assert "Add files" in desk.visitor.read(f"/console/offers/{desk.own}").text
    assert "Add files" not in desk.visitor.read(f"/console/offers/{desk.foreign}").text


def test_activity_of_an_offer_lists_its_last_changes_to_who_may_see_the_log(api: Api) -> None:
    offer, other = api.add_offer(title="One"), api.add_offer(title="Two")
    visitor = staff_visitor(api)
    visitor.post(f"/console/offers/{offer}/status", status="suspended")
    page = visitor.read(f"/console/offers/{offer}")
    activity = page.text.partition("Activity ")[2]
    assert "changed: status" in activity
    assert " created " in f"{activity} "
    assert "changed: status" not in visitor.read(f"/console/offers/{other}").text
    for number in range(7):
        api.clock.advance(1_000)
        api.admin.post(f"/3.0/admin/offer/{offer}", title=f"Title {number}")
    page = visitor.read(f"/console/offers/{offer}")
    assert page.text.count("changed: title") == 6
    assert f"/console/audit-log?what=offer&key={offer}" in page.links
    assert "Activity" not in sales_desk(api).visitor.read(f"/console/offers/{offer}").text
