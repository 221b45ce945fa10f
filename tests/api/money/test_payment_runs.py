"""Payment runs, payments of an exact sum, corrections, deletions, and removed conversions.

See docs/spec/money.md#payment-runs.
"""

from decimal import Decimal
from typing import Any

import pytest

from tests.api.money.test_affiliate_payments import DAY, earn
from tests.api.money.test_held_changes import strict
from tests.support.api import Api, installed
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.conversions.statuses import Status
from trackyard.store.engine.database import Database

DAYS = {"date_from": "2023-11-01", "date_to": "2023-11-30"}


@pytest.fixture
def network(database: Database, analytics: Analytics) -> Api:
    """An installation on either engine."""
    return installed(database, analytics)


def run(api: Api, **params: Any) -> Any:
    """Make a payment run."""
    return api.admin.post("/3.1/payments/generate", **params)


def shown(api: Api, number: int) -> Any:
    """A payment as programs of other platforms read it."""
    return api.admin.get(f"/3.1/payments/{number}")["payment"]


def balance(api: Api, pid: int) -> Decimal:
    """What is available to an affiliate in USD."""
    found = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]["balance"]
    return Decimal(str(found.get("USD", {"available": 0})["available"]))


def refusal(api: Api, method: str, path: str, **data: Any) -> tuple[int, Any]:
    """The status and the fields of a refused call."""
    answer = api.admin.call(method, path, **({"data": data} if method == "POST" else {}))
    return answer.status_code, answer.json().get("fields")


def check_books(api: Api) -> None:
    """Payments and corrections agree with the ledger."""
    wrong = [each for each in reconcile(api.deps).differences if each.what in ("payment", "correction")]
    assert wrong == []


def test_run_takes_what_is_due_and_its_deletion_gives_it_back(network: Api) -> None:
    system = network.admin.post("/3.1/admin/payment_systems", lang_label="Wire", **{"fields[0][lang_label]": "IBAN"})[
        "payment_system"
    ]
    paid = {"payment_systems[0][system_id]": system["id"], "payment_systems[0][fields][1]": "DE02"}
    pid, _ = network.add_affiliate(**paid)
    first, second = earn(network, pid, "7"), earn(network, pid, "7")
    earn(network, pid, "4", status=Status.HOLD)
    made = run(network, aid=pid, note="November run")
    [number] = made["payments"]
    assert (made["message"], made["skipped"], balance(network, pid)) == ("Payments made: 1", [], 0)
    found = shown(network, number)
    assert (found["pid"], found["status"], found["revenue"], found["notes"]) == (
        pid,
        "1",
        "14.00000000",
        "November run",
    )
    assert (found["currency"], found["currency_code"], found["ref_revenue"]) == ("840", "USD", None)
    assert (found["pay_sys"], found["pay_sys_name"], found["pay_acc"]) == (system["id"], "Wire", "IBAN: DE02")
    assert found["cpa_actions"] == sorted([first.id, second.id])
    assert found["details"] == {
        "details": {"1": {"cost": {"7.00000000": {"count": 2, "currency": 840}}, "title": ""}},
        "count": 2,
    }
    assert network.admin.get("/3.1/admin/payments", **{"id[]": number})["payments"][0]["note"] == "November run"
    assert network.admin.call("DELETE", f"/3.1/payments/delete/{number}").json() == {"status": 1, "result": True}
    assert (shown(network, number)["status"], balance(network, pid)) == ("-1", 14)
    assert run(network, aid=pid)["payments"] != []
    check_books(network)


def test_run_pays_what_its_filters_choose(network: Api) -> None:
    pid, other = network.add_affiliate()[0], network.add_affiliate()[0]
    advertiser = network.add_advertiser()
    german = earn(network, pid, "7", advertiser_id=advertiser)
    network.clock.advance(2 * DAY)
    later = earn(network, pid, "3", created_at=network.clock.now_ms(), updated_at=network.clock.now_ms())
    earn(network, other, "5")
    [number] = run(network, **{"advertiser_ids[]": advertiser})["payments"]
    assert (shown(network, number)["cpa_actions"], balance(network, pid)) == ([german.id], 3)
    network.admin.post(f"/3.1/payments/delete/{number}")
    assert run(network, **{"include_aids[]": pid, "offer_ids[]": 999})["skipped"][0]["reason"] == "nothing is available"
    assert run(network, **{"countries[]": "FR"})["payments"] == []
    assert run(network, **{"currencies[]": "EUR"})["payments"] == []
    [number] = run(network, aid=pid, date="2023-11-15")["payments"]
    assert shown(network, number)["cpa_actions"] == [german.id]
    network.admin.post(f"/3.1/payments/delete/{number}")
    [number] = run(network, aid=pid, date_from="2023-11-16")["payments"]
    assert shown(network, number)["cpa_actions"] == [later.id]
    made = run(network, **{"exclude_aids[]": other})["payments"]
    assert [shown(network, each)["pid"] for each in made] == [pid]
    assert balance(network, other) == 5
    check_books(network)


