"""Judge windows by rules, the same for now and for the past (docs/spec/automation.md#judging)."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cached_property
from itertools import accumulate, chain
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.domain.statistics.automation.chances import chance_at_least, chance_at_most
from trackyard.domain.statistics.automation.measures import METRICS, NOTHING, Key, Measures, RuleMetric
from trackyard.domain.statistics.automation.rules import Reading, Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import HOUR_MS, WEEKS_BEFORE, Window, same_hours_before

RAREST_CHANCE: Final = 1e-6
"""A difference from the usual is not a finding when such a one has a greater chance."""

ByKey = Mapping[Key, Measures]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Something that meets the conditions of a rule."""

    key: Key
    readings: tuple[Reading, ...]


def judge(rule: Rule, now: ByKey, before: Sequence[ByKey] = ()) -> list[Verdict]:
    """Return the verdicts on elements that meet all conditions of a rule, by key.

    now: the window. before: the same hours of earlier weeks, for conditions that compare with the usual value.
    """
    keys = set(now).union(*before) if before else set(now)
    found = (
        _verdict(rule, key, now.get(key, NOTHING), [each.get(key, NOTHING) for each in before])
        for key in _in_order(keys)
    )
    return [verdict for verdict in found if verdict is not None]


def _in_order(keys: Iterable[Key]) -> list[Key]:
    return sorted(keys, key=lambda key: tuple(map(str, key)))


def _verdict(rule: Rule, key: Key, now: Measures, before: Sequence[Measures]) -> Verdict | None:
    """Return the verdict on something, None when it does not meet all conditions."""
    readings = _readings(rule, now, before)
    return None if readings is None or not rule.can_act_on(key) else Verdict(key, readings)


def is_new_cause(met_until: int | None, window: Window) -> bool:
    """Return whether a window that meets the conditions is a new cause.

    met_until: the end of the last window of the same element that met the conditions; None = no window did. A window
    that begins right at this end, or overlaps the earlier one, has the same cause.
    """
    return met_until is None or window.since > met_until


def _readings(rule: Rule, now: Measures, before: Sequence[Measures]) -> tuple[Reading, ...] | None:
    """Return the readings of all conditions; None when one of them is not met."""
    found = []
    for condition in rule.conditions:
        metric = METRICS[condition.metric]
        if condition.is_usual:
            reading = _compared(condition, metric, now, before, rule.minimum)
        else:
            reading = _bounded(condition, metric, now, rule.minimum)
        if reading is None:
            return None
        found.append(reading)
    return tuple(found)


def _bounded(condition: RuleCondition, metric: RuleMetric, now: Measures, minimum: int) -> Reading | None:
    """Return the reading of a condition with a fixed bound, None when it is not met."""
    if metric.volume(now) < minimum:
        return None
    value = metric.value(now)
    if value is None or not _is_beyond(condition, value, condition.bound):
        return None
    return Reading(condition.metric, condition.is_below, _rounded(value), condition.bound)


def _compared(
    condition: RuleCondition, metric: RuleMetric, now: Measures, before: Sequence[Measures], minimum: int
) -> Reading | None:
    """Return the reading of a condition that compares with the usual, None when it is not met.

    The difference must be as large as asked for, larger than in each single week, and too rare for chance.
    """
    weeks = len(before)
    if sum(map(metric.volume, before)) < minimum * weeks or not weeks:
        return None
    value, past = metric.value(now), [found for each in before if (found := metric.value(each)) is not None]
    sum_before = sum(int(metric.top(each)) for each in before)
    whole_before = weeks if metric.bottom is None else sum(map(metric.bottom, before))
    whole_now = 1 if metric.bottom is None else metric.bottom(now)
    if value is None or not whole_before:
        return None
    usual = Decimal(sum_before) * (1 if metric.bottom is None else metric.scale) / whole_before
    bound = usual * (100 + (-condition.bound if condition.is_below else condition.bound)) / 100
    if not _is_beyond(condition, value, bound) or not all(_is_beyond(condition, value, each) for each in past):
        return None
    counted, share = int(metric.top(now)), whole_now / (whole_now + whole_before)
    chance = (chance_at_most if condition.is_below else chance_at_least)(counted, counted + sum_before, share)
    if chance > RAREST_CHANCE:
        return None
    return Reading(condition.metric, condition.is_below, _rounded(value), _rounded(bound), _rounded(usual), chance)


def _is_beyond(condition: RuleCondition, value: Decimal, bound: Decimal) -> bool:
    return value < bound if condition.is_below else value > bound


def _rounded(value: Decimal) -> Decimal:
    return round(value, 4)


