"""State of payment, entries, lists, filters, `cpa_actions` and balances agree in random histories.

The entries of payments are read from the API and added up in plain Python (docs/spec/money.md#state-of-payment).
"""

import csv
import io
from collections import defaultdict
from contextlib import ExitStack
from decimal import ROUND_DOWN, ROUND_HALF_EVEN, Decimal
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.jobs.conversions.opened import Opened, opened
from tests.support.installation import SteppedInstallation
from tests.support.models.paid_books import PaidBooks
from tests.support.stores.analytics import empty_store
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.store.engine.database import Database
from trackyard.store.money import ledger

__all__ = ["opened"]

PERIOD = {"date_from": "2023-10-01", "date_to": "2023-12-31", "limit": 500}
STATES = {"opened": "1", "pending": "3", "closed": "2"}
PLACES = {"USD": "0.01", "EUR": "0.01", "JPY": "1", "KWD": "0.001"}
Step = tuple[str, int, Any]

_some = st.integers(0, 30)
_currencies = st.sampled_from(sorted(PLACES))
_payouts = st.sampled_from(["0", "7", "7.0049", "10", "3.3333", "250.5"])
_edits = st.one_of(
    st.fixed_dictionaries({"status": st.sampled_from(["declined", "confirmed"])}),
    st.fixed_dictionaries({"payouts": _payouts}),
    st.fixed_dictionaries({"currency": _currencies}),
)
steps = st.lists(
    st.one_of(
        st.tuples(st.just("pay"), _some, st.sampled_from(["all", "all", "offer"])),
        st.tuples(st.just("add"), _some, st.sampled_from(["confirmed", "confirmed", "hold", "pending"])),
        st.tuples(
            st.just("edit"), _some, st.fixed_dictionaries({"status": st.sampled_from(["declined", "confirmed"])})
        ),
        st.tuples(st.just("edit"), _some, st.fixed_dictionaries({"payouts": _payouts})),
        st.tuples(st.just("edit"), _some, st.fixed_dictionaries({"currency": _currencies})),
        st.tuples(st.just("exact"), _some, _currencies),
        st.tuples(st.just("status"), _some, st.sampled_from(["paid", "paid", "partly_paid", "cancelled"])),
        st.tuples(st.just("take out"), _some, _some),
        st.tuples(st.just("correct"), _some, st.sampled_from(["5", "-1"])),
    ),
    min_size=12,
    max_size=15,
)