def test_run_by_last_invoice_pays_what_came_since(network: Api) -> None:
    pid, _ = network.add_affiliate()
    early = earn(network, pid, "7")
    network.clock.advance(DAY)
    run(network, aid=pid, date_from="2023-11-15", date_to="2023-11-15", **{"offer_ids[]": 1})
    at = network.clock.now_ms() + 1000
    late = earn(network, pid, "3", created_at=at, updated_at=at)
    network.clock.advance(DAY)
    [number] = run(network, aid=pid, by_last_invoice="true")["payments"]
    assert (shown(network, number)["cpa_actions"], early.id != late.id) == ([late.id], True)
    assert refusal(network, "POST", "/3.1/payments/generate", by_last_invoice="1", by_last_unpaid_conversion="1") == (
        400,
        {"by_last_invoice": ["Send by_last_unpaid_conversion or this, not both: each says where the run begins."]},
    )
    assert refusal(network, "POST", "/3.1/payments/generate", aid="99999")[0] == 400


def test_payment_of_exact_sum_pays_ahead(network: Api) -> None:
    pid, _ = network.add_affiliate()
    earn(network, pid, "7")
    earn(network, pid, "5")
    wanted = {"aid": pid, "sum": "10", "currency": "840"}
    [number] = network.admin.post("/3.1/payments/create-for-affiliate", **wanted, note="Advance")["payments"]
    assert (shown(network, number)["revenue"], balance(network, pid)) == ("10.00000000", 2)
    fields = {"sum": ["This is more than the 2 USD that are available."]}
    assert refusal(network, "POST", "/3.1/payments/create-for-affiliate", **wanted) == (400, fields)
    assert network.admin.post("/3.1/payments/create-for-affiliate", aid=pid, sum="2", currency="usd")["payments"]
    unknown = refusal(network, "POST", "/3.1/payments/create-for-affiliate", aid=pid, sum="2", currency="7")
    assert (unknown[0], list(unknown[1])) == (400, ["currency"])
    check_books(network)


def test_correction_changes_amount_of_payment_and_not_what_is_available(network: Api) -> None:
    pid, own = network.add_affiliate()
    earn(network, pid, "7")
    [number] = run(network, aid=pid)["payments"]
    answer = network.admin.post(f"/3.1/payments/{number}/add-correction", revenue="-2.5", comment="Fee of the bank")
    assert answer == {"status": 1, "result": True}
    found = shown(network, number)
    [(correction, more)] = found["additional_payments"].items()
    assert (found["revenue"], balance(network, pid)) == ("4.50000000", 0)
    assert (more["revenue"], more["currency"], more["comment"]) == ("-2.50000000", "840", "Fee of the bank")
    entries = own.get(f"/3.1/partner/payments/{number}/entries")["entries"]
    assert {(each["kind"], each["amount"]) for each in entries} == {("conversion", 7), ("correction", -2.5)}
    too_much = refusal(network, "POST", f"/3.1/payments/{number}/add-correction", revenue="-4.5", comment="x")
    assert too_much == (409, {"revenue": ["The payment would be of 0: delete it instead."]})
    check_books(network)
    assert network.admin.call("DELETE", f"/3.1/payments/del-correction/{correction}").json()["result"] is True
    assert network.admin.call("DELETE", f"/3.1/payments/del-correction/{correction}").status_code == 404
    found = shown(network, number)
    assert (found["revenue"], found["additional_payments"], balance(network, pid)) == ("7.00000000", [], 0)
    check_books(network)


def test_deletion_of_corrected_payment_restores_what_was_available(network: Api) -> None:
    pid, own = network.add_affiliate()
    earn(network, pid, "7")
    [number] = run(network, aid=pid)["payments"]
    network.admin.post(f"/3.1/payments/{number}/add-correction", revenue="5", comment="Bonus")
    network.admin.post(f"/3.1/payments/delete/{number}")
    assert (balance(network, pid), shown(network, number)["revenue"]) == (7, "7.00000000")
    assert own.get(f"/3.1/partner/payments/{number}/entries")["entries"] == []
    statement = own.get("/3.1/balance/statement", currency="USD", **DAYS)["statement"]
    lines = [(each["kind"], each["amount"]) for each in statement["lines"]]
    assert ("cancelled payment", 7) in lines
    assert sum(amount for _, amount in lines) == 7
    check_books(network)


