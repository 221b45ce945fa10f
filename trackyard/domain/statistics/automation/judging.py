"""Judge windows by rules, the same for now and for the past (docs/spec/automation.md#judging)."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.domain.statistics.automation.chances import chance_at_least, chance_at_most
from trackyard.domain.statistics.automation.measures import METRICS, NOTHING, Key, Measures, RuleMetric
from trackyard.domain.statistics.automation.rules import Reading, Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import HOUR_MS, Window, same_hours_before

RAREST_CHANCE: Final = 1e-6
"""A difference from the usual is no finding when such a one has a greater chance."""

ByKey = Mapping[Key, Measures]


@dataclass(frozen=True, slots=True)
class Verdict:
    """Something that meets the conditions of a rule."""

    key: Key
    readings: tuple[Reading, ...]


def judge(rule: Rule, now: ByKey, before: Sequence[ByKey] = ()) -> list[Verdict]:
    """Return what meets all conditions of a rule, by key.

    now: the window. before: the same hours of the weeks before, for conditions that compare with the usual.
    """
    keys = set(now).union(*before) if before else set(now)
    found = (_verdict(rule, key, now, before) for key in _in_order(keys))
    return [verdict for verdict in found if verdict is not None]


def _in_order(keys: Iterable[Key]) -> list[Key]:
    return sorted(keys, key=lambda key: tuple(map(str, key)))


def _verdict(rule: Rule, key: Key, now: ByKey, before: Sequence[ByKey]) -> Verdict | None:
    """Return the verdict on something, None when it does not meet all conditions."""
    readings = _readings(rule, now.get(key, NOTHING), [each.get(key, NOTHING) for each in before])
    return None if readings is None or not rule.can_act_on(key) else Verdict(key, readings)


def is_new_cause(met_until: int | None, window: Window) -> bool:
    """Return whether a window that meets the conditions is a new cause.

    met_until: the end of the last window of the same element that met them; None = none did. What follows without a
    quiet hour, or shares an hour with it, has the same cause.
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


class SlidingSums:
    """The sums of a window that moves over the hours of the past.

    changed: what had traffic in the hours that the last move added or left.
    """

    def __init__(self, hours: Mapping[int, ByKey]) -> None:
        """hours: the measures of each hour, by its begin (UTC milliseconds)."""
        self._hours = hours
        self._window = Window(0, 0)
        self._sums: dict[Key, Measures] = {}
        self._hours_of: Counter[Key] = Counter()
        self.changed: set[Key] = set()

    def move_to(self, window: Window) -> ByKey:
        """Return the sums of a window; they change with the next move."""
        old, new = set(range(*self._window, HOUR_MS)), set(range(*window, HOUR_MS))
        self.changed = set().union(*(self._hours.get(hour, ()) for hour in old ^ new))
        for hour in new - old:
            for key, measured in self._hours.get(hour, {}).items():
                self._sums[key] = self._sums.get(key, NOTHING).plus(measured)
                self._hours_of[key] += 1
        for hour in old - new:
            for key, measured in self._hours.get(hour, {}).items():
                self._hours_of[key] -= 1
                if self._hours_of[key]:
                    self._sums[key] = self._sums[key].minus(measured)
                else:
                    del self._sums[key], self._hours_of[key]
        self._window = window
        return self._sums


@dataclass(frozen=True, slots=True)
class PastFiring:
    """A firing that a rule would have made. window: the first one that met the conditions."""

    verdict: Verdict
    window: Window
    met_until: int


def look_back(rule: Rule, hours: Mapping[int, ByKey], ends: Iterable[int], zone: ZoneInfo) -> list[PastFiring]:
    """Return what a rule would have fired at the end of these hours, oldest first.

    It is judged as if it had changed nothing.

    hours: the measures of each hour of the windows, and of those that they are compared with.
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


def _with_the_minimum(rule: Rule, hours: Mapping[int, ByKey]) -> Mapping[int, ByKey]:
    """Return the measures of what has the minimum volume of the leading condition in some window.

    Nothing else can meet the conditions: weeks that are compared need the minimum on average. Most subs never have it.
    """
    volume = METRICS[rule.leading_condition.metric].volume
    volumes: dict[Key, list[tuple[int, int]]] = defaultdict(list)
    for begin in sorted(hours):
        for key, measured in hours[begin].items():
            volumes[key].append((begin, volume(measured)))
    kept = {key for key, each in volumes.items() if _largest_sum(each, rule.hours * HOUR_MS) >= rule.minimum}
    return {begin: {key: each for key, each in found.items() if key in kept} for begin, found in hours.items()}


def _largest_sum(volumes: Sequence[tuple[int, int]], length: int) -> int:
    """Return the largest sum of volumes in a time of this length. volumes: by their begins, in order."""
    largest = total = first = 0
    for begin, number in volumes:
        total += number
        while volumes[first][0] <= begin - length:
            total -= volumes[first][1]
            first += 1
        largest = max(largest, total)
    return largest


def _changed_verdicts(
    rule: Rule, hours: Mapping[int, ByKey], ends: Iterable[int], zone: ZoneInfo
) -> Iterator[tuple[Window, dict[Key, Verdict | None]]]:
    """Yield each window with the verdicts on what has other sums than in the window before.

    The verdict on anything else is the same as before. None: it does not meet the conditions.
    """
    hours = _with_the_minimum(rule, hours)
    now = SlidingSums(hours)
    before: dict[int, SlidingSums] = {}
    for end in ends:
        window = Window(end - rule.hours * HOUR_MS, end)
        weeks = same_hours_before(window, zone) if rule.needs_usual else ()
        sums = now.move_to(window)
        sums_before = [before.setdefault(week, SlidingSums(hours)).move_to(each) for week, each in enumerate(weeks)]
        changed = now.changed.union(*(each.changed for each in before.values()))
        verdicts: dict[Key, Verdict | None] = dict.fromkeys(changed)
        for key in changed:
            if key in sums or any(key in each for each in sums_before):
                verdicts[key] = _verdict(rule, key, sums, sums_before)
        yield window, verdicts
