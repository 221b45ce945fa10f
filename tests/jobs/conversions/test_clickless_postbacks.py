"""Postbacks without a click, and the offer or advertiser that the log keeps for them."""

from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from tests.support.clicks.inbound_postbacks import AT, make_inbound_postback, make_inbox_postback
from tests.support.limited_offer import LimitedOffer, make_limited_offer
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_advertiser, add_offer
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database
from trackyard.store.tables import advertiser, offer

UNKNOWN = "f" * 24


@pytest.fixture
def coded(limited: LimitedOffer) -> LimitedOffer:
    """An offer with a code and its advertiser with another, and a second advertiser."""
    with limited.database.write() as conn:
        own = {"hash_password": "offer's", "pixel_code": "pixel's"}
        conn.execute(update(offer).where(offer.c.id == limited.offer).values(own))
        conn.execute(update(advertiser).values(hash_password="advertiser's"))
        add_offer(conn, add_advertiser(conn), hash_password="shared")
        add_offer(conn, limited.advertiser, hash_password="shared")
    return limited


def senders(limited: LimitedOffer, *calls: dict[str, str], **fields: Any) -> list[tuple[int, str]]:
    """Return offer and advertiser that the log keeps for postbacks with no click."""
    logged = len(queued_lines(limited.database, "server_log"))
    with limited.database.write() as conn:
        for params in calls:
            call = make_inbound_postback(AT, **params)
            for name, value in fields.items():
                setattr(call, name, value)
            inbox.add_entries(conn, "001-1", [make_inbox_postback(next(limited.positions), call, None)])
    limited.settle()
    rows = queued_lines(limited.database, "server_log")[logged:]
    found = [msgspec.json.decode(row, type=ServerPostbackLog) for row in rows]
    assert {row.affiliate for row in found} == {0}
    return [(row.offer, row.advertiser) for row in found]


@pytest.mark.parametrize("click", [{}, {"clickid": UNKNOWN}, {"clickid": "{clickid}"}])
def test_clickless_postback_is_of_the_owner_of_its_code(coded: LimitedOffer, click: dict[str, str]) -> None:
    assert senders(
        coded,
        click | {"secure": "advertiser's"},
        click | {"secure": "offer's"},
        click | {"secure": "pixel's"},
        click | {"secure": "no one's"},
        click | {"secure": "shared"},
        click,
    ) == [
        (0, coded.advertiser), (coded.offer, coded.advertiser), (coded.offer, coded.advertiser),
        (0, ""), (0, ""), (0, ""),
    ]  # fmt: skip


def test_clickless_postback_is_of_the_offer_that_it_names(coded: LimitedOffer) -> None:
    own = (coded.offer, coded.advertiser)
    named = str(coded.offer)
    assert senders(coded, {"offer_id": named}, {"offer_id": named, "secure": "advertiser's"}) == [own, own]
    assert (
        senders(coded, {"offer_id": "987654"}, {"offer_id": named + "0" * 12}, {"my_offer_id": named}) == [(0, "")] * 3
    )
    assert senders(coded, {}, query="", body=f'{{"offer_id": "{named}"}}', method="POST") == [own]
    assert senders(coded, {}, query="", body=f"goal=1&offer_id={named}", method="POST") == [own]


def test_clickless_postback_with_a_code_is_not_of_the_offer_of_another(coded: LimitedOffer) -> None:
    with coded.database.write() as conn:
        strange = add_offer(conn, add_advertiser(conn))
    assert senders(coded, {"secure": "advertiser's", "offer_id": str(strange)}) == [(0, coded.advertiser)]
    assert senders(coded, {"secure": "shared", "offer_id": str(strange)}) == [(0, "")]
    assert senders(coded, {"secure": "shared", "offer_id": str(coded.offer)}) == [(coded.offer, coded.advertiser)]


def test_clickless_postback_of_an_empty_platform_has_no_sender(sqlite_database: Database) -> None:
    limited = make_limited_offer(sqlite_database)
    assert senders(limited, {}, {"secure": ""}) == [(0, ""), (0, "")]
