"""Clicks to decide on, for the tests beside it."""

from typing import Any

from tests.support.rules import ADVERTISER, an_offer, packed, rules_of
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.state import NOTHING_SEEN, Seen
from trackyard.decision.click.steps import STEPS, Refused, decide
from trackyard.decision.visitor.visitor import Agent, Place
from trackyard.domain.tracking.ruleset import Advertiser, Affiliate, Connections, Platform, Row

NOW = 1_700_000_000_000
"""2023-11-14 22:13:20 UTC, a Tuesday."""
GOOD = {"offer_id": "3", "pid": "7"}
HOME = Place("EE", 588335, 588409, "Tallinn", "Telia Eesti AS", "wi-fi")
PHONE = Agent("Android", "13", "Chrome Mobile", "120", "mobile", "Samsung", "SM-G991B")
PLATFORM = Platform()
AFFILIATE = Affiliate(id=7, active=True)
SUPPLIER = Advertiser(id=ADVERTISER)


class Remembered:
    """A state that answers as it is told to, and keeps what it was asked."""

    def __init__(self, *, new: bool = True, full: str = "") -> None:
        self.asked: list[str] = []
        self._new = new
        self._full = full

    def is_new(self, hit: Hit) -> bool:
        """As told."""
        self.asked.append("is_new")
        return self._new

    def full_cap(self, hit: Hit) -> str:
        """As told."""
        self.asked.append("full_cap")
        return self._full


def a_hit(
    params: dict[str, str] | None = None,
    *,
    rows: tuple[Row, ...] = (),
    platform: Platform = PLATFORM,
    affiliate: Affiliate | None = AFFILIATE,
    advertiser: Advertiser | None = SUPPLIER,
    connected: tuple[int, ...] = (),
    disconnected: tuple[int, ...] = (),
    restrictions: dict[str, Any] | None = None,
    offer: dict[str, Any] | None = None,
    ip: str = "192.0.2.9",
    ua: str = "an agent",
    place: Place = HOME,
    agent: Agent = PHONE,
    bot: bool = False,
    seen: Seen = NOTHING_SEEN,
    now: int = NOW,
) -> Hit:
    """A click by affiliate 7 on offer 3 where all is well but what is said: `params` are added to what names the two,
    `offer` are fields of its row, `restrictions` fields of its Restrictions."""
    changed = dict(offer or {})
    if restrictions:
        changed["restrictions"] = packed(**restrictions)
    given = [an_offer(**changed), Connections(offer=3, affiliates=connected, disconnected=disconnected), platform]
    rules = rules_of([*given, *rows, *(row for row in (affiliate, advertiser) if row is not None)])
    asked = {**GOOD, **(params or {})}
    return Hit(rules, now, "c" * 24, asked, ip, place, ua, agent, "", "en", bot, "", seen)


def walked(hit: Hit) -> Refused | None:
    """The first refusal of the steps, asked one after the other."""
    return next((refused for step in STEPS if (refused := step.check(hit)) is not None), None)


def refusal(hit: Hit) -> Refused | None:
    """What is decided on a click, which is what the steps say one by one, under their names."""
    refused = decide(hit)
    assert refused == walked(hit)
    if refused is not None:
        assert len(refused.detail) <= 64
    for step in STEPS:
        verdict = step.check(hit)
        assert verdict is None or verdict.reason == step.name
    return refused


def reason(hit: Hit) -> str:
    """The reason of what is decided on a click; "" = it passes."""
    refused = refusal(hit)
    return "" if refused is None else refused.reason
