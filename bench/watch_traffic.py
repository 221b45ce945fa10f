"""Traffic with a known truth: sums by hour, and by day, of a made-up network."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from math import exp
from random import Random
from typing import Final

from trackyard.domain.statistics.automation.measures import NOTHING, Measures
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.domain.statistics.quality.comparing import DeviceSums, TrafficSums

BEFORE_DAYS: Final = 28
"""Days before the watched ones: the usual of rules."""
DAYS: Final = 30
BEGIN_MS: Final = 1_788_220_800_000
"""2026-09-01 00:00 UTC."""
FAULT_DAY: Final = 12
"""The watched day from which on everything wrong is wrong."""
SUBS: Final = ("a", "b", "c")
DEVICES: Final = ("mobile", "desktop")
RATES: Final = {1: (0.05, 0.03), 2: (0.03, 0.035), 3: (0.06, 0.05)}
"""Conversions per click of each offer, by device."""
_HOURS: Final = (3, 2, 2, 1, 1, 1, 2, 4, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 10, 10, 9, 7, 5)
_EVENINGS: Final = (4, 2, 1, 1, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 6, 12, 20, 26, 26, 18, 9)
FLOODER, STUFFER, DYING_SUB, SHAVER, BROKEN = "click flooder", "cookie stuffer", "dying sub", "shaving", "integration"
FAULTS: Final = (FLOODER, STUFFER, DYING_SUB, SHAVER, BROKEN)
DEAD_SUB: Final = (1, 101, "b")
SHAVED_OFFER, BROKEN_OFFER = 2, 3
"""Each offer has an advertiser of its own."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How an affiliate works.

    clicks: a day on each offer. rate: its conversions compared with those of all. mobile: the share of phones.
    marked, quick, late, repeated: shares of clicks, and of conversions. growth: of clicks by day.
    burst: clicks of a newsletter in one hour a week.
    """

    name: str
    clicks: int
    rate: float = 1.0
    mobile: float = 0.6
    marked: float = 0.03
    quick: float = 0.002
    late: float = 0.06
    repeated: float = 0.03
    growth: float = 0.0
    burst: int = 0
    hours: tuple[int, ...] = _HOURS
    weekend: float = 1.0
    subs: tuple[int, ...] = (5, 4, 3)


AFFILIATES: Final = {
    101: Shape("steady", 1500),
    102: Shape("evenings", 900, hours=_EVENINGS),
    103: Shape("weekends", 700, weekend=2.5),
    104: Shape("newsletter", 150, burst=2500, rate=1.2),
    105: Shape("phones alone", 800, mobile=1.0),
    106: Shape("desktops alone", 600, mobile=0.0),
    107: Shape("growing", 300, growth=0.03),
    108: Shape("weak", 1000, rate=0.5, late=0.08),
    109: Shape("strong", 400, rate=1.7, repeated=0.05),
    110: Shape("tiny", 40),
    111: Shape("readers with a VPN", 500, marked=0.09),
    112: Shape("coupons", 500, rate=1.4, quick=0.005, late=0.04),
    201: Shape(FLOODER, 500),
    202: Shape(STUFFER, 500),
}
_FLOOD: Final = Shape(FLOODER, 20_000, rate=0.02, late=0.6, quick=0.0, mobile=0.8)
_STUFF: Final = Shape(STUFFER, 4_000, rate=0.12, late=0.55, mobile=0.6)
_LATER: Final = {201: _FLOOD, 202: _STUFF}


@dataclass
class DaySums:
    """A day of an affiliate on an offer."""

    clicks: int = 0
    marked: int = 0
    conversions: int = 0
    quick: int = 0
    late: int = 0
    repeated: int = 0
    of_device: Counter[tuple[str, str]] = field(default_factory=Counter)

    def plus(self, other: "DaySums") -> "DaySums":
        """Return the sums of both."""
        both = DaySums(of_device=self.of_device + other.of_device)
        for name in _NUMBERS:
            setattr(both, name, getattr(self, name) + getattr(other, name))
        return both

    def sums(self) -> TrafficSums:
        """Return them as the program has them."""
        devices = {
            name: DeviceSums(self.of_device[name, "clicks"], self.of_device[name, "conversions"]) for name in DEVICES
        }
        return TrafficSums(self.clicks, self.marked, self.conversions, self.quick, self.late, self.repeated, devices)


_NUMBERS: Final = ("clicks", "marked", "conversions", "quick", "late", "repeated")


@dataclass
class Network:
    """Traffic. hours: measures by begin of an hour and by offer, affiliate and sub. days: sums by day.

    lost: postbacks of a day that changed nothing, by offer.
    """

    hours: dict[int, dict[tuple[int | str, ...], Measures]]
    days: list[dict[tuple[int, int], DaySums]]
    lost: list[Counter[int]]


def simulate(seed: int, *, honest: bool = False) -> Network:
    """Return a network. honest: nothing is wrong in it."""
    dice = Random(seed)
    network = Network(defaultdict(dict), [], [])
    for day in range(BEFORE_DAYS + DAYS):
        is_wrong = not honest and day >= BEFORE_DAYS + FAULT_DAY
        sums: dict[tuple[int, int], DaySums] = defaultdict(DaySums)
        lost: Counter[int] = Counter()
        for affiliate, usual in AFFILIATES.items():
            shape = _LATER.get(affiliate, usual) if is_wrong else usual
            for offer in RATES if shape is usual else (1,):
                _add_day(network, dice, day, offer, affiliate, shape, is_wrong, sums[offer, affiliate], lost)
        network.days.append(dict(sums))
        network.lost.append(lost)
    return network


def _add_day(  # each argument is a part of one cell
    network: Network, dice: Random, day: int, offer: int, affiliate: int, shape: Shape, is_wrong: bool,
    sums: DaySums, lost: Counter[int],
) -> None:  # fmt: skip
    for hour, clicks in enumerate(_clicks_by_hour(shape, day)):
        begin = BEGIN_MS + (24 * day + hour) * HOUR_MS
        for sub, weight in zip(SUBS, shape.subs, strict=True):
            found = made = 0
            for device, rate, share in zip(DEVICES, RATES[offer], (shape.mobile, 1 - shape.mobile), strict=True):
                number = poisson(dice, clicks * share * weight / sum(shape.subs))
                kept = _kept(offer, affiliate, sub, is_wrong)
                real = poisson(dice, number * rate * shape.rate)
                conversions = sum(dice.random() < kept for _ in range(real))
                lost[offer] += real - conversions if offer == BROKEN_OFFER else 0
                found, made = found + number, made + conversions
                sums.of_device[device, "clicks"] += number
                sums.of_device[device, "conversions"] += conversions
            _add_shares(dice, sums, shape, found, made)
            if found or made:
                key = (offer, affiliate, sub)
                hours = network.hours[begin]
                hours[key] = hours.get(key, NOTHING).plus(Measures(clicks=found, conversions=made))


def _kept(offer: int, affiliate: int, sub: str, is_wrong: bool) -> float:
    """Return the share of conversions that is reported and counted."""
    if not is_wrong:
        return 1.0
    if (offer, affiliate, sub) == DEAD_SUB:
        return 0.0
    return {SHAVED_OFFER: 0.55, BROKEN_OFFER: 0.35}.get(offer, 1.0)


def _clicks_by_hour(shape: Shape, day: int) -> Iterator[float]:
    daily = shape.clicks * (1 + shape.growth) ** day * (shape.weekend if day % 7 in (4, 5) else 1.0)
    for hour, weight in enumerate(shape.hours):
        burst = shape.burst if day % 7 == 1 and hour == 9 else 0
        yield daily * weight / sum(shape.hours) + burst


def _add_shares(dice: Random, sums: DaySums, shape: Shape, clicks: int, conversions: int) -> None:
    sums.clicks += clicks
    sums.marked += min(clicks, poisson(dice, clicks * shape.marked))
    sums.conversions += conversions
    for name in ("quick", "late", "repeated"):
        found = sum(dice.random() < getattr(shape, name) for _ in range(conversions))
        setattr(sums, name, getattr(sums, name) + found)


def poisson(dice: Random, mean: float) -> int:
    """Return a number of this mean; large ones are rounded from a normal distribution."""
    if mean > 60:
        return max(0, round(dice.gauss(mean, mean**0.5)))
    limit, number, product = exp(-mean), 0, dice.random()
    while product > limit:
        number += 1
        product *= dice.random()
    return number
