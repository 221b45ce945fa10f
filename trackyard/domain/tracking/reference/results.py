"""Meanings of the results of clicks, postbacks and deliveries: all texts of one are in one entry.

Edges do not load it.
"""

from functools import cache
from typing import Final

import msgspec

from trackyard.domain.tracking.reference.texts import reference_texts


class ResultTexts(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The texts of a result, in English. A text that no place shows is "".

    text, advice: its meaning and what to do about it, in the words of the API.
    because: completes `Rejected because …` or `Declined because …` on pages; {value} is what decided.
    mend: what to do with the buttons of the page. buttons: their names (console/staff/traffic/reasons.py).
    label: its short name. portal: what an affiliate reads. step: the part of the evidence of a click.
    """

    text: str
    advice: str = ""
    because: str = ""
    mend: str = ""
    buttons: tuple[str, ...] = ()
    label: str = ""
    portal: str = ""
    step: str = ""


class Results(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All results by name, in the order of the checks.

    rejections: of clicks. faults: of postbacks. declines: of conversions, by their comment. deliveries: by outcome.
    """

    rejections: dict[str, ResultTexts]
    faults: dict[str, ResultTexts]
    declines: dict[str, ResultTexts]
    deliveries: dict[str, ResultTexts]


UNKNOWN: Final = ResultTexts("")
"""The texts of a result that an older release recorded."""


@cache
def results() -> Results:
    """Return the results of the file."""
    return msgspec.convert(reference_texts("results"), Results)
