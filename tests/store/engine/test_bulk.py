"""Many rows at once are stored like single rows, on both engines."""

from decimal import Decimal

import pytest
from sqlalchemy import func, select
from sqlalchemy.exc import IntegrityError

from trackyard.store.engine.bulk import BulkInsert
from trackyard.store.engine.database import Database, TransactionFailure, classify_failure
from trackyard.store.tables import conversion_task as task
from trackyard.store.tables import counter, inbox, outbox, payment_entry

NAMES = ("name", "offer_id", "limit_id", "start", "until", "goal", "conversions", "budget", "notified")
COUNTERS = BulkInsert(counter, NAMES)
BLOCKS = BulkInsert(outbox, ("target", "payload", "row_count", "created_at"))
TASKS = BulkInsert(task, ("kind", "state", "actor", "item", "created_at"))
ODD = [
    "",
    "plain",
    "tab\tand\nline\r",
    "\\N",
    "\\.",
    "back\\slash",
    'it\'s "quoted"',
    "ümläut 漢字 🙂",
    "{1,2}",
    "NULL",
    " , ",
]


@pytest.mark.parametrize("texts", [ODD, ODD[2:3], []], ids=["many", "one", "none"])
def test_bulk_insert_round_trips_every_column_type(database: Database, texts: list[str]) -> None:
    rows = [
        [
            text,
            place,
            "f" * 24,
            2**40 + place,
            None if place % 2 else 5,
            text,
            place,
            Decimal(f"-{place}.1234"),
            place % 3 == 0,
        ]
        for place, text in enumerate(texts)
    ]
    with database.write() as conn:
        COUNTERS.add(conn, [list(row) for row in rows])
    with database.read() as conn:
        found = conn.execute(select(*(counter.c[name] for name in NAMES)).order_by(counter.c.offer_id)).all()
    assert [list(row) for row in found] == rows


def test_bulk_insert_accepts_bytes_and_documents(database: Database) -> None:
    payload, document = bytes(range(256)), {"a": ["ü\t\\", None, 1.5], "b": {"c": True}, "amount": Decimal("1.50")}
    with database.write() as conn:
        BulkInsert(outbox, ("target", "payload", "row_count", "created_at")).add(
            conn, [["fact", payload, 1, 2], ["x", b"", 1, 2]]
        )
        BulkInsert(task, ("kind", "state", "actor", "item", "created_at")).add(
            conn, [["edit", "ready", "staff", document, 1]]
        )
    with database.read() as conn:
        assert list(conn.execute(select(outbox.c.payload).order_by(outbox.c.id)).scalars()) == [payload, b""]
        assert conn.execute(select(task.c.item)).scalar_one() == document | {"amount": "1.50"}
        assert conn.execute(select(outbox.c.id, outbox.c.batch).order_by(outbox.c.id)).all() == [(1, None), (2, None)]


@pytest.mark.parametrize("count", [1, 3])
def test_bulk_insert_of_existing_row_is_a_conflict_and_adds_nothing(database: Database, count: int) -> None:
    rows = [
        ["name", 1, "l", 0, None, None, 0, Decimal(0), False],
        *([f"other{number}", 1, "l", 0, None, None, 0, Decimal(0), False] for number in range(1, count)),
    ]
    with database.write() as conn:
        COUNTERS.add(conn, [list(rows[0])])
    with pytest.raises(IntegrityError) as caught, database.write() as conn:
        COUNTERS.add(conn, [list(row) for row in reversed(rows)])
    assert classify_failure(caught.value) is TransactionFailure.CONFLICT
    with database.write() as conn:
        assert conn.execute(select(func.count()).select_from(counter)).scalar_one() == 1


def test_bulk_insert_with_missing_reference_is_a_conflict(database: Database) -> None:
    entries = BulkInsert(payment_entry, ("kind", "source_id", "version", "payment_id"))
    with pytest.raises(IntegrityError), database.write() as conn:
        entries.add(conn, [["change", "a" * 24, 1, 77], ["change", "b" * 24, 1, 78]])


def test_bulk_insert_of_inexact_amount_is_rejected(database: Database) -> None:
    with pytest.raises(ValueError, match="more than 4 places"), database.write() as conn:
        COUNTERS.add(conn, [["name", 1, "l", 0, None, None, 0, Decimal("0.00001"), False]])


def test_bulk_insert_leaves_numbering_to_database(database: Database) -> None:
    columns = ("journal", "position", "call", "click", "click_id", "state", "logged", "received_at")
    with database.write() as conn:
        BulkInsert(inbox, columns).add(conn, [["j", place, b"c", None, "", "ready", False, 1] for place in range(3)])
        numbers = list(conn.execute(select(inbox.c.id).order_by(inbox.c.position)).scalars())
    assert numbers == sorted(set(numbers)) and len(numbers) == 3
