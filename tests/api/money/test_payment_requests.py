"""Payment requests, corrections and statements agree with the ledger; a request takes nothing.

See docs/spec/money.md#payment-requests.
"""

import csv
import io
from collections.abc import Callable, Iterator
from decimal import Decimal
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from sqlalchemy import func, select

from tests.api.money.test_affiliate_payments import DAY, differ, earn
from tests.support.api import PASSWORD, Api, installed
from tests.support.client import ApiClient
from tests.support.events import make_notices
from trackyard.analytics.engine.connection import Analytics
from trackyard.base.zones import local_day
from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.units import in_units
from trackyard.domain.people.roles import Role
from trackyard.store.engine.database import Database
from trackyard.store.engine.types import Amount
from trackyard.store.platform import reconciliation as stored
from trackyard.store.tables import ledger, mail

_REQUESTS = "/3.1/admin/payment-requests"


@pytest.fixture
def network(database: Database, analytics: Analytics) -> Api:
    """An installation on either engine."""
    return installed(database, analytics)


def ask(own: ApiClient, amount: str, **params: Any) -> Any:
    """Ask to be paid in the platform's currency."""
    return own.call("POST", "/3.1/partner/payments/request", data={"currency": "USD", "amount": amount, **params})


def available(api: Api, pid: int) -> Decimal:
    """What the API shows as available."""
    return Decimal(str(api.admin.get("/3.1/balance", pid=pid)["balance"]["available"].get("USD", 0)))


def mails_to(api: Api, email: str) -> list[str]:
    """The bodies of the mails to an address."""
    make_notices(api.deps.database, api.clock.now_ms())
    with api.deps.database.read() as conn:
        return list(conn.execute(select(mail.c.body).where(mail.c.recipient == email)).scalars())


def test_payment_request_accepted_pays_exactly_the_amount_and_rest_stays_available(network: Api) -> None:
    pid, own = network.add_affiliate()
    first = earn(network, pid, "7")
    earn(network, pid, "10")
    asked = ask(own, "12.5", comment="for rent").json()["payment_request"]
    assert (asked["status"], asked["amount"], asked["payment_id"]) == ("open", 12.5, None)
    assert available(network, pid) == 17, "a request takes nothing"
    [listed] = network.admin.get(_REQUESTS, **{"status[]": "open"})["payment_requests"]
    assert (listed["pid"], listed["comment"]) == (pid, "for rent")
    made = network.admin.post(f"{_REQUESTS}/{asked['id']}/accept", comment="as asked")
    payment = made["payment"]
    assert (payment["amount"], payment["status"], payment["comment"]) == (12.5, "created", "as asked")
    assert (made["payment_request"]["status"], made["payment_request"]["payment_id"]) == ("accepted", payment["id"])
    entries = own.get(f"/3.1/partner/payments/{payment['id']}/entries")["entries"]
    assert {(each["kind"], each["amount"]) for each in entries} == {("conversion", 7), ("advance", 5.5)}
    assert {each["conversion_id"] for each in entries} == {first.id, str(payment["id"])}
    assert available(network, pid) == Decimal("4.5")
    network.admin.post(f"/3.1/admin/payments/{payment['id']}", status="paid")
    [rest] = network.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    assert rest["amount"] == 4.5
    again = network.admin.call("POST", f"{_REQUESTS}/{asked['id']}/accept")
    assert (again.status_code, again.json()["fields"]) == (409, {"id": ["This request is accepted already."]})
    assert own.call("GET", "/3.1/partner/payments/999/entries").status_code == 404


