"""The ruleset in memory follows its rows."""

import msgspec
import pytest

from tests.support.clicks.rules import ADVERTISER, HASH, entry_of, make_offer, make_ruleset
from trackyard.decision.routes import Ruleset
from trackyard.domain.tracking.ruleset import RulesetAdvertiser, RulesetAffiliate, RulesetConnections, RulesetPlatform


def test_ruleset_finds_rows_by_keys() -> None:
    offer = make_offer()
    ruleset = make_ruleset(
        [
            offer,
            RulesetAffiliate(id=7),
            RulesetAdvertiser(id=ADVERTISER),
            RulesetPlatform("http://back.example"),
        ]
    )
    assert ruleset.find_offer("3") == ruleset.find_offer(HASH) == offer
    affiliate = ruleset.affiliate_of({"pid": "7"})
    assert affiliate is not None
    assert (affiliate.id, affiliate.number, affiliate.active, affiliate.name) == (7, "7", True, "")
    assert ruleset.find_advertiser(ADVERTISER) == RulesetAdvertiser(id=ADVERTISER)
    assert ruleset.platform.trafficback_url == "http://back.example"
    assert (ruleset.find_offer("4"), ruleset.affiliate_of({"pid": "3"}), ruleset.find_advertiser(HASH)) == (
        None,
        None,
        None,
    )


def test_ruleset_change_replaces_row() -> None:
    ruleset = make_ruleset([make_offer()])
    ruleset.apply(*entry_of(make_offer(hash="c" * 24, title="renamed")))
    found = ruleset.find_offer("c" * 24)
    assert found is not None
    assert found.title == "renamed"
    assert ruleset.find_offer(HASH) is None


def test_ruleset_tombstone_removes_row() -> None:
    ruleset = make_ruleset(
        [
            make_offer(),
            RulesetAffiliate(id=7),
            RulesetAdvertiser(id=ADVERTISER),
            RulesetPlatform("http://x.example"),
        ]
    )
    ruleset.apply(*entry_of(RulesetConnections(offer=3, affiliates=(7,))))
    for kind, key in (
        ("offer", "3"),
        ("affiliate", "7"),
        ("advertiser", ADVERTISER),
        ("platform", "platform"),
        ("connections", "3"),
    ):
        ruleset.apply(kind, key, None)
        ruleset.apply(kind, key, None)
    assert ruleset.find_offer("3") is None
    assert ruleset.find_offer(HASH) is None
    assert ruleset.affiliate_of({"pid": "7"}) is None
    assert ruleset.find_advertiser(ADVERTISER) is None
    assert ruleset.platform == RulesetPlatform()


def test_ruleset_knows_disconnected_affiliates() -> None:
    ruleset = make_ruleset([make_offer(), RulesetConnections(offer=3, affiliates=(2,), disconnected=(5, 9))])
    route = ruleset.route_of({"offer_id": "3"})
    assert [number for number in (2, 5, 7, 9) if route.is_disconnected(number)] == [5, 9]
    ruleset.apply("connections", "3", None)
    assert not ruleset.route_of({"offer_id": "3"}).is_disconnected(5)


def test_ruleset_connections_are_exact() -> None:
    ruleset = make_ruleset([make_offer(), RulesetConnections(offer=3, affiliates=(2, 5, 4_000_000_000))])
    route = ruleset.route_of({"offer_id": "3"})
    assert [each for each in (1, 2, 3, 5, 6, 4_000_000_000) if route.is_connected(each)] == [2, 5, 4_000_000_000]


def test_ruleset_ignores_unknown_kind_of_newer_version() -> None:
    ruleset = Ruleset()
    ruleset.apply("oracle", "1", b"\x80")
    assert ruleset.platform == RulesetPlatform()


def test_ruleset_offer_with_unknown_redirect_type_is_refused(caplog: pytest.LogCaptureFixture) -> None:
    ruleset = make_ruleset([make_offer()])
    kind, key, payload = entry_of(make_offer())
    row = msgspec.msgpack.decode(payload)
    row["redirect_type"] = "teleport"
    ruleset.apply(kind, key, msgspec.msgpack.encode(row))
    assert ruleset.find_offer("3") is None
    assert "ruleset row not compiled" in caplog.text
