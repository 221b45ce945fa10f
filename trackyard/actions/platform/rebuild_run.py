"""One rebuild of clicks, views and facts, from its gate to the swap (docs/decisions/0030)."""

import logging
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from trackyard.actions.platform.rebuild import Step, Told, Wish
from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.load import click_item, load_beside, lookup_item
from trackyard.analytics.maintenance import comparison, shadow_tables
from trackyard.analytics.maintenance import rebuild as analytic
from trackyard.analytics.maintenance.comparison import COMPARED, Compared, Sums, Underway, Unlike
from trackyard.analytics.maintenance.rebuild import Places
from trackyard.base.clock import Clock
from trackyard.base.metrics import REBUILT_ROWS
from trackyard.domain.conversions.events import fact_of
from trackyard.domain.platform.erasures import NOTHING_ERASED, Erased
from trackyard.domain.statistics.rows import encode_row
from trackyard.journal import segments
from trackyard.journal.archive import ArchiveDamaged
from trackyard.journal.erasing import cleaned
from trackyard.journal.full_reader import each_part
from trackyard.journal.records import Kind
from trackyard.store.conversions import events
from trackyard.store.engine.database import Connection, Database
from trackyard.store.platform import erasures, rebuilds, reconciliation
from trackyard.store.platform.rebuilds import Gate, Stage
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking import edges

log = logging.getLogger("trackyard.rebuild")

_BLOCK: Final = 50_000
"""Rows of one insert."""
_PAGE: Final = 5_000
_DRAIN_LOOKS: Final = 600
_DRAIN_SECONDS: Final = 0.2
_LOOK_SECONDS: Final = 0.5
_TABLES: Final = {Kind.CLICK: "click", Kind.VIEW: "view"}


class Failed(Exception):
    """The new tables cannot be trusted; the text says why."""


@dataclass(slots=True)
class _Block:
    """Rows that are to be loaded together; `lookups` stay empty for views."""

    journals: list[str] = field(default_factory=list)
    items: list[bytes] = field(default_factory=list)
    lookups: list[bytes] = field(default_factory=list)


