"""The SQL database of an installation, for commands that need no running server."""

from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import SQLAlchemyError

from trackyard.runtime.settings import Config, NotInstalled
from trackyard.runtime.start_checks import refused_database
from trackyard.store.engine.availability import is_file_missing
from trackyard.store.engine.database import Database


@contextmanager
def opened(config: Config) -> Iterator[Database]:
    """Open the SQL database of an installation. Raises CannotStart."""
    if is_file_missing(config.database_url):
        raise NotInstalled(f"there is no installation in {config.data_dir} yet: start it first.")
    try:
        with Database(config.database_url, pool_size=1) as database:
            yield database
    except SQLAlchemyError as fault:
        raise refused_database(config, fault) from None
