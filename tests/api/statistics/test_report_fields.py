"""Figures that a caller names, and conversions by payment (docs/spec/statistics.md#fields)."""

from decimal import Decimal

import pytest

from tests.support.api import Api
from tests.support.models.events import NOON, new_click
from tests.support.models.history import add_conversion, load_clicks
from trackyard.actions.statistics import payments
from trackyard.base.ids import IMPORT_EDGE
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.store.money import ledger

ASKED = {"filter[date_from]": "2023-11-01", "filter[date_to]": "2023-11-30", "slice[]": ["year"]}


def test_row_with_named_fields_has_them_traffic_and_actions(api: Api) -> None:
    load_clicks(api.deps, [new_click(1), new_click(2, reason="bot")])
    [row] = api.admin.get("/3.1/stats/custom", **ASKED, **{"fields[]": ["clicks", "affiliate_epc", "trafficback"]})[
        "stats"
    ]
    assert row.keys() == {"slice", "traffic", "actions", "affiliate_epc", "trafficback"}
    assert (row["traffic"]["raw"], row["trafficback"], row["actions"]["total"].keys() & {"payouts"}) == ("1", 1, set())
    params = ASKED | {"fields[]": ["trafficback", "cost"], "format": "csv", "conversionTypes[]": ["total"]}
    heading = api.admin.call("GET", "/3.1/stats/custom", params=params).text.splitlines()[0]
    assert heading.removeprefix("\ufeff").split(",")[-4:] == ["total.count", "trafficback", "cost", "currency"]


def test_conversions_without_a_click_are_counted_apart_and_change_no_other_field(api: Api) -> None:
    pid, client = api.add_affiliate()
    load_clicks(api.deps, [new_click(1, affiliate=pid), new_click(2, affiliate=pid)])
    imported = f"{NOON // 1000:08x}{IMPORT_EDGE:02x}{3:014x}"
    for number, click_id in ((1, new_click(1).id), (2, imported)):
        add_conversion(api.deps, number, offer_id=1, affiliate_id=pid, click={"id": click_id})
    for caller in (api.admin, client):
        [usual] = caller.get("/3.1/stats/custom", **ASKED)["stats"]
        [row] = caller.get("/3.1/stats/custom", **ASKED, **{"fields[]": "without_click"})["stats"]
        total = row["actions"]["total"]
        assert (total["count"], total["without_click"], total["payouts_without_click"]) == (2, 1, 7)
        assert (row["cr"]["total"], row["epc"]) == (100, 7)
        for action in row["actions"].values():
            del action["without_click"], action["payouts_without_click"]
        assert row == usual
    params = ASKED | {"fields[]": ["without_click", "epc"], "format": "csv", "conversionTypes[]": ["total"]}
    heading = api.admin.call("GET", "/3.1/stats/custom", params=params).text.splitlines()[0]
    assert heading.split(",")[-5:] == [
        *("total.count", "total.without_click", "total.payouts_without_click", "epc", "currency"),
    ]


def test_affiliate_without_rejected_clicks_may_not_name_them(api: Api) -> None:
    _, client = api.add_affiliate()
    asked = ASKED | {"fields[]": ["trafficback"]}
    assert client.refusal("GET", "/3.1/stats/custom", params=asked) == (403, "stats.slice-trafficback_reason")
    assert client.call("GET", "/3.1/stats/custom", params=ASKED | {"fields[]": ["cost"]}).status_code == 400


def test_report_by_payment_status_counts_conversions_of_payments(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    pid, client = api.add_affiliate()
    load_clicks(api.deps, [new_click(1, affiliate=pid)])
    for number in (1, 2, 3):
        currency = "EUR" if number == 3 else "USD"
        made = add_conversion(api.deps, number, offer_id=1, affiliate_id=pid, payout=Decimal(number), currency=currency)
        if number > 1:
            with api.deps.database.write() as conn:
                ledger.add_entries(conn, ledger_entries_of(ConversionChange(None, made, "test")))
    paid = api.admin.post("/3.1/admin/payments", **{"pid[]": [pid]})["payments"]
    assert {each["currency"] for each in paid} == {"USD", "EUR"}
    [dollars] = [each["id"] for each in paid if each["currency"] == "USD"]
    api.admin.post(f"/3.1/admin/payments/{dollars}", status="paid")

    def counted(*names: str) -> list[tuple[str, int]]:
        rows = client.get("/3.1/stats/custom", **ASKED, **{"filter[payment_status][]": list(names)})["stats"]
        return [(row["traffic"]["raw"], row["actions"]["total"]["count"]) for row in rows]

    assert [counted(name) for name in ("opened", "pending", "closed")] == [[("1", 1)]] * 3
    assert counted("pending", "closed") == [("1", 2)]
    assert counted("opened", "closed") == [("1", 2)]
    monkeypatch.setattr(payments, "MOST_CONVERSIONS", 1)
    asked = ASKED | {"filter[payment_status][]": ["pending", "closed"]}
    refused = client.call("GET", "/3.1/stats/custom", params=asked)
    assert (refused.status_code, list(refused.json()["fields"])) == (400, ["filter[payment_status]"])
