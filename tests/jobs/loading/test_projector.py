"""Acknowledged records reach the analytic store and the inbox exactly once, whatever dies when."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from tests.support.counted import counted
from tests.support.models.events import NOON, new_click, new_fact
from trackyard.analytics.engine.connection import Analytics, StoreError
from trackyard.analytics.load import load
from trackyard.base.clock import ManualClock
from trackyard.base.ids import new_click_id
from trackyard.domain.conversions.sessions import CLICK_LATENESS_MS, MAX_CLICK_WAIT_MS
from trackyard.domain.statistics.rows import encode_row
from trackyard.jobs.loading import journals as journals_module
from trackyard.jobs.loading import outbox as outbox_module
from trackyard.jobs.loading.projector import Projector
from trackyard.journal.records import Click, Impression, InboundPostback, RecordKind, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.conversions import inbox
from trackyard.store.conversions.inbox import ReadyPostback
from trackyard.store.engine.database import Database
from trackyard.store.statistics import checkpoints, outbox
from trackyard.store.statistics.outbox import OutboxRow
from trackyard.store.tables import inbox as table
from trackyard.store.tracking import edges

KINDS = {Click: RecordKind.CLICK, Impression: RecordKind.IMPRESSION, InboundPostback: RecordKind.POSTBACK}


class ProjectorSetup:
    """An edge's journal and a projector on real stores, both stepped by the test."""

    def __init__(self, database: Database, analytics: Analytics, home: Path) -> None:
        self.database, self.analytics, self.home = database, analytics, home
        self.clock = ManualClock(NOON)
        self.journal_dir = home / "journal"
        with database.write() as connection:
            self.edge = edges.claim_edge(connection, "d" * 24, 0, NOON)
        self.writer = JournalWriter(self.journal_dir, self.edge, self.clock)
        self.start()

    def start(self) -> None:
        """Make a new projector, as after a kill: only files and databases are left of the old one."""
        self.projector = Projector(self.database, self.analytics, self.journal_dir, self.home / "rules", self.clock)

    def record(self, *records: Click | InboundPostback) -> None:
        """Write records to the journal, as one range."""
        for record in records:
            self.writer.append(KINDS[type(record)], encode(record))
        self.clock.advance(400)
        self.writer.write_checkpoint_if_due(self.clock.now_ms())
        self.writer.sync()

    def new_call(self, click_id: str) -> InboundPostback:
        now = self.clock.now_ms()
        return InboundPostback(now, f"{now:024x}", "postback", "GET", "127.0.0.1", "", "", "", {"clickid": click_id})

    def clicks(self) -> int:
        """Return the rows of clicks; each is in the look-up table once as well."""
        sql = "SELECT count(), uniqExact(id), (SELECT uniqExact(id) FROM click_lookup) FROM click"
        [(rows, ids, lookups)] = self.analytics.rows(sql, {}, tuple[int, int, int])
        assert rows == ids == lookups
        return rows

    def ready(self) -> list[ReadyPostback]:
        query = select(*(table.c[name] for name in ReadyPostback.__slots__)).where(table.c.state.in_(inbox.LANES))
        with self.database.read() as connection:
            return [ReadyPostback(*row) for row in connection.execute(query.order_by(table.c.id))]

    def waiting(self) -> int:
        with self.database.read() as connection:
            return len(inbox.list_waiting(connection, 1000))


