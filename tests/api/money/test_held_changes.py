"""A second person for payments: executions and other payment systems wait for another administrator.

See docs/spec/money.md#second-person.
"""

import re
import threading
from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import NOW, PASSWORD, UNBOUNDED, Api, installed
from tests.support.client import ApiClient
from tests.support.events import make_notices
from trackyard.analytics.engine.connection import Analytics
from trackyard.api.app import build
from trackyard.api.catalogue import CATALOGUE
from trackyard.base.money import ZERO
from trackyard.base.secrets import hash_password
from trackyard.domain.money.ledger import LedgerEntry
from trackyard.domain.people.callers import AffiliateCaller
from trackyard.domain.people.roles import Role
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger
from trackyard.store.people import staff
from trackyard.store.platform import mail
from trackyard.store.platform.personal_data import redact_account
from trackyard.store.tables import affiliate, held_change
from trackyard.wire.request.params import fields_of

_numbers: Iterator[int] = iter(range(1, 10**6))
CHANGES = "/3.1/admin/held-changes"
IBAN, OTHER = "DE02120300000000202051", "DE02500105170137075030"


def strict(api: Api) -> Api:
    """The same installation, where payments need a second person.

    The first administrator has a password.
    """
    deps = replace(api.deps, needs_second_person=True)
    app = build(deps, limits=UNBOUNDED)
    made = replace(api, deps=deps, app=app, admin=api.admin.of(app))
    set_password(made, made.admin)
    return made


@pytest.fixture
def network(api: Api) -> Api:
    """An installation with the setting."""
    return strict(api)


@pytest.fixture
def any_network(database: Database, analytics: Analytics) -> Api:
    """The same on each SQL engine."""
    return strict(installed(database, analytics))


def set_password(api: Api, client: ApiClient) -> None:
    staff_id = str(api.caller_of(client).id)
    with api.deps.database.write() as conn:
        staff.edit_staff(conn, staff_id, {"password_hash": hash_password(PASSWORD)})


def administrator(api: Api) -> ApiClient:
    """Another administrator, with a password."""
    _, client = api.add_staff(Role.ADMIN)
    set_password(api, client)
    return client


def payment(api: Api, pid: int, amount: str = "9.5") -> int:
    """The number of a payment that is made and not executed."""
    entry = LedgerEntry(pid, "conversion", f"{next(_numbers):024x}", 1, "USD", ZERO, Decimal(amount), NOW)
    with api.deps.database.write() as conn:
        ledger.add_entries(conn, [entry])
    [made] = api.admin.post("/3.1/admin/payments", **{"pid[]": pid})["payments"]
    return int(made["id"])


def system(api: Api) -> int:
    """A payment system with one question."""
    sent = {"lang_label": "Wire", "fields[0][lang_label]": "IBAN", "fields[0][required]": 1}
    return int(api.admin.post("/3.1/admin/payment_systems", **sent)["payment_system"]["id"])


def paid_to(number: int, account: str) -> dict[str, Any]:
    """The parameters of one payment system with an account."""
    return {"payment_systems[0][system_id]": number, "payment_systems[0][fields][1]": account}


def ask(client: ApiClient, path: str, **params: Any) -> str:
    """Ask for a change that is held; return its id, which the warning names."""
    [warning] = client.post(path, **params)["warnings"]
    found = re.fullmatch(
        r"\[\w+\] This value is not changed yet: it waits until another administrator confirms the held change "
        r"(\w{24})\.",
        warning,
    )
    assert found is not None, warning
    return found[1]


def execute(client: ApiClient, number: int, **params: Any) -> str:
    return ask(client, f"/3.1/admin/payments/{number}", status="paid", **params)


def move(client: ApiClient, pid: int, number: int, account: str) -> str:
    return ask(client, f"/3.0/admin/partner/{pid}", **paid_to(number, account))


