"""The list of conversions, and changes of many."""

import csv
import io
from typing import Final

from tests.support.api import Api
from tests.support.pages import Visitor, console_app, staff_visitor
from tests.support.traffic_pages import HOSTILE, traffic_desk
from trackyard.console.conversions.listing import CONVERSIONS
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role

LIST = "/console/conversions"


def listed(visitor: Visitor, query: str = "") -> list[int]:
    """The numbers of the conversions that a page lists, in its order."""
    links = visitor.read(f"{LIST}{query}").links
    ids = [link.rpartition("/")[2] for link in links if link.startswith(f"{LIST}/") and len(link) == len(LIST) + 25]
    return [int(each, 16) for each in ids]


def test_conversion_list_shows_what_the_api_lists(api: Api) -> None:
    desk = traffic_desk(api)
    desk.conversion(1, action_id="R-88120", click={"sub1": "bhm-22"})
    desk.conversion(2, status=Status.DECLINED, comment="Cap is reached")
    visitor = staff_visitor(api)
    found = api.admin.get("/3.1/stats/conversions", date_from="2023-11-01")["conversions"]
    assert [f"{number:024x}" for number in listed(visitor)] == [each["id"] for each in found]
    page = visitor.read(LIST)
    assert "2 conversions" in page.text
    assert "Casino deposit Royal Reef" in page.text
    assert "bhm-22 Sale R-88120 Confirmed $10.00 $7.00" in page.text
    assert "Declined Cap is reached was $10.00 was $7.00" in page.text
    assert f"/console/offers/{desk.offer}" in page.links


_FIRST_CLICK: Final = {"sub1": "feed", "sub2": "second", "country": "ES", "os": "iOS"}
_FIRST: Final = {"custom_fields": {"3": "third"}}


def test_conversion_list_keeps_filters_that_few_need_below_the_others(api: Api) -> None:
    desk = traffic_desk(api)
    desk.conversion(1, click={"sub7": "deep"})
    visitor = staff_visitor(api)
    closed, opened = (visitor.read(f"{LIST}{query}").elements for query in ("", "?sub7=deep&charge_from=1"))
    more = [[given for tag, given in each if given.get("class") == "more-filters"] for each in (closed, opened)]
    assert ["open" in given for [given] in more] == [False, True]
    page = visitor.read(f"{LIST}?sub7=deep&charge_from=1")
    assert "Sub 7 is deep" in page.text and "Charge from is 1" in page.text
    assert f"{LIST}?charge_from=1" in page.links
    assert {page.fields[name] for name in ("sub7", "charge_from")} == {"deep", "1"}
    wrong = visitor.read(f"{LIST}?charge_from=much&changed_from=2023-02-30&device=phone").text
    assert wrong.count("does not exist: it is left out.") == 3


def test_conversion_list_filters_by_what_its_address_says(api: Api) -> None:
    desk = traffic_desk(api)
    other = api.add_offer(title="Other")
    desk.conversion(1, click=_FIRST_CLICK, action_id="A 1", **_FIRST)
    desk.conversion(2, status=Status.DECLINED, comment="Cap is reached", goal="2")
    desk.conversion(3, offer_id=other, status=Status.HOLD, created_at=api.clock.now_ms() - 40 * 86_400_000)
    click = desk.conversion(4, goal="4").click_id
    visitor = staff_visitor(api)
    for query, numbers in (
        ("", [4, 2, 1]),
        ("?period=today&goal=1", [1]),
        ("?from=2023-10-01&to=2023-10-31", [3]),
        (f"?offer={other}&from=2023-10-01&to=2023-11-15", [3]),
        ("?status=declined", [2]),
        ("?status=declined&status=pending", [2]),
        ("?reason=Cap+is+reached", [2]),
        (f"?advertiser={desk.advertiser}&country=ES", [1]),
        (f"?affiliate={desk.pid}&goal=2", [2]),
        ("?sub1=feed", [1]),
        ("?sub2=second", [1]),
        ("?custom3=third", [1]),
        ("?os=iOS&sub1=feed", [1]),
        ("?charge_from=10&charge_to=10&payout_to=7", [4, 2, 1]),
        ("?charge_from=11", []),
        ("?comment=reached", [2]),
        ("?action=A+1", [1]),
        (f"?click={click}&currency=USD", [4]),
        ("?changed_from=2023-11-16", []),
        ("?paid=closed", []),
        (f"?q={3:024x}", [3]),
        (f"?q=+{click.upper()}", [4]),
        ("?q=A+1", [1]),
    ):
        assert listed(visitor, query) == numbers, query
    page = visitor.read(f"{LIST}?status=declined&offer={desk.offer}")
    assert "Status is Declined" in page.text and "Offer is Casino deposit" in page.text
    assert f"{LIST}?offer={desk.offer}" in page.links
    wrong = visitor.read(f"{LIST}?offer=x&status=lost&page=0")
    assert "A value of Offer does not exist: it is left out." in wrong.text
    assert "A value of Status does not exist: it is left out." in wrong.text
    assert "Nothing meets these filters." in visitor.read(f"{LIST}?paid=closed").text


