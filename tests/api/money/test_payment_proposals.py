"""Proposals of payment runs: terms, requests, debts, changed payment systems and findings.

See docs/spec/money.md#payment-runs.
"""

from random import Random
from typing import Any

import pytest

from tests.api.money.test_affiliate_payments import DAY, differ, earn
from tests.api.money.test_payment_runs import check_books
from tests.support.api import PASSWORD, Api, installed
from trackyard.actions.platform.traffic_findings import QualityFound
from trackyard.analytics.engine.connection import Analytics
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.quality.comparing import QualityFinding, QualityKind
from trackyard.store.engine.database import Database

PROPOSAL = "/3.1/admin/payments/proposal"
RUN = "/3.1/admin/payments"


@pytest.fixture
def network(database: Database, analytics: Analytics) -> Api:
    """An installation on either engine, without findings."""
    api = installed(database, analytics)
    know_findings(api)
    return api


def know_findings(api: Api, *affiliates: int) -> None:
    """Let Health have a finding about the traffic of each affiliate."""
    found = [QualityFinding(QualityKind.FEW_CONVERSIONS, 1, each, 3, 900, 4.0, 1e-9) for each in affiliates]
    api.deps.quality.found, api.deps.quality.made_at = QualityFound(found), api.clock.now_ms()


def wire(api: Api) -> dict[str, Any]:
    """A payment system, as the parameters of an affiliate that is paid by it."""
    made = api.admin.post("/3.1/admin/payment_systems", lang_label="Wire", **{"fields[0][lang_label]": "IBAN"})
    system = made["payment_system"]["id"]
    return {"payment_systems[0][system_id]": system, "payment_systems[0][fields][1]": "DE02120300000000202051"}


def proposed(api: Api, pid: int, **params: Any) -> Any:
    """The row of an affiliate."""
    know = api.deps.quality
    know.made_at = api.clock.now_ms()
    [row] = api.admin.get(PROPOSAL, **{"pid[]": pid}, **params)["proposal"]
    return row


def test_proposal_shows_money_payee_and_why_not(network: Api) -> None:
    pid, _ = network.add_affiliate(**wire(network))
    earn(network, pid, "30.5051")
    row = proposed(network, pid)
    assert (row["amount"], row["due"], row["rest"], row["available"]) == (30.5, 30.5051, 0.0051, 30.5051)
    assert (row["payment_system"], row["payment_account"]) == ("Wire", "IBAN: \N{HORIZONTAL ELLIPSIS}2051")
    assert (row["is_proposed"], row["reasons"], row["findings"], row["requested"]) == (True, [], [], None)
    network.admin.post("/3.1/admin/corrections", pid=pid, currency="USD", amount="-40", comment="fine")
    row = proposed(network, pid)
    assert (row["amount"], row["corrections"], row["is_proposed"], row["reasons"]) == (0, -40, False, ["debt"])
    poor, _ = network.add_affiliate()
    earn(network, poor, "7")
    assert proposed(network, poor)["reasons"] == ["no_payee"]
    banned, _ = network.add_affiliate(status="banned", **wire(network))
    earn(network, banned, "7")
    assert proposed(network, banned)["reasons"] == ["inactive"]
    listed = network.admin.get(PROPOSAL, currency="USD")
    assert [each["pid"] for each in listed["proposal"]] == [pid, poor, banned] and listed["findings_read"] is True
    assert network.admin.get(PROPOSAL, currency="EUR")["proposal"] == []


