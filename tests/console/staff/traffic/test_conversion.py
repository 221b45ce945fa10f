"""The page of one conversion."""

from tests.support.api import Api
from tests.support.models.events import NOON
from tests.support.pages import staff_visitor
from tests.support.traffic_pages import traffic_desk
from trackyard.base.ids import IMPORT_EDGE
from trackyard.console.staff.traffic.words import lasting
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role


def test_conversion_page_lists_what_happened_in_order(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(
        1, action_id="R-88120", click={"sub1": "bhm-22", "city": "London", "country": "GB", "os": "iOS"}
    )
    desk.click(1, sub1="bhm-22")
    desk.postback(made.click_id, conversion_id=made.id, action_id="R-88120", query="status=1", time=NOON + 1000)
    desk.postback(made.click_id, "Wrong sum", time=NOON + 5000)
    desk.attempt(made, milliseconds=88, url="https://bhm.example/pb?status=1")
    text = staff_visitor(api).read(f"/console/conversions/{made.id}").text
    happened = [
        "Click from London, United Kingdom on iOS, sub 1 “bhm-22”",
        "Royal Reef reported goal 1 as confirmed, action ID R-88120 GET from 192.0.2.9",
        "Confirmed charge $10.00, payout $7.00",
        "https://bhm.example/pb · answered 200 in 88 ms",
        "GET from 192.0.2.9 · changed nothing: Wrong sum",
    ]
    places = [text.find(each) for each in happened]
    assert -1 not in places, happened[places.index(-1)]
    assert places == sorted(places)
    assert "Charge $10.00 fixed amount Payout $7.00 Margin $3.00 30.0 % Balance Owed to the affiliate." in text
    assert "Time to action 1 s from click to conversion Action ID R-88120 Goal 1 Sale" in text


def test_conversion_page_of_a_conversion_without_a_click_has_no_time_since_one(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1, click={"id": f"{NOON // 1000:08x}{IMPORT_EDGE:02x}{1:014x}", "country": "GB"})
    text = staff_visitor(api).read(f"/console/conversions/{made.id}").text
    assert "Click from" not in text and "1 s from click" not in text
    assert "Confirmed charge $10.00, payout $7.00" in text


def test_conversion_page_explains_a_decline_and_counts_those_alike(api: Api) -> None:
    desk = traffic_desk(api)
    reason = {"status": Status.DECLINED, "comment": "Click session lifespan is expired"}
    late = {"created_at": NOON + 100_000, "click": {"time": NOON - 34 * 86_400_000}}
    made = desk.conversion(1, **reason, **late)
    desk.conversion(2, **reason)
    desk.conversion(3, status=Status.DECLINED)
    visitor = staff_visitor(api)
    page = visitor.read(f"/console/conversions/{made.id}")
    assert "Declined because it came 34 days after its click, later than the offer allows." in page.text
    assert "2 conversions of this offer were declined for the same reason in the last 30 days." in page.text
    assert "Confirming all of them would pay $14.00." in page.text
    [see] = [link for link in page.links if "reason=" in link]
    listed = visitor.read(see)
    assert f"/console/conversions/{made.id}" in listed.links and "2 conversions" in listed.text
    assert "without a reason" in visitor.read(f"/console/conversions/{3:024x}").text


def test_conversion_page_changes_the_status(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1, status=Status.DECLINED)
    visitor = staff_visitor(api)
    path = f"/console/conversions/{made.id}"
    [link] = {each for each in visitor.read(path).links if "status=confirmed" in each}
    preview = visitor.read(link).text
    assert "Change 1 conversion to confirmed?" in preview and "Charge $0.00 $10.00 +$10.00" in preview
    assert "Postbacks of its affiliate for the new status are sent for 1 conversion." in preview
    answer = visitor.post("/console/conversions/change", id=made.id, status="confirmed", back=path, comment="By phone")
    assert answer.headers["location"] == path
    desk.apply_edits()
    page = visitor.read(f"/console/conversions/{made.id}")
    assert "1 conversion is being confirmed. This page shows it in a few seconds." in page.text
    assert "Confirmed by " in page.text and "“By phone”" in page.text
    assert visitor.get(f"/console/conversions/{'f' * 24}").status_code == 404


def test_conversion_page_of_people_without_clicks_has_no_deliveries(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    desk.attempt(made, url="https://bhm.example/pb")
    text = staff_visitor(api, Role.STATS_CONVERSION).read(f"/console/conversions/{made.id}").text
    assert "bhm.example" not in text
    assert "are shown to people who may list clicks" in text


def test_time_to_action_is_written_as_people_say_it() -> None:
    spans = (55, 12 * 60 + 3, 3 * 3600 + 20 * 60, 3 * 3600, 34 * 86_400 + 5)
    assert [lasting(span) for span in spans] == ["55 s", "12 min", "3 h 20 min", "3 h", "34 days"]


def test_conversion_page_of_an_imported_conversion_names_no_address(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    desk.postback(made.click_id, conversion_id=made.id, method="IMPORT", ip="")
    text = staff_visitor(api).read(f"/console/conversions/{made.id}").text
    assert "Made by an import show the record" in text and "reported" not in text
