"""Rates of the bank are read when staff ask for it."""

from tests.support.api import Api
from trackyard.store.money import reference_rates


def test_refresh_of_exchange_rates_is_noted_for_a_worker_once_a_minute(api: Api) -> None:
    before = api.admin.get("/3.1/admin/settings")["quotes"]
    assert (before["read_at"], before["is_requested"]) == ("", False)
    path = "/3.0/admin/exchange-rates/refresh"
    assert api.admin.post(path)["quotes"]["is_requested"] is True
    assert api.admin.get("/3.1/admin/settings")["quotes"]["is_requested"] is True
    assert api.admin.post(path)["quotes"]["is_requested"] is True, "the first request still waits"
    with api.deps.database.write() as conn:
        assert reference_rates.take_request(conn) and not reference_rates.take_request(conn)
        reference_rates.end_refresh(conn, "", api.deps.clock.now_ms())
    assert api.admin.post(path)["quotes"]["is_requested"] is False, "they were just read"
