"""What is remembered of an offer's clicks follows every change of the rules."""

from random import Random

import pytest

from tests.decision.clicks import build_hit
from tests.support.clicks.rules import ADVERTISER, HASH, entry_of, make_offer, make_ruleset, packed
from trackyard.decision.click.state import EMPTY_CLICK_STATE
from trackyard.decision.click.steps import decide
from trackyard.decision.routes import Ruleset
from trackyard.decision.target.url import accepted_url
from trackyard.domain.tracking.ruleset import (
    FullCap,
    RulesetAdvertiser,
    RulesetAffiliate,
    RulesetConnections,
    RulesetFullCaps,
    RulesetPlatform,
    RulesetRow,
)

OTHER = "d" * 24
START: list[RulesetRow] = [
    make_offer(open=False),
    RulesetConnections(3, affiliates=(7,)),
    RulesetAffiliate(id=7),
    RulesetAdvertiser(id=ADVERTISER),
]


def outcome(ruleset: Ruleset, offer: str = "3", pid: str = "7") -> str:
    """The reason and detail of a rejection, or the URL of a click that passes."""
    params = {"offer_id": offer, "pid": pid}
    hit, route = build_hit(ruleset, params), ruleset.route_of(params)
    rejection = decide(hit, route, EMPTY_CLICK_STATE).rejection
    return accepted_url(hit, route) if rejection is None else f"{rejection.reason}: {rejection.detail}"


@pytest.mark.parametrize(
    ("kind", "key", "row", "begins"),
    [
        ("affiliate", "7", RulesetAffiliate(id=7, rejection="inactive-affiliate"), "inactive-affiliate"),
        ("affiliate", "7", None, "unknown-affiliate"),
        ("advertiser", ADVERTISER, RulesetAdvertiser(id=ADVERTISER, blacklist=frozenset({7})), "disabled-affiliate"),
        ("advertiser", ADVERTISER, None, "unknown-advertiser"),
        ("connections", "3", RulesetConnections(3, affiliates=(8,)), "disabled-affiliate"),
        ("connections", "3", None, "disabled-affiliate"),
        ("offer", "3", make_offer(open=False, active=False), "inactive-offer"),
        ("offer", "3", make_offer(open=False, advertiser=OTHER), "unknown-advertiser"),
        ("offer", "3", make_offer(open=False, restrictions=packed(countries=("FI",))), "mistargeting-country"),
        ("offer", "3", make_offer(open=False, url="http://other.example/"), "http://other.example/"),
        ("offer", "3", None, "unknown-offer"),
        ("full_caps", "3", RulesetFullCaps(3, (FullCap("cap"),)), "overcap"),
    ],
)
def test_ruleset_change_applies_to_next_click(kind: str, key: str, row: RulesetRow | None, begins: str) -> None:
    ruleset = make_ruleset(START)
    for _ in range(2):
        for name in ("3", HASH, "003"):
            assert outcome(ruleset, name) == "http://shop.example/?c=" + "c" * 24
    ruleset.apply(kind, key, None if row is None else entry_of(row)[2])
    for name in ("3", HASH, "003"):
        if row is None and kind == "offer" and name == HASH:
            begins = "unknown-offer"
        assert outcome(ruleset, name).startswith(begins)
    for before in START:
        ruleset.apply(*entry_of(before))
    ruleset.apply("full_caps", "3", None)
    assert outcome(ruleset) == "http://shop.example/?c=" + "c" * 24


def test_ruleset_with_changes_decides_like_a_new_one() -> None:
    choose = Random(7)
    rows: dict[tuple[str, str], bytes] = {}
    live = make_ruleset([])
    for _ in range(600):
        number, affiliate = choose.choice((3, 4)), choose.choice((7, 8))
        some = tuple(sorted(choose.sample((7, 8, 9), choose.randrange(3))))
        advertiser = choose.choice((ADVERTISER, OTHER))
        row: RulesetRow = choose.choice(
            (
                make_offer(
                    number,
                    hash=f"{number:024x}",
                    advertiser=advertiser,
                    active=choose.random() < 0.9,
                    open=choose.random() < 0.5,
                    url=f"http://shop.example/{choose.randrange(9)}?s={{pid}}",
                    trafficback_url=f"http://back.example/{choose.randrange(9)}",
                    restrictions=choose.choice((b"", packed(countries=("EE",)), packed(countries=("FI",)))),
                ),
                RulesetAffiliate(id=affiliate, rejection="" if choose.random() < 0.9 else "inactive-affiliate"),
                RulesetAdvertiser(id=advertiser, blacklist=frozenset(some[:1])),
                RulesetConnections(number, affiliates=some, disconnected=some[:1] if choose.random() < 0.3 else ()),
                RulesetFullCaps(number, (FullCap("cap", affiliates=some),)),
                RulesetPlatform(timezone=choose.choice(("UTC", "Europe/Tallinn"))),
            )
        )
        kind, key, payload = entry_of(row)
        gone = choose.random() < 0.15
        rows.pop((kind, key), None)
        if not gone:
            rows[kind, key] = payload
        live.apply(kind, key, None if gone else payload)
        fresh = Ruleset.of((kind, key, payload) for (kind, key), payload in rows.items())
        for name in ("3", "4", f"{3:024x}", f"{4:024x}"):
            for pid in ("7", "8"):
                assert outcome(live, name, pid) == outcome(fresh, name, pid)
