"""What every start makes before its roles run: keys, schema, first administrator, edge numbers."""

import logging
import signal
import threading
from typing import TYPE_CHECKING

from trackyard.base.clock import SystemClock
from trackyard.base.logs.file import log_to_file
from trackyard.base.logs.outages import first_line
from trackyard.base.logs.output import log_to_stderr
from trackyard.runtime.app import directory_id_of
from trackyard.runtime.exit_codes import disk_full
from trackyard.runtime.machines.claims import claim_edge_numbers, join_machines, this_machine
from trackyard.runtime.processes.stop_watchdog import StopWatchdog, stop_with_parent
from trackyard.runtime.settings import (
    SECRET_FILE,
    CannotStart,
    Config,
    NotInstalled,
    encryption_keys,
    unusable_directory,
)
from trackyard.runtime.start_checks import (
    check_address_databases,
    check_certificate,
    check_clock,
    wait_for_databases,
    warn_of_lone_administrator,
)

if TYPE_CHECKING:
    from trackyard.store.engine.database import Database

log = logging.getLogger("trackyard.runtime.preparation")


def prepare(config: Config, lifeline: int | None = None) -> dict[str, str]:
    """Make what all roles share; return what the supervisor prints.

    Every start calls it: directories, keys, schema, first administrator, edge numbers. Raises CannotStart.
    lifeline: a pipe that ends with the parent.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.actions.people.sign_in.by_link import first_link
    from trackyard.actions.platform import installation
    from trackyard.base.secrets import DecryptionFailed, SecretCipher
    from trackyard.runtime.data_directory import check_disk_space, make_data_directory, warn_if_open
    from trackyard.store.engine.database import Database, is_disk_full
    from trackyard.store.engine.schema import SchemaUnknown, upgrade_for_start

    log_to_stderr("prepare", config.log_level, config.log_format)
    check_address_databases(config)
    stop = threading.Event()
    _end_with_signal(stop, lifeline)
    try:
        make_data_directory(config.data_dir)
        log_to_file("prepare", config.log_file)
        warn_if_open(config.data_dir)
        if "edge" in config.roles:
            check_certificate(config)
            check_disk_space(config)
        cipher = SecretCipher(*encryption_keys(config))
        wait_for_databases(config, stop)
        with Database(config.database_url, pool_size=1) as database:
            upgrade_for_start(database)
            _check_installation(config, database, stop)
            mode = _store_postback_code(config, database)
            new_key = installation.first_start(database, cipher, SystemClock(), config.admin_api_key)
            installation.store_currency(database, config.currency)
            installation.store_timezone(database, config.timezone)
            if "edge" in config.roles:
                installation.store_shared_click_state(database, shared=bool(config.redis_url))
                claim_edge_numbers(config, database, directory_id_of(config), SystemClock())
            key = installation.administrator_key(database, cipher)
            link = first_link(database, SystemClock(), config.api_url) if "api" in config.roles else None
            keys = {"admin_api_key": key, "new_admin_api_key": new_key or ""}
            return keys | {"postback_code": mode, "sign_in_link": link or ""}
    except DecryptionFailed as fault:
        if config.secret_key is not None:
            raise CannotStart(f"{fault}.") from None
        raise CannotStart(
            f"{config.data_dir / SECRET_FILE} does not decrypt a stored key: it is not the file that encrypted it. "
            "Restore it from a backup of the data directory."
        ) from None
    except installation.CurrencyFixed as fault:
        raise CannotStart(f"TRACKYARD_CURRENCY cannot be {config.currency}: {fault}.") from None
    except (SQLAlchemyError, SchemaUnknown) as fault:
        if is_disk_full(fault):
            raise disk_full(config.data_dir) from None
        raise CannotStart(f"TRACKYARD_DATABASE_URL cannot be used: {first_line(fault)}.") from None
    except OSError as fault:
        raise unusable_directory(config.data_dir, fault) from None


def _end_with_signal(stop: threading.Event, lifeline: int | None) -> None:
    """End waits at SIGTERM; what is begun is finished, unless it takes too long."""
    watchdog = StopWatchdog()

    def end(*_: object) -> None:
        watchdog.arm()
        stop.set()

    signal.signal(signal.SIGTERM, end)
    if lifeline is not None:
        stop_with_parent(lifeline, watchdog)


def _check_installation(config: Config, database: "Database", stop: threading.Event) -> None:
    """Store this machine among those of the installation.

    Raises CannotStart when it does not fit to the others.
    """
    warn_of_lone_administrator(config, database)
    with database.read() as connection:
        check_clock(connection, SystemClock().now_ms())
    join_machines(config, database, this_machine(config, directory_id_of(config)), SystemClock(), stop)


def _store_postback_code(config: Config, database: "Database") -> str:
    """Store how inbound postbacks get their codes, and log when they need none; return it."""
    from trackyard.actions.conversions.postback_codes import find_code_warning, store_postback_code

    mode = store_postback_code(database, config.postback_code)
    with database.read() as connection:
        warning = find_code_warning(connection)
    if warning is not None:
        log.warning("postbacks need no code", extra={"advice": warning})
    return mode.value


def administrator_key(config: Config) -> str:
    """Return the first administrator's API key. Raises CannotStart."""
    from sqlalchemy.exc import ProgrammingError, SQLAlchemyError

    from trackyard.actions.platform import installation
    from trackyard.base.secrets import DecryptionFailed, SecretCipher
    from trackyard.store.engine.database import Database

    not_installed = NotInstalled(f"there is no installation in {config.data_dir} yet: start it first.")
    if not config.data_dir.is_dir():
        raise not_installed
    try:
        with Database(config.database_url, pool_size=1) as database:
            return installation.administrator_key(database, SecretCipher(*encryption_keys(config)))
    except DecryptionFailed as fault:
        raise CannotStart(f"{fault}.") from None
    except (ProgrammingError, installation.NoAdministrator):
        raise not_installed from None
    except SQLAlchemyError as fault:
        if "no such table" in str(fault):  # the ProgrammingError of PostgreSQL, in SQLite
            raise not_installed from None
        raise CannotStart(f"TRACKYARD_DATABASE_URL cannot be used: {first_line(fault)}.") from None
