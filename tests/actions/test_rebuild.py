"""Rebuilds fill shadow tables with clicks, impressions and events, and swap them."""

import importlib
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.actions.test_reconcile import fill
from tests.support.installation import SteppedInstallation
from tests.support.models.events import new_click
from tests.support.stores.clickhouse import clickhouse_address
from tests.support.waiting import wait_until
from trackyard.actions.platform.rebuild import Rebuilder
from trackyard.actions.platform.rebuild_status import RebuildMode, RebuildStatus
from trackyard.actions.platform.reconciliation import reconcile
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.engine.migrations import migrate
from trackyard.analytics.maintenance import rebuild
from trackyard.analytics.maintenance.retention import empty_erased
from trackyard.analytics.maintenance.shadow_tables import LATE_EVENTS_TABLE, SHADOW_TABLES
from trackyard.analytics.reports.clicks import find_records
from trackyard.base.errors import Conflict
from trackyard.base.ids import new_click_id
from trackyard.domain.platform.erasures import NOTHING_ERASED, ErasureSubject
from trackyard.domain.statistics.click_columns import EMPTY_CLICK
from trackyard.jobs.loading.journals import JournalLoader
from trackyard.journal import segments
from trackyard.journal.packing import compress_journal
from trackyard.journal.records import Impression, RecordKind, decode_click, encode
from trackyard.journal.writer import JournalWriter
from trackyard.store.engine.database import Database
from trackyard.store.platform import erasures, rebuilds
from trackyard.store.platform.rebuilds import RebuildStage
from trackyard.store.tracking import edges

__all__ = ["clickhouse_address"]
OWNER, LONG, pytestmark = "d" * 24, pytest.mark.long, pytest.mark.slow