def confirm(client: ApiClient, change: str, password: str = PASSWORD) -> Any:
    return client.call("POST", f"{CHANGES}/{change}/confirm", data={"password": password})


def refuse(client: ApiClient, change: str) -> Any:
    return client.call("POST", f"{CHANGES}/{change}/refuse")


def status_of(api: Api, number: int) -> str:
    [found] = [each for each in api.admin.get("/3.1/admin/payments")["payments"] if each["id"] == number]
    return str(found["status"])


def accounts_of(api: Api, pid: int) -> list[str]:
    record = api.admin.get(f"/3.0/admin/partner/{pid}")["partner"]
    return [each["fields"]["1"] for each in record["payment_systems"]]


def states(api: Api, **params: Any) -> dict[str, str]:
    return {each["id"]: each["state"] for each in api.admin.get(CHANGES, **params)["held_changes"]}


def mails(api: Api) -> list[tuple[str, str, str]]:
    """Recipient, subject and text of the queued mail, which is removed, in the order of recipients."""
    make_notices(api.deps.database, api.clock.now_ms())
    found = []
    with api.deps.database.write() as conn:
        while (item := mail.claim(conn, api.clock.now_ms(), 1)) is not None:
            found.append((item.recipient, item.subject, item.body))
            mail.remove(conn, item.id)
    return sorted(found)


def events(api: Api) -> list[str]:
    """Held changes in the security log, in the order of their names: one moment has several."""
    found = api.admin.get("/3.1/admin/security-log")["events"]
    return sorted(f"{each['event']} {each['outcome']}" for each in found if each["event"].startswith("change_"))


def test_payment_is_executed_once_another_administrator_confirms(any_network: Api) -> None:
    pid, _ = any_network.add_affiliate(**paid_to(system(any_network), IBAN))
    number, second = payment(any_network, pid), administrator(any_network)
    change = execute(any_network.admin, number, comment="November")
    assert status_of(any_network, number) == "created"
    [waiting] = second.get(CHANGES, state="waiting")["held_changes"]
    shown = [waiting[name] for name in ("id", "kind", "pid", "payment_id", "amount", "currency", "comment")]
    assert shown == [change, "payment", pid, number, 9.5, "USD", "November"]
    assert [each["fields"] for each in waiting["payment_systems"]] == [{"1": IBAN}]
    assert (waiting["payment_systems_before"], waiting["decided_by"], waiting["decided_at"]) == (None, None, None)
    mails(any_network)
    answer = confirm(second, change)
    assert (answer.status_code, answer.json()["held_change"]["state"]) == (200, "confirmed")
    [paid] = any_network.admin.get("/3.1/admin/payments")["payments"]
    assert (paid["status"], paid["comment"], paid["paid_at"] is None) == ("paid", "November", False)
    assert "Your payment of $9.50 is on its way" in [subject for _, subject, _ in mails(any_network)]


def test_payment_systems_change_once_another_administrator_confirms(any_network: Api) -> None:
    number = system(any_network)
    pid, _ = any_network.add_affiliate(email="ann@media.example", **paid_to(number, IBAN))
    change = move(any_network.admin, pid, number, OTHER)
    assert accounts_of(any_network, pid) == [IBAN]
    assert "ann@media.example" not in {recipient for recipient, _, _ in mails(any_network)}
    second = administrator(any_network)
    [waiting] = second.get(CHANGES, pid=pid)["held_changes"]
    assert (waiting["kind"], waiting["payment_id"], waiting["amount"]) == ("payment_systems", None, None)
    kept = [waiting[name] for name in ("payment_systems", "payment_systems_before")]
    assert [[each["fields"]["1"] for each in systems] for systems in kept] == [[OTHER], [IBAN]]
    assert confirm(second, change).status_code == 200
    assert accounts_of(any_network, pid) == [OTHER]
    told = [subject for recipient, subject, _ in mails(any_network) if recipient == "ann@media.example"]
    assert told == ["Your payment systems were changed"]


