"""The steps of a start: first everything that may refuse it, then what changes something.

A start that is refused leaves the SQL database, the analytic store and the data directory as they were
(docs/operating.md#what-a-start-refuses).
"""

import logging
import threading
from collections.abc import Callable
from contextlib import ExitStack
from typing import TYPE_CHECKING, Final

from trackyard.base.clock import SystemClock
from trackyard.base.logs.file import log_to_file
from trackyard.runtime.app import directory_id_of
from trackyard.runtime.machines.claims import (
    check_machines,
    claim_edge_numbers,
    join_machines,
    refused_edges,
    this_machine,
    wait_for_copy,
)
from trackyard.runtime.settings import SECRET_FILE, CannotStart, Config, encryption_keys
from trackyard.runtime.start_checks import (
    check_address_databases,
    check_certificate,
    check_clock,
    check_database_file,
    check_other_versions,
    refused_database,
    refused_store,
    wait_for_databases,
    warn_of_lone_administrator,
)

if TYPE_CHECKING:
    from trackyard.base.secrets import SecretCipher
    from trackyard.store.engine.database import Database

log = logging.getLogger("trackyard.runtime.preparation")


class Start:
    """What the steps of a start share. stop: set when the start should end.

    schema: the schema that the SQL database had before; None = none. prepared: the facts that the supervisor prints.
    """

    def __init__(self, config: Config, stop: threading.Event, resources: ExitStack) -> None:
        self.config = config
        self.stop = stop
        self.schema: str | None = None
        self.prepared: dict[str, str] = {}
        self._resources = resources
        self._database: Database | None = None
        self._cipher: SecretCipher | None = None

    @property
    def database(self) -> "Database":
        """Return the SQL database, which is opened once; a SQLite file is created by that."""
        from trackyard.store.engine.database import Database

        if self._database is None:
            self._database = self._resources.enter_context(Database(self.config.database_url, pool_size=1))
        return self._database

    @property
    def cipher(self) -> "SecretCipher":
        """Return the cipher of stored secrets; a first start makes its key."""
        from trackyard.base.secrets import SecretCipher

        if self._cipher is None:
            self._cipher = SecretCipher(*encryption_keys(self.config))
        return self._cipher

    @property
    def is_current(self) -> bool:
        """Return whether the SQL database had the newest schema."""
        from trackyard.store.engine.schema import newest_version

        return self.schema == newest_version()

    def stored_directory_id(self) -> str:
        """Return the id of the data directory; "" before its first start."""
        return directory_id_of(self.config) if (self.config.data_dir / "directory.id").exists() else ""


def _check_files(start: Start) -> None:
    from trackyard.runtime.data_directory import check_data_directory, check_disk_space

    check_data_directory(start.config.data_dir)
    if "edge" in start.config.roles:
        check_certificate(start.config)
        check_disk_space(start.config)


def _wait_for_databases(start: Start) -> None:
    wait_for_databases(start.config, start.stop)


def _check_schema(start: Start) -> None:
    from trackyard.store.engine.availability import is_file_missing
    from trackyard.store.engine.schema import SchemaUnknown, check_usable

    if is_file_missing(start.config.database_url):
        return
    check_database_file(start.config)
    try:
        start.schema = check_usable(start.database)
    except SchemaUnknown as fault:
        raise refused_database(start.config, fault) from None


def _check_peers(start: Start) -> None:
    """Check what other machines on the same SQL database run, and the clock of its machine."""
    if start.schema is None:
        return
    now_ms, own_id = SystemClock().now_ms(), start.stored_directory_id()
    with start.database.read() as connection:
        check_clock(connection, now_ms)
        check_other_versions(connection, own_id, now_ms)
    if not start.is_current:
        return  # a machine that runs the version of this one would have brought it up to date
    with start.database.read() as connection:
        check_machines(start.config, connection, own_id, now_ms)
    if own_id:
        wait_for_copy(start.database, this_machine(start.config, own_id), SystemClock(), start.stop)


def _check_store(start: Start) -> None:
    """Check the analytic store.

    chDB is opened by one process, which takes seconds: it is checked before an upgrade only.
    """
    from trackyard.analytics.engine.availability import server_of
    from trackyard.analytics.engine.connection import StoreError
    from trackyard.analytics.engine.store_check import check_store

    config = start.config
    has_core = bool({"api", "projector"} & set(config.roles))
    is_server = server_of(config.analytics_url) is not None
    if not has_core or not (is_server or (start.schema is not None and not start.is_current)):
        return
    try:
        check_store(config.analytics_url, config.analytics_cluster)
    except StoreError as fault:
        raise refused_store(config, fault) from None


