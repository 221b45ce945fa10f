"""Each edge number is given once."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from trackyard.store.engine.database import Database
from trackyard.store.tracking.edges import EdgeNumbersExhausted, claim_edge, each_edge


def test_edge_slot_keeps_its_number(database: Database) -> None:
    with database.write() as conn:
        assert [claim_edge(conn, "d" * 24, slot, 1) for slot in (0, 1, 0)] == [1, 2, 1]
        assert claim_edge(conn, "e" * 24, 0, 1) == 3
        assert [edge.number for edge in each_edge(conn)] == [1, 2, 3]


def test_edge_numbers_claimed_in_parallel_are_distinct(database: Database) -> None:
    def claim(slot: int) -> int:
        with database.write() as conn:
            return claim_edge(conn, "d" * 24, slot, 1)

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(claim, range(8))) == list(range(1, 9))


def test_edge_numbers_exhausted_raises(sqlite_database: Database) -> None:
    with sqlite_database.write() as conn:
        for slot in range(250):
            claim_edge(conn, "d" * 24, slot, 1)
        with pytest.raises(EdgeNumbersExhausted):
            claim_edge(conn, "d" * 24, 250, 1)
