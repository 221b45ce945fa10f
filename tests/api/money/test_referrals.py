"""Referral payments over the API: who sees what, in which form."""

from decimal import Decimal
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.models.history import add_conversion
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.domain.people.roles import Role
from trackyard.store.money import ledger

DAYS = {"date_from": "15-11-2023", "date_to": "15-11-2023"}
PATH = "/3.0/stats/getreferralpayments"


def test_referral_payments_list_shares_per_caller(api: Api) -> None:
    manager, client = api.add_staff(Role.MANAGER_AFFILIATE)
    _, payer = api.add_staff(Role.SECTION_PAYMENT)
    referrer, own = api.add_affiliate(ref_percent="5", manager_id=manager)
    pid, referred = api.add_affiliate(ref=referrer)
    offer = api.add_offer()
    for number, status in enumerate((Status.CONFIRMED, Status.CONFIRMED, Status.HOLD), start=1):
        made = add_conversion(
            api.deps, number, offer_id=offer, affiliate_id=pid, status=status, referrer_id=referrer,
            referral_percent=Decimal(5),
        )  # fmt: skip
        with api.deps.database.write() as conn:
            ledger.add_entries(conn, ledger_entries_of(ConversionChange(None, made, "test")))
    shared = {
        "pid": str(pid), "ref": str(referrer), "currency": "USD", "max_created_at": "2023-11-15 12:00:01",
        "date_registration_partner": "2023-11-14 22:13:20",
    }  # fmt: skip
    held = shared | {"status": "0", "is_paid": "2", "count": "1", "sum_revenue": "0.35"}
    free = shared | {"status": "1", "is_paid": "0", "count": "2", "sum_revenue": "0.7"}
    body = {"status": 1, "ref_payments": [held, free], "pagination": {"per_page": 100, "total_count": 2, "page": 1}}
    for caller in (api.admin, own, client, payer):
        assert caller.get(PATH, **DAYS) == body
    assert referred.get(PATH, **DAYS)["ref_payments"] == []
    assert own.get(PATH, **DAYS, ref=pid)["ref_payments"] == []
    _, stranger = api.add_staff(Role.MANAGER_AFFILIATE)
    assert stranger.get(PATH, **DAYS)["ref_payments"] == []
    asked: list[tuple[dict[str, Any], list[Any]]] = [
        ({"pid": pid}, [held, free]),
        ({"ref": referrer, "status": 1}, [free]),
        ({"is_paid": 0}, [free]),
        ({"is_paid": 1}, []),
        ({"is_paid": 2}, [held]),
        ({"currency": 840}, [held, free]),
        ({"currency": 978}, []),
        ({"currency": 1}, []),
        ({"limit": 1, "page": 2}, [free]),
        ({"pid[]": [pid, 99]}, [held, free]),
        ({"ref[]": [99, pid]}, []),
        ({"ref[]": [99, referrer]}, [held, free]),
        ({"is_paid[]": [0, 1]}, [free]),
        ({"is_paid[]": [0, 2]}, [held, free]),
        ({"status[]": [0, 1]}, [held, free]),
        ({"currency[]": [978, 840]}, [held, free]),
    ]
    for more, wanted in asked:
        assert (more, api.admin.get(PATH, **DAYS | more)["ref_payments"]) == (more, wanted)
    assert api.admin.get(PATH, date_from="14-11-2023", date_to="14-11-2023")["ref_payments"] == []


@pytest.mark.parametrize(
    ("wrong", "name"),
    [
        ({"date_from": "2023-11-15"}, "date_from"),
        ({"date_to": "14-11-2023"}, "date_to"),
        ({"is_paid": 3}, "is_paid"),
        ({"status": 2}, "status"),
    ],
)
def test_referral_payments_with_invalid_parameter_are_rejected(
    shared_api: Api, wrong: dict[str, Any], name: str
) -> None:
    assert shared_api.admin.refusal("GET", PATH, params=DAYS | wrong) == (400, [name])


def test_referral_payments_over_long_period_are_empty(api: Api) -> None:
    long = {"date_from": "01-01-2010", "date_to": "15-11-2043"}
    assert api.admin.get(PATH, **long)["ref_payments"] == []
