"""Clicks to decide on, for the tests of this package."""

from collections.abc import Sequence
from typing import Any, NamedTuple

from tests.support.clicks.rules import ADVERTISER, make_offer, make_ruleset, packed
from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import NEW, OfferRoute, Reservation
from trackyard.decision.click.state import EMPTY_CLICK_STATE, ClickState, ReservationRequest
from trackyard.decision.click.steps import STEPS, decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.targeting.ip_lists import address_number
from trackyard.decision.visitor.geo import CachedGeoRecord, GeoRecord
from trackyard.decision.visitor.visitor import Agent, ParsedAgent
from trackyard.domain.tracking.rejections import REJECTION_REASONS, Rejection
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
AFFILIATE = RulesetAffiliate(id=7)
SUPPLIER = RulesetAdvertiser(id=ADVERTISER)


class FakeClickState:
    """A state with fixed answers; `asked`: the full caps of its requests."""

    def __init__(self, *, new: bool = True, full: str = "") -> None:
        self.asked: list[str] = []
        self._new = new
        self._full = full

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Return the same reservation for every click."""
        self.asked += [each.full_cap for each in requests]
        return [
            Reservation(self._new, each.full_cap or ("" if each.route.click_caps is None else self._full))
            for each in requests
        ]


class Click(NamedTuple):
    """A hit and what decides it."""

    hit: Hit
    route: OfferRoute
    state: ClickState
    ruleset: Ruleset

    def decide(self, *, as_visitor: bool = False) -> Rejection | None:
        """What is decided."""
        return decide(self.hit, self.route, self.state, as_visitor=as_visitor).rejection

    def on(self, offer: str) -> "Click":
        """The same click on another offer of its ruleset as it is now."""
        return self._replace(route=self.ruleset.route_of({"offer_id": offer}))


def build_hit(
    ruleset: Ruleset,
    params: dict[str, str],
    *,
    now: int = NOW,
    click_id: str = "c" * 24,
    ip: str = "192.0.2.9",
    place: GeoRecord = HOME,
    ua: str = "an agent",
    agent: Agent = PHONE,
    referrer: str = "",
    language: str = "en",
    bot: bool = False,
) -> Hit:
    """A hit of a ruleset with these parameters."""
    return Hit(
        ruleset.platform,
        ruleset.affiliate_of(params),
        now,
        click_id,
        params,
        ip,
        address_number(ip),
        CachedGeoRecord(place),
        ParsedAgent(ua, agent),
        referrer,
        language,
        {},
        bot=bot,
    )


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
    referrer: str = "",
    bot: bool = False,
    seen: ClickState = EMPTY_CLICK_STATE,
    now: int = NOW,
) -> Click:
    """Return a click of affiliate 7 on offer 3 that passes, but for the given parts.

    params: added to those that name the offer and the affiliate
    offer: fields of the row of the offer; `restrictions`: of its Restrictions
    """
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
    hit = build_hit(ruleset, asked, now=now, ip=ip, place=place, ua=ua, agent=agent, referrer=referrer, bot=bot)
    return Click(hit, ruleset.route_of(asked), seen, ruleset)


def find_rejection(click: Click) -> Rejection | None:
    """What is decided on a click: the first rejection of the whole table, whatever its route skips."""
    rejection = click.decide()
    hit, route, state, _ = click
    reservation = NEW
    if route.is_known and hit.affiliate is not None:
        reservation = state.reserve([ReservationRequest(hit, route, route.find_full_cap(hit))])[0]
    found: dict[str, Rejection] = {}
    for step in STEPS:
        rejections = step.rejections(hit, route, reservation)
        assert set(rejections) <= set(step.reasons)
        assert all(reason == each.reason and len(each.detail) <= 64 for reason, each in rejections.items())
        assert not (rejections and step.skips(route)) or found, "a skipped step rejects nothing that the others pass"
        found |= rejections
    first = min(found, key=REJECTION_REASONS.index, default="")
    assert rejection == found.get(first)
    return rejection


def reason(click: Click) -> str:
    """The reason of what is decided on a click; "" = it passes."""
    refused = find_rejection(click)
    return "" if refused is None else refused.reason