def test_held_change_is_not_confirmed_by_its_author_with_any_key(network: Api) -> None:
    pid, _ = network.add_affiliate()
    number = payment(network, pid)
    change = execute(network.admin, number)
    _, session = network.open_session(network.admin)
    own_key = network.admin.post("/3.1/auth/keys", name="program", **{"scopes[]": ["write"]})["key"]["api_key"]
    for client in (network.admin, session, network.admin.with_key(own_key)):
        refused = confirm(client, change)
        assert (refused.status_code, refused.json()["code"]) == (403, "second_person")
        assert refused.json()["error"] == "You asked for this change yourself: another administrator confirms it"
    assert status_of(network, number) == "created"
    assert events(network) == [*["change_confirmed wrong"] * 3, "change_held accepted"]


def test_held_change_is_not_confirmed_with_the_key_of_another_administrator_alone(network: Api) -> None:
    """Administrators see the keys of other staff users, not their passwords."""
    number = payment(network, network.add_affiliate()[0])
    change = execute(network.admin, number)
    _, second = network.add_staff(Role.ADMIN)
    set_password(network, second)
    user = next(each for each in network.admin.get("/3.0/admin/users")["users"] if each["api_key"] == second.key)
    seen = network.admin.with_key(user["api_key"])
    assert seen.get(CHANGES)["held_changes"][0]["id"] == change
    assert confirm(seen, change, "a guess").json()["fields"] == {
        "password": ["This is not the password of your account."]
    }
    assert seen.refusal("POST", f"{CHANGES}/{change}/confirm") == (400, ["password"])
    assert status_of(network, number) == "created"


def test_held_change_is_decided_by_administrators_only(network: Api) -> None:
    pid, own = network.add_affiliate()
    change = execute(network.admin, payment(network, pid))
    for role in Role:
        if role is not Role.ADMIN:
            _, client = network.add_staff(role)
            set_password(network, client)
            answers = (client.call("GET", CHANGES), confirm(client, change), refuse(client, change))
            assert {(each.status_code, each.json()["code"]) for each in answers} == {(403, "payments.confirm")}
    assert {each.status_code for each in (confirm(own, change), refuse(own, change))} == {403}
    assert states(network) == {change: "waiting"}


def test_held_change_asked_for_by_staff_is_confirmed_by_an_administrator(network: Api) -> None:
    _, payer = network.add_staff(Role.SECTION_PAYMENT)
    number = payment(network, network.add_affiliate()[0])
    change = execute(payer, number)
    assert confirm(network.admin, change).status_code == 200
    assert status_of(network, number) == "paid"


def test_held_change_is_made_once_under_concurrency(any_network: Api) -> None:
    number = payment(any_network, any_network.add_affiliate()[0])
    change = execute(any_network.admin, number)
    mails(any_network)
    clients = [administrator(any_network) for _ in range(4)]
    start, found = threading.Barrier(len(clients)), list[int]()

    def run(client: ApiClient) -> None:
        start.wait(30)
        found.append(confirm(client, change).status_code)

    threads = [threading.Thread(target=run, args=(client,)) for client in clients]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert sorted(found) == [200, 409, 409, 409]
    assert [subject for _, subject, _ in mails(any_network)].count("Your payment of $9.50 is on its way") == 1
    assert events(any_network).count("change_confirmed accepted") == 1


