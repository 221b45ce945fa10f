"""Builds each role from its parts. A role imports only what it runs."""

import errno
import faulthandler
import json
import logging
import os
import signal
import socket
import ssl
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, closing, contextmanager, nullcontext
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

from trackyard.base.clock import SystemClock
from trackyard.base.logs.ending import log_ending, log_uncaught_errors
from trackyard.base.logs.file import log_to_file
from trackyard.base.logs.output import log_to_stderr
from trackyard.base.metrics import JOURNAL_COPY_LAG
from trackyard.runtime.api_server import serve_api
from trackyard.runtime.data_directory import use_temporary_directory
from trackyard.runtime.exit_codes import ExitCode
from trackyard.runtime.monitoring import MonitoringServer, monitoring_process, open_monitoring
from trackyard.runtime.monitoring.full_disks import find_full_disks, wait_for_space
from trackyard.runtime.monitoring.readiness import (
    MachineReport,
    core_readiness,
    local_reasons,
    machine_report,
    machine_status_of,
    starting_report,
)
from trackyard.runtime.monitoring.store_readiness import StoreReadiness
from trackyard.runtime.monitoring.stores import StoreWatch
from trackyard.runtime.processes.core_loading import CoreThreads, loaders
from trackyard.runtime.processes.early_core import import_core, wait_for_byte
from trackyard.runtime.processes.starting import StartingAnswers
from trackyard.runtime.processes.stop_watchdog import StopWatchdog, stop_with_parent
from trackyard.runtime.settings import (
    CannotStart,
    Config,
    bind,
    encryption_keys,
    unusable_directory,
)
from trackyard.runtime.start_checks import databases_of, refused_store

if TYPE_CHECKING:
    from trackyard.actions.deps import Deps
    from trackyard.actions.platform.rebuild import Rebuilder
    from trackyard.analytics.engine.connection import Analytics, QueryLimits
    from trackyard.jobs.loading.journal_copies import JournalCopier
    from trackyard.jobs.loading.projector import Projector
    from trackyard.store.engine.database import Database

log = logging.getLogger("trackyard.runtime.app")


def run_role(config: Config, name: str, *, slot: int, lifeline: int | None, after: int | None = None) -> None:
    """Run one process of `serve` until SIGTERM. Raises CannotStart.

    lifeline: a pipe that ends with the parent. after: a pipe of which the core reads a byte before it opens stores.
    """
    role = name if name != "edge" else f"edge {slot}"
    log_to_stderr(role, config.log_level, config.log_format)
    log_to_file(role, config.log_file)
    log_uncaught_errors()
    faulthandler.enable()  # a crash shows its place in the log
    watchdog = StopWatchdog()
    if lifeline is not None:
        stop_with_parent(lifeline, watchdog)
    try:
        with ExitStack() as stack:
            monitoring = _open_monitoring(config, name, slot)
            if monitoring is not None:
                stack.enter_context(monitoring)
            if name == "core":
                _run_core(config, monitoring, watchdog, after)
            elif name == "worker":
                _run_worker(config, slot, watchdog, monitoring)
            else:
                _run_edge(config, slot, watchdog)
    except (PermissionError, FileExistsError, IsADirectoryError, NotADirectoryError) as fault:
        if fault.filename is None:
            raise
        # most often files of root, from an earlier start as root
        raise unusable_directory(config.data_dir, f"{fault.filename}: {fault.strerror}") from None


def _open_monitoring(config: Config, name: str, slot: int) -> MonitoringServer | None:
    """Open the monitoring listener in the process that serves it; None in the others."""
    if slot != 0 or name != monitoring_process(config.roles):
        return None
    if name == "core":
        return open_monitoring(config, partial(starting_report, config))
    return open_monitoring(config, partial(machine_report, config))


