"""`trackyard journals`: copies of journals in the bucket (docs/operating.md#copies-of-journals)."""

from collections.abc import Iterator, Mapping
from itertools import groupby
from typing import Final

from trackyard.commands.failures import CommandFailed
from trackyard.commands.frame.output import TableColumn, table
from trackyard.jobs.loading.journal_copies import RestoreRefused, restore_journals
from trackyard.runtime.settings import Config
from trackyard.store.platform.file_storage import FilesUnavailable
from trackyard.store.tracking.journal_bucket import JournalBucket, contiguous_parts

_COLUMNS: Final = (TableColumn("machine"), TableColumn("journal"), TableColumn("bytes", right=True))
_NO_BUCKET: Final = "TRACKYARD_JOURNAL_COPY_URL is not set: it names the bucket with the copies"


def list_copied(config: Config) -> list[dict[str, str | int]]:
    """Return each journal in the bucket as JSON. Raises CommandFailed."""
    try:
        parts = _bucket(config).list_parts()
    except FilesUnavailable as fault:
        raise CommandFailed(str(fault)) from None
    found: list[dict[str, str | int]] = []
    for (machine, journal), group in groupby(parts, lambda part: (part.machine, part.journal)):
        whole = contiguous_parts(group)
        if whole:
            found.append({"machine": machine, "journal": journal, "bytes": whole[-1][0].end})
    return found


def copy_lines(found: list[dict[str, str | int]]) -> Iterator[str]:
    """Yield the lines for people."""
    yield from table(_COLUMNS, [tuple(str(value) for value in each.values()) for each in found])


def restore_machine(config: Config, machine: str) -> Mapping[str, int]:
    """Restore the journals of a machine into the data directory. Raises CommandFailed."""
    try:
        return restore_journals(_bucket(config), machine, config.data_dir)
    except (RestoreRefused, FilesUnavailable, OSError) as fault:
        raise CommandFailed(str(fault)) from None


def _bucket(config: Config) -> JournalBucket:
    if not config.journal_copy_url:
        raise CommandFailed(_NO_BUCKET)
    return JournalBucket(config.journal_copy_url)
