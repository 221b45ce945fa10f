"""Rates of the bank are read when staff ask for it."""

from tests.support.api import Api


def test_refresh_of_exchange_rates_is_noted_for_a_worker_once_a_minute(api: Api) -> None:
    before = api.admin.get("/3.1/admin/settings")["quotes"]
    assert (before["read_at"], before["is_requested"]) == ("", False)
    assert api.admin.post("/3.0/admin/exchange-rates/refresh")["quotes"]["is_requested"] is True
    assert api.admin.get("/3.1/admin/settings")["quotes"]["is_requested"] is True
    refused = api.admin.call("POST", "/3.0/admin/exchange-rates/refresh")
    assert refused.status_code == 409
    assert "less than a minute ago" in refused.json()["error"]
