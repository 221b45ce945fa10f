"""Each edge number is leased to one slot of a data directory, and comes back."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import Connection, select

from trackyard.store.engine.database import Database
from trackyard.store.statistics.checkpoints import finish_range
from trackyard.store.tables import past_edge
from trackyard.store.tracking.edges import (
    ALIVE_MS,
    REST_MS,
    EdgeNotReleasable,
    EdgeNumbersExhausted,
    LeaseState,
    claim_edge,
    each_edge,
    end_leases,
    list_leases,
    release_edge,
)

HERE, OTHER = "d" * 24, "e" * 24
NOON = 1_800_000_000_000


def claim_all(conn: Connection) -> None:
    for slot in range(250):
        claim_edge(conn, HERE, slot, NOON)


def load_records(conn: Connection, number: int, at: int) -> None:
    finish_range(conn, number, f"{number:03d}-{NOON:013d}", 0, 99, at, [], has_records=True)


def test_edge_slot_keeps_its_number(database: Database) -> None:
    with database.write() as conn:
        assert [claim_edge(conn, HERE, slot, 1) for slot in (0, 1, 0)] == [1, 2, 1]
        assert claim_edge(conn, OTHER, 0, 1) == 3
        assert [edge.number for edge in each_edge(conn)] == [1, 2, 3]
        end_leases(conn, HERE, [1], 2)
        assert claim_edge(conn, HERE, 0, 3) == 1
        assert list_leases(conn)[0].ended_at is None, "it may have records that are not loaded again"


def test_edge_numbers_claimed_in_parallel_are_distinct(database: Database) -> None:
    def claim(slot: int) -> int:
        with database.write() as conn:
            return claim_edge(conn, HERE, slot, 1)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(claim, range(8))) == list(range(1, 9))


def test_edge_number_is_leased_again_72_hours_after_its_last_record(database: Database) -> None:
    with database.write() as conn:
        claim_all(conn)
        load_records(conn, 7, NOON)
        end_leases(conn, OTHER, range(1, 251), NOON)
        with pytest.raises(EdgeNumbersExhausted, match=r"^all 250 edge numbers are leased \(250 in use\): `trackyard"):
            claim_edge(conn, OTHER, 0, NOON)
        end_leases(conn, HERE, [7], NOON + 1)
        with pytest.raises(EdgeNumbersExhausted, match="249 silent, 1 resting"):
            claim_edge(conn, OTHER, 0, NOON + REST_MS - 1)
        assert claim_edge(conn, OTHER, 0, NOON + REST_MS) == 7
        found = conn.execute(select(past_edge)).one()
        assert tuple(found) == (7, NOON, NOON + 1, HERE, 6, f"007-{NOON:013d}")
        assert claim_edge(conn, OTHER, 0, NOON + 2 * REST_MS) == 7
        with pytest.raises(EdgeNumbersExhausted):
            claim_edge(conn, HERE, 6, NOON + REST_MS)


def test_edge_number_without_records_is_free_at_once(sqlite_database: Database) -> None:
    """No click id names it."""
    with sqlite_database.write() as conn:
        claim_all(conn)
        finish_range(conn, 9, f"009-{NOON:013d}", 0, 99, NOON, [], has_records=False)
        end_leases(conn, HERE, [9], NOON + 1)
        assert claim_edge(conn, OTHER, 0, NOON + 1) == 9


def test_300_data_directories_in_a_row_get_edge_numbers(sqlite_database: Database) -> None:
    with sqlite_database.write() as conn:
        for place in range(300):
            now = NOON + place
            number = claim_edge(conn, f"{place:024x}", 0, now)
            assert number == place % 250 + 1
            journal = f"{number:03d}-{now:013d}"
            finish_range(conn, number, journal, 0, 99, now, [], has_records=False)
            end_leases(conn, f"{place:024x}", [number], now)


def test_edge_number_is_released_once_its_machine_is_away_for_72_hours(database: Database) -> None:
    with database.write() as conn:
        for slot in range(3):
            claim_edge(conn, HERE, slot, NOON)
        load_records(conn, 2, NOON + 1_000)
        end_leases(conn, HERE, [3], NOON + 1)

        def refused(at: int) -> tuple[LeaseState, int | None]:
            with pytest.raises(EdgeNotReleasable) as caught:
                release_edge(conn, 2, at)
            return caught.value.state, caught.value.until

        until = NOON + 1_000 + REST_MS
        assert release_edge(conn, 9, NOON) is None
        assert refused(NOON + ALIVE_MS) == (LeaseState.IN_USE, None)
        assert refused(NOON + ALIVE_MS + 1_001) == (LeaseState.SILENT, until)
        assert refused(until - 1) == (LeaseState.SILENT, until)
        assert [lease.state(until) for lease in list_leases(conn)] == ["silent", "silent", "free"]
        lease = release_edge(conn, 2, until)
        assert lease is not None and lease.ended_at is None
        assert list_leases(conn)[1].state(until) is LeaseState.FREE
        assert claim_edge(conn, HERE, 1, until) == 2, "its machine came back first, and loses nothing"
