"""Clicks on which machines agree, with a store in memory that answers when the test says so."""

from collections.abc import Callable, Iterator
from ipaddress import ip_network
from pathlib import Path
from typing import Final

import pytest

from tests.edge.conftest import ROWS
from tests.support.clicks.edge_handler import NOW, MemoryJournal, ask
from tests.support.clicks.rules import make_offer, make_ruleset, packed
from tests.support.forms import PLAIN
from trackyard.base.clock import ManualClock
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.tracking.ruleset import ClickCap
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import HeldResponse, Response
from trackyard.edge.state import counts_file
from trackyard.edge.state.click_state import StateOptions
from trackyard.edge.state.shared import SharedEdgeState
from trackyard.edge.state.shared_claims import Decide, OwnCount, SharedAnswer, SharedClaim
from trackyard.journal.records import Click

CLICK: Final = "/click?pid=7&offer_id=3"
RESERVED: Final = SharedAnswer(is_new=True, full=-1, totals=(0,))
SEEN: Final = SharedAnswer(is_new=False, full=-1, totals=())
FULL: Final = SharedAnswer(is_new=True, full=0, totals=(2,))


class MemoryStore:
    """A store that notes what it is asked."""

    def __init__(self, own_counts: Callable[[], list[OwnCount]]) -> None:
        self.own_counts = own_counts
        self.is_away = False
        self.asked: list[tuple[SharedClaim, Decide]] = []
        self.released: list[SharedClaim] = []
        self.kept: list[SharedClaim] = []

    def ask(self, claim: SharedClaim, decide: Decide) -> bool:
        if not self.is_away:
            self.asked.append((claim, decide))
        return not self.is_away

    def release(self, claim: SharedClaim) -> None:
        self.released.append(claim)

    def keep_visitor(self, claim: SharedClaim) -> None:
        self.kept.append(claim)

    async def run(self) -> None: ...

    def answer(self, answer: SharedAnswer | None) -> SharedClaim:
        """Answers the oldest question; what it claimed."""
        claim, decide = self.asked.pop(0)
        decide(answer)
        return claim


class SharedEdge:
    """An edge with a store in memory; the test fills its journal and sets its clock."""

    def __init__(self, handler: EdgeHandler, state: SharedEdgeState, store: MemoryStore) -> None:
        self.handler = handler
        self.state = state
        self.store = store

    def click(self, visitor: int = 1) -> HeldResponse:
        """A click that waits for the store."""
        held = ask_click(self.handler, visitor)
        assert isinstance(held, HeldResponse), held
        return held

    def own(self) -> list[int]:
        """The clicks that this edge counted, by cap."""
        return [count.clicks for count in self.state.own_counts()]


def ask_click(handler: EdgeHandler, visitor: int) -> Response:
    """The answer to a click of a visitor of the capped offer for unique visitors."""
    return ask(handler, CLICK, peer=f"192.0.2.{visitor}")


