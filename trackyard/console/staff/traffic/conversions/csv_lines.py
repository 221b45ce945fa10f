"""The lines of a CSV file as parameters of imports."""

import csv
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from io import StringIO
from typing import Final

from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.shown import grouped

PARAMETERS: Final[Mapping[str, str]] = {
    "offer": lazy_gettext("Offer number"),
    "pid": lazy_gettext("Affiliate number"),
    "action_id": lazy_gettext("Action ID"),
    "click_id": lazy_gettext("Click ID"),
    "goal": lazy_gettext("Goal"),
    "country": lazy_gettext("Country"),
    "sum": lazy_gettext("Sum"),
    "revenue": lazy_gettext("Charge"),
    "payouts": lazy_gettext("Payout"),
    "status": lazy_gettext("Status"),
    "comment": lazy_gettext("Comment"),
    "ip": lazy_gettext("Visitor's address"),
    "ua": lazy_gettext("Visitor's browser"),
    "custom_field_1": lazy_gettext("Custom field 1"),
    "custom_field_2": lazy_gettext("Custom field 2"),
    "custom_field_3": lazy_gettext("Custom field 3"),
    "custom_field_4": lazy_gettext("Custom field 4"),
    "custom_field_5": lazy_gettext("Custom field 5"),
    "custom_field_6": lazy_gettext("Custom field 6"),
    "custom_field_7": lazy_gettext("Custom field 7"),
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
    **dict.fromkeys(("charge",), "revenue"),
    **dict.fromkeys(("payout",), "payouts"),
    **dict.fromkeys(("country_code", "geo"), "country"),
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
        text = gettext("Line %(line)d cannot be read: %(fault)s.", line=reader.line_num, fault=fault)
        raise CsvFault(text) from None
    if len(lines) < 2:
        raise CsvFault(gettext("The first line names the columns, and each further line is one record: this has none."))
    if len(lines) > MOST_LINES + 1:
        found, most = grouped(f"{len(lines) - 1:,}"), grouped(f"{MOST_LINES:,}")
        raise CsvFault(
            ngettext(
                "This is %(found)s line. Import at most %(most)s at a time.",
                "These are %(found)s lines. Import at most %(most)s at a time.",
                len(lines) - 1,
                found=found,
                most=most,
            )
        )
    columns = tuple(name.strip() for name in lines[0][1])
    if len(columns) > MOST_COLUMNS:
        raise CsvFault(
            ngettext(
                "This is %(num)d column. At most %(most)d are read.",
                "These are %(num)d columns. At most %(most)d are read.",
                len(columns),
                most=MOST_COLUMNS,
            )
        )
    return CsvTable(columns, tuple(lines[1:]))


def guess_mapping(
    columns: Sequence[str],
    parameters: Mapping[str, str] = PARAMETERS,
    other_names: Mapping[str, str] = _OTHER_NAMES,
) -> list[str]:
    """Return the parameter of each column by its name, "" for others. Each parameter is used once."""
    found: list[str] = []
    for column in columns:
        name = column.lower().replace(" ", "_").replace("-", "_")
        name = other_names.get(name, name)
        found.append(name if name in parameters and name not in found else "")
    return found
