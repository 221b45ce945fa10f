"""Payments to affiliates: the list, proposals, one payment, held changes."""

from dataclasses import replace
from typing import Any

from tests.support.api import Api
from tests.support.pages import PASSWORD, console_app, staff_visitor
from tests.support.people_pages import HOSTILE, earn, numbers
from trackyard.domain.people.roles import Role

LIST = "/console/payments"


def pay(api: Api, *pids: int) -> list[int]:
    """The numbers of new payments to affiliates."""
    return [each["id"] for each in api.admin.post("/3.1/admin/payments", **{"pid[]": [*pids]})["payments"]]


def statuses(api: Api) -> dict[int, str]:
    """The status of each payment by its number."""
    return {each["id"]: each["status"] for each in api.admin.get("/3.1/admin/payments")["payments"]}


def test_payments_are_proposed_for_the_chosen_affiliates(api: Api) -> None:
    visitor = staff_visitor(api)
    assert "There are no payments yet." in visitor.read(LIST).text
    assert "Nothing can be paid now" in visitor.read(f"{LIST}/due").text
    ann, _ = api.add_affiliate(name="Ann")
    bob, _ = api.add_affiliate(name=HOSTILE)
    earn(api, ann, "12.50")
    earn(api, bob, "7.00")
    earn(api, bob, "3.00", currency="EUR")
    [row] = api.admin.get("/3.1/admin/payments/due", **{"pid[]": ann})["due"]
    page = visitor.read(f"{LIST}/due?currency=USD")
    assert f"${row['amount']:.2f}" in page.text and "$19.50 together." in page.text and "€" not in page.text
    assert "<script>alert" not in visitor.get(f"{LIST}/due?currency=USD").text
    nobody = visitor.post(f"{LIST}/due", currency="USD", comment="kept words")
    assert nobody.status_code == 400 and "Choose at least one affiliate." in nobody.text and "kept words" in nobody.text
    sent: dict[str, Any] = {"currency": "USD", "pid": [ann], "comment": "November"}
    preview = visitor.post(f"{LIST}/due", **sent)
    assert "Make 1 payment?" in preview.text and "$12.50 together. Nothing is made yet." in preview.text
    assert statuses(api) == {}
    earn(api, ann, "1.00")
    stale = visitor.post(f"{LIST}/due", **sent, do="make", amount=["12.5000"])
    assert stale.status_code == 400 and "the amount is 13.5 by now, not 12.5" in stale.text and statuses(api) == {}
    made = visitor.post(f"{LIST}/due", **sent, do="make", amount=["13.50"])
    assert made.headers["location"] == f"{LIST}?status=created"
    text = visitor.read(f"{LIST}?status=created").text
    assert "1 payment made, $13.50 together." in text and "Ann $13.50 To be paid" in text and "November" in text
    [stored] = api.admin.get("/3.1/admin/payments")["payments"]
    assert (stored["pid"], stored["amount"], stored["comment"]) == (ann, 13.5, "November")


def test_payments_are_marked_one_by_one_and_several_at_once(api: Api) -> None:
    pids = [api.add_affiliate(name=f"Affiliate {number}")[0] for number in range(3)]
    for pid in pids:
        earn(api, pid, "5.00")
    first, second, third = sorted(pay(api, *pids))
    visitor = staff_visitor(api)
    assert numbers(visitor, f"{LIST}?affiliate={pids[0]}&status=created&currency=USD") == [
        "requests",
        "results",
        "due",
        str(first),
    ]
    preview = visitor.post(LIST, do="paid", payment=[first, second])
    assert "Mark 2 payments as paid?" in preview.text and "$10.00 together." in preview.text
    assert statuses(api) == dict.fromkeys((first, second, third), "created")
    stale = {"do": "paid", "payment": [first], "amount": ["4.00"]}
    visitor.post(LIST, **stale)
    assert f"Payment {first}: The amount is 5 USD by now, not 4." in visitor.read(LIST).text
    visitor.post(LIST, do="paid", payment=[first, second], amount=["5.0000", "5"])
    assert "2 payments are paid." in visitor.read(LIST).text
    assert "Nothing to change" in visitor.post(LIST, do="cancelled", payment=[second]).text
    visitor.post(LIST, do="cancelled", payment=[second], amount=["5"])
    assert f"Payment {second}: The payment is paid." in visitor.read(LIST).text
    page = f"{LIST}/{third}"
    assert visitor.post(page, comment=HOSTILE).headers["location"] == page
    assert "<script>alert" not in visitor.get(page).text and "<script>alert" not in visitor.get(LIST).text
    assert "Conversion" in visitor.read(page).text
    assert "Cancel 1 payment?" in visitor.post(page, status="cancelled").text
    done = visitor.post(LIST, do="cancelled", payment=[third], amount=["5"], back=page)
    assert done.headers["location"] == page
    assert statuses(api) == {first: "paid", second: "paid", third: "cancelled"}
    shown = visitor.read(page).text
    assert "its amount is available again" in shown
    assert "changed: status" in shown.partition("Activity ")[2]
    assert visitor.get(f"{LIST}/999").status_code == visitor.get(f"{LIST}/x").status_code == 404
    assert "A value of Made from does not exist" in visitor.read(f"{LIST}?since=never").text


def test_payment_pages_are_for_those_who_pay(api: Api) -> None:
    pid, _ = api.add_affiliate(name="Ann")
    earn(api, pid, "5.00")
    [number] = pay(api, pid)
    payer = staff_visitor(api, Role.SECTION_PAYMENT)
    assert f"#{pid}" in payer.read(LIST).text
    earn(api, pid, "1.00")
    assert f"/console/affiliates/{pid}" not in payer.read(f"{LIST}/due").links
    assert payer.get(f"{LIST}/{number}").status_code == 200
    assert payer.get(f"{LIST}/held").status_code == 403
    other = staff_visitor(api, Role.MANAGER_AFFILIATE)
    for page in (LIST, f"{LIST}/due", f"{LIST}/{number}"):
        assert other.get(page).status_code == 403
    assert other.post(LIST, do="paid", payment=[number]).status_code == 403
    assert LIST not in other.read("/console/affiliates").links
    assert statuses(api) == {number: "created"}


def held(api: Api) -> Any:
    """The held changes that wait."""
    return api.admin.get("/3.1/admin/held-changes", state="waiting")["held_changes"]


def test_held_payment_is_confirmed_by_another_administrator(api: Api) -> None:
    strict = replace(api, deps=replace(api.deps, needs_second_person=True))
    app = console_app(strict)
    pid, _ = api.add_affiliate(name="Ann")
    earn(api, pid, "5.00")
    [number] = pay(api, pid)
    author, other = staff_visitor(api, app=app), staff_visitor(api, app=app)
    author.post(LIST, do="paid", payment=[number], amount=["5"], back=f"{LIST}/{number}")
    assert "1 payment is held until another administrator confirms." in author.read(f"{LIST}/{number}").text
    assert "1 change waits for a second person." in author.read(LIST).text
    [change] = held(api)
    own = author.read(f"{LIST}/held").text
    assert "another administrator confirms" in own and "Withdraw" in own
    path = f"{LIST}/held/{change['id']}"
    wrong = other.post(path, do="confirm", password="not the password")
    assert wrong.status_code >= 400 and f'id="fault-{change["id"]}"' in wrong.text
    assert statuses(api) == {number: "created"}
    assert other.post(path, do="confirm", password=PASSWORD).headers["location"] == f"{LIST}/held"
    assert statuses(api) == {number: "paid"}
    assert "No change waits for a second person." in other.read(f"{LIST}/held").text
