"""Load conversion events and logs from the SQL outbox (docs/spec/engine.md#exactly-once)."""

from contextlib import nullcontext
from pathlib import Path

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import Turn, load
from trackyard.base.clock import Clock
from trackyard.base.ids import new_id
from trackyard.jobs.loading.quarantine import quarantine
from trackyard.store.engine.database import Database
from trackyard.store.platform import rebuilds
from trackyard.store.platform.rebuilds import RebuildState, RebuildStateChanged
from trackyard.store.statistics import outbox
from trackyard.store.statistics.outbox import Batch

_BATCH_ROWS = 5000


class OutboxLoader:
    """Load batches into the analytic store. After a start or an error, claimed batches come first."""

    def __init__(
        self, database: Database, analytics: Analytics, directory: Path, clock: Clock, turn: Turn = nullcontext
    ) -> None:
        """Create a loader. turn: of a full batch, as more of them wait."""
        self._turn = turn
        self._database = database
        self._analytics = analytics
        self._directory = directory
        self._clock = clock
        self._is_clean = False

    def load_next(self) -> bool:
        """Load a batch of each target that has rows; return whether more may wait.

        Paused while tables are swapped.
        """
        try:
            return self._load_next()
        except RebuildStateChanged:
            return True  # what was claimed is loaded again, for the gate as it is then

    def _load_next(self) -> bool:
        more = False
        with self._database.read() as connection:
            gate = rebuilds.get_rebuild_state(connection)
            unfinished = [] if self._is_clean else outbox.open_batches(connection)
            targets = outbox.find_targets(connection)
        if gate.loading_paused:
            return False
        for batch in unfinished:
            self._load(batch, gate, maybe_loaded=True)
        self._is_clean = True
        for target in targets:
            self._is_clean = False  # until it is loaded: a commit may succeed without an answer
            with self._database.write() as connection:
                claimed = outbox.claim(connection, target, _BATCH_ROWS, new_id(self._clock.now_ms()))
            if claimed is not None:
                more |= self._load(claimed, gate, maybe_loaded=False) >= _BATCH_ROWS
            self._is_clean = True
        return more

    def _load(self, batch: Batch, gate: RebuildState, *, maybe_loaded: bool) -> int:
        with self._database.read() as connection:
            items = outbox.batch_rows(connection, batch)
        done = load(
            self._analytics,
            batch.target,
            items,
            batch.id,
            maybe_loaded=maybe_loaded,
            dual_write=gate.writes_shadow_tables,
            turn=self._turn if len(items) >= _BATCH_ROWS else nullcontext,
        )
        for bad in done.bad:
            quarantine(self._directory, "outbox", f"outbox-{batch.id}-{bad.place}", items[bad.place], bad.error)
        with self._database.write() as connection:
            rebuilds.check_rebuild_state(connection, gate)
            outbox.remove(connection, batch)
        return len(items)
