"""The projector: loads journals and the outbox, and publishes the ruleset.

It runs in threads of the process that holds the analytic store. Every task can be repeated, so a failed one is logged
and retried, and a kill at any place loses nothing.
"""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass, field
from pathlib import Path

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import Turn
from trackyard.base.clock import Clock
from trackyard.base.metrics import PROJECTOR_SUCCESS, QUEUE_DEPTH, QUEUE_LAG
from trackyard.jobs.failures import JobFailures
from trackyard.jobs.loading.journals import JournalLoader
from trackyard.jobs.loading.outbox import OutboxLoader
from trackyard.jobs.loading.rulesets import RulesetPublisher
from trackyard.jobs.schedule.cap_notices import ClickCapNotifier
from trackyard.jobs.schedule.offer_metrics import OfferMetricsRefresher
from trackyard.jobs.schedule.rules import RuleRunner
from trackyard.jobs.schedule.usual_times import UsualTimesRefresher
from trackyard.journal.watch import JournalWatcher
from trackyard.store.engine.database import Database
from trackyard.store.engine.queue_depths import get_queue_states
from trackyard.store.engine.watch import ChangeGate, CommitWatcher

log = logging.getLogger("trackyard.projector")

_TICK_SECONDS = 0.1
_IDLE_TICK_SECONDS = 0.2
_IDLE_TICKS = 100
"""After so many ticks with nothing to do, a tick takes longer: to wake a thread costs more than what it looks at."""
_RETRY_MS = 200
_MAX_RETRY_MS = 10_000
_REST_S = 5.0
"""A stop loads what is left for so long."""
BACKLOG_S = 30.0
"""Statistics that are older than this lack enough to say so."""
_FAILURES_TO_REPORT = 3
"""This many failures of a task in a row need a person to look."""


@dataclass(slots=True)
class _ProjectorTask:
    """A periodic task.

    every_ms: between two calls when there was nothing to do.
    work: does a part; returns whether there was anything to do.
    gate: closed while it can have nothing to do; None = it runs whenever it is due.
    done: how often it had something to do.
    """

    name: str
    every_ms: int
    work: Callable[[], bool]
    due_at: int = 0
    gate: ChangeGate | None = None
    done: int = 0
    failures: JobFailures = field(init=False)

    def __post_init__(self) -> None:
        self.failures = JobFailures(log, "projector", self.name, first_s=_RETRY_MS / 1000, most_s=_MAX_RETRY_MS / 1000)


