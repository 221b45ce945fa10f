"""The microseconds of each step of a click, in one process without sockets.

Clicks of traffic.py go through the very classes of the edge, journal included; the transport alone is played. The steps
within the handler are then measured by themselves over the same clicks.
"""

import gc
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from ipaddress import ip_network
from pathlib import Path
from typing import Any, Final

from bench.common import options_of, print_figures
from bench.servers import FixedEdge, NoSyncing
from bench.traffic import OFFERS, requests, rules
from tests.support.clicks.rules import make_ruleset
from trackyard.base.clock import SystemClock
from trackyard.decision.click.state import EMPTY_CLICK_STATE
from trackyard.decision.click.steps import decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.queries import find_plain_params, read_query_params
from trackyard.decision.target.url import accepted_url
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.clicks import click_record
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.endpoints.hits import HitFactory
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import Connection, ConnectionContext
from trackyard.edge.http.request import Request
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.journal.frames import pack
from trackyard.journal.writer import JournalWriter

CLICKS: Final = 20_000
TOGETHER: Final = 16
"""Clicks of different connections in one turn of the loop: their records are one write."""
_REPEATS: Final = 5


class Transport:
    """A transport that drops everything."""

    def get_extra_info(self, name: str) -> object:
        """Return the address of a trusted proxy."""
        return ("127.0.0.1", 1) if name == "peername" else None

    def write(self, data: bytes) -> None:
        """Drop the data."""


class Line:
    """Connections to a handler for clicks that arrive together."""

    def __init__(self, edge: Any, trusted: TrustedNetworks) -> None:
        self._soon: list[Callable[[], None]] = []
        shared = ConnectionContext(edge, NoSyncing(), trusted, self._soon.append)
        self._connections = [Connection(shared) for _ in range(TOGETHER)]
        for connection in self._connections:
            connection.connection_made(Transport())  # type: ignore[arg-type]

    def send(self, clicks: Sequence[bytes]) -> None:
        """Send clicks and take their answers."""
        connections, soon = self._connections, self._soon
        for start in range(0, len(clicks), TOGETHER):
            for connection, click in zip(connections, clicks[start : start + TOGETHER], strict=False):
                connection.data_received(click)
            while soon:
                soon.pop()()


@contextmanager
def an_edge(directory: Path, offers: int) -> Iterator[EdgeHandler]:
    """Open an edge's handler with its journal and state."""
    with ExitStack() as stack:
        writer = JournalWriter(directory / "journal", 1, SystemClock())
        stack.callback(writer.close)
        visitors = VisitorLookup()
        stack.callback(visitors.close)
        options = StateOptions(directory / "state", directory / "journal", directory / "rules", 1)
        state = EdgeState(options, writer.end_position, SystemClock().now_ms() // 1000)
        stack.callback(state.close)
        edge = EdgeHandler(
            number=1,
            clock=SystemClock(),
            journal=writer,
            visitors=visitors,
            state=state,
            trusted=TRUSTED,
            counters=Counters(),
        )
        edge.ruleset = make_ruleset(rules(offers))
        yield edge


TRUSTED: Final = TrustedNetworks([ip_network("127.0.0.0/8")])


def measure(offers: int = OFFERS) -> dict[str, float]:
    """Return processor microseconds of the parts of a click.

    `click` = all of a click but the event loop and the kernel's network ·
    `connection` = HTTP alone · `handler` = the rest, of which: the steps of `_steps`, and `state and answer`: unique
    visitors and caps, cookies, the answer, the journal's write.

    Each round of whole clicks has its own: visitors who were seen, and addresses that are known, cost less.
    """
    made = requests(CLICKS * (_REPEATS + 1), offers)
    clicks, *others = (made[at : at + CLICKS] for at in range(0, len(made), CLICKS))
    with tempfile.TemporaryDirectory() as name, an_edge(Path(name), offers) as edge:
        gc.collect()
        gc.freeze()
        whole, bare = Line(edge, TRUSTED), Line(FixedEdge(), TRUSTED)
        whole.send(clicks)
        new = iter(others)
        figures = {"click": _best(lambda: whole.send(next(new))), "connection": _best(lambda: bare.send(clicks))}
        figures["handler"] = figures["click"] - figures["connection"]
        steps = _steps(edge.ruleset or Ruleset(), clicks)
    figures |= steps | {"state and answer": figures["handler"] - sum(steps.values())}
    return {step: round(microseconds, 2) for step, microseconds in figures.items()}


def _steps(known: Ruleset, clicks: Sequence[bytes]) -> dict[str, float]:
    fixed = FixedEdge()
    asked: list[Request] = []
    fixed.asked = asked
    Line(fixed, TRUSTED).send(clicks)
    visitors = VisitorLookup()
    make = HitFactory(1, SystemClock(), visitors, TRUSTED).make

    def make_hit(item: tuple[Request, dict[str, str]]) -> object:
        return make(known, *item), known.route_of(item[1])

    with_params = [(request, _read(request)) for request in asked]
    hits = [
        (make(known, request, params, plain=find_plain_params(request.query) is not None), known.route_of(params))
        for request, params in with_params
    ]
    payloads = [click_record(hit, route, None, True, 0) for hit, route in hits]
    figures = {
        "parameters": _best(lambda: _each(_read, asked)),
        "visitor and offer": _best(lambda: _each(make_hit, with_params)),
        "decision": _best(lambda: _each(lambda item: decide(item[0], item[1], EMPTY_CLICK_STATE), hits)),
        "url": _best(lambda: _each(lambda item: accepted_url(*item), hits)),
        "record": _best(lambda: _each(lambda item: click_record(item[0], item[1], None, True, 0), hits)),
        "frame": _best(lambda: _each(lambda payload: pack(1, payload), payloads)),
    }
    visitors.close()
    return figures


def _read(request: Request) -> dict[str, str]:
    """Return the parameters as a click reads them."""
    plain = find_plain_params(request.query)
    return read_query_params(request.query)[0] if plain is None else plain


def _each(step: Callable[[Any], object], items: Sequence[Any]) -> None:
    for item in items:
        step(item)


def _best(run: Callable[[], None]) -> float:
    """Return the microseconds a click of the best run: other programs disturb it least."""
    seconds = []
    for _ in range(_REPEATS):
        begun = time.process_time()
        run()
        seconds.append(time.process_time() - begun)
    return min(seconds) / CLICKS * 1e6


if __name__ == "__main__":
    print_figures(measure(), options_of("steps", __doc__))
