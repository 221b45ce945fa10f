"""Requests of affiliates to join offers."""

from sqlalchemy import select

from tests.support.api import Api
from tests.support.events import make_notices
from tests.support.page_forms import read_form, send
from tests.support.pages import affiliate_visitor, staff_visitor
from tests.support.people_pages import HOSTILE, desk_of
from trackyard.domain.people.roles import Role
from trackyard.store.tables import mail

PATH = "/console/requests"


def ask(api: Api, pid: int, offer: int, comment: str = "Please") -> str:
    """The number of a request of an affiliate for an offer."""
    api.admin.post("/3.1/partner/activation/offer", pid=pid, offer_id=offer, comment=comment)
    newest: str = api.admin.get("/3.1/admin/tickets", limit=1)["tickets"][0]["id"]
    return newest


def decisions(api: Api) -> dict[str, str | None]:
    """What was decided about each request, by number."""
    return {each["id"]: each["decision"] for each in api.admin.get("/3.1/admin/tickets")["tickets"]}


def test_requests_are_decided_one_by_one_and_several_at_once(api: Api) -> None:
    pid, _ = api.add_affiliate(name="Ann")
    offers = [api.add_offer(privacy="protected", title=f"Closed {number}") for number in range(4)]
    first, second, third, fourth = (ask(api, pid, offer) for offer in offers)
    visitor = staff_visitor(api)
    page = visitor.read(PATH)
    assert "4 requests wait." in page.text and "pays $7.00" in page.text
    assert PATH in visitor.read("/console/").links
    visitor.post(PATH, one=f"approve {first}")
    assert visitor.post(PATH, do="reject", request=[second, third], back=f"{PATH}?q=Closed").status_code == 303
    assert decisions(api) == {first: "approve", second: "reject", third: "reject", fourth: None}
    text = visitor.read(f"{PATH}?tab=closed").text
    assert text.count("Rejected") == 2 and "Approved" in text
    visitor.post(PATH, do="approve", request=[first, fourth])
    assert decisions(api)[fourth] == "approve"
    message = visitor.read(PATH).text
    assert "1 request is approved." in message and f"Request {first}:" in message
    visitor.post(PATH, do="approve")
    assert "Nothing is decided: choose requests first." in visitor.read(PATH).text


def test_requests_page_filters_and_shows_hostile_comments_as_text(api: Api) -> None:
    visitor = staff_visitor(api)
    assert "No request waits." in visitor.read(PATH).text
    pid, _ = api.add_affiliate(name=HOSTILE)
    offer = api.add_offer(privacy="protected", title=HOSTILE)
    ask(api, pid, offer, HOSTILE)
    answer = visitor.get(PATH)
    assert "<script>alert" not in answer.text
    assert HOSTILE in visitor.read(PATH).text
    assert f"/console/affiliates/{pid}" in visitor.read(f"{PATH}?affiliate={pid}&offer={offer}&q=script").links
    assert "Nothing meets these filters." in visitor.read(f"{PATH}?offer=999").text
    assert "A value of Affiliate does not exist" in visitor.read(f"{PATH}?affiliate=nothing").text


def test_requests_are_those_of_own_affiliates_and_decided_by_those_who_may(api: Api) -> None:
    desk = desk_of(api, Role.MANAGER_AFFILIATE)
    own, _ = api.add_affiliate(name="Own", manager_id=desk.manager)
    other, _ = api.add_affiliate(name="Foreign")
    offer = api.add_offer(privacy="protected")
    mine, theirs = ask(api, own, offer), ask(api, other, offer)
    text = desk.visitor.read(PATH).text
    assert "Own" in text and "Foreign" not in text
    desk.visitor.post(PATH, do="approve", request=[theirs, mine])
    assert decisions(api) == {mine: "approve", theirs: None}
    reader = staff_visitor(api, Role.SECTION_DASHBOARD)
    page = reader.read(PATH)
    assert "Approve" not in page.text
    assert not [link for link in page.links if link.startswith(("/console/affiliates", "/console/offers"))]
    assert reader.post(PATH, one=f"approve {theirs}").status_code == 403
    assert staff_visitor(api, Role.SECTION_NEWS).get(PATH).status_code == 403


def test_request_is_answered_without_a_decision(api: Api) -> None:
    offer, (pid, affiliate) = api.add_offer(privacy="protected", title="Closed"), affiliate_visitor(api)
    number, visitor = ask(api, pid, offer), staff_visitor(api)
    visitor.post(PATH, one=f"answer {number}", reason="")
    assert "write the answer first" in visitor.read(PATH).text
    visitor.post(PATH, one=f"answer {number}", reason="Which sites do you have?")
    assert "1 request is answered. Each affiliate gets a mail." in (text := visitor.read(PATH).text)
    assert "Which sites do you have?" in text and decisions(api) == {number: None}
    assert "Which sites do you have?" in affiliate.read("/portal/requests").text
    ticket = api.admin.get(f"/3.1/admin/ticket/{number}")["ticket"]
    assert [each["text"] for each in ticket["answers"]] == ["Which sites do you have?"]
    assert (ticket["comments"]["answers"], ticket["status"]) == (1, "open")
    make_notices(api.deps.database, api.clock.now_ms())
    with api.deps.database.read() as conn:
        mails = conn.execute(select(mail.c.subject, mail.c.body)).all()
    assert [row.subject for row in mails if "Which sites" in row.body] == [
        f"An answer to your request for #{offer} Closed"
    ]
    visitor.post(PATH, one=f"reject {number}")
    assert api.admin.refusal("POST", f"/3.1/admin/ticket/{number}/answer", data={"text": "late"})[0] == 409


def test_question_goes_from_the_portal_to_its_end(api: Api) -> None:
    _, affiliate = affiliate_visitor(api)
    assert "/portal/requests/ask" in affiliate.read("/portal/requests").links
    asked = {"type": "financial", "title": HOSTILE, "text": "When is it paid?"}
    form = read_form(affiliate, "/portal/requests/ask")
    assert send(affiliate, "/portal/requests/ask", form, **asked | {"text": ""}).status_code == 400
    assert send(affiliate, "/portal/requests/ask", form, **asked).headers["location"] == "/portal/requests"
    visitor = staff_visitor(api)
    assert "<script>alert" not in visitor.get(PATH).text
    page = visitor.read(PATH)
    assert "Question about money" in page.text and "When is it paid?" in page.text
    assert not [link for link in page.links if link.startswith("/console/offers/")]
    visitor.post(PATH, one="approve q1")
    assert "use /admin/ticket/1/close" in visitor.read(PATH).text
    visitor.post(PATH, one="answer q1", reason="On Friday")
    visitor.post(PATH, one="close q1")
    assert "1 question is closed." in visitor.read(PATH).text
    assert "Closed" in visitor.read(f"{PATH}?tab=closed").text
    own = affiliate.read("/portal/requests").text
    assert "On Friday" in own and "Closed" in own and "Question: Money" in own
