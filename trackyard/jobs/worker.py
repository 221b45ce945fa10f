"""The worker process: conversions, deliveries, mail and schedule, on SQL only."""

import logging
import signal
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from zoneinfo import ZoneInfo

from trackyard.actions.platform.settings_in_force import MailSettings
from trackyard.base.clock import SystemClock
from trackyard.base.logs.ending import log_ending
from trackyard.base.secrets import SecretCipher
from trackyard.base.web_addresses import TELEGRAM_URL
from trackyard.base.zones import find_zone
from trackyard.decision.visitor.databases import AddressDatabases
from trackyard.domain.platform.retention import DEFAULT_RETENTION, RetentionPolicy
from trackyard.domain.tracking.outbound_calls import DEFAULT_RETRY_SECONDS
from trackyard.jobs.conversions.edits import ConversionEditor
from trackyard.jobs.conversions.inbox import PostbackProcessor
from trackyard.jobs.delivery.chat_messages import ChatSender
from trackyard.jobs.delivery.deliveries import Deliverer
from trackyard.jobs.delivery.host_concurrency import OutboundLimits
from trackyard.jobs.delivery.mail import ConfiguredMailTransport, Mailer
from trackyard.jobs.delivery.parallel_tracking import ParallelTrackingSender
from trackyard.jobs.delivery.rule_webhooks import RuleWebhookCaller
from trackyard.jobs.schedule.exchange_rates import ExchangeRateUpdater
from trackyard.jobs.schedule.feed_reads import FeedReader
from trackyard.jobs.schedule.file_fetches import CreativeFetcher
from trackyard.jobs.schedule.schedule import JobScheduler
from trackyard.jobs.schedule.url_checks import UrlChecker
from trackyard.outbound.guard import Network
from trackyard.outbound.mail import FolderTransport, MailTransport, SmtpTransport, parse_smtp_url
from trackyard.store.engine.database import Database
from trackyard.store.platform.file_storage import FileStore

log = logging.getLogger("trackyard.worker")


class WorkerFailed(Exception):
    """A part of the worker ended unasked."""


def _do_nothing() -> None:
    """Do nothing: a function with a name, so that options can be sent to another process."""


@dataclass(frozen=True, slots=True)
class WorkerOptions:
    """The options of a worker. They can be sent to another process.

    database_url: as SQLAlchemy reads it.
    platform_currency: ISO code.
    timezone: IANA name of the platform's zone.
    owner: a name that no other worker of the database has.
    outbound_allow: networks outside the open internet that URLs of affiliates may lead to.
    own_urls: addresses of the platform, which is not called for users; origin: identifies the platform in requests.
    files: the store of creatives; without one none is fetched.
    smtp_url, mail_from: server and sender of mail, unless staff set others, which `cipher` decrypts. "" = mail goes to
        `mail_directory`. Without directory and cipher no mail is sent.
    databases: address databases for imported conversions.
    telegram_url: the start of the URLs of Telegram's Bot API.
    quotes_url: the feed of exchange rates; "" = only shipped rates, None = only rates that staff set.
    on_stop: called when a stop begins.
    """

    database_url: str
    platform_currency: str
    timezone: str
    owner: str
    outbound_allow: tuple[Network, ...] = ()
    own_urls: tuple[str, ...] = ()
    origin: str = ""
    files: FileStore | None = None
    mail_directory: Path | None = None
    smtp_url: str = ""
    mail_from: str = "trackyard@localhost"
    cipher: SecretCipher | None = None
    limits: OutboundLimits = field(default_factory=OutboundLimits)
    databases: AddressDatabases = field(default_factory=AddressDatabases)
    quotes_url: str | None = None
    telegram_url: str = TELEGRAM_URL
    retention_policy: RetentionPolicy = DEFAULT_RETENTION
    delivery_retries: Sequence[int] = DEFAULT_RETRY_SECONDS
    on_stop: Callable[[], None] = _do_nothing