@pytest.fixture
def yard(sqlite_database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[ProjectorSetup]:
    yard = ProjectorSetup(sqlite_database, analytics, tmp_path)
    yield yard
    yard.writer.close()


def test_projector_loads_clicks_and_postbacks_together(yard: ProjectorSetup) -> None:
    click = new_click(1)
    yard.record(click, new_click(2, reason="bot"), yard.new_call(click.id), yard.new_call("rubbish\0"))
    yard.projector.drain()
    assert yard.clicks() == 2
    assert [call.click for call in yard.ready()] == [encode(click), None]
    lag = yard.projector.lag()
    assert lag["journal"] == 0 and lag["projector"] < 10


def test_projector_finds_click_loaded_before_restart(yard: ProjectorSetup) -> None:
    click = new_click(1)
    yard.record(click)
    yard.projector.drain()
    yard.start()
    yard.record(yard.new_call(click.id))
    yard.projector.drain()
    assert [call.click for call in yard.ready()] == [encode(click)]


def test_projector_waits_for_checkpoint_after_records(yard: ProjectorSetup) -> None:
    yard.writer.append(RecordKind.CLICK, encode(new_click(1)))
    yard.projector.drain()
    assert yard.clicks() == 0
    yard.record()
    yard.projector.drain()
    assert yard.clicks() == 1


class ProjectorKilled(BaseException):
    """The process dies here."""


def raise_killed(*_arguments: Any, **_options: Any) -> None:
    raise ProjectorKilled


def raise_killed_after(function: Any) -> Any:
    def then_die(*arguments: Any, **options: Any) -> None:
        function(*arguments, **options)
        raise ProjectorKilled

    return then_die


@pytest.mark.parametrize(
    ("owner", "name", "deadly"),
    [
        (journals_module, "load", raise_killed),
        (journals_module, "load", raise_killed_after),
        (journals_module.JournalLoader, "_inbox_postbacks", raise_killed),
        (journals_module.checkpoints, "finish_range", raise_killed_after),
        (journals_module.JournalLoader, "_load_range", raise_killed_after),
        (outbox_module.outbox, "claim", raise_killed_after),
        (outbox_module, "load", raise_killed),
        (outbox_module, "load", raise_killed_after),
        (outbox_module.outbox, "remove", raise_killed_after),
    ],
)
def test_projector_killed_at_any_step_loses_and_doubles_nothing(
    yard: ProjectorSetup, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, deadly: Any
) -> None:
    views = [Impression(*msgspec.structs.astuple(new_click(number))) for number in range(5)]
    yard.record(*(new_click(number) for number in range(20)), yard.new_call(new_click(3).id), *views)
    with yard.database.write() as connection:
        outbox.add(connection, [OutboxRow("fact", encode_row(new_fact(number))) for number in range(7)], NOON)
    monkeypatch.setattr(
        owner, name, raise_killed_after(getattr(owner, name)) if deadly is raise_killed_after else raise_killed
    )
    with pytest.raises(ProjectorKilled):
        yard.projector.drain()
    monkeypatch.undo()
    yard.record(new_click(100))
    yard.start()
    yard.projector.drain()
    assert yard.clicks() == 21
    assert len(yard.ready()) == 1
    assert yard.analytics.rows("SELECT count(), uniqExact(id) FROM view", {}, tuple[int, int]) == [(5, 5)]
    facts = yard.analytics.rows("SELECT count(), uniqExact(conversion_id) FROM fact", {}, tuple[int, int])
    assert facts == [(7, 7)]
    with yard.database.read() as connection:
        assert outbox.open_batches(connection) == []


def test_projector_repeats_range_of_several_checkpoints_unchanged(
    yard: ProjectorSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard.record(new_click(0))
    yard.projector.drain()
    yard.record(new_click(1))
    yard.record(new_click(2))
    tokens: list[str] = []

    def recorded_load(analytics: Any, table: str, items: Any, token: str, **options: Any) -> Any:
        tokens.append(token)
        return load(analytics, table, items, token, **options)

    monkeypatch.setattr(journals_module, "load", recorded_load)
    monkeypatch.setattr(journals_module.JournalLoader, "_inbox_postbacks", raise_killed)
    with pytest.raises(ProjectorKilled):
        yard.projector.drain()
    monkeypatch.undo()
    begun = set(tokens)
    tokens.clear()
    yard.record(new_click(3))
    yard.start()
    monkeypatch.setattr(journals_module, "load", recorded_load)
    yard.projector.drain()
    assert yard.clicks() == 4
    assert len(begun) == 1 and begun == set(tokens[:3]) and not begun & set(tokens[3:])
    with yard.database.read() as connection:
        assert checkpoints.get_checkpoints(connection)[0].begun_until == 0


def test_projector_loads_batch_after_unanswered_claim_commit(
    yard: ProjectorSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    yard.projector.drain()
    with yard.database.write() as connection:
        outbox.add(connection, [OutboxRow("fact", encode_row(new_fact(1)))], NOON)
    write = yard.database.write

    @contextmanager
    def unanswered() -> Iterator[Any]:
        with write() as connection:
            yield connection
        monkeypatch.undo()
        raise OSError("the connection is gone")

    monkeypatch.setattr(yard.database, "write", unanswered)
    with pytest.raises(OSError, match="gone"):
        yard.projector.outbox.load_next()
    yard.projector.drain()
    assert yard.analytics.rows("SELECT count() FROM fact", {}, tuple[int]) == [(1,)]


def test_projector_postback_waits_for_click_of_slower_edge(yard: ProjectorSetup) -> None:
    with yard.database.write() as connection:
        other = edges.claim_edge(connection, "d" * 24, 1, NOON)
    click = new_click(1, id=new_click_id(NOON, other))
    yard.record(yard.new_call(click.id))
    yard.projector.drain()
    assert (len(yard.ready()), yard.waiting()) == (0, 1)
    writer = JournalWriter(yard.journal_dir, other, yard.clock)
    writer.append(RecordKind.CLICK, encode(click))
    writer.close()
    yard.projector.drain()
    assert [call.click for call in yard.ready()] == [encode(click)]


@pytest.mark.parametrize("shift_ms", [-3_600_000, 3_600_000])
@pytest.mark.parametrize("restarted", [False, True])
def test_projector_postback_waits_for_click_of_edge_with_another_clock(
    yard: ProjectorSetup, shift_ms: int, restarted: bool
) -> None:
    """The marks of the edge come from a time before its clock was set; its click is not loaded yet."""
    with yard.database.write() as connection:
        other = edges.claim_edge(connection, "d" * 24, 1, NOON)
    clock = ManualClock(NOON)
    writer = JournalWriter(yard.journal_dir, other, clock)
    clock.advance(400)
    writer.write_checkpoint(clock.now_ms())
    yard.projector.drain()
    clock.advance(shift_ms)
    click = new_click(1, id=new_click_id(clock.now_ms(), other), time=clock.now_ms())
    writer.append(RecordKind.CLICK, encode(click))
    yard.record(yard.new_call(click.id))
    yard.projector.drain()
    if restarted:
        yard.start()
        yard.projector.drain()
    assert (len(yard.ready()), yard.waiting()) == (0, 1)
    clock.advance(400)
    writer.write_checkpoint(clock.now_ms())
    yard.projector.drain()
    assert [call.click for call in yard.ready()] == [encode(click)]
    writer.close()


@pytest.mark.parametrize("restarted", [False, True])
def test_projector_outage_does_not_use_up_waiting_time(yard: ProjectorSetup, restarted: bool) -> None:
    with yard.database.write() as connection:
        other = edges.claim_edge(connection, "d" * 24, 1, NOON)
    click = new_click(1, id=new_click_id(NOON, other))
    writer = JournalWriter(yard.journal_dir, other, yard.clock)
    yard.record(yard.new_call(click.id))
    yard.clock.advance(MAX_CLICK_WAIT_MS)
    if restarted:
        yard.start()
    yard.projector.drain()
    assert (len(yard.ready()), yard.waiting()) == (0, 1)
    writer.append(RecordKind.CLICK, encode(click))
    writer.close()
    yard.projector.drain()
    assert [call.click for call in yard.ready()] == [encode(click)]


@pytest.mark.parametrize("killed", [False, True])
def test_projector_kill_does_not_extend_waiting_time(yard: ProjectorSetup, killed: bool) -> None:
    with yard.database.write() as connection:
        other = edges.claim_edge(connection, "d" * 24, 1, NOON)
    yard.record(yard.new_call(new_click_id(NOON, other)))
    yard.projector.drain()
    yard.clock.advance(MAX_CLICK_WAIT_MS)
    yard.record(new_click(1))
    yard.projector.journals.load_next()
    if killed:
        yard.start()
    yard.projector.drain()
    assert ([call.click for call in yard.ready()], yard.waiting()) == ([None], 0)


def test_projector_waiting_time_since_outage_survives_kill(yard: ProjectorSetup) -> None:
    with yard.database.write() as connection:
        other = edges.claim_edge(connection, "d" * 24, 1, NOON)
    yard.record(yard.new_call(new_click_id(NOON, other)))
    yard.projector.drain()
    yard.clock.advance(MAX_CLICK_WAIT_MS)
    yard.start()
    for number in (1, 2):
        yard.record(new_click(number))
        yard.projector.drain()
        yard.start()
    yard.projector.drain()
    assert (len(yard.ready()), yard.waiting()) == (0, 1)
    yard.clock.advance(MAX_CLICK_WAIT_MS)
    yard.record(new_click(3))
    yard.projector.journals.load_next()
    yard.start()
    yard.projector.drain()
    assert (len(yard.ready()), yard.waiting()) == (1, 0)


def test_projector_postback_for_missing_click_waits_until_certain(yard: ProjectorSetup) -> None:
    yard.record(yard.new_call(new_click_id(NOON, yard.edge)))
    yard.projector.drain()
    assert yard.waiting() == 1
    yard.clock.advance(CLICK_LATENESS_MS)
    yard.record()
    yard.projector.drain()
    assert yard.waiting() == 0
    assert [call.click for call in yard.ready()] == [None]


def test_projector_skips_and_keeps_damaged_records(yard: ProjectorSetup) -> None:
    for number in range(5):
        yard.writer.append(RecordKind.CLICK, encode(new_click(number)))
    position = yard.writer.append(RecordKind.CLICK, encode(new_click(5)))
    yard.record(new_click(6))
    path = yard.journal_dir / f"{yard.writer.name}.log"
    with path.open("r+b") as file:
        file.seek(position + 20)
        file.write(b"damage")
    yard.projector.drain()
    assert yard.clicks() == 6
    assert len(list((yard.journal_dir / "damaged").iterdir())) == 1


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        (RecordKind.CLICK, b"[1]"),
        (RecordKind.CLICK, b"not json"),
        (RecordKind.CLICK, b'[1,"%s",["no text"]]' % (b"a" * 24)),
        (RecordKind.IMPRESSION, b"[1]"),
        (RecordKind.IMPRESSION, b"not json"),
        (RecordKind.POSTBACK, b"[1]"),
        (RecordKind.POSTBACK, b"not json"),
    ],
)
def test_projector_skips_and_keeps_undecodable_record(yard: ProjectorSetup, kind: RecordKind, payload: bytes) -> None:
    click = new_click(1)
    yard.writer.append(kind, payload)
    yard.record(click, yard.new_call(click.id))
    yard.projector.drain()
    assert yard.clicks() == 1
    assert [call.click for call in yard.ready()] == [encode(click)]
    [kept] = (yard.journal_dir / "damaged").iterdir()
    assert kept.read_bytes() == payload
    assert kept.name == f"{yard.writer.name}-0.record"


def test_projector_skips_and_keeps_bad_outbox_row(yard: ProjectorSetup) -> None:
    rows = [OutboxRow("fact", encode_row(new_fact(1))), OutboxRow("fact", b'["x"]')]
    with yard.database.write() as connection:
        outbox.add(connection, rows, NOON)
    yard.projector.drain()
    assert yard.analytics.rows("SELECT count() FROM fact", {}, tuple[int]) == [(1,)]
    [kept] = (yard.journal_dir / "damaged").iterdir()
    assert kept.read_bytes() == b'["x"]'


def test_projector_retries_failing_step_without_stopping_others(
    yard: ProjectorSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fails(*_arguments: Any, **_options: Any) -> None:
        raise StoreError("gone")

    yard.record(new_click(1))
    monkeypatch.setattr(Analytics, "insert", fails)
    succeeded = "trackyard_projector_success_timestamp_seconds"
    before = counted(succeeded, task="journals")
    failures = counted("trackyard_task_failures_total", part="projector", task="journals")
    yard.projector.drain()
    assert yard.projector.rules.version == 0
    assert yard.projector.lag()["journal"] == pytest.approx(0.4)
    assert yard.projector.failing() == []
    yard.clock.advance(1000)
    yard.projector.step()
    assert yard.projector.failing() == ["journals"]
    assert counted("trackyard_task_failures_total", part="projector", task="journals") >= failures + 3
    assert counted(succeeded, task="outbox") == yard.clock.now_ms() / 1000
    assert counted(succeeded, task="journals") == before
    monkeypatch.undo()
    assert yard.clicks() == 0
    yard.projector.step()
    assert yard.clicks() == 0  # not before its time
    yard.clock.advance(1000)
    yard.projector.step()
    assert yard.clicks() == 1
    assert yard.projector.lag()["journal"] == 0
    assert yard.projector.failing() == []
    assert counted(succeeded, task="journals") == yard.clock.now_ms() / 1000


def test_projector_continues_after_clock_is_set_back(yard: ProjectorSetup) -> None:
    yard.projector.drain()
    yard.clock.advance(-86_400_000)
    yard.record(new_click(1))
    yard.clock.advance(10_000)
    yard.record()
    yard.projector.step()
    assert yard.clicks() == 1


def test_projector_after_a_start_compares_only_the_first_checkpoint(
    yard: ProjectorSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(3):
        yard.record(new_click(number))
    compared: list[tuple[int, bool]] = []

    def recorded_load(analytics: Any, table: str, items: Any, token: str, **options: Any) -> Any:
        if table == "click":
            compared.append((len(items), options["maybe_loaded"]))
        return load(analytics, table, items, token, **options)

    monkeypatch.setattr(journals_module, "load", recorded_load)
    yard.projector.drain()
    assert compared == [(1, True), (2, False)]
    assert yard.clicks() == 3


def test_projector_knows_its_backlog_before_it_loads(yard: ProjectorSetup, caplog: pytest.LogCaptureFixture) -> None:
    yard.record(new_click(0))
    yard.projector.drain()
    assert yard.projector.journals.backlog_bytes() == 0
    for number in range(1, 4):
        yard.record(new_click(number, time=yard.clock.now_ms()))
    yard.clock.advance(60_000)
    yard.start()
    assert yard.projector.lag()["journal"] == 0
    caplog.set_level("INFO")
    yard.projector.log_backlog()
    assert yard.projector.lag()["journal"] == pytest.approx(61.2)
    assert yard.projector.journals.backlog_bytes() > 3 * len(encode(new_click(1)))
    assert "backlog of journals" in [line.message for line in caplog.records]
    yard.projector.journals.load_next()
    assert 0 < yard.projector.lag()["journal"] < 61.2, "two clicks still wait"
    yard.projector.drain()
    assert (yard.clicks(), yard.projector.lag()["journal"], yard.projector.journals.backlog_bytes()) == (4, 0, 0)


def test_projector_loads_every_piece_of_a_backlog_in_a_turn(yard: ProjectorSetup) -> None:
    turns: list[str] = []

    @contextmanager
    def turn() -> Iterator[None]:
        turns.append("begun")
        yield

    yard.projector = Projector(
        yard.database, yard.analytics, yard.journal_dir, yard.home / "rules", yard.clock, turn=turn
    )
    yard.record(new_click(0))
    yard.projector.drain()
    assert not turns, "what is new waits for nothing"
    yard.record(new_click(1))
    yard.record(new_click(2))
    yard.projector.drain()
    assert len(turns) == 2  # clicks, and their look-up table
    assert yard.clicks() == 3
