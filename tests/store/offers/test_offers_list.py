"""Filters and orders of offer lists on each engine."""

from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.support.stores import seeds
from trackyard.base.ids import new_id
from trackyard.domain.offers.offers import Cap, Interval, Offer, OfferPayment, OfferSchedule, RestrictedOs
from trackyard.domain.people.scope import Scope
from trackyard.store.engine.database import Database
from trackyard.store.offers import lists as offer_lists
from trackyard.store.offers import offers
from trackyard.store.offers.lists import SORTS

NOW = 1_700_000_000_000
"""2023-11-14 22:13:20 UTC, a Tuesday."""
UTC = ZoneInfo("UTC")
EVERYTHING = Scope.everything()


def draft(**changed: Any) -> Offer:
    plain: dict[str, Any] = {
        "hash": new_id(NOW), "title": "Plain", "url": "https://shop.example/", "status": "active",
        "privacy": "public", "created_at": NOW, "updated_at": NOW,
    }  # fmt: skip
    return Offer(id=0, **plain | changed)


SPECIAL: dict[str, Any] = {
    "title": "50%_Off Boots",
    "privacy": "private",
    "is_top": True,
    "bundle_id": "com.b",
    "countries": ("DE",),
    "categories": ("a" * 24,),
    "smartlink_categories": ("b" * 24,),
    "restriction_os": (RestrictedOs(os="iOS"),),
    "caps": (Cap(id="c", period="day", type="conversions", value=Decimal(3), country=("FR",)),),
    "payments": (OfferPayment(currency="USD", revenue=Decimal("2.5")),),
    "updated_at": NOW + 1,
    "created_at": NOW + 1,
}
FILTERS = [
    {"q": frozenset({"%_off b"})},
    {"countries": frozenset({"DE", "AT"})},
    {"categories": frozenset({"a" * 24})},
    {"smartlink_categories": frozenset({"b" * 24})},
    {"os": frozenset({"ios"})},
    {"privacy": frozenset({"private", "protected"})},
    {"is_top": frozenset({True})},
    {"bundle_id": frozenset({"com.b"})},
    {"updated_at": frozenset({NOW + 1})},
    {"caps_type": frozenset({"conversions"})},
    {"caps_country": frozenset({"FR"})},
    {"caps_type": frozenset({"conversions"}), "caps_country": frozenset({"FR", "DE"})},
    {"status": frozenset({"active", "stopped"}), "countries": frozenset({"DE"}), "is_top": frozenset({True})},
]


@pytest.fixture
def two(database: Database) -> list[int]:
    """Add a plain offer, and one that differs in everything."""
    with database.write() as conn:
        advertiser = seeds.add_advertiser(conn)
        return [offers.add_offer(conn, draft(advertiser_id=advertiser, **more)).id for more in ({}, SPECIAL)]


def test_offer_store_every_filter_selects(database: Database, two: list[int]) -> None:
    with database.read() as conn:
        for asked in FILTERS:
            chosen = offer_lists.filter_conditions(asked)
            found, total = offer_lists.list_offers(conn, EVERYTHING, chosen, [], page=1, limit=10)
            assert (asked, [item.offer.id for item in found], total) == (asked, two[1:], 1)
            assert offer_lists.count_offers(conn, EVERYTHING, chosen) == 1
        for nothing in ({"countries": frozenset({"XX"})}, {"int_id": frozenset()}, {"q": frozenset({"zz"})}):
            assert offer_lists.list_offers(
                conn, EVERYTHING, offer_lists.filter_conditions(nothing), [], page=1, limit=9
            ) == (
                [],
                0,
            )


FIRST = {
    "id": (0, 1), "title": (1, 0), "cr": (0, 0), "epc": (0, 0), "is_top": (0, 1), "created": (0, 1),
    "revenue": (0, 1), "daily_cap": (1, 1), "total_cap": (0, 0),
}  # fmt: skip
"""Return the first of two offers, ascending and descending: equals by id, without a cap last."""


def test_offer_store_every_order_sorts(database: Database, two: list[int]) -> None:
    chosen = offer_lists.filter_conditions({})
    assert set(FIRST) == set(SORTS)
    with database.read() as conn:
        for name, (ascending, descending) in FIRST.items():
            for place, descends in ((ascending, False), (descending, True)):
                found, total = offer_lists.list_offers(conn, EVERYTHING, chosen, [(name, descends)], page=1, limit=1)
                assert (name, descends, found[0].offer.id, total) == (name, descends, two[place], 2)


def test_offer_store_live_depends_on_dates_schedule_and_connection(database: Database) -> None:
    closed = OfferSchedule(enabled=True, intervals=(Interval(day_of_week=0, start=0, end=23),))
    with database.write() as conn:
        advertiser, pid = seeds.add_advertiser(conn), seeds.add_affiliate(conn)

        def made(**more: Any) -> int:
            return offers.add_offer(conn, draft(advertiser_id=advertiser, **more)).id

        live = [made(), made(start_at=NOW, stop_at=NOW + 1), made(schedule=OfferSchedule(date_to="2023-11-14"))]
        joined, taken_off = made(privacy="private"), made()
        for dead in ({"start_at": NOW + 1}, {"stop_at": NOW}, {"schedule": closed}, {"privacy": "protected"}):
            made(**dead)
        seeds.add_connection(conn, joined, pid)
        seeds.add_connection(conn, taken_off, pid, enabled=False)
    scope = Scope.of_affiliate(pid)
    with database.read() as conn:
        conditions = offer_lists.filter_conditions({}) + offer_lists.live_conditions(conn, scope, NOW, UTC)
        found, total = offer_lists.list_offers(conn, scope, conditions, [("title", False)], page=1, limit=3)
        assert ([item.offer.id for item in found], total) == (live, 4)
        rest, _ = offer_lists.list_offers(conn, scope, conditions, [("title", False)], page=2, limit=3)
        assert [item.offer.id for item in rest] == [joined]


def test_offer_store_finds_by_id_or_hash(database: Database, two: list[int]) -> None:
    with database.write() as conn:
        pid = seeds.add_affiliate(conn)
    with database.read() as conn:
        for number in two:
            found = offer_lists.find_listed(conn, EVERYTHING, str(number))
            assert found is not None and found.offer.id == number
            assert offer_lists.find_listed(conn, EVERYTHING, found.offer.hash) == found
        assert offer_lists.find_listed(conn, Scope.of_affiliate(pid), str(two[1])) is None
        assert offer_lists.find_listed(conn, Scope(advertiser_ids=frozenset()), str(two[0])) is None


def test_offer_store_longest_title_fits_every_index(database: Database) -> None:
    letters = "".join(chr(0x1F300 + place) for place in range(500))  # four bytes each, none twice
    with database.write() as conn:
        made = offers.add_offer(conn, draft(advertiser_id=seeds.add_advertiser(conn), title=letters))
    with database.read() as conn:
        found, _ = offer_lists.list_offers(
            conn,
            EVERYTHING,
            offer_lists.filter_conditions({"q": frozenset({letters[100:110]})}),
            [("title", True)],
            page=1,
            limit=5,
        )
    assert [item.offer.id for item in found] == [made.id]
