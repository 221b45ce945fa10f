"""The logs of postbacks, one of each, and deliveries that are sent again."""

from typing import Any

from sqlalchemy import func, select

from tests.support.api import Api
from tests.support.models.events import NOON
from tests.support.pages import staff_visitor
from tests.support.traffic_pages import HOSTILE, TrafficDesk, traffic_desk
from trackyard.domain.people.roles import Role
from trackyard.store.tables import delivery

LIST = "/console/postbacks"


def queued(desk: TrafficDesk) -> int:
    """The number of deliveries that wait."""
    with desk.api.deps.database.read() as conn:
        return int(conn.execute(select(func.count()).select_from(delivery)).scalar_one())


def own_postback(desk: TrafficDesk) -> int:
    """A postback of the affiliate; its number."""
    sent = {"pid": desk.pid, "url": "https://bhm.example/pb"}
    return int(desk.api.admin.post("/3.1/partner/postback", **sent)["postback"]["id"])


def test_postback_log_shows_what_advertisers_reported(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    taken = desk.postback(
        made.click_id, conversion_id=made.id, action_id="R-1", query="goal=1&action_id=R-1&secure=***"
    )
    wrong = desk.postback("f" * 24, "Broken clickid", query="clickid={clickid}", time=NOON + 3000)
    visitor = staff_visitor(api)
    page = visitor.read(LIST)
    found = [link for link in page.links if "/received/" in link]
    assert found == [f"{LIST}/received/{wrong}", f"{LIST}/received/{taken}"]
    assert "2 postbacks of advertisers" in page.text
    assert "goal 1 · action_id R-1 GET 192.0.2.9" in page.text and "Rejected Broken clickid" in page.text
    one = visitor.read(f"{LIST}?action=R-1&offer={desk.offer}&affiliate={desk.pid}&advertiser={desk.advertiser}")
    assert "1 postback of an advertiser" in one.text and "Action ID is R-1" in one.text
    assert "Nothing meets these filters." in visitor.read(f"{LIST}?action=R-9").text
    assert "No advertiser reported anything" in visitor.read(f"{LIST}?from=2023-01-01&to=2023-01-02").text


def test_postback_page_says_what_it_did(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    desk.click(1)
    taken = desk.postback(made.click_id, conversion_id=made.id)
    wrong = desk.postback(made.click_id, "Wrong sum", query="sum=lots", time=NOON + 3000)
    visitor = staff_visitor(api)
    page = visitor.read(f"{LIST}/received/{taken}")
    assert "It changed or made a conversion." in page.text
    assert {f"/console/conversions/{made.id}", f"/console/clicks/{made.click_id}"} <= set(page.links)
    text = visitor.read(f"{LIST}/received/{wrong}").text
    assert "It changed nothing: Wrong sum. sum is not a decimal number" in text
    assert "Send a number with a point" in text, text
    assert "sum=lots" in text, text
    assert visitor.get(f"{LIST}/received/{'f' * 24}").status_code == 404


def test_delivery_log_and_page_show_every_attempt(api: Api) -> None:
    desk = traffic_desk(api)
    made, job = desk.conversion(1), "a1" * 12
    first = desk.attempt(made, job_id=job, outcome="failed", http_code=503, milliseconds=88, answer="try later")
    last = desk.attempt(
        made, job_id=job, outcome="dead", http_code=404, attempt=2, time=NOON + 9000, started_at=NOON + 9000
    )
    visitor = staff_visitor(api)
    page = visitor.read(f"{LIST}?tab=sent")
    assert [link for link in page.links if "/sent/" in link] == [f"{LIST}/sent/{last}", f"{LIST}/sent/{first}"]
    assert "Given up HTTP 404" in page.text and "Failed, tried again HTTP 503" in page.text
    assert f"{LIST}/sent/{first}" in visitor.read(f"{LIST}?tab=sent&code=503").links
    assert "1 attempt" in visitor.read(f"{LIST}?tab=sent&code=503&affiliate={desk.pid}&status=confirmed").text
    one = visitor.read(f"{LIST}/sent/{first}")
    assert "HTTP 404 after" in one.text and "It is not tried again" in one.text
    assert "HTTP 503 try later 88 ms" in one.text
    assert f"/console/conversions/{made.id}" in one.links


def test_delivery_is_sent_again_from_its_page_and_in_a_span(api: Api) -> None:
    desk = traffic_desk(api)
    number = own_postback(desk)
    attempt = desk.attempt(desk.conversion(1), postback_id=number, outcome="dead", http_code=404)
    visitor = staff_visitor(api)
    answer = visitor.post(f"{LIST}/sent/{attempt}/resend", back="/console/postbacks?tab=sent")
    assert (answer.headers["location"], queued(desk)) == ("/console/postbacks?tab=sent", 1)
    assert "1 delivery is sent again." in visitor.read(answer.headers["location"]).text
    for outside in ("//evil.example", "https://evil.example", "/console/\\evil.example"):
        back = visitor.post(f"{LIST}/sent/{attempt}/resend", back=outside).headers["location"]
        assert back == f"{LIST}/sent/{attempt}"
    desk.attempt(desk.conversion(2), postback_id=number, version=2)
    span: dict[str, Any] = {"from": "2023-11-15T00:00:00", "to": "2023-11-15T23:59:59"}
    answer = visitor.post(f"{LIST}/replay", pid=str(desk.pid), **span)
    assert answer.status_code == 303, answer.text
    assert "sent again" in visitor.read(answer.headers["location"]).text
    turned: dict[str, Any] = {"from": span["to"], "to": span["from"]}
    refused = visitor.post(f"{LIST}/replay", pid=str(desk.pid), **turned)
    assert refused.status_code == 400
    assert "must not lie before the first" in refused.text and 'value="2023-11-15T23:59:59"' in refused.text


def test_postback_pages_show_hostile_texts_as_text(api: Api) -> None:
    desk = traffic_desk(api, title=HOSTILE)
    made = desk.conversion(1, action_id=HOSTILE)
    received = desk.postback(made.click_id, HOSTILE, query="sub=%22%3E%3Cscript%3Ealert(1)", action_id=HOSTILE)
    sent = desk.attempt(
        made, outcome="dead", http_code=0, error=HOSTILE, answer=HOSTILE, url=f"https://a.example/{HOSTILE}"
    )
    visitor = staff_visitor(api)
    for path in (LIST, f"{LIST}?tab=sent", f"{LIST}/received/{received}", f"{LIST}/sent/{sent}"):
        answer = visitor.get(path)
        assert answer.status_code == 200 and "<script>alert" not in answer.text, path
        assert "alert(1)" in answer.text, path


def test_postback_pages_obey_the_rights_of_the_api(api: Api) -> None:
    desk = traffic_desk(api)
    attempt = desk.attempt(desk.conversion(1))
    sent_only = staff_visitor(api, Role.STATS_PARTNER_POSTBACK)
    page = sent_only.read(LIST)
    assert "1 attempt to reach an affiliate" in page.text and "From advertisers" not in page.text
    assert not [link for link in page.links if "/sent/" in link], "the page of a delivery needs the right to clicks"
    assert sent_only.post(f"{LIST}/sent/{attempt}/resend").status_code == 403
    received_only = staff_visitor(api, Role.STATS_SERVER_POSTBACK, Role.STATS_COMMON)
    assert "To affiliates" not in received_only.read(LIST).text
    assert LIST in received_only.read("/console/").links
    other = staff_visitor(api, Role.STATS_CONVERSION, Role.STATS_COMMON)
    assert other.get(LIST).status_code == other.get(f"{LIST}/replay").status_code == 403
    assert LIST not in other.read("/console/").links


def test_log_of_deliveries_names_an_affiliate_that_no_select_has(api: Api) -> None:
    desk = traffic_desk(api)
    desk.attempt(desk.conversion(1))
    api.admin.post(f"/3.1/admin/partner/{desk.pid}", name="Blue Horizon", status="banned")
    page = staff_visitor(api).read(f"{LIST}?tab=sent")
    assert "1 attempt" in page.text
    assert "Blue Horizon" in page.text
