"""Matches the rows of a file with our conversions, and sums up what differs."""

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal
from enum import StrEnum
from itertools import islice
from typing import Final

from trackyard.base.money import ZERO
from trackyard.domain.conversions.comparisons.files import SentRow
from trackyard.domain.conversions.conversions import DECLINED
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.offers.goals import goal_key, goal_keys

_CENT: Final = Decimal("0.01")
_MOST_CANDIDATES: Final = 100
"""Conversions of one id among which a row looks for the most similar one."""


class Side(StrEnum):
    """Who sent a file: an advertiser's is compared with charges, an affiliate's with payouts."""

    ADVERTISER = "advertiser"
    AFFILIATE = "affiliate"


class Outcome(StrEnum):
    """The result of the comparison for a row of the file or a conversion; each gets exactly one."""

    MATCHED = "matched"
    MISSING_HERE = "missing_here"
    MISSING_THERE = "missing_there"
    OTHER_STATUS = "other_status"
    OTHER_SUM = "other_sum"


@dataclass(frozen=True, slots=True)
class ComparedConversion:
    """A conversion of ours. amount: charge or payout, in `currency`.

    is_own: whether it is of the sender. was_reported: whether a postback or pixel made it.
    has_payment: whether a payment matched when it was made.
    created_at: UTC milliseconds.
    """

    id: str
    click_id: str
    action_id: str
    goal: str
    goal_title: str
    status: Status
    amount: Decimal
    currency: str
    comment: str
    created_at: int
    is_own: bool = True
    was_reported: bool = True
    has_payment: bool = True


@dataclass(frozen=True, slots=True)
class Pair:
    """A row with its conversion, or one of them alone."""

    row: SentRow | None
    conversion: ComparedConversion | None

    @property
    def outcome(self) -> Outcome:
        """Return the difference; a different status is reported before a different sum."""
        if self.conversion is None:
            return Outcome.MISSING_HERE
        if self.row is None:
            return Outcome.MISSING_THERE
        if not has_status(self.row, self.conversion):
            return Outcome.OTHER_STATUS
        return Outcome.MATCHED if has_sum(self.row, self.conversion) else Outcome.OTHER_SUM


@dataclass(slots=True)
class ClassSums:
    """The number and sums of a class of differences. ours: of conversions. theirs: of the file."""

    number: int = 0
    ours: Decimal = ZERO
    theirs: Decimal = ZERO

    @property
    def difference(self) -> Decimal:
        """Return ours − theirs."""
        return self.ours - self.theirs


@dataclass(slots=True)
class CurrencySums:
    """The sums in one currency: the totals, and the sums of each outcome."""

    ours: Decimal = ZERO
    theirs: Decimal = ZERO
    outcomes: dict[Outcome, ClassSums] = field(default_factory=lambda: defaultdict(ClassSums))


def counted_here(conversion: ComparedConversion) -> Decimal:
    """Return the amount that a conversion adds to sums: 0 for a declined conversion."""
    return ZERO if conversion.status in DECLINED else conversion.amount


def counted_there(row: SentRow) -> Decimal:
    """Return the amount that a row adds to sums: 0 for a declined row."""
    return ZERO if row.status in DECLINED else row.sum


def has_status(row: SentRow, conversion: ComparedConversion) -> bool:
    """Return whether both have the same status. A file without statuses lists what counts."""
    if row.status is None:
        return conversion.status not in DECLINED
    return row.status.as_sent == conversion.status.as_sent


def has_sum(row: SentRow, conversion: ComparedConversion) -> bool:
    """Return whether both have the same sum, to the cent. The sum of what both declined does not count."""
    if conversion.status in DECLINED and (row.status is None or row.status in DECLINED):
        return True
    return row.currency == conversion.currency and _cents(row.sum) == _cents(conversion.amount)


def _cents(amount: Decimal) -> Decimal:
    return amount.quantize(_CENT, rounding=ROUND_HALF_UP)


