"""How many questions the list of offers asks."""

from collections import Counter
from typing import Any

import pytest

from tests.support.api import Api
from tests.support.pages import staff_visitor
from trackyard.wire.endpoint import Endpoint
from trackyard.wire.local_calls import LocalCalls

SELECTS = {
    "offer.categories.list",
    "admin.smartlink.categories.list",
    "admin.advertisers.names",
    "admin.offer.sources.list",
    "admin.partners.names",
}
ROWS = {
    "offers.list": 1,
    "stats.custom": 3,
    "admin.alerts.list": 1,
    "admin.offers.affiliates": 1,
}
"""The figures of the period, of the period before it, and of the hour that is not over."""
FRAME = {"admin.alerts.list": 1, "admin.partners.names": 1, "admin.advertisers.names": 1, "admin.tickets.count": 1}
FRAME |= {"threads.unread": 1}


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Counter[str]:
    """The number of calls by the id of the method."""
    found: Counter[str] = Counter()
    answer = LocalCalls._answer

    def counted(self: Any, endpoint: Endpoint[Any, Any], *args: Any) -> Any:
        found[endpoint.id] += 1
        return answer(self, endpoint, *args)

    monkeypatch.setattr(LocalCalls, "_answer", counted)
    return found


@pytest.mark.parametrize("number", [1, 12])
def test_list_of_offers_asks_as_many_questions_for_many_rows_as_for_one(
    api: Api, asked: Counter[str], number: int
) -> None:
    pid, _ = api.add_affiliate()
    for each in range(number):
        offer = api.add_offer(advertiser=api.add_advertiser(title=f"Reef {each}"), privacy="private")
        api.admin.post("/3.1/offer/enable-affiliate", **{"offer_id[]": offer, "pid": pid})
    visitor = staff_visitor(api)
    asked.clear()
    page = visitor.read("/console/offers")
    assert len([name for name in page.links if name.startswith("/console/offers/new?copy=")]) == number
    assert asked == Counter(ROWS) + Counter(FRAME) + Counter(SELECTS) + Counter(["offers.count"])
    asked.clear()
    visitor.read("/console/offers?status=active")
    assert asked == Counter(ROWS) + Counter(FRAME) + Counter(SELECTS)
