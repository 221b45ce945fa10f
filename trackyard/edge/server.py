"""The edge process: listener, ruleset tail, checkpoints, group commit, and a lossless stop."""

import asyncio
import gc
import logging
import signal
import socket
import sys
from collections.abc import Callable, Coroutine
from contextlib import ExitStack, suppress
from dataclasses import dataclass, field
from functools import partial
from ipaddress import IPv4Network, IPv6Network
from pathlib import Path

import uvloop

from trackyard.base import metrics
from trackyard.base.clock import Clock, SystemClock
from trackyard.base.logs.episodes import EpisodeLog
from trackyard.base.rate_limits import RateLimit
from trackyard.base.sockets import (
    DEFAULT_MAX_OF_NETWORK,
    ConnectionLimits,
    max_connections,
    raise_file_limit,
)
from trackyard.decision.routes import Ruleset
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.decision.visitor.visitor import VisitorLookup
from trackyard.domain.tracking.ruleset import RULESET_STALE_S
from trackyard.edge.counters import Counters
from trackyard.edge.endpoints.click_lookups import ClickLookupClient
from trackyard.edge.endpoints.handler import EdgeHandler
from trackyard.edge.endpoints.known_clicks import KnownClicks
from trackyard.edge.group_commit import GroupCommit
from trackyard.edge.http.client_address import TrustedNetworks
from trackyard.edge.http.connection import Connection, ConnectionContext
from trackyard.edge.http.tls import Certificate, TlsServer, find_certificate
from trackyard.edge.memory import use_large_pages
from trackyard.edge.page_limits import PageLimits
from trackyard.edge.record_limits import DEFAULT_RATE, MIN_FREE_SHARE, RecordLimits
from trackyard.edge.state.click_state import EdgeState, StateOptions
from trackyard.edge.state.shared import SharedEdgeState
from trackyard.edge.state.shared_claims import OwnCount, SharedStore
from trackyard.edge.state.unique import DEFAULT_SIZE
from trackyard.journal.ruleset_log import RulesetEntry, RulesetLogReader, RulesetSnapshot
from trackyard.journal.writer import JournalUnwritable, JournalWriter

TICK_S = 0.1
STOP_S = 5.0
RULESET_RETRY_S = 1.0
BACKLOG = 4096
RESERVED_FILES = 128
"""Open files that are reserved for journals, rules, state and databases: connections never use them up."""
_TICKS_PER_SECOND = round(1 / TICK_S)
_GC_FREEZE_CHANGES = 1000
"""After a change of so many rules the garbage collector skips what they left in memory."""

START_GRACE_S = 60.0
"""Seconds in which an edge does not call its ruleset stale: the projector may start later."""

_log = logging.getLogger("trackyard.edge")


def _do_nothing() -> None:
    """Do nothing at a stop: a function with a name, as processes are started with the options."""


@dataclass(frozen=True, slots=True)
class EdgeOptions:
    """Options of one edge process.

    edge: the edge's number, 1..250
    slots: edge processes that share the listener and the state
    visitors_size: bytes for the visitors of 24 hours, the same for all slots
    databases: the IP address databases
    refresh_s: seconds between looks for replaced databases
    tls_certificate, tls_key: both or none
    forward_key, hsts_seconds: see endpoints/handler.EdgeHandler
    lookup_socket: the socket of the process that looks up recorded clicks, None = look-ups are off
    click_senders: networks of servers that may report clicks for visitors
    network_connections: open connections per network, at most
    record_rate: rate per network at which rejected clicks, and postbacks of unknown clicks, are recorded
    redis_url: the URL of the Redis that all machines share; "" = this machine is alone
    redis_slot: the name of this edge in Redis (RedisStore)
    """

    host: str
    port: int
    edge: int
    journal_directory: Path
    rules_directory: Path
    state_directory: Path
    slots: int = 1
    visitors_size: int = DEFAULT_SIZE
    trusted_networks: tuple[IPv4Network | IPv6Network, ...] = (IPv4Network("127.0.0.0/8"), IPv6Network("::1"))
    databases: AddressDatabases = field(default_factory=AddressDatabases)
    refresh_s: float = 60.0
    tls_certificate: Path | None = None
    tls_key: Path | None = None
    forward_key: bytes = b""
    hsts_seconds: int = 0
    lookup_socket: Path | None = None
    record_rate: RateLimit = DEFAULT_RATE
    click_senders: tuple[IPv4Network | IPv6Network, ...] = ()
    network_connections: int = DEFAULT_MAX_OF_NETWORK
    redis_url: str = ""
    redis_slot: str = ""
    on_stop: Callable[[], None] = _do_nothing


