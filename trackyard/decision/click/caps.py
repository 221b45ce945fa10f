"""Click caps: the counts in which a click needs a place (docs/spec/conversions.md#caps)."""

from hashlib import blake2b
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from trackyard.domain.offers.choices import CapScope
from trackyard.domain.offers.periods import CapPeriod, Period, period_at
from trackyard.domain.tracking.ruleset import ClickCap, RulesetOffer

_CACHE_SIZE: Final = 10_000
NEVER: Final = 2**62
"""The end of a period without an end."""
DUPLICATES: Final = "duplicates"
"""In the place of a cap's id: the clicks of one visitor on one day."""


class CappedCount:
    """A count in which a click needs a place.

    key: 16 bytes
    limit: the count at which it is full
    end: the end of the period, UTC seconds; NEVER = it does not end
    cell_index: the cell where the state found the count last, -1 = none
    changed_round: the round in which the state noted it as changed
    """

    __slots__ = ("cell_index", "changed_round", "end", "key", "limit")

    def __init__(self, key: bytes, limit: int, end: int) -> None:
        self.key = key
        self.limit = limit
        self.end = end
        self.cell_index = -1
        self.changed_round = -1


class CappedCounts(NamedTuple):
    """The counts in which a click needs a place, and the id of the cap of each."""

    capped_counts: tuple[CappedCount, ...]
    caps: tuple[str, ...]


class CurrentPeriods:
    """The present periods by zone and name, each computed once."""

    def __init__(self) -> None:
        self._periods: dict[tuple[str, str], Period] = {}

    def at(self, zone: str, name: str, now_ms: int) -> Period:
        """Return the period `name` of `zone` that contains `now_ms`. Raises ValueError for an unknown name."""
        period = self._periods.get((zone, name))
        if period is None or now_ms < period.start or (period.end is not None and now_ms >= period.end):
            period = self._periods[zone, name] = period_at(CapPeriod(name), now_ms, ZoneInfo(zone))
        return period


_periods: Final = CurrentPeriods()


class OfferClickCaps:
    """The click caps of one offer: counts cached by affiliate and country for a period."""

    __slots__ = (
        "_by_affiliate",
        "_by_country",
        "_counts_by_key",
        "_offer",
        "_shared_counts",
        "_since",
        "_until",
        "_zone",
        "most_of_visitor",
    )

    def __init__(self, offer: RulesetOffer, platform_zone: str) -> None:
        self._since = self._until = 0
        self.most_of_visitor = offer.duplicate_clicks
        # Affiliate or country makes a count of its own only where a cap asks for it.
        self._by_affiliate = any(cap.affiliate_type != CapScope.ALL for cap in offer.click_caps)
        self._by_country = any(cap.country_type != CapScope.ALL for cap in offer.click_caps)
        self._shared_counts: CappedCounts | None = None
        self._counts_by_key: dict[tuple[int, str], CappedCounts] = {}
        self._offer = offer
        self._zone = offer.caps_timezone or platform_zone

    def counts_for(self, affiliate: int, country: str, now_ms: int) -> CappedCounts:
        """Return the counts of a click.

        country: ISO code; "" = unknown, a value of its own for `each` and in no list
        """
        if not self._since <= now_ms < self._until or len(self._counts_by_key) >= _CACHE_SIZE:
            self._start_periods(now_ms)
        if not self._by_affiliate and not self._by_country:
            shared_counts = self._shared_counts
            if shared_counts is None:
                shared_counts = self._shared_counts = self._compute(affiliate, country, now_ms)
            return shared_counts
        key = (affiliate if self._by_affiliate else 0, country if self._by_country else "")
        found = self._counts_by_key.get(key)
        if found is None:
            found = self._counts_by_key[key] = self._compute(affiliate, country, now_ms)
        return found

    def with_visitor(self, counts: CappedCounts, visitor: tuple[int, int], now_ms: int) -> CappedCounts:
        """Return the counts of a click and the count of its visitor on this day.

        visitor: the numbers of its address and of its user agent
        """
        period = _periods.at(self._zone, CapPeriod.DAY, now_ms)
        key = count_key(self._offer.id, f"visitor {visitor[0]} {visitor[1]}", 0, None, period.start)
        own = CappedCount(key, self.most_of_visitor, NEVER if period.end is None else period.end // 1000)
        return CappedCounts((*counts.capped_counts, own), (*counts.caps, DUPLICATES))

    def _start_periods(self, now_ms: int) -> None:
        """Drop the counts of the last periods."""
        periods = [_periods.at(self._zone, cap.period, now_ms) for cap in self._offer.click_caps]
        self._shared_counts = None
        self._counts_by_key.clear()
        self._since = max((period.start for period in periods), default=0)
        self._until = min((NEVER if period.end is None else period.end for period in periods), default=NEVER)

    def _compute(self, affiliate: int, country: str, now_ms: int) -> CappedCounts:
        offer = self._offer
        caps = [cap for cap in offer.click_caps if _applies_to(cap, affiliate, country)]
        capped_counts = []
        for cap in caps:
            period = _periods.at(self._zone, cap.period, now_ms)
            key = count_key(
                offer.id,
                cap.id,
                affiliate if cap.affiliate_type == CapScope.EACH else 0,
                country if cap.country_type == CapScope.EACH else None,
                period.start,
            )
            capped_counts.append(CappedCount(key, cap.value, NEVER if period.end is None else period.end // 1000))
        return CappedCounts(tuple(capped_counts), tuple(cap.id for cap in caps))


def count_key(offer: int, cap: str, affiliate: int, country: str | None, start_ms: int) -> bytes:
    """Return the key of a count, 16 bytes.

    affiliate, country: 0 and None = all together
    start_ms: the start of the period

    Two of a billion counts share a key with probability 1e-21.
    """
    text = f"{offer}\0{cap}\0{affiliate}\0{'*' if country is None else country}\0{start_ms}"
    key = blake2b(text.encode(), digest_size=16).digest()
    # A first word of 0 is a free cell.
    return key if any(key[:8]) else b"\1" + key[1:]


def _applies_to(cap: ClickCap, affiliate: int, country: str) -> bool:
    """Return whether a click counts against a cap: listed values for `exact`, else all."""
    return (cap.affiliate_type != CapScope.EXACT or affiliate in cap.affiliates) and (
        cap.country_type != CapScope.EXACT or country in cap.countries
    )
