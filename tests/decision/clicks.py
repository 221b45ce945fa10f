"""Clicks to decide on, for the tests beside it."""

from typing import Any

from tests.support.rules import ADVERTISER, make_offer, make_ruleset, packed
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.state import EMPTY_CLICK_STATE, ClickState
from trackyard.decision.click.steps import STEPS, Rejection, decide
from trackyard.decision.visitor.visitor import Agent, GeoRecord
from trackyard.domain.tracking.ruleset import (
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetPlatform,
    RulesetRow,
)

NOW = 1_700_000_000_000
"""2023-11-14 22:13:20 UTC, a Tuesday."""
GOOD = {"offer_id": "3", "pid": "7"}
HOME = GeoRecord("EE", 588335, 588409, "Tallinn", "Telia Eesti AS", "wi-fi")
PHONE = Agent("Android", "13", "Chrome Mobile", "120", "mobile", "Samsung", "SM-G991B")
PLATFORM = RulesetPlatform()
AFFILIATE = RulesetAffiliate(id=7, active=True)
SUPPLIER = RulesetAdvertiser(id=ADVERTISER)


class FakeClickState:
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


def make_hit(
    params: dict[str, str] | None = None,
    *,
    rows: tuple[RulesetRow, ...] = (),
    platform: RulesetPlatform = PLATFORM,
    affiliate: RulesetAffiliate | None = AFFILIATE,
    advertiser: RulesetAdvertiser | None = SUPPLIER,
    connected: tuple[int, ...] = (),
    disconnected: tuple[int, ...] = (),
    restrictions: dict[str, Any] | None = None,
    offer: dict[str, Any] | None = None,
    ip: str = "192.0.2.9",
    ua: str = "an agent",
    place: GeoRecord = HOME,
    agent: Agent = PHONE,
    bot: bool = False,
    seen: ClickState = EMPTY_CLICK_STATE,
    now: int = NOW,
) -> Hit:
    """A click by affiliate 7 on offer 3 where all is well but what is said: `params` are added to what names the two,
    `offer` are fields of its row, `restrictions` fields of its Restrictions."""
    changed = dict(offer or {})
    if restrictions:
        changed["restrictions"] = packed(**restrictions)
    given = [
        make_offer(**changed),
        RulesetConnections(offer=3, affiliates=connected, disconnected=disconnected),
        platform,
    ]
    ruleset = make_ruleset([*given, *rows, *(row for row in (affiliate, advertiser) if row is not None)])
    asked = {**GOOD, **(params or {})}
    return Hit(ruleset, now, "c" * 24, asked, ip, place, ua, agent, "", "en", bot, "", seen)


def first_rejection(hit: Hit) -> Rejection | None:
    """The first refusal of the steps, asked one after the other."""
    return next((refused for step in STEPS if (refused := step.check(hit)) is not None), None)


def find_rejection(hit: Hit) -> Rejection | None:
    """What is decided on a click, which is what the steps say one by one, under their names."""
    refused = decide(hit)
    assert refused == first_rejection(hit)
    if refused is not None:
        assert len(refused.detail) <= 64
    for step in STEPS:
        verdict = step.check(hit)
        assert verdict is None or verdict.reason == step.name
    return refused


def reason(hit: Hit) -> str:
    """The reason of what is decided on a click; "" = it passes."""
    refused = find_rejection(hit)
    return "" if refused is None else refused.reason
