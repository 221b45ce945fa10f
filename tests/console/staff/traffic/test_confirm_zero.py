"""Confirming a declined conversion for which no payment matched, through each door.

docs/spec/conversions.md#edits-and-imports
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, Final

import msgspec
import pytest

from tests.api.conversions.test_comparisons import compared
from tests.console.staff.traffic.test_import import listed, worked
from tests.support.api import NOW, Api
from tests.support.page_forms import read_form, send
from tests.support.pages import Visitor, staff_visitor
from trackyard.actions.statistics.automation.effects import apply_effects
from trackyard.domain.conversions.edits import ConversionEdit
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.statistics.automation.rules import Rule, RuleAction, RuleFiring
from trackyard.domain.statistics.automation.windows import Window
from trackyard.store.conversions import edits

EDIT: Final = "/3.1/admin/conversion/edit"
PAYMENTS: Final = {"payments[0][total]": "10", "payments[0][revenue]": "7", "payments[0][countries][0]": "DE"}
WARNING: Final = "Conversions without a payment that matches: 1. They count with 0 unless amounts are set."


class Declined:
    """An installation with one declined conversion. row: what its import has."""

    def __init__(self, api: Api, **row: str) -> None:
        self.api = api
        self.advertiser = api.add_advertiser()
        self.offer = api.add_offer(advertiser=self.advertiser, **PAYMENTS)
        self.pid, _ = api.add_affiliate()
        item = {"offer": self.offer, "pid": self.pid, "action_id": "A", "status": "declined", **row}
        api.admin.post("/3.1/admin/conversion/import", **item)
        worked(api)
        [made] = listed(api)
        self.id = str(made["id"])

    def now(self) -> tuple[str, Decimal, Decimal]:
        worked(self.api)
        [found] = listed(self.api)
        return found["status"], Decimal(str(found["revenue"])), Decimal(str(found["payouts"]))


UNPAID: Final = {"country": "FR"}
PAID: Final = {"country": "DE"}
ROWS: Final[dict[str, tuple[dict[str, str], dict[str, str], bool]]] = {
    # what was imported, what is sent, whether it counts with 0 that was not chosen
    "no payment matched": (UNPAID, {"status": "confirmed"}, True),
    "pending counts in caps": (UNPAID, {"status": "pending"}, True),
    "on hold ends confirmed": (UNPAID, {"status": "hold"}, True),
    "both amounts are set": (UNPAID, {"status": "confirmed", "payouts": "2", "revenue": "3"}, False),
    "an amount of 0 is chosen": (UNPAID, {"status": "confirmed", "payouts": "0"}, False),
    "still declined": (UNPAID, {"status": "not_found"}, False),
    "a remark alone": (UNPAID, {"comment": "x"}, False),
    "a payment matched": (PAID, {"status": "confirmed"}, False),
    "imported with amounts": ({**UNPAID, "payouts": "4"}, {"status": "confirmed"}, False),
}


@pytest.mark.parametrize("name", list(ROWS))
def test_edit_of_a_conversion_without_payment_warns_and_is_refused_where_zero_is_not_allowed(
    api: Api, name: str
) -> None:
    assert len(ROWS) == 9 and sum(counts for *_, counts in ROWS.values()) == 3
    row, sent, counts = ROWS[name]
    made = Declined(api, **row)
    doors = {
        EDIT: {"ids[]": made.id},
        f"{EDIT}-by-advertiser": {"ids[]": made.id, "advertiser_id": made.advertiser},
        "all": {"all": 1, "params[date_from]": "2023-11-01", "params[date_to]": "2023-11-30"},
    }
    before = made.now()
    for path, chosen in doors.items():
        if not counts:
            break
        answer = api.admin.call("POST", EDIT if path == "all" else path, data={**chosen, **sent, "allow_zero": "0"})
        assert answer.status_code == 400, answer.text
        assert answer.json()["fields"] == {"status": [f"{WARNING} The first is {made.id}."]}
    assert made.now() == before
    answer = api.admin.post(EDIT, **{"ids[]": made.id}, **sent)
    assert (WARNING in answer.get("warnings", [])) is counts


def test_worker_refuses_a_queued_edit_that_must_not_count_with_zero(api: Api) -> None:
    made = Declined(api, **UNPAID)
    edit = ConversionEdit(conversion_id=made.id, status=Status.CONFIRMED, takes_zero=False)
    queue(api, edit)
    assert made.now() == ("declined", Decimal(0), Decimal(0))


def queue(api: Api, edit: ConversionEdit) -> None:
    with api.deps.database.write() as conn:
        edits.add_tasks(conn, "edit", "staff:" + "6" * 24, [msgspec.to_builtins(edit)], NOW)


def by_form(visitor: Visitor, made: Declined, **more: str) -> Any:
    path = f"/console/conversions/{made.id}/edit"
    return send(visitor, path, read_form(visitor, path), status="confirmed", **more)


def by_change(visitor: Visitor, made: Declined, **more: str) -> Any:
    return visitor.post("/console/conversions/change", id=made.id, status="confirmed", **more)


PAGES: Final[dict[str, Callable[..., Any]]] = {"form": by_form, "several at once": by_change}


@pytest.mark.parametrize("name", list(PAGES))
def test_page_confirms_with_zero_only_when_that_is_chosen(api: Api, name: str) -> None:
    made, visitor = Declined(api, **UNPAID), staff_visitor(api)
    refused = PAGES[name](visitor, made)
    assert refused.status_code == 400 and "They count with 0 unless amounts are set." in refused.text
    assert 'name="allow_zero"' in refused.text and made.now()[0] == "declined"
    assert PAGES[name](visitor, made, allow_zero="1").status_code == 303
    assert made.now() == ("confirmed", Decimal(0), Decimal(0))


def test_button_of_one_conversion_leads_to_the_choice(api: Api) -> None:
    made, visitor = Declined(api, **UNPAID), staff_visitor(api)
    [link] = {each for each in visitor.read(f"/console/conversions/{made.id}").links if "status=confirmed" in each}
    page = visitor.get(link)
    assert page.status_code == 200 and "Confirmed money" in page.text
    asked = visitor.post(
        "/console/conversions/change", id=made.id, status="confirmed", back=f"/console/conversions/{made.id}"
    )
    assert asked.status_code == 400 and made.now()[0] == "declined" and 'name="allow_zero"' in asked.text


def test_comparison_skips_a_conversion_for_which_no_payment_matched(api: Api) -> None:
    made = Declined(api, **UNPAID)
    answer = compared(api, f"/admin/advertiser/{made.advertiser}", "order_id,status,amount\nA,approved,3\n")
    path = f"/3.1/admin/comparison/{answer['comparison']['id']}/accept"
    done = api.admin.post(path, classes="other_status,other_sum", apply=1)
    assert done["skipped"] == [{"conversion_id": made.id, "why": "no_payment"}] and done["number"] == 0
    assert made.now()[0] == "declined"


@pytest.mark.parametrize(("row", "changed"), [(UNPAID, []), (PAID, ["pending"])])
def test_rule_leaves_a_conversion_for_which_no_payment_matched(
    api: Api, row: dict[str, str], changed: list[str]
) -> None:
    made = Declined(api, **row)
    rule = Rule(
        id="7" * 24, title="Second look", each=("offer",), hours=1, minimum=0, conditions=(),
        action=RuleAction.CONVERSION_STATUS, new_status="pending",
    )  # fmt: skip
    firing = RuleFiring(
        id="8" * 24, rule_id=rule.id, fired_at=NOW, element={"offer": made.offer}, element_key=f"offer {made.offer}",
        since=NOW, until=NOW, met_until=NOW, action=rule.action,
    )  # fmt: skip
    with api.deps.database.write() as conn:
        apply_effects(conn, rule, firing, Window(NOW - 3_600_000, NOW + 3_600_000), NOW)
    assert made.now()[0] == (changed or ["declined"])[0]