def test_payment_request_out_of_bounds_names_the_parameter(network: Api) -> None:
    pid, own = network.add_affiliate()
    network.admin.post("/3.1/admin/currencies/840", min_payment="5")
    network.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    earn(network, pid, "7")
    earn(network, pid, "100", status=Status.HOLD)
    for amount, sentence in (
        ("0", "This value must be more than 0."),
        ("7.01", "This is more than the 7 USD that are available."),
        ("4.99", "This is less than the least payment of 5 USD."),
    ):
        refused = ask(own, amount)
        assert (refused.status_code, refused.json()["fields"]) == (400, {"amount": [sentence]})
    bank = network.admin.post("/3.1/admin/payment_systems", lang_label="Bank", currency="USD")["payment_system"]["id"]
    coins = network.admin.post("/3.1/admin/payment_systems", lang_label="Coins", currency="EUR")["payment_system"]["id"]
    chosen = {"payment_systems[0][system_id]": str(bank), "payment_systems[1][system_id]": str(coins)}
    network.admin.post(f"/3.0/admin/partner/{pid}", **chosen)
    assert ask(own, "7").json()["fields"] == {"system_id": ["Choose one of your payment systems."]}
    assert ask(own, "7", system_id=coins).json()["fields"] == {
        "system_id": ["You have no such payment system for USD."]
    }
    made = ask(own, "7", system_id=bank).json()["payment_request"]
    assert made["system"] == "Bank"
    assert ask(own, "6", system_id=bank).status_code == 409, "one open request for each currency"
    other, _ = network.add_affiliate()
    earn(network, other, "50")
    stranger = network.add_affiliate()[1]
    withdraw = f"/3.1/partner/payments/requests/{made['id']}/withdraw"
    assert stranger.call("POST", withdraw).status_code == 404
    assert own.post(withdraw)["payment_request"]["status"] == "withdrawn"
    assert ask(own, "6", system_id=bank).status_code == 200
    assert network.add_staff(Role.MANAGER_AFFILIATE)[1].call("GET", _REQUESTS).status_code == 403


def test_payment_request_rejected_shows_reason_and_mails_it(network: Api) -> None:
    pid, own = network.add_affiliate()
    earn(network, pid, "7")
    number = ask(own, "7").json()["payment_request"]["id"]
    assert network.admin.call("POST", f"{_REQUESTS}/{number}/reject").status_code == 400
    network.admin.post(f"{_REQUESTS}/{number}/reject", reason="Your bank account is closed.")
    [seen] = own.get("/3.1/partner/payments/requests")["payment_requests"]
    assert (seen["status"], seen["reason"]) == ("rejected", "Your bank account is closed.")
    assert any(
        "Your bank account is closed." in body
        for body in mails_to(network, own.get("/3.0/partner/me")["user"]["email"])
    )
    differ(network, earn(network, pid, "1"), "-4")
    again = ask(own, "4").json()["payment_request"]["id"]
    differ(network, earn(network, pid, "1"), "-4")
    refused = network.admin.call("POST", f"{_REQUESTS}/{again}/accept")
    assert refused.json()["fields"] == {"id": ["Only 1 USD are available by now: reject the request."]}


def test_correction_changes_available_amount_with_author_and_comment(network: Api) -> None:
    pid, own = network.add_affiliate()
    new = {"pid": pid, "currency": "USD", "comment": "Bonus of November"}
    made = network.admin.post("/3.1/admin/corrections", **new, amount="25.5")["correction"]
    assert (made["amount"], made["author"]["email"]) == (25.5, "admin@localhost")
    network.admin.post("/3.1/admin/corrections", **new, amount="-5.25")
    assert available(network, pid) == Decimal("20.25")
    [payment] = network.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    assert payment["amount"] == 20.25
    listed = network.admin.get("/3.1/admin/corrections", **{"pid[]": pid})["corrections"]
    assert [each["amount"] for each in listed] == [-5.25, 25.5]
    for wrong, name in (({"amount": "0"}, "amount"), ({"amount": "1", "currency": "XYZ"}, "currency")):
        refused = network.admin.call("POST", "/3.1/admin/corrections", data=new | wrong)
        assert list(refused.json()["fields"]) == [name]
    assert own.call("GET", "/3.1/admin/corrections").status_code == 403
    [logged, *_] = network.admin.get("/3.1/admin/audit", what="correction")["audit"]
    assert logged["changes"]["comment"] == {"from": None, "to": "Bonus of November"}