def test_conversions_taken_out_of_payment_are_due_again(network: Api) -> None:
    pid, _ = network.add_affiliate()
    kept, first, second = (earn(network, pid, payout) for payout in ("7", "3", "2"))
    [number] = run(network, aid=pid)["payments"]
    path = f"/3.1/payments/{number}/conversions/delete"
    network.admin.post(path, **{"conversion_ids[]": [first.id, second.id]})
    found = shown(network, number)
    assert (found["revenue"], found["cpa_actions"], balance(network, pid)) == ("7.00000000", [kept.id], 5)
    assert refusal(network, "POST", path, **{"conversion_ids[]": first.id})[0] == 400
    assert refusal(network, "POST", path, **{"offer_ids[]": 1}) == (
        409,
        {"offer_ids": ["The payment would be of 0: delete it instead."]},
    )
    assert refusal(network, "POST", path)[0] == 400
    [again] = run(network, aid=pid)["payments"]
    assert shown(network, again)["cpa_actions"] == sorted([first.id, second.id])
    check_books(network)


def test_status_moves_payment_and_sent_money_stays(network: Api) -> None:
    pid, _ = network.add_affiliate()
    earn(network, pid, "7")
    [number] = run(network, aid=pid)["payments"]
    path = f"/3.1/payments/{number}"
    network.admin.post(path, status="4", payment_account="DE99", comment="Wait", note="Ask first")
    found = shown(network, number)
    assert [found[name] for name in ("status", "pay_acc", "comment", "notes")] == ["4", "DE99", "Wait", "Ask first"]
    network.admin.post(path, status="3")
    for method, place in (("POST", f"{path}/add-correction"), ("POST", f"/3.1/payments/delete/{number}")):
        assert refusal(network, method, place, revenue="1", comment="x")[0] == 409
    assert network.admin.post("/3.1/payments/bulk-delete", **{"ids[]": [number, 999]})["result"] == {
        str(number): False,
        "999": False,
    }
    assert refusal(network, "POST", path, payment_account="DE00") == (
        409,
        {"payment_account": ["The payment is partly paid."]},
    )
    network.admin.post(path, status="2")
    assert network.admin.get("/3.1/admin/payments", **{"id[]": number})["payments"][0]["status"] == "paid"
    assert balance(network, pid) == 0
    check_books(network)


def test_payment_list_filters(network: Api) -> None:
    pid, other = network.add_affiliate()[0], network.add_affiliate()[0]
    earn(network, pid, "7")
    earn(network, other, "5")
    first, second = sorted(run(network)["payments"])
    network.admin.post(f"/3.1/payments/{second}", payment_account="DE99")
    network.clock.advance(DAY)
    network.admin.post(f"/3.1/payments/{first}", status="-1")

    def found(**params: Any) -> list[int]:
        answer = network.admin.get("/3.1/payments", **(DAYS | params))
        assert answer["pagination"] == {
            "page": 1,
            "limit": 100,
            "total": len(answer["payments"]),
            "per_page": 100,
        }
        return [each["id"] for each in answer["payments"]]

    assert found() == [second, first]
    assert found(**{"status[]": -1}) == [first]
    assert found(**{"aid[]": other}) == [second]
    assert found(**{"payment_account[]": "DE99"}) == [second]
    assert found(**{"manager_id[]": "f" * 24}) == []
    assert found(update_from_date="2023-11-15") == [first]
    assert found(update_to_date="2023-11-14", update_to_hour=23) == [second]
    assert found(date_from="2023-11-20") == []
    refused = network.admin.call("GET", "/3.1/payments", params=DAYS | {"update_to_hour": "3"})
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["update_to_hour"])


def test_second_person_confirms_part_payment_and_guards_the_account(api: Api) -> None:
    pid, _ = api.add_affiliate()
    earn(api, pid, "7")
    [number] = run(api, aid=pid)["payments"]
    network = strict(api)
    held = network.admin.post(f"/3.1/payments/{number}", status="3")
    assert (held["result"], len(held["warnings"]), shown(network, number)["status"]) == (False, 1, "1")
    assert refusal(network, "POST", f"/3.1/payments/{number}", payment_account="DE00")[0] == 409
