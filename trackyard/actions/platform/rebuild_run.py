"""One rebuild of the analytic store, from its start to the swap (docs/decisions/0030)."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trackyard.actions.platform.rebuild_status import RebuildMode, RebuildStatus, RebuildStep
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load_shadow_table, lookup_item
from trackyard.analytics.maintenance import comparison, shadow_tables
from trackyard.analytics.maintenance import rebuild as analytic
from trackyard.analytics.maintenance.comparison import TABLE_COMPARISONS, InFlight, RowDifference, Sums, TableComparison
from trackyard.analytics.maintenance.rebuild import RebuildCheckpoint
from trackyard.base.clock import Clock
from trackyard.base.metrics import REBUILT_ROWS
from trackyard.domain.conversions.events import event_of
from trackyard.domain.platform.erasures import NOTHING_ERASED, ErasedSubjects
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal import segments
from trackyard.journal.archive import ArchiveDamaged
from trackyard.journal.erasing import erase_record
from trackyard.journal.reader import each_part
from trackyard.journal.records import RecordKind
from trackyard.store.conversions import events
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, rebuilds, reconciliation
from trackyard.store.platform.rebuilds import RebuildStage, RebuildState
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking import edges

log = logging.getLogger("trackyard.rebuild")

_BLOCK: Final = 50_000
"""Rows of one insert."""
_PAGE: Final = 5_000
_DRAIN_CHECKS: Final = 600
_DRAIN_SECONDS: Final = 0.2
_SETTLE_SECONDS: Final = 0.5
_TABLES: Final = {RecordKind.CLICK: "click", RecordKind.IMPRESSION: "view"}


class RebuildFailed(Exception):
    """The rebuilt tables cannot be trusted; the text gives the reason."""


@dataclass(slots=True)
class _Block:
    """Rows to load together; `lookups` stay empty for impressions."""

    journals: list[str] = field(default_factory=list)
    items: list[bytes] = field(default_factory=list)
    lookups: list[bytes] = field(default_factory=list)


class RebuildProcess:
    """A rebuild that `gate` has begun. One thread calls `carry_out`.

    pause: waits some seconds; raises RebuildStopped when the rebuild is to stop.
    """

    def __init__(
        self,
        database: Database,
        analytics: Analytics,
        journals: Path,
        clock: Clock,
        gate: RebuildState,
        state: RebuildStatus,
        pause: Callable[[float], None],
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._journals = journals
        self._clock = clock
        self._state = state
        self._pause = pause
        self._erased: ErasedSubjects = NOTHING_ERASED
        self._tokens = 0
        self._first_erasure = 0
        self._made: dict[str, Counter[str]] = {table: Counter() for table in _TABLES.values()}
        self.gate = gate

    def carry_out(self, wish: RebuildMode) -> None:
        """Fill the shadow tables, compare them with the live ones, and swap them if wished.

        Raises RebuildFailed, RebuildStopped, and what the stores raise: then `abort`.
        """
        shadow_tables.create_shadow_tables(self._analytics)
        offsets = self._read_journals(*self._open_gate())
        self._carry(offsets)
        self._load_facts()
        self._check(offsets)
        self._compare()
        if wish is RebuildMode.ACCEPT or (wish is RebuildMode.SWAP and not self._state.findings.count):
            self._swap()
        else:
            self._end(RebuildStage.NOT_SWAPPED)
        shadow_tables.drop_shadow_tables(self._analytics)

    def abort(self) -> None:
        """End the rebuild as it is: the current live tables stay."""
        if not self.gate.stage.ended:
            self._end(RebuildStage.FAILED)
        shadow_tables.drop_shadow_tables(self._analytics)

    # --- the gate ---------------------------------------------------------------------------------------

    def _open_gate(self) -> tuple[dict[int, tuple[str, int]], frozenset[int]]:
        """Start to load into both tables; return what was loaded before.

        By edge the (journal, position) before which everything is loaded, and the edges without any load.
        """
        with self._database.write() as conn:
            self.gate = rebuilds.move_to_stage(conn, self.gate, RebuildStage.DUAL_WRITE, self._clock.now_ms())
            self._erased = erasures.get_erased(conn)
            unfinished = [*erasures.list_not_in_sql(conn), *erasures.list_not_in_analytics(conn)]
            self._first_erasure = min([self._erased.newest, *(each.number - 1 for each in unfinished)])
            reached, waiting = _loaded(conn)
        self._state.stage = self.gate.stage
        return reached, waiting

    def _end(self, stage: RebuildStage) -> None:
        swapping = self.gate.stage is RebuildStage.SWAPPING
        with self._database.write() as conn:
            self.gate = rebuilds.move_to_stage(conn, self.gate, stage, self._clock.now_ms())
            if swapping:  # erasures since then were made in tables that are no longer used
                erasures.restart_after(conn, self._first_erasure)
        self._state.stage = stage

    # --- clicks and views -------------------------------------------------------------------------------

    def _read_journals(self, reached: dict[int, tuple[str, int]], waiting: frozenset[int]) -> RebuildCheckpoint:
        """Rebuild the rows of every local journal, up to where it is loaded."""
        ends = self._ends(reached)
        self._state.begin(RebuildStep.JOURNALS, sum(ends.values()))
        blocks = {kind: _Block() for kind in _TABLES}
        read: list[str] = []
        gaps: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for journal, end in ends.items():
            try:
                for gap in self._read_journal(journal, end, blocks):
                    gaps[journal].append(gap)
                read.append(journal)
            except (FileNotFoundError, ArchiveDamaged):
                continue  # removed before it was read: its rows are carried over
        for kind, block in blocks.items():
            self._load(kind, block)
        return RebuildCheckpoint(reached, waiting, tuple(read), gaps)

    def _ends(self, reached: dict[int, tuple[str, int]]) -> dict[str, int]:
        """Return by local journal how many of its bytes are loaded."""
        ends: dict[str, int] = {}
        for edge, (last, position) in reached.items():
            for journal in segments.list_journals(self._journals, edge):
                if journal < last:
                    try:
                        ends[journal] = segments.end_of(self._journals, journal)
                    except (FileNotFoundError, ArchiveDamaged):
                        continue  # its rows are carried over
                elif journal == last:
                    ends[journal] = position
        return ends

    def _read_journal(self, journal: str, end: int, blocks: dict[RecordKind, _Block]) -> Iterator[tuple[int, int]]:
        """Add the rows of a journal to the blocks and load full ones; yield the damaged places."""
        erased, done = self._erased, 0
        for part in each_part(self._journals, journal, end):
            self._pause(0)
            clicks, views = blocks[RecordKind.CLICK], blocks[RecordKind.IMPRESSION]
            for position, kind, payload in part.records:
                if kind != RecordKind.CLICK and kind != RecordKind.IMPRESSION:
                    continue
                block = clicks if kind == RecordKind.CLICK else views
                kept = erase_record(erased, kind, payload) if erased else payload
                try:
                    lookup = lookup_item(kept)
                except ValueError:
                    continue  # quarantined and reported when it was loaded
                block.items.append(click_item(journal, position, kept))
                block.journals.append(journal)
                if kind == RecordKind.CLICK:
                    block.lookups.append(lookup)
            for each, block in blocks.items():
                if len(block.items) >= _BLOCK:
                    self._load(each, block)
                    blocks[each] = _Block()
            self._state.advance(part.end - done)
            done = part.end
            yield from ((gap.start, gap.end) for gap in part.gaps)

    def _load(self, kind: RecordKind, block: _Block) -> None:
        table = _TABLES[kind]
        rejected_rows = {bad.place for bad in load_shadow_table(self._analytics, table, block.items, self._token()).bad}
        if kind is RecordKind.CLICK:
            lookups = [item for place, item in enumerate(block.lookups) if place not in rejected_rows]
            load_shadow_table(self._analytics, "click_lookup", lookups, self._token())
        self._made[table].update(journal for place, journal in enumerate(block.journals) if place not in rejected_rows)
        REBUILT_ROWS.labels(table).inc(len(block.items) - len(rejected_rows))

    def _token(self) -> str:
        self._tokens += 1
        return f"rebuild {self.gate.number}: {self._tokens}"

    def _carry(self, offsets: RebuildCheckpoint) -> None:
        """Copy the rows that no local journal holds: of other machines, older times, and damaged places."""
        parts = analytic.list_slices(self._analytics, offsets)
        self._state.begin(RebuildStep.CARRIED, sum(part.rows for part in parts))
        for part in parts:
            self._pause(0)
            analytic.copy_slice(self._analytics, part, offsets)
            self._state.advance(part.rows)
            self._state.carried += part.rows

    # --- facts ------------------------------------------------------------------------------------------

    def _load_facts(self) -> None:
        """Load one event of each conversion as it is, then wait for the events before.

        So events that are loaded later are also newer.
        """
        with self._database.read() as conn:
            self._state.begin(RebuildStep.CONVERSIONS, events.count_conversions(conn))
        after, made, lines = "", 0, list[bytes]()
        while True:
            self._pause(0)
            with self._database.read() as conn:
                page = events.list_rebuild_conversions(conn, after, _PAGE)
            lines += [encode_row(event_of(item, 1)) for item in page]
            if lines and (len(lines) >= _BLOCK or not page):
                made += load_shadow_table(self._analytics, "fact", lines, self._token()).items
                REBUILT_ROWS.labels("fact").inc(len(lines))
                lines = []
            if not page:
                break
            after = page[-1].id
            self._state.advance(len(page))
        if analytic.count_conversion_events(self._analytics) != made:
            raise RebuildFailed(
                f"{made} conversion events were loaded, and {analytic.count_conversion_events(self._analytics)} exist"
            )
        self._drain()

    def _drain(self) -> None:
        with self._database.read() as conn:
            last = events.last_pending_event_id(conn)
        for _ in range(_DRAIN_CHECKS):
            with self._database.read() as conn:
                if not events.has_pending_events(conn, last):
                    return
            self._pause(_DRAIN_SECONDS)
        raise RebuildFailed("queued rows were not loaded in time: its projector makes no progress")

    # --- checks -----------------------------------------------------------------------------------------

    def _check(self, offsets: RebuildCheckpoint) -> None:
        """Check that all rows of journals are there once."""
        for table, made in self._made.items():
            there = analytic.count_rows_by_journal(self._analytics, table, offsets)
            for journal in offsets.read:
                if journal not in offsets.gaps and there.get(journal, 0) != made[journal]:
                    raise RebuildFailed(f"{made[journal]} rows of {journal} were loaded, not {there.get(journal, 0)}")

    def _compare(self) -> None:
        spans = {each: comparison.split_into_periods(self._analytics, each) for each in TABLE_COMPARISONS}
        self._state.begin(RebuildStep.COMPARED, sum(len(each) for each in spans.values()))
        for compared, compared_spans in spans.items():
            if not compared.amounts:
                self._state.add_sums(compared, "", Sums(), Sums())
            for span in compared_spans:
                self._pause(0)
                sums_by_group, unlike = comparison.compare_period(self._analytics, compared, span, self._underway)
                for group, (old, new) in sums_by_group.items():
                    self._state.add_sums(compared, group, old, new)
                for each in unlike:
                    self._report_difference(compared, each)
                self._state.advance(1)

    def _underway(self) -> InFlight:
        """Return the changes that may be loading now. Call it before the tables are read."""
        self._pause(_SETTLE_SECONDS)
        with self._database.read() as conn:
            moving = frozenset(fact.conversion_id for fact in reconciliation.pending_events(conn))
            return InFlight(RebuildCheckpoint(*_loaded(conn)), moving)

    def _report_difference(self, compared: TableComparison, each: RowDifference) -> None:
        if each.more:
            self._state.findings.count += each.more
            return
        expected, found = _describe(compared, each.new), _describe(compared, each.old)
        if expected == found:
            found = f"{found}, with other columns"
        self._state.findings.add_discrepancy(compared.what, each.key, expected, found)

    # --- the swap ---------------------------------------------------------------------------------------

    def _swap(self) -> None:
        """Add later events and swap the tables, while nothing is loaded."""
        self._state.begin(RebuildStep.SWAPPED, 1)
        with self._database.write() as conn:
            held_at = self._clock.now_ms()
            self.gate = rebuilds.move_to_stage(conn, self.gate, RebuildStage.SWAPPING, held_at)
        analytic.add_late_events(self._analytics)
        shadow_tables.swap_shadow_tables(self._analytics)
        self._end(RebuildStage.SWAPPED)
        self._state.paused_ms = self._clock.now_ms() - held_at
        self._state.advance(1)


def _loaded(conn: Connection) -> tuple[dict[int, tuple[str, int]], frozenset[int]]:
    """Return by edge the (journal, position) that is loaded, and the edges without any load."""
    reached = {each.edge: (each.journal, each.position) for each in checkpoints.get_checkpoints(conn)}
    return reached, frozenset(each.number for each in edges.each_edge(conn)) - reached.keys()


def _describe(compared: TableComparison, sums: Sums) -> str:
    if not sums.rows:
        return "nowhere" if not sums.hash else "parts of changes"
    times = "once" if sums.rows == 1 else f"{sums.rows} times"
    return f"{times}, charge {sums.charge}, payout {sums.payout}" if compared.amounts else times
