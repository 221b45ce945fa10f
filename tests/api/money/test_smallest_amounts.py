"""An amount that is not 0 and would be stored as 0 is refused (docs/spec/money.md#amounts)."""

from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import Api
from trackyard.wire.request import scalars as s

SENTENCE = "This value is too small: the smallest amount is 0.0001."
TINY = ("0.00001", "0.00005", "1e-9")


def _offer(name: str) -> Callable[[Api, int, str], tuple[str, dict[str, Any], str]]:
    given = {"title": "Shoes", "url": "https://shop.example/", "payments[0][total]": "1", "payments[0][revenue]": "1"}

    def door(api: Api, pid: int, tiny: str) -> tuple[str, dict[str, Any], str]:
        return "/3.0/admin/offer", given | {"advertiser": api.add_advertiser(), name: tiny}, name

    return door


def _sent(path: str, name: str, **given: Any) -> Callable[[Api, int, str], tuple[str, dict[str, Any], str]]:
    return lambda api, pid, tiny: (path, {"pid": pid, "aid": pid, **given, name: tiny}, name)


DOORS = {
    "payout": _offer("payments[0][revenue]"),
    "charge": _offer("payments[0][total]"),
    "cap": _offer("caps[0][value]"),
    "tier": _offer("commission_tiers[0][value]"),
    "modifier": _offer("commission_tiers[0][modifier_value]"),
    "correction": _sent("/3.1/admin/corrections", "amount", currency="USD", comment="c"),
    "taken away": _sent("/3.1/admin/corrections", "amount", currency="USD", comment="c", sign="-"),
    "payment": _sent("/3.1/payments/create-for-affiliate", "sum", currency="USD"),
    "least payment": _sent("/3.1/admin/currencies/840", "min_payment"),
    "import": _sent("/3.0/admin/conversion/import", "sum", offer=1),
}


def test_amounts_that_would_be_stored_as_zero_are_refused(api: Api) -> None:
    pid, _ = api.add_affiliate()
    seen = 0
    for name, door in DOORS.items():
        for tiny in TINY:
            path, body, field = door(api, pid, tiny)
            body[field] = body.pop("sign", "") + tiny
            answer = api.admin.call("POST", path, data=body)
            assert answer.status_code == 400, (name, answer.text)
            assert answer.json()["fields"].get(field) == [SENTENCE], (name, answer.text)
            seen += 1
    assert seen == 30


@pytest.mark.parametrize("form", [s.AMOUNT, s._SIGNED_AMOUNT, s._PERCENT])
@pytest.mark.parametrize("text", ["0", "0.0000000", "0.0001", "0.00006", "5"])
def test_amounts_that_keep_a_value_are_taken(form: s.TextForm, text: str) -> None:
    assert (form.read(text, {}) == 0) is (float(text) == 0)
