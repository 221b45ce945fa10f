"""Imports without a payment are refused unless chosen; dry runs show caps.

docs/spec/conversions.md#edits-and-imports
"""

from decimal import Decimal
from typing import Any, Final

import pytest

from tests.console.staff.traffic.test_import import PATH, listed, token_of, worked
from tests.support.api import Api
from tests.support.pages import staff_visitor

_PAYMENTS: Final = {
    "payments[0][total]": "10",
    "payments[0][revenue]": "7",
    "payments[0][countries][0]": "DE",
    "payments[1][total]": "30",
    "payments[1][revenue]": "20",
    "payments[1][type]": "percent",
    "payments[1][goal]": "2",
    "payments[2][total]": "0",
    "payments[2][revenue]": "0",
    "payments[2][goal]": "3",
}
_CAP: Final = {"caps[0][period]": "day", "caps[0][type]": "conversions", "caps[0][value]": "3"}
_NO_PAYMENT: Final = "No payment matches: set the country, or amounts."
_NO_SUM: Final = "The payment is a percentage: set the sum, or amounts."
_FREE: Final = "made"
_ROWS: Final[dict[str, tuple[dict[str, str], str]]] = {
    "no country": ({}, _NO_PAYMENT),
    "another country": ({"country": "FR"}, _NO_PAYMENT),
    "another goal": ({"goal": "9", "country": "DE"}, _NO_PAYMENT),
    "sum of a fixed payment": ({"sum": "30"}, _NO_PAYMENT),
    "percent without sum": ({"goal": "2"}, _NO_SUM),
    "country": ({"country": "DE"}, _FREE),
    "address": ({"ip": "2a02:8108::1"}, _FREE),
    "sum": ({"goal": "2", "sum": "5"}, _FREE),
    "sum of 0": ({"goal": "2", "sum": "0"}, _FREE),
    "amounts": ({"revenue": "3", "payouts": "2"}, _FREE),
    "amounts of 0": ({"revenue": "0", "payouts": "0"}, _FREE),
    "a free payment": ({"goal": "3"}, _FREE),
}
"""What a row has beyond its offer and affiliate, and the refusal."""


def _world(api: Api, **more: str) -> dict[str, str]:
    offer = api.add_offer(**_PAYMENTS, **more)
    pid, _ = api.add_affiliate()
    return {"offer": str(offer), "pid": str(pid)}


def _sent(rows: list[dict[str, str]]) -> dict[str, str]:
    return {f"list[{place}][{name}]": value for place, row in enumerate(rows) for name, value in row.items()}


@pytest.mark.parametrize("name", list(_ROWS))
def test_row_without_payment_is_refused_unless_chosen_through_each_door(api: Api, name: str) -> None:
    row, expected = _ROWS[name]
    item = {**_world(api), "action_id": "A", **row}
    refused = expected != _FREE
    doors = (
        ("/3.1/admin/conversions/import", "list[0]", _sent([item])),
        ("/3.0/admin/conversion/import", "", item),
    )
    for path, prefix, sent in doors:
        if not refused:
            break
        answer = api.admin.call("POST", path, data={**sent, "allow_zero": "0"})
        assert answer.status_code == 400, answer.text
        assert expected in answer.text
        assert ("[list[0][" in answer.text) is bool(prefix)
    worked(api)
    assert listed(api) == []
    body = api.admin.post("/3.1/admin/conversion/import", **item)
    assert bool([each for each in body.get("warnings", []) if "counted with 0" in each]) is refused
    worked(api)
    [made] = listed(api)
    assert made["status"] == "confirmed"
    assert (made["payouts"] == 0) is (refused or name in ("sum of 0", "amounts of 0", "a free payment"))


def test_queued_row_without_payment_any_more_is_refused_in_the_log(api: Api) -> None:
    world = _world(api)
    sent = {**world, "action_id": "A", "country": "DE", "allow_zero": "0"}
    api.admin.post("/3.1/admin/conversion/import", **sent)
    api.admin.post(f"/3.0/admin/offer/{world['offer']}", **{"payments[0][goal]": "7", "payments[0][total]": "1"})
    worked(api)
    assert listed(api) == []