def _run_edge(config: Config, slot: int, watchdog: StopWatchdog) -> None:
    from trackyard.base.rate_limits import RateLimit
    from trackyard.domain.conversions.click_lookups import LOOKUP_SOCKET
    from trackyard.edge.server import EdgeOptions, run
    from trackyard.journal.writer import EdgeNumberTaken

    numbers: list[int] = json.loads(edges_file(config).read_text())
    listen = config.tracking_listen
    try:
        run(
            EdgeOptions(
                host=listen.host,
                port=listen.port,
                edge=numbers[slot],
                slots=config.edges,
                visitors_size=config.unique_mb * 1024 * 1024,
                journal_directory=config.data_dir / "journal",
                rules_directory=config.data_dir / "rules",
                state_directory=config.data_dir / "state",
                trusted_networks=config.trusted_proxies,
                databases=databases_of(config),
                tls_certificate=config.tracking_tls_cert,
                tls_key=config.tracking_tls_key,
                forward_key=_forward_key(config),
                hsts_seconds=config.hsts_seconds,
                lookup_socket=config.data_dir / LOOKUP_SOCKET,
                click_senders=config.click_senders,
                network_connections=config.network_connections,
                record_rate=RateLimit(config.record_rate, config.record_burst),
                redis_url=config.redis_url,
                redis_slot=f"{directory_id_of(config)}-{slot}",
                on_stop=watchdog.arm,
            )
        )
    except ssl.SSLError as fault:
        raise CannotStart(
            f"TRACKYARD_TRACKING_TLS_CERT {config.tracking_tls_cert} and TRACKYARD_TRACKING_TLS_KEY "
            f"{config.tracking_tls_key} cannot be used: {fault.reason or fault}."
        ) from None
    except EdgeNumberTaken as fault:
        raise unusable_directory(config.data_dir, fault) from None
    except OSError as fault:
        if fault.errno not in (errno.EADDRINUSE, errno.EADDRNOTAVAIL, errno.EACCES) or fault.filename is not None:
            raise unusable_directory(config.data_dir, fault) from fault
        place = f"TRACKYARD_TRACKING_LISTEN {listen.host}:{listen.port}"
        raise CannotStart(f"{place} cannot be used: {fault.strerror}.") from fault


def _run_worker(config: Config, slot: int, watchdog: StopWatchdog, monitoring: MonitoringServer | None) -> None:
    is_first = slot == 0 and monitoring_process(config.roles) == "worker"
    with _beating(config, monitoring, watchdog) if is_first else nullcontext():
        _work(config, slot, watchdog)


@contextmanager
def _beating(config: Config, monitoring: MonitoringServer | None, watchdog: StopWatchdog) -> Iterator[None]:
    """Say in SQL that this machine runs, and whether SQL answers: it has no core, which does so elsewhere.

    A signal to stop ends the block, also before the worker has begun and handles signals itself.
    """
    from trackyard.runtime.machines.heartbeat import Heartbeat
    from trackyard.store.engine.database import Database

    def leave(_number: int, _frame: object) -> None:
        watchdog.arm()
        sys.exit()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, leave)
    stop = threading.Event()
    with Database(config.database_url, pool_size=1) as database:
        if monitoring is not None:
            look = partial(core_readiness, config, database, None, directory_id_of(config))
            readiness = StoreReadiness(look, partial(local_reasons, config)).get
            monitoring.set_report(partial(machine_report, config, readiness))
        heartbeat = Heartbeat(config, database, directory_id_of(config), SystemClock())
        thread = threading.Thread(target=heartbeat.run, args=(stop,), name="heartbeat")
        thread.start()
        try:
            yield
        finally:
            stop.set()
            thread.join()
            heartbeat.end()


def _work(config: Config, slot: int, watchdog: StopWatchdog) -> None:
    from trackyard.base.secrets import SecretCipher
    from trackyard.domain.platform.own_requests import origin_of
    from trackyard.jobs.worker import WorkerFailed, WorkerOptions, run
    from trackyard.runtime.data_directory import open_files

    try:
        run(
            WorkerOptions(
                database_url=config.database_url,
                platform_currency=config.currency,
                timezone=config.timezone,
                owner=f"{directory_id_of(config)}-{slot}",
                outbound_allow=config.outbound_allow,
                own_urls=(config.tracking_url, config.api_url),
                origin=origin_of(_forward_key(config)),
                files=open_files(config),
                mail_directory=config.data_dir / "mail",
                quotes_url=config.quotes_url,
                telegram_url=config.telegram_url,
                retention_policy=config.retention_policy,
                delivery_retries=config.delivery_retries,
                smtp_url=config.smtp_url,
                mail_from=config.mail_from,
                cipher=SecretCipher(*encryption_keys(config)),
                databases=databases_of(config),
                on_stop=watchdog.arm,
            )
        )
    except WorkerFailed:
        sys.exit(ExitCode.FAILED)  # its parts logged the reason


def _run_core(config: Config, monitoring: MonitoringServer | None, watchdog: StopWatchdog, after: int | None) -> None:
    from trackyard.base.sockets import raise_file_limit

    # Bind first: opening the analytic store takes time, and the address may be taken.
    raise_file_limit()
    listener = bind(config.api_listen, "TRACKYARD_API_LISTEN") if "api" in config.roles else None
    stop = threading.Event()
    threading.Thread(target=_arm_with, args=(stop, watchdog), name="stop", daemon=True).start()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    with ExitStack() as stack:
        # Answers at once that the process is alive; the stores and the API take seconds.
        starting = None if listener is None else stack.enter_context(StartingAnswers(listener))
        if after is not None:
            import_core(config)
            if not wait_for_byte(after, stop):
                return
        from trackyard.store.engine.database import Database

        if not wait_for_space(partial(find_full_disks, config), stop):
            return
        use_temporary_directory(config.data_dir / "temporary")
        database = stack.enter_context(Database(config.database_url))
        analytics = stack.enter_context(closing(open_analytics(config)))
        _serve_core(config, listener, database, analytics, monitoring, stop, starting)