def run(options: EdgeOptions) -> None:
    """Serve until SIGTERM or SIGINT, then finish running requests, close the journal and return.

    Raises EdgeNumberTaken when another process has the number, OSError when the address is taken or a file cannot be
    made.
    """
    raise_file_limit()
    with asyncio.Runner(loop_factory=uvloop.new_event_loop) as runner:
        runner.run(serve(options, SystemClock()))


async def serve(options: EdgeOptions, clock: Clock, on_listen: Callable[[int], None] | None = None) -> None:
    """Serve in a running event loop, as `run`; `on_listen` gets the port of the listener."""
    loop = asyncio.get_running_loop()
    stop = asyncio.Event()

    def end() -> None:
        options.on_stop()
        stop.set()

    for signal_number in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(signal_number, end)
    with ExitStack() as stack:
        # The address first: when it is taken, no journal is begun.
        listener = stack.enter_context(_listen(options))
        process = _EdgeProcess(options, clock, loop, stack)
        certificate = find_certificate(options.tls_certificate, options.tls_key)
        server = await _serve_connections(certificate, process.shared, listener)
        port = listener.getsockname()[1]
        _log.info("listening", extra={"host": options.host, "port": port, "edge": options.edge})
        if on_listen is not None:
            on_listen(port)
        tasks = [loop.create_task(each()) for each in process.periodic_work(certificate)]
        stopped = loop.create_task(stop.wait())
        await asyncio.wait([stopped, *tasks], return_when=asyncio.FIRST_COMPLETED)
        server.close()
        await process.drain()
        for task in tasks:
            task.cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        stopped.cancel()
    for result in results:
        if isinstance(result, Exception):
            raise result
    _log.info("edge stopped", extra={"edge": options.edge})


