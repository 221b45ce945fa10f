"""The cross_postback_url of an offer: called as postbacks are."""

from dataclasses import replace
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import select

from tests.domain.test_conversions import AT, made
from tests.support.calls import make_click
from tests.support.seeds import add_advertiser, add_affiliate, add_offer, add_postback
from trackyard.actions.conversions.changes import Listeners, record
from trackyard.actions.offers.counters import Counting
from trackyard.domain.conversions.conversions import Change
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.tracking.postbacks import Postback
from trackyard.store.engine.database import Database
from trackyard.store.tables import delivery
from trackyard.store.tracking.deliveries import CROSS

URL = "https://cross.example/?c={transactionid}&s={status}&o={offer_name}"


def calls(database: Database, *changes: Change, url: str | None, postbacks: bool = False) -> list[tuple[int, int, str]]:
    """(postback, version, URL) of what is queued when these changes of one conversion of the offer are written."""
    with database.write() as conn:
        offer_id = add_offer(conn, add_advertiser(conn, id=made().advertiser_id), cross_postback_url=url, id=3)
        add_affiliate(conn, id=7)
        own = [Postback(add_postback(conn, 7, "https://a.example/"), 7, None, "https://a.example/", None, None)]
        listeners = Listeners(own if postbacks else [], {offer_id: "Shoes"}, ZoneInfo("UTC"))
        record(conn, changes, listeners, Counting(conn, {}, ()), AT)
        rows = conn.execute(select(delivery).order_by(delivery.c.number, delivery.c.postback_id))
        return [(row.postback_id, row.number, row.url) for row in rows]


FIRST = replace(made(), click=msgspec.structs.asdict(make_click(3, 7, made().advertiser_id)))
NEW = Change(None, FIRST, "call:x")
DECLINED = Change(FIRST, replace(FIRST, version=2, status=Status.DECLINED), "call:y")
SAME_STATUS = Change(FIRST, replace(FIRST, version=2, comment="by hand"), "staff:z")
CALLED = f"https://cross.example/?c={FIRST.id}&s={{}}&o=Shoes"


def test_it_is_called_for_a_new_conversion_and_each_status(database: Database) -> None:
    expected = [(CROSS, 1, CALLED.format(1)), (CROSS, 2, CALLED.format(3))]
    assert calls(database, NEW, DECLINED, url=URL) == expected


def test_it_is_called_beside_the_affiliates_postbacks(database: Database) -> None:
    assert [postback for postback, *_ in calls(database, NEW, url=URL, postbacks=True)] == [CROSS, 1]


@pytest.mark.parametrize("url", [None, ""])
def test_an_offer_without_one_calls_nobody(database: Database, url: str | None) -> None:
    assert calls(database, NEW, url=url) == []


def test_an_edit_that_leaves_the_status_calls_nobody(database: Database) -> None:
    assert [version for _, version, _ in calls(database, NEW, SAME_STATUS, url=URL)] == [1]
