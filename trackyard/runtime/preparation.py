"""What every start makes before its roles run: keys, schema, first administrator, edge numbers."""

import json
import logging
import signal
import threading
from typing import TYPE_CHECKING, Final

from trackyard.base.clock import SystemClock
from trackyard.base.logs.file import log_to_file
from trackyard.base.logs.outages import first_line
from trackyard.base.logs.output import log_to_stderr
from trackyard.runtime.app import check_address_databases, directory_id_of, edges_file
from trackyard.runtime.settings import CannotStart, Config, NotInstalled, encryption_keys, unusable_directory
from trackyard.runtime.start_checks import (
    check_certificate,
    check_clock,
    find_split_click_state,
    find_split_statistics,
    wait_for_databases,
    warn_of_lone_administrator,
)

if TYPE_CHECKING:
    from trackyard.store.engine.database import Database

log = logging.getLogger("trackyard.runtime.preparation")

_REPLACED: Final = "A data directory that was replaced counts as in use for 5 minutes."


def prepare(config: Config) -> dict[str, str]:
    """Make what all roles share; return what the supervisor prints.

    Every start calls it: directories, keys, schema, first administrator, edge numbers. Raises CannotStart.
    """
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.actions.people.sign_in.by_link import first_link
    from trackyard.actions.platform import installation
    from trackyard.base.secrets import DecryptionFailed, SecretCipher
    from trackyard.runtime.data_directory import check_disk_space, make_data_directory, warn_if_open
    from trackyard.store.engine.database import Database
    from trackyard.store.engine.schema import SchemaUnknown, upgrade

    log_to_stderr("prepare", config.log_level, config.log_format)
    check_address_databases(config)
    stop = threading.Event()
    signal.signal(signal.SIGTERM, lambda *_: stop.set())  # a wait ends, and what is begun is finished
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
            upgrade(database)
            _check_installation(config, database)
            mode = _store_postback_code(config, database)
            new_key = installation.first_start(database, cipher, SystemClock(), config.admin_api_key)
            installation.store_currency(database, config.currency)
            installation.store_timezone(database, config.timezone)
            if "edge" in config.roles:
                installation.store_shared_click_state(database, shared=bool(config.redis_url))
                _claim_edge_numbers(config, database)
            key = installation.administrator_key(database, cipher)
            link = first_link(database, SystemClock(), config.api_url) if "api" in config.roles else None
            keys = {"admin_api_key": key, "new_admin_api_key": new_key or ""}
            return keys | {"postback_code": mode, "sign_in_link": link or ""}
    except DecryptionFailed as fault:
        raise CannotStart(f"{fault}.") from None
    except installation.CurrencyFixed as fault:
        raise CannotStart(f"TRACKYARD_CURRENCY cannot be {config.currency}: {fault}.") from None
    except (SQLAlchemyError, SchemaUnknown) as fault:
        raise CannotStart(f"TRACKYARD_DATABASE_URL cannot be used: {first_line(fault)}.") from None
    except OSError as fault:
        raise unusable_directory(config.data_dir, fault.strerror) from None


def _check_installation(config: Config, database: "Database") -> None:
    """Raise CannotStart when this machine does not fit to the others of the installation."""
    warn_of_lone_administrator(config, database)
    directory_id = directory_id_of(config)
    with database.read() as connection:
        now_ms = SystemClock().now_ms()
        check_clock(connection, now_ms)
        split = find_split_statistics(config, connection, directory_id, now_ms)
        if split is not None:
            raise CannotStart(f"TRACKYARD_ANALYTICS_URL cannot be used: {split}. {_REPLACED}")
        split = find_split_click_state(config, connection, directory_id, now_ms)
    if split is not None:
        raise CannotStart(f"TRACKYARD_ROLES cannot have edge: {split}. {_REPLACED}")


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


def _claim_edge_numbers(config: Config, database: "Database") -> None:
    """Claim the number of each edge slot, and write them to the data directory for the edges."""
    from trackyard.journal.durable import write_durably
    from trackyard.journal.segments import close_predecessors, list_edges
    from trackyard.store.tracking.edges import EdgeNumbersExhausted, claim_edge

    directory_id = directory_id_of(config)
    now_ms = SystemClock().now_ms()
    try:
        with database.write() as connection:
            numbers = [claim_edge(connection, directory_id, slot, now_ms) for slot in range(config.edges)]
    except EdgeNumbersExhausted as fault:
        raise CannotStart(f"TRACKYARD_EDGES cannot be {config.edges}: {fault}.") from None
    write_durably(edges_file(config), json.dumps(numbers).encode())
    # An edge that is no longer started has no next writer that would close its last journal.
    for number in set(list_edges(config.data_dir / "journal")) - set(numbers):
        close_predecessors(config.data_dir / "journal", number, SystemClock())
