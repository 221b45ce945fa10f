"""Reasons, claw-backs and authors of a conversion (docs/spec/conversions.md#edits-and-imports)."""

import pytest

from tests.api.money.test_affiliate_payments import pay
from tests.support.api import Api
from tests.support.page_forms import read_form, send
from tests.support.pages import Visitor, affiliate_visitor, staff_visitor
from tests.support.traffic_pages import TrafficDesk, traffic_desk
from trackyard.domain.conversions.conversions import Conversion, ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.store.money import ledger


def comment_of(api: Api, made: Conversion) -> str:
    """The comment that the API shows."""
    [found] = api.admin.get("/3.1/stats/conversions", **{"id[]": made.id})["conversions"]
    return str(found["comment"])


def decline(visitor: Visitor, made: Conversion, **fields: str) -> int:
    """Send the form of the preview of one conversion; return the status of the answer."""
    path = f"/console/conversions/{made.id}"
    return int(
        visitor.post("/console/conversions/change", id=made.id, status="declined", back=path, **fields).status_code
    )


@pytest.mark.parametrize("way", ["api", "form", "several at once"])
def test_comment_is_cleared_by_the_api_and_by_pages(api: Api, way: str) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1, status=Status.PENDING, comment="Fraud?")
    path = f"/console/conversions/{made.id}/edit"
    if way == "api":
        api.admin.post("/3.1/admin/conversion/edit", **{"ids[]": made.id, "comment": ""})
    elif way == "form":
        assert send(visitor, path, read_form(visitor, path), comment="").status_code == 303
    else:
        answer = visitor.post("/console/conversions/change", id=made.id, status="confirmed", no_comment="1")
        assert answer.status_code == 303
    desk.apply_edits()
    assert comment_of(api, made) == ""


def test_change_without_a_comment_keeps_the_one_that_is_there(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1, status=Status.PENDING, comment="By phone")
    visitor.post("/console/conversions/change", id=made.id, status="confirmed")
    desk.apply_edits()
    assert comment_of(api, made) == "By phone"


def test_decline_of_one_conversion_asks_for_a_reason(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1)
    path = f"/console/conversions/{made.id}"
    [link] = {each for each in visitor.read(path).links if "status=declined" in each}
    page = visitor.get(link).text
    assert "Reason" in page and "required" in page and "\N{MINUS SIGN}$7.00" in page
    assert decline(visitor, made) == 400
    assert decline(visitor, made, comment="  ") == 400
    desk.apply_edits()
    assert comment_of(api, made) == ""
    assert decline(visitor, made, comment="Fraud") == 303
    desk.apply_edits()
    assert comment_of(api, made) == "Fraud"


def test_address_of_another_host_is_no_way_back(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1, status=Status.PENDING)
    for back in ("//evil.example/", "https://evil.example/console/conversions/" + made.id):
        answer = visitor.post("/console/conversions/change", id=made.id, status="confirmed", back=back)
        assert answer.headers["location"].startswith("/console/conversions")


def paid_conversion(api: Api, desk: TrafficDesk, **fields: int) -> Conversion:
    """A conversion of $7 that an executed payment has paid."""
    made = desk.conversion(1, **fields)
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, ledger_entries_of(ConversionChange(None, made, "test")))
    [payment] = pay(api, **{"pid[]": made.affiliate_id})["payments"]
    api.admin.post(f"/3.1/admin/payments/{payment['id']}", status="paid")
    return made


def test_late_decline_of_a_paid_conversion_says_what_it_takes(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = paid_conversion(api, desk)
    path = f"/console/conversions/{made.id}"
    assert "Balance Paid." in visitor.read(path).text
    preview = visitor.read(f"/console/conversions/change?id={made.id}&status=declined&back={path}").text
    assert "Affiliates were paid $7.00 for them: it is taken back from their balances." in preview
    decline(visitor, made, comment="Refunded by the shop")
    desk.apply_edits()
    text = visitor.read(path).text
    assert "took $7.00 from the balance of the affiliate" in text
    assert "$7.00 was paid, and is taken back: the next payment settles it." in text
    assert "Balance Paid." not in text and "Nothing: declined" not in text
    assert "$7.00 is taken back" in visitor.read("/console/conversions?from=2023-11-01&to=2023-11-30").text


def test_affiliate_sees_what_is_taken_back_and_never_that_a_declined_one_is_paid(api: Api) -> None:
    desk, staff = traffic_desk(api), staff_visitor(api)
    pid, own = affiliate_visitor(api)
    made = paid_conversion(api, desk, affiliate_id=pid)
    path = "/portal/conversions?from=2023-11-01&to=2023-11-30"
    assert "Confirmed paid" in own.read(path).text
    decline(staff, made, comment="Refunded by the shop")
    desk.apply_edits()
    text = own.read(path).text.replace("\N{NO-BREAK SPACE}", " ")
    assert "$7.00 is taken back" in text and "was $7.00" in text and "Declined paid" not in text


def test_decline_before_a_payment_took_nothing_back(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1, status=Status.PENDING)
    decline(visitor, made, comment="Fraud")
    desk.apply_edits()
    text = visitor.read(f"/console/conversions/{made.id}").text
    assert "Nothing: declined conversions are not paid." in text
    assert "from the balance" not in text and "taken back" not in text


def test_edit_by_staff_is_never_an_act_of_the_advertiser(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1)
    desk.click(1)
    decline(visitor, made, comment="Fraud")
    desk.apply_edits()
    desk.postback(made.click_id, conversion_id=made.id, method="EDIT", query="by=staff:1&status=declined")
    desk.postback(made.click_id, "No change", conversion_id=made.id, method="EDIT", query="by=staff:1")
    text = visitor.read(f"/console/conversions/{made.id}").text
    assert "reported" not in text and "by the advertiser" not in text
    assert "Declined by Mia Manager: Fraud" in text and "An edit changed nothing" in text


def test_comment_of_staff_is_not_quoted_as_the_reason_of_the_advertiser(api: Api) -> None:
    desk, visitor = traffic_desk(api), staff_visitor(api)
    made = desk.conversion(1, status=Status.DECLINED)
    api.admin.post("/3.1/admin/conversion/edit", **{"ids[]": made.id, "comment": "Ask them again"})
    desk.apply_edits()
    text = visitor.read(f"/console/conversions/{made.id}").text
    assert "Comment by " in text and ": Ask them again" in text and "by the advertiser: Ask" not in text
