"""Stored offers: changed columns alone, labels and sort keys, removed ones."""

from decimal import Decimal
from typing import Any
from zoneinfo import ZoneInfo

from sqlalchemy import select

from tests.support.stores.seeds import add_advertiser, add_affiliate, add_connection, add_offer
from trackyard.domain.offers.offers import Cap, Offer, OfferPayment
from trackyard.domain.people.scope import Scope
from trackyard.store.conversions import decisions
from trackyard.store.engine.database import Connection, Database
from trackyard.store.offers import offers
from trackyard.store.people import affiliates
from trackyard.store.tables import offer, offer_label
from trackyard.store.tracking import rulesets

ALL = Scope.everything()


def labels(conn: Connection, offer_id: int) -> set[tuple[str, str]]:
    rows = conn.execute(select(offer_label.c.kind, offer_label.c.value).where(offer_label.c.offer_id == offer_id))
    return {(row.kind, row.value) for row in rows}


def sort_keys(conn: Connection, offer_id: int) -> tuple[Any, ...]:
    columns = offer.c.top_payout, offer.c.day_cap, offer.c.total_cap
    return tuple(conn.execute(select(*columns).where(offer.c.id == offer_id)).one())


def test_offer_store_adds_edits_and_finds_by_both_ids(database: Database) -> None:
    with database.write() as conn:
        advertiser = add_advertiser(conn)
        made = offers.add_offer(
            conn,
            Offer(
                id=0,
                hash="5" * 24,
                advertiser_id=advertiser,
                title="T",
                url="https://u.example",
                tags=("a",),
                countries=("US", "DE"),
                payments=(OfferPayment(currency="USD", revenue=Decimal("2.5")),),
                created_at=1,
                updated_at=1,
            ),
        )
        assert labels(conn, made.id) == {("tag", "a"), ("country", "US"), ("country", "DE")}
        assert sort_keys(conn, made.id) == (Decimal("2.5"), None, None)
    with database.write() as conn:
        before = offers.find_offer(conn, ALL, made.id, lock=True)
        assert before == made
        cap = Cap(id="c", period="day", type="conversions", value=Decimal(7))
        after = offers.edit_offer(conn, before, {"tags": ("a", "b"), "countries": (), "caps": (cap,)})
        assert labels(conn, made.id) == {("tag", "a"), ("tag", "b"), ("cap_type", "conversions")}
        assert sort_keys(conn, made.id) == (Decimal("2.5"), 7, None)
    with database.read() as conn:
        for reference in (made.id, str(made.id), "5" * 24):
            assert offers.find_offer(conn, ALL, reference) == after
        for nothing in (made.id + 1, "x", "6" * 24, "9" * 23, "", "-1", "1.0"):
            assert offers.find_offer(conn, ALL, nothing) is None
        assert offers.find_offer(conn, Scope(advertiser_ids=frozenset()), made.id) is None


def test_offer_store_edit_writes_sent_columns_only(database: Database) -> None:
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn))
        seen = offers.find_offer(conn, ALL, number)
        assert seen is not None
        offers.edit_offer(conn, seen, {"title": "One"})
        offers.edit_offer(conn, seen, {"notes": "Two"})
        after = offers.find_offer(conn, ALL, number)
        assert after is not None
        assert (after.title, after.notes) == ("One", "Two")


def test_offer_store_removed_offer_keeps_name_only(database: Database) -> None:
    with database.write() as conn:
        advertiser, pid = add_advertiser(conn), add_affiliate(conn)
        number, other = add_offer(conn, advertiser), add_offer(conn, advertiser)
        for each in (number, other):
            add_connection(conn, each, pid)
        assert affiliates.count_offers(conn, pid) == 2
        offers.remove_offers(conn, [number], 5)
        assert offers.find_offer(conn, ALL, number) is None
        assert [item.id for item in offers.list_by_id(conn, ALL, [number, other, 999])] == [other]
        assert offers.removed_among(conn, ALL, [number, other, 999]) == {number}
        assert offers.removed_among(conn, Scope(advertiser_ids=frozenset()), [number]) == set()
        assert set(offers.existing_titles(conn, [number, other])) == {other}
        assert not offers.is_visible(conn, number, None)
        assert offers.names_of(conn, [number])[number].title == "Offer"
        assert affiliates.count_offers(conn, pid) == 1
        assert rulesets.compile_row(conn, "offer", str(number)) is None
        assert {key for kind, key, _ in rulesets.each_row(conn) if kind == "offer"} == {str(other)}
        book = decisions.get_decision_context(conn, [number, other], [pid], ZoneInfo("UTC"))
        assert [book.offers[each].status for each in (number, other)] == ["stopped", "active"]


def test_offer_store_mail_recipients_are_connected_active_affiliates(database: Database) -> None:
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn))
        connected, off, banned = add_affiliate(conn), add_affiliate(conn), add_affiliate(conn, status="banned")
        for pid, enabled in ((connected, True), (off, False), (banned, True)):
            add_connection(conn, number, pid, enabled=enabled)
        assert [each.id for each in affiliates.connected_affiliates(conn, number)] == [connected]
