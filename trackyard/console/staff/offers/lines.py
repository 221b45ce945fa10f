"""Systems with versions, hours of weekdays and values of subs, as lines that people write."""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

import msgspec

from trackyard.api.offers.view_parts import IntervalView
from trackyard.base.texts.languages import ENGLISH, language, spoken
from trackyard.domain.offers.offers import OsVersion

_SIGNS: Final = {"LT": "<", "LTE": "<=", "EQ": "=", "GT": ">", "GTE": ">="}
_COMPARISONS: Final = {sign: word for word, sign in _SIGNS.items()}
_SYSTEM: Final = re.compile(r"(.+?)\s*(<=|>=|<|>|=)\s*(\S*)\Z")
_HOURS: Final = re.compile(r"([0-9]{1,3})\s*[-\N{EN DASH}]\s*([0-9]{1,3})\Z")


class SystemLines:
    """Operating systems, one a line: `iOS >= 15`."""

    def lines(self, found: object) -> Iterable[str]:
        """Return the lines of systems."""
        for each in msgspec.convert(found or [], list[OsVersion]):
            sign = _SIGNS.get(each.comparison)
            yield f"{each.name} {sign} {each.version}" if sign else each.name

    def pairs(self, name: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the systems of lines."""
        for place, each in enumerate(self.tree(lines)):
            yield from ((f"{name}[{place}][{key}]", value) for key, value in each.items() if value)
        if not lines:
            yield name, ""

    def tree(self, lines: Sequence[str]) -> list[dict[str, str]]:
        """Return the systems that lines write, as the API answers them."""
        made = []
        for line in lines:
            found = _SYSTEM.match(line)
            name, sign, version = found.groups() if found else (line, "", "")
            made.append({"name": name, "comparison": _COMPARISONS.get(sign, ""), "version": version})
        return made


class HourLines:
    """Hours of weekdays, one day a line: `Monday: 9-17, 20-2`. Both hours are inclusive.

    Days are named in the language of the page, and may be typed in English.
    """

    def lines(self, found: object) -> Iterable[str]:
        """Return the lines of the intervals of a schedule."""
        by_day: dict[int, list[IntervalView]] = {}
        for each in msgspec.convert(found or [], list[IntervalView]):
            by_day.setdefault(each.day_of_week, []).append(each)
        for day in sorted(by_day):
            spans = ", ".join(f"{each.start}-{each.end}" for each in by_day[day])
            yield f"{spoken().form.long_weekdays[day - 1]}: {spans}"

    def pairs(self, name: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the intervals of each day.

        A line without a day or hours is sent unchanged, and the API refuses it.
        """
        for line in lines:
            day, _, spans = line.partition(":")
            number = _day_number(day)
            for place, span in enumerate(spans.split(",")):
                found = _HOURS.match(span.strip())
                first, last = found.groups() if found else (span.strip() or "none", "")
                yield f"{name}[{number}][{place}][From]", first
                yield f"{name}[{number}][{place}][To]", last
        if not lines:
            yield name, ""


class SubLines:
    """Values of subs, one a line: `sub1: value`."""

    def lines(self, found: object) -> Iterable[str]:
        """Return the lines of the values of each sub."""
        for sub, values in sorted(msgspec.convert(found or {}, dict[str, list[str]]).items()):
            yield from (f"{sub}: {value}" for value in values)

    def pairs(self, name: str, lines: Sequence[str]) -> Iterator[tuple[str, str]]:
        """Yield the values of each sub. A line without a sub is sent unchanged, and the API refuses it."""
        for line in lines:
            sub, _, value = line.partition(":")
            key = sub.strip().lower()[:40].replace("[", "").replace("]", "") or "none"
            yield f"{name}[{key}][]", value.strip()
        if not lines:
            yield name, ""


def _day_number(text: str) -> str:
    """Return the number of a weekday by its name or its first letters; the text where there is none."""
    wanted = text.strip().lower()
    names = [*spoken().form.long_weekdays, *language(ENGLISH).form.long_weekdays]
    found = [place for place, day in enumerate(names, 1) if len(wanted) >= 2 and day.lower().startswith(wanted)]
    return str(found[0] % 7) if found else text.strip()[:40].replace("[", "").replace("]", "") or "none"