def match(rows: Sequence[SentRow], ours: Sequence[ComparedConversion]) -> list[Pair]:
    """Return each row and each conversion in exactly one pair.

    The conversion id goes first, then click id with action id, then one of the two. Among several conversions with
    one id, a row gets the conversion that differs least. A declined conversion without a row is left out: it
    counts nothing.
    """
    left = _Unmatched(ours)
    found: dict[int, ComparedConversion] = {}
    for named in _KEYS:
        for exactly in (True, False):
            for place, row in enumerate(rows):
                key = None if place in found else named(row)
                conversion = None if key is None else left.take(key, row, exactly=exactly)
                if conversion is not None:
                    found[place] = conversion
    pairs = [Pair(row, found.get(place)) for place, row in enumerate(rows)]
    return pairs + [Pair(None, each) for each in left.each() if each.status not in DECLINED]


def sum_up(pairs: Iterable[Pair]) -> dict[str, CurrencySums]:
    """Return the sums of pairs by currency. A pair with two currencies counts in the conversion's."""
    sums: dict[str, CurrencySums] = defaultdict(CurrencySums)
    for pair in pairs:
        outcome, row, conversion = pair.outcome, pair.row, pair.conversion
        if conversion is not None:
            here = sums[conversion.currency].outcomes[outcome]
            here.number += 1
            here.ours += counted_here(conversion)
        if row is not None:
            there = sums[row.currency].outcomes[outcome]
            there.number += conversion is None
            there.theirs += counted_there(row)
    for each in sums.values():
        each.ours = sum((part.ours for part in each.outcomes.values()), ZERO)
        each.theirs = sum((part.theirs for part in each.outcomes.values()), ZERO)
    return dict(sums)


def _by_id(row: SentRow) -> Hashable | None:
    return ("id", row.conversion_id) if row.conversion_id else None


def _by_both(row: SentRow) -> Hashable | None:
    return ("both", row.click_id, row.action_id) if row.click_id and row.action_id else None


def _by_action(row: SentRow) -> Hashable | None:
    return ("action", row.action_id) if row.action_id else None


def _by_click(row: SentRow) -> Hashable | None:
    """Return the key of a click: an action id, where both sides have one, must have matched."""
    if not row.click_id:
        return None
    return ("bare click" if row.action_id else "click", row.click_id)


_KEYS: Final[tuple[Callable[[SentRow], Hashable | None], ...]] = (_by_id, _by_both, _by_action, _by_click)


def _keys_of(conversion: ComparedConversion) -> Iterator[Hashable]:
    yield "id", conversion.id
    yield "click", conversion.click_id
    action_id = conversion.action_id.strip()
    if action_id:
        yield "both", conversion.click_id, action_id
        yield "action", action_id
    else:
        yield "bare click", conversion.click_id


class _Unmatched:
    """The conversions that no row has yet, by their keys."""

    def __init__(self, ours: Sequence[ComparedConversion]) -> None:
        self._by_key: dict[Hashable, dict[str, ComparedConversion]] = defaultdict(dict)
        self._all = {each.id: each for each in sorted(ours, key=lambda each: (each.created_at, each.id))}
        for each in self._all.values():
            for key in _keys_of(each):
                self._by_key[key][each.id] = each

    def take(self, key: Hashable, row: SentRow, *, exactly: bool) -> ComparedConversion | None:
        """Return the most similar conversion of a key, and remove it; None when none is left or none is equal."""
        near = list(islice(self._by_key.get(key, {}).values(), _MOST_CANDIDATES))
        found = min(near, key=lambda each: _differences(row, each), default=None)
        if found is None or (exactly and any(_differences(row, found))):
            return None
        for each in _keys_of(found):
            del self._by_key[each][found.id]
        del self._all[found.id]
        return found

    def each(self) -> Iterable[ComparedConversion]:
        """Return the conversions that are left, oldest first."""
        return self._all.values()


def _differences(row: SentRow, conversion: ComparedConversion) -> tuple[bool, bool, bool]:
    is_other_goal = bool(row.goal) and goal_key(row.goal) not in goal_keys((conversion.goal, conversion.goal_title))
    return is_other_goal, not has_status(row, conversion), not has_sum(row, conversion)