def _check_secrets(start: Start) -> None:
    """Check that the key decrypts what is stored.

    A lost key is not replaced by a new one.
    """
    from trackyard.actions.platform.installation import NoKey, check_secrets

    if start.schema is None:
        return
    path = start.config.data_dir / SECRET_FILE
    keys = encryption_keys(start.config) if start.config.secret_key is not None or path.exists() else ()
    try:
        with start.database.read() as connection:
            check_secrets(connection, keys)
    except NoKey:
        raise CannotStart(
            f"{path} is missing, and the database has secrets that are encrypted with it: restore the file from a "
            "backup."
        ) from None


def _check_currency(start: Start) -> None:
    from trackyard.actions.platform.installation import check_currency

    if start.schema is not None:
        with start.database.read() as connection:
            check_currency(connection, start.config.currency)


def _check_edge_numbers(start: Start) -> None:
    from trackyard.store.tracking.edges import EdgeNumbersExhausted, check_edge_numbers

    if "edge" not in start.config.roles or not start.is_current:
        return  # an older schema has no leases that end
    try:
        with start.database.read() as connection:
            now_ms = SystemClock().now_ms()
            check_edge_numbers(connection, start.stored_directory_id(), start.config.edges, now_ms)
    except EdgeNumbersExhausted as fault:
        raise refused_edges(start.config, fault) from None


def _make_directory(start: Start) -> None:
    from trackyard.runtime.data_directory import make_data_directory, warn_if_open

    make_data_directory(start.config.data_dir)
    log_to_file("prepare", start.config.log_file)
    warn_if_open(start.config.data_dir)
    encryption_keys(start.config)  # writes the key of a first start before what it encrypts


def _migrate(start: Start) -> None:
    from trackyard.store.engine.schema import upgrade_for_start

    upgrade_for_start(start.database)


def _join(start: Start) -> None:
    """Store this machine among the machines of the installation.

    Of two that start at once, the second is refused here.
    """
    warn_of_lone_administrator(start.config, start.database)
    here = this_machine(start.config, directory_id_of(start.config))
    join_machines(start.config, start.database, here, SystemClock(), start.stop)


def _store_installation(start: Start) -> None:
    """Store the first administrator, and the settings that every machine reads from SQL."""
    from trackyard.actions.platform import installation

    config, database = start.config, start.database
    mode = _store_postback_code(config, database)
    new_key = installation.first_start(database, start.cipher, SystemClock(), config.admin_api_key)
    installation.store_currency(database, config.currency)
    installation.store_timezone(database, config.timezone)
    if "api" in config.roles:
        installation.store_api_url(database, config.api_url)
    start.prepared |= {"postback_code": mode, "new_admin_api_key": new_key or ""}


def _claim_edges(start: Start) -> None:
    from trackyard.actions.platform import installation

    config, database = start.config, start.database
    if "edge" in config.roles:
        installation.store_shared_click_state(database, shared=bool(config.redis_url))
        claim_edge_numbers(config, database, directory_id_of(config), SystemClock())


def _make_links(start: Start) -> None:
    from trackyard.actions.people.sign_in.by_link import first_link
    from trackyard.actions.platform import installation

    config, database = start.config, start.database
    key = installation.administrator_key(database, start.cipher)
    link = first_link(database, SystemClock(), config.api_url) if "api" in config.roles else None
    start.prepared |= {"admin_api_key": key, "sign_in_link": link or ""}


def _store_postback_code(config: Config, database: "Database") -> str:
    """Store how inbound postbacks get their codes, and log when they need none; return it."""
    from trackyard.actions.conversions.postback_codes import find_code_warning, store_postback_code

    mode = store_postback_code(database, config.postback_code)
    with database.read() as connection:
        warning = find_code_warning(connection)
    if warning is not None:
        log.warning("postbacks need no code", extra={"advice": warning})
    return mode.value


def _check_address_databases(start: Start) -> None:
    check_address_databases(start.config)


CHECKS: Final[tuple[Callable[[Start], None], ...]] = (
    _check_address_databases,
    _check_files,
    _wait_for_databases,
    _check_schema,
    _check_peers,
    _check_store,
    _check_secrets,
    _check_currency,
    _check_edge_numbers,
)
"""What may refuse a start, in order. None of them changes anything."""

CHANGES: Final[tuple[Callable[[Start], None], ...]] = (
    _make_directory,
    _migrate,
    _join,
    _store_installation,
    _claim_edges,
    _make_links,
)
"""What a start makes, in order, after every check."""