class PaidHistory:
    """An installation with an affiliate and its referrer, and the conversions as staff made them."""

    def __init__(self, plant: SteppedInstallation) -> None:
        self.plant, self.admin = plant, plant.api.admin
        self.referrer, _ = plant.api.add_affiliate(ref_percent="12.5")
        self.pid, self.client = plant.api.add_affiliate(ref=self.referrer)
        self.offers = [plant.api.add_offer(), plant.api.add_offer()]
        for code, rate in (("EUR", "0.8"), ("JPY", "150"), ("KWD", "0.3")):
            self.admin.post("/3.1/admin/currencies", code=code, rate=rate)
        self.made = 0

    def run(self, chosen: list[Step]) -> None:
        """Make the steps, and compare after each."""
        prepared: list[Step] = [("add", 0, "confirmed"), ("edit", 0, {"payouts": "7.0049"}), ("add", 1, "confirmed")]
        for each in prepared + chosen:
            self.step(*each)
        self.plant.settle()
        self._compare_reports()
        assert reconcile(self.plant.api.deps).differences == []

    def step(self, name: str, which: int, value: Any) -> None:
        """Make one step, and compare."""
        self.plant.clock.advance(1000)
        {
            "add": self._add,
            "edit": self._edit,
            "pay": self._pay,
            "exact": self._exact,
            "status": self._set_status,
            "take out": self._take_out,
            "correct": self._correct,
        }[name](which, value)
        while self.plant.editor.step():
            pass
        self._compare()

    def _add(self, which: int, status: str) -> None:
        self.made += 1
        given = {"pid": self.pid, "offer": self.offers[which % 2], "action_id": f"A{self.made}", "status": status}
        self.admin.post("/3.0/admin/conversion/import", **given)

    def _edit(self, which: int, fields: dict[str, str]) -> None:
        chosen = self.conversions()[which % self.made]
        self.admin.post("/3.0/admin/conversion/edit", **{"ids[]": chosen["id"], **fields})

    def _pay(self, _which: int, how: str) -> None:
        self.admin.post("/3.1/payments/generate", **({"offer_ids[]": self.offers[0]} if how == "offer" else {}))

    def _exact(self, _which: int, currency: str) -> None:
        available = self.balances().get((self.pid, currency), Decimal(0))
        wanted = (available / 2).quantize(Decimal(PLACES[currency]), ROUND_DOWN)
        if wanted > 0:
            body = {"aid": self.pid, "sum": str(wanted), "currency": currency}
            self.admin.post("/3.1/payments/create-for-affiliate", **body)

    def _set_status(self, which: int, status: str) -> None:
        left = [each for each in self.payments() if each["status"] in ("created", "partly_paid")]
        if left:
            number = left[which % len(left)]["id"]
            self.admin.call("POST", f"/3.1/admin/payments/{number}", data={"status": status})

    def _take_out(self, which: int, place: int) -> None:
        left = [each for each in self.payments() if each["status"] == "created"]
        if left:
            number = left[which % len(left)]["id"]
            if paid := self.admin.get(f"/3.1/payments/{number}")["payment"]["cpa_actions"]:
                body = {"conversion_ids[]": paid[place % len(paid)]}
                self.admin.call("POST", f"/3.1/payments/{number}/conversions/delete", data=body)

    def _correct(self, which: int, amount: str) -> None:
        left = [each for each in self.payments() if each["status"] == "created"]
        if left:
            number = left[which % len(left)]["id"]
            body = {"revenue": amount, "comment": "corrected"}
            self.admin.call("POST", f"/3.1/payments/{number}/add-correction", data=body)

    # --- what is shown --------------------------------------------------------------------------------------

    def conversions(self, **chosen: Any) -> list[dict[str, Any]]:
        """Return the conversions, in the order in which they were made."""
        found = self.admin.get("/3.0/stats/conversions", **PERIOD, **chosen)["conversions"]
        return sorted(found, key=lambda each: int(each["action_id"][1:]))

    def payments(self) -> list[dict[str, Any]]:
        """Return the payments."""
        found: list[dict[str, Any]] = self.admin.get("/3.1/admin/payments", limit=100)["payments"]
        return found

    def balances(self) -> dict[tuple[int, str], Decimal]:
        """Return what is available."""
        with self.plant.database.read() as conn:
            found = ledger.list_balances(conn, [self.pid, self.referrer])
        return {(each.affiliate_id, each.currency): each.available for each in found}

    def _compare(self) -> None:
        shown, books = self.conversions(), PaidBooks()
        left: dict[tuple[int, str], Decimal] = defaultdict(Decimal)
        for payment in self.payments():
            if payment["status"] != "cancelled":
                self._take(payment, books)
                left[payment["pid"], payment["currency"]] -= _amount(payment["amount"])
        for each in shown:
            payout = _amount(each["payouts"])
            wanted = books.shown(each["id"], each["currency"], payout)
            assert {name: each[name] for name in wanted} | {"paid": _amount(each["paid"])} == wanted
            assert each["is_paid"] == STATES[each["payment_status"]]
            if each["status"] == "confirmed":
                left[self.pid, each["currency"]] += payout
                share = (payout / 8).quantize(Decimal("0.0001"), ROUND_HALF_EVEN)
                left[self.referrer, each["currency"]] += share
        for state in STATES:
            ids = [each["id"] for each in shown if each["payment_status"] == state]
            assert [each["id"] for each in self.conversions(**{"payment_status[]": state})] == ids
        assert _without_zeros(self.balances()) == _without_zeros(left)

    def _take(self, payment: dict[str, Any], books: PaidBooks) -> None:
        """Add the entries of a payment to the books, and compare what it says of itself."""
        entries = self.admin.get(f"/3.1/admin/payments/{payment['id']}/entries", limit=1000)["entries"]
        assert sum(_amount(each["amount"]) for each in entries) == _amount(payment["amount"])
        assert _amount(payment["amount"]) % Decimal(PLACES[payment["currency"]]) == 0
        paid: dict[str, Decimal] = defaultdict(Decimal)
        for entry in entries:
            if entry["kind"] in ("conversion", "change", "relabel"):
                amount = _amount(entry["amount"])
                paid[entry["conversion_id"]] += amount
                is_executed = payment["status"] == "paid"
                books.add(entry["conversion_id"], payment["currency"], amount, is_executed=is_executed)
        record = self.admin.get(f"/3.1/payments/{payment['id']}")["payment"]
        assert record["cpa_actions"] == sorted(name for name, amount in paid.items() if amount > 0)
        assert record["details"]["count"] == sum(amount != 0 for amount in paid.values())

    def _compare_reports(self) -> None:
        """Compare reports, files and single conversions with the list."""
        shown = self.conversions()
        days = {f"filter[{name}]": PERIOD[name] for name in ("date_from", "date_to")}
        asked = days | {"slice[]": "year"}
        for state, digit in STATES.items():
            numbered = self.conversions(**{"payment_status[]": digit})
            assert numbered == [each for each in shown if each["payment_status"] == state]
            rows = self.admin.get("/3.1/stats/custom", **asked, **{"filter[payment_status][]": state})["stats"]
            number = sum(row["actions"]["total"]["count"] for row in rows)
            assert number == sum(each["payment_status"] == state for each in shown)
        answer = self.admin.call("GET", "/3.0/stats/conversions", params=PERIOD | {"format": "csv", "limit": ""})
        lines = {each["id"]: each for each in csv.DictReader(io.StringIO(answer.text.removeprefix("\ufeff")))}
        for each in shown:
            line, single = lines[each["id"]], self.client.get("/3.1/stats/conversionsbyid", id=each["id"])["conversion"]
            for other in (line, single):
                assert (other["payment_status"], other["is_paid"]) == (each["payment_status"], each["is_paid"])
                assert _amount(other["paid"]) == _amount(each["paid"])


