"""What the journals say of an edge's state after a death or a power cut (docs/decisions/0017)."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trackyard.decision.routes import Rules, restrictions_of
from trackyard.decision.visitor.visitor import ADDRESS_ALONE, who_is
from trackyard.edge.state.caps import OfferCaps
from trackyard.edge.state.claims import Claim, Claims, Kind
from trackyard.edge.state.counts import ClickCounts, counts_name
from trackyard.edge.state.synced import Known, Position, Synced, SyncedLog, current, find_known
from trackyard.edge.state.unique import WINDOW_S, UniqueVisitors
from trackyard.journal import segments
from trackyard.journal.durable import write_durably
from trackyard.journal.records import Click, decode_click
from trackyard.journal.records import Kind as Record
from trackyard.journal.ruleset_log import RuleLogReader, Snapshot

VISITORS: Final = "visitors.map"

_BOOT_ID: Final = Path("/proc/sys/kernel/random/boot_id")

_log = logging.getLogger("trackyard.edge")


class Recovery:
    """Puts the state of every edge of a machine right, while none of them runs.

    directory: of the state · size: bytes for visitors. Errors: OSError; what was done until then is done again the next
    time.
    """

    def __init__(self, directory: Path, journals: Path, rules_directory: Path, size: int, now_s: int) -> None:
        self._directory = directory
        self._journals = journals
        self._rules_directory = rules_directory
        self._size = size
        self._now_s = now_s

    def run(self) -> None:
        """Undoes what died with its edge; after a power cut makes counts and visitors anew from what is on disk."""
        boot = self._directory / "boot"
        now, before = _boot_id(), boot.read_text() if boot.exists() else ""
        # Only one boot is surely the same as another: what a map holds after a power cut nobody knows.
        if now == "" or now != before:
            self._after_boot(first=before == "")
            write_durably(boot, now.encode())
            return
        visitors = UniqueVisitors(self._directory / VISITORS, size=self._size)
        try:
            if visitors.fresh:
                self._remember(visitors, {})
                visitors.set_known()
            for edge in self._edges():
                self.settle(edge, visitors)
        finally:
            visitors.close()

    def settle(self, edge: int, visitors: UniqueVisitors) -> None:
        """Undoes what an edge that does not run claimed and did not record. Others may run meanwhile."""
        claims = Claims(claims_path(self._directory, edge))
        counts = ClickCounts(self._directory, edge, claims=claims)
        try:
            undone = _undo_lost(self._journals, edge, claims, visitors, counts)
            if undone:
                _log.info("claims without a record undone", extra={"edge": edge, "claims": undone})
            known = find_known(synced_path(self._directory, edge)) if counts.fresh else None
            if known is not None:
                _recount(self._journals, edge, counts, known, _rules_on_disk(self._rules_directory), self._now_s)
        finally:
            counts.close()
            claims.close()

    def _after_boot(self, *, first: bool) -> None:
        edges = self._edges()
        known = {edge: found for edge in edges if (found := find_known(synced_path(self._directory, edge)))}
        for edge in edges:
            (self._directory / counts_name(edge)).unlink(missing_ok=True)
            claims_path(self._directory, edge).unlink(missing_ok=True)
        visitors = UniqueVisitors(self._directory / VISITORS, size=self._size)
        try:
            if not visitors.fresh and known:
                # What was new after the last sync is known from the journals, or never came to be.
                visitors.forget_since(max(each.visitors_s for each in known.values()))
            self._remember(visitors, {} if visitors.fresh else {edge: each.visitors_at for edge, each in known.items()})
            visitors.set_known()
            visitors.sync()
        finally:
            visitors.close()
        rules = _rules_on_disk(self._rules_directory) if known else None
        for edge, each in known.items():
            self._recount(edge, each, rules)
        if not first:
            _log.warning("the machine was started anew: state read from the journals", extra={"edges": len(known)})

    def _recount(self, edge: int, known: Known, rules: Rules | None) -> None:
        """Makes an edge's counts anew, and notes at once that they are."""
        claims = Claims(claims_path(self._directory, edge))
        counts = ClickCounts(self._directory, edge, claims=claims)
        try:
            _recount(self._journals, edge, counts, known, rules, self._now_s)
            at = _end_of(self._journals, edge)
            synced = Synced(at, at, self._now_s, current(counts.each(), self._now_s))
            SyncedLog(synced_path(self._directory, edge), synced).close()
        finally:
            counts.close()
            claims.close()

    def _remember(self, visitors: UniqueVisitors, since: dict[int, Position]) -> None:
        by_address = _ByAddress(self._rules_directory)
        for edge in segments.list_edges(self._journals):
            start = since.get(edge) or _a_day_ago(self._journals, edge, self._now_s)
            _remember(self._journals, edge, visitors, start, self._now_s, by_address)

    def _edges(self) -> list[int]:
        """The numbers of the edges that ever had state here."""
        found = [*self._directory.glob("claims-???.map"), *self._directory.glob("synced-???.log")]
        return sorted({int(path.name[7:10]) for path in found})


