"""What every start makes before its roles run: keys, schema, first administrator, edge numbers."""

import signal
import threading
from contextlib import ExitStack

from trackyard.base.logs.file import log_to_file
from trackyard.base.logs.output import log_to_stderr
from trackyard.runtime.exit_codes import disk_full
from trackyard.runtime.processes.start_steps import CHANGES, CHECKS, Start
from trackyard.runtime.processes.stop_watchdog import StopWatchdog, stop_with_parent
from trackyard.runtime.settings import (
    SECRET_FILE,
    CannotStart,
    Config,
    NotInstalled,
    encryption_keys,
    unusable_directory,
)
from trackyard.runtime.start_checks import refused_database


def prepare(config: Config, lifeline: int | None = None) -> dict[str, str]:
    """Make what all roles share; return what the supervisor prints.

    Every start calls it: directories, keys, schema, first administrator, edge numbers. Raises CannotStart, before
    anything is changed. lifeline: a pipe that ends with the parent.
    """
    log_to_stderr("prepare", config.log_level, config.log_format)
    stop = threading.Event()
    _end_with_signal(stop, lifeline)
    if config.data_dir.is_dir():
        log_to_file("prepare", config.log_file)
    return run_steps(config, stop)


def run_steps(config: Config, stop: threading.Event) -> dict[str, str]:
    """Run the checks of a start and then its changes; return what was prepared. Raises CannotStart."""
    from sqlalchemy.exc import SQLAlchemyError

    from trackyard.actions.platform.installation import CurrencyFixed
    from trackyard.base.secrets import DecryptionFailed
    from trackyard.store.engine.database import is_disk_full
    from trackyard.store.engine.schema import SchemaUnknown

    with ExitStack() as resources:
        start = Start(config, stop, resources)
        try:
            for step in (*CHECKS, *CHANGES):
                step(start)
        except DecryptionFailed as fault:
            if config.secret_key is not None:
                raise CannotStart(f"{fault}.") from None
            raise CannotStart(
                f"{config.data_dir / SECRET_FILE} does not decrypt a stored key: it is not the file that encrypted it. "
                "Restore it from a backup of the data directory."
            ) from None
        except CurrencyFixed as fault:
            raise CannotStart(f"TRACKYARD_CURRENCY cannot be {config.currency}: {fault}.") from None
        except (SQLAlchemyError, SchemaUnknown) as fault:
            if config.sqlite_file is not None and is_disk_full(fault):
                raise disk_full(config.data_dir) from None
            raise refused_database(config, fault) from None
        except OSError as fault:
            raise unusable_directory(config.data_dir, fault) from None
        return start.prepared


def _end_with_signal(stop: threading.Event, lifeline: int | None) -> None:
    """End waits at SIGTERM; what is begun is finished, unless it takes too long."""
    watchdog = StopWatchdog()

    def end(*_: object) -> None:
        watchdog.arm()
        stop.set()

    signal.signal(signal.SIGTERM, end)
    if lifeline is not None:
        stop_with_parent(lifeline, watchdog)


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
        raise refused_database(config, fault) from None
