"""`trackyard demo`: a small network with 30 days of traffic and some seconds of live requests.

Where the server of this installation runs and is empty, the demonstration fills it. Else it runs a server of its own,
on a data directory of its own.
"""

import heapq
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from http import HTTPStatus
from pathlib import Path
from typing import Final, TextIO
from zoneinfo import ZoneInfo

from trackyard.base.clock import SystemClock
from trackyard.base.zones import day_start_ms, local_day
from trackyard.commands.demo.cast import Cast, CastTraffic, cast_steps, make_cast
from trackyard.commands.demo.live import TrackingClient
from trackyard.commands.demo.network import BUILD_STEPS, DemoNetwork, NetworkBuilder, is_empty
from trackyard.commands.demo.past import past_edge, share_loaded
from trackyard.commands.demo.receiver import PostbackReceiver
from trackyard.commands.demo.server import own_server
from trackyard.commands.demo.summary import DemoAccess, DemoSummary
from trackyard.commands.demo.traffic import HOUR_MS, TrafficGenerator
from trackyard.commands.failures import CommandFailed, ServerAway
from trackyard.commands.local_api import ApiClient, ApiError, administrator_client
from trackyard.commands.progress import ProgressBar
from trackyard.commands.users import find_user, set_password
from trackyard.domain.people.staff import FIRST_ADMINISTRATOR
from trackyard.runtime.settings import Config, NotInstalled
from trackyard.store.engine.database import Database
from trackyard.store.statistics import automation

DAYS: Final = 30
_DAY_MS: Final = 86_400_000
_WRONG_DAYS: Final = 6
"""Days that what is wrong has lasted: health and rules look at the last seven, and at two."""
_USUAL_VISITS: Final = 8_000
"""Visits of a demonstration with all the traffic of its characters; others have a part of it."""
_VISITS_PER_SECOND: Final = 15
_QUIET_S: Final = 2.0
_HOLDS_QUIET_S: Final = 6.0
"""Holds end every 5 s at most after they are due: quiet must last longer than that."""
_TIMEOUT_S: Final = 300.0
_QUEUES: Final = ("journal", "inbox", "edits", "outbox", "deliveries", "mail", "fetches")
_REQUIRED_ROLES: Final = ("edge", "projector", "api")
_KEPT: Final = """
The server runs until Ctrl-C, with its log in {log}.
  the console: {url}/console/ as {email}, password {password}
  every method and a form to try it: {url}/docs
  the same data later: TRACKYARD_DATA_DIR={directory} trackyard serve
"""


@dataclass(frozen=True, slots=True)
class DemoSize:
    """The size of a demonstration.

    visits: the visits in the past; seconds: the duration of live traffic.
    seed: equal seeds make equal traffic.
    """

    visits: int
    seconds: int
    seed: int


def demo(
    config: Config, size: DemoSize, out: TextIO, show: Callable[[DemoSummary], None], keep: Path | None = None
) -> None:
    """Make the demonstration, report progress on `out`, and show its figures.

    keep: directory of the data of an own server, which runs until Ctrl-C; None = nothing is kept, unless the server
    of this installation runs, which is then filled. Raises CommandFailed when the installation is not empty, a server
    does not start, or the demonstration stops on the way.
    """
    if keep is None and _server_runs(config):
        return show(fill(config, size, out, stays=True))
    if keep is not None and (keep / "trackyard.db").exists():
        raise CommandFailed(f"--keep {keep} has data already: name another directory, or remove it.")
    with own_server(keep) as server:
        try:
            with ProgressBar(out, "Starting a server of its own", 1):
                server.wait_until_ready()
            show(fill(server.config, size, out, stays=keep is not None))
            if keep is not None:
                password = _administrators_password(server.config)
                url, email = server.config.api_listen.url(), FIRST_ADMINISTRATOR
                out.write(_KEPT.format(directory=keep, url=url, log=server.log, email=email, password=password))
                out.flush()
                server.wait()
        except KeyboardInterrupt:
            if keep is None:
                raise CommandFailed("the demonstration was stopped.") from None
    return None


def _administrators_password(config: Config) -> str:
    """Give the administrator a password for the console; return it."""
    api = administrator_client(config)
    return set_password(api, find_user(api, FIRST_ADMINISTRATOR)["id"], None)


def _server_runs(config: Config) -> bool:
    """Return whether the API of this installation answers."""
    try:
        administrator_client(config).get("/3.0/offers", {"limit": 1})
    except (ServerAway, NotInstalled):
        return False
    return True