def open_analytics(config: Config) -> "Analytics":
    """Return the analytic store with its newest schema. Raises CannotStart."""
    from trackyard.analytics.engine.connection import Analytics, StoreError
    from trackyard.analytics.engine.memory import release_start_code
    from trackyard.analytics.engine.migrations import migrate

    try:
        analytics = Analytics.open(config.analytics_url, limits=_query_limits(config), cluster=config.analytics_cluster)
        try:
            migrate(analytics)
            release_start_code()
        except BaseException:
            analytics.close()
            raise
    except StoreError as fault:
        raise refused_store(config, fault) from None
    except OSError as fault:
        raise CannotStart(f"TRACKYARD_ANALYTICS_URL cannot be used: {fault.filename}: {fault.strerror}.") from None
    return analytics


def _serve_core(
    config: Config,
    listener: socket.socket | None,
    database: "Database",
    analytics: "Analytics",
    monitoring: MonitoringServer | None,
    stop: threading.Event,
    starting: StartingAnswers | None,
) -> None:
    """Run the threads of the core and serve the API until `stop` is set."""
    from trackyard.jobs.schedule.retention import RetentionRunner
    from trackyard.runtime.checks.registry import checks_of
    from trackyard.runtime.machines.heartbeat import Heartbeat
    from trackyard.wire.limits.running_requests import RunningRequests

    directory_id, requests = directory_id_of(config), RunningRequests()
    projector, rebuilder, copier, threads = None, None, None, list[threading.Thread]()
    if "projector" in config.roles:
        rebuilder, projector = loaders(config, database, analytics, directory_id, requests.any)
        journals, policy = config.data_dir / "journal", config.retention_policy
        retention_runner = RetentionRunner(database, analytics, journals, SystemClock(), policy)
        threads += [
            threading.Thread(target=_run_projector, args=(projector, stop), name="projector"),
            threading.Thread(target=retention_runner.run, args=(stop,), name="retention"),
        ]
        copier = _copy_journals(config, database, threads, stop)
    threads += [*_freezes(config, analytics, stop), *_click_lookups(config, database, analytics, stop)]
    lag_ms = None if projector is None else projector.journals.lag_ms
    heartbeat = Heartbeat(config, database, directory_id, SystemClock(), lag_ms=lag_ms)
    threads += [threading.Thread(target=heartbeat.run, args=(stop,), name="heartbeat")]
    stores = StoreWatch({"sql": database.ping, "analytics": analytics.ping})
    look = partial(core_readiness, config, database, projector, directory_id, copier, stores.up)
    readiness = StoreReadiness(look, partial(local_reasons, config)).get
    report = partial(machine_report, config, readiness)
    threads += _watch_stores(monitoring, report, stores, stop)
    core_threads = CoreThreads(starting, threads)
    try:
        if listener is not None:
            machine, checks = machine_status_of(config, report), checks_of(config, os.environ)
            deps = replace(deps_of(config, database, analytics, rebuilder), machine=machine, checks=checks)
            serve_api(config, listener, deps, _forward_key(config), readiness, stop, requests, core_threads.start)
        else:
            core_threads.start()
            stop.wait()
    finally:
        stop.set()
        if rebuilder is not None:
            rebuilder.close()
        core_threads.join()
        heartbeat.end()


def _copy_journals(
    config: Config, database: "Database", threads: list[threading.Thread], stop: threading.Event
) -> "JournalCopier | None":
    """Return the copier of journals to a bucket, and add its thread; None without a bucket."""
    if not config.journal_copy_url:
        JOURNAL_COPY_LAG.set(0)
        return None
    from trackyard.jobs.loading.journal_copies import JournalCopier
    from trackyard.store.tracking.journal_bucket import JournalBucket

    bucket = JournalBucket(config.journal_copy_url)
    copier = JournalCopier(database, bucket, config.data_dir / "journal", directory_id_of(config))
    threads.append(threading.Thread(target=copier.run, args=(stop,), name="journal copies"))
    return copier


def _freezes(config: Config, analytics: "Analytics", stop: threading.Event) -> list[threading.Thread]:
    """Return the thread that freezes the tables of chDB for backups; a server has no need of it."""
    from trackyard.jobs.loading.table_freezes import FreezeServer

    directory = config.chdb_directory
    if directory is None:
        return []
    try:
        freezes = FreezeServer(freeze_socket(config), analytics, directory)
    except OSError as fault:
        log.warning("socket for backups failed", extra={"error": str(fault)})
        return []
    return [threading.Thread(target=freezes.run, args=(stop,), name="freezes")]