def claims_path(directory: Path, edge: int) -> Path:
    """The file of an edge's claims."""
    return directory / f"claims-{edge:03d}.map"


def synced_path(directory: Path, edge: int) -> Path:
    """The log of an edge's synced state."""
    return directory / f"synced-{edge:03d}.log"


def _boot_id() -> str:
    """What tells this run of the machine's kernel from every other; "" where there is no such thing."""
    try:
        return _BOOT_ID.read_text().strip()
    except OSError:
        return ""


def _each_click(directory: Path, edge: int, since: Position) -> Iterator[Click]:
    """The clicks that an edge recorded behind a position, in their order."""
    for name in segments.list_journals(directory, edge):
        start = segments.start_of(name)
        if start < since.journal:
            continue
        with segments.open_content(directory, name) as content:
            data = content.read(since.offset if start == since.journal else 0, content.size)
        for item in segments.walk(data, 0):
            if not isinstance(item, segments.Gap) and item.kind == Record.CLICK:
                yield decode_click(item.payload)


def _undo_lost(directory: Path, edge: int, claims: Claims, visitors: UniqueVisitors, counts: ClickCounts) -> int:
    """Undoes the claims of an edge that died whose records its journal does not hold; how many they were."""
    if not len(claims):
        return 0
    recorded = {click.id for click in _each_click(directory, edge, Position(*claims.journal))}
    undone = 0
    while (claim := claims.last()) is not None:
        if claim.click not in recorded:
            undo(claim, visitors, counts)
            undone += 1
        claims.drop_last()
    return undone


def undo(claim: Claim, visitors: UniqueVisitors, counts: ClickCounts) -> None:
    """Makes a claim never have been."""
    if claim.kind is Kind.VISITOR:
        visitors.undo(claim)
    else:
        counts.undo(claim)


def _recount(directory: Path, edge: int, counts: ClickCounts, known: Known, rules: Rules | None, now_s: int) -> None:
    """Counts of an edge as they were synced, and the clicks recorded since by the rules of now."""
    counts.restore((counted for counted in known.counts.values() if counted.end > now_s), now_s)
    caps: dict[int, OfferCaps] = {}
    uncounted = 0
    for click in _each_click(directory, edge, known.counts_at):
        if click.reason:
            continue
        if rules is None:
            uncounted += 1
        elif (offer := rules.find_offer(str(click.offer))) is not None:
            if offer.id not in caps:
                caps[offer.id] = OfferCaps(offer, rules.platform.timezone)
            wanted, _ = caps[offer.id].places(click.affiliate, click.country, click.time)
            counts.add((want for want in wanted if want.end > now_s), now_s)
    if uncounted:
        _log.error("clicks could not be counted against caps: there are no rules", extra={"clicks": uncounted})


class _ByAddress:
    """The offers that know their visitors by the address alone, by the rules of now; read when first asked for."""

    def __init__(self, rules_directory: Path) -> None:
        self._directory = rules_directory
        self._rules: Rules | None = None
        self._known: dict[int, bool] = {}

    def __contains__(self, offer_id: int) -> bool:
        known = self._known.get(offer_id)
        if known is None:
            if not self._known:
                self._rules = _rules_on_disk(self._directory)
            offer = None if self._rules is None else self._rules.find_offer(str(offer_id))
            known = self._known[offer_id] = offer is not None and restrictions_of(offer).unique_only
        return known


def _remember(
    directory: Path, edge: int, visitors: UniqueVisitors, since: Position, now_s: int, by_address: _ByAddress
) -> None:
    """Makes the visitors that an edge recorded as new behind a position, in the last 24 hours, seen."""
    for click in _each_click(directory, edge, since):
        second = click.time // 1000
        if click.uniq and now_s - second < WINDOW_S:
            who = who_is(click.ip, click.ua)
            if click.offer in by_address:
                who = who[0], ADDRESS_ALONE
            visitors.remember(click.offer, who, click.id, second)


def _a_day_ago(directory: Path, edge: int, now_s: int) -> Position:
    """A position before everything that an edge recorded in the last 24 hours."""
    starts = [segments.start_of(name) for name in segments.list_journals(directory, edge)]
    before = [start for start in starts if start <= (now_s - WINDOW_S) * 1000]
    return Position(max(before, default=0), 0)


def _rules_on_disk(directory: Path) -> Rules | None:
    """The rules as the edges have them; None = none were published."""
    reader = RuleLogReader(directory)
    rules = None
    while (news := reader.poll()) is not None:
        if isinstance(news, Snapshot):
            rules = Rules.of((entry.kind, entry.key, entry.payload) for entry in news.entries)
        elif rules is not None:
            for entry in news:
                rules.apply(entry.kind, entry.key, entry.payload)
    return rules


def _end_of(directory: Path, edge: int) -> Position:
    """Behind everything that an edge recorded."""
    names = segments.list_journals(directory, edge)
    if not names:
        return Position(0, 0)
    with segments.open_content(directory, names[-1]) as content:
        return Position(segments.start_of(names[-1]), content.size)