def test_held_change_confirmed_and_cancelled_at_once_ends_in_one_state(any_network: Api) -> None:
    second = administrator(any_network)
    for _ in range(3):
        number = payment(any_network, any_network.add_affiliate()[0])
        change = execute(any_network.admin, number)
        start, found = threading.Barrier(2), dict[str, int]()

        def cancel(number: int = number, start: threading.Barrier = start, found: dict[str, int] = found) -> None:
            start.wait(30)
            sent = {"status": "cancelled"}
            found["cancel"] = any_network.admin.call("POST", f"/3.1/admin/payments/{number}", data=sent).status_code

        def decide(change: str = change, start: threading.Barrier = start, found: dict[str, int] = found) -> None:
            start.wait(30)
            found["confirm"] = confirm(second, change).status_code

        threads = [threading.Thread(target=each) for each in (cancel, decide)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        outcome = (status_of(any_network, number), states(any_network)[change], found)
        assert outcome in (
            ("paid", "confirmed", {"cancel": 409, "confirm": 200}),
            ("cancelled", "replaced", {"cancel": 200, "confirm": 409}),
        )


def test_held_change_refused_is_not_made(network: Api) -> None:
    number, second = system(network), administrator(network)
    pid, _ = network.add_affiliate(**paid_to(number, IBAN))
    change = move(network.admin, pid, number, OTHER)
    assert refuse(second, change).json()["held_change"]["state"] == "refused"
    for answer in (confirm(second, change), refuse(second, change)):
        assert (answer.status_code, answer.json()["fields"]) == (409, {"id": ["This change is refused already."]})
    assert accounts_of(network, pid) == [IBAN]
    own = move(network.admin, pid, number, OTHER)
    assert refuse(network.admin, own).status_code == 200, "the author withdraws it"


def test_held_change_is_replaced_by_a_newer_one(network: Api) -> None:
    """What a second person looked at cannot be exchanged before it confirms."""
    number, second = system(network), administrator(network)
    pid, _ = network.add_affiliate(**paid_to(number, IBAN))
    first = move(network.admin, pid, number, OTHER)
    assert move(network.admin, pid, number, OTHER) == first, "the same again is the same change"
    newer = move(network.admin, pid, number, "GB33BUKB20201555555555")
    assert states(network) == {newer: "waiting", first: "replaced"}
    assert confirm(second, first).status_code == 409
    by_second = move(second, pid, number, "GB33BUKB20201555555555")
    assert confirm(second, by_second).status_code == 403, "its author is the last who asked"
    assert accounts_of(network, pid) == [IBAN]


def test_held_payment_waits_while_its_affiliate_has_other_payment_systems(network: Api) -> None:
    number, second = system(network), administrator(network)
    pid, _ = network.add_affiliate(**paid_to(number, IBAN))
    made = payment(network, pid)
    execution, moved = execute(network.admin, made), move(network.admin, pid, number, OTHER)
    assert confirm(second, moved).status_code == 200
    refused = confirm(second, execution)
    assert refused.status_code == 409
    [sentence] = refused.json()["fields"]["id"]
    assert sentence.startswith("The payment, or the payment systems of its affiliate, changed since: ")
    assert (status_of(network, made), states(network)[execution]) == ("created", "waiting")
    again = execute(network.admin, made)
    assert (states(network)[execution], confirm(second, again).status_code) == ("replaced", 200)


def test_held_payment_systems_that_do_not_exist_any_more_go_on_waiting(network: Api) -> None:
    number, second = system(network), administrator(network)
    pid, _ = network.add_affiliate()
    change = move(network.admin, pid, number, IBAN)
    network.admin.post(f"/3.1/admin/payment_systems/{number}/remove")
    refused = confirm(second, change)
    assert (refused.status_code, refused.json()["fields"]["id"]) == (
        409,
        [
            f"A payment system {number} does not exist.",
            "Refuse this change, and ask for other payment systems.",
        ],
    )
    assert (states(network), accounts_of(network, pid)) == ({change: "waiting"}, [])


def test_held_execution_of_a_cancelled_payment_is_replaced(network: Api) -> None:
    number, second = payment(network, network.add_affiliate()[0]), administrator(network)
    change = execute(network.admin, number)
    network.admin.post(f"/3.1/admin/payments/{number}", status="cancelled")
    assert states(network) == {change: "replaced"}
    assert confirm(second, change).status_code == 409
    assert status_of(network, number) == "cancelled"


def test_held_change_stays_decidable_without_the_setting(api: Api) -> None:
    network = strict(api)
    number, second = system(network), administrator(network)
    pid, _ = network.add_affiliate()
    waiting, moved = payment(network, pid), payment(network, pid)
    first, other = execute(network.admin, waiting), execute(network.admin, moved)
    change = move(network.admin, pid, number, IBAN)
    client = api.admin.with_key(second.key)  # the program without the setting
    assert confirm(client, first).status_code == 200
    assert "warnings" not in api.admin.post(f"/3.1/admin/payments/{moved}", status="paid")
    assert "warnings" not in api.admin.post(f"/3.0/admin/partner/{pid}", **paid_to(number, OTHER))
    assert states(api) == {first: "confirmed", other: "replaced", change: "replaced"}
    assert accounts_of(api, pid) == [OTHER]


def test_payments_need_no_second_person_by_default(api: Api) -> None:
    number = system(api)
    pid, _ = api.add_affiliate(**paid_to(number, IBAN))
    made = payment(api, pid)
    assert api.admin.post(f"/3.1/admin/payments/{made}", status="paid")["payment"]["status"] == "paid"
    api.admin.post(f"/3.0/admin/partner/{pid}", **paid_to(number, OTHER))
    assert (accounts_of(api, pid), states(api)) == ([OTHER], {})


def test_edit_with_other_payment_systems_changes_the_rest_at_once(network: Api) -> None:
    number = system(network)
    pid, _ = network.add_affiliate(**paid_to(number, IBAN))
    answer = network.admin.post(f"/3.0/admin/partner/{pid}", notes="big", **paid_to(number, OTHER))
    assert (answer["partner"]["notes"], len(answer["warnings"])) == ("big", 1)
    whole = network.admin.post(f"/3.0/admin/partner/{pid}", notes="small", **paid_to(number, IBAN))
    assert (whole["partner"]["notes"], "warnings" in whole) == ("small", False), "the same accounts are not a change"
    emptied = network.admin.call("POST", f"/3.0/admin/partner/{pid}", json={"payment_systems": []}).json()
    assert len(emptied["warnings"]) == 1
    wrong = paid_to(number, "")
    assert network.admin.refusal("POST", f"/3.0/admin/partner/{pid}", data=wrong)[0] == 400
    assert accounts_of(network, pid) == [IBAN]


def test_payment_systems_of_accounts_are_written_by_held_methods_alone() -> None:
    """A new method of staff must hold them, too; a new account has none, affiliates write their own."""
    writers = {
        endpoint.id
        for endpoint in CATALOGUE
        if endpoint.method != "GET" and "payment_systems" in {each.name for each in fields_of(endpoint.params)}
    }
    made = {"partner.add", "admin.partner.add", "admin.partner.invite"}
    assert writers == made | {"partner.payment_systems.edit", "admin.partner.edit"}


def test_held_change_is_mailed_to_the_other_administrators(network: Api) -> None:
    second, third, blocked = (network.add_staff(Role.ADMIN) for _ in range(3))
    set_password(network, second[1])
    network.admin.post(f"/3.1/admin/user/{blocked[0]}/block")
    number = system(network)
    pid, _ = network.add_affiliate()
    mails(network)
    ids = [str(network.caller_of(network.admin).id), second[0], third[0]]
    with network.deps.database.read() as conn:
        users = staff.staff_of(conn, ids)
    first_email, second_email, third_email = (users[each].email for each in ids)
    change = move(network.admin, pid, number, IBAN)
    held = mails(network)
    assert [recipient for recipient, _, _ in held] == sorted([second_email, third_email])
    assert {subject for _, subject, _ in held} == {f"To confirm: payment systems of affiliate {pid}"}
    assert all(first_email in text and change in text and IBAN not in text for _, _, text in held)
    move(network.admin, pid, number, IBAN)
    assert mails(network) == [], "the same request again is not mailed"
    confirm(second[1], change)
    decided = [each for each in mails(network) if each[0] in (first_email, second_email, third_email)]
    assert [recipient for recipient, _, _ in decided] == sorted([first_email, third_email])
    assert {subject for _, subject, _ in decided} == {f"confirmed: payment systems of affiliate {pid}"}


def test_held_change_is_in_both_logs_without_accounts(network: Api) -> None:
    number, second = system(network), administrator(network)
    pid, _ = network.add_affiliate()
    first, newer = move(network.admin, pid, number, IBAN), move(network.admin, pid, number, OTHER)
    refuse(second, newer)
    last = move(network.admin, pid, number, OTHER)
    confirm(second, last)
    held = ["change_held accepted"] * 3
    assert events(network) == ["change_confirmed accepted", *held, "change_refused accepted"]
    log = network.admin.get("/3.1/admin/security-log", event="change_confirmed")["events"]
    assert [each["subject"] for each in log] == [f"payment_systems {pid} {last}"]
    records = network.admin.get("/3.1/admin/audit", what="held_change")["audit"]
    assert {each["key"] for each in records} == {first, newer, last}
    assert not any(account in str(records) for account in (IBAN, OTHER))
    decided = next(each for each in records if each["key"] == last and each["method"] == "admin.held-change.confirm")
    assert decided["changes"]["state"] == {"from": "waiting", "to": "confirmed"}
    assert decided["user"]["id"] == network.caller_of(second).id


def test_erased_affiliate_leaves_no_account_in_held_changes(any_network: Api) -> None:
    number, second = system(any_network), administrator(any_network)
    pid, _ = any_network.add_affiliate(**paid_to(number, IBAN))
    made = payment(any_network, pid)
    changes = [execute(any_network.admin, made), move(any_network.admin, pid, number, OTHER)]
    other, _ = any_network.add_affiliate(**paid_to(number, IBAN))
    kept = move(any_network.admin, other, number, OTHER)
    with any_network.deps.database.write() as conn:
        redact_account(conn, pid, "x", any_network.clock.now_ms())
    assert [confirm(second, change).status_code for change in changes] == [409, 409]
    assert states(any_network) == {**dict.fromkeys(changes, "replaced"), kept: "waiting"}
    with any_network.deps.database.read() as conn:
        rows = conn.execute(select(held_change).where(held_change.c.affiliate_id == pid)).all()
        own = conn.execute(select(affiliate.c.payment_systems).where(affiliate.c.id == pid)).scalar_one()
    assert not any(account in str(rows) for account in (IBAN, OTHER))
    assert own == []
    [shown] = any_network.admin.get(CHANGES, kind="payment", pid=pid)["held_changes"]
    assert (shown["amount"], shown["payment_systems"]) == (9.5, [])


def test_held_change_has_no_place_for_affiliates(network: Api) -> None:
    pid, own = network.add_affiliate()
    execute(network.admin, payment(network, pid))
    assert isinstance(network.caller_of(own), AffiliateCaller)
    assert own.call("GET", CHANGES).status_code == 403
    assert "held" not in own.call("GET", "/3.1/partner/me").text


def test_held_change_confirmed_twice_with_one_idempotency_key_is_made_once(network: Api) -> None:
    number, second = payment(network, network.add_affiliate()[0]), administrator(network)
    change = execute(network.admin, number)
    headers = {"Idempotency-Key": "once"}
    sent = {"data": {"password": PASSWORD}, "headers": headers}
    first = second.call("POST", f"{CHANGES}/{change}/confirm", **sent)
    again = second.call("POST", f"{CHANGES}/{change}/confirm", **sent)
    assert (first.status_code, again.content) == (200, first.content)
    assert (again.headers["idempotency-replayed"], status_of(network, number)) == ("true", "paid")
