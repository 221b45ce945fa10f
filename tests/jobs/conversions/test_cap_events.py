"""Affiliates hear of a cap that fills up, once in a period (docs/spec/conversions.md#caps)."""

from typing import Any

import pytest
from sqlalchemy import insert, select

from tests.support.clicks.inbound_postbacks import AT
from tests.support.events import make_notices
from tests.support.limited_offer import MIDNIGHT, LimitedOffer
from tests.support.stores.seeds import add_affiliate
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.events.events import read_value
from trackyard.store.platform import settings
from trackyard.store.tables import bell_item, connection, event

NEAR, FULL = "cap.nearly_full", "cap.full"


def heard_of_caps(limited: LimitedOffer) -> list[tuple[str, str, str]]:
    """Return the events of caps: kind, what is reached or the limit, and who hears of it."""
    make_notices(limited.database, limited.clock.now_ms())
    found = []
    with limited.database.read() as conn:
        for row in conn.execute(select(event).where(event.c.kind.in_((NEAR, FULL))).order_by(event.c.seq)).all():
            heard = conn.execute(select(bell_item.c.account).where(bell_item.c.seq == row.seq)).scalars().all()
            shown = row.payload.get("reached", row.payload["limit"])
            found.append((str(row.kind), str(read_value(shown)), " ".join(sorted(heard))))
    return found


@pytest.fixture
def connected(limited: LimitedOffer) -> LimitedOffer:
    connect(limited, limited.affiliate)
    return limited


def connect(limited: LimitedOffer, affiliate_id: int) -> None:
    row: dict[str, Any] = {"affiliate_id": affiliate_id, "offer_id": limited.offer, "enabled": True, "changed_at": AT}
    with limited.database.write() as conn:
        conn.execute(insert(connection), [row])


def test_cap_has_one_event_a_period_though_it_empties_and_fills_again(connected: LimitedOffer) -> None:
    connected.limit({"value": "5"})
    own = f"affiliate:{connected.affiliate}"
    for _ in range(3):
        connected.call()
    assert heard_of_caps(connected) == []
    last = connected.send()
    connected.settle()
    assert heard_of_caps(connected) == [(NEAR, "4 conversions", own)]
    connected.edit(last, status=Status.DECLINED)
    connected.edit(last, status=Status.CONFIRMED)
    connected.call()
    connected.call()  # beyond the cap
    assert heard_of_caps(connected) == [(NEAR, "4 conversions", own), (FULL, "5 conversions", own)]
    for _ in range(4):
        connected.call(time=MIDNIGHT + 1)
    assert [kind for kind, _, _ in heard_of_caps(connected)] == [NEAR, FULL, NEAR]


def test_cap_that_is_full_at_once_has_the_event_of_a_full_one(connected: LimitedOffer) -> None:
    connected.limit({"value": "1"})
    connected.call()
    assert [kind for kind, _, _ in heard_of_caps(connected)] == [FULL]


def test_budget_is_written_in_the_currency_of_the_platform(connected: LimitedOffer) -> None:
    connected.limit({"type": "budget", "value": "25"})
    with connected.database.write() as conn:
        settings.edit_setting(conn, settings.CURRENCY, "USD")
    for _ in range(4):
        connected.call()
    heard_of_caps(connected)
    connected.call()
    assert [(kind, shown) for kind, shown, _ in heard_of_caps(connected)] == [(NEAR, "$20.00"), (FULL, "$25.00")]


def test_cap_of_each_affiliate_reaches_the_affiliate_alone(connected: LimitedOffer) -> None:
    with connected.database.write() as conn:
        other = add_affiliate(conn)
    connect(connected, other)
    connected.limit({"value": "2", "affiliate_type": "each"})
    for _ in range(2):
        connected.call(connected.click(affiliate=other))
    assert {heard for _, _, heard in heard_of_caps(connected)} == {f"affiliate:{other}"}


def test_hidden_cap_reaches_no_affiliate(connected: LimitedOffer) -> None:
    connected.limit({"value": "2"}, hide_caps=True)
    connected.call()
    connected.call()
    assert [heard for _, _, heard in heard_of_caps(connected)] == [""]