class Rebuilding:
    """A rebuild whose gate is open in `gate`. `carry_out` belongs to one thread. pause: is called to wait for some
    seconds, and raises Stopped when nobody wants the rebuild any more."""

    def __init__(
        self,
        database: Database,
        analytics: Analytics,
        journals: Path,
        clock: Clock,
        gate: Gate,
        state: Told,
        pause: Callable[[float], None],
    ) -> None:
        self._database = database
        self._analytics = analytics
        self._journals = journals
        self._clock = clock
        self._state = state
        self._pause = pause
        self._erased: Erased = NOTHING_ERASED
        self._tokens = 0
        self._again = 0
        self._made: dict[str, Counter[str]] = {table: Counter() for table in _TABLES.values()}
        self.gate = gate

    def carry_out(self, wish: Wish) -> None:
        """Fills the tables beside the live ones, compares, and swaps as is wished. Raises Failed, Stopped, and what
        the stores raise: then `give_up`."""
        shadow_tables.make_beside(self._analytics)
        places = self._read_journals(*self._open_gate())
        self._carry(places)
        self._make_facts()
        self._check(places)
        self._compare()
        if wish is Wish.ACCEPT or (wish is Wish.SWAP and not self._state.findings.count):
            self._swap()
        else:
            self._end(Stage.KEPT)
        shadow_tables.drop_beside(self._analytics)

    def give_up(self) -> None:
        """Ends it without more ado: the live tables stay, whichever they are."""
        if not self.gate.stage.ended:
            self._end(Stage.FAILED)
        shadow_tables.drop_beside(self._analytics)

    # --- the gate ---------------------------------------------------------------------------------------

    def _open_gate(self) -> tuple[dict[int, tuple[str, int]], frozenset[int]]:
        """From its commit on all that is loaded goes to both; what was loaded before it: by edge the (journal,
        position) before which everything is, and the edges of which nothing is."""
        with self._database.write() as conn:
            self.gate = rebuilds.move(conn, self.gate, Stage.DOUBLING, self._clock.now_ms())
            self._erased = erasures.find_all(conn)
            unfinished = [*erasures.list_not_in_sql(conn), *erasures.list_not_in_analytics(conn)]
            self._again = min([self._erased.newest, *(each.number - 1 for each in unfinished)])
            reached, waiting = _loaded(conn)
        self._state.stage = self.gate.stage
        return reached, waiting

    def _end(self, stage: Stage) -> None:
        swapping = self.gate.stage is Stage.SWAPPING
        with self._database.write() as conn:
            self.gate = rebuilds.move(conn, self.gate, stage, self._clock.now_ms())
            if swapping:  # what was erased since then was erased where nobody looks any more
                erasures.carry_out_again(conn, self._again)
        self._state.stage = stage

    # --- clicks and views -------------------------------------------------------------------------------

    def _read_journals(self, reached: dict[int, tuple[str, int]], waiting: frozenset[int]) -> Places:
        """Makes rows of every journal that is here, up to where it is loaded."""
        ends = self._ends(reached)
        self._state.begin(Step.JOURNALS, sum(ends.values()))
        blocks = {kind: _Block() for kind in _TABLES}
        read: list[str] = []
        gaps: dict[str, list[tuple[int, int]]] = defaultdict(list)
        for journal, end in ends.items():
            try:
                for gap in self._read_journal(journal, end, blocks):
                    gaps[journal].append(gap)
                read.append(journal)
            except (FileNotFoundError, ArchiveDamaged):
                continue  # gone meanwhile, before anything of it was read: its rows are carried over
        for kind, block in blocks.items():
            self._load(kind, block)
        return Places(reached, waiting, tuple(read), gaps)

    def _ends(self, reached: dict[int, tuple[str, int]]) -> dict[str, int]:
        """By journal that is here how many of its bytes are loaded."""
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

    def _read_journal(self, journal: str, end: int, blocks: dict[Kind, _Block]) -> Iterator[tuple[int, int]]:
        """Adds its rows to the blocks and loads those that are full; the damaged places."""
        erased, done = self._erased, 0
        for part in each_part(self._journals, journal, end):
            self._pause(0)
            clicks, views = blocks[Kind.CLICK], blocks[Kind.VIEW]
            for position, kind, payload in part.records:
                if kind != Kind.CLICK and kind != Kind.VIEW:
                    continue
                block = clicks if kind == Kind.CLICK else views
                kept = cleaned(erased, kind, payload) if erased else payload
                try:
                    lookup = lookup_item(kept)
                except ValueError:
                    continue  # kept aside when it was loaded, and told then
                block.items.append(click_item(journal, position, kept))
                block.journals.append(journal)
                if kind == Kind.CLICK:
                    block.lookups.append(lookup)
            for each, block in blocks.items():
                if len(block.items) >= _BLOCK:
                    self._load(each, block)
                    blocks[each] = _Block()
            self._state.advance(part.end - done)
            done = part.end
            yield from ((gap.start, gap.end) for gap in part.gaps)

    def _load(self, kind: Kind, block: _Block) -> None:
        table = _TABLES[kind]
        left_out = {bad.place for bad in load_beside(self._analytics, table, block.items, self._token()).bad}
        if kind is Kind.CLICK:
            lookups = [item for place, item in enumerate(block.lookups) if place not in left_out]
            load_beside(self._analytics, "click_lookup", lookups, self._token())
        self._made[table].update(journal for place, journal in enumerate(block.journals) if place not in left_out)
        REBUILT_ROWS.labels(table).inc(len(block.items) - len(left_out))

    def _token(self) -> str:
        self._tokens += 1
        return f"rebuild {self.gate.number}: {self._tokens}"

    def _carry(self, places: Places) -> None:
        """Takes over what no journal here holds: of other machines, of times before, and of damaged places."""
        parts = analytic.slices(self._analytics, places)
        self._state.begin(Step.CARRIED, sum(part.rows for part in parts))
        for part in parts:
            self._pause(0)
            analytic.carry(self._analytics, part, places)
            self._state.advance(part.rows)
            self._state.carried += part.rows

    # --- facts ------------------------------------------------------------------------------------------

    def _make_facts(self) -> None:
        """A row of each conversion as it is; then everything that it tells of has to be loaded, so that what is
        loaded later is later."""
        with self._database.read() as conn:
            self._state.begin(Step.CONVERSIONS, events.count_conversions(conn))
        after, made, lines = "", 0, list[bytes]()
        while True:
            self._pause(0)
            with self._database.read() as conn:
                page = events.list_told(conn, after, _PAGE)
            lines += [encode_row(fact_of(item, 1)) for item in page]
            if lines and (len(lines) >= _BLOCK or not page):
                made += load_beside(self._analytics, "fact", lines, self._token()).items
                REBUILT_ROWS.labels("fact").inc(len(lines))
                lines = []
            if not page:
                break
            after = page[-1].id
            self._state.advance(len(page))
        if analytic.count_facts(self._analytics) != made:
            raise Failed(f"{made} facts were loaded, and {analytic.count_facts(self._analytics)} are there")
        self._drain()

    def _drain(self) -> None:
        with self._database.read() as conn:
            last = events.last_fact_underway(conn)
        for _ in range(_DRAIN_LOOKS):
            with self._database.read() as conn:
                if not events.has_fact_underway(conn, last):
                    return
            self._pause(_DRAIN_SECONDS)
        raise Failed("what waits for the analytic store is not loaded: its projector does not get on")

    # --- whether it is right ----------------------------------------------------------------------------

    def _check(self, places: Places) -> None:
        """Whether everything that was loaded from journals is there, once."""
        for table, made in self._made.items():
            there = analytic.rows_by_journal(self._analytics, table, places)
            for journal in places.read:
                if journal not in places.gaps and there.get(journal, 0) != made[journal]:
                    raise Failed(f"{made[journal]} rows of {journal} were loaded, not {there.get(journal, 0)}")

    def _compare(self) -> None:
        spans = {each: comparison.spans_of(self._analytics, each) for each in COMPARED}
        self._state.begin(Step.COMPARED, sum(len(each) for each in spans.values()))
        for compared, all_of_it in spans.items():
            if not compared.amounts:
                self._state.figure(compared, "", Sums(), Sums())
            for span in all_of_it:
                self._pause(0)
                figures, unlike = comparison.compare_span(self._analytics, compared, span, self._underway)
                for group, (old, new) in figures.items():
                    self._state.figure(compared, group, old, new)
                for each in unlike:
                    self._differ(compared, each)
                self._state.advance(1)

    def _underway(self) -> Underway:
        """What may be loaded just now: asked before the tables are."""
        self._pause(_LOOK_SECONDS)
        with self._database.read() as conn:
            moving = frozenset(fact.conversion_id for fact in reconciliation.facts_on_their_way(conn))
            return Underway(Places(*_loaded(conn)), moving)

    def _differ(self, compared: Compared, each: Unlike) -> None:
        if each.more:
            self._state.findings.count += each.more
            return
        expected, found = _in_words(compared, each.new), _in_words(compared, each.old)
        if expected == found:
            found = f"{found}, with other columns"
        self._state.findings.differ(compared.what, each.key, expected, found)

    # --- the swap ---------------------------------------------------------------------------------------

    def _swap(self) -> None:
        """While nothing is loaded: what came later joins the new facts, and the tables change places."""
        self._state.begin(Step.SWAPPED, 1)
        with self._database.write() as conn:
            held_at = self._clock.now_ms()
            self.gate = rebuilds.move(conn, self.gate, Stage.SWAPPING, held_at)
        analytic.add_later(self._analytics)
        shadow_tables.exchange(self._analytics)
        self._end(Stage.SWAPPED)
        self._state.held_ms = self._clock.now_ms() - held_at
        self._state.advance(1)


def _loaded(conn: Connection) -> tuple[dict[int, tuple[str, int]], frozenset[int]]:
    """By edge the (journal, position) before which everything is loaded, and the edges of which nothing is."""
    reached = {each.edge: (each.journal, each.position) for each in checkpoints.each_progress(conn)}
    return reached, frozenset(each.number for each in edges.each_edge(conn)) - reached.keys()


def _in_words(compared: Compared, sums: Sums) -> str:
    if not sums.rows:
        return "nowhere" if not sums.hash else "parts of changes"
    times = "once" if sums.rows == 1 else f"{sums.rows} times"
    return f"{times}, charge {sums.charge}, payout {sums.payout}" if compared.amounts else times