def live(network: Api, random: Random, pid: int, own: ApiClient) -> None:
    """Conversions, changes, corrections, requests and payments of several weeks, in any order."""
    made = list[Conversion]()

    def convert() -> None:
        status = random.choice((Status.CONFIRMED, Status.HOLD, Status.PENDING))
        made.append(earn(network, pid, _amount(random), status=status, created_at=network.clock.now_ms()))

    def change() -> None:
        for conversion in made[:1]:
            differ(network, conversion, f"-{_amount(random)}", at=network.clock.now_ms())
            made.remove(conversion)

    def correct() -> None:
        amount = random.choice(("", "-")) + _amount(random)
        network.admin.post("/3.1/admin/corrections", pid=pid, currency="USD", amount=amount, comment="=1+1")

    def request() -> None:
        amount = abs(available(network, pid)) * random.choice((Decimal(1), Decimal("0.37")))
        asked = ask(own, str(in_units(amount, "USD")))
        verb, more = random.choice((("accept", {}), ("accept", {}), ("reject", {"reason": "no"})))
        if asked.status_code == 200:
            network.admin.post(f"{_REQUESTS}/{asked.json()['payment_request']['id']}/{verb}", **more)

    def end() -> None:
        for each in network.admin.get("/3.1/admin/payments", **{"status[]": "created"})["payments"]:
            network.admin.post(f"/3.1/admin/payments/{each['id']}", status=random.choice(("paid", "cancelled")))

    moves: tuple[Callable[[], None], ...] = (convert, convert, convert, change, correct, request, end)
    for _ in range(40):
        random.choice(moves)()
        network.clock.advance(random.randrange(DAY))


def test_statement_of_random_history_equals_the_ledger(network: Api) -> None:
    random = Random(18)
    pid, own = network.add_affiliate()
    live(network, random, pid, own)
    model = list[tuple[int, Decimal]]()  # moment and change of the balance
    with network.deps.database.read() as conn:
        change_of = func.sum(ledger.c.hold + ledger.c.available, type_=Amount)
        rows = conn.execute(select(ledger.c.at, change_of).group_by(ledger.c.at))
        model += [(at, amount) for at, amount in rows]
        assert all(
            each.paid == each.amount == -each.entered
            for each in stored.payment_sums(conn)
            if each.status != "cancelled"
        )
        assert all(each.wanted == each.entered for each in (*stored.correction_sums(conn), *stored.advance_sums(conn)))
        assert any(stored.advance_sums(conn)), "the history pays ahead"
    for zone in (network.deps.zone, ZoneInfo("Asia/Kathmandu")):
        compare_statements(network, own, pid, model, zone, random)


def compare_statements(
    network: Api, own: ApiClient, pid: int, model: list[tuple[int, Decimal]], zone: ZoneInfo, random: Random
) -> None:
    """Compare statements of a zone with the changes of a balance."""
    named = {} if zone == network.deps.zone else {"timezone": zone.key}
    days = sorted({local_day(at, zone) for at, _ in model})
    for first, last in ((days[0], days[-1]), *(sorted(random.sample(days, 2)) for _ in range(4))):
        before = sum((amount for at, amount in model if local_day(at, zone) < first), Decimal(0))
        until = sum((amount for at, amount in model if local_day(at, zone) <= last), Decimal(0))
        for by in ("day", "offer"):
            sent = {"date_from": str(first), "date_to": str(last), "by": by, **named}
            seen = own.get("/3.1/balance/statement", **sent)["statement"]
            amounts = [Decimal(str(each["amount"])) for each in seen["lines"]]
            assert (Decimal(str(seen["opening"])), Decimal(str(seen["closing"]))) == (before, until), (first, last)
            assert before + sum(amounts) == until
            assert sum(Decimal(str(each)) for each in seen["totals"].values()) == until - before
            file = network.admin.call("GET", "/3.1/balance/statement", params=sent | {"pid": pid, "format": "csv"}).text
            lines = list(csv.DictReader(io.StringIO(file.removeprefix("\ufeff"))))
            assert [Decimal(each["amount"]) for each in lines] == [before, *amounts, until]
            if by == "day":
                shown = {
                    (each["kind"], each["date"]): Decimal(str(each["amount"]))
                    for each in seen["lines"]
                    if each["kind"] in ("conversions", "reversals")
                }
                assert shown == dict(_conversions_by_day(network, (first, last), zone))


