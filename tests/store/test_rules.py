"""Rule changes: versions in order, rows as they are now, tombstones, whole snapshots."""

from sqlalchemy import delete, update

from tests.support.seeds import add_advertiser, add_affiliate, add_connection, add_offer
from trackyard.domain.rules import Advertiser, Affiliate, Connections, Landing, Offer, Platform
from trackyard.store import rules, settings
from trackyard.store.engine import Database
from trackyard.store.tables import affiliate


def test_changes_come_in_the_order_of_their_versions_once_per_rule(database: Database) -> None:
    with database.write() as conn:
        assert rules.version(conn) == 0
        rules.touch(conn, "offer", 7)
        rules.touch(conn, "affiliate", 3)
        rules.touch(conn, "offer", 7)
        assert rules.version(conn) == 3
        found = rules.changes_since(conn, 0, 10)
        assert [(change.version, change.kind, change.key) for change in found] == [
            (2, "affiliate", "3"),
            (3, "offer", "7"),
        ]
        assert rules.changes_since(conn, 3, 10) == []
        assert len(rules.changes_since(conn, 0, 1)) == 1


def test_rows_say_what_staff_wrote(database: Database) -> None:
    with database.write() as conn:
        supplier = add_advertiser(conn)
        pid = add_affiliate(conn, name="Ann")
        number = add_offer(
            conn,
            supplier,
            hash="5" * 24,
            title="Shoes",
            url="https://shop.example/",
            url_preview="https://shop.example/p",
            privacy="private",
            landings=[{"id": 4, "url": "https://shop.example/l", "title": "L", "type": "landing"}],
        )
        add_connection(conn, number, pid)
        settings.edit_setting(conn, settings.TRAFFICBACK_URL, "https://back.example/")
        everything = {(kind, key): row for kind, key, row in rules.each_rule(conn)}
        assert everything == {
            ("platform", "platform"): Platform(trafficback_url="https://back.example/"),
            ("advertiser", supplier): Advertiser(id=supplier),
            ("affiliate", str(pid)): Affiliate(id=pid, active=True, name="Ann"),
            ("connections", str(number)): Connections(offer=number, affiliates=(pid,)),
            ("offer", str(number)): Offer(
                id=number,
                hash="5" * 24,
                title="Shoes",
                advertiser=supplier,
                url="https://shop.example/",
                active=True,
                open=False,
                preview_url="https://shop.example/p",
                landings=(Landing(4, "https://shop.example/l"),),
            ),
        }
        for (kind, key), row in everything.items():
            assert rules.compile_row(conn, kind, key) == row


def test_what_is_gone_is_a_tombstone(database: Database) -> None:
    with database.write() as conn:
        pid = add_affiliate(conn)
        conn.execute(update(affiliate).values(status="banned"))
        row = rules.compile_row(conn, "affiliate", str(pid))
        assert isinstance(row, Affiliate) and not row.active
        conn.execute(delete(affiliate))
        assert rules.compile_row(conn, "affiliate", str(pid)) is None
        assert rules.compile_row(conn, "connections", "9") is None


def test_many_touched_at_once_get_versions_of_their_own_in_order(database: Database) -> None:
    keys = [str(number) for number in range(1, 1201)]
    with database.write() as conn:
        rules.touch(conn, "offer", 1200)
        before = rules.version(conn)
        rules.touch_all(conn, "offer", [*keys, "7"])
        rules.touch_all(conn, "offer", [])
        changes = rules.changes_since(conn, before, 5000)
        assert [(change.version, change.key) for change in changes] == [
            (before + place, key) for place, key in enumerate(keys, start=1)
        ]
        assert rules.version(conn) == before + len(keys)


def test_who_was_taken_off_an_offer_is_part_of_its_connections(database: Database) -> None:
    with database.write() as conn:
        number = add_offer(conn, add_advertiser(conn))
        connected, off = add_affiliate(conn), add_affiliate(conn)
        add_connection(conn, number, connected)
        add_connection(conn, number, off, enabled=False)
        row = rules.compile_row(conn, "connections", str(number))
    assert row == Connections(offer=number, affiliates=(connected,), disconnected=(off,))