def test_run_pays_conversions_after_the_terms_of_their_affiliate(network: Api) -> None:
    pid, _ = network.add_affiliate(payment_terms=7, **wire(network))
    old = earn(network, pid, "20")
    network.clock.advance(5 * DAY)
    now = network.clock.now_ms()
    earn(network, pid, "5", created_at=now, updated_at=now)
    assert proposed(network, pid)["reasons"] == ["not_yet_due"]
    assert network.admin.get("/3.1/admin/payments/due", **{"pid[]": pid})["due"] == []
    network.admin.post("/3.1/admin/corrections", pid=pid, currency="USD", amount="1", comment="bonus")
    assert proposed(network, pid)["amount"] == 1, "a correction has no terms"
    network.clock.advance(3 * DAY)
    row = proposed(network, pid)
    assert (row["amount"], row["available"], row["payment_terms"]) == (21, 26, 7)
    [made] = network.admin.post(RUN, **{"pid[]": pid})["payments"]
    assert made["amount"] == 21
    entries = network.admin.get(f"{RUN}/{made['id']}/entries")["entries"]
    assert sorted(each["amount"] for each in entries) == [1, 20]
    differ(network, old, "-2", at=network.clock.now_ms())
    row = proposed(network, pid)
    assert (row["due"], row["amount"], row["reasons"]) == (-2, 0, ["not_yet_due"]), "a debt is settled at once"
    network.clock.advance(5 * DAY)
    assert proposed(network, pid)["amount"] == 3
    [made] = network.admin.post(RUN, **{"pid[]": pid})["payments"]
    assert (made["amount"], network.admin.get(PROPOSAL, **{"pid[]": pid})["proposal"]) == (3, [])


def test_decline_before_the_terms_passed_takes_nothing_from_older_conversions(network: Api) -> None:
    pid, _ = network.add_affiliate(payment_terms=7, **wire(network))
    earn(network, pid, "20")
    network.clock.advance(8 * DAY)
    now = network.clock.now_ms()
    declined = earn(network, pid, "5", created_at=now, updated_at=now)
    differ(network, declined, "-5", at=now)
    assert proposed(network, pid)["amount"] == 20


def test_request_is_paid_in_the_next_run_below_the_least_payment_and_before_its_terms(network: Api) -> None:
    pid, own = network.add_affiliate(payment_terms=30, **wire(network))
    system = network.admin.get("/3.1/admin/payment_systems")["payment_systems"][0]["id"]
    earn(network, pid, "30")
    network.admin.post("/3.1/admin/currencies/840", min_payment="10")
    asked = own.post("/3.1/partner/payments/request", currency="USD", amount="12.5", system_id=system)
    network.admin.post("/3.1/admin/currencies/840", min_payment="50")
    row = proposed(network, pid)
    assert (row["amount"], row["requested"], row["reasons"]) == (12.5, 12.5, [])
    [due] = network.admin.get("/3.1/admin/payments/due", **{"pid[]": pid})["due"]
    assert due["amount"] == 12.5
    [made] = network.admin.post(RUN, **{"pid[]": pid})["payments"]
    assert made["amount"] == 12.5
    [request] = network.admin.get("/3.1/admin/payment-requests")["payment_requests"]
    number = asked["payment_request"]["id"]
    assert (request["id"], request["status"], request["payment_id"]) == (number, "accepted", made["id"])
    assert network.admin.post(RUN, **{"pid[]": pid})["payments"] == [], "it is paid once"
    network.admin.post(f"{RUN}/{made['id']}", status="cancelled")
    network.clock.advance(31 * DAY)
    assert proposed(network, pid)["reasons"] == ["below_minimum"]
    network.admin.post("/3.1/admin/currencies/840", min_payment="10")
    assert proposed(network, pid)["amount"] == 30


def test_changed_payment_systems_wait_for_24_hours(network: Api) -> None:
    pid, own = network.add_affiliate()
    paid = wire(network)
    earn(network, pid, "7")
    changed = own.call("POST", "/3.1/partner/payment_systems", data={"password": PASSWORD, **paid})
    assert changed.status_code == 200, changed.text
    assert proposed(network, pid)["reasons"] == ["payee_changed"]
    run = network.admin.post(RUN)
    [skipped] = run["skipped"]
    assert run["payments"] == [] and skipped["pid"] == pid and "24 hours" in skipped["reason"]
    network.clock.advance(DAY + 1)
    assert proposed(network, pid)["reasons"] == []
    other = paid | {"payment_systems[0][fields][1]": "DE75512108001245126199"}
    network.admin.post(f"/3.0/admin/partner/{pid}", **other)
    assert proposed(network, pid)["reasons"] == ["payee_changed"]
    network.admin.post(f"/3.0/admin/partner/{pid}", notes="the same systems")
    [made] = network.admin.post(RUN, **{"pid[]": pid})["payments"]
    assert made["amount"] == 7, "a person who names the affiliate pays it"


