"""Inbox, checkpoints and outbox: everything once, also after repeats."""

from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select

from trackyard.actions.events.publishing import publish
from trackyard.domain.events.events import Concerned
from trackyard.domain.events.kinds import EventKind
from trackyard.domain.offers.offers import Creative
from trackyard.store.conversions import edits, inbox
from trackyard.store.conversions.inbox import NewInboxEntry
from trackyard.store.engine.database import Database
from trackyard.store.engine.queue_depths import get_queue_states
from trackyard.store.platform import files, mail
from trackyard.store.statistics import checkpoints, outbox
from trackyard.store.statistics.checkpoints import CheckpointMoved, EdgeCheckpoint
from trackyard.store.statistics.outbox import Batch, OutboxRow
from trackyard.store.tables import inbox as inbox_table

CLICK = "6" * 24


def make_inbox_row(position: int, *, waiting: bool = False) -> NewInboxEntry:
    click = None if waiting else b"[click]"
    return NewInboxEntry(position, b"[%d]" % position, click, CLICK, received_at=position, waiting=waiting)


def test_inbox_with_click_is_taken_before_those_without(database: Database) -> None:
    def row(position: int, click: bytes | None) -> NewInboxEntry:
        return NewInboxEntry(position, b"[]", click, CLICK, received_at=position)

    with database.write() as conn:
        inbox.add_entries(conn, "001-0", [row(number, None) for number in range(1, 6)])
        inbox.add_entries(conn, "001-0", [row(10, b"[click]"), make_inbox_row(11, waiting=True)])
        assert inbox.has_ready(conn)
        (waiting,) = inbox.list_waiting(conn, 10)
        inbox.resolve(conn, waiting.id, None)
        inbox.add_entries(conn, "001-0", [row(12, b"[click]")])
        assert {state.queue: state.depth for state in get_queue_states(conn, 100)}["inbox"] == 8
        assert [call.position for call in inbox.take_ready(conn, 1)] == [10]
        assert [call.position for call in inbox.take_ready(conn, 3)] == [1, 2, 12]
        assert [call.position for call in inbox.take_ready(conn, 10)] == [3, 4, 5, 11]
        assert not inbox.has_ready(conn)


def test_inbox_range_is_loaded_once(database: Database) -> None:
    with database.write() as conn:
        assert checkpoints.find_checkpoint(conn, 1) is None
        checkpoints.finish_range(conn, 1, "001-0", 0, 100, 5_000, [make_inbox_row(10), make_inbox_row(20)])
        assert checkpoints.find_checkpoint(conn, 1) == EdgeCheckpoint(1, "001-0", 100, 5_000, used_until=5_000)
    with pytest.raises(CheckpointMoved), database.write() as conn:
        checkpoints.finish_range(conn, 1, "001-0", 0, 100, 5_000, [make_inbox_row(10), make_inbox_row(20)])
    with database.write() as conn:
        checkpoints.finish_range(conn, 1, "001-0", 100, 180, 6_000, [make_inbox_row(120)])
        checkpoints.finish_range(conn, 1, "001-9", 0, 50, 9_000, [])
        assert [call.position for call in inbox.take_ready(conn, 10)] == [10, 20, 120]
        assert checkpoints.get_checkpoints(conn) == [EdgeCheckpoint(1, "001-9", 50, 9_000, used_until=9_000)]


@pytest.mark.parametrize(
    ("journal", "start"),
    [("001-5", 90), ("001-5", 110), ("001-4", 0), ("001-6", 10)],
    ids=["overlaps", "leaves a hole", "earlier journal", "middle of the next"],
)
def test_inbox_range_that_does_not_follow_is_rejected(database: Database, journal: str, start: int) -> None:
    with database.write() as conn:
        checkpoints.finish_range(conn, 1, "001-5", 0, 100, 5_000, [])
    with pytest.raises(CheckpointMoved), database.write() as conn:
        checkpoints.finish_range(conn, 1, journal, start, 200, 6_000, [make_inbox_row(150)])
    with database.read() as conn:
        assert not inbox.has_ready(conn)
        assert checkpoints.find_checkpoint(conn, 1) == EdgeCheckpoint(1, "001-5", 100, 5_000, used_until=5_000)


