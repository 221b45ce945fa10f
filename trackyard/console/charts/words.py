"""The words that charts show by themselves, so that pages can translate them."""

from dataclasses import dataclass
from typing import Final

from trackyard.base.texts.languages import spoken
from trackyard.base.texts.marks import lazy_gettext


@dataclass(frozen=True, slots=True)
class ChartWords:
    """The words of charts, in the language of the page. Names in braces are filled in by the chart."""

    no_data: str = lazy_gettext("No data in this period")
    gap: str = lazy_gettext("no data")
    show_table: str = lazy_gettext("Show as a table")
    period: str = lazy_gettext("Period")
    before: str = lazy_gettext("Before")
    change: str = lazy_gettext("Change")
    total: str = lazy_gettext("Total")
    share: str = lazy_gettext("Share")
    step: str = lazy_gettext("Step")
    number: str = lazy_gettext("Number")
    time: str = lazy_gettext("Time")
    weekday: str = lazy_gettext("Weekday")
    extent: str = lazy_gettext("From {first} to {last}: lowest {least}, highest {most}.")
    most_at: str = lazy_gettext("Highest {most}: {label}.")
    share_of: str = lazy_gettext("{share} of {name}")
    between: str = lazy_gettext("{low} to {high}")
    under: str = lazy_gettext("under {time}")
    over: str = lazy_gettext("over {time}")
    new: str = lazy_gettext("new")
    no_change: str = lazy_gettext("no change")
    percent: str = lazy_gettext("{number} %")
    point: str = lazy_gettext("{number} point")
    points: str = lazy_gettext("{number} points")
    durations: tuple[str, str, str, str] = (
        lazy_gettext("{number} s"),
        lazy_gettext("{number} min"),
        lazy_gettext("{number} h"),
        lazy_gettext("{number} d"),
    )

    @property
    def months(self) -> tuple[str, ...]:
        """Return the short names of the months."""
        return spoken().form.months


ENGLISH: Final = ChartWords()
