"""Invoices: edits by staff, computed lines, and rights (docs/api/invoices.md)."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import Api, installed
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks, load_views
from trackyard.actions.money import invoices
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.reports.reports import run_report
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.reports import Report, StatsPage
from trackyard.store.engine.database import Database
from trackyard.store.money import invoices as store

PATH = "/3.0/admin/advertiser-invoice"
DAY = 86_400_000
PERIOD = {"start_date": "2023-11-15", "end_date": "2023-11-16"}


def add(api: Api, supplier: str, **params: Any) -> int:
    return int(api.admin.post(PATH, **{"supplier_id": supplier, "currency": "USD"} | params)["number"])


def show(api: Api, number: int) -> dict[str, Any]:
    shown: dict[str, Any] = api.admin.get(f"{PATH}/{number}")["message"]
    return shown


def edit(api: Api, number: int, supplier: str, **params: Any) -> dict[str, Any]:
    api.admin.post(f"{PATH}/{number}", supplier_id=supplier, **params)
    return show(api, number)


def sell(api: Api, number: int, offer: int, advertiser: str, pid: int, **fields: Any) -> None:
    """One confirmed conversion that charges 10, at NOON."""
    add_conversion(api.deps, number, offer_id=offer, affiliate_id=pid, advertiser_id=advertiser, **fields)


def lines(shown: dict[str, Any]) -> list[tuple[Any, ...]]:
    return [(line["offer_id"], line["payout_type"], line["actions"], line["amount"]) for line in shown["detail"]]


@pytest.fixture
def history(api: Api) -> tuple[str, int, int]:
    """An advertiser with two offers.

    The first: 3 clicks and 2 confirmed conversions on the 15th, 1 of each on the 16th, a declined one and one in euros;
    the second: a click on the 16th. Another's offer sold too.
    """
    advertiser, other = api.add_advertiser(), api.add_advertiser(title="Mall")
    first, second = api.add_offer(advertiser=advertiser), api.add_offer(advertiser=advertiser)
    foreign = api.add_offer(advertiser=other)
    pid, _ = api.add_affiliate()
    by = {"affiliate": pid, "advertiser": advertiser}
    clicks = [new_click(number, offer=first, **by) for number in (1, 2, 3)]
    clicks.append(new_click(4, offer=first, time=NOON + DAY, **by))
    clicks.append(new_click(5, offer=second, time=NOON + DAY, **by))
    clicks.append(new_click(6, offer=first, reason="overcap", **by))
    clicks.append(new_click(7, offer=foreign, affiliate=pid, advertiser=other))
    load_clicks(api.deps, clicks)
    sell(api, 1, first, advertiser, pid)
    sell(api, 2, first, advertiser, pid, charge=Decimal("2.5"))
    sell(api, 3, first, advertiser, pid, created_at=NOON + DAY)
    sell(api, 4, first, advertiser, pid, status=Status.DECLINED)
    sell(api, 5, first, advertiser, pid, currency="EUR", charge=Decimal(99))
    sell(api, 6, foreign, other, pid)
    return advertiser, first, second


def test_invoice_shows_sent_values(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    api.admin.post("/3.0/admin/offer/delete", offer_id=offer)
    line = {"offer_id": offer, "payout_type": "RPA + RPS", "actions": 7, "amount": 12.34, "comment": "as agreed"}
    sent = {f"detail[0][{name}]": value for name, value in line.items()}
    sent |= {"detail[1][offer_id]": offer, "detail[1][payout_type]": "RPC", "detail[1][amount]": 0}
    body = api.admin.post(
        PATH, supplier_id=advertiser.upper(), currency="usd", status="paid", comment="Thanks", **PERIOD, **sent
    )
    assert body["message"] == f"Invoice {body['number']} is created"
    bare = {"offer_id": offer, "payout_type": "RPC", "actions": 0, "amount": 0, "comment": None}
    assert show(api, body["number"]) == {
        "number": body["number"], "supplier_id": advertiser, "created_at": "2023-11-14", "updated_at": "2023-11-14",
        **PERIOD, "status": "paid", "currency": "USD", "comment": "Thanks", "detail": [line, bare],
    }  # fmt: skip


def test_invoice_lines_default_to_statistics(api: Api, history: tuple[str, int, int]) -> None:
    advertiser, first, second = history
    shown = show(api, add(api, advertiser, **PERIOD))
    assert lines(shown) == [(first, "RPA", 3, 22.5), (first, "RPC", 4, 0), (second, "RPC", 1, 0)]
    filters = {"filter[date_from]": PERIOD["start_date"], "filter[date_to]": PERIOD["end_date"]}
    asked = filters | {"filter[advertiser]": advertiser, "filter[currency]": "USD"}
    [row] = api.admin.get("/3.1/stats/getbyadvertiser", **asked)["stats"]
    assert row["actions"]["confirmed"]["charge"] == sum(line["amount"] for line in shown["detail"])
    one_day = show(api, add(api, advertiser, start_date="2023-11-16", end_date="2023-11-16"))
    assert lines(one_day) == [(first, "RPA", 1, 10), (first, "RPC", 1, 0), (second, "RPC", 1, 0)]
    assert (one_day["status"], one_day["comment"]) == ("unpaid", None)


def test_invoice_bills_impressions_by_thousands(api: Api, history: tuple[str, int, int]) -> None:
    advertiser, first, second = history
    load_views(api.deps, [new_click(number, offer=first, advertiser=advertiser) for number in range(40)])
    load_views(api.deps, [new_click(99, offer=second, advertiser=advertiser, reason="bot")])
    shown = lines(show(api, add(api, advertiser, **PERIOD)))
    assert [line for line in shown if line[1] == "RPM"] == [(first, "RPM", 40, 0)]


def test_invoice_bills_conversions_in_their_currency(api: Api, history: tuple[str, int, int]) -> None:
    advertiser, first, second = history
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    shown = show(api, add(api, advertiser, currency="EUR", **PERIOD))
    assert lines(shown) == [(first, "RPA", 1, 99), (first, "RPC", 4, 0), (second, "RPC", 1, 0)]


@pytest.mark.parametrize("params", [{}, {"start_date": "2023-11-15"}, {"end_date": "2023-11-15"}])
def test_invoice_without_period_has_no_computed_lines(
    api: Api, history: tuple[str, int, int], params: dict[str, str]
) -> None:
    advertiser, first, _ = history
    number = add(api, advertiser, **params)
    shown = show(api, number)
    empty = {"start_date": "", "end_date": ""}
    assert ({name: shown[name] for name in empty}, shown["detail"]) == (empty | params, [])
    given = edit(api, number, advertiser, **PERIOD)
    assert (first, "RPA", 3, 22.5) in lines(given)


def test_invoice_edit_changes_sent_fields_only(api: Api, history: tuple[str, int, int]) -> None:
    advertiser, first, _ = history
    number = add(api, advertiser, comment="c", **PERIOD)
    before = show(api, number)
    sell(api, 9, first, advertiser, 1)
    api.clock.advance(DAY)
    paid = edit(api, number, advertiser, status="paid", currency="EUR")
    assert paid == before | {"status": "paid", "updated_at": "2023-11-15"}  # a paid one stays as it was paid
    cleared = edit(api, number, advertiser, comment="", status="unpaid")
    assert cleared == before | {"comment": None, "updated_at": "2023-11-15"}


def test_invoice_edit_of_period_recomputes_computed_lines_only(api: Api, history: tuple[str, int, int]) -> None:
    advertiser, first, second = history
    number = add(api, advertiser, **PERIOD)
    shorter = edit(api, number, advertiser, end_date="2023-11-15")
    assert lines(shorter) == [(first, "RPA", 2, 12.5), (first, "RPC", 3, 0)]
    own = {"detail[0][offer_id]": second, "detail[0][payout_type]": "RPA", "detail[0][amount]": "5"}
    assert lines(edit(api, number, advertiser, **own)) == [(second, "RPA", 0, 5)]
    assert lines(edit(api, number, advertiser, end_date="2023-11-16")) == [(second, "RPA", 0, 5)]
    assert (first, "RPA", 3, 22.5) in lines(edit(api, number, advertiser, detail=""))
    assert lines(edit(api, number, advertiser, start_date="")) == []


def test_invoice_edits_in_parallel_bill_the_stored_period(
    api: Api, history: tuple[str, int, int], monkeypatch: pytest.MonkeyPatch
) -> None:
    advertiser, first, _ = history
    number = add(api, advertiser, **PERIOD)
    others = iter([{"end_date": "2023-11-15", "comment": "first"}])

    def report(analytics: Analytics, asked: Report) -> StatsPage:
        for other in others:
            edit(api, number, advertiser, **other)
        return run_report(analytics, asked)

    monkeypatch.setattr(invoices, "run_report", report)
    shown = edit(api, number, advertiser, start_date="2023-11-14")
    assert (shown["start_date"], shown["end_date"], shown["comment"]) == ("2023-11-14", "2023-11-15", "first")
    assert lines(shown) == [(first, "RPA", 2, 12.5), (first, "RPC", 3, 0)]


LINE = {"detail[0][offer_id]": "1", "detail[0][payout_type]": "RPA", "detail[0][amount]": "5"}


@pytest.mark.parametrize(
    ("params", "fields"),
    [
        ({"supplier_id": "f" * 24}, ["supplier_id"]),
        ({"currency": "EUR"}, ["currency"]),
        ({"currency": "GBP"}, ["currency"]),
        ({"start_date": "2023-11-16", "end_date": "2023-11-15"}, ["end_date"]),
        ({"start_date": "2003-11-16", "end_date": "2023-11-15"}, ["end_date"]),
        (LINE | {"detail[0][offer_id]": "999"}, ["detail[0][offer_id]"]),
        (LINE, ["detail[0][offer_id]"]),  # of another advertiser
        ({"detail[0][actions]": "1"}, ["detail[0][offer_id]", "detail[0][payout_type]", "detail[0][amount]"]),
        (LINE | {"detail[0][actions]": "-1"}, ["detail[0][actions]"]),
        (LINE | {"detail[0][payout_type]": "RPX"}, ["detail[0][payout_type]"]),
        (LINE | {"detail[0][payout_type]": ""}, ["detail[0][payout_type]"]),
        (LINE | {"detail[0][amount]": ""}, ["detail[0][amount]"]),
        ({"status": "half"}, ["status"]),
    ],
)
def test_invoice_with_invalid_value_is_rejected(api: Api, params: dict[str, str], fields: list[str]) -> None:
    api.add_offer()
    api.admin.post("/3.1/admin/currencies", code="GBP", rate="0.8", active="0")
    advertiser = api.add_advertiser()
    number = add(api, advertiser)
    before = show(api, number)
    for path in (PATH, f"{PATH}/{number}"):
        if path != PATH and "currency" in params:
            continue  # an edit does not take it
        answer = api.admin.call("POST", path, data={"supplier_id": advertiser, "currency": "USD"} | params)
        assert (path, answer.status_code, list(answer.json()["fields"])) == (path, 400, fields)
    assert show(api, number) == before
    assert api.admin.get("/3.0/admin/advertiser-invoices")["pagination"]["total_count"] == 1


def test_invoice_lines_stay_with_their_supplier(api: Api) -> None:
    advertiser, other = api.add_advertiser(), api.add_advertiser()
    api.add_offer(advertiser=advertiser)
    number = add(api, advertiser, **LINE)
    assert api.admin.refusal("POST", f"{PATH}/{number}", data={"supplier_id": other}) == (400, ["detail[0][offer_id]"])
    assert edit(api, number, other, detail="")["supplier_id"] == other


def test_invoice_with_stored_foreign_line_accepts_other_edits(api: Api) -> None:
    advertiser = api.add_advertiser()
    api.add_offer(advertiser=advertiser)
    foreign = api.add_offer()
    number = add(api, advertiser, **LINE)
    with api.deps.database.write() as conn:
        stored = store.find_invoice(conn, Scope.everything(), number)
        assert stored is not None
        [line] = stored.lines
        store.edit_invoice(conn, number, replace(stored, lines=(replace(line, offer_id=foreign),)))
    paid = edit(api, number, advertiser, status="paid")
    assert (paid["status"], lines(paid)) == ("paid", [(foreign, "RPA", 0, 5)])


def test_invoice_list_filters_by_several_statuses(api: Api) -> None:
    advertiser = api.add_advertiser()
    paid, unpaid = add(api, advertiser, status="paid"), add(api, advertiser)

    def found(**params: Any) -> list[int]:
        return [each["number"] for each in api.admin.get("/3.0/admin/advertiser-invoices", **params)["message"]]

    assert found(status="paid") == [paid] and found(**{"status[]": ["paid"]}) == [paid]
    assert found(**{"status[]": ["paid", "unpaid"]}) == [unpaid, paid]
    bad = api.admin.call("GET", "/3.0/admin/advertiser-invoices", params={"status": "half"})
    assert list(bad.json()["fields"]) == ["status"]


def test_invoice_list_filters_by_supplier_and_period(api: Api) -> None:
    advertiser = api.add_advertiser()
    november = add(api, advertiser, start_date="2023-11-01", end_date="2023-11-30")
    december = add(api, advertiser, start_date="2023-12-01", end_date="2023-12-31", status="paid")
    undated = add(api, advertiser)
    for params, expected in (
        ({}, [undated, december, november]),
        ({"status": "paid"}, [december]),
        ({"status": "unpaid"}, [undated, november]),
        ({"start_date": "2023-11-01"}, [december, november]),
        ({"start_date": "2023-11-02"}, [december]),
        ({"end_date": "2023-12-30"}, [november]),
        ({"start_date": "2023-11-01", "end_date": "2023-12-31", "status": "unpaid"}, [november]),
        ({"limit": 2}, [undated, december]),
        ({"limit": 2, "page": 2}, [november]),
    ):
        body = api.admin.get("/3.0/admin/advertiser-invoices", **params)
        assert (params, [item["number"] for item in body["message"]]) == (params, expected)
    assert body["pagination"] == {"per_page": 2, "total_count": 3, "page": 2}
    [shown] = body["message"]
    assert shown == show(api, november)
    crossed = {"start_date": "2023-12-01", "end_date": "2023-11-01"}
    assert api.admin.refusal("GET", "/3.0/admin/advertiser-invoices", params=crossed) == (400, ["end_date"])


def test_invoice_access_of_manager_is_limited_to_own_advertisers(api: Api, history: tuple[str, int, int]) -> None:
    foreign, _, _ = history
    manager, client = api.add_staff(Role.MANAGER_SALES)
    own = api.add_advertiser(manager=manager)
    mine, other = add(api, own), add(api, foreign)
    assert [item["number"] for item in client.get("/3.0/admin/advertiser-invoices")["message"]] == [mine]
    assert client.get(f"{PATH}/{mine}")["message"]["supplier_id"] == own
    for method in ("GET", "POST"):
        assert client.call(method, f"{PATH}/{other}").status_code == 404
    for path in (PATH, f"{PATH}/{mine}"):
        answer = client.call("POST", path, data={"supplier_id": foreign, "currency": "USD"} | PERIOD)
        assert (answer.status_code, list(answer.json()["fields"])) == (400, ["supplier_id"])
    assert client.post(PATH, supplier_id=own, currency="USD", **PERIOD)["status"] == 1
    assert show(api, mine)["supplier_id"] == own


@pytest.mark.parametrize(
    ("role", "status"),
    [
        (Role.SECTION_PAYMENT, 200),
        (Role.SECTION_SUPPLIER, 200),
        (Role.SECTION_PARTNER, 403),
        (Role.MANAGER_AFFILIATE, 403),
        (Role.SECTION_STATS, 403),
    ],
)
def test_invoice_methods_need_matching_role(api: Api, role: Role, status: int) -> None:
    advertiser = api.add_advertiser()
    number = add(api, advertiser)
    _, client = api.add_staff(role)
    new = {"supplier_id": advertiser, "currency": "USD"}
    assert client.call("POST", PATH, data=new).status_code == status
    assert client.call("POST", f"{PATH}/{number}", data=new).status_code == status
    assert client.call("GET", f"{PATH}/{number}").status_code == status
    assert client.call("GET", "/3.0/admin/advertiser-invoices").status_code == status


def test_invoice_currency_in_use_cannot_be_removed(api: Api) -> None:
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    add(api, api.add_advertiser(), currency="EUR")
    assert api.admin.call("POST", "/3.1/admin/currencies/978/remove").status_code == 409


def test_advertisers_and_invoices_work_on_each_engine(database: Database, analytics: Analytics) -> None:
    api = installed(database, analytics)
    advertiser = api.add_advertiser(title="Zoo")
    api.clock.advance(1000)
    other = api.add_advertiser(title="ark")
    pid, _ = api.add_affiliate()
    offer = api.add_offer(advertiser=advertiser)
    sell(api, 1, offer, advertiser, pid)
    pair = {"advertisers_id[]": [advertiser, other], "pid": pid}
    for _ in range(2):
        api.admin.post("/3.0/admin/advertiser/disable-affiliate", **pair)
    answer = api.admin.post("/3.0/admin/advertiser/enable-affiliate", **pair)["message"]
    assert answer == f"Affiliate {pid} is removed from the blacklist of: {advertiser}, {other}"
    found = api.admin.get("/3.0/admin/advertisers", order="email", orderType="desc", limit=1)
    assert [item["id"] for item in found["advertisers"]] == [advertiser]
    assert found["pagination"]["total_count"] == 2
    number = add(api, advertiser, **PERIOD)
    api.clock.advance(1000)
    assert lines(edit(api, number, advertiser, status="paid")) == [(offer, "RPA", 1, 10)]
    listed = api.admin.get("/3.0/admin/advertiser-invoices", status="paid", start_date="2023-11-01")
    assert [item["number"] for item in listed["message"]] == [number]
    changes = api.admin.get("/3.1/admin/audit", limit=1)["audit"][0]
    assert (changes["what"], changes["key"]) == ("invoice", str(number))