def _amount(random: Random) -> str:
    return f"{random.randrange(1, 90_000) / 1000:.3f}"


def _conversions_by_day(api: Api, span: tuple[Any, Any], zone: ZoneInfo) -> Iterator[tuple[tuple[str, str], Decimal]]:
    found = dict[tuple[str, str], Decimal]()
    with api.deps.database.read() as conn:
        rows = conn.execute(
            select(ledger.c.at, ledger.c.hold, ledger.c.available).where(ledger.c.kind.in_(("conversion", "change")))
        )
        for at, hold, available_amount in rows:
            day = local_day(at, zone)
            change = hold + available_amount
            if span[0] <= day <= span[1] and change:
                key = ("conversions" if change > 0 else "reversals", str(day))
                found[key] = found.get(key, Decimal(0)) + change
    return iter(found.items())


def test_own_payment_systems_need_the_password_and_are_mailed(network: Api) -> None:
    _, own = network.add_affiliate()
    asked = {"lang_label": "Bank", "fields[0][lang_label]": "IBAN", "fields[0][required]": "1"}
    bank = network.admin.post("/3.1/admin/payment_systems", **asked)["payment_system"]["id"]
    chosen = {"payment_systems[0][system_id]": bank, "payment_systems[0][currency]": "USD"}
    path = "/3.1/partner/payment_systems"
    refused = own.call("POST", path, data=chosen | {"password": "wrong-password"})
    assert list(refused.json()["fields"]) == ["password"]
    refused = own.call("POST", path, data=chosen | {"password": PASSWORD})
    assert list(refused.json()["fields"]) == ["payment_systems[0][fields][1]"]
    own.post(path, **chosen, password=PASSWORD, **{"payment_systems[0][fields][1]": "DE02"})
    seen = own.get(path)
    assert [(each["system"], each["fields"]) for each in seen["payment_systems"]] == [("Bank", {"1": "DE02"})]
    assert [each["lang_label"] for each in seen["offered"]] == ["Bank"]
    mails = mails_to(network, own.get("/3.0/partner/me")["user"]["email"])
    assert len([body for body in mails if "payment systems" in body]) == 1
    assert "DE02" not in "".join(mails)


def test_rejected_offer_request_and_affiliate_show_their_reasons(network: Api) -> None:
    pid, own = network.add_affiliate(email="rejected@example.com")
    offer = network.add_offer(advertiser=network.add_advertiser(), privacy="protected", status="active")
    own.call("POST", "/3.0/partner/activation/offer", data={"offer_id": offer, "comment": "please"})
    [ticket] = network.admin.get("/3.0/admin/tickets", **{"status[]": "open"})["tickets"]
    decided = f"/3.0/admin/ticket/{ticket['id']}/offer"
    assert network.admin.call("POST", decided, data={"do": "approve", "reason": "x"}).status_code == 400
    network.admin.post(decided, do="reject", reason="Only traffic from search.")
    [seen] = own.get("/3.1/partner/tickets")["tickets"]
    assert (seen["decision"], seen["reason"]) == ("reject", "Only traffic from search.")
    assert any("Only traffic from search." in body for body in mails_to(network, "rejected@example.com"))
    network.admin.post(f"/3.0/admin/partner/{pid}", status="not active", status_reason="No site to look at.")
    assert any("No site to look at." in body for body in mails_to(network, "rejected@example.com"))
    sent = {"login": "rejected@example.com", "password": PASSWORD}
    refused = network.admin.call("POST", "/3.1/auth", data=sent)
    assert (refused.status_code, refused.json()["code"]) == (401, "account_not_active")
    assert "No site to look at." in refused.json()["error"]
    wrong = network.admin.call("POST", "/3.1/auth", data=sent | {"password": "wrong-password"})
    assert wrong.json()["code"] == "wrong_credentials"
    network.admin.post(f"/3.0/admin/partner/{pid}", status="active")
    assert network.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["status_reason"] == ""