def run(options: WorkerOptions) -> None:
    """Work until SIGTERM or SIGINT, then end within seconds. Raises ValueError for an unknown time zone."""
    stop = threading.Event()

    def end(_signal: int, _frame: FrameType | None) -> None:
        options.on_stop()
        stop.set()

    signal.signal(signal.SIGTERM, end)
    signal.signal(signal.SIGINT, end)
    run_until(stop, options)


def run_until(stop: threading.Event, options: WorkerOptions) -> None:
    """Work until `stop` is set. Raises WorkerFailed when a part fails: a restart is better."""
    zone = find_zone(options.timezone)
    if zone is None:
        raise ValueError(f"{options.timezone} is not an IANA time zone")
    broken: list[str] = []
    with Database(options.database_url) as database:
        loops = _loops(options, database, zone)
        threads = [
            threading.Thread(target=_run_loop, args=(name, loop, stop, broken, options.on_stop), name=name)
            for name, loop in loops.items()
        ]
        log.debug("worker started", extra={"owner": options.owner})
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    log.info("worker ended", extra={"owner": options.owner})
    if broken:
        raise WorkerFailed(", ".join(broken))


def _loops(options: WorkerOptions, database: Database, zone: ZoneInfo) -> dict[str, Callable[[threading.Event], None]]:
    """Return the parts of a worker by name; each runs in its own thread."""
    clock = SystemClock()
    files = options.files
    loops: dict[str, Callable[[threading.Event], None]] = {
        "conversions": PostbackProcessor(
            database,
            options.platform_currency,
            zone,
            clock,
            options.retention_policy,
            options.cipher,
            options.databases,
        ).run,
        "edits": ConversionEditor(database, options.platform_currency, zone, clock, options.databases).run,
        "schedule": JobScheduler(database, zone, clock, files, options.retention_policy, options.cipher).run,
        "deliveries": Deliverer(
            database,
            clock,
            options.owner,
            allow=options.outbound_allow,
            limits=options.limits,
            retry_seconds=options.delivery_retries,
            own_urls=options.own_urls,
            origin=options.origin,
        ).run,
        "urls": UrlChecker(database, clock, options.outbound_allow).run,
        "feeds": FeedReader(database, clock, options.outbound_allow).run,
        "webhooks": RuleWebhookCaller(database, clock, options.outbound_allow).run,
        "parallel": ParallelTrackingSender(
            database,
            zone,
            clock,
            allow=options.outbound_allow,
            own_urls=options.own_urls,
            origin=options.origin,
        ).run,
    }
    if options.cipher is not None:
        loops["chats"] = ChatSender(database, clock, options.cipher, options.outbound_allow, options.telegram_url).run
    if files is not None:
        loops["fetches"] = CreativeFetcher(database, files, clock, options.outbound_allow).run
    if options.quotes_url is not None:
        loops["quotes"] = ExchangeRateUpdater(
            database, options.platform_currency, zone, clock, options.quotes_url, options.outbound_allow
        ).run
    post = _mail_transport(options, database)
    if post is not None:
        loops["mail"] = Mailer(database, clock, post, files=files).run
    return loops


def _mail_transport(options: WorkerOptions, database: Database) -> MailTransport | None:
    directory = options.mail_directory
    if directory is None or options.cipher is None:
        return None

    def make(mail_settings: MailSettings) -> MailTransport:
        if mail_settings.smtp_url:
            return SmtpTransport(parse_smtp_url(mail_settings.smtp_url), mail_settings.sender)
        return FolderTransport(directory, mail_settings.sender)

    return ConfiguredMailTransport(database, options.cipher, MailSettings(options.smtp_url, options.mail_from), make)


def _run_loop(
    name: str,
    loop: Callable[[threading.Event], None],
    stop: threading.Event,
    broken: list[str],
    on_stop: Callable[[], None] = lambda: None,
) -> None:
    """Run a part; its failure stops the others."""
    try:
        loop(stop)
    except Exception as error:
        log_ending(error, part=name)
        broken.append(name)
        on_stop()
        stop.set()
