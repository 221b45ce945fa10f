"""The words that charts show by themselves, so that pages can translate them."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class ChartWords:
    """The words of charts in one language. Names in braces are filled in by the chart."""

    no_data: str = "No data in this period"
    gap: str = "no data"
    show_table: str = "Show as a table"
    period: str = "Period"
    before: str = "Before"
    change: str = "Change"
    total: str = "Total"
    share: str = "Share"
    step: str = "Step"
    number: str = "Number"
    time: str = "Time"
    weekday: str = "Weekday"
    extent: str = "From {first} to {last}: lowest {least}, highest {most}."
    most_at: str = "Highest {most}: {label}."
    share_of: str = "{share} of {name}"
    between: str = "{low} to {high}"
    under: str = "under {time}"
    over: str = "over {time}"
    new: str = "new"
    no_change: str = "no change"
    percent: str = "{number} %"
    point: str = "{number} point"
    points: str = "{number} points"
    durations: tuple[str, str, str, str] = ("{number} s", "{number} min", "{number} h", "{number} d")
    months: tuple[str, ...] = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


ENGLISH: Final = ChartWords()
