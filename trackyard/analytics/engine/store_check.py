"""Whether an analytic store can be used, for a start that changes nothing before it knows."""

from contextlib import closing
from pathlib import Path

from trackyard.analytics.engine.connection import Analytics, has_database
from trackyard.analytics.engine.migrations import check_schema


def check_store(address: str, cluster: str) -> None:
    """Raise StoreError for a store that refuses the login, or has tables that this program cannot use.

    A store that a first start would create stays missing. chDB is opened where it has a directory.
    """
    directory = Path(address.removeprefix("chdb://")) if address.startswith("chdb:") else None
    if has_database(address) if directory is None else directory.is_dir():
        with closing(Analytics.open(address, cluster=cluster)) as store:
            check_schema(store)
