"""Recovery of the state of edges from their journals (docs/decisions/0017)."""

import logging
from collections.abc import Iterator
from functools import cached_property
from pathlib import Path
from typing import Final, NamedTuple

from trackyard.decision.click.caps import OfferClickCaps
from trackyard.decision.click.route import unique_limits
from trackyard.decision.routes import Ruleset, restrictions_of
from trackyard.decision.visitor.visitor import ADDRESS_ONLY, VisitorKey, counted_visitors, sub_visitor, visitor_key
from trackyard.domain.tracking.rejections import is_rejected
from trackyard.domain.tracking.ruleset import MAX_UNIQUE_HOURS, NO_RESTRICTIONS, UNIQUE_HOURS, Restrictions
from trackyard.edge.state.counts import ClickCounts, counts_name
from trackyard.edge.state.counts_file import ClickCount
from trackyard.edge.state.synced import Position, SyncedLog, SyncRecord, find_synced_state, unexpired
from trackyard.edge.state.unique import UniqueVisitors
from trackyard.journal import segments
from trackyard.journal.durable import write_durably
from trackyard.journal.records import Click, decode_click
from trackyard.journal.records import RecordKind as Record
from trackyard.journal.ruleset_log import RulesetLogReader, RulesetSnapshot

VISITORS_FILE: Final = "visitors.map"

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

_KINDS: Final = frozenset({"advertiser", "offer", "platform"})

_log = logging.getLogger("trackyard.edge")


class _Uniqueness(NamedTuple):
    """What makes the visitors of an offer unique. clicks, hours: see `unique_limits`."""

    restrictions: Restrictions
    clicks: int
    hours: int


