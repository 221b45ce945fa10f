"""The rules in memory follow what is told of them."""

from tests.support.rules import ADVERTISER, HASH, an_offer, entry_of, rules_of
from trackyard.decision.routes import Rules
from trackyard.domain.tracking.ruleset import Advertiser, Affiliate, Connections, Platform


def test_rows_are_found_by_their_keys() -> None:
    offer = an_offer()
    rules = rules_of([offer, Affiliate(id=7, active=True), Advertiser(id=ADVERTISER), Platform("http://back.example")])
    assert rules.find_offer("3") == rules.find_offer(HASH) == offer
    affiliate = rules.find_affiliate("7")
    assert affiliate is not None
    assert (affiliate.id, affiliate.number, affiliate.active, affiliate.name) == (7, "7", True, "")
    assert rules.find_advertiser(ADVERTISER) == Advertiser(id=ADVERTISER)
    assert rules.platform.trafficback_url == "http://back.example"
    assert (rules.find_offer("4"), rules.find_affiliate("3"), rules.find_advertiser(HASH)) == (None, None, None)


def test_a_change_takes_the_place_of_what_was() -> None:
    rules = rules_of([an_offer()])
    rules.apply(*entry_of(an_offer(hash="c" * 24, title="renamed")))
    found = rules.find_offer("c" * 24)
    assert found is not None
    assert found.title == "renamed"
    assert rules.find_offer(HASH) is None


def test_a_tombstone_removes() -> None:
    rules = rules_of(
        [an_offer(), Affiliate(id=7, active=True), Advertiser(id=ADVERTISER), Platform("http://x.example")]
    )
    rules.apply(*entry_of(Connections(offer=3, affiliates=(7,))))
    for kind, key in (
        ("offer", "3"),
        ("affiliate", "7"),
        ("advertiser", ADVERTISER),
        ("platform", "platform"),
        ("connections", "3"),
    ):
        rules.apply(kind, key, None)
        rules.apply(kind, key, None)
    assert rules.find_offer("3") is None
    assert rules.find_offer(HASH) is None
    assert rules.find_affiliate("7") is None
    assert rules.find_advertiser(ADVERTISER) is None
    assert rules.platform == Platform()
    assert not rules.is_connected(3, 7)


def test_who_was_taken_off_an_offer() -> None:
    rules = rules_of([Connections(offer=3, affiliates=(2,), disconnected=(5, 9))])
    assert [number for number in (2, 5, 7, 9) if rules.is_disconnected(3, number)] == [5, 9]
    rules.apply("connections", "3", None)
    assert not rules.is_disconnected(3, 5)


def test_connections_are_exact() -> None:
    rules = rules_of([Connections(offer=3, affiliates=(2, 5, 4_000_000_000))])
    assert [number for number in (1, 2, 3, 5, 6, 4_000_000_000) if rules.is_connected(3, number)] == [
        2,
        5,
        4_000_000_000,
    ]
    assert not rules.is_connected(4, 2)


def test_a_kind_of_a_newer_program_changes_nothing() -> None:
    rules = Rules()
    rules.apply("oracle", "1", b"\x80")
    assert rules.platform == Platform()