def test_conversion_list_names_the_currency_of_amounts_and_of_their_filters(api: Api) -> None:
    """Rows stay in the currency in which they are owed: a filter by currency changes none."""
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.5", active=1)
    desk = traffic_desk(api)
    desk.conversion(1)
    desk.conversion(2, currency="EUR")
    desk.conversion(3, currency="PLN")
    visitor = staff_visitor(api)
    page = visitor.read(LIST)
    assert "€10.00 €7.00" in page.text
    assert "$10.00 $7.00" in page.text
    assert "10.00 PLN 7.00 PLN" in page.text.replace("\N{NO-BREAK SPACE}", " ")
    options = [given["value"] for tag, given in page.elements if tag == "option"]
    assert {"USD", "EUR"} <= set(options)
    assert "PLN" not in options
    for currency, number in (("EUR", 2), ("PLN", 3)):
        assert listed(visitor, f"?currency={currency}&charge_from=10") == [number]
        page = visitor.read(f"{LIST}?currency={currency}&charge_from=10")
        [chosen] = [given["value"] for tag, given in page.elements if tag == "option" and "selected" in given]
        assert chosen == currency
        text = page.text.replace("\N{NO-BREAK SPACE}", " ")
        assert f"Currency is {currency}" in text
        assert f"Charge from is 10 {currency}" in text
    text = visitor.read(f"{LIST}?charge_from=10&payout_to=7.5").text
    assert "Charge from is 10 in the currency of the conversion" in text
    assert "Payout up to is 7.5 in the currency of the conversion" in text


def test_conversion_list_says_which_part_it_shows(api: Api) -> None:
    desk = traffic_desk(api)
    per_page = CONVERSIONS.per_page
    desk.many_conversions(per_page + 2)
    page = staff_visitor(api).read(f"{LIST}?status=confirmed&page=2")
    assert f"{per_page + 1}–{per_page + 2} of {per_page + 2}" in page.text
    assert f"{LIST}?status=confirmed&page=1" in page.links


def test_conversion_list_without_conversions_says_what_to_do(api: Api) -> None:
    assert "No conversion in these days. Choose an earlier period" in staff_visitor(api).read(LIST).text


def test_conversion_list_as_a_file_has_the_filters_of_the_page(api: Api) -> None:
    desk = traffic_desk(api)
    desk.conversion(1)
    desk.conversion(2, status=Status.DECLINED)
    visitor = staff_visitor(api)
    shown, fields = [link for link in visitor.read(f"{LIST}?status=declined").links if "format=csv" in link]
    rows = list(csv.DictReader(io.StringIO(visitor.get(shown).content.decode("utf-8-sig"))))
    columns = "Time,ID,Offer,Advertiser,Affiliate,Sub 1,Goal,Action ID,Status,Reason and signals"
    assert ",".join(rows[0]) == f'{columns},Charge,"Charge, currency",Payout,"Payout, currency"'.replace('"', "")
    assert [(row["ID"], row["Status"], row["Charge"], row["Charge, currency"]) for row in rows] == [
        (f"{2:024x}", "Declined", "10", "USD")
    ]
    rows = list(csv.DictReader(io.StringIO(visitor.get(fields).content.decode("utf-8-sig"))))
    assert [row["id"] for row in rows] == [f"{2:024x}"]
    assert visitor.get(f"{LIST}/file?format=pdf").status_code == 400


