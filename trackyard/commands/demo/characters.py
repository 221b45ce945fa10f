"""The known truth of the simulation: what is honest, and what is wrong.

`trackyard demo` plays some of these characters, `script/bench watch` all of them. Until the faults begin, all are
honest.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final


class Truth(StrEnum):
    """What is wrong with a character, or with an offer, since the faults began."""

    HONEST = "honest"
    FLOODER = "click flooder"
    STUFFER = "cookie stuffer"
    DYING_SUB = "dying sub"
    SHAVER = "shaving"
    BROKEN = "integration"


FAULTS: Final = tuple(truth for truth in Truth if truth is not Truth.HONEST)
HOURS: Final = (3, 2, 2, 1, 1, 1, 2, 4, 6, 7, 8, 8, 8, 8, 8, 8, 8, 8, 9, 10, 10, 9, 7, 5)
_EVENINGS: Final = (4, 2, 1, 1, 0, 0, 0, 1, 1, 2, 2, 2, 3, 3, 3, 3, 4, 6, 12, 20, 26, 26, 18, 9)
SUBS: Final = ("banner", "review", "social")
SHAVED: Final = 0.3
"""The share of conversions that an advertiser that shaves still reports."""
WHOLE: Final = 0.35
"""The share of postbacks of a broken integration that are right."""


@dataclass(frozen=True, slots=True)
class Shape:
    """How an affiliate works.

    clicks: clicks a day on each offer. rate: its conversion rate as a multiple of the offer's.
    mobile: the share of phones.
    marked, quick, late, repeated: shares of clicks, and of conversions. growth: the daily growth of clicks.
    burst: clicks of a newsletter in one hour a week. subs: weights of SUBS.
    """

    clicks: float
    rate: float = 1.0
    mobile: float = 0.6
    marked: float = 0.03
    quick: float = 0.002
    late: float = 0.06
    repeated: float = 0.03
    growth: float = 0.0
    burst: float = 0.0
    hours: tuple[int, ...] = HOURS
    weekend: float = 1.0
    subs: tuple[int, int, int] = (5, 4, 3)


@dataclass(frozen=True, slots=True)
class Character:
    """An affiliate of the demonstration.

    usual: how it works while it is honest
    later: how it works once the faults began, on the offer FLOODED only; None = as before, on all its offers
    demo: keys of its offers in `trackyard demo`; () = `trackyard demo` does not have this affiliate
    """

    key: str
    name: str
    usual: Shape
    truth: Truth = Truth.HONEST
    later: Shape | None = None
    demo: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class WatchedOffer:
    """An offer with an advertiser of its own. rates: conversions per click of phones and of desktops."""

    key: str
    title: str
    advertiser: str
    rates: tuple[float, float]
    truth: Truth = Truth.HONEST
    in_demo: bool = True


FLOODED: Final = "coupons"
"""The offer that the flooder and the stuffer work on."""
DEAD_SUB: Final = (FLOODED, "steady", "review")
"""Offer, affiliate and sub that has no conversion since the faults began."""

OFFERS: Final = (
    WatchedOffer(FLOODED, "Lucky Basket: coupons", "Lucky Basket", (0.22, 0.15)),
    WatchedOffer("trial", "Bright Fitness: trial month", "Bright Fitness", (0.24, 0.26), Truth.SHAVER),
    WatchedOffer("quote", "Swift Parcel: price quotes", "Swift Parcel", (0.2, 0.18), Truth.BROKEN),
    WatchedOffer("garden", "Slow Gardens: greenhouses", "Slow Gardens", (0.008, 0.01), in_demo=False),
)

CHARACTERS: Final = (
    Character("steady", "Steady Blogs", Shape(100, subs=(3, 6, 2)), Truth.DYING_SUB, demo=(FLOODED, "trial")),
    Character("evenings", "Evening Screens", Shape(60, hours=_EVENINGS), demo=(FLOODED, "trial")),
    Character("weekends", "Weekend Deals", Shape(45, weekend=2.5)),
    Character("newsletter", "Tuesday Letter", Shape(12, burst=170, rate=1.2), demo=("quote",)),
    Character("phones", "Pocket Apps", Shape(55, mobile=1.0), demo=("trial", "quote")),
    Character("desktops", "Desk Tools", Shape(40, mobile=0.0)),
    Character("growing", "Growing Channel", Shape(20, growth=0.03)),
    Character("weak", "Wide Banners", Shape(65, rate=0.5, late=0.08)),
    Character("strong", "Expert Tests", Shape(27, rate=1.7, repeated=0.05)),
    Character("tiny", "Tiny Diary", Shape(4)),
    Character("private", "Private Readers", Shape(33, marked=0.09)),
    Character("vouchers", "Voucher Corner", Shape(33, rate=1.4, quick=0.005, late=0.04)),
    Character(
        "flooder", "Torrent Traffic", Shape(33), Truth.FLOODER,
        Shape(900, rate=0.02, late=0.6, quick=0.0, mobile=0.8), demo=(FLOODED,),
    ),
    Character(
        "stuffer", "Silent Widgets", Shape(33), Truth.STUFFER, Shape(400, rate=0.25, late=0.6), demo=(FLOODED,)
    ),
)  # fmt: skip

_LESS: Final[dict[str, Any]] = {"metric": "cr", "compare": "below", "usual": 1}
RULES: Final[tuple[dict[str, Any], ...]] = (
    {"title": "An offer converts less than usual", "each": ["offer"], "hours": 48, "minimum": 150,
     "conditions": [_LESS | {"value": "25"}]},
    {"title": "A sub stops to convert", "each": ["offer", "affiliate", "sub1"], "hours": 48, "minimum": 60,
     "conditions": [_LESS | {"value": "80"}]},
)  # fmt: skip
"""The rules that watch them, as the API takes them: they notify, and change nothing."""


def work_of(character: Character, *, demo: bool) -> tuple[str, ...]:
    """Return the keys of the offers on which a character works."""
    return character.demo if demo else tuple(offer.key for offer in OFFERS)


def shape_of(character: Character, offer: str, *, wrong: bool) -> Shape | None:
    """Return how a character works on an offer, None = it does not. wrong: whether the faults began."""
    if not wrong or character.later is None:
        return character.usual
    return character.later if offer == FLOODED else None


def reported_share(offer: WatchedOffer, character: Character, sub: str, *, wrong: bool) -> float:
    """Return the share of conversions that the advertiser reports. wrong: whether the faults began."""
    if not wrong:
        return 1.0
    if (offer.key, character.key, sub) == DEAD_SUB:
        return 0.0
    return SHAVED if offer.truth is Truth.SHAVER else 1.0


def culprit_of(offer: str, affiliate: str = "", sub: str = "") -> Truth:
    """Return the truth about the subject of a finding.

    The arguments are the keys in its subject, "" = none.
    The flood lowers the rate of its whole offer.
    """
    truths = {character.key: character.truth for character in CHARACTERS}
    if truths.get(affiliate) in (Truth.FLOODER, Truth.STUFFER):
        return truths[affiliate]
    if (offer, affiliate, sub) == DEAD_SUB:
        return Truth.DYING_SUB
    if offer == FLOODED and not affiliate:
        return Truth.FLOODER
    return next((each.truth for each in OFFERS if each.key == offer), Truth.HONEST)
