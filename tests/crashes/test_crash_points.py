"""A death or an error at each place that changes a file or a store: nothing is lost or doubled."""

import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import Final

import pytest

from tests.crashes import backup_stories, stories
from tests.crashes.backup_stories import BackupStory, RestoreStory
from tests.crashes.injection import Injector
from tests.crashes.points import FAULTS, find_points, points_of
from tests.crashes.stories import CrashStory, TrafficStory
from tests.support.stores.analytics import empty_store
from tests.support.stores.shared_statements import open_database
from trackyard.runtime import compiled

pytestmark = pytest.mark.chaos

STORIES: Final = (*stories.STORIES, *backup_stories.STORIES)
AFTER_FAULTS: Final = (
    (BackupStory, "store/backup/folder_target.py:FolderTarget.put:2"),
    (RestoreStory, "store/backup/sqlite_snapshot.py:restore_sqlite:1"),
)
"""Stories and faults, which reach what is done after a fault."""
UNREACHED: Final = {
    "analytics/maintenance/retention.py:_wait_for_mutations:1": "ClickHouse says that it cannot change a table",
    "store/backup/postgresql_snapshot.py:PostgresqlSnapshot.copy_to:1": "a file of the scratch copy, as that of SQLite",
    "store/backup/postgresql_snapshot.py:_restore_rows:1": "one transaction: tests/store/test_backup_postgresql.py",
    "jobs/loading/click_lookups.py:ClickLookupServer.__init__:1": "a socket, made again at each start",
    "jobs/loading/click_lookups.py:ClickLookupServer.run:1": "as above",
    "jobs/loading/table_freezes.py:FreezeServer.__init__:1": "as above",
    "jobs/loading/table_freezes.py:FreezeServer.run:1": "as above",
    "jobs/turns.py:JobTurns.take:1": "machines that share PostgreSQL: tests/jobs/schedule/test_job_turns.py",
    "jobs/turns.py:JobTurns.end:1": "as above",
}
"""Points that no story reaches, and why."""
COMPILED: Final = tuple(f"{name.removeprefix('trackyard.').replace('.', '/')}.py:" for name in compiled.MODULES)
"""Where points in compiled modules begin: script/test looks at them in the plain form, which shows calls."""
SIXTH: Final = 6
_numbers = count(1)

Run = Callable[[type[CrashStory], Injector], None]
Reached = dict[type[CrashStory], dict[str, int]]


@pytest.fixture(scope="module")
def run(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Run:
    """Run a story on stores of its own."""

    @contextmanager
    def begin_story(kind: type[CrashStory]) -> Iterator[CrashStory]:
        home = tmp_path_factory.mktemp("story") / str(next(_numbers))
        home.mkdir()
        with ExitStack() as stack:
            path = home.with_name("trackyard.db")
            shutil.copy(migrated_sqlite, path)
            database = open_database(f"sqlite:///{path}")
            stack.callback(database.close)
            analytics = stack.enter_context(empty_store())
            story = kind(database, analytics, home)
            stack.callback(story.close)
            yield story
        shutil.rmtree(home.parent, ignore_errors=True)

    def run(kind: type[CrashStory], injector: Injector) -> None:
        with begin_story(kind) as story:
            story.run(injector)

    return run


@pytest.fixture(scope="module")
def reached(run: Run) -> Reached:
    """The points that each story reaches without a fault, and how often."""
    found = {}
    for kind in STORIES:
        injector = Injector()
        run(kind, injector)
        found[kind] = dict(sorted(injector.reached.items()))
    return found


def faults_of(name: str) -> tuple[str, ...]:
    return FAULTS[find_points()[name].kind]


def test_points_are_found_in_code() -> None:
    source = """
class Writer:
    def close(self):
        os.fsync(1)
        with self._database.write() as conn:
            text.replace("a", "b")
            path.unlink(missing_ok=True)
        self._analytics.insert("t", [])
        file.write(b"")
"""
    found = [(point.name, point.kind) for point in points_of(source, Path("writer.py"))]
    kinds = ("sync", "commit", "unlink", "insert")
    assert found == [(f"writer.py:Writer.close:{number}", kind) for number, kind in enumerate(kinds, 1)]


def test_every_point_of_the_code_is_reached_by_a_story(run: Run, reached: Reached) -> None:
    """A new write, sync, rename, commit or insert needs a story that reaches it, or a reason in UNREACHED."""
    known = {name for names in reached.values() for name in names}
    for kind, point in AFTER_FAULTS:
        injector = Injector(point, "error")
        run(kind, injector)
        known |= set(injector.reached)
    unseen = {name for name in find_points() if compiled.in_use() and name.startswith(COMPILED)}
    assert sorted(set(find_points()) - known - set(UNREACHED) - unseen) == []
    assert sorted(set(UNREACHED) - set(find_points())) == [], "they are not in the code any more"
    assert sorted(set(UNREACHED) & known) == [], "they are reached"


@pytest.mark.parametrize(
    "kind", [TrafficStory, pytest.param(BackupStory, marks=pytest.mark.long)], ids=lambda kind: kind.__name__
)
def test_fault_at_some_points_loses_and_doubles_nothing(run: Run, reached: Reached, kind: type[CrashStory]) -> None:
    """The next kind of fault at every sixth point of a story; the next test takes all."""
    for number, name in enumerate(list(reached[kind])[::SIXTH]):
        faults = faults_of(name)
        inject(run, kind, name, faults[number % len(faults)])


@pytest.mark.long
@pytest.mark.parametrize("passes", [0, 1])
@pytest.mark.parametrize("kind", STORIES, ids=lambda kind: kind.__name__)
def test_every_fault_at_each_point_loses_and_doubles_nothing(
    run: Run, reached: Reached, kind: type[CrashStory], passes: int
) -> None:
    """Every kind of fault at each point, the first time it is passed and the second time."""
    for name, times in reached[kind].items():
        if times > passes and not name.startswith(kind.elsewhere):
            for fault in faults_of(name):
                inject(run, kind, name, fault, passes)


def inject(run: Run, kind: type[CrashStory], point: str, fault: str, passes: int = 0) -> None:
    injector = Injector(point, fault, passes)
    try:
        run(kind, injector)
    except BaseException as error:
        error.add_note(f"after the fault {fault!r} at {point}")
        raise
    assert injector.happened, (point, fault)
