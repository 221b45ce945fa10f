"""The lines of a CSV file as parameters of imports. Pure."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

PARAMETERS: Final[Mapping[str, str]] = {
    "offer": "Offer number",
    "pid": "Affiliate number",
    "action_id": "Action ID",
    "click_id": "Click ID",
    "goal": "Goal",
    "sum": "Sum",
    "status": "Status",
    "comment": "Comment",
    "ip": "Visitor's address",
    "ua": "Visitor's browser",
    **{f"custom_field_{number}": f"Custom field {number}" for number in range(1, 8)},
}
"""Parameters of an import that a column can fill, and their names in words."""
MOST_LINES: Final = 1000
MOST_COLUMNS: Final = 50
_SEPARATORS: Final = (",", ";", "\t")
_OTHER_NAMES: Final[Mapping[str, str]] = {
    **dict.fromkeys(("offer_id", "offerid", "offer_number"), "offer"),
    **dict.fromkeys(("affiliate", "affiliate_id", "partner", "partner_id", "affiliate_number"), "pid"),
    **dict.fromkeys(("actionid", "conversion_id", "transaction_id", "order_id", "order"), "action_id"),
    **dict.fromkeys(("clickid", "click"), "click_id"),
    **dict.fromkeys(("amount", "price", "order_sum"), "sum"),
    **dict.fromkeys(("goal_id", "event"), "goal"),
    **dict.fromkeys(("useragent", "user_agent"), "ua"),
}


class CsvFault(ValueError):
    """A text that cannot be imported. Its text says why."""


@dataclass(frozen=True, slots=True)
class CsvTable:
    """A CSV text: the names of its columns, and its lines by their numbers in the text."""

    columns: tuple[str, ...]
    lines: tuple[tuple[int, tuple[str, ...]], ...]

    def sent(self, line: Sequence[str], mapping: Sequence[str]) -> dict[str, str]:
        """Return the parameters of a line. mapping: the parameter of each column, "" = not used."""
        pairs = zip(mapping, line, strict=False)
        return {name: value.strip() for name, value in pairs if name and value.strip()}


def read_csv(text: str) -> CsvTable:
    """Return the columns and lines of a text, separated by commas, semicolons or tabs. Raises CsvFault."""
    first = text.lstrip("\ufeff").partition("\n")[0]
    separator = max(_SEPARATORS, key=first.count)
    reader = csv.reader(StringIO(text.lstrip("\ufeff"), newline=""), delimiter=separator)
    lines = []
    try:
        for row in reader:
            if any(value.strip() for value in row):
                lines.append((reader.line_num, tuple(row)))
    except csv.Error as fault:
        raise CsvFault(f"Line {reader.line_num} cannot be read: {fault}.") from None
    if len(lines) < 2:
        raise CsvFault("The first line names the columns, and each further line is a conversion: this has none.")
    if len(lines) > MOST_LINES + 1:
        raise CsvFault(f"These are {len(lines) - 1:,} lines. Import at most {MOST_LINES:,} at a time.")
    columns = tuple(name.strip() for name in lines[0][1])
    if len(columns) > MOST_COLUMNS:
        raise CsvFault(f"These are {len(columns)} columns. At most {MOST_COLUMNS} are read.")
    return CsvTable(columns, tuple(lines[1:]))


def guess_mapping(columns: Sequence[str]) -> list[str]:
    """Return the parameter of each column by its name, "" for others. Each parameter is used once."""
    found: list[str] = []
    for column in columns:
        name = column.lower().replace(" ", "_").replace("-", "_")
        name = _OTHER_NAMES.get(name, name)
        found.append(name if name in PARAMETERS and name not in found else "")
    return found
