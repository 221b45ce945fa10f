"""Requests to be paid, corrections, statements and reasons, on the pages of both sides."""

from dataclasses import replace

from tests.support.api import PASSWORD, Api
from tests.support.page_forms import read_form, send
from tests.support.pages import affiliate_visitor, console_app, staff_visitor
from tests.support.people_pages import HOSTILE, desk_of, earn
from trackyard.domain.people.roles import Role

REQUESTS, CORRECTIONS = "/console/payments/requests", "/console/balances/corrections"


def test_payment_request_goes_from_the_portal_to_a_payment(api: Api) -> None:
    pid, visitor = affiliate_visitor(api, name="Ann")
    staff = staff_visitor(api)
    assert "No affiliate waits to be paid on request." in staff.read(REQUESTS).text
    earn(api, pid, "30.00")
    assert "/portal/payments/request?currency=USD" in visitor.read("/portal/payments").links
    form = read_form(visitor, "/portal/payments/request?currency=USD")
    assert dict(form.pairs)["amount"] == "30.00"
    refused = send(visitor, "/portal/payments/request", form, amount="31")
    assert refused.status_code == 400 and "This is more than the 30 USD that are available." in refused.text
    made = send(visitor, "/portal/payments/request", form, amount="12.50", comment=HOSTILE)
    assert made.headers["location"] == "/portal/payments"
    text = visitor.read("/portal/payments").text
    assert "You asked for $12.50." in text and "Available $30.00" in text and "Requested $12.50" in text
    assert "Requested $12.50" in visitor.read("/portal/").text
    work = staff.read("/console/").text
    assert "1 affiliate asks to be paid" in work and "Ann, $12.50" in work
    assert "<script>alert" not in staff.get(REQUESTS).text + visitor.get("/portal/payments").text
    [waiting] = api.admin.get("/3.1/admin/payment-requests")["payment_requests"]
    paid = staff.post(f"{REQUESTS}/{waiting['id']}", do="accept")
    [payment] = api.admin.get("/3.1/admin/payments")["payments"]
    assert paid.headers["location"] == f"/console/payments/{payment['id']}"
    assert "Paid ahead of later conversions" in staff.read(f"/console/payments/{payment['id']}").text
    assert "Accepted" in staff.read(f"{REQUESTS}?tab=decided").text
    own = visitor.read(f"/portal/payments/{payment['id']}").text
    assert "The payment is made, and the money is not sent yet." in own and "$12.50" in own
    assert visitor.get("/portal/payments/999").status_code == 404
    assert affiliate_visitor(api)[1].get(f"/portal/payments/{payment['id']}").status_code == 404
    assert "Being paid $12.50" in visitor.read("/portal/payments").text


def test_rejected_payment_request_shows_its_reason_and_one_is_withdrawn(api: Api) -> None:
    pid, visitor = affiliate_visitor(api)
    earn(api, pid, "9.00")
    form = read_form(visitor, "/portal/payments/request")
    send(visitor, "/portal/payments/request", form, amount="9")
    staff = staff_visitor(api)
    [first] = api.admin.get("/3.1/admin/payment-requests")["payment_requests"]
    empty = staff.post(f"{REQUESTS}/{first['id']}", do="reject", reason="")
    assert empty.status_code == 400 and 'aria-invalid="true"' in empty.text
    staff.post(f"{REQUESTS}/{first['id']}", do="reject", reason=HOSTILE)
    assert "<script>alert" not in visitor.get("/portal/payments").text
    assert "Rejected " in visitor.read("/portal/payments").text
    send(visitor, "/portal/payments/request", form, amount="9")
    second = api.admin.get("/3.1/admin/payment-requests")["payment_requests"][0]["id"]
    visitor.post(f"/portal/payments/requests/{second}/withdraw")
    assert "The request is withdrawn." in visitor.read("/portal/payments").text
    visitor.post(f"/portal/payments/requests/{second}/withdraw")
    assert "The request is decided already." in visitor.read("/portal/payments").text
    assert desk_of(api, Role.MANAGER_AFFILIATE).visitor.get(REQUESTS).status_code == 403


