"""The decision on a click: one case per reason, and their order."""

from typing import Any

import pytest

from tests.support.rules import ADVERTISER, HASH, an_offer, rules_of
from trackyard.decide import steps
from trackyard.decide.hit import Hit
from trackyard.decide.steps import STEPS, Refused, decide
from trackyard.decide.visitor import Agent, Place
from trackyard.domain.rules import Advertiser, Affiliate, Connections, Row

NOW = 1_700_000_000_000
GOOD = {"offer_id": "3", "pid": "7"}


def a_hit(params: dict[str, str], **changed: Any) -> Hit:
    """A click by `params` where all is well but what `changed` says (of the offer and the others)."""
    rows: list[Row] = []
    affiliate = changed.pop("affiliate", Affiliate(id=7, active=True))
    advertiser = changed.pop("advertiser", Advertiser(id=ADVERTISER))
    connected, disconnected = changed.pop("connected", ()), changed.pop("disconnected", ())
    rows += [an_offer(**changed), Connections(offer=3, affiliates=connected, disconnected=disconnected)]
    rows += [row for row in (affiliate, advertiser) if row is not None]
    return Hit(rules_of(rows), NOW, "c" * 24, params, "192.0.2.1", Place("US"), "ua", Agent(), "", "en")


@pytest.mark.parametrize(
    ("reason", "params", "changed"),
    [
        ("invalid-offer", {"pid": "7"}, {}),
        ("invalid-offer", {**GOOD, "offer_id": "x3"}, {}),
        ("invalid-offer", {**GOOD, "offer_id": "-3"}, {}),
        ("invalid-offer", {**GOOD, "offer_id": "３"}, {}),
        ("invalid-offer", {**GOOD, "offer_id": HASH.upper()}, {}),
        ("unknown-offer", {**GOOD, "offer_id": "4"}, {}),
        ("unknown-offer", {**GOOD, "offer_id": "9" * 2000}, {}),
        ("unknown-offer", {**GOOD, "offer_id": "d" * 24}, {}),
        ("unknown-offer", {**GOOD, "offer_id": "0" * 23 + "3"}, {}),
        ("invalid-affiliate", {"offer_id": "3"}, {}),
        ("invalid-affiliate", {**GOOD, "pid": "7.0"}, {}),
        ("unknown-affiliate", {**GOOD, "pid": "8"}, {}),
        ("inactive-offer", GOOD, {"active": False}),
        ("inactive-offer", GOOD, {"start_at": NOW + 1}),
        ("inactive-offer", GOOD, {"stop_at": NOW}),
        ("inactive-affiliate", GOOD, {"affiliate": Affiliate(id=7, active=False)}),
        ("unknown-advertiser", GOOD, {"advertiser": None}),
        ("disabled-affiliate", GOOD, {"open": False}),
        ("disabled-affiliate", GOOD, {"open": False, "connected": (1, 6, 8)}),
        ("disabled-affiliate", GOOD, {"open": False, "disconnected": (6, 8)}),
        ("disabled-affiliate", GOOD, {"open": True, "disconnected": (1, 7, 9)}),
        ("disabled-affiliate", GOOD, {"advertiser": Advertiser(id=ADVERTISER, blacklist=frozenset({7}))}),
    ],
)
def test_a_click_is_refused_for(reason: str, params: dict[str, str], changed: dict[str, Any]) -> None:
    refused = decide(a_hit(params, **changed))
    assert refused is not None
    assert refused.reason == reason
    assert len(refused.detail) <= 64


@pytest.mark.parametrize(
    ("params", "changed"),
    [
        (GOOD, {}),
        ({**GOOD, "offer_id": HASH}, {}),
        ({"offer_id": "003", "pid": "07"}, {}),
        ({**GOOD, "offer_id": "0" * 23 + "9"}, {"hash": "0" * 23 + "9"}),
        (GOOD, {"start_at": NOW, "stop_at": NOW + 1}),
        (GOOD, {"open": False, "connected": (1, 7, 9)}),
        (GOOD, {"open": True, "disconnected": (6, 8)}),
        (GOOD, {"advertiser": Advertiser(id=ADVERTISER, blacklist=frozenset({8}))}),
    ],
)
def test_a_click_passes(params: dict[str, str], changed: dict[str, Any]) -> None:
    assert decide(a_hit(params, **changed)) is None


def test_the_order_is_that_of_the_specification() -> None:
    assert (
        steps.invalid_offer,
        steps.unknown_offer,
        steps.invalid_affiliate,
        steps.unknown_affiliate,
        steps.inactive_offer,
        steps.inactive_affiliate,
        steps.unknown_advertiser,
        steps.disabled_affiliate,
    ) == STEPS


def test_the_first_refusal_wins() -> None:
    everything_wrong = a_hit(GOOD, active=False, affiliate=Affiliate(id=7, active=False), advertiser=None, open=False)
    refused = [step(everything_wrong) for step in STEPS]
    assert decide(everything_wrong) == next(one for one in refused if one is not None)
    assert decide(everything_wrong, (lambda hit: None, lambda hit: Refused("b"), lambda hit: Refused("c"))) == Refused(
        "b"
    )