def test_conversion_pages_show_hostile_texts_as_text(api: Api) -> None:
    desk = traffic_desk(api, title=HOSTILE, advertiser=HOSTILE)
    fields = {"action_id": HOSTILE, "goal_title": HOSTILE, "comment": HOSTILE, "status": Status.DECLINED}
    made = desk.conversion(1, **fields, click={"sub1": HOSTILE, "city": HOSTILE, "referrer": HOSTILE})
    desk.attempt(made, url=f"https://a.example/{HOSTILE}", error=HOSTILE, http_code=0, outcome="dead")
    visitor = staff_visitor(api)
    for path in (LIST, f"{LIST}/{made.id}", f"{LIST}/change?id={made.id}&status=confirmed&back={HOSTILE}"):
        answer = visitor.get(path)
        assert answer.status_code == 200
        assert "<script>alert" not in answer.text, path
        assert "alert(1)" in answer.text, path


def test_conversion_change_shows_the_money_before_it_is_made(api: Api) -> None:
    desk = traffic_desk(api)
    first = desk.conversion(1, status=Status.DECLINED, comment="Cap is reached")
    second, third = desk.conversion(2, status=Status.PENDING), desk.conversion(3)
    visitor = staff_visitor(api)
    ids = "&".join(f"id={each.id}" for each in (first, second, third))
    page = visitor.read(f"{LIST}/change?{ids}&status=confirmed&back=status%3Ddeclined")
    assert "Change 2 conversions to confirmed? Nothing is changed yet." in page.text
    assert "1 selected conversion has this status already." in page.text
    assert "Charge $0.00 $20.00 +$20.00 Payout $0.00 $14.00 +$14.00 Margin $0.00 $6.00 +$6.00" in page.text
    back = visitor.read(f"{LIST}/change?id={third.id}&status=declined")
    assert "Payout $7.00 $0.00 \N{MINUS SIGN}$7.00" in back.text
    desk.apply_edits()
    assert listed(visitor, "?status=confirmed") == [3]
    chosen = [first.id, second.id]
    answer = visitor.post(
        f"{LIST}/change", id=chosen, status="confirmed", comment="late, but fine", back="status=declined"
    )
    assert (answer.status_code, answer.headers["location"]) == (303, f"{LIST}?status=declined")
    assert "2 conversions are being confirmed." in visitor.read(answer.headers["location"]).text
    desk.apply_edits()
    assert listed(visitor, "?status=confirmed") == [3, 2, 1]
    [stored] = api.admin.get("/3.1/stats/conversions", id=first.id)["conversions"]
    assert stored["comment"] == "late, but fine"


def test_conversion_change_that_is_refused_keeps_what_was_chosen(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    visitor = staff_visitor(api)
    answer = visitor.post(f"{LIST}/change", id=[made.id, "f" * 24], status="declined", comment="fraud")
    assert answer.status_code == 400
    assert "f" * 24 in answer.text and 'value="fraud"' in answer.text and made.id in answer.text
    assert "Select conversions in the list" in visitor.read(f"{LIST}/change").text


def test_conversion_pages_obey_the_rights_of_the_api(api: Api) -> None:
    desk = traffic_desk(api)
    made = desk.conversion(1)
    reader = staff_visitor(api, Role.STATS_CONVERSION, Role.STATS_COMMON)
    page = reader.read(LIST)
    assert "Preview the change" not in page.text
    assert "Change status" not in reader.read(f"{LIST}/{made.id}").text
    assert reader.get(f"{LIST}/change?id={made.id}&status=declined").status_code == 403
    assert reader.post(f"{LIST}/change", id=made.id, status="declined").status_code == 403
    other = staff_visitor(api, Role.SECTION_NEWS, Role.STATS_COMMON)
    assert other.get(LIST).status_code == other.get(f"{LIST}/{made.id}").status_code == 403
    assert LIST not in other.read("/console/").links
    api.add_affiliate(email="aff@example.org", password="long-enough")
    visitor = Visitor(console_app(api))
    assert visitor.sign_in("aff@example.org", "long-enough").status_code == 303
    assert visitor.get(LIST).status_code == 403
