"""The slices of `trackyard report`: the name of each, and its values as texts."""

from collections.abc import Mapping
from typing import Any, Final

from trackyard.domain.statistics.click_columns import SliceAccess
from trackyard.domain.statistics.slices import REJECTION_REASON, SLICES, slices_for

NAMES: Final = tuple(
    name for access in (SliceAccess.EVERYONE, SliceAccess.STAFF, SliceAccess.PERMITTED) for name in slices_for(access)
)
"""Every slice of the API's custom statistics."""
_SHORT: Final = {
    "countries": "country",
    "cities": "city",
    "goals": "goal",
    "reasons": REJECTION_REASON,
    "smartlinks": "smart_id",
    "systems": "os",
}
SUBJECTS: Final = {**{f"{name}s": name for name in NAMES if not name.endswith("s")}, **_SHORT}
"""Names for people, such as offers, and the slice of each."""
_TIME: Final = {
    "hour": "{year}-{month:02}-{day:02} {hour:02}:00",
    "day": "{year}-{month:02}-{day:02}",
    "month": "{year}-{month:02}",
    "quarter": "{year} Q{quarter}",
    "year": "{year}",
}


def is_time(name: str) -> bool:
    """Return whether a slice is a part of time; its rows are in that order."""
    return name in _TIME


def slice_named(text: str) -> str | None:
    """Return the slice that a name or a word for people means; None when there is none."""
    return text if text in NAMES else SUBJECTS.get(text)


def title_of(name: str) -> str:
    """Return the title of a column."""
    return name.replace("_", " ").capitalize()


def text_of(name: str, values: Mapping[str, Any]) -> str:
    """Return the value of a slice in a row, with its title where it has one."""
    if name in _TIME:
        return _TIME[name].format(**{key: int(value) for key, value in values.items() if _is_number(value)})
    value = values[name] if name in values else values[SLICES[name].parts[0].key]
    if SLICES[name].within:
        return f"{value} of {text_of(SLICES[name].within, values)}"
    if not isinstance(value, Mapping):
        return str(value) if value != "" else "(unknown)"
    title = next((str(value[key]) for key in ("title", "login", "email") if value.get(key)), "")
    return f"{value['id']} {title}".strip()


def _is_number(value: Any) -> bool:
    return str(value).isdigit()
