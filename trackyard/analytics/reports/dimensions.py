"""The SQL of slices and filters (domain/statistics/slices.py)."""

from typing import Final

from trackyard.domain.statistics.slices import NO_MANAGER, SLICES, Filter, SlicePart

LOCAL_TIME: Final = "toDateTime(intDiv(time, 1000), {zone:String})"
"""The local time of a row in the zone of a report."""
_TIME_FUNCTIONS: Final = {
    "year": "toYear", "quarter": "toQuarter", "month": "toMonth", "day": "toDayOfMonth", "hour": "toHour",
}  # fmt: skip
_MANAGED: Final = {each.parts[0].key: each for each in SLICES.values() if each.owner}


def sql_type(part: SlicePart | Filter) -> str:
    """Return the type of the values of a slice or filter."""
    return "Int64" if part.is_number else "String"


def part_sql(part: SlicePart) -> str:
    """Return the SQL of a key over a row of `click` or `fact`."""
    if part.column == "time":
        return f"{_TIME_FUNCTIONS[part.key]}({LOCAL_TIME})"
    managed = _MANAGED.get(part.key)
    if managed is None:
        return part.column
    kind = "Int64" if managed.owner == "affiliate" else "String"
    known = f"{{{managed.name}_of:Array({kind})}}, {{{managed.name}_is:Array(String)}}"
    return f"transform({part.column}, {known}, '{NO_MANAGER}')"
