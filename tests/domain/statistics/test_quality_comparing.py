"""What differs from the traffic of others beyond chance."""

from dataclasses import replace

import pytest

from trackyard.domain.statistics.quality.comparing import (
    DeviceSums,
    OfferTraffic,
    QualityKind,
    SubClicks,
    TrafficSums,
    find_quality_findings,
)

DEVICES = {"mobile": DeviceSums(3000, 120), "desktop": DeviceSums(2000, 80)}
FINE = TrafficSums(clicks=5000, marked=150, conversions=200, quick=0, late=12, repeated=6, devices=DEVICES)
KINDS = QualityKind


def kinds_of(sums: TrafficSums, others: int = 4) -> list[QualityKind]:
    traffic = OfferTraffic(1, {7: sums} | dict.fromkeys(range(10, 10 + others), FINE))
    return [each.kind for each in find_quality_findings([traffic]) if each.affiliate == 7]


@pytest.mark.parametrize(
    ("changed", "kinds"),
    [
        ({}, []),
        ({"marked": 900}, []),
        ({"marked": 2500}, [KINDS.MARKED_CLICKS]),
        ({"quick": 30}, [KINDS.QUICK_CONVERSIONS]),
        ({"late": 100}, [KINDS.LATE_CONVERSIONS]),
        ({"late": 20}, []),
        ({"repeated": 90}, [KINDS.REPEATED_ADDRESSES]),
        ({"devices": {"mobile": DeviceSums(3000, 0), "desktop": DeviceSums(2000, 200)}}, []),
        ({"devices": {"mobile": DeviceSums(4900, 20), "desktop": DeviceSums(100, 180)}}, [KINDS.OTHER_DEVICES]),
        (
            {"clicks": 90_000, "conversions": 190, "devices": {"mobile": DeviceSums(90_000, 190)}},
            [KINDS.FEW_CONVERSIONS],
        ),
    ],
)
def test_quality_finding_needs_a_difference_beyond_chance(changed: dict[str, object], kinds: list[str]) -> None:
    assert kinds_of(replace(FINE, **changed)) == kinds  # type: ignore[arg-type]


@pytest.mark.parametrize(("marked", "clicks", "found"), [(250, 500, True), (60, 500, False), (200, 290, False)])
def test_quality_of_a_sub_needs_many_marked_clicks(marked: int, clicks: int, found: bool) -> None:
    traffic = OfferTraffic(1, {7: FINE, 8: FINE})
    kinds = [each.kind for each in find_quality_findings([traffic], [SubClicks(1, 7, "bad", clicks, marked)])]
    assert kinds == ([KINDS.MARKED_SUB] if found else [])


def test_quality_of_little_traffic_and_without_others_is_not_judged() -> None:
    tiny = TrafficSums(40, 40, 3, 3, 3, 3, {"mobile": DeviceSums(40, 3)})
    assert kinds_of(tiny) == []
    assert kinds_of(replace(FINE, conversions=1, quick=1), others=1) == [], "one other is not a measure"


def test_quality_of_two_affiliates_of_one_kind_is_found_for_both() -> None:
    late = replace(FINE, conversions=90, late=50)
    traffic = OfferTraffic(1, {7: late, 8: replace(late, late=48), 10: replace(FINE, conversions=110, late=6)})
    found = [(each.affiliate, each.kind) for each in find_quality_findings([traffic])]
    assert found == [(7, KINDS.LATE_CONVERSIONS), (8, KINDS.LATE_CONVERSIONS)]


def test_quality_compares_with_the_sum_of_many_small_affiliates() -> None:
    small = TrafficSums(20, 0, 1, 0, 0, 0, {"mobile": DeviceSums(20, 1)})
    many = dict.fromkeys(range(100, 300), small)
    quick = replace(FINE, quick=60)
    found = find_quality_findings([OfferTraffic(1, {7: quick, **many})])
    assert [(each.affiliate, each.kind) for each in found] == [(7, KINDS.QUICK_CONVERSIONS)]
    few = dict(list(many.items())[:99])
    assert find_quality_findings([OfferTraffic(1, {7: quick, **few})]) == [], (
        "99 conversions of others are not a measure"
    )


def test_quality_of_one_affiliate_is_that_among_all() -> None:
    bad = replace(FINE, quick=60, late=100)
    traffic = [OfferTraffic(offer, {7: bad, 8: bad} | dict.fromkeys(range(10, 14), FINE)) for offer in (1, 2)]
    subs = [SubClicks(offer, affiliate, "bad", 500, 250) for offer in (1, 2) for affiliate in (7, 10)]
    among_all = find_quality_findings(traffic, subs)
    for affiliate in (7, 10):
        own = [each for each in among_all if each.affiliate == affiliate]
        assert own and find_quality_findings(traffic, subs, only=affiliate) == own