def test_many_rows_without_payment_have_one_warning(api: Api) -> None:
    world = _world(api)
    rows = [{**world, "action_id": str(place)} for place in range(8)]
    body = api.admin.post(
        "/3.0/admin/conversions/import", **_sent([{**world, "action_id": "x", "country": "DE"}, *rows])
    )
    names = ", ".join(f"list[{place}]" for place in range(1, 6))
    assert body["warnings"] == [
        f"[{names} and 3 more] No payment matches: counted with 0. Set the country, or amounts."
    ]


def test_own_import_of_affiliate_without_payment_has_a_warning(api: Api) -> None:
    offer = api.add_offer(**_PAYMENTS, privacy="public")
    pid, client = api.add_affiliate()
    api.admin.post(f"/3.1/user/{pid}/permissions", **{"permissions[stats][conversions-import][level]": "write"})
    zero = client.post("/4.0/affiliate/conversion/import", offer=offer, action_id="A", status="pending")
    assert zero["warnings"] == ["No payment matches: counted with 0. Set the country."]
    paid = client.post("/4.0/affiliate/conversion/import", offer=offer, action_id="B", status="pending", country="DE")
    assert "warnings" not in paid


def _page(api: Api, lines: list[str], **form: str) -> str:
    visitor = staff_visitor(api)
    data: dict[str, Any] = {"form_token": token_of(visitor), "text": "\n".join(lines), **form}
    text: str = visitor.client.post(PATH, data=data).text
    return text


def test_dry_run_of_page_shows_what_happens(api: Api) -> None:
    """The worker does what the dry run showed."""
    world = _world(api, **_CAP)
    head = "offer,pid,action_id,country,goal"
    start = f"{world['offer']},{world['pid']}"
    rows = [f"{start},A,,", f"{start},B,DE,", f"{start},C,DE,", f"{start},D,,", f"{start},E,DE,", f"{start},F,,2"]
    plain = _page(api, [head, *rows])
    assert "3 conversions are made, 0 exist already, 3 lines are refused." in plain
    assert plain.count(_NO_PAYMENT) == 2
    assert plain.count(_NO_SUM) == 1
    assert plain.count("Fills the cap: 3 of 3.") == 1
    assert "Goes beyond the cap" not in plain
    assert 'name="allow_zero" value="1" checked' not in plain
    chosen = _page(api, [head, *rows], allow_zero="1")
    assert "6 conversions are made, 0 exist already, 0 lines are refused." in chosen
    assert chosen.count("No payment matches: counts with 0.") == 2
    assert chosen.count("The payment is a percentage and there is no sum: counts with 0.") == 1
    fills = ["Fills the cap: 3 of 3.", *(f"Goes beyond the cap: {used} of 3." for used in (4, 5, 6))]
    assert [chosen.count(each) for each in fills] == [1, 1, 1, 1]
    assert 'name="allow_zero" value="1" checked' in chosen
    _page(api, [head, *rows], do="import")
    worked(api)
    made = {each["action_id"]: each["payouts"] for each in listed(api)}
    assert made == {"B": 7, "C": 7, "E": 7}
    again = _page(api, [head, f"{start},G,DE,"])
    assert "Goes beyond the cap: 4 of 3." in again


def test_dry_run_of_page_counts_budgets_and_statuses(api: Api) -> None:
    budget = {"caps[0][period]": "day", "caps[0][type]": "budget", "caps[0][value]": "14"}
    world = _world(api, **budget)
    start = f"{world['offer']},{world['pid']}"
    lines = ["offer,pid,action_id,country,status", f"{start},A,DE,declined", f"{start},B,DE,", f"{start},C,DE,pending"]
    text = _page(api, lines)
    assert text.count("Fills the cap: 14 of 14.") == 1
    assert "Goes beyond" not in text


def test_amounts_of_a_row_are_in_the_currency_of_its_payment(api: Api) -> None:
    world = _world(api)
    api.admin.post("/3.1/admin/conversion/import", **world, action_id="A", country="DE", payouts="1.5")
    worked(api)
    [made] = listed(api)
    assert (Decimal(str(made["payouts"])), Decimal(str(made["revenue"])), made["currency"]) == (
        Decimal("1.5"),
        10,
        "USD",
    )
