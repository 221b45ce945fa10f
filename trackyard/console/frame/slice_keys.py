"""The slices of a row of statistics: what it is about."""

from collections.abc import Mapping
from datetime import date

from trackyard.api.statistics.rows import Value

Keys = Mapping[str, Value]
"""The values of slices by their names in the API."""
Key = tuple[int | str, ...]
"""The values of the slices of a row, which no other row of its report has."""


def id_in(keys: Keys, slice_: str) -> int | str:
    """Return the value of a slice; of an object its id."""
    found = keys[slice_]
    return found["id"] if isinstance(found, dict) else found


def day_in(keys: Keys) -> date:
    """Return the day of a row by days."""
    return date(*(int(id_in(keys, part)) for part in ("year", "month", "day")))


def row_key(keys: Keys) -> Key:
    """Return the keys of a row without the names of objects, which may change."""
    return tuple(id_in(keys, name) for name in keys)
