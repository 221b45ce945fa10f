"""Currencies: quotes, and what staff say of them."""

import pytest

from tests.support.api import Api
from trackyard.domain.people.roles import Role

USD = {
    "_id": 840, "code": "USD", "active": True, "default": True, "rate": 1, "min_payment": 0, "is_crypto": None,
}  # fmt: skip


def test_currency_list_shows_rates_and_minimum_payments(api: Api) -> None:
    assert api.admin.get("/3.0/admin/currency")["quotes"] == {"USD": 1}
    made = api.admin.post("/3.1/admin/currencies", code="eur", rate="0.9123456789", min_payment="50")["currency"]
    assert (made["_id"], made["code"], made["active"], made["default"]) == (978, "EUR", True, False)
    api.admin.post("/3.1/admin/currencies", code="GBP", rate="0.8", active="0")
    assert api.admin.get("/3.0/admin/currency")["quotes"] == {"EUR": 0.9123456789, "USD": 1}
    eur, gbp, usd = api.admin.get("/3.0/admin/currency", extended=1)["quotes"]
    assert (eur["rate"], eur["min_payment"]) == (0.9123456789, 50)
    assert (gbp["code"], gbp["active"]) == ("GBP", False)
    assert usd == USD


def test_currency_rate_edit_applies_to_later_conversions(api: Api) -> None:
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    api.clock.advance(1000)
    assert api.admin.post("/3.1/admin/currencies/978", rate="0.95")["currency"]["rate"] == 0.95
    assert api.admin.post("/3.1/admin/currencies/978", active="0")["currency"]["rate"] == 0.95
    assert api.admin.get("/3.0/admin/currency")["quotes"] == {"USD": 1}
    assert api.admin.post("/3.1/admin/currencies/840", min_payment="10")["currency"]["min_payment"] == 10


def test_offer_payment_currency_needs_exchange_rate(api: Api) -> None:
    pay = {"payments[0][currency]": "EUR"}
    shop = api.add_advertiser()
    given = {"title": "S", "url": "https://a.example", "advertiser": shop, "payments[0][total]": "1"} | pay
    given |= {"payments[0][revenue]": "1"}
    assert api.admin.call("POST", "/3.0/admin/offer", data=given).status_code == 400
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    assert api.admin.call("POST", "/3.0/admin/offer", data=given).status_code == 200
    refused = api.admin.call("POST", "/3.1/admin/currencies/978/remove")
    assert (refused.status_code, refused.json()["fields"]) == (409, {"id": ["EUR is in use."]})


def test_currency_removed_is_no_longer_listed(api: Api) -> None:
    api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.9")
    assert api.admin.post("/3.1/admin/currencies/978/remove")["currency"]["rate"] == 0.9
    assert api.admin.call("POST", "/3.1/admin/currencies/978/remove").status_code == 404
    assert api.admin.get("/3.0/admin/currency", extended=1)["quotes"] == [USD]
    assert api.admin.post("/3.1/admin/currencies", code="EUR", rate="0.8")["currency"]["rate"] == 0.8


@pytest.mark.parametrize(
    ("path", "params", "status", "field"),
    [
        ("", {"code": "EUR", "rate": "0"}, 400, "rate"),
        ("", {"code": "EUR", "rate": "-1"}, 400, "rate"),
        ("", {"code": "EUR", "rate": "1.12345678901"}, 400, "rate"),
        ("", {"code": "EUR", "rate": "1e3"}, 400, "rate"),
        ("", {"code": "XXQ", "rate": "1"}, 400, "code"),
        ("", {"code": "USD", "rate": "1"}, 409, "code"),
        ("/840", {"rate": "2"}, 400, "rate"),
        ("/840", {"active": "0"}, 400, "active"),
        ("/840/remove", {}, 409, "id"),
    ],
)
def test_currency_edit_with_invalid_value_is_rejected(
    api: Api, path: str, params: dict[str, str], status: int, field: str
) -> None:
    assert api.admin.refusal("POST", f"/3.1/admin/currencies{path}", data=params) == (status, [field])
    assert api.admin.get("/3.0/admin/currency", extended=1)["quotes"] == [USD]


def test_currency_edits_need_payment_role(api: Api) -> None:
    _, payment = api.add_staff(Role.SECTION_PAYMENT)
    assert payment.post("/3.1/admin/currencies", code="EUR", rate="0.9")["status"] == 1
    _, news = api.add_staff(Role.SECTION_NEWS)
    assert news.call("GET", "/3.0/admin/currency").json()["code"] == "currencies.read"
