"""The past of the demonstration: an edge with an earlier clock.

It decides and records like any other edge. Its journal is among the journals of the served edges, and is loaded in the
same way (docs/decisions/0026).
"""

import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from trackyard.base.clock import ManualClock, SystemClock
from trackyard.commands.demo.traffic import TrackingRequest
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.request import Request
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.journal.ruleset_log import RulesetLogReader, RulesetSnapshot
from trackyard.journal.segments import end_of, list_journals
from trackyard.journal.writer import EdgeNumberTaken, JournalUnwritable, JournalWriter
from trackyard.runtime.app import directory_id_of
from trackyard.runtime.settings import CannotStart, Config
from trackyard.runtime.start_checks import databases_of
from trackyard.store.engine.database import Database
from trackyard.store.statistics import checkpoints
from trackyard.store.tracking.edges import EdgeNumbersExhausted, claim_edge

SLOT: Final = 64
"""The slot of the past in the data directory: served slots are 0 to 63."""

QUIET_END_MS: Final = 11_000
"""The journal ends this long after its last record: then it is known which clicks never were."""

_CHECKPOINT_MS: Final = 24 * 3_600_000
_VISITORS_BYTES: Final = 4 * 1024 * 1024
_TIMEOUT_S: Final = 30.0
_PUBLISH_DELAY_MS: Final = 500
"""A ruleset is confirmed as current this long after it was read at most."""


class PastEdge:
    """An edge that handles requests at their own times, which must not decrease. number: of the edge."""

    def __init__(self, number: int, edge: EdgeHandler, writer: JournalWriter, clock: ManualClock) -> None:
        self.number = number
        self._edge = edge
        self._writer = writer
        self._clock = clock
        self._checkpointed_at = clock.now_ms()

    def send(self, tracking_request: TrackingRequest) -> str:
        """Record a request; return the Location of its answer.

        Raises CannotStart when the journal takes no records.
        """
        self.advance_to(tracking_request.at)
        path, _, query = tracking_request.target.partition("?")
        headers = {
            b"user-agent": tracking_request.ua,
            b"referer": tracking_request.referrer,
            b"accept-language": tracking_request.language,
        }
        sent = {name: value.encode() for name, value in headers.items() if value}
        answer = self._edge.handle(Request("GET", path, query.encode(), sent, tracking_request.ip, trusted=False))
        if not self._edge.commit() or self._edge.journal_fault:
            raise CannotStart(f"the journal takes no records: {self._edge.journal_fault}.")
        return answer.location.decode("ascii")

    def advance_to(self, at: int) -> None:
        """Set the clock to `at` (UTC ms), with checkpoints on the way."""
        self._clock.advance(max(0, at - self._clock.now_ms()))
        if at - self._checkpointed_at >= _CHECKPOINT_MS:
            self.write_checkpoint(at)

    def write_checkpoint(self, at: int) -> None:
        """Write a checkpoint, so that records before `at` (UTC ms) can be loaded: none of them follows."""
        self._writer.write_checkpoint(at)
        self._writer.sync()
        self._checkpointed_at = at


@contextmanager
def past_edge(config: Config, database: Database, begin: int, changed_at: int) -> Iterator[PastEdge]:
    """Open an edge with a clock at `begin` and every rule written by `changed_at` (UTC ms).

    At the end of the block its journal is closed. Raises CannotStart.
    """
    number = _claim_edge_number(config, database)
    ruleset = read_ruleset(config.data_dir / "rules", changed_at)
    try:
        with ExitStack() as stack:
            clock = ManualClock(begin)
            past = open_past_edge(config, number, clock, ruleset, stack)
            yield past
            past.advance_to(clock.now_ms() + QUIET_END_MS)
    except EdgeNumberTaken:
        raise CannotStart("another demonstration is being made.") from None
    except (OSError, JournalUnwritable) as fault:
        raise CannotStart(f"TRACKYARD_DATA_DIR {config.data_dir} cannot be used: {fault}.") from None


def open_past_edge(config: Config, number: int, clock: ManualClock, ruleset: Ruleset, stack: ExitStack) -> PastEdge:
    """Open an edge with this number and clock; `stack` closes it.

    Raises EdgeNumberTaken, JournalUnwritable.
    """
    writer = JournalWriter(config.data_dir / "journal", number, clock)
    stack.callback(writer.close)
    # Visitors and counts of served edges are of today: visitors and counts of the past are kept apart and then removed.
    scratch = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="trackyard-demo-")))
    visitors = VisitorLookup(databases_of(config))
    stack.callback(visitors.close)
    options = StateOptions(scratch, scratch, scratch, number, size=_VISITORS_BYTES)
    state = EdgeState(options, writer.end_position, clock.now_ms() // 1000)
    stack.callback(state.close)
    edge = EdgeHandler(
        number=number,
        clock=clock,
        journal=writer,
        visitors=visitors,
        state=state,
        trusted=TrustedNetworks(()),
        counters=Counters(),
    )
    edge.ruleset = ruleset
    return PastEdge(number, edge, writer, clock)


def share_loaded(config: Config, database: Database, number: int) -> float:
    """Return the loaded share of what the edge of the past recorded, 0 to 1. number: of that edge."""
    directory = config.data_dir / "journal"
    with database.read() as conn:
        found = checkpoints.find_checkpoint(conn, number)
    sizes = {name: end_of(directory, name) for name in list_journals(directory, number)}
    if found is None:
        return 0.0
    return (sum(size for name, size in sizes.items() if name < found.journal) + found.position) / sum(sizes.values())


def _claim_edge_number(config: Config, database: Database) -> int:
    """Return the edge number of the past, claimed once. Raises CannotStart."""
    try:
        with database.write() as conn:
            return claim_edge(conn, directory_id_of(config), SLOT, SystemClock().now_ms())
    except EdgeNumbersExhausted as fault:
        raise CannotStart(f"the past needs an edge number: {fault}.") from None


def read_ruleset(directory: Path, changed_at: int) -> Ruleset:
    """Return the ruleset of the served edges once it has everything written by `changed_at`."""
    reader = RulesetLogReader(directory)
    ruleset: Ruleset | None = None
    deadline = time.monotonic() + _TIMEOUT_S
    while True:
        heard_at = reader.find_confirmed_at()
        while (news := reader.poll()) is not None:
            if isinstance(news, RulesetSnapshot):
                ruleset = Ruleset.of((entry.kind, entry.key, entry.payload) for entry in news.entries)
            elif ruleset is not None:
                for entry in news:
                    ruleset.apply(entry.kind, entry.key, entry.payload)
        if ruleset is not None and heard_at is not None and heard_at > changed_at + _PUBLISH_DELAY_MS:
            return ruleset
        if time.monotonic() > deadline:
            raise CannotStart(f"the rules in {directory} are not current: does the server use another data directory?")
        time.sleep(0.1)