def test_inbox_waiting_postback_becomes_ready_once(database: Database) -> None:
    with database.write() as conn:
        inbox.add_entries(
            conn, "001-0", [make_inbox_row(1, waiting=True), make_inbox_row(2, waiting=True), make_inbox_row(3)]
        )
        first, second = inbox.list_waiting(conn, 10)
        assert inbox.list_waiting(conn, 10, after_id=first.id) == [second]
        inbox.resolve(conn, first.id, b"[found]")
        inbox.resolve(conn, first.id, None)
        assert [(call.position, call.click) for call in inbox.take_ready(conn, 10)] == [
            (1, b"[found]"),
            (3, b"[click]"),
        ]
        assert [call.position for call in inbox.list_unlogged(conn, 10, before=3)] == [2]
        inbox.mark_logged(conn, [second.id])
        assert inbox.list_unlogged(conn, 10, before=3) == []


def test_inbox_postbacks_are_taken_by_one_worker_at_a_time(database: Database) -> None:
    with database.write() as conn:
        inbox.add_entries(conn, "001-0", [make_inbox_row(n) for n in range(20)])

    def take(_: int) -> list[int]:
        with database.write() as conn:
            return [call.position for call in inbox.take_ready(conn, 3)]

    taken: list[int] = []
    with ThreadPoolExecutor(4) as pool:
        while len(taken) < 20:
            for positions in pool.map(take, range(4)):
                taken += positions
    assert sorted(taken) == list(range(20))


def test_inbox_quarantined_postback_is_kept_and_counted(database: Database) -> None:
    with database.write() as conn:
        inbox.add_entries(conn, "001-0", [make_inbox_row(1)])
        (key,) = conn.execute(select(inbox_table.c.id)).scalars()
        call = inbox.quarantine(conn, key)
        assert call is not None and call.position == 1
        assert inbox.quarantine(conn, key) is None
        assert not inbox.has_ready(conn)
        states = {state.queue: state for state in get_queue_states(conn, 101)}
        assert (states["inbox_quarantined"].depth, states["inbox_quarantined"].lag_ms) == (1, 100)


def test_outbox_batch_is_unchanged_until_removed(database: Database) -> None:
    with database.write() as conn:
        outbox.add(conn, [OutboxRow("fact", b"[1]\n[2]"), OutboxRow("server_log", b"[3]")], 1)
        assert outbox.find_targets(conn) == ["fact", "server_log"]
    with database.write() as conn:
        assert outbox.claim(conn, "fact", 10, "b" * 24) == Batch("b" * 24, "fact")
    with database.write() as conn:
        outbox.add(conn, [OutboxRow("fact", b"[4]")], 2)
        (batch,) = outbox.open_batches(conn)
        assert outbox.batch_rows(conn, batch) == [b"[1]\n[2]"]
        outbox.remove(conn, batch)
        assert outbox.open_batches(conn) == []
        assert outbox.find_targets(conn) == ["fact", "server_log"]


def test_outbox_parallel_claims_share_no_row(database: Database) -> None:
    with database.write() as conn:
        for n in range(0, 50, 2):
            outbox.add(conn, [OutboxRow("fact", b"[%d]" % n), OutboxRow("fact", b"[%d]" % (n + 1))], 1)

    def claim(number: int) -> list[bytes]:
        with database.write() as conn:
            batch = outbox.claim(conn, "fact", 7, f"{number:024x}")
        with database.read() as conn:
            return outbox.batch_rows(conn, batch) if batch else []

    with ThreadPoolExecutor(4) as pool:
        claimed = [row for batch in pool.map(claim, range(16)) for row in batch]
    assert sorted(claimed) == sorted(b"[%d]" % n for n in range(50))


def test_queue_states_report_depth_and_age(database: Database) -> None:
    with database.write() as conn:
        inbox.add_entries(
            conn, "001-0", [make_inbox_row(1_000), make_inbox_row(2_000), make_inbox_row(3_000, waiting=True)]
        )
        outbox.add(conn, [OutboxRow("fact", b"[1]")], 4_000)
        edits.add_tasks(conn, "edit", "staff:1", [{}, {}], 4_200)
        mail.add(conn, "a@example.org", "Subject", "Body", 4_500)
        publish(conn, EventKind.AFFILIATE_SIGNED_UP, 4_600, Concerned(1), affiliate="Ann")
        files.add_fetches(conn, 1, [Creative(id=1, title="a", url="https://cdn.example/a.png")], 4_700)
        states = {state.queue: (state.depth, state.lag_ms) for state in get_queue_states(conn, 5_000)}
    assert states == {
        "inbox": (2, 4_000),
        "waiting": (1, 2_000),
        "inbox_quarantined": (0, 0),
        "edits": (2, 800),
        "edits_quarantined": (0, 0),
        "outbox": (1, 1_000),
        "deliveries": (0, 0),
        "mail": (1, 500),
        "events": (1, 400),
        "fetches": (1, 300),
    }
