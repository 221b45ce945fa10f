"""Reports that people save (docs/spec/console.md#saved-reports)."""

from dataclasses import dataclass
from typing import Final
from urllib.parse import parse_qsl, urlencode

MAX_REPORTS: Final = 100
"""Saved reports of an account."""
MAX_QUERY: Final = 4000
"""Characters of the address of a saved report."""
_PASSING: Final = frozenset({"page", "saved", "lang", "add", "how", "filter", "value", "typed", "none"})
"""Names in an address that do not say what a report shows."""
_PERIOD: Final = ("period", "from", "to")
_USUAL_PERIOD: Final = ("period", "30d")


@dataclass(frozen=True, slots=True, kw_only=True)
class SavedReport:
    """A saved report. Times are UTC milliseconds.

    owner: the name of the account. query: the part of the page's address after "?".
    shared: whether all staff see it.
    """

    id: str
    owner: str
    name: str
    query: str
    shared: bool
    created_at: int
    updated_at: int


def kept_query(query: str) -> str:
    """Return the query that a report keeps: without passing parameters, and with a period."""
    pairs = [pair for pair in parse_qsl(query.removeprefix("?")) if pair[0] not in _PASSING]
    if not any(name in _PERIOD for name, _ in pairs):
        pairs.append(_USUAL_PERIOD)
    return urlencode(pairs)


def zone_of(report: SavedReport) -> str:
    """Return the time zone of the days in a report's URL, "" without one."""
    return dict(parse_qsl(report.query)).get("tz", "")
