"""What the journals say of an edge's state after a death or a power cut (docs/decisions/0017)."""

import logging
from collections.abc import Iterator
from pathlib import Path
from typing import Final

from trackyard.decision.click.caps import OfferClickCaps
from trackyard.decision.routes import Ruleset, restrictions_of
from trackyard.decision.visitor.visitor import ADDRESS_ONLY, visitor_key
from trackyard.edge.state.claims import Claim, ClaimKind, Claims
from trackyard.edge.state.counts import ClickCounts, counts_name
from trackyard.edge.state.synced import Position, SyncedLog, SyncedState, SyncRecord, find_synced_state, unexpired
from trackyard.edge.state.unique import WINDOW_S, UniqueVisitors
from trackyard.journal import segments
from trackyard.journal.durable import write_durably
from trackyard.journal.records import Click, decode_click
from trackyard.journal.records import RecordKind as Record
from trackyard.journal.ruleset_log import RulesetLogReader, RulesetSnapshot

VISITORS_FILE: Final = "visitors.map"

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
        """Roll back what died with its edge; after a power cut rebuild the state from disk."""
        boot = self._directory / "boot"
        now, before = _read_boot_id(), boot.read_text() if boot.exists() else ""
        # Only one boot is surely the same as another: what a map holds after a power cut is unknown.
        if now == "" or now != before:
            self._recover_after_reboot(first=before == "")
            write_durably(boot, now.encode())
            return
        visitors = UniqueVisitors(self._directory / VISITORS_FILE, size=self._size)
        try:
            if visitors.fresh:
                self._restore_visitors(visitors, {})
                visitors.set_loaded()
            for edge in self._edges():
                self.recover_edge(edge, visitors)
        finally:
            visitors.close()

    def recover_edge(self, edge: int, visitors: UniqueVisitors) -> None:
        """Undoes what an edge that does not run claimed and did not record. Others may run meanwhile."""
        claims = Claims(claims_path(self._directory, edge))
        counts = ClickCounts(self._directory, edge, claims=claims)
        try:
            rolled_back = _roll_back_unrecorded(self._journals, edge, claims, visitors, counts)
            if rolled_back:
                _log.info("claims without a record undone", extra={"edge": edge, "claims": rolled_back})
            known = find_synced_state(synced_path(self._directory, edge)) if counts.fresh else None
            if known is not None:
                _restore_counts(self._journals, edge, counts, known, _read_ruleset(self._rules_directory), self._now_s)
        finally:
            counts.close()
            claims.close()

    def _recover_after_reboot(self, *, first: bool) -> None:
        edges = self._edges()
        known = {edge: found for edge in edges if (found := find_synced_state(synced_path(self._directory, edge)))}
        for edge in edges:
            (self._directory / counts_name(edge)).unlink(missing_ok=True)
            claims_path(self._directory, edge).unlink(missing_ok=True)
        visitors = UniqueVisitors(self._directory / VISITORS_FILE, size=self._size)
        try:
            if not visitors.fresh and known:
                # What was new after the last sync is known from the journals, or never came to be.
                visitors.remove_since(max(each.visitors_s for each in known.values()))
            self._restore_visitors(
                visitors, {} if visitors.fresh else {edge: each.visitors_at for edge, each in known.items()}
            )
            visitors.set_loaded()
            visitors.sync()
        finally:
            visitors.close()
        ruleset = _read_ruleset(self._rules_directory) if known else None
        for edge, each in known.items():
            self._restore_counts(edge, each, ruleset)
        if not first:
            _log.warning("the machine was started anew: state read from the journals", extra={"edges": len(known)})

    def _restore_counts(self, edge: int, known: SyncedState, ruleset: Ruleset | None) -> None:
        """Rebuild an edge's counts, and note it at once."""
        claims = Claims(claims_path(self._directory, edge))
        counts = ClickCounts(self._directory, edge, claims=claims)
        try:
            _restore_counts(self._journals, edge, counts, known, ruleset, self._now_s)
            at = _journal_end(self._journals, edge)
            synced = SyncRecord(at, at, self._now_s, unexpired(counts.each(), self._now_s))
            SyncedLog(synced_path(self._directory, edge), synced).close()
        finally:
            counts.close()
            claims.close()

    def _restore_visitors(self, visitors: UniqueVisitors, since: dict[int, Position]) -> None:
        address_only = _AddressOnlyOffers(self._rules_directory)
        for edge in segments.list_edges(self._journals):
            start = since.get(edge) or _position_before_window(self._journals, edge, self._now_s)
            _restore_visitors(self._journals, edge, visitors, start, self._now_s, address_only)

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


