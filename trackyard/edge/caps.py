"""Which counts a click takes a place of: the caps of its offer, in their periods of now (behaviour.md §5, Caps)."""

from hashlib import blake2b
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from trackyard.domain.periods import Period, period_at
from trackyard.domain.rules import ClickCap, Offer
from trackyard.edge.counts import Wanted
from trackyard.edge.countsfile import NEVER

_KEPT_WANTED: Final = 10_000
_KEPT_OFFERS: Final = 10_000


class Places(NamedTuple):
    """What a click needs a place of, and the id of the cap of each."""

    wanted: tuple[Wanted, ...]
    caps: tuple[str, ...]


NO_PLACES: Final = Places((), ())


class CurrentPeriods:
    """The periods of now by zone and name: each is computed once while it lasts."""

    def __init__(self) -> None:
        self._periods: dict[tuple[str, str], Period] = {}

    def at(self, zone: str, name: str, now_ms: int) -> Period:
        """The period `name` of `zone` that `now_ms` lies in. Raises as domain.periods.period_at."""
        period = self._periods.get((zone, name))
        if period is None or now_ms < period.start or (period.end is not None and now_ms >= period.end):
            period = self._periods[zone, name] = period_at(name, now_ms, ZoneInfo(zone))
        return period


class _Compiled:
    """The caps of one offer row with what they counted last."""

    __slots__ = ("by_affiliate", "by_country", "row", "since", "until", "wanted", "zone")

    def __init__(self, row: Offer, zone: str) -> None:
        self.row = row
        # What no cap asks for must not make a count of its own.
        self.by_affiliate = any(cap.affiliate_type != "all" for cap in row.click_caps)
        self.by_country = any(cap.country_type != "all" for cap in row.click_caps)
        self.zone = zone
        self.since = self.until = 0
        self.wanted: dict[tuple[int, str], Places] = {}


class CapKeys:
    """The counts of clicks, worked out once for each offer, affiliate and country in a period."""

    def __init__(self) -> None:
        self._periods = CurrentPeriods()
        self._offers: dict[int, _Compiled] = {}

    def of(self, offer: Offer, platform_zone: str, affiliate: int, country: str, now_ms: int) -> Places:
        """What a click needs places of. `country`: ISO code, "" = unknown, which is a
        value of its own for `each` and in no list."""
        if not offer.click_caps:
            return NO_PLACES
        compiled = self._offers.get(offer.id)
        zone = offer.caps_timezone or platform_zone
        if compiled is None or compiled.row is not offer or compiled.zone != zone:
            if len(self._offers) >= _KEPT_OFFERS:
                self._offers.clear()
            compiled = self._offers[offer.id] = _Compiled(offer, zone)
        if not compiled.since <= now_ms < compiled.until or len(compiled.wanted) >= _KEPT_WANTED:
            compiled.wanted.clear()
            periods = [self._periods.at(zone, cap.period, now_ms) for cap in offer.click_caps]
            compiled.since = max(period.start for period in periods)
            compiled.until = min(NEVER if period.end is None else period.end for period in periods)
        key = (affiliate if compiled.by_affiliate else 0, country if compiled.by_country else "")
        found = compiled.wanted.get(key)
        if found is None:
            found = compiled.wanted[key] = self._work_out(compiled, affiliate, country, now_ms)
        return found

    def _work_out(self, compiled: _Compiled, affiliate: int, country: str, now_ms: int) -> Places:
        offer = compiled.row
        caps = [cap for cap in offer.click_caps if _regards(cap, affiliate, country)]
        wanted = []
        for cap in caps:
            period = self._periods.at(compiled.zone, cap.period, now_ms)
            key = count_key(
                offer.id,
                cap.id,
                affiliate if cap.affiliate_type == "each" else 0,
                country if cap.country_type == "each" else None,
                period.start,
            )
            wanted.append(Wanted(key, cap.value, NEVER if period.end is None else period.end // 1000))
        return Places(tuple(wanted), tuple(cap.id for cap in caps))


def count_key(offer: int, cap: str, affiliate: int, country: str | None, start_ms: int) -> bytes:
    """The key of a count: 16 bytes. affiliate 0 and country None = of all together · start_ms: of its period.

    Two of a billion counts share a key with probability 1e-21.
    """
    text = f"{offer}\0{cap}\0{affiliate}\0{'*' if country is None else country}\0{start_ms}"
    key = blake2b(text.encode(), digest_size=16).digest()
    # A first word of 0 is a free place.
    return key if any(key[:8]) else b"\1" + key[1:]


def _regards(cap: ClickCap, affiliate: int, country: str) -> bool:
    """Whether a click counts against the cap: the listed of `exact`, else all."""
    return (cap.affiliate_type != "exact" or affiliate in cap.affiliates) and (
        cap.country_type != "exact" or country in cap.countries
    )