class Recovery:
    """Recovers the state of the edges of a machine.

    size: bytes for visitors

    Raises OSError; the next recovery then repeats what this one did.
    """

    def __init__(self, directory: Path, journals: Path, rules_directory: Path, size: int, now_s: int) -> None:
        self._directory = directory
        self._journals = journals
        self._rules_directory = rules_directory
        self._size = size
        self._now_s = now_s
        self._uniqueness: dict[int, _Uniqueness] = {}

    def run(self) -> None:
        """Recover the counts of every edge, and after a power cut the visitors; no edge runs meanwhile."""
        boot = self._directory / "boot"
        now, before = _read_boot_id(), boot.read_text() if boot.exists() else ""
        # Only one boot is surely the same as another: what a map holds after a power cut is unknown.
        rebooted = now == "" or now != before
        edges = sorted(int(path.name[7:10]) for path in self._directory.glob("synced-???.log"))
        self._recover_visitors(edges, rebooted=rebooted)
        for edge in edges:
            if rebooted:
                (self._directory / counts_name(edge)).unlink(missing_ok=True)
            self.recover_edge(edge, visitors_synced=rebooted)
        if rebooted:
            write_durably(boot, now.encode())
            if before:
                _log.warning("state recovered after a restart of the machine", extra={"edges": len(edges)})

    def recover_edge(self, edge: int, *, visitors_synced: bool = False) -> None:
        """Set the counts of an edge that does not run from its journal; other edges may run meanwhile.

        The counts are the counts of the last sync plus the clicks recorded since, by the present ruleset.

        visitors_synced: the visitors of its journal are on disk
        """
        known = find_synced_state(synced_path(self._directory, edge))
        if known is None:
            return
        totals = {key: count for key, count in known.counts.items() if count.end > self._now_s}
        uncounted = self._add_recorded(edge, known.counts_at, totals)
        at = _journal_end(self._journals, edge)
        counts = ClickCounts(self._directory, edge)
        try:
            if uncounted:
                _log.error("clicks not counted against caps without a ruleset", extra={"clicks": uncounted})
            if counts.fresh or not uncounted:
                counts.replace(totals, self._now_s)
            synced = unexpired(counts.each(), self._now_s)
        finally:
            counts.close()
        visitors = (at, self._now_s) if visitors_synced else (known.visitors_at, known.visitors_s)
        SyncedLog(synced_path(self._directory, edge), SyncRecord(at, *visitors, synced)).close()

    def _add_recorded(self, edge: int, since: Position, totals: dict[bytes, ClickCount]) -> int:
        """Add clicks recorded behind a position; return how many have no ruleset to count by."""
        caps: dict[int, OfferClickCaps] = {}
        uncounted = 0
        for click in _each_click(self._journals, edge, since):
            if is_rejected(click.reason):
                continue
            if self._ruleset is None:
                uncounted += 1
            elif (offer := self._ruleset.find_offer(str(click.offer))) is not None:
                if offer.id not in caps:
                    caps[offer.id] = OfferClickCaps(offer, self._ruleset.platform.timezone)
                counted = caps[offer.id].counts_for(click.affiliate, click.country, click.time)
                if offer.duplicate_clicks:
                    counted = caps[offer.id].with_visitor(counted, visitor_key(click.ip, click.ua), click.time)
                for each in counted.capped_counts:
                    if each.end > self._now_s:
                        clicks = totals[each.key].clicks if each.key in totals else 0
                        totals[each.key] = ClickCount(each.key, each.end, clicks + 1)
        return uncounted

    def _recover_visitors(self, edges: list[int], *, rebooted: bool) -> None:
        """Read the visitors of a new file, and visitors that a power cut may have deleted, from the journals."""
        visitors = UniqueVisitors(self._directory / VISITORS_FILE, size=self._size)
        try:
            if not rebooted and not visitors.fresh:
                return
            synced = [(edge, find_synced_state(synced_path(self._directory, edge))) for edge in edges]
            known = {edge: each for edge, each in synced if each is not None and not visitors.fresh}
            if self._ruleset is not None and self._ruleset.has_own_uniqueness:
                # Times of other hours than 24 do not show whether they were synced.
                visitors.remove_since(0)
                known = {}
            elif known:
                # A visitor that was new after the last sync is in the journals, or its click was never recorded.
                visitors.remove_since(max(each.visitors_s for each in known.values()))
            since = {edge: each.visitors_at for edge, each in known.items()}
            for edge in segments.list_edges(self._journals):
                self._add_visitors(edge, since.get(edge) or self._before_window(edge), visitors)
            visitors.set_loaded()
            if rebooted:
                visitors.sync()
        finally:
            visitors.close()

    def _add_visitors(self, edge: int, since: Position, visitors: UniqueVisitors) -> None:
        """Add the visitors that an edge recorded as new behind a position, and that may not be new again."""
        for click in _each_click(self._journals, edge, since):
            second = click.time // 1000
            if not click.uniq or self._now_s - second >= MAX_UNIQUE_HOURS * 3600:
                continue
            uniqueness = self._uniqueness_of(click.offer)
            if self._now_s - second < uniqueness.hours * 3600:
                keys = counted_visitors(_visitor_of(click, uniqueness.restrictions), uniqueness.clicks)
                if len(keys) > 1:
                    keys = [key for key in keys if not visitors.seen(click.offer, key, "", self._now_s)] or keys
                visitors.remember(click.offer, keys[0], click.id, second, self._now_s, uniqueness.hours)

    def _before_window(self, edge: int) -> Position:
        """Return a position before every click of an edge with a visitor that may not be new again."""
        own = self._ruleset is not None and self._ruleset.has_own_uniqueness
        since_s = self._now_s - (MAX_UNIQUE_HOURS if own else UNIQUE_HOURS) * 3600
        starts = [segments.start_of(name) for name in segments.list_journals(self._journals, edge)]
        return Position(max([start for start in starts if start <= since_s * 1000], default=0), 0)

    def _uniqueness_of(self, offer_id: int) -> _Uniqueness:
        """Return the rules that make visitors of an offer unique under the present ruleset."""
        found = self._uniqueness.get(offer_id)
        if found is None:
            offer = None if self._ruleset is None else self._ruleset.find_offer(str(offer_id))
            restrictions = NO_RESTRICTIONS if offer is None else restrictions_of(offer)
            advertiser = None
            if self._ruleset is not None and offer is not None:
                advertiser = self._ruleset.find_advertiser(offer.advertiser)
            found = _Uniqueness(restrictions, *unique_limits(advertiser, unique_only=restrictions.unique_only))
            self._uniqueness[offer_id] = found
        return found

    @cached_property
    def _ruleset(self) -> Ruleset | None:
        """The ruleset of the edges as far as counts and visitors need it; None = none was published."""
        reader = RulesetLogReader(self._rules_directory)
        ruleset = None
        while (news := reader.poll()) is not None:
            if isinstance(news, RulesetSnapshot):
                ruleset = Ruleset()
            if ruleset is not None:
                for entry in news.entries if isinstance(news, RulesetSnapshot) else news:
                    if entry.kind in _KINDS:
                        ruleset.apply(entry.kind, entry.key, entry.payload)
        return ruleset


def _visitor_of(click: Click, restrictions: Restrictions) -> VisitorKey:
    """Return the visitor of a recorded click, see OfferRoute.visitor_key."""
    visitor = visitor_key(click.ip, click.ua)
    if restrictions.unique_only:
        return visitor[0], ADDRESS_ONLY
    return sub_visitor(click.sub3) if restrictions.by_sub3 and click.sub3 else visitor


def synced_path(directory: Path, edge: int) -> Path:
    """Return the log of the synced state of an edge."""
    return directory / f"synced-{edge:03d}.log"


def _read_boot_id() -> str:
    """Return the id of this run of the kernel; "" where there is none."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _each_click(directory: Path, edge: int, since: Position) -> Iterator[Click]:
    """Yield the clicks that an edge recorded behind a position, in their order."""
    for name in segments.list_journals(directory, edge):
        start = segments.start_of(name)
        if start < since.journal:
            continue
        with segments.open_content(directory, name) as content:
            data = content.read(since.offset if start == since.journal else 0, content.size)
        for item in segments.each_frame(data, 0):
            if not isinstance(item, segments.Gap) and item.kind == Record.CLICK:
                yield decode_click(item.payload)


def _journal_end(directory: Path, edge: int) -> Position:
    """Return the position behind everything that an edge recorded."""
    names = segments.list_journals(directory, edge)
    if not names:
        return Position(0, 0)
    with segments.open_content(directory, names[-1]) as content:
        return Position(segments.start_of(names[-1]), content.size)
