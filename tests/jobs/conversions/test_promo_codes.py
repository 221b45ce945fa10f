"""Promo codes make conversions of postbacks without a click (docs/spec/conversions.md#promo-codes)."""

from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any
from zoneinfo import ZoneInfo

import msgspec
import pytest
from sqlalchemy import select

from tests.support.clicks.inbound_postbacks import AT, make_click, make_inbound_postback, make_inbox_postback
from tests.support.stores.outbox_lines import queued_lines
from tests.support.stores.seeds import add_advertiser, add_affiliate, add_offer
from trackyard.base.clock import ManualClock
from trackyard.base.ids import IMPORT_EDGE, new_id
from trackyard.domain.offers.promo_codes import PromoCode
from trackyard.domain.statistics.rows import ServerPostbackLog
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.journal.records import Click
from trackyard.store.conversions import inbox
from trackyard.store.engine.database import Database
from trackyard.store.offers import promo_codes
from trackyard.store.tables import conversion

CODE = PromoCode(
    id=new_id(AT), code="Black-1", folded="black-1", description="", offer_id=0, affiliate_id=0, usage_limit=None,
    date_from=AT - 1000, date_to=AT + 1000, created_at=AT, updated_at=AT,
)  # fmt: skip


@dataclass
class PromoCodeSetup:
    """An offer with a promo code of one affiliate, and another affiliate with clicks."""

    database: Database
    advertiser: str
    offer: int
    affiliate: int
    other: int
    positions: Any = field(default_factory=lambda: count(1))

    def send(self, *calls: dict[str, str], at: int = AT, click: Click | None = None) -> list[str]:
        """Decide postbacks together; return their responses."""
        before = len(queued_lines(self.database, "server_log"))
        records = [make_inbound_postback(at, **params) for params in calls]
        with self.database.write() as conn:
            entries = [make_inbox_postback(next(self.positions), record, click) for record in records]
            inbox.add_entries(conn, "001-1", entries)
        processor = PostbackProcessor(self.database, "USD", ZoneInfo("UTC"), ManualClock(at + 1000))
        while processor.step():
            pass
        lines = queued_lines(self.database, "server_log")[before:]
        return [msgspec.json.decode(line, type=ServerPostbackLog).response for line in lines]

    def conversions(self) -> list[Any]:
        with self.database.read() as conn:
            return list(conn.execute(select(conversion).order_by(conversion.c.id)))

    def edit(self, **values: Any) -> None:
        with self.database.write() as conn:
            promo_codes.edit_code(conn, CODE.id, values)


@pytest.fixture
def world(database: Database) -> PromoCodeSetup:
    with database.write() as conn:
        advertiser, affiliate, other = add_advertiser(conn), add_affiliate(conn), add_affiliate(conn)
        offer = add_offer(conn, advertiser, minimal_click_session="10s")
        promo_codes.add_codes(conn, [replace(CODE, offer_id=offer, affiliate_id=affiliate)])
    return PromoCodeSetup(database, advertiser, offer, affiliate, other)


def test_promo_code_makes_conversion_of_its_affiliate_and_offer(world: PromoCodeSetup) -> None:
    sent = {"promo_code": "BLACK-1", "action_id": "order-1", "sum": "20", "ip": "192.0.2.7"}
    assert world.send(sent) == [""]
    [made] = world.conversions()
    assert (made.offer_id, made.affiliate_id, made.advertiser_id) == (world.offer, world.affiliate, world.advertiser)
    assert (made.status, made.payout, made.promo_code) == ("confirmed", 5, "Black-1")
    assert (made.created_at, made.click_time, made.click_ip) == (AT, AT, "192.0.2.7")
    assert int(made.click_id[8:10], 16) == IMPORT_EDGE


def test_promo_code_repeat_with_action_id_changes_status_after_code_is_over(world: PromoCodeSetup) -> None:
    sent = {"promo_code": "black-1", "action_id": "order-1"}
    assert world.send(sent | {"status": "2"}) == [""]
    world.edit(date_to=AT - 1, usage_limit=1)
    assert world.send(sent | {"status": "1"}, sent) == ["", "Conversion exists"]
    [made] = world.conversions()
    assert (made.status, made.promo_code, made.version) == ("confirmed", "Black-1", 2)


def test_promo_code_without_action_id_makes_conversion_each_time(world: PromoCodeSetup) -> None:
    assert world.send({"promo_code": "Black-1"}, {"promo_code": "Black-1"}) == ["", ""]
    assert len({made.click_id for made in world.conversions()}) == 2


def test_promo_code_limit_counts_conversions_of_one_batch_and_earlier_ones(world: PromoCodeSetup) -> None:
    world.edit(usage_limit=3)
    sent = [{"promo_code": "Black-1", "action_id": str(number)} for number in range(5)]
    assert world.send(sent[0]) == [""]
    over = "Promo code limit is reached"
    assert world.send(*sent[1:]) == ["", "", over, over]
    assert {made.action_id for made in world.conversions()} == {"0", "1", "2"}


@pytest.mark.parametrize(
    ("changed", "response"),
    [
        ({"date_from": AT + 1}, "Promo code is not valid at this time"),
        ({"date_to": AT - 1}, "Promo code is not valid at this time"),
        ({"date_from": AT, "date_to": AT}, ""),
    ],
)
def test_promo_code_counts_within_its_period(world: PromoCodeSetup, changed: dict[str, Any], response: str) -> None:
    world.edit(**changed)
    assert world.send({"promo_code": "Black-1"}) == [response]
    assert len(world.conversions()) == (response == "")


def test_unknown_promo_code_makes_nothing(world: PromoCodeSetup) -> None:
    assert world.send({"promo_code": "Black-2"}, {}) == [
        "Promo code does not exist",
        "Missing mandatory parameter clickid",
    ]
    assert world.conversions() == []


def test_click_goes_before_promo_code(world: PromoCodeSetup) -> None:
    click = make_click(world.offer, world.other, world.advertiser, time=AT - 60_000)
    both = {"clickid": click.id, "promo_code": "Black-1"}
    assert world.send(both, click=click) == [""]
    [made] = world.conversions()
    assert (made.affiliate_id, made.promo_code) == (world.other, None)
    assert world.send({"clickid": "f" * 24, "promo_code": "Black-1"}) == ["Broken clickid"]
    assert len(world.conversions()) == 1


def test_wrong_code_of_postback_is_denied_with_promo_code(database: Database) -> None:
    with database.write() as conn:
        advertiser, affiliate = add_advertiser(conn), add_affiliate(conn)
        offer = add_offer(conn, advertiser, hash_password="right")
        promo_codes.add_codes(conn, [replace(CODE, offer_id=offer, affiliate_id=affiliate)])
    world = PromoCodeSetup(database, advertiser, offer, affiliate, affiliate)
    assert world.send({"promo_code": "Black-1"}, {"promo_code": "Black-1", "secure": "right"}) == ["Access denied", ""]