def _read_boot_id() -> str:
    """Return the id of this run of the kernel; "" where there is none."""
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
        for item in segments.each_frame(data, 0):
            if not isinstance(item, segments.Gap) and item.kind == Record.CLICK:
                yield decode_click(item.payload)


def _roll_back_unrecorded(
    directory: Path, edge: int, claims: Claims, visitors: UniqueVisitors, counts: ClickCounts
) -> int:
    """Roll back the unrecorded claims of an edge that died; return how many."""
    if not len(claims):
        return 0
    recorded = {click.id for click in _each_click(directory, edge, Position(*claims.journal))}
    rolled_back = 0
    while (claim := claims.last()) is not None:
        if claim.click not in recorded:
            roll_back(claim, visitors, counts)
            rolled_back += 1
        claims.remove_last()
    return rolled_back


def roll_back(claim: Claim, visitors: UniqueVisitors, counts: ClickCounts) -> None:
    """Makes a claim never have been."""
    if claim.kind is ClaimKind.VISITOR:
        visitors.roll_back(claim)
    else:
        counts.roll_back(claim)


def _restore_counts(
    directory: Path, edge: int, counts: ClickCounts, known: SyncedState, ruleset: Ruleset | None, now_s: int
) -> None:
    """Counts of an edge as they were synced, and the clicks recorded since by the rules of now."""
    counts.restore((counted for counted in known.counts.values() if counted.end > now_s), now_s)
    caps: dict[int, OfferClickCaps] = {}
    uncounted = 0
    for click in _each_click(directory, edge, known.counts_at):
        if click.reason:
            continue
        if ruleset is None:
            uncounted += 1
        elif (offer := ruleset.find_offer(str(click.offer))) is not None:
            if offer.id not in caps:
                caps[offer.id] = OfferClickCaps(offer, ruleset.platform.timezone)
            capped_counts, _ = caps[offer.id].counts_for(click.affiliate, click.country, click.time)
            counts.add((want for want in capped_counts if want.end > now_s), now_s)
    if uncounted:
        _log.error("clicks could not be counted against caps: there are no rules", extra={"clicks": uncounted})


class _AddressOnlyOffers:
    """The offers with uniqIpOnly in the current ruleset, read on first use."""

    def __init__(self, rules_directory: Path) -> None:
        self._directory = rules_directory
        self._rules: Ruleset | None = None
        self._known: dict[int, bool] = {}

    def __contains__(self, offer_id: int) -> bool:
        known = self._known.get(offer_id)
        if known is None:
            if not self._known:
                self._rules = _read_ruleset(self._directory)
            offer = None if self._rules is None else self._rules.find_offer(str(offer_id))
            known = self._known[offer_id] = offer is not None and restrictions_of(offer).unique_only
        return known


def _restore_visitors(
    directory: Path, edge: int, visitors: UniqueVisitors, since: Position, now_s: int, address_only: _AddressOnlyOffers
) -> None:
    """Makes the visitors that an edge recorded as new behind a position, in the last 24 hours, seen."""
    for click in _each_click(directory, edge, since):
        second = click.time // 1000
        if click.uniq and now_s - second < WINDOW_S:
            who = visitor_key(click.ip, click.ua)
            if click.offer in address_only:
                who = who[0], ADDRESS_ONLY
            visitors.remember(click.offer, who, click.id, second)


def _position_before_window(directory: Path, edge: int, now_s: int) -> Position:
    """A position before everything that an edge recorded in the last 24 hours."""
    starts = [segments.start_of(name) for name in segments.list_journals(directory, edge)]
    before = [start for start in starts if start <= (now_s - WINDOW_S) * 1000]
    return Position(max(before, default=0), 0)


def _read_ruleset(directory: Path) -> Ruleset | None:
    """The rules as the edges have them; None = none were published."""
    reader = RulesetLogReader(directory)
    ruleset = None
    while (news := reader.poll()) is not None:
        if isinstance(news, RulesetSnapshot):
            ruleset = Ruleset.of((entry.kind, entry.key, entry.payload) for entry in news.entries)
        elif ruleset is not None:
            for entry in news:
                ruleset.apply(entry.kind, entry.key, entry.payload)
    return ruleset


def _journal_end(directory: Path, edge: int) -> Position:
    """Behind everything that an edge recorded."""
    names = segments.list_journals(directory, edge)
    if not names:
        return Position(0, 0)
    with segments.open_content(directory, names[-1]) as content:
        return Position(segments.start_of(names[-1]), content.size)
