"""Checks of the databases and the mail server: whether they answer and take the login."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from trackyard.base.logs.outages import first_line
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.runtime.checks.machine import CheckedMachine
from trackyard.runtime.setting_types import is_loopback
from trackyard.runtime.settings import SECRET_FILE, encryption_keys

if TYPE_CHECKING:
    from trackyard.actions.platform.settings_in_force import MailSettings


def check_sql(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when the SQL database does not answer or refuses the login; SQLite has neither."""
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.store.engine.availability import DatabaseNotUp, check_database_is_up, place_of

    url = machine.config.database_url
    try:
        check_database_is_up(url)
    except DatabaseNotUp as fault:
        yield Finding(FindingKind.SQL_SILENT, place_of(url), {"reason": str(fault)})
    except SQLAlchemyError as fault:
        yield Finding(FindingKind.SQL_REFUSED, place_of(url), {"reason": first_line(fault)})


def check_second_person(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when payments need a second person, and fewer than two can decide.

    A database that is away, or that has no installation yet, is not asked.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.runtime.start_checks import find_lone_administrator
    from trackyard.store.engine.availability import DatabaseNotUp, check_database_is_up, is_file_missing
    from trackyard.store.engine.database import Database

    url = machine.config.database_url
    if not machine.config.require_second_person or is_file_missing(url):
        return
    try:
        check_database_is_up(url)
        with Database(url, pool_size=1) as database:
            administrators = find_lone_administrator(machine.config, database)
    except (DatabaseNotUp, SQLAlchemyError):
        return  # the finding of check_sql
    if administrators is not None:
        subject = "TRACKYARD_REQUIRE_SECOND_PERSON"
        yield Finding(FindingKind.SECOND_PERSON_MISSING, subject, {"administrators": administrators})


def check_analytics(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when ClickHouse does not answer or refuses the login. chDB has neither."""
    from trackyard.analytics.engine.availability import StoreNotUp, check_store_is_up, server_of

    url = machine.config.analytics_url
    server = server_of(url)
    if server is None or not {"api", "projector"} & set(machine.config.roles):
        return
    place = f"{server[0]}:{server[1]}"
    try:
        check_store_is_up(url)
    except StoreNotUp as fault:
        yield Finding(FindingKind.STORE_SILENT, place, {"reason": str(fault)})
        return
    from trackyard.analytics.engine.connection import StoreError, check_login

    try:
        check_login(url)
    except StoreError as fault:
        yield Finding(FindingKind.STORE_REFUSED, place, {"reason": first_line(fault)})


def check_redis(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when the Redis that all machines share does not answer, or refuses the login."""
    url = machine.config.redis_url
    if not url or "edge" not in machine.config.roles:
        return
    from redis import RedisError

    from trackyard.edge.state.redis_store import ping, place_of

    try:
        ping(url)
    except (RedisError, OSError) as fault:
        yield Finding(FindingKind.REDIS_SILENT, place_of(url), {"reason": first_line(fault)})


def check_mail(machine: CheckedMachine) -> Iterator[Finding]:
    """Yield a finding when the mail server in force cannot be used, and no mail is sent.

    Without a mail server there is one where the address of the API is not of this machine.
    """
    from urllib.parse import urlsplit

    from trackyard.actions.platform.settings_in_force import SettingPlace
    from trackyard.outbound.mail import MailServerUnreachable, SmtpTransport, parse_smtp_url

    config = machine.config
    if "worker" not in config.roles:
        return
    mail = _mail_in_force(machine)
    if not mail.smtp_url:
        if not is_loopback(urlsplit(config.api_url).hostname or ""):
            yield Finding(FindingKind.MAIL_IN_FILES, str(config.data_dir / "mail"))
        return
    server, is_of_staff = parse_smtp_url(mail.smtp_url), mail.server_place is SettingPlace.STAFF
    transport = SmtpTransport(server, mail.sender, context=machine.tls)
    try:
        transport.connect()
    except MailServerUnreachable as fault:
        reason = (getattr(fault.__cause__, "strerror", None) or str(fault)).strip().rstrip(".")
        place = "Settings → Mail" if is_of_staff else "TRACKYARD_SMTP_URL"
        yield Finding(FindingKind.MAIL_REFUSED, f"{server.host}:{server.port}", {"reason": reason, "place": place})
    finally:
        transport.close()


def _mail_in_force(machine: CheckedMachine) -> "MailSettings":
    """Return the mail settings that staff have set, else the settings of this machine's start."""
    from trackyard.actions.platform.settings_in_force import MailSettings, mail_in_force
    from trackyard.base.secrets import DecryptionFailed, SecretCipher
    from trackyard.runtime.checks.books import reading

    config = machine.config
    at_start = MailSettings(config.smtp_url, config.mail_from)
    has_key = config.secret_key is not None or (config.data_dir / SECRET_FILE).exists()
    with reading(machine) as connection:
        if connection is None:  # check_sql says why
            return at_start
        try:
            return mail_in_force(connection, SecretCipher(*encryption_keys(config)) if has_key else None, at_start)
        except DecryptionFailed:  # a start says so
            return at_start
