"""Migration 0005: waiting deliveries become rows of outbound events without loss."""

from typing import Any

from alembic import command
from sqlalchemy import MetaData, Table, insert, select

from trackyard.store.engine.database import Database
from trackyard.store.engine.schema import _config, upgrade
from trackyard.store.tables import delivery


def old_delivery(letter: str, postback_id: int) -> dict[str, Any]:
    named = {"id": letter * 24, "job_id": letter * 24, "conversion_id": "c" * 24, "advertiser_id": "a" * 24}
    numbers = {"number": 2, "postback_id": postback_id, "affiliate_id": 7, "offer_id": 3, "attempts": 1}
    times = {"next_at": 11, "lease_until": 12, "created_at": 10}
    texts = {"goal": "1", "status": "hold", "url": "https://a.example/?x=1", "host": "a.example", "owner": "parked"}
    return named | numbers | times | texts | {"forced": True}


def test_outbound_event_migration_keeps_waiting_deliveries(empty_database: Database) -> None:
    with empty_database.write() as conn:
        command.upgrade(_config(conn), "0004")
    before = [old_delivery("d", 5), old_delivery("e", 0)]
    with empty_database.write() as conn:
        conn.execute(insert(Table("delivery", MetaData(), autoload_with=conn)), before)
    upgrade(empty_database)
    with empty_database.read() as conn:
        rows = [dict(row._mapping) for row in conn.execute(select(delivery).order_by(delivery.c.id))]
    for row, was, kind in zip(rows, before, ("postback", "cross"), strict=True):
        kept = {name: value for name, value in was.items() if name not in ("conversion_id", "number")}
        assert row == kept | {"kind": kind, "subject_id": "c" * 24, "sequence": 2, "body": None}


def test_outbound_event_migration_is_reversible(empty_database: Database) -> None:
    upgrade(empty_database)
    with empty_database.write() as conn:
        command.downgrade(_config(conn), "0004")
        columns = Table("delivery", MetaData(), autoload_with=conn).columns.keys()
    assert {"conversion_id", "number"} <= set(columns)
    assert "kind" not in columns