def freeze_socket(config: Config) -> Path:
    """Return the socket on which the core freezes tables for backups."""
    return config.data_dir / "run" / "freeze.sock"


def _click_lookups(
    config: Config, database: "Database", analytics: "Analytics", stop: threading.Event
) -> list[threading.Thread]:
    """Return the thread that answers the edges about clicks; only pixels without cookies need it."""
    if "edge" not in config.roles:
        return []
    from trackyard.jobs.loading.click_lookups import ClickLookupServer

    try:
        lookups = ClickLookupServer.of_store(config.data_dir, analytics, database, SystemClock())
    except OSError as fault:
        log.warning("click look-up socket failed", extra={"error": str(fault)})
        return []
    return [threading.Thread(target=lookups.run, args=(stop,), name="click look-ups")]


def _watch_stores(
    monitoring: MonitoringServer | None,
    report: Callable[[], MachineReport],
    stores: StoreWatch,
    stop: threading.Event,
) -> list[threading.Thread]:
    """Let the monitoring listener show the report and the stores; return the threads that ask the stores."""
    if monitoring is not None:
        monitoring.set_report(report)
        monitoring.set_stores(stores.up)
    return stores.threads(stop)


def _query_limits(config: Config) -> "QueryLimits":
    from trackyard.analytics.engine.connection import QueryLimits
    from trackyard.analytics.scheduler import HEAVY_LIMIT

    heavy = replace(HEAVY_LIMIT, most=config.heavy_reports)
    return QueryLimits(seconds=config.report_seconds, memory=config.report_memory, heavy=heavy)


def deps_of(config: Config, database: "Database", analytics: object, rebuilder: "Rebuilder | None") -> "Deps":
    """Return the dependencies of actions, on open stores."""
    from trackyard.actions.deps import Deps
    from trackyard.actions.platform.settings_in_force import MailSettings
    from trackyard.analytics.engine.connection import Analytics
    from trackyard.base.secrets import SecretCipher
    from trackyard.decision.click.state import EMPTY_CLICK_STATE
    from trackyard.decision.visitor.visitor import VisitorLookup
    from trackyard.domain.platform.own_requests import origin_of
    from trackyard.edge.state.read_only import ReadOnlyEdgeState
    from trackyard.outbound.interactive import OnDemandClient
    from trackyard.runtime.data_directory import open_files

    assert isinstance(analytics, Analytics)
    return Deps(
        database=database,
        analytics=analytics,
        cipher=SecretCipher(*encryption_keys(config)),
        clock=SystemClock(),
        currency=config.currency,
        zone=ZoneInfo(config.timezone),
        tracking_url=config.tracking_url,
        files=open_files(config),
        api_url=config.api_url,
        isp_database=config.isp_database,
        address_databases=frozenset(
            kind for kind in ("city", "isp", "connection") if getattr(config, f"{kind}_database") is not None
        ),
        journals=config.data_dir / "journal" if "projector" in config.roles else None,
        rebuilder=rebuilder,
        retention_policy=config.retention_policy,
        sessions=config.session_policy,
        passwords=config.password_policy,
        needs_confirmed_email=config.require_confirmed_email,
        needs_second_person=config.require_second_person,
        click_state=cache(lambda: ReadOnlyEdgeState(config.data_dir / "state"))
        if "edge" in config.roles
        else lambda: EMPTY_CLICK_STATE,
        visitors=cache(lambda: VisitorLookup(databases_of(config))),
        trials=OnDemandClient(config.outbound_allow),
        telegram_url=config.telegram_url,
        origin=origin_of(_forward_key(config)),
        mail=MailSettings(config.smtp_url, config.mail_from),
    )


def _run_projector(projector: "Projector", stop: threading.Event) -> None:
    """Run the projector. When it fails, end the process, which is then restarted."""
    try:
        projector.run(stop)
    except Exception as error:
        log_ending(error, part="projector")
        os.kill(os.getpid(), signal.SIGTERM)


def directory_id_of(config: Config) -> str:
    """Return the id of this data directory: 24 hex digits, generated once."""
    from trackyard.base.ids import new_id
    from trackyard.journal.durable import write_durably

    path = config.data_dir / "directory.id"
    if not path.exists():
        write_durably(path, new_id(SystemClock().now_ms()).encode())
    return path.read_text().strip()


def _forward_key(config: Config) -> bytes:
    """Return the key that signs the caller's address of forwarded requests."""
    from trackyard.domain.tracking.forwarding import signing_key

    return signing_key(encryption_keys(config)[0])


def edges_file(config: Config) -> Path:
    """Return the file with the numbers of this machine's edges."""
    return config.data_dir / "edges.json"


def _arm_with(stop: threading.Event, watchdog: StopWatchdog) -> None:
    stop.wait()
    watchdog.arm()
