"""Referral shares after partial payments and later changes equal plain Python."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest

from tests.analytics.reports.test_reports_match_oracle import OracleSetup, drawn, open_oracle_setup
from tests.support.clicks.traffic import CENTRES, DAY, DrawnPostback, DrawnVisit, drawn_traffic
from tests.support.models import oracle_lists
from tests.support.models.oracle import read_oracle
from tests.support.models.oracle_lists import share_of
from tests.support.models.report_queries import viewer

pytestmark = pytest.mark.slow

ALL = {"date_from": "01-12-2025", "date_to": "31-12-2027", "limit": 1000}
CALLERS = ("admin", "affiliate manager", "affiliate 0", "affiliate 1")
BROUGHT = tuple(
    DrawnVisit(CENTRES[3] + day * DAY, who, offer=0, visitor=0, calls=(DrawnPostback(0, (("goal", "1"),)),))
    for day in range(12)
    for who in (1, 3)
)
"""Visits that earn shares in USD, for the first affiliate and for the third; drawn traffic may have none."""


@pytest.fixture
def world(migrated_sqlite: Path, tmp_path: Path) -> Iterator[OracleSetup]:
    [traffic] = drawn(drawn_traffic(130, 160), 1)
    traffic = replace(traffic, visits=(*traffic.visits, *BROUGHT))
    with open_oracle_setup(migrated_sqlite, tmp_path, traffic) as made:
        yield made


def check(world: OracleSetup, taken: oracle_lists.Taken) -> list[dict[str, str]]:
    """Check every caller with and without each filter; return all rows."""
    world.oracle = read_oracle(world.plant.home / "journal", world.plant.database)
    chosen: list[dict[str, Any]] = [{}, *({name: value} for name in ("is_paid", "status") for value in ("0", "1"))]
    for caller in CALLERS:
        for more in (*chosen, {"is_paid": "2"}, {"currency": 978}, {"pid": str(world.people.affiliates[1])}):
            params = {**ALL, **more}
            wanted = oracle_lists.referrals(world.oracle, viewer(world.people, caller), params, taken)
            assert world.get(caller, "/3.1/stats/getreferralpayments", params) == wanted, (caller, more)
    rows: list[dict[str, str]] = world.get("admin", "/3.1/stats/getreferralpayments", dict(ALL))["ref_payments"]
    return rows


def pay(world: OracleSetup, referrer: int, currency: str, *, execute: bool) -> dict[str, tuple[str, Decimal]]:
    """Pay a referrer its available money in a currency; return the paid shares by conversion."""
    admin = world.plant.api.admin
    [made] = admin.post("/3.1/admin/payments", **{"pid[]": referrer, "currency": currency})["payments"]
    if execute:
        admin.post(f"/3.1/admin/payments/{made['id']}", status="paid")
    brought = [
        each
        for each in world.oracle.conversions
        if (each["stored"].referrer_id, each["currency"], each["status"]) == (referrer, currency, "confirmed")
    ]
    return {each["id"]: ("1" if execute else "2", share_of(each)) for each in brought if share_of(each)}


def edit(world: OracleSetup, ids: list[str], **fields: Any) -> None:
    world.plant.api.admin.post("/3.0/admin/conversion/edit", **{"ids[]": ids}, **fields)
    world.plant.work()


def test_referral_shares_paid_in_parts_match_oracle(world: OracleSetup) -> None:
    first, third = world.people.affiliates[0], world.people.affiliates[2]
    assert {row["is_paid"] for row in check(world, {})} == {"0", "2"}
    taken = pay(world, first, "USD", execute=True)
    assert {row["is_paid"] for row in check(world, taken)} == {"0", "1", "2"}
    taken |= pay(world, third, "USD", execute=False)
    check(world, taken)
    paid, waiting = ([id_ for id_, (state, _) in sorted(taken.items()) if state == kind] for kind in "12")
    assert len(paid) > 2 and waiting
    edit(world, paid[:1], status="declined")
    edit(world, [*paid[1:2], *waiting[:1]], payouts="9.9999")
    edit(world, paid[2:3], status="pending")
    rows = check(world, taken)
    assert any(Decimal(row["sum_revenue"]) < 0 for row in rows), "more was paid than is left"
    codes = {each["currency"] for each in world.oracle.conversions if each["stored"].referrer_id == first}
    for code in sorted(codes - {"USD"}):
        if any(row["is_paid"] == "0" and row["currency"] == code and row["ref"] == str(first) for row in rows):
            taken |= pay(world, first, code, execute=True)
            check(world, taken)
