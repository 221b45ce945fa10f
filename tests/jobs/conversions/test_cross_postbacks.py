"""The cross_postback_url of an offer is requested like postbacks."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import select

from tests.domain.conversions.test_conversions import AT, make_conversion
from tests.support.clicks.inbound_postbacks import make_click
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from trackyard.actions.conversions.changes import DeliveryContext, record_changes
from trackyard.actions.offers.counters import CounterBatch
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.tracking.outbound_calls import CROSS_POSTBACK_ID
from trackyard.domain.tracking.postbacks import Postback
from trackyard.domain.tracking.subs import encrypted_sub
from trackyard.store.engine.database import Database
from trackyard.store.tables import delivery

URL = "https://cross.example/?c={transactionid}&s={status}&o={offer_name}"


def calls(
    database: Database, *changes: ConversionChange, url: str | None, postbacks: bool = False
) -> list[tuple[int, int, str]]:
    """Return (postback, version, URL) of the deliveries of changes of one conversion of the offer."""
    with database.write() as conn:
        offer_id = add_offer(
            conn, add_advertiser(conn, id=make_conversion().advertiser_id), cross_postback_url=url, id=3
        )
        add_affiliate(conn, id=7)
        own = [Postback(add_postback(conn, 7, "https://a.example/"), 7, None, "https://a.example/", None, None)]
        delivery_context = DeliveryContext(own if postbacks else [], {offer_id: "Shoes"}, ZoneInfo("UTC"))
        record_changes(conn, changes, delivery_context, CounterBatch(conn, {}, ()), AT)
        rows = conn.execute(select(delivery).order_by(delivery.c.sequence, delivery.c.postback_id))
        return [(row.postback_id, row.sequence, row.url) for row in rows]


FIRST = replace(make_conversion(), click=msgspec.structs.asdict(make_click(3, 7, make_conversion().advertiser_id)))
NEW = ConversionChange(None, FIRST, "call:x")
DECLINED = ConversionChange(FIRST, replace(FIRST, version=2, status=Status.DECLINED), "call:y")
SAME_STATUS = ConversionChange(FIRST, replace(FIRST, version=2, comment="by hand"), "staff:z")
CALLED = f"https://cross.example/?c={FIRST.id}&s={{}}&o=Shoes"


def test_cross_postback_is_sent_for_new_conversion_and_each_status(database: Database) -> None:
    expected = [(CROSS_POSTBACK_ID, 1, CALLED.format(1)), (CROSS_POSTBACK_ID, 2, CALLED.format(3))]
    assert calls(database, NEW, DECLINED, url=URL) == expected


def test_cross_postback_is_sent_in_addition_to_affiliate_postbacks(database: Database) -> None:
    assert [postback for postback, *_ in calls(database, NEW, url=URL, postbacks=True)] == [CROSS_POSTBACK_ID, 1]


@pytest.mark.parametrize(
    ("method", "body", "expected"),
    [
        ("get", "kept", None),
        ("post", "c={transactionid}&o={offer_name}", f"c={FIRST.id}&o=Red%20%22Shoes%22"),
        ("post", "c=%7Btransactionid%7D&x=%7Bx%7D", f"c={FIRST.id}&x=%7Bx%7D"),
        ("post", '{"c": "{transactionid}", "o": "{offer_name}"}', f'{{"c": "{FIRST.id}", "o": "Red \\"Shoes\\""}}'),
    ],
)
def test_cross_postback_with_post_has_a_filled_body(
    database: Database, method: str, body: str, expected: str | None
) -> None:
    with database.write() as conn:
        advertiser = add_advertiser(conn, id=FIRST.advertiser_id)
        way = {"cross_postback_method": method, "cross_postback_body": body}
        add_offer(conn, advertiser, cross_postback_url=URL, id=3, **way)
        add_affiliate(conn, id=7)
        delivery_context = DeliveryContext([], {3: 'Red "Shoes"'}, ZoneInfo("UTC"))
        record_changes(conn, [NEW], delivery_context, CounterBatch(conn, {}, ()), AT)
        assert conn.execute(select(delivery.c.body)).scalar_one() == expected


def test_cross_postback_has_codes_for_encrypted_subs(database: Database) -> None:
    key = "0123456789abcdef" * 2
    with database.write() as conn:
        advertiser = add_advertiser(conn, id=FIRST.advertiser_id, subaccounts_encryption=True, subs_key=key)
        way = {"cross_postback_method": "post", "cross_postback_body": "s={sub1}"}
        add_offer(conn, advertiser, cross_postback_url="https://cross.example/?s={sub1}", id=3, **way)
        add_affiliate(conn, id=7)
        own = Postback(add_postback(conn, 7, "https://a.example/"), 7, None, "https://a.example/{sub1}", None, None)
        changed = replace(NEW, after=replace(FIRST, click={**FIRST.click, "sub1": "a b"}))
        record_changes(
            conn, [changed], DeliveryContext([own], {3: "Shoes"}, ZoneInfo("UTC")), CounterBatch(conn, {}, ()), AT
        )
        rows = conn.execute(select(delivery.c.url, delivery.c.body).order_by(delivery.c.postback_id)).all()
    code = encrypted_sub("a b", key, FIRST.affiliate_id)
    assert rows == [(f"https://cross.example/?s={code}", f"s={code}"), ("https://a.example/a%20b", None)]


@pytest.mark.parametrize("url", [None, ""])
def test_cross_postback_without_url_is_not_sent(database: Database, url: str | None) -> None:
    assert calls(database, NEW, url=url) == []


def test_cross_postback_is_not_sent_for_edit_with_same_status(database: Database) -> None:
    assert [version for _, version, _ in calls(database, NEW, SAME_STATUS, url=URL)] == [1]
