"""An installation on several machines, all on the loopback: real processes and real stores."""

import json
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tests.support.processes.clickhouse import ClickHouseProcess
from tests.support.processes.program import RunningProgram, poll_until, request
from tests.support.processes.proxy import DroppingProxy
from tests.support.processes.valkey import ValkeyProcess
from tests.support.stores.databases import PostgresServer

EDGE_ROLES = "edge,projector"
API_ROLES = "api,worker"
_SECRET = "of all machines of a cluster, not a short one"
_HEALTHY_S = 120.0


class ClusterMachine(RunningProgram):
    """A machine of a cluster: the program on a data directory of its own, with some of the roles."""

    def __init__(self, directory: Path, roles: str, stores: dict[str, str], **settings: str) -> None:
        directory.mkdir(parents=True)
        super().__init__(directory, roles=roles, secret_key=_SECRET, **stores, **settings)
        self.is_edge, self.is_api = "edge" in roles, "api" in roles

    def is_ready(self) -> bool:
        """Whether its listeners say so, and the worker runs, which starts last."""
        ports = [self.tracking_port] if self.is_edge else [self.api_port] if self.is_api else []
        return self._says_ready(*ports, self.monitoring_port)

    def report(self) -> dict[str, Any]:
        """What its monitoring listener says: reasons, warnings, lags."""
        found: dict[str, Any] = request(self.monitoring_port, "GET", "/readyz").json
        return found

    def is_healthy(self) -> bool:
        """Whether it is ready and nothing needs a look, apart from postbacks without a code."""
        if not self.is_ready():
            return False
        return all("code" in warning for warning in self.report()["warnings"])

    def metric(self, line: str) -> float | None:
        """The value of the first metric that begins with these characters."""
        text = request(self.monitoring_port, "GET", "/metrics").body.decode()
        found = [each.rsplit(" ", 1)[1] for each in text.splitlines() if each.startswith(line)]
        return float(found[0]) if found else None


@dataclass
class RunningCluster:
    """Two machines that take clicks, two with API and worker, and their stores.

    The second edge machine reaches the stores through proxies, which can be cut.
    """

    edges: list[ClusterMachine]
    apis: list[ClusterMachine]
    postgres: PostgresServer
    clickhouse: ClickHouseProcess
    valkey: ValkeyProcess
    proxies: list[DroppingProxy]

    @property
    def machines(self) -> list[ClusterMachine]:
        return [*self.edges, *self.apis]

    def await_healthy(self) -> None:
        """Wait until every machine is ready and reaches every store."""
        for machine in self.machines:
            poll_until(machine.is_healthy, seconds=_HEALTHY_S, what=f"healthy: {machine.directory.name}")

    def cut_second_edge(self) -> None:
        """Cut the second edge machine off from every store."""
        for proxy in self.proxies:
            proxy.cut()

    def heal_second_edge(self) -> None:
        """Connect it again."""
        for proxy in self.proxies:
            proxy.heal()

    def lose_stores(self) -> None:
        """kill -9 of every store."""
        self.postgres.halt()
        self.clickhouse.kill()
        self.valkey.kill()

    def restore_stores(self) -> None:
        """Start every store again: PostgreSQL and ClickHouse with their data, Valkey without."""
        self.postgres.resume()
        self.clickhouse.start()
        self.valkey.start()

    def check_books(self) -> None:
        """Run `trackyard audit` on every machine: nothing differs, also not in the journals of the edges."""
        with ThreadPoolExecutor(len(self.machines)) as threads:
            audits = list(threads.map(lambda each: each.command("audit", "--json", seconds=120), self.machines))
        for machine, done in zip(self.machines, audits, strict=True):
            assert done.returncode == 0, (machine.directory.name, done.stdout, done.stderr)
            assert ("clicks" in json.loads(done.stdout)["checked"]) == machine.is_edge, done.stdout


@contextmanager
def running_cluster(
    directory: Path, *, prepare: Callable[[ClusterMachine], None] = lambda _: None, **settings: str
) -> Iterator[RunningCluster]:
    """A cluster that runs; nothing of it is left behind.

    prepare: called with each machine before its first start. settings: of every machine.
    """
    with ExitStack() as stack:
        postgres = PostgresServer(durable=True)  # it is killed, and what it acknowledged must be there
        stack.callback(postgres.stop)
        postgres.create("yard")
        clickhouse, valkey = ClickHouseProcess(directory / "clickhouse"), ValkeyProcess()
        stack.callback(clickhouse.kill)
        stack.callback(valkey.kill)
        clickhouse.start()
        valkey.start()
        stores = {
            "database_url": postgres.url("yard").replace("+psycopg", ""),
            "analytics_url": clickhouse.url,
            "redis_url": valkey.url,
        }
        sql, rows, counts = (
            stack.enter_context(DroppingProxy(server))
            for server in (postgres.socket_path, clickhouse.port, valkey.port)
        )
        through_proxies = {
            "database_url": f"postgresql://postgres@127.0.0.1:{sql.port}/yard",
            "analytics_url": f"http://default:@127.0.0.1:{rows.port}/yard",
            "redis_url": f"redis://127.0.0.1:{counts.port}/0",
        }
        edges = [
            ClusterMachine(directory / "edge-1", EDGE_ROLES, stores, **settings),
            ClusterMachine(directory / "edge-2", EDGE_ROLES, through_proxies, **settings),
        ]
        tracking_url = f"http://127.0.0.1:{edges[0].tracking_port}"
        apis = [
            ClusterMachine(directory / f"api-{number}", API_ROLES, stores, tracking_url=tracking_url, **settings)
            for number in (1, 2)
        ]
        cluster = RunningCluster(edges, apis, postgres, clickhouse, valkey, [sql, rows, counts])
        stack.callback(_stop, cluster.machines)
        for machine in cluster.machines:
            prepare(machine)
        for machine in cluster.machines:  # at once, as an orchestrator does
            machine.start(ready=False)
        cluster.await_healthy()
        yield cluster


def _stop(machines: list[ClusterMachine]) -> None:
    """Stop what still runs, all at once."""
    running = [each for each in machines if each.process is not None and each.process.poll() is None]
    if running:
        with ThreadPoolExecutor(len(running)) as threads:
            list(threads.map(lambda machine: machine.stop(signal.SIGTERM), running))