def test_findings_of_health_untick_an_affiliate(network: Api) -> None:
    pid, _ = network.add_affiliate(**wire(network))
    earn(network, pid, "7")
    know_findings(network, pid)
    row = proposed(network, pid)
    assert row["reasons"] == ["suspected"] and not row["is_proposed"]
    [sentence] = row["findings"]
    assert f"Affiliate {pid}, offer 1: 3 of 900 clicks converted" in sentence
    payer = network.add_staff(Role.SECTION_PAYMENT)[1].get(PROPOSAL, **{"pid[]": pid})["proposal"]
    assert (payer[0]["reasons"], payer[0]["findings"]) == (["suspected"], []), "Health is not for this role"
    network.deps.quality.found = QualityFound(fault="too many rows")
    assert proposed(network, pid)["reasons"] == ["findings_unread"]
    assert network.admin.get(PROPOSAL)["findings_read"] is False


def test_run_pays_the_amounts_that_were_seen_alone(network: Api) -> None:
    pid, other = network.add_affiliate()[0], network.add_affiliate()[0]
    earn(network, pid, "7")
    earn(network, other, "9")
    seen = {"pid[]": [pid, other], "amounts[]": ["7", "9.0000"], "currency": "USD"}
    earn(network, pid, "1")
    run = network.admin.post(RUN, **seen)
    assert [(each["pid"], each["amount"]) for each in run["payments"]] == [(other, 9)]
    [skipped] = run["skipped"]
    assert (skipped["pid"], skipped["reason"]) == (pid, "the amount is 8 by now, not 7")
    again = network.admin.post(RUN, **seen)
    assert again["payments"] == [] and len(again["skipped"]) == 2, "the same confirmation twice pays nothing twice"
    for wrong in ({"pid[]": [pid, other], "amounts[]": ["7"], "currency": "USD"}, {"pid[]": pid, "amounts[]": "8"}):
        assert network.admin.call("POST", RUN, data=wrong).json()["fields"].keys() == {"amounts"}
    number = run["payments"][0]["id"]
    stale = network.admin.call("POST", f"{RUN}/{number}", data={"status": "paid", "seen_amount": "8"})
    assert (stale.status_code, stale.json()["fields"]) == (
        409,
        {"seen_amount": ["The amount is 9 USD by now, not 8."]},
    )
    assert network.admin.post(f"{RUN}/{number}", status="paid", seen_amount="9")["payment"]["status"] == "paid"


def test_proposal_and_run_agree_on_random_books(network: Api) -> None:
    chance = Random(7)
    pids = [network.add_affiliate(payment_terms=chance.choice((0, 7)), **wire(network))[0] for _ in range(6)]
    for _ in range(60):
        network.clock.advance(chance.randrange(DAY // 2))
        now = network.clock.now_ms()
        payout = f"{chance.randrange(1, 90000) / 10000}"
        made = earn(network, chance.choice(pids), payout, created_at=now, updated_at=now)
        if chance.random() < 0.3:
            differ(network, made, f"-{chance.randrange(1, 100000) / 10000}", at=now)
        if chance.random() < 0.1:
            network.deps.quality.made_at = now
            wanted = {each["pid"]: each["amount"] for each in network.admin.get(PROPOSAL)["proposal"] if each["amount"]}
            paid = network.admin.post(RUN, **{"pid[]": pids})["payments"]
            assert {each["pid"]: each["amount"] for each in paid} == wanted
    check_books(network)
