"""The state after deaths of its edge and power cuts: exactly the content of the journal."""

import os
import shutil
from collections.abc import Callable
from concurrent.futures import Future
from pathlib import Path
from typing import Any

import pytest

from tests.support.clicks.edge import publish, recorded
from tests.support.clicks.rules import entry_of, make_offer, make_ruleset, packed
from tests.support.clicks.state import CAP, NOW_MS, OFFER, StatefulEdge, rows, stateful_edge
from tests.support.forms import PLAIN
from trackyard.decision.click.caps import NEVER, OfferClickCaps
from trackyard.decision.click.state import ReservationRequest
from trackyard.decision.visitor.visitor import ADDRESS_ONLY, visitor_key
from trackyard.domain.tracking.rejections import is_rejected
from trackyard.edge.state import counts_file, synced, unique, visitors_file
from trackyard.edge.state.counts_file import ClickCount
from trackyard.edge.state.synced import Position, SyncedLog, SyncRecord, find_synced_state
from trackyard.journal import segments
from trackyard.journal.records import Click, InboundPostback, RecordKind, encode

pytestmark = PLAIN
NOW = NOW_MS // 1000


class SimulatedDeath(BaseException):
    """The process is killed before a store."""


class DeathInjector:
    """Counts stores into mapped files and writing system calls, and ends the process before one."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.left = -1
        self.stores = 0
        monkeypatch.setattr(counts_file.CountsFile, "_words", _WatchedAttribute(self), raising=False)
        monkeypatch.setattr(unique.UniqueVisitors, "_cells", _WatchedAttribute(self), raising=False)
        real = os.write
        monkeypatch.setattr(os, "write", lambda *given: (self.note(), real(*given))[1])
        write_at = os.pwrite
        monkeypatch.setattr(os, "pwrite", lambda *given: (self.note(), write_at(*given))[1])

    def note(self) -> None:
        """Count a store, or end the process."""
        self.stores += 1
        if self.left == 0:
            self.left = -1
            raise SimulatedDeath
        self.left -= 1


class _WatchedAttribute:
    """An attribute that holds a view of words and counts each store into it."""

    def __init__(self, deaths: DeathInjector) -> None:
        self._deaths = deaths
        self._views: dict[int, Any] = {}

    def __set__(self, owner: object, view: Any) -> None:
        owner.__dict__["_view"] = view

    def __get__(self, owner: Any, kind: object = None) -> Any:
        return _WatchedView(owner.__dict__["_view"], self._deaths)


class _WatchedView:
    def __init__(self, view: Any, deaths: DeathInjector) -> None:
        self._view, self._deaths = view, deaths

    def __setitem__(self, at: int, value: int) -> None:
        self._deaths.note()
        self._view[at] = value

    def __getitem__(self, at: Any) -> Any:
        return self._view[at]

    def __len__(self) -> int:
        return len(self._view)

    def release(self) -> None:
        self._view.release()


class _InlineExecutor:
    """A thread pool that runs everything at once in the calling thread."""

    def submit(self, do: Callable[..., None], *given: Any, **named: Any) -> "Future[None]":
        do(*given, **named)
        done: Future[None] = Future()
        done.set_result(None)
        return done

    def shutdown(self, *, wait: bool) -> None:
        """Nothing runs."""


@pytest.fixture(autouse=True)
def quick_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """Skip syncs: a dead process leaves what it wrote."""
    monkeypatch.setattr(os, "fsync", lambda descriptor: None)
    monkeypatch.setattr(os, "fdatasync", lambda descriptor: None)


@pytest.fixture
def deaths(monkeypatch: pytest.MonkeyPatch) -> DeathInjector:
    return DeathInjector(monkeypatch)


def day(directory: Path, *, edge: int = 1, first: int = 0, shared: bool = False) -> None:
    """Run an edge: two batches of clicks of new visitors and one known visitor, with syncs."""
    one = StatefulEdge(directory, edge, shared=shared)
    assert one.state is not None
    one.state._sync_thread = _InlineExecutor()  # type: ignore[assignment]
    try:
        for batch in range(2):
            for number in range(2):
                one.click(first + batch * 2 + number)
            one.click(first)
            one.flush()
            one.state.tick(NOW + 10 * (batch + 1))
        one.stop()
    except BaseException:
        one.abandon()
        raise


def accepted(directory: Path, edges: tuple[int, ...] = (1,)) -> list[Click]:
    """Return the accepted clicks of the journals."""
    clicks = [record for edge in edges for record in recorded_whole(directory, edge) if isinstance(record, Click)]
    return [click for click in clicks if not is_rejected(click.reason)]


def recorded_whole(directory: Path, edge: int) -> list[Any]:
    return list(recorded(directory / "journal", edge))


def check(directory: Path, edges: tuple[int, ...] = (1,), now_ms: int = NOW_MS + 60_000, *, lost: int = 0) -> None:
    """Compare the state with the journals, and fill the cap to its last place.

    lost: visitors of clicks without a record that may be seen after the death of a process
    """
    with stateful_edge(directory, edges[0], now_ms=now_ms) as one:
        assert one.state is not None
        offer = one.ruleset.find_offer(str(OFFER))
        assert offer is not None
        (capped_counts,) = OfferClickCaps(offer, "UTC").counts_for(7, "EE", now_ms).capped_counts
        clicks = accepted(directory, edges)
        assert one.state.counts.count(capped_counts.key) == len(clicks)
        new = {click.ip for click in clicks if click.uniq}
        assert len(new) == sum(click.uniq for click in clicks), "no visitor was new twice"
        seen = {
            ip
            for number in range(40)
            if one.state.visitors.seen(OFFER, visitor_key(ip := f"10.0.0.{number}", "ua"), "", now_ms // 1000)
        }
        assert new <= seen
        assert len(seen - new) <= lost
        visitors, stranger = one.state.visitors, visitor_key("", "x")
        cookies = {click.id for click in clicks if visitors.seen(OFFER, stranger, click.id, now_ms // 1000)}
        assert cookies == {click.id for click in clicks if click.uniq}
        for number in range(100, 110):
            one.click(number)
        one.flush()
    assert len(accepted(directory, edges)) == CAP.value


def every_death(deaths: DeathInjector, live: Callable[[], None], after: Callable[[int], None]) -> int:
    """Run `live` once for each of its stores, killed before this store; return their number."""
    for stores in range(10_000):
        deaths.left = stores
        try:
            live()
        except SimulatedDeath:
            after(stores)
            continue
        finally:
            deaths.left = -1
        after(stores)
        return stores
    raise AssertionError("it never ends")


def every_death_after(first: Path, directory: Path, deaths: DeathInjector) -> int:
    """Run a day on copies of a state, killed before each of its stores; return their number."""
    place = [directory / "0"]
    shutil.copytree(first, place[0])

    def after(stores: int) -> None:
        check(place[0], lost=4)
        place[0] = directory / str(stores + 1)
        shutil.copytree(first, place[0])

    return every_death(deaths, lambda: day(place[0], first=20), after)


def test_edge_state_death_before_any_store_loses_and_doubles_nothing(tmp_path: Path, deaths: DeathInjector) -> None:
    place = [tmp_path / "0"]

    def after(stores: int) -> None:
        check(place[0], lost=2)
        place[0] = tmp_path / str(stores + 1)

    assert every_death(deaths, lambda: day(place[0]), after) > 25


def test_edge_state_death_during_recovery_is_recovered(tmp_path: Path, deaths: DeathInjector) -> None:
    first = tmp_path / "first"
    deaths.left = 20
    with pytest.raises(SimulatedDeath):
        day(first)
    assert every_death_after(first, tmp_path, deaths) > 25


def test_edge_state_full_cap_and_unrecorded_click_claim_no_visitor(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        assert one.state is not None
        one.ask(20)  # what came next failed: it has no record
        assert [one.click(number) for number in range(2)] == [""] * 2
        one.flush()
        one.ask(21)
        one.writer.put(
            RecordKind.POSTBACK, encode(InboundPostback(NOW_MS, "c" * 24, "postback", "GET", "", "", "", "", {}))
        )
        one.flush()
        assert [one.click(number) for number in range(2, 6)] == [""] * 3 + ["cap"]
        one.flush()
        assert not one.state.visitors.seen(OFFER, visitor_key("10.0.0.5", "ua"), "", NOW)
    check(tmp_path)


def test_edge_state_click_tried_on_two_offers_claims_one(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        assert one.state is not None
        hit, _ = one.ask(1)
        one.ruleset.apply(*entry_of(make_offer(4, hash="d" * 24, click_caps=(CAP,))))
        other = one.ruleset.route_of({"offer_id": "4"})
        assert one.state.reserve([ReservationRequest(hit, other, "full")])[0].full_cap == "full"
        assert one.state.reserve([ReservationRequest(hit, other, "")])[0].is_new
        one.state.set_recorded()
        one.state.commit()
        assert not one.state.visitors.seen(OFFER, visitor_key(hit.ip, "ua"), hit.click_id, NOW)
        assert one.state.visitors.seen(4, visitor_key(hit.ip, "ua"), "", NOW)
        assert sorted(count.clicks for count in one.state.counts.each()) == [0, 1]


def test_edge_state_batch_is_kept_or_undone_as_one(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        assert one.state is not None
        first, _ = one.ask(1)
        others = [one.ask(visitor)[0] for visitor in range(2, 8)]
        route = one.ruleset.route_of({"offer_id": str(OFFER)})
        batch = [ReservationRequest(hit, route, "") for hit in (first, first, *others)]
        outcomes = [(each.is_new, each.full_cap) for each in one.state.reserve(batch)]
        assert outcomes == [(True, ""), (False, ""), *[(True, "")] * 3, *[(False, "cap")] * 3]
        one.state.set_recorded()
        one.state.roll_back()
        assert [each.full_cap for each in one.state.reserve(batch)] == ["", "", "", "", "", "cap", "cap", "cap"]
        one.state.set_recorded()
        one.state.commit()
        assert one.state.reserve(batch)[0].full_cap == "cap"
        assert [count.clicks for count in one.state.counts.each()] == [CAP.value]


def test_edge_state_journal_failure_releases_every_claim(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        assert one.state is not None
        one.click(0)
        one.flush()
        assert [one.click(number) for number in range(1, 6)] == ["", "", "", "", "cap"]
        one.writer._pending.clear()
        one.state.roll_back()
        assert [one.click(number) for number in range(1, 6)] == ["", "", "", "", "cap"]
        one.flush()
    check(tmp_path)


def test_edge_state_death_while_another_edge_runs_is_recovered(tmp_path: Path) -> None:
    other = StatefulEdge(tmp_path, 2, shared=True)
    one = StatefulEdge(tmp_path, 1, shared=True)
    one.click(1)
    one.flush()
    other.click(2)
    other.flush()
    assert [one.click(number) for number in (3, 4, 5)] == ["", "", ""]
    assert other.click(6) == "cap"
    one.abandon()
    again = StatefulEdge(tmp_path, 1, shared=True)
    assert [other.click(7), again.click(8), other.click(9), again.click(10)] == ["", "", "", "cap"]
    for each in (other, again):
        each.flush()
        each.stop()
    check(tmp_path, edges=(1, 2), lost=3)


def test_edge_state_of_abandoned_edge_is_recovered_by_another(tmp_path: Path) -> None:
    with stateful_edge(tmp_path, 1):
        pass
    gone = StatefulEdge(tmp_path, 2)
    gone.click(1)
    gone.flush()
    gone.click(2)
    gone.abandon()
    check(tmp_path, edges=(1, 2), lost=1)


def cut_power(directory: Path) -> None:
    """Change the boot id, as after a restart of the machine."""
    (directory / "state" / "boot").write_text("another")


@pytest.mark.parametrize("reached", ["nothing", "everything", "visitors", "counts"])
@pytest.mark.parametrize("edges", [1, 2])
def test_edge_state_power_cut_is_recovered_from_any_written_maps(tmp_path: Path, edges: int, reached: str) -> None:
    running = [StatefulEdge(tmp_path, edge, shared=edges > 1) for edge in range(1, edges + 1)]
    for edge in running:
        edge.click(edge.edge)
        edge.flush()
        assert edge.state is not None
        edge.state.tick(NOW + 40)  # both are synced
    kept = tmp_path / "kept"
    for edge in running:
        assert edge.state is not None
        edge.state._sync_thread.shutdown(wait=True)
    shutil.copytree(tmp_path / "state", kept)
    for edge in running:
        edge.clock.advance(50_000)
        edge.click(10 + edge.edge)
        edge.flush()
        edge.click(20 + edge.edge)  # no record
        edge.abandon()
    for path in kept.glob("*.map"):
        if reached == "nothing" or (reached != "everything" and not path.name.startswith(reached)):
            shutil.copy(path, tmp_path / "state" / path.name)
    shutil.rmtree(kept)
    cut_power(tmp_path)
    check(tmp_path, tuple(range(1, edges + 1)))


@pytest.mark.parametrize("lost", ["segment", "header", "length"])
def test_edge_state_power_cut_after_growth_is_recovered(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, lost: str
) -> None:
    """A part of what growth wrote reached the disk: visitors of before and after it are known."""
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", 8 * 1024)
    one = StatefulEdge(tmp_path)
    one.click(1)
    one.flush()
    assert one.state is not None
    one.state.tick(NOW + 40)
    one.state._sync_thread.shutdown(wait=True)
    map_path = tmp_path / "state" / "visitors.map"
    synced_map = map_path.read_bytes()
    one.clock.advance(50_000)
    one.state.visitors.grow(1, NOW + 50)
    assert one.state.visitors.refresh()
    one.click(2)
    one.flush()
    one.abandon()
    grown = map_path.read_bytes()
    assert len(grown) > len(synced_map)
    map_path.write_bytes(
        {
            "segment": grown[: len(synced_map)] + bytes(len(grown) - len(synced_map)),
            "header": synced_map[:4096] + grown[4096:],
            "length": grown[: len(synced_map)],
        }[lost]
    )
    cut_power(tmp_path)
    check(tmp_path)


def test_edge_state_power_cut_of_journal_end_drops_its_claims(tmp_path: Path) -> None:
    one = StatefulEdge(tmp_path)
    one.click(1)
    one.flush()
    end = one.writer.end_position()[1]
    assert one.state is not None
    one.clock.advance(5_000)
    one.click(2)
    one.flush()
    one.abandon()
    (name,) = segments.list_journals(tmp_path / "journal", 1)
    os.truncate(segments.log_path(tmp_path / "journal", name), end + 7)
    cut_power(tmp_path)
    check(tmp_path)


def test_edge_state_power_cut_during_recovery_is_recovered(tmp_path: Path, deaths: DeathInjector) -> None:
    first = tmp_path / "first"
    one = StatefulEdge(first)
    one.click(1)
    one.flush()
    assert one.state is not None
    one.state.tick(NOW + 2)
    one.state._sync_thread.shutdown(wait=True)
    one.click(2)
    one.flush()
    one.abandon()
    cut_power(first)
    assert every_death_after(first, tmp_path, deaths) > 25


@pytest.mark.parametrize(("power_cut", "free"), [(True, 4), (False, 3)])
def test_edge_state_without_rules_keeps_counts_of_last_sync_or_of_its_file_and_warns(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, power_cut: bool, free: int
) -> None:
    one = StatefulEdge(tmp_path)
    one.click(1)
    one.flush()
    assert one.state is not None
    one.state.tick(NOW + 2)
    one.state._sync_thread.shutdown(wait=True)
    one.click(2)
    one.flush()
    one.abandon()
    if power_cut:
        cut_power(tmp_path)
    shutil.rmtree(tmp_path / "rules")
    (tmp_path / "rules").mkdir()
    with stateful_edge(tmp_path) as again:
        assert [again.click(number) for number in range(10, 11 + free)] == [""] * free + ["cap"]
        again.flush()
    assert "clicks not counted against caps" in caplog.text


def test_edge_state_sync_log_is_compacted_without_ended_periods(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(synced, "COMPACT_AT", 400)
    path = tmp_path / "synced.log"
    at = Position(1, 2)
    log = SyncedLog(path, SyncRecord(at, at, NOW, [ClickCount(b"a" * 16, NOW + 5, 1)]))
    for second in range(20):
        later = Position(1, second)
        log.append(SyncRecord(later, at, NOW, [ClickCount(b"b" * 16, NEVER, second)]), NOW + second)
    log.close()
    known = find_synced_state(path)
    assert known is not None
    assert (known.counts_at, known.counts) == (Position(1, 19), {b"b" * 16: ClickCount(b"b" * 16, NEVER, 19)})
    assert path.stat().st_size < 500
    path.write_bytes(path.read_bytes()[:-3])
    torn = find_synced_state(path)
    assert torn is not None
    assert torn.counts_at == Position(1, 18), "a frame that is not whole says nothing"


def test_edge_state_visitors_are_rebuilt_from_journals(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        for number in range(3):
            one.click(number)
        one.flush()
    (tmp_path / "state" / "visitors.map").unlink()
    (tmp_path / "state" / "counts-001.map").unlink()
    check(tmp_path)


def test_edge_state_visitors_file_of_earlier_version_is_rebuilt_from_journals(tmp_path: Path) -> None:
    with stateful_edge(tmp_path) as one:
        for number in range(3):
            one.click(number)
        one.flush()
    earlier = ((0x5456 << 16) | (hash((1, 2, 3)) & 0xFFFF)).to_bytes(4, "little")
    (tmp_path / "state" / "visitors.map").write_bytes(earlier.ljust(4096 + 64 * 1024, b"\0"))
    check(tmp_path)


@pytest.mark.parametrize("first", [8 * 1024, 64 * 1024])
def test_edge_state_visitors_of_another_size_are_rebuilt_from_journals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, first: int
) -> None:
    """The setting is larger or smaller than before."""
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", 72 * 1024 - first)
    with stateful_edge(tmp_path) as one:
        for number in range(3):
            one.click(number)
        one.flush()
    monkeypatch.setattr(visitors_file, "FIRST_SIZE", first)
    check(tmp_path)
    assert (tmp_path / "state" / "visitors.map").stat().st_size == 4096 + first


def test_edge_state_unique_ip_only_visitors_are_rebuilt_by_address(tmp_path: Path) -> None:
    changed = [make_offer(OFFER, restrictions=packed(unique_only=True)), *rows()[1:]]
    publish(tmp_path / "rules", changed)
    with stateful_edge(tmp_path) as one:
        one.ruleset = make_ruleset(changed)
        one.click(1)
        one.flush()
    (tmp_path / "state" / "visitors.map").unlink()
    address, mark = visitor_key("10.0.0.1", "ua")
    with stateful_edge(tmp_path) as one:
        assert one.state is not None
        seconds = NOW_MS // 1000
        assert one.state.visitors.seen(OFFER, (address, ADDRESS_ONLY), "", seconds)
        assert not one.state.visitors.seen(OFFER, (address, mark), "", seconds)
