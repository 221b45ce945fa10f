"""Publish the ruleset from SQL to the edges as it changes (docs/spec/engine.md#rulesets)."""

import logging
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path

import msgspec

from trackyard.base.clock import Clock
from trackyard.domain.tracking.ruleset import RulesetRow
from trackyard.journal.ruleset_log import RulesetEntry, RulesetLogWriter
from trackyard.store.engine.database import Database
from trackyard.store.tracking import rulesets
from trackyard.store.tracking.rulesets import RulesetChange

log = logging.getLogger("trackyard.projector")

_BATCH = 2000

_encode = msgspec.msgpack.Encoder().encode


class RulesetPublisher:
    """Keep `rules.snapshot` and `rules.log` of `directory` at the version of SQL. One a directory."""

    def __init__(self, database: Database, directory: Path, clock: Clock) -> None:
        self._database = database
        self._clock = clock
        self._writer = RulesetLogWriter(directory)
        self._has_published = False

    @property
    def version(self) -> int:
        """Return the last published version."""
        return self._writer.version

    def publish(self) -> bool:
        """Publish what changed since the last call; return whether anything had.

        Without a change this is cheap, and confirms to the edges that they are current. Everything is published again
        when there is nothing usable, when the log has outgrown its size, and when SQL is behind what is published
        (another database).
        """
        started_at = self._clock.now_ms()
        with self._database.read() as connection:
            current = rulesets.ruleset_version(connection)
            is_missing = self._writer.version == 0 and (current > 0 or not self._has_published)
            if is_missing or current < self._writer.version or self._writer.needs_compaction:
                entries = [
                    RulesetEntry(current, kind, key, _encode(row)) for kind, key, row in rulesets.each_row(connection)
                ]
                self._writer.replace(entries, current)
                self._has_published = True
                log.info("ruleset published", extra={"version": current, "rules": len(entries)})
                return True
            if current == self._writer.version:
                self._writer.confirm_current(started_at)
                return False
            changes = rulesets.changes_since(connection, self._writer.version, _BATCH)
            rows = {
                (kind, key): row
                for kind, keys in _by_kind(changes).items()
                for key, row in rulesets.compile_rows(connection, kind, keys).items()
            }
        self._writer.append(_entry(change, rows.get((change.kind, change.key))) for change in changes)
        return True


def _by_kind(changes: Sequence[RulesetChange]) -> dict[str, list[str]]:
    keys: dict[str, list[str]] = defaultdict(list)
    for change in changes:
        keys[change.kind].append(change.key)
    return keys


def _entry(change: RulesetChange, row: RulesetRow | None) -> RulesetEntry:
    return RulesetEntry(change.version, change.kind, change.key, None if row is None else _encode(row))
