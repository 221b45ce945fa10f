"""The URL of an accepted click: a landing, a targeting group's, the offer's."""

from collections import Counter
from typing import Any

import msgspec
import pytest

from tests.decision.clicks import GOOD, build_hit, make_hit
from trackyard.decision.target.url import chosen_url
from trackyard.domain.offers.offers import AllowDeny, TargetingGroup, WeightedUrl
from trackyard.domain.tracking.ruleset import RulesetLanding

OWN = "http://shop.example/?c={clickid}"
HERE = TargetingGroup(country=AllowDeny(allow=("EE",)), url="http://here.example/")
ELSEWHERE = TargetingGroup(country=AllowDeny(allow=("LV",)), url="http://elsewhere.example/")
ANYWHERE = TargetingGroup(url="http://anywhere.example/")
MINE = msgspec.structs.replace(ANYWHERE, affiliate_id=(7,), url="http://mine.example/")


def _weighted(*pairs: tuple[str, int], url: str = "") -> TargetingGroup:
    return TargetingGroup(url=url, urls=tuple(WeightedUrl(url=each, weight=weight) for each, weight in pairs))


@pytest.mark.parametrize(
    ("groups", "url"),
    [
        ((), OWN),
        ((HERE,), "http://here.example/"),
        ((ELSEWHERE, HERE, ANYWHERE), "http://here.example/"),
        ((ELSEWHERE, ANYWHERE, HERE), "http://anywhere.example/"),
        ((TargetingGroup(), HERE), OWN),
        ((HERE, MINE), "http://mine.example/"),
        ((_weighted(("http://all.example/", 100)),), "http://all.example/"),
        ((_weighted(("http://none.example/", 0)),), OWN),
        ((_weighted(("http://none.example/", 0), url="http://rest.example/"),), "http://rest.example/"),
    ],
)
def test_accepted_url_is_that_of_matching_targeting_group(groups: tuple[TargetingGroup, ...], url: str) -> None:
    assert chosen_url(*make_hit(restrictions={"groups": groups})[:2]) == url


def test_accepted_url_prefers_landing_over_targeting_group() -> None:
    offer = {"landings": (RulesetLanding(4, "http://landing.example/"),)}
    restrictions = {"groups": (HERE,)}
    assert chosen_url(*make_hit({"l": "4"}, offer=offer, restrictions=restrictions)[:2]) == "http://landing.example/"
    assert chosen_url(*make_hit({"l": "5"}, offer=offer, restrictions=restrictions)[:2]) == "http://here.example/"


def test_accepted_url_weights_are_shares_with_rest_to_offer() -> None:
    group = _weighted(("http://a.example/", 60), ("http://b.example/", 30))
    click = make_hit(restrictions={"groups": (group,)})
    counts: Counter[str] = Counter()
    for number in range(4000):
        hit = build_hit(click.ruleset, GOOD, ip=f"198.51.{number // 250}.{number % 250}")
        counts[chosen_url(hit, click.route)] += 1
    # 4000 draws: the standard deviation of the largest share is 31, of the smallest 19. The draws are always the same.
    assert abs(counts["http://a.example/"] - 2400) < 124
    assert abs(counts["http://b.example/"] - 1200) < 116
    assert abs(counts[OWN] - 400) < 76


def test_accepted_url_is_stable_per_visitor() -> None:
    urls = [(f"http://{number}.example/", 1) for number in range(100)]

    def chosen(**changed: Any) -> str:
        return chosen_url(*make_hit(restrictions={"groups": (_weighted(*urls),)}, **changed)[:2])

    first = chosen()
    assert first == chosen(params={"sub1": "x"}) == chosen(now=1_800_000_000_000)
    others = [{"ip": "192.0.2.10"}, {"ua": "another agent"}, {"offer": {"id": 4}, "params": {"offer_id": "4"}}]
    assert all(chosen(**other) != first for other in others)