class Projector:
    """Run the tasks: journals of `journal_dir`, ruleset to `rules_dir`, on a migrated analytic store.

    One a journal directory. `run` belongs to one thread; any may call `lag`.

    directory_id: only edges that are leased to this data directory are loaded; None = every one that wrote there.
    """

    def __init__(
        self,
        database: Database,
        analytics: Analytics,
        journal_dir: Path,
        rules_dir: Path,
        clock: Clock,
        directory_id: str | None = None,
        turn: Turn = nullcontext,
    ) -> None:
        """Create a projector. turn: of each piece of a backlog (jobs/loading/pace.py)."""
        journal_dir.mkdir(parents=True, exist_ok=True)
        self._database = database
        self._analytics = analytics
        self._journal_dir = journal_dir
        self._clock = clock
        self.rules = RulesetPublisher(database, rules_dir, clock)
        self.journals = JournalLoader(database, analytics, journal_dir, clock, directory_id, turn)
        self.outbox = OutboxLoader(database, analytics, journal_dir, clock, turn)
        self.figures = OfferMetricsRefresher(database, analytics, clock, self._count_loads)
        self.notices = ClickCapNotifier(database, analytics, clock)
        self.automation = RuleRunner(database, analytics, clock, self.journals.lag_ms)
        self.usual_times = UsualTimesRefresher(database, analytics, clock)
        self._rules = (_ProjectorTask("rules", 100, self.rules.publish),)
        self._tasks = (
            _ProjectorTask("journals", 100, self.journals.load_next),
            _ProjectorTask("waiting", 500, self.journals.resolve_waiting),
            _ProjectorTask("outbox", 300, self.outbox.load_next),
            _ProjectorTask("figures", 1000, self.figures.refresh_when_due),
            _ProjectorTask("notices", 100, self.notices.check_next_offer),
            _ProjectorTask("automation", 1000, self.automation.run_next),
            _ProjectorTask("times", 1000, self.usual_times.refresh_when_due),
            _ProjectorTask("parts", 1000, self._check_parts),
            _ProjectorTask("queues", 5000, self._measure_queues),
        )
        self._last_round_at = time.monotonic()

    def log_backlog(self) -> None:
        """Find what waits to be loaded, and log it where it is much; `run` follows."""
        try:
            self.journals.find_backlog()
            lag_s, waiting = self.lag()["journal"], self.journals.backlog_bytes()
        except Exception as error:  # loading meets it too, and repeats
            log.warning("backlog of journals not found", extra={"error": str(error)})
            return
        if lag_s > BACKLOG_S:
            log.info("backlog of journals", extra={"lag_s": round(lag_s), "bytes": waiting})

    def run(self, stop: threading.Event) -> None:
        """Work until `stop` is set, and finish what is begun.

        The ruleset has its own thread: a long load or report delays no ban.
        """
        ended = threading.Event()
        with self._gates():
            rules = threading.Thread(target=self._publish_rules, args=(stop, ended), name="rules")
            rules.start()
            try:
                ticks = 0
                while not stop.is_set():
                    busy = self._run_due(self._tasks)
                    self._last_round_at = time.monotonic()
                    ticks = 0 if busy else ticks + 1
                    stop.wait(_pause_after(ticks))
            finally:
                ended.set()
                rules.join()
        self._load_rest()

    def _load_rest(self) -> None:
        """Load what the edges wrote until they ended, so that a machine that never comes back leaves nothing."""
        until = time.monotonic() + _REST_S
        try:
            while self.journals.load_next() and time.monotonic() < until:
                pass
        except Exception as error:  # the next start loads it
            log.warning("journals not loaded at the stop", extra={"error": str(error)})

    @contextmanager
    def _gates(self) -> Iterator[None]:
        """Let tasks look for work only when something changed; each thread has a watch of its own."""
        with closing(CommitWatcher(self._database)) as of_rules, closing(CommitWatcher(self._database)) as of_tasks:
            journals = JournalWatcher(self._journal_dir)
            gated = {
                "rules": ChangeGate(of_rules.state),
                "journals": ChangeGate(lambda: (of_tasks.state(), journals.state())),
                "waiting": ChangeGate(of_tasks.state),
                "outbox": ChangeGate(of_tasks.state),
            }
            for each in (*self._rules, *self._tasks):
                each.gate = gated.get(each.name)
            try:
                yield
            finally:
                for each in (*self._rules, *self._tasks):
                    each.gate = None

    def step(self) -> bool:
        """Run every task that is due once; return whether any had something to do. Not while `run` runs."""
        busy = self._run_due(self._rules) | self._run_due(self._tasks)
        self._last_round_at = time.monotonic()
        return busy

    def _publish_rules(self, stop: threading.Event, ended: threading.Event) -> None:
        ticks = 0
        while not stop.is_set() and not ended.is_set():
            ticks = 0 if self._run_due(self._rules) else ticks + 1
            stop.wait(_pause_after(ticks))

    def _run_due(self, tasks: tuple[_ProjectorTask, ...]) -> bool:
        busy = False
        for each in tasks:
            if self._is_due(each) and (each.gate is None or each.gate.is_open()):
                busy |= self._run_task(each)
        return busy

    def drain(self) -> None:
        """Work until nothing is left that can be done now, apart from failures; for tests and rebuilds."""
        while True:
            for each in (*self._rules, *self._tasks):
                each.due_at = 0
            if not self.step():
                return

    def lag(self) -> dict[str, float]:
        """Return seconds: `journal`, age of the oldest record to load; `projector`, since its last round."""
        return {
            "journal": max(0, self.journals.lag_ms()) / 1000,
            "projector": time.monotonic() - self._last_round_at,
        }

    def failing(self) -> list[str]:
        """Return, by name, the tasks that keep failing and are still retried."""
        return [each.name for each in (*self._rules, *self._tasks) if each.failures.count >= _FAILURES_TO_REPORT]

    def _is_due(self, step: _ProjectorTask) -> bool:
        """Return whether a task is due, also when the clock was set back: no wait exceeds the longest."""
        return not 0 < step.due_at - self._clock.now_ms() <= _MAX_RETRY_MS

    def _run_task(self, step: _ProjectorTask) -> bool:
        try:
            busy = step.work()
        except Exception as error:
            # Whatever failed (disk full, a lost store): the state is in SQL, and a repeat is safe.
            step.due_at = self._clock.now_ms() + round(step.failures.failed(error) * 1000)
            return False
        step.failures.worked()
        step.done += busy
        if step.gate is not None and not busy:
            step.gate.set_idle()
        PROJECTOR_SUCCESS.labels(step.name).set(self._clock.now_ms() / 1000)
        step.due_at = self._clock.now_ms() + (0 if busy else step.every_ms)
        return busy

    def _count_loads(self) -> int:
        """Return how often a task had something to do: without it the statistics are as they were."""
        return sum(each.done for each in self._tasks)

    def _check_parts(self) -> bool:
        return self._analytics.parts is not None and self._analytics.parts.check_when_due()

    def _measure_queues(self) -> bool:
        with self._database.read() as connection:
            for state in get_queue_states(connection, self._clock.now_ms()):
                QUEUE_DEPTH.labels(state.queue).set(state.depth)
                QUEUE_LAG.labels(state.queue).set(state.lag_ms / 1000)
        return False


def _pause_after(ticks: int) -> float:
    """Return the seconds until the next tick. ticks: with nothing to do, the last ones."""
    if not ticks:
        return 0
    return _TICK_SECONDS if ticks < _IDLE_TICKS else _IDLE_TICK_SECONDS