def _amount(value: object) -> Decimal:
    return Decimal(str(value))


def _without_zeros(found: dict[tuple[int, str], Decimal]) -> dict[tuple[int, str], Decimal]:
    return {key: amount for key, amount in found.items() if amount}


def play(opened: Opened, examples: int, *, is_random: bool) -> None:
    """Play this many histories, the same each time or others."""
    played = count()

    @settings(
        max_examples=examples,
        derandomize=not is_random,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
        phases=(Phase.generate, *((Phase.shrink,) if is_random else ())),
    )
    @given(chosen=steps)
    def run(chosen: list[Step]) -> None:
        next(played)
        with ExitStack() as held:
            analytics = held.enter_context(empty_store())
            home = Path(held.enter_context(TemporaryDirectory(prefix="paid-")))
            plant = SteppedInstallation(held.enter_context(opened()), analytics, home)
            held.callback(plant.close)
            PaidHistory(plant).run(chosen)

    run()
    assert next(played) >= examples


@pytest.mark.slow
@pytest.mark.long_on_postgresql
def test_state_of_payment_agrees_with_entries_in_random_histories(opened: Opened) -> None:
    play(opened, 3, is_random=False)


@pytest.mark.long
def test_state_of_payment_agrees_with_entries_in_many_histories(opened: Opened) -> None:
    play(opened, 100, is_random=True)


def test_declined_conversion_that_a_payment_names_is_not_paid(
    database: Database, analytics: Analytics, tmp_path: Path
) -> None:
    plant = SteppedInstallation(database, analytics, tmp_path)
    history = PaidHistory(plant)

    def edit(which: int, **fields: str) -> None:
        history.step("edit", which, fields)

    def states() -> str:
        return " ".join(f"{each['payment_status']} {each['paid']:g}" for each in history.conversions())

    history.step("add", 0, "confirmed")
    history.step("add", 0, "confirmed")
    edit(1, status="declined")
    history.step("pay", 0, "all")
    assert states() == "pending 0 opened 0"
    history.step("status", 0, "paid")
    history.step("status", 0, "paid")  # of the referrer
    assert states() == "closed 7 opened 0"
    edit(1, status="confirmed")
    assert states() == "closed 7 opened 0"  # the balance owes it, and the list says so
    history.step("pay", 0, "all")
    assert states() == "closed 7 pending 0"
    edit(0, payouts="10")
    assert states() == "opened 7 pending 0"
    edit(0, currency="EUR")
    assert states() == "opened 0 pending 0"
    edit(0, currency="USD", payouts="7")
    assert states() == "closed 7 pending 0"
    edit(0, status="declined")
    assert states() == "closed 7 pending 0"  # what was paid is not taken back yet
    plant.close()