class _EdgeProcess:
    """The parts of an edge, and its periodic work."""

    def __init__(self, options: EdgeOptions, clock: Clock, loop: asyncio.AbstractEventLoop, stack: ExitStack) -> None:
        self._loop = loop
        self._clock = clock
        self._edge_label = str(options.edge)
        self._is_ruleset_stale = False
        self._started_at = self._loop.time()
        self._rules_log = RulesetLogReader(options.rules_directory)
        self._counters = Counters()
        self._writer = JournalWriter(options.journal_directory, options.edge, clock)
        stack.callback(self._writer.close)
        self._refresh_s = options.refresh_s
        self._visitors = visitors = VisitorLookup(options.databases)
        stack.callback(visitors.close)
        self._state = _open_state(options, self._writer, clock.now_ms() // 1000)
        stack.callback(self._state.close)
        trusted = TrustedNetworks(options.trusted_networks)
        self._unrecorded_log = EpisodeLog(_log, "requests not recorded", "requests recorded again")
        self._dropped_log = EpisodeLog(_log, "connections dropped", "connections accepted again")
        self._limits = RecordLimits(trusted, self._counters, options.record_rate)
        self._edge = EdgeHandler(
            number=options.edge,
            clock=clock,
            journal=self._writer,
            visitors=visitors,
            state=self._state,
            trusted=trusted,
            counters=self._counters,
            forward_key=options.forward_key,
            hsts_seconds=options.hsts_seconds,
            find_click=None if options.lookup_socket is None else ClickLookupClient(options.lookup_socket, clock),
            limits=self._limits,
            page_limits=PageLimits(trusted, loop.call_later),
            senders=TrustedNetworks(options.click_senders),
            known_clicks=None if options.lookup_socket is None else KnownClicks(options.lookup_socket),
        )
        self._connections = ConnectionLimits(max_connections(RESERVED_FILES), options.network_connections)
        commit = GroupCommit(self._writer, self._edge, loop)
        stack.callback(commit.close)
        self.shared = ConnectionContext(self._edge, commit, trusted, loop.call_soon, self._connections)
        self._tick()
        while (changes := self._rules_log.poll()) is not None:
            self._apply(changes)
        # A full collection takes as long as the ruleset is large, so that it runs rarely.
        gc.collect()
        gc.freeze()
        gc.set_threshold(50_000, 50, 1000)
        use_large_pages()

    def periodic_work(self, certificate: Certificate | None) -> list[Callable[[], Coroutine[None, None, None]]]:
        """Return the functions that run until the edge stops."""
        work: list[Callable[[], Coroutine[None, None, None]]] = [self.tick, self.tail_ruleset]
        work.append(partial(self.refresh_files, certificate))
        if isinstance(self._state, SharedEdgeState):
            work.append(self._state.store.run)
        return work

    async def tick(self) -> None:
        """Write checkpoints and set clocks every 100 ms; check time-outs and metrics every second."""
        count = 0
        while True:
            self._tick()
            count += 1
            if count % _TICKS_PER_SECOND == 0:
                for connection in tuple(self.shared.connections):
                    connection.expire(self.shared.now)
                self._report_limits()
                self._counters.flush()
                self.shared.timer.flush()
                self._report_ruleset_age()
                self._report_faults()
                self._report_dropped_connections()
                self._report_visitors()
            await asyncio.sleep(TICK_S)

    def _report_ruleset_age(self) -> None:
        """Report the age of the ruleset; without its source the edge still decides."""
        confirmed_at = self._rules_log.find_confirmed_at()
        if confirmed_at is None:
            return
        age = max(0, self._clock.now_ms() - confirmed_at) / 1000
        starts = self._loop.time() - self._started_at < START_GRACE_S
        lost_before, lost = self._is_ruleset_stale, age > RULESET_STALE_S and not starts
        self._is_ruleset_stale = lost
        metrics.RULESET_AGE.labels(self._edge_label).set(age)
        if lost and not lost_before:
            _log.warning("ruleset stale", extra={"age_s": age})
        elif lost_before and not lost:
            _log.info("ruleset current again")

    def _report_limits(self) -> None:
        """Look at the free disk, and log when requests begin and cease to go unrecorded."""
        low = self._writer.free_share() < MIN_FREE_SHARE
        if low != self._limits.is_disk_low:
            self._limits.is_disk_low = low
            if low:
                _log.warning("disk nearly full", extra={"least_free_share": MIN_FREE_SHARE})
            else:
                _log.info("disk has room again")
        self._unrecorded_log.update(sum(self._counters.unrecorded.values()), self._loop.time())

    def _report_faults(self) -> None:
        """Report why the edge answers 503, for the monitoring listener."""
        metrics.EDGE_FAULT.labels(self._edge_label, "rules").set(self._edge.ruleset is None)
        metrics.EDGE_FAULT.labels(self._edge_label, "journal").set(bool(self._edge.journal_fault))

    def _report_dropped_connections(self) -> None:
        count, self._connections.refused = self._connections.refused, 0
        metrics.CONNECTIONS_DROPPED.labels("tracking").inc(count)
        self._dropped_log.update(count, self._loop.time())

    def _report_visitors(self) -> None:
        visitors = self._state.visitors
        metrics.UNIQUE_VISITORS_BYTES.labels(self._edge_label).set(visitors.used_bytes)
        metrics.UNIQUE_VISITORS_DROPPED.inc(visitors.take_dropped())

    async def tail_ruleset(self) -> None:
        """Apply changes of the ruleset every 100 ms; failed reads are repeated."""
        while True:
            try:
                await self._poll_ruleset()
            except OSError as fault:
                _log.error("ruleset not read", extra={"error": str(fault)})
                await asyncio.sleep(RULESET_RETRY_S)

    async def _poll_ruleset(self) -> None:
        """Read and build a whole snapshot in a thread."""
        if self._rules_log.has_snapshot():
            ruleset = await asyncio.to_thread(_build_in_thread, self._rules_log)
            if ruleset is not None:
                self._set_ruleset(ruleset)
                await asyncio.to_thread(use_large_pages)
            return
        changes = self._rules_log.poll()
        if changes is not None:
            self._apply(changes)
        else:
            await asyncio.sleep(TICK_S)

    async def refresh_files(self, certificate: Certificate | None) -> None:
        """Take over a replaced certificate and address databases once a minute; databases in a thread."""
        while True:
            await asyncio.sleep(self._refresh_s)
            if certificate is not None:
                certificate.refresh()
            await asyncio.to_thread(self._visitors.refresh)

    async def drain(self) -> None:
        """Let running requests finish, at most 5 s, and close every connection."""
        self.shared.stopping = True
        deadline = self._loop.time() + STOP_S
        while self.shared.connections and self._loop.time() < deadline:
            for connection in tuple(self.shared.connections):
                connection.finish()
            await asyncio.sleep(0.01)
        self._counters.flush()
        self.shared.timer.flush()

    def _tick(self) -> None:
        now_ms = self._clock.now_ms()
        self.shared.now = self._loop.time()
        self.shared.set_date(now_ms // 1000)
        try:
            if not self._edge.journal_fault:
                self._writer.write_checkpoint_if_due(now_ms)
            elif self._writer.has_free_space():
                # A written checkpoint proves that the journal takes records again.
                self._writer.write_checkpoint(now_ms)
                self._edge.journal_fault = ""
        except JournalUnwritable as fault:
            self._set_journal_fault(str(fault))
        self._state.tick(now_ms // 1000)
        self.shared.syncer.sync_soon()

    def _set_journal_fault(self, fault: str) -> None:
        if not self._edge.journal_fault:
            _log.error("journal takes no records", extra={"error": fault})
        self._edge.journal_fault = fault

    def _apply(self, changes: list[RulesetEntry] | RulesetSnapshot) -> None:
        if isinstance(changes, RulesetSnapshot):
            self._set_ruleset(_build_ruleset(changes))
            return
        if self._edge.ruleset is not None:
            for entry in changes:
                self._edge.ruleset.apply(entry.kind, entry.key, entry.payload)
            metrics.RULESET_VERSION.labels(self._edge_label).set(self._rules_log.version)
            if len(changes) >= _GC_FREEZE_CHANGES:
                gc.freeze()

    def _set_ruleset(self, ruleset: Ruleset) -> None:
        self._edge.ruleset = ruleset
        metrics.RULESET_VERSION.labels(self._edge_label).set(self._rules_log.version)
        # Without a collection first: that alone would delay every visitor.
        gc.freeze()


def _open_state(options: EdgeOptions, writer: JournalWriter, now_s: int) -> EdgeState:
    """Open the click state: of this machine alone, or shared with others through Redis. Raises OSError."""
    if not options.redis_url:
        return EdgeState(_state_options(options), writer.end_position, now_s)
    from trackyard.edge.state.redis_store import RedisStore  # its client takes half a second to import

    def open_store(own_counts: Callable[[], list[OwnCount]]) -> SharedStore:
        return RedisStore(options.redis_url, options.redis_slot, options.edge, own_counts)

    return SharedEdgeState(_state_options(options), writer.end_position, now_s, open_store)


async def _serve_connections(
    certificate: Certificate | None, shared: ConnectionContext, listener: socket.socket
) -> asyncio.AbstractServer | TlsServer:
    """Begin to accept connections. A connection with TLS is counted before its handshake."""
    loop = asyncio.get_running_loop()
    if certificate is None:
        return await loop.create_server(lambda: Connection(shared), sock=listener, backlog=BACKLOG)
    listener.listen(BACKLOG)
    return TlsServer(shared, listener, certificate.context, loop)


def _build_in_thread(log: RulesetLogReader) -> Ruleset | None:
    """Return the ruleset of a snapshot, built in a thread that yields to clicks often."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(before / 20)
    try:
        changes = log.poll()
        return _build_ruleset(changes) if isinstance(changes, RulesetSnapshot) else None
    finally:
        sys.setswitchinterval(before)


def _build_ruleset(snapshot: RulesetSnapshot) -> Ruleset:
    return Ruleset.of((entry.kind, entry.key, entry.payload) for entry in snapshot.entries)


def _state_options(options: EdgeOptions) -> StateOptions:
    return StateOptions(
        directory=options.state_directory,
        journals=options.journal_directory,
        ruleset=options.rules_directory,
        edge=options.edge,
        shared=options.slots > 1,
        size=options.visitors_size,
    )


def _listen(options: EdgeOptions) -> socket.socket:
    family = socket.AF_INET6 if ":" in options.host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if options.slots > 1:
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        if family == socket.AF_INET6:
            with suppress(OSError):  # a machine without IPv4 mapping serves IPv6 alone
                listener.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_V6ONLY, 0)
        listener.bind((options.host, options.port))
        listener.setblocking(False)
    except BaseException:
        listener.close()
        raise
    return listener