@pytest.fixture
def plant(sqlite_database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[SteppedInstallation]:
    """An installation with four clicks, an impression and three conversions, one of them changed."""
    yield from _filled_installation(sqlite_database, analytics, tmp_path)


@pytest.fixture
def either(database: Database, analytics: Analytics, tmp_path: Path) -> Iterator[SteppedInstallation]:
    """The installation on either engine."""
    yield from _filled_installation(database, analytics, tmp_path)


def _filled_installation(database: Database, analytics: Analytics, home: Path) -> Iterator[SteppedInstallation]:
    made = SteppedInstallation(database, analytics, home)
    fill(made)
    view = replace(Impression(**EMPTY_CLICK), time=made.clock.now_ms(), id=f"{7:024x}")
    made.writer.append(RecordKind.IMPRESSION, encode(view))
    made.settle()
    yield made
    made.close()


def rebuilder(plant: SteppedInstallation, pause: float = 0.01) -> Rebuilder:
    return Rebuilder(plant.database, plant.analytics, plant.home / "journal", plant.clock, OWNER, pause=pause)


def rebuilt(plant: SteppedInstallation, wish: RebuildMode = RebuildMode.SWAP, pause: float = 0.01) -> RebuildStatus:
    made = rebuilder(plant, pause)
    status = made.start(wish)
    wait_until(lambda: status.ended_at is not None, seconds=60)
    made.close()
    return status


def run(plant: SteppedInstallation, sql: str) -> None:
    plant.analytics.run(f"{sql} SETTINGS mutations_sync = 2" if sql.startswith("ALTER") else sql)


def rows(plant: SteppedInstallation, table: str) -> int:
    [(count,)] = plant.analytics.rows(f"SELECT count() FROM {table}", {}, tuple[int])
    return count


def tables(plant: SteppedInstallation) -> set[str]:
    sql = "SELECT name FROM system.tables WHERE database = currentDatabase()"
    return {name for (name,) in plant.analytics.rows(sql, {}, tuple[str])}


def named(status: RebuildStatus) -> list[tuple[str, str, str]]:
    return sorted((item.what, item.expected, item.found) for item in status.findings.differences)


@pytest.mark.long_on_postgresql
def test_rebuild_without_findings_swaps_tables(either: SteppedInstallation) -> None:
    plant = either
    before = [rows(plant, name) for name in ("click", "view", "click_lookup")]
    status = rebuilt(plant)
    assert (status.stage, status.why, status.findings.count) == (RebuildStage.SWAPPED, "", 0)
    assert [rows(plant, name) for name in ("click", "view", "click_lookup")] == before == [4, 1, 4]
    assert rows(plant, "fact") == 3  # each conversion as it is, without its history
    assert reconcile(plant.api.deps).differences == []
    assert not tables(plant) & {*(twin.name for twin in SHADOW_TABLES.values()), LATE_EVENTS_TABLE.name}


@pytest.mark.long_on_postgresql
def test_rebuild_swap_keeps_later_changes_flowing(either: SteppedInstallation) -> None:
    plant = either
    rebuilt(plant)
    click = plant.click(1, 1, "a" * 24)
    plant.call(clickid=click.id)
    plant.settle()
    plant.end_holds()
    plant.settle()
    assert reconcile(plant.api.deps).differences == []
    assert rebuilt(plant).findings.count == 0


SPOILS: dict[str, tuple[str, str, tuple[str, str]]] = {
    "a click lost": ("ALTER TABLE click DELETE WHERE reason = 'bot'", "click", ("once", "nowhere")),
    "a click doubled": ("INSERT INTO click SELECT * FROM click WHERE reason = 'bot'", "click", ("once", "2 times")),
    "a click changed": (
        "ALTER TABLE click UPDATE country = 'XX' WHERE reason = 'bot'",
        "click",
        ("once", "once, with other columns"),
    ),
    "a click invented": (
        "INSERT INTO click SELECT * REPLACE (position + 1 AS position) FROM click WHERE reason = 'bot'",
        "click",
        ("nowhere", "once"),
    ),
    "a view lost": ("ALTER TABLE view DELETE WHERE 1", "view", ("once", "nowhere")),
    "a look-up lost": (
        "ALTER TABLE click_lookup DELETE WHERE id = (SELECT min(id) FROM click_lookup)",
        "click to be looked up",
        ("once", "nowhere"),
    ),
    "a fact lost": (
        "ALTER TABLE fact DELETE WHERE status = 1",
        "conversion of statistics",
        ("once, charge 10, payout 7", "nowhere"),
    ),
    "a fact doubled": (
        "INSERT INTO fact SELECT * FROM fact WHERE status = 1",
        "conversion of statistics",
        ("once, charge 10, payout 7", "2 times, charge 20, payout 14"),
    ),
    "half a change lost": (
        "ALTER TABLE fact DELETE WHERE sign < 0",
        "conversion of statistics",
        ("once, charge 10, payout 7", "2 times, charge 20, payout 14"),
    ),
}


TOGETHER = (
    ("a click lost", "a view lost", "a look-up lost", "a fact lost"),
    ("a click doubled", "a fact doubled"),
    ("a click changed", "half a change lost"),
    ("a click invented",),
)
"""Spoils of different rows: one rebuild finds each of them."""
assert sorted(sum(TOGETHER, ())) == sorted(SPOILS)


@pytest.mark.parametrize("names", [TOGETHER[0], *(pytest.param(it, marks=LONG) for it in TOGETHER[1:])], ids=", ".join)
def test_rebuild_findings_are_reported_and_repaired_when_accepted(
    plant: SteppedInstallation, names: tuple[str, ...]
) -> None:
    for name in names:
        run(plant, SPOILS[name][0])
    expected = sorted((what, *words) for _, what, words in map(SPOILS.__getitem__, names))
    status = rebuilt(plant)
    assert (named(status), status.findings.count) == (expected, len(names))
    assert status.stage is RebuildStage.NOT_SWAPPED
    again = rebuilt(plant, RebuildMode.ACCEPT)
    assert (named(again), again.stage) == (expected, RebuildStage.SWAPPED)
    assert reconcile(plant.api.deps).differences == []
    assert rebuilt(plant, RebuildMode.CHECK).findings.count == 0


def test_rebuild_check_swaps_no_tables(plant: SteppedInstallation) -> None:
    status = rebuilt(plant, RebuildMode.CHECK)
    assert (status.stage, status.findings.count) == (RebuildStage.NOT_SWAPPED, 0)
    assert rows(plant, "fact") == 5  # with the history of the one that was changed
    assert not tables(plant) & {*(twin.name for twin in SHADOW_TABLES.values()), LATE_EVENTS_TABLE.name}


def _lose_journal(plant: SteppedInstallation) -> str:
    """Begin another journal, remove the one before, and return its name."""
    old = plant.writer.name
    plant.writer.close()
    plant.clock.advance(1000)
    plant.writer = JournalWriter(plant.home / "journal", plant.edge, plant.clock)
    segments.log_path(plant.home / "journal", old).unlink()
    (plant.home / "journal" / f"{old}.sealed").unlink()
    return old


def test_rebuild_carries_over_rows_without_local_journal(plant: SteppedInstallation) -> None:
    """Remove all journals, as if they were another machine's or past their retention."""
    old = _lose_journal(plant)
    click = plant.click(1, 1, "a" * 24)
    plant.settle()
    [(lost, record)] = plant.analytics.rows(
        "SELECT lower(hex(id)), record FROM click_lookup ORDER BY id LIMIT 1", {}, tuple[str, str]
    )
    run(plant, SPOILS["a look-up lost"][0])
    run(plant, "INSERT INTO click SELECT * FROM click WHERE reason = 'bot'")
    status = rebuilt(plant, RebuildMode.ACCEPT)
    assert (status.stage, status.carried) == (RebuildStage.SWAPPED, 6)  # five rows of clicks and a view
    assert named(status) == [("click", "once", "2 times"), ("click to be looked up", "once", "nowhere")]
    assert decode_click(find_records(plant.analytics, [lost])[lost]) == decode_click(record)
    found = plant.analytics.rows("SELECT journal, count() FROM click GROUP BY journal", {}, tuple[str, int])
    assert dict(found) == {old: 4, plant.writer.name: 1}
    assert (rows(plant, "click_lookup"), rows(plant, "view")) == (5, 1)
    assert click.id in plant.projector.journals._clicks.find([click.id])


def test_rebuild_reads_compressed_journals(plant: SteppedInstallation) -> None:
    old = plant.writer.name
    plant.writer.close()
    plant.clock.advance(1000)
    plant.writer = JournalWriter(plant.home / "journal", plant.edge, plant.clock)
    plant.click(1, 1, "a" * 24)
    plant.settle()
    compress_journal(plant.home / "journal", old, NOTHING_ERASED, lambda _ids: frozenset())
    assert not segments.log_path(plant.home / "journal", old).exists()
    status = rebuilt(plant)
    assert (status.stage, status.why, named(status), status.carried) == (RebuildStage.SWAPPED, "", [], 0)


def test_rebuild_with_damaged_journal_record_loses_no_rows(plant: SteppedInstallation) -> None:
    path = segments.log_path(plant.home / "journal", plant.writer.name)
    [(position,)] = plant.analytics.rows("SELECT position FROM click WHERE reason = 'bot'", {}, tuple[int])
    with path.open("r+b") as file:
        file.seek(position + 20)
        file.write(b"\0\0\0")
    status = rebuilt(plant)
    assert (status.stage, status.carried, named(status)) == (RebuildStage.SWAPPED, 1, [])
    assert (rows(plant, "click"), rows(plant, "click_lookup")) == (4, 4)


def test_rebuild_runs_one_at_a_time(either: SteppedInstallation) -> None:
    plant = either
    with plant.database.write() as conn:
        rebuilds.begin_rebuild(conn, "e" * 24, plant.clock.now_ms())
    with pytest.raises(Conflict):
        rebuilder(plant).start(RebuildMode.CHECK)


@pytest.mark.parametrize("stage", [RebuildStage.PREPARING, RebuildStage.DUAL_WRITE, RebuildStage.SWAPPING])
def test_rebuild_leftovers_of_a_kill_are_removed_at_next_start(plant: SteppedInstallation, stage: RebuildStage) -> None:
    with plant.database.write() as conn:
        gate = rebuilds.begin_rebuild(conn, OWNER, plant.clock.now_ms())
        if stage is not RebuildStage.PREPARING:
            rebuilds.move_to_stage(conn, gate, stage, plant.clock.now_ms())
    for table in (*SHADOW_TABLES.values(), LATE_EVENTS_TABLE):
        table.create(plant.analytics)
    rebuilder(plant).recover()
    with plant.database.read() as conn:
        assert rebuilds.get_rebuild_state(conn).stage is RebuildStage.FAILED
    assert not tables(plant) & {*(twin.name for twin in SHADOW_TABLES.values()), LATE_EVENTS_TABLE.name}
    plant.click(1, 1, "a" * 24)
    plant.settle()
    assert rebuilt(plant).stage is RebuildStage.SWAPPED
    assert reconcile(plant.api.deps).differences == []


def test_rebuild_recovery_ignores_rebuild_of_another_machine(plant: SteppedInstallation) -> None:
    with plant.database.write() as conn:
        rebuilds.begin_rebuild(conn, "e" * 24, plant.clock.now_ms())
    LATE_EVENTS_TABLE.create(plant.analytics)
    rebuilder(plant).recover()
    with plant.database.read() as conn:
        assert rebuilds.get_rebuild_state(conn).stage is RebuildStage.PREPARING
    assert LATE_EVENTS_TABLE.name in tables(plant)


@pytest.fixture
def stepped(
    plant: SteppedInstallation, monkeypatch: pytest.MonkeyPatch
) -> Callable[[str, str, Callable[[], None]], RebuildStatus]:
    """Rebuild, and do something just before a step."""

    def carry_out(module: str, name: str, first: Callable[[], None]) -> RebuildStatus:
        target = importlib.import_module(module)
        real = getattr(target, name)
        done: list[bool] = []

        def wrapped(*args: object, **named: object) -> object:
            if not done:
                done.append(True)
                first()
            return real(*args, **named)

        monkeypatch.setattr(target, name, wrapped)
        return rebuilt(plant)

    return carry_out


STEPS = [
    ("trackyard.actions.platform.rebuild_run", "each_part"),
    pytest.param("trackyard.analytics.maintenance.rebuild", "copy_slice", marks=LONG),
    pytest.param("trackyard.store.conversions.events", "list_rebuild_conversions", marks=LONG),
    ("trackyard.analytics.maintenance.comparison", "compare_period"),
    pytest.param("trackyard.store.conversions.events", "count_conversions", marks=LONG),
    pytest.param("trackyard.store.conversions.events", "last_pending_event_id", marks=LONG),
    pytest.param("trackyard.analytics.maintenance.comparison", "split_into_periods", marks=LONG),
]


@pytest.mark.parametrize(("module", "name"), STEPS)
def test_rebuild_includes_rows_loaded_meanwhile(
    plant: SteppedInstallation, stepped: Callable[[str, str, Callable[[], None]], RebuildStatus], module: str, name: str
) -> None:
    def work() -> None:
        known = plant.click(1, 1, "a" * 24)
        plant.call(clickid=known.id, status="2")
        plant.settle()
        plant.call(clickid=known.id, status="1")
        held = plant.click(1, 1, "a" * 24)
        plant.call(clickid=held.id, status="5")
        plant.settle()

    status = stepped(module, name, work)
    assert (status.stage, status.why, named(status)) == (RebuildStage.SWAPPED, "", [])
    assert reconcile(plant.api.deps).differences == []
    assert rebuilt(plant, RebuildMode.CHECK).findings.differences == []


class BackgroundTraffic:
    """Run endless clicks, postbacks, edits and impressions with their workers, in threads."""

    def __init__(self, plant: SteppedInstallation) -> None:
        self._plant = plant
        self._stop = threading.Event()
        self._failures: list[BaseException] = []
        tasks = (self._record, self._project, self._decide)
        self._threads = [threading.Thread(target=self._guarded, args=(duty,)) for duty in tasks]
        self.clicks = 0

    def __enter__(self) -> "BackgroundTraffic":
        for thread in self._threads:
            thread.start()
        wait_until(lambda: self.clicks > 20, seconds=30)
        return self

    def __exit__(self, *_: object) -> None:
        self._stop.set()
        for thread in self._threads:
            thread.join()
        assert self._failures == []
        self._plant.settle()

    def _guarded(self, duty: Callable[[], None]) -> None:
        try:
            duty()
        except BaseException as failure:
            self._failures.append(failure)

    def _record(self) -> None:
        plant, known = self._plant, list[str]()
        while not self._stop.wait(0.002):
            click = plant.click(1, 1, "a" * 24, reason="" if self.clicks % 5 else "bot")
            self.clicks += 1
            if click.reason == "":
                known.append(click.id)
                plant.call(clickid=click.id, status="2")
            if len(known) > 10:
                plant.call(clickid=known.pop(0), status="1")
            if self.clicks % 10 == 0:
                plant.write_checkpoint()

    def _project(self) -> None:
        self._plant.projector.run(self._stop)

    def _decide(self) -> None:
        while not self._stop.wait(0.01):
            self._plant.converter.step()


@pytest.mark.long_on_postgresql
def test_rebuild_under_traffic_repairs_findings(either: SteppedInstallation) -> None:
    plant, spoils = either, [SPOILS[name] for name in ("a click lost", "a fact doubled")]
    for sql, _, _ in spoils:
        run(plant, sql)
    wanted = [[(what, *words) for _, what, words in spoils], []]
    with BackgroundTraffic(plant) as traffic:
        for differences in wanted:
            status = rebuilt(plant, RebuildMode.ACCEPT, pause=0.3)
            assert (status.stage, status.why, named(status)) == (RebuildStage.SWAPPED, "", differences)
    assert rows(plant, "click") == traffic.clicks + 4
    assert reconcile(plant.api.deps).differences == []
    assert rebuilt(plant, RebuildMode.CHECK).findings.differences == []


def test_rebuild_on_clickhouse_server_swaps_tables(
    sqlite_database: Database, clickhouse_address: str, tmp_path: Path
) -> None:
    """ClickHouse over the wire."""
    analytics = Analytics.open(clickhouse_address, database="rebuild")
    migrate(analytics)
    for plant in _filled_installation(sqlite_database, analytics, tmp_path):
        run(plant, SPOILS["a click lost"][0])
        _lose_journal(plant)
        assert rebuilt(plant, RebuildMode.ACCEPT).stage is RebuildStage.SWAPPED
        status = rebuilt(plant)
        assert (status.stage, status.why, named(status), status.carried) == (RebuildStage.SWAPPED, "", [], 4)
        assert reconcile(plant.api.deps).differences == []
    analytics.run("DROP DATABASE rebuild")
    analytics.close()


def _erase(plant: SteppedInstallation, subject: ErasureSubject, value: str) -> None:
    with plant.database.write() as conn:
        erasures.add(conn, subject, value, "5" * 24, plant.clock.now_ms())
        everything = erasures.get_erased(conn)
    empty_erased(plant.analytics, everything)


def test_rebuild_does_not_restore_erased_data(plant: SteppedInstallation) -> None:
    strange = 'ü "quoted" \\ /slash/ \u2028 \t 🐍 <&>'
    personal = {
        "ip": "192.0.2.77",
        "ua": strange,
        "user_id": "user-1",
        "sub1": strange,
        "referrer": "https://r.example/",
    }
    one = plant.click(1, 1, "a" * 24, **personal)
    other = plant.click(1, 1, "a" * 24, **{**personal, "user_id": "another"})
    plant.settle()
    _erase(plant, ErasureSubject.CLICK, one.id)
    _erase(plant, ErasureSubject.AFFILIATE, "1")
    status = rebuilt(plant)
    assert (status.stage, status.why, named(status)) == (RebuildStage.SWAPPED, "", [])
    sql = "SELECT ip, ua, user_id, referrer, sub1 FROM click WHERE id IN {ids:Array(String)}"
    found = plant.analytics.rows(sql, {"ids": [one.id, other.id]}, tuple[str, ...])
    assert found == [("", "", "", "", strange)] * 2
    assert rows(plant, "click_lookup WHERE position(record, '192.0.2.77') > 0") == 0


def test_rebuild_repeats_erasures_requested_meanwhile(
    plant: SteppedInstallation, stepped: Callable[[str, str, Callable[[], None]], RebuildStatus]
) -> None:
    click = plant.click(1, 1, "a" * 24, ip="192.0.2.77")
    plant.settle()

    def erase() -> None:
        with plant.database.write() as conn:
            made = erasures.add(conn, ErasureSubject.CLICK, click.id, "5" * 24, plant.clock.now_ms())
            erasures.finish_sql(conn, made.number, plant.clock.now_ms())
            erasures.finish_analytics(conn, [made.number], plant.clock.now_ms())

    assert (
        stepped("trackyard.store.conversions.events", "list_rebuild_conversions", erase).stage is RebuildStage.SWAPPED
    )
    with plant.database.read() as conn:
        assert [each.value for each in erasures.list_not_in_sql(conn)] == [click.id]


def test_rebuild_keeps_rows_of_other_machines(plant: SteppedInstallation) -> None:
    """Another machine loads its journal meanwhile: old rows are carried over, new ones go to both tables."""
    with plant.database.write() as conn:
        number = edges.claim_edge(conn, "e" * 24, 0, plant.clock.now_ms())
    foreign = JournalWriter(plant.home / "elsewhere", number, plant.clock)
    theirs = JournalLoader(plant.database, plant.analytics, plant.home / "elsewhere", plant.clock)

    made: list[str] = []

    def click() -> None:
        now = plant.clock.now_ms()
        made.append(new_click_id(now, number))
        foreign.append(RecordKind.CLICK, encode(new_click(1, time=now, id=made[-1])))
        plant.clock.advance(400)
        foreign.write_checkpoint(plant.clock.now_ms())
        theirs.load_next()

    click()
    patch = pytest.MonkeyPatch()
    for name in ("list_slices", "count_conversion_events", "add_late_events"):
        real = getattr(rebuild, name)

        def wrapped(*args: object, real: Callable[..., object] = real) -> object:
            click()
            return real(*args)

        patch.setattr(rebuild, name, wrapped)
    status = rebuilt(plant)
    patch.undo()
    theirs.load_next()  # what came while nothing was loaded
    assert len(made) == 4
    assert (status.stage, status.why, named(status), status.carried) == (RebuildStage.SWAPPED, "", [], 1)
    assert (rows(plant, "click"), rows(plant, "click_lookup")) == (4 + len(made), 4 + len(made))
    assert reconcile(plant.api.deps).differences == []
    foreign.close()
