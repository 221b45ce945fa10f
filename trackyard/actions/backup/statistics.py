"""The analytic store as a backup sees it: chDB by its files, a ClickHouse server by its rows."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from trackyard.analytics.engine.connection import Analytics
from trackyard.analytics.maintenance.backup import FrozenTable, remove_frozen, unfreeze
from trackyard.analytics.maintenance.backup_rows import clone, drop_clones, write_rows


class ChdbStatistics:
    """The parts of tables as hard links. freeze: makes them, in the process that has the directory."""

    def __init__(self, directory: Path, freeze: Callable[[str], Mapping[str, FrozenTable]]) -> None:
        self._directory, self._freeze = directory, freeze
        self._name = ""
        self._tables: Mapping[str, FrozenTable] = {}

    def freeze(self, name: str) -> Mapping[str, FrozenTable]:
        """Implement `StatisticsSource.freeze`. Raises what freezing raises."""
        remove_frozen(self._directory)  # of a backup that was killed
        self._name = name
        self._tables = self._freeze(name)
        return self._tables

    def files(self, _scratch: Path) -> Iterator[tuple[str, Path]]:
        """Implement `StatisticsSource.files`."""
        for table, each in self._tables.items():
            folder = self._directory / each.folder
            for path in sorted(folder.rglob("*")):
                if path.is_file():
                    yield f"analytics/{table}/{path.relative_to(folder)}", path

    def close(self) -> None:
        """Remove the hard links."""
        if self._name:
            unfreeze(self._directory, self._name)


class ServerStatistics:
    """The rows of tables that were cloned."""

    def __init__(self, analytics: Analytics) -> None:
        self._analytics = analytics
        self._name = ""
        self._tables: Mapping[str, FrozenTable] = {}
        drop_clones(analytics)

    def freeze(self, name: str) -> Mapping[str, FrozenTable]:
        """Implement `StatisticsSource.freeze`. Raises StoreError."""
        self._name = name
        self._tables = clone(self._analytics, name)
        return self._tables

    def files(self, scratch: Path) -> Iterator[tuple[str, Path]]:
        """Implement `StatisticsSource.files`. Each file is written when it is read. Raises StoreError."""
        for table in self._tables:
            path = scratch / "rows" / table
            write_rows(self._analytics, self._name, table, path)
            yield f"rows/{table}", path
            path.unlink()

    def close(self) -> None:
        """Remove the clones."""
        drop_clones(self._analytics)
        self._analytics.close()
