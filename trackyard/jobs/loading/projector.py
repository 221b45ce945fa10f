"""The projector: journals → analytic store and inbox, outbox → analytic store, rules → edges.

Threads of the process that holds the analytic store. Everything it does can be repeated, so what fails is
logged and tried again; nothing it works on is lost by a kill at any place.
"""

import logging
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from trackyard.analytics.engine.connection import Analytics
from trackyard.base.clock import Clock
from trackyard.base.metrics import QUEUE_DEPTH, QUEUE_LAG
from trackyard.jobs.loading.journals import JournalLoader
from trackyard.jobs.loading.outbox import OutboxLoader
from trackyard.jobs.loading.rulesets import RulesetPublisher
from trackyard.jobs.schedule.cap_notices import ClickCapNotifier
from trackyard.jobs.schedule.offer_metrics import OfferMetricsRefresher
from trackyard.store.engine.database import Database
from trackyard.store.engine.queue_depths import get_queue_states

log = logging.getLogger("trackyard.projector")

_TICK_SECONDS = 0.1
_RULES_TICK_SECONDS = 0.05
_RETRY_MS = 200
_MAX_RETRY_MS = 10_000
_FAILURES_TO_REPORT = 3
"""A duty that failed so often in a row needs a person to look."""


@dataclass(slots=True)
class _ProjectorTask:
    """One duty. `every_ms`: between two looks when there was nothing to do · `work` says whether there was."""

    name: str
    every_ms: int
    work: Callable[[], bool]
    due_at: int = 0
    failures: int = 0


class Projector:
    """Runs the duties. Journals in `journal_dir`, rules to `rules_dir`; the analytic store is migrated.

    One a journal directory. `run` belongs to one thread; `lag` may be called from any.
    """

    def __init__(
        self, database: Database, analytics: Analytics, journal_dir: Path, rules_dir: Path, clock: Clock
    ) -> None:
        journal_dir.mkdir(parents=True, exist_ok=True)
        self._database = database
        self._clock = clock
        self.rules = RulesetPublisher(database, rules_dir, clock)
        self.journals = JournalLoader(database, analytics, journal_dir, clock)
        self.outbox = OutboxLoader(database, analytics, journal_dir, clock)
        self.figures = OfferMetricsRefresher(database, analytics, clock)
        self.notices = ClickCapNotifier(database, analytics, clock)
        self._rules = (_ProjectorTask("rules", 50, self.rules.publish),)
        self._tasks = (
            _ProjectorTask("journals", 100, self.journals.load_next),
            _ProjectorTask("waiting", 500, self.journals.resolve_waiting),
            _ProjectorTask("outbox", 300, self.outbox.load_next),
            _ProjectorTask("figures", 1000, self.figures.refresh_when_due),
            _ProjectorTask("notices", 100, self.notices.check_next_offer),
            _ProjectorTask("queues", 5000, self._measure_queues),
        )
        self._last_round_at = clock.now_ms()

    def run(self, stop: threading.Event) -> None:
        """Works until `stop` is set; what is begun is finished first. Rules have a thread of their own: a load or a
        report that takes long holds up no ban."""
        ended = threading.Event()
        rules = threading.Thread(target=self._publish_rules, args=(stop, ended), name="rules")
        rules.start()
        try:
            while not stop.is_set():
                busy = self._run_due(self._tasks)
                self._last_round_at = self._clock.now_ms()
                stop.wait(0 if busy else _TICK_SECONDS)
        finally:
            ended.set()
            rules.join()

    def step(self) -> bool:
        """Does every duty that is due once; whether any had something to do. Not while `run` runs."""
        busy = self._run_due(self._rules) | self._run_due(self._tasks)
        self._last_round_at = self._clock.now_ms()
        return busy

    def _publish_rules(self, stop: threading.Event, ended: threading.Event) -> None:
        while not stop.is_set() and not ended.is_set():
            busy = self._run_due(self._rules)
            stop.wait(0 if busy else _RULES_TICK_SECONDS)

    def _run_due(self, tasks: tuple[_ProjectorTask, ...]) -> bool:
        busy = False
        for each in tasks:
            if self._is_due(each):
                busy |= self._run_task(each)
        return busy

    def drain(self) -> None:
        """Works until nothing is left that can be done now, failures aside; for tests and rebuilds."""
        while True:
            for each in (*self._rules, *self._tasks):
                each.due_at = 0
            if not self.step():
                return

    def lag(self) -> dict[str, float]:
        """Seconds: `journal`, the age of the oldest record that could be loaded; `projector`, since it last
        went through its duties."""
        return {
            "journal": max(0, self.journals.lag_ms()) / 1000,
            "projector": max(0, self._clock.now_ms() - self._last_round_at) / 1000,
        }

    def failing(self) -> list[str]:
        """The duties that failed again and again and are still tried."""
        return [each.name for each in (*self._rules, *self._tasks) if each.failures >= _FAILURES_TO_REPORT]

    def _is_due(self, step: _ProjectorTask) -> bool:
        """Also when the clock was set back: nothing waits longer than the longest wait there is."""
        return not 0 < step.due_at - self._clock.now_ms() <= _MAX_RETRY_MS

    def _run_task(self, step: _ProjectorTask) -> bool:
        try:
            busy = step.work()
        except Exception:
            # Whatever it was (disk full, a store that is gone): the state is in SQL, and trying again is safe.
            wait = min(_RETRY_MS * 2**step.failures, _MAX_RETRY_MS)
            step.failures = min(step.failures + 1, 10)
            step.due_at = self._clock.now_ms() + wait
            log.exception("a duty of the projector failed", extra={"duty": step.name, "retry_ms": wait})
            return False
        step.failures = 0
        step.due_at = self._clock.now_ms() + (0 if busy else step.every_ms)
        return busy

    def _measure_queues(self) -> bool:
        with self._database.read() as connection:
            for state in get_queue_states(connection, self._clock.now_ms()):
                QUEUE_DEPTH.labels(state.queue).set(state.depth)
                QUEUE_LAG.labels(state.queue).set(state.lag_ms / 1000)
        return False
