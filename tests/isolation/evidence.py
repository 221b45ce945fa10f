"""What a call leaves behind: its answer, its statements, its lines in the log, and changed rows."""

import io
import json
import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Final

import pyarrow.parquet
import pytest
from sqlalchemy import select

from tests.isolation.sides import Side
from tests.support.stores.statements import recorded_statements
from trackyard.analytics.engine.connection import Analytics
from trackyard.store.engine.database import Database
from trackyard.store.tables import metadata
from trackyard.wire.response.exports import PARQUET

_LISTS = re.compile(r"IN \((?:SELECT 1 FROM \(SELECT 1\) WHERE 1!=1|\?(?:, \?)*)\)")
"""The lists of conditions, which are a parameter: an empty one has a form of its own."""
_LOG_COMMENT = re.compile(r", log_comment = '[^']*'")
_MADE = re.compile(r"\b[0-9a-f]{24,40}\b")
"""Ids and keys that a call makes."""
_NUMBER = re.compile(r'("(?:id|number|int_id|partner_id)":)"?\d+"?')
"""Numbers that a write gives to what it makes."""
_NOT_COMPARED = {"x-request-id", "date", "content-length", "x-ratelimit-remaining", "x-ratelimit-reset"}


@dataclass
class Evidence:
    """What one call left behind.

    is_read: whether it was a GET.
    sent: values in the path and in parameters, which an answer may repeat.
    text: of the answer, a Parquet file as JSON.
    """

    is_read: bool = True
    sent: list[str] = field(default_factory=list)
    status: int = 0
    text: str = ""
    headers: dict[str, str] = field(default_factory=dict)
    statements: list[str] = field(default_factory=list)
    log: str = ""

    def everything(self) -> str:
        """All that the caller or a reader of the log may see, without what was sent."""
        seen = "\n".join((self.text, json.dumps(self.headers), self.log))
        for value in self.sent:
            seen = seen.replace(value, "#") if len(value) > 4 else seen
        return seen

    def answer(self, *sent: Any) -> tuple[int, str, dict[str, str]]:
        """The answer without what was sent and what the call made."""
        headers = {name: value for name, value in self.headers.items() if name not in _NOT_COMPARED}
        text = self.text
        for value in sorted(map(str, sent), key=len, reverse=True):
            text = re.sub(rf"(?<![0-9a-z]){re.escape(value)}(?![0-9a-z])", "#", text)
        if not self.is_read:
            text = _NUMBER.sub(r"\1@", text)
        return self.status, _MADE.sub("@", text), headers


_OF_THE_MOMENT: Final = {"created", "msecs", "relativeCreated", "ms", "thread", "process"}
"""Fields of a line that say when and where it was written: they may be any number, also one of another side."""


class _LogText(logging.Handler):
    """Every field of every line but _OF_THE_MOMENT, and the text of errors."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.lines: list[str] = []
        self.setFormatter(logging.Formatter())

    def emit(self, record: logging.LogRecord) -> None:
        fields = {name: value for name, value in vars(record).items() if name not in _OF_THE_MOMENT}
        self.lines.append(f"{self.format(record)} {fields}")


@contextmanager
def watched_call() -> Iterator[Evidence]:
    """Notes statements of both stores and lines of the log until the block ends."""
    found = Evidence()
    handler, logger = _LogText(), logging.getLogger("trackyard")
    level = logger.level
    logger.addHandler(handler)
    logger.setLevel(logging.INFO)
    query, stream = Analytics._raw_query, Analytics._open_stream

    def noted_query(self: Analytics, sql: str, *rest: Any) -> bytes:
        found.statements.append(_LOG_COMMENT.sub("", sql))
        return query(self, sql, *rest)

    def noted_stream(self: Analytics, sql: str, *rest: Any) -> Any:
        found.statements.append(_LOG_COMMENT.sub("", sql))
        return stream(self, sql, *rest)

    try:
        with pytest.MonkeyPatch.context() as patch, recorded_statements() as statements:
            patch.setattr(Analytics, "_raw_query", noted_query)
            patch.setattr(Analytics, "_open_stream", noted_stream)
            found.statements = statements
            yield found
    finally:
        logger.removeHandler(handler)
        logger.setLevel(level)
        found.log = "\n".join(handler.lines)
        found.statements = [_LISTS.sub("IN (?)", statement) for statement in found.statements]


def text_of(response: Any) -> str:
    """The answer as text that can be searched."""
    if response.headers.get("content-type") == PARQUET and response.status_code == 200:
        table = pyarrow.parquet.read_table(io.BytesIO(response.content))
        return json.dumps(table.to_pylist(), default=str, ensure_ascii=False)
    return str(response.text)


def leaks(text: str, side: Side, things: frozenset[str], *, with_numbers: bool = True) -> list[str]:
    """The tags, numbers and amounts of a side that a text contains."""
    found = [side.tags[thing] for thing in sorted(things) if side.tags[thing] in text]
    if not with_numbers:
        return found
    numbers: list[str] = []
    for thing, kinds in (("affiliate", ("affiliate",)), ("offer", ("offer",)), ("traffic", ("click", "conversion"))):
        if thing in things:
            numbers += [str(number) for kind in kinds for number in side.ids.get(kind, ())][
                : 1 if thing == "offer" else None
            ]
    if "advertiser" in things:
        numbers += [str(side.one("advertiser")), *map(str, side.amounts["charge"])]
    if "traffic" in things:
        numbers += map(str, side.amounts["payout"])
    return found + [number for number in numbers if re.search(rf"(?<![0-9a-f]){re.escape(number)}(?![0-9])", text)]


def is_row_of(side: Side, row: str) -> bool:
    """Whether a row has a tag or a number of a side."""
    numbers = [str(number) for kind in ("affiliate", "offer", "advertiser") for number in side.ids[kind]]
    return re.search("|".join(map(re.escape, [*side.tags.values(), *numbers])), row) is not None


def rows_of(database: Database, side: Side) -> set[str]:
    """The rows of SQL that are of a side."""
    with database.read() as conn:
        rows = [f"{table.name} {tuple(row)}" for table in metadata.sorted_tables for row in conn.execute(select(table))]
    return {row for row in rows if is_row_of(side, row)}