class PastSums:
    """The sums of one element over any window of the past, and the volumes that its rule counts."""

    def __init__(self, hours: Sequence[tuple[int, Measures]], volume: Callable[[Measures], int]) -> None:
        """hours: its measures by the begin of the hour (UTC milliseconds), in order. volume: see RuleMetric."""
        self._begins = [begin for begin, _ in hours]
        self._measured = [measured for _, measured in hours]
        self._volumes = list(accumulate(map(volume, self._measured), initial=0))

    def sum_of(self, window: Window) -> Measures:
        """Return the sums of a window; NOTHING itself when it has no hour with traffic."""
        first, end = self._places(window)
        return NOTHING if first == end else self._sums[end].minus(self._sums[first])

    @cached_property
    def _sums(self) -> list[Measures]:
        """The sums until each hour, which most elements never need."""
        return list(accumulate(self._measured, Measures.plus, initial=NOTHING))

    def volume_of(self, windows: Iterable[Window]) -> int:
        """Return the volume in windows together."""
        begins, volumes, volume = self._begins, self._volumes, 0
        for since, until in windows:
            volume += volumes[bisect_left(begins, until)] - volumes[bisect_left(begins, since)]
        return volume

    def largest_volume(self, length: int) -> int:
        """Return the largest volume in a time of this length, which ends with some hour."""
        begins, volumes = self._begins, self._volumes
        firsts = [bisect_left(begins, begin + HOUR_MS - length) for begin in begins]
        return max(volumes[end] - volumes[first] for end, first in enumerate(firsts, 1))

    def _places(self, window: Window) -> tuple[int, int]:
        return bisect_left(self._begins, window.since), bisect_left(self._begins, window.until)


@dataclass(frozen=True, slots=True)
class PastFiring:
    """A firing that a rule would have made. window: the first one that met the conditions."""

    verdict: Verdict
    window: Window
    met_until: int


def look_back(rule: Rule, hours: Mapping[int, ByKey], ends: Iterable[int], zone: ZoneInfo) -> list[PastFiring]:
    """Return the firings that a rule would have had at the end of these hours, oldest first.

    They are judged as if the rule had changed nothing.

    hours: the measures of each hour of the windows, and of the windows that they are compared with.
    """
    last_place: dict[Key, int] = {}
    meeting: set[Key] = set()
    found: list[PastFiring] = []
    last_until = 0
    for window, verdicts in _changed_verdicts(rule, hours, ends, zone):
        for key in meeting & verdicts.keys():
            if verdicts[key] is None:
                meeting.remove(key)
                found[last_place[key]] = replace(found[last_place[key]], met_until=last_until)
        appeared = {key: verdict for key, verdict in verdicts.items() if verdict is not None and key not in meeting}
        for key in _in_order(appeared):
            meeting.add(key)
            place = last_place.get(key)
            if place is None or is_new_cause(found[place].met_until, window):
                last_place[key] = len(found)
                found.append(PastFiring(appeared[key], window, window.until))
        last_until = window.until
    for key in meeting:
        found[last_place[key]] = replace(found[last_place[key]], met_until=last_until)
    return found


def _with_the_minimum(rule: Rule, hours: Mapping[int, ByKey]) -> dict[Key, PastSums]:
    """Return the sums of what has the minimum volume of the leading condition in some window.

    Nothing else can meet the conditions: weeks that are compared need the minimum on average. Most subs never have it.
    """
    volume, length = METRICS[rule.leading_condition.metric].volume, rule.hours * HOUR_MS
    by_key: dict[Key, list[tuple[int, Measures]]] = defaultdict(list)
    for begin in sorted(hours):
        for key, measured in hours[begin].items():
            by_key[key].append((begin, measured))
    sums = {key: PastSums(measured, volume) for key, measured in by_key.items()}
    return {key: each for key, each in sums.items() if each.largest_volume(length) >= rule.minimum}


def _changed_verdicts(
    rule: Rule, hours: Mapping[int, ByKey], ends: Iterable[int], zone: ZoneInfo
) -> Iterator[tuple[Window, dict[Key, Verdict | None]]]:
    """Yield each window with the verdicts on what has other sums than in the window before.

    The verdict on anything else is the same as before. None: it does not meet the conditions.
    """
    kept = _with_the_minimum(rule, hours)
    keys_of = {begin: [key for key in measured if key in kept] for begin, measured in hours.items()}
    last = [Window(0, 0)] * (1 + WEEKS_BEFORE)
    for end in ends:
        window = Window(end - rule.hours * HOUR_MS, end)
        windows = [window, *(same_hours_before(window, zone) if rule.needs_usual else ())]
        moved = chain.from_iterable(map(_changed_hours, last, windows))
        changed = {key for hour in moved for key in keys_of.get(hour, ())}
        yield window, {key: _past_verdict(rule, key, kept[key], windows) for key in changed}
        last = windows


def _changed_hours(one: Window, other: Window) -> Iterator[int]:
    """Return the begins of the hours that are in one of two windows alone."""
    if one.since == one.until or one.until <= other.since or other.until <= one.since:
        return chain(range(*one, HOUR_MS), range(*other, HOUR_MS))
    first, second = sorted((one, other))
    return chain(range(first.since, second.since, HOUR_MS), range(first.until, second.until, HOUR_MS))


def _past_verdict(rule: Rule, key: Key, sums: PastSums, windows: Sequence[Window]) -> Verdict | None:
    """Return the verdict on an element.

    windows: the judged window, then the windows that it is compared with.
    """
    counted = windows[1:] if rule.leading_condition.is_usual else windows[:1]
    if sums.volume_of(counted) < rule.minimum * len(counted):
        return None
    measured = [sums.sum_of(each) for each in windows]
    if all(each is NOTHING for each in measured):
        return None
    return _verdict(rule, key, measured[0], measured[1:])