def test_correction_is_in_the_balance_the_list_and_both_statements(api: Api) -> None:
    pid, visitor = affiliate_visitor(api, name="Ann")
    earn(api, pid, "10.00", hold="4.00")
    staff = staff_visitor(api)
    assert f"{CORRECTIONS}/new?affiliate={pid}" in staff.read(f"/console/affiliates/{pid}").links
    form = read_form(staff, f"{CORRECTIONS}/new?affiliate={pid}")
    assert dict(form.pairs)["pid"] == str(pid)
    refused = send(staff, f"{CORRECTIONS}/new", form, amount="0", comment="kept words")
    assert refused.status_code == 400 and "kept words" in refused.text
    done = send(staff, f"{CORRECTIONS}/new", form, amount="-2.25", comment="Fee of the bank")
    assert done.headers["location"] == f"{CORRECTIONS}?affiliate={pid}"
    listed = staff.read(CORRECTIONS).text
    assert "Ann" in listed and "\N{MINUS SIGN}$2.25" in listed and "Fee of the bank" in listed
    for reader, path in ((staff, f"/console/statements/{pid}"), (visitor, "/portal/statement")):
        text = reader.read(f"{path}?period=30d").text
        assert "Closing balance $11.75" in text and "Fee of the bank" in text and "$4.00 of it on hold" in text
        by_offer = reader.get(f"{path}/file?period=30d&by=offer")
        assert by_offer.headers["content-type"].startswith("text/csv")
        assert by_offer.text.rstrip().endswith("11.75,USD")
    assert staff.get("/console/statements/999").status_code == staff.get("/console/statements/x").status_code == 404
    assert "Available $7.75" in visitor.read("/portal/payments").text


def test_held_changes_are_work_for_those_who_may_confirm(api: Api) -> None:
    pid, _ = api.add_affiliate(name="Ann")
    earn(api, pid, "5.00")
    [payment] = api.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    careful = replace(api, deps=replace(api.deps, needs_second_person=True))
    author = staff_visitor(api, app=console_app(careful))
    author.post("/console/payments", do="paid", payment=[payment["id"]], amount=["5"])
    assert "waits for a second person" not in author.read("/console/").text, "the author cannot confirm"
    other = staff_visitor(api, Role.ADMIN, app=console_app(careful))
    text = other.read("/console/").text
    assert "1 change waits for a second person" in text and f"payment {payment['id']}" in text
    assert "second person" not in staff_visitor(api, Role.SECTION_PAYMENT).read("/console/payments").text


def test_affiliate_is_rejected_with_a_reason_that_it_sees_when_it_signs_in(api: Api) -> None:
    pid, _ = api.add_affiliate(email="new@example.com", status="on moderation")
    staff = staff_visitor(api)
    staff.post(f"/console/affiliates/{pid}/status", status="not active", status_reason="No site to look at.")
    assert "No site to look at." in staff.read(f"/console/affiliates/{pid}").text
    stranger = staff_visitor(api)
    answer = stranger.sign_in("new@example.com", PASSWORD)
    assert answer.status_code == 401 and "No site to look at." in answer.text
    assert "No site to look at." not in stranger.sign_in("new@example.com", "wrong-password").text


def test_payment_systems_are_rows_of_staff_and_of_the_affiliate(api: Api) -> None:
    pid, visitor = affiliate_visitor(api, name="Ann")
    asked = {"lang_label": "Bank", "fields[0][lang_label]": "IBAN", "fields[0][required]": "1"}
    bank = str(api.admin.post("/3.1/admin/payment_systems", **asked)["payment_system"]["id"])
    api.admin.post("/3.1/admin/payment_systems", lang_label="Coins")
    color = api.admin.post("/3.1/admin/custom_fields", name="Colour")["field"]["id"]
    page = f"/console/affiliates/{pid}/edit"
    staff = staff_visitor(api)
    row = "payment_systems[0]"
    filled = {f"{row}[system_id]": bank, f"{row}[currency]": "USD", f"{row}[fields][1]": "DE02"}
    sent = send(staff, page, read_form(staff, page), **filled, **{f"custom_fields[{color}]": "blue"})
    assert sent.status_code == 303, sent.text
    stored = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]
    assert [(each["system"], each["fields"]) for each in stored["payment_systems"]] == [("Bank", {"1": "DE02"})]
    assert stored["customFields"][0]["value"] == "blue"
    assert "DE02" in visitor.read("/portal/payments").text
    own = "/portal/payments/systems"
    form = read_form(visitor, own)
    refused = send(visitor, own, form, **{f"{row}[fields][1]": "FR14", "password": "wrong-password"})
    assert refused.status_code == 400 and "FR14" in refused.text
    done = send(visitor, own, form, **{f"{row}[fields][1]": "FR14", "password": PASSWORD})
    assert done.headers["location"] == "/portal/payments"
    assert "FR14" in visitor.read("/portal/payments").text
