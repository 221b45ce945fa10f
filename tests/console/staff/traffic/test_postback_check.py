"""The page that says what a postback would do."""

from tests.support.api import Api
from tests.support.page_forms import FormReader, read_form, send
from tests.support.pages import PageReader, staff_visitor
from tests.support.traffic_pages import HOSTILE, traffic_desk
from trackyard.domain.people.roles import Role

PATH = "/console/postback-check"


def test_postback_check_page_says_what_a_postback_would_do_step_by_step(api: Api) -> None:
    desk = traffic_desk(api)
    api.admin.post("/3.1/partner/postback", pid=desk.pid, url="https://a.example/?c={clickid}")
    click = desk.click(1)
    visitor = staff_visitor(api)
    assert f"{PATH}?clickid={click.id}" in visitor.read(f"/console/clicks/{click.id}").links
    form = read_form(visitor, f"{PATH}?clickid={click.id}")
    assert form.value("params[clickid]") == click.id
    answer = send(visitor, PATH, form, **{"params[sum]": "5"})
    text = PageReader(answer.text).text
    assert answer.status_code == 200
    assert "It would make a conversion: confirmed, charge $10.00, payout $7.00." in text
    assert f"Click ID {click.id}" in text and "New or known conversion a new conversion" in text
    assert f"https://a.example/?c={click.id}" in text
    assert FormReader(answer.text).value("params[sum]") == "5"
    assert api.admin.get("/3.1/stats/conversions", date_from="2000-01-01")["pagination"]["total_count"] == 0


def test_postback_check_page_says_why_a_postback_would_change_nothing(api: Api) -> None:
    desk = traffic_desk(api, hash_password="a-code-of-the-offer")
    click, visitor = desk.click(1), staff_visitor(api)
    form = read_form(visitor, PATH)
    wrong = send(visitor, PATH, form, **{"params[clickid]": click.id, "params[secure]": HOSTILE})
    text = PageReader(wrong.text).text
    assert "<script>alert" not in wrong.text
    assert "It would change nothing: Access denied. secure, or afsecure of a pixel, is missing" in text
    address = f"http://track.example/postback?clickid={click.id}&secure=a-code-of-the-offer&status=3"
    declined = PageReader(send(visitor, PATH, form, url=address).text).text
    assert "It would make a conversion: declined" in declined
    refused = send(visitor, PATH, form, url="https://a.example/other")
    assert refused.status_code == 400 and "must be the URL of a call" in PageReader(refused.text).text
    assert staff_visitor(api, Role.SECTION_NEWS, Role.STATS_COMMON).get(PATH).status_code == 403
