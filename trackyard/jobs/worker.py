"""The worker process: conversions, deliveries, mail, schedule, over SQL alone."""

import logging
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from zoneinfo import ZoneInfo

from trackyard.base.clock import SystemClock
from trackyard.base.secrets import Seal
from trackyard.base.zones import find_zone
from trackyard.decision.visitor.databases import Databases
from trackyard.domain.platform.retention import DEFAULT_SPANS, Spans
from trackyard.jobs.conversions.edits import Editor
from trackyard.jobs.conversions.inbox import Converter
from trackyard.jobs.delivery.deliveries import Deliverer
from trackyard.jobs.delivery.host_concurrency import Limits
from trackyard.jobs.delivery.mail import Mailer
from trackyard.jobs.delivery.mail_transport import MailSettings, SettledPost
from trackyard.jobs.delivery.parallel_tracking import ParallelCaller
from trackyard.jobs.schedule.exchange_rates import Quoter
from trackyard.jobs.schedule.file_fetches import Fetcher
from trackyard.jobs.schedule.schedule import Schedule
from trackyard.outbound.guard import Network
from trackyard.outbound.mail import MailFolder, Post, SmtpPost, server_of
from trackyard.store.engine.database import Database
from trackyard.store.platform.file_storage import FileStore

log = logging.getLogger("trackyard.worker")


class WorkerBroken(Exception):
    """A part of the worker ended of itself."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """What a worker is told. database_url: SQLAlchemy's · platform_currency: ISO code · timezone: IANA name of the
    platform's zone · owner: a name no other worker of the database has · outbound_allow: networks that affiliates'
    URLs may lead to though they are not on the open internet · files: where
    creatives are stored; without it none are fetched · smtp_url, mail_from: the mail server (empty =
    mail goes to `mail_directory`) and the sender, unless staff set others, which `seal` opens; without directory and
    seal none is sent · databases: of addresses, for imported conversions · quotes_url: where currency rates are
    refreshed from (empty = those alone that are shipped); without one staff set them all · spans: how long things
    are kept."""

    database_url: str
    platform_currency: str
    timezone: str
    owner: str
    outbound_allow: tuple[Network, ...] = ()
    files: FileStore | None = None
    mail_directory: Path | None = None
    smtp_url: str = ""
    mail_from: str = "trackyard@localhost"
    seal: Seal | None = None
    limits: Limits = field(default_factory=Limits)
    databases: Databases = field(default_factory=Databases)
    quotes_url: str | None = None
    spans: Spans = DEFAULT_SPANS


def run(options: WorkerOptions) -> None:
    """Works until SIGTERM or SIGINT, then ends within seconds. Raises ValueError for an unknown time zone."""
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    run_until(stop, options)


def run_until(stop: threading.Event, options: WorkerOptions) -> None:
    """Works until `stop` is set. Raises WorkerBroken when a part broke: better started anew than without it."""
    zone = find_zone(options.timezone)
    if zone is None:
        raise ValueError(f"{options.timezone} is no IANA time zone")
    broken: list[str] = []
    with Database(options.database_url) as database:
        loops = _loops(options, database, zone)
        threads = [
            threading.Thread(target=_guarded, args=(name, loop, stop, broken), name=name)
            for name, loop in loops.items()
        ]
        log.info("the worker works", extra={"owner": options.owner})
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    log.info("the worker has ended", extra={"owner": options.owner})
    if broken:
        raise WorkerBroken(", ".join(broken))


def _loops(options: WorkerOptions, database: Database, zone: ZoneInfo) -> dict[str, Callable[[threading.Event], None]]:
    """The parts of a worker by their names, each to run in a thread of its own."""
    clock = SystemClock()
    files = options.files
    loops: dict[str, Callable[[threading.Event], None]] = {
        "conversions": Converter(database, options.platform_currency, zone, clock, options.spans).run,
        "edits": Editor(database, options.platform_currency, zone, clock, options.databases).run,
        "schedule": Schedule(database, zone, clock, files, options.spans).run,
        "deliveries": Deliverer(
            database, clock, options.owner, allow=options.outbound_allow, limits=options.limits
        ).run,
        "parallel": ParallelCaller(database, zone, clock, allow=options.outbound_allow).run,
    }
    if files is not None:
        loops["fetches"] = Fetcher(database, files, clock, options.outbound_allow).run
    if options.quotes_url is not None:
        quoter = Quoter(database, options.platform_currency, zone, clock, options.quotes_url, options.outbound_allow)
        loops["quotes"] = quoter.run
    post = _post(options, database)
    if post is not None:
        loops["mail"] = Mailer(database, clock, post).run
    return loops


def _post(options: WorkerOptions, database: Database) -> Post | None:
    directory = options.mail_directory
    if directory is None or options.seal is None:
        return None

    def make(wanted: MailSettings) -> Post:
        if wanted.smtp_url:
            return SmtpPost(server_of(wanted.smtp_url), wanted.sender)
        return MailFolder(directory, wanted.sender)

    return SettledPost(database, options.seal, MailSettings(options.smtp_url, options.mail_from), make)


def _guarded(name: str, loop: Callable[[threading.Event], None], stop: threading.Event, broken: list[str]) -> None:
    """Runs a loop; one that breaks stops the others."""
    try:
        loop(stop)
    except Exception:
        log.critical("a part of the worker broke", exc_info=True, extra={"part": name})
        broken.append(name)
        stop.set()