@pytest.fixture
def edge(tmp_path: Path, journal: MemoryJournal, clock: ManualClock, visitors: VisitorLookup) -> Iterator[SharedEdge]:
    stores: list[MemoryStore] = []

    def open_store(own_counts: Callable[[], list[OwnCount]]) -> MemoryStore:
        stores.append(MemoryStore(own_counts))
        return stores[0]

    options = StateOptions(tmp_path / "state", tmp_path / "journal", tmp_path / "rules", 9, size=64 * 1024)
    state = SharedEdgeState(options, lambda: (0, 0), NOW // 1000, open_store)
    handler = EdgeHandler(
        number=9,
        clock=clock,
        journal=journal,
        visitors=visitors,
        state=state,
        trusted=TrustedNetworks([ip_network("127.0.0.0/8")]),
        counters=Counters(),
    )
    cap = ClickCap(id="c1", period="month", value=2)
    handler.ruleset = make_ruleset([make_offer(click_caps=(cap,), restrictions=packed(unique_only=True)), *ROWS[1:]])
    yield SharedEdge(handler, state, stores[0])
    state.close()


def reasons(journal: MemoryJournal) -> list[str]:
    return [record.reason for record in journal.records if isinstance(record, Click)]


@pytest.mark.parametrize(
    ("answer", "status", "reason", "own"),
    [(RESERVED, 302, "", [1]), (SEEN, 404, "non-unique-clicks", []), (FULL, 404, "overcap", [])],
)
def test_shared_click_is_answered_and_recorded_as_the_store_decided(
    edge: SharedEdge, journal: MemoryJournal, answer: SharedAnswer, status: int, reason: str, own: list[int]
) -> None:
    held = edge.click()
    assert (held.decided, journal.records) == (None, []), "nothing is recorded before the store answered"
    claim = edge.store.answer(answer)
    assert edge.handler.commit()
    assert held.decided is not None
    assert (held.decided.status, held.decided.recorded, reasons(journal)) == (status, True, [reason])
    assert ([count.limit for count in claim.counts], claim.visitor_s) == ([2], 24 * 3600)
    assert (edge.own(), edge.store.released) == (own, [])


def test_shared_click_without_record_is_released_in_the_store(edge: SharedEdge, journal: MemoryJournal) -> None:
    edge.click()
    journal.full = True
    claim = edge.store.answer(RESERVED)
    assert not edge.handler.commit()
    assert (edge.store.released, edge.own()) == ([claim], [0])
    edge.click(2)
    journal.full = False
    edge.store.answer(RESERVED)
    assert edge.handler.commit()
    assert (edge.store.released, edge.own(), reasons(journal)) == ([claim], [1], [""])


def test_shared_click_that_this_machine_rejects_meanwhile_is_released(edge: SharedEdge, journal: MemoryJournal) -> None:
    first, second = edge.click(), edge.click()  # the same visitor twice, both questions are under way
    edge.store.answer(RESERVED)
    claim = edge.store.answer(RESERVED)
    assert edge.handler.commit()
    assert [held.decided.status for held in (first, second) if held.decided] == [302, 404]
    assert (edge.store.released, edge.own(), reasons(journal)) == ([claim], [1], ["", "non-unique-clicks"])


def test_shared_click_is_decided_by_the_machine_when_the_store_is_away(
    edge: SharedEdge, journal: MemoryJournal
) -> None:
    edge.click(1)
    edge.store.answer(SharedAnswer(is_new=True, full=-1, totals=(1,)))  # another machine has counted one click
    edge.store.is_away = True
    answers = [ask_click(edge.handler, visitor).status for visitor in (1, 2)]
    assert answers == [404, 404]
    assert edge.handler.commit()
    assert reasons(journal) == ["", "non-unique-clicks", "overcap"], "one of others and one of its own fill the cap"
    assert edge.store.kept == []


def test_shared_click_without_answer_keeps_its_visitor_or_gives_it_up(edge: SharedEdge) -> None:
    edge.click(1)
    kept = edge.store.answer(None)
    assert [claim.visitor for claim in edge.store.kept] == [kept.visitor]
    edge.click(2), edge.click(3)
    edge.store.answer(None)
    given_up = edge.store.answer(None)
    assert [(claim.visitor, claim.counts) for claim in edge.store.released] == [(given_up.visitor, ())]
    assert edge.own() == [2]


@PLAIN
def test_shared_click_that_cannot_be_counted_is_released_and_answered_with_503(
    edge: SharedEdge, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = edge.click()
    monkeypatch.setattr(counts_file, "SEGMENTS", 0)
    monkeypatch.setattr(counts_file, "_BUCKET_SIZE", 0)  # which has no place
    claim = edge.store.answer(RESERVED)
    assert held.decided is not None
    assert (held.decided.status, edge.store.released) == (503, [claim])
    assert edge.handler.journal_fault.startswith("click counts:")


def test_shared_head_request_asks_and_records_nothing(edge: SharedEdge, journal: MemoryJournal) -> None:
    assert ask(edge.handler, CLICK, method="HEAD").status == 302
    assert (edge.store.asked, journal.records) == ([], [])