def fill(config: Config, size: DemoSize, out: TextIO, *, stays: bool) -> DemoSummary:
    """Fill the installation that has these settings and a running server; return the figures.

    stays: the server keeps running, and the summary shows requests to it. Raises CommandFailed.
    """
    missing = [role for role in _REQUIRED_ROLES if role not in config.roles]
    if missing:
        raise CommandFailed(f"the demonstration needs the role {missing[0]} on this machine.")
    if config.monitoring_listen is None:
        raise CommandFailed("the demonstration needs TRACKYARD_MONITORING_LISTEN: it waits until the queues are empty.")
    api = administrator_client(config)
    monitoring = ApiClient(config.monitoring_listen.url(), key="")
    with TrackingClient(config) as tracking, PostbackReceiver() as receiver:
        tracking.check()
        try:
            if not is_empty(api):
                raise CommandFailed("this installation is not empty: the demonstration needs an own data directory.")
            run = _DemoRun(config, size, out, api, monitoring, tracking, receiver)
            network = run.make()
            return run.summary(network if stays else None)
        except KeyboardInterrupt:
            raise CommandFailed("the demonstration was stopped: what it made until then is kept.") from None


@dataclass(slots=True)
class _DemoRun:
    """One run."""

    config: Config
    size: DemoSize
    out: TextIO
    api: ApiClient
    monitoring: ApiClient
    tracking: TrackingClient
    receiver: PostbackReceiver
    clock: SystemClock = field(default_factory=SystemClock)
    database: Database = field(init=False)
    cast: Cast = field(init=False)
    zone: ZoneInfo = field(init=False)

    def __post_init__(self) -> None:
        self.database = Database(self.config.database_url, pool_size=1)
        self.zone = ZoneInfo(self.config.timezone)

    def make(self) -> DemoNetwork:
        """Make everything in order."""
        try:
            network = self._make_network()
            self._write_past(network)
            self._judge_now()
            self._edit_conversions(network)
            self._send_live(network)
            self._wait_until_quiet("Waiting for the queues", _HOLDS_QUIET_S)
            self._invoice(network)
            self._pay(network)
        finally:
            self.database.close()
        return network

    def _make_network(self) -> DemoNetwork:
        def is_reachable(affiliate: int) -> bool:
            trial = {"pid": affiliate, "url": f"{self.receiver.url}/trial"}
            code: int = self.api.post("/3.1/partner/postback/test", trial)["test"]["http_code"]
            return code == HTTPStatus.OK

        with ProgressBar(self.out, "Making the network", BUILD_STEPS + cast_steps(demo=True)) as bar:
            network = NetworkBuilder(self.api, bar.step).make(self.receiver.url, is_reachable)
            self.cast = make_cast(self.api, bar.step, demo=True)
        if not self.receiver.received:
            self._print(
                "No postbacks to affiliates were made, since the server may not call 127.0.0.1: "
                "start it with TRACKYARD_OUTBOUND_ALLOW=127.0.0.1 and an empty data directory to see them arrive."
            )
        return network

    def _write_past(self, network: DemoNetwork) -> None:
        changed_at = self.clock.now_ms()
        end = changed_at - 60_000
        begin = end - DAYS * _DAY_MS
        crowd = TrafficGenerator(network, f"{self.size.seed}", self.size.visits, lambda seconds: seconds)
        visits = crowd.past(begin, day_start_ms(local_day(end, self.zone), self.zone), end)
        scale, wrong_since = self.size.visits / _USUAL_VISITS, end - _WRONG_DAYS * _DAY_MS
        cast = CastTraffic(self.cast, f"{self.size.seed} cast", scale, begin, wrong_since, demo=True)
        with (
            ProgressBar(self.out, f"Writing {DAYS} days of traffic", end - begin) as bar,
            past_edge(self.config, self.database, begin, changed_at) as edge,
        ):
            # each sends a request when it is asked for the time of its next one
            for at in heapq.merge(crowd.send_visits(visits, end, edge.send), cast.send(begin, end, edge.send)):
                bar.to(at - begin)
        with ProgressBar(self.out, "Loading it", 1) as bar:
            self._wait(lambda: self._loaded(edge.number, bar), "the past is not loaded")
        self._wait_until_quiet("Conversions and postbacks", _QUIET_S)

    def _judge_now(self) -> None:
        """Let the rules judge the last whole hour now: they watched the past as well."""
        before = self.clock.now_ms() - 3 * HOUR_MS
        with self.database.write() as conn:
            for rule_id in self.cast.rules:
                automation.set_judged(conn, rule_id, before - before % HOUR_MS, "")

    def _loaded(self, number: int, bar: ProgressBar) -> bool:
        share = share_loaded(self.config, self.database, number)
        bar.to(share)
        return share >= 1

    def _send_live(self, network: DemoNetwork) -> None:
        seconds = self.size.seconds
        crowd = TrafficGenerator(
            network, f"{self.size.seed} now", seconds * _VISITS_PER_SECOND, lambda wait: 1 + wait % 9
        )
        begin = self.clock.now_ms()
        end = begin + seconds * 1000
        with ProgressBar(self.out, f"Live traffic for {seconds} s", seconds) as bar:
            for at in crowd.send_visits(crowd.live(begin, end), end, self.tracking.send):
                time.sleep(max(0, at - self.clock.now_ms()) / 1000)
                bar.to((at - begin) / 1000)
            bar.to(seconds)

    def _edit_conversions(self, network: DemoNetwork) -> None:
        """Make what staff do: confirm a conversion, and import two."""
        held = self.api.get("/3.0/stats/conversions", {"limit": 2, "status[]": [2, 5]})["conversions"]
        if held:
            edit = {"ids": [held[0]["id"]], "status": "confirmed", "comment": "Confirmed by the advertiser by mail"}
            self.api.post("/3.0/admin/conversion/edit", edit)
        offer, affiliate = network.offers["fixed"], network.affiliates["north"]
        shared = {"offer": offer, "pid": affiliate, "comment": "From the advertiser's list"}
        made = [shared | {"action_id": f"list-{number}", "ip": "91.0.0.7"} for number in (1, 2)]
        self.api.post("/3.0/admin/conversions/import", {"list": made})

    def _invoice(self, network: DemoNetwork) -> None:
        """Make an invoice to an advertiser with computed lines."""
        last = local_day(self.clock.now_ms() - _DAY_MS, self.zone)
        first = local_day(self.clock.now_ms() - DAYS * _DAY_MS, self.zone)
        form = {"supplier_id": network.advertisers["shop"], "currency": self.config.currency}
        form |= {"start_date": first.isoformat(), "end_date": last.isoformat(), "comment": "The last thirty days"}
        self.api.post("/3.0/admin/advertiser-invoice", form)

    def _pay(self, network: DemoNetwork) -> None:
        """Make payments of earnings until ten days ago, and execute one of them."""
        until = local_day(self.clock.now_ms() - 10 * _DAY_MS, self.zone)
        payees = [network.affiliates[key] for key in ("harbour", "meadow")]
        made = self.api.post("/3.1/admin/payments", {"pid": payees, "date_to": until.isoformat()})["payments"]
        for payment in made[:1]:
            self.api.post(f"/3.1/admin/payments/{payment['id']}", {"status": "paid"})

    # --- waiting ----------------------------------------------------------------------------------------

    def _wait_until_quiet(self, name: str, seconds: float) -> None:
        """Wait until no queue has had anything to do for this long."""
        with ProgressBar(self.out, name, seconds) as bar:
            quiet_since = time.monotonic()

            def is_quiet() -> bool:
                nonlocal quiet_since
                if any(self._lags().get(queue, 0) for queue in _QUEUES):
                    quiet_since = time.monotonic()
                bar.to(time.monotonic() - quiet_since)
                return time.monotonic() - quiet_since >= seconds

            self._wait(is_quiet, "the queues are not empty")

    def _lags(self) -> dict[str, float]:
        try:
            lags: dict[str, float] = self.monitoring.get("/readyz")["lag_seconds"]
            return lags
        except ApiError as refused:
            url = f"{self.monitoring.url}/readyz"
            raise CommandFailed(f"the server is not ready: see {url} ({refused.status}).") from None

    def _wait(self, until: Callable[[], bool], failure: str) -> None:
        deadline = time.monotonic() + _TIMEOUT_S
        while not until():
            if time.monotonic() > deadline:
                raise CommandFailed(f"{failure} after {_TIMEOUT_S:.0f} s: what was made is kept.")
            time.sleep(0.25)

    # --- the summary ------------------------------------------------------------------------------------

    def summary(self, kept: DemoNetwork | None) -> DemoSummary:
        """Return the figures. kept: the network of a server that stays."""
        period = self._period()
        query = "&".join(f"{name}={value}" for name, value in period.items())
        return DemoSummary(
            DAYS,
            self.config.currency,
            self.api.get("/3.0/stats/custom", period | {"slice[]": "offer", "fields[]": "without_click"})["stats"],
            self.api.get("/3.0/stats/getbydate", period)["stats"],
            self.receiver.received,
            DemoAccess(self.api.url, self.api.key, kept.keys["harbour"], query) if kept else None,
        )

    def _period(self) -> dict[str, str]:
        """Return the filters of the days of the demonstration."""
        now = self.clock.now_ms()
        days = {"date_from": local_day(now - DAYS * _DAY_MS, self.zone), "date_to": local_day(now, self.zone)}
        return {f"filter[{name}]": day.isoformat() for name, day in days.items()}

    def _print(self, text: str) -> None:
        self.out.write(f"{text}\n")
        self.out.flush()
