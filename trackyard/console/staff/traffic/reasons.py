"""Why clicks are rejected and conversions are declined, in the words of pages, and what mends it.

Their entries in the tracking reference (domain/tracking/reference/results.toml) have the words of the API as well.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.base.texts.marks import gettext
from trackyard.console.offers_shown.choices import country_names
from trackyard.domain.tracking.reference.results import ResultTexts, results


class Mend(StrEnum):
    """A button of a page that explains a result."""

    OFFER = "offer"
    ACTIVATE_OFFER = "activate offer"
    CONNECT = "connect"
    AFFILIATE = "affiliate"
    ADVERTISER = "advertiser"
    TEST = "test"
    HEALTH = "health"
    CONFIRM = "confirm"


@dataclass(frozen=True, slots=True)
class ReasonWords:
    """A reason.

    because: completes `Rejected because …` or `Declined because …`; {value} is what decided. In English.
    advice: what mends it, in English.
    mends: the buttons, the first one is the usual one.
    """

    because: str
    advice: str
    mends: tuple[Mend, ...]

    def because_of(self, value: str) -> str:
        """Return the reason in the language of the page."""
        return gettext(self.because).format(value=value)


def _words(texts: Mapping[str, ResultTexts]) -> Mapping[str, ReasonWords]:
    """Return the results that pages explain."""
    return {
        name: ReasonWords(each.because, each.mend, tuple(map(Mend, each.buttons)))
        for name, each in texts.items()
        if each.because
    }


REJECTIONS: Final = _words(results().rejections)
"""Every rejection reason of clicks."""
DECLINES: Final = _words(results().declines)
"""Every decline reason, by the comment that it leaves."""


_FAILURE: Final = re.compile(r"\w+ (?P<value>.+) is (?:denied|not allowed)")
"""The detail of a check of targeting: what it is, its value, and that it does not fit."""


def rejection_label(reason: str) -> str:
    """Return the short name of a rejection reason."""
    found = results().rejections.get(reason)
    return gettext(found.label if found else reason)


def rejection_sentence(reason: str, detail: str) -> str:
    """Return why a click was rejected.

    detail: as it was recorded, such as `group 1: country PT is not allowed`.
    """
    words = REJECTIONS.get(reason)
    if words is None:  # an older record
        return gettext("Rejected: %(reason)s.", reason=reason)
    value = detail.partition(": ")[2] if detail.startswith("group ") else detail
    if found := _FAILURE.fullmatch(value):
        value = value[: found.end("value")] if reason == "mistargeting-sub" else found.group("value")
    if value == "(unknown)":
        value = gettext("unknown")
    if reason == "mistargeting-country":
        value = dict(country_names()).get(value, value)
    return gettext("Rejected because %(value)s.", value=words.because_of(value or gettext("unknown")))


def decline_sentence(comment: str, lasted: str) -> str | None:
    """Return why a conversion was declined on arrival; None for other comments.

    lasted: from click to conversion.
    """
    words = DECLINES.get(comment)
    if words is None:
        return None
    return gettext("Declined because %(value)s.", value=words.because_of(lasted or gettext("some time")))
