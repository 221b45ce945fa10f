"""What objects of a list did in the last seven days, in one report."""

from collections.abc import Mapping, Sequence
from typing import Any

from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.figures import Figures
from trackyard.console.frame.periods import DayPeriod, read_period
from trackyard.console.frame.request import PageRequest


def last_week(request: PageRequest) -> DayPeriod:
    """Return the last seven days."""
    week = PageAddress("", (("period", "7d"),))
    return read_period(week, request.deps.clock.now_ms(), request.day_zone)[0]


def find_week(
    request: PageRequest, slice_: str, filter_: str, ids: Sequence[Any]
) -> tuple[Mapping[Any, Figures] | None, str]:
    """Return the figures of objects by id, and a sentence when they cannot be read.

    They are None without the right to statistics. slice_, filter_: of the API, such as affiliate and partner.
    """
    if not request.calls.may("stats.custom"):
        return None, ""
    if not ids:
        return {}, ""
    chosen = [(f"filter[{filter_}][]", str(each)) for each in ids]
    try:
        found = figures.report(request.calls, last_week(request), [slice_], filters=chosen, limit=len(ids))
    except RequestError as refusal:
        return None, gettext("The figures cannot be read now. %(text)s.", text=refusal.text)
    return {row.keys[slice_]["id"]: row.figures for row in found.rows}, ""
