"""Compare the traffic of affiliates on an offer (docs/spec/quality.md#findings). Pure."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Final

from trackyard.domain.statistics.automation.chances import chance_at_least, chance_at_most

RAREST_CHANCE: Final = 1e-6
"""What is more likely than this by chance is not a finding."""
LEAST_CLICKS: Final = 300
LEAST_CONVERSIONS: Final = 20
LEAST_SHARE: Final = LEAST_CONVERSIONS // 2
"""Conversions from which on a share of them counts."""
LEAST_OTHERS: Final = 100
"""Conversions of others from which on their times and devices are a measure."""
MARKED_PERCENT: Final = 20
REPEATED_PERCENT: Final = 20
RARE_FACTOR: Final = 5
"""Clicks convert so many times less often than other affiliates' clicks."""
TIMES_FACTOR: Final = 3
"""A share of conversions by time, or by device, is so many times the share of others."""
QUICK_MS: Final = 10_000
"""From the click to the conversion; less needs no person (docs/spec/quality.md#thresholds)."""
LATE_MS: Final = 24 * 3_600_000
LATE_PERCENT: Final = 6
"""Of conversions that come later than that, at least, of ordinary traffic (docs/spec/quality.md#thresholds)."""


_COUNTS: Final = ("clicks", "marked", "conversions", "quick", "late", "repeated")


class QualityKind(StrEnum):
    """A kind of finding about the quality of traffic."""

    MARKED_CLICKS = "marked_clicks"
    MARKED_SUB = "marked_sub"
    FEW_CONVERSIONS = "few_conversions"
    QUICK_CONVERSIONS = "quick_conversions"
    LATE_CONVERSIONS = "late_conversions"
    OTHER_DEVICES = "other_devices"
    REPEATED_ADDRESSES = "repeated_addresses"


@dataclass(frozen=True, slots=True)
class DeviceSums:
    """Clicks and conversions of one type of device."""

    clicks: int = 0
    conversions: int = 0


@dataclass(frozen=True, slots=True)
class TrafficSums:
    """The accepted clicks and the conversions of an affiliate on an offer in a period.

    marked: clicks with a suspicious signal.
    quick, late: conversions within QUICK_MS, and after LATE_MS.
    repeated: conversions from an address that had converted before.
    """

    clicks: int = 0
    marked: int = 0
    conversions: int = 0
    quick: int = 0
    late: int = 0
    repeated: int = 0
    devices: Mapping[str, DeviceSums] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class SubClicks:
    """The accepted clicks of an affiliate's sub on an offer. marked: clicks with a suspicious signal."""

    offer: int
    affiliate: int
    sub: str
    clicks: int
    marked: int


@dataclass(frozen=True, slots=True)
class OfferTraffic:
    """The traffic of an offer by affiliate."""

    offer: int
    affiliates: Mapping[int, TrafficSums]


@dataclass(frozen=True, slots=True)
class OtherTraffic:
    """The traffic of all affiliates of an offer but one.

    whole: its sums. large: of each affiliate with enough clicks or conversions to be a measure by itself.
    """

    whole: TrafficSums
    large: Sequence[TrafficSums]


@dataclass(frozen=True, slots=True)
class QualityFinding:
    """A difference, beyond chance, between an affiliate's traffic on an offer and the traffic of others.

    number, of: the count, and the total it is part of. usual: the percentage for others.
    name: the name of a device or a sub, "" for other kinds.
    """

    kind: QualityKind
    offer: int
    affiliate: int
    number: int
    of: int
    usual: float
    chance: float
    name: str = ""


def find_quality_findings(
    traffic: Sequence[OfferTraffic], subs: Sequence[SubClicks] = (), only: int | None = None
) -> list[QualityFinding]:
    """Return the differences, by offer and affiliate.

    subs: subs with many marked clicks. only: the judged affiliate, None = each.
    """
    found = [
        finding
        for offer in traffic
        for affiliate, sums, others in _each_judged(offer, only)
        for finding in _judged(offer, affiliate, sums, others)
    ]
    marked = {(each.offer, each.affiliate) for each in found if each.kind is QualityKind.MARKED_CLICKS}
    return found + [
        finding
        for offer in traffic
        for sub in subs
        if sub.offer == offer.offer and only in (None, sub.affiliate) and (sub.offer, sub.affiliate) not in marked
        for finding in _judged_sub(offer, sub)
    ]


def _judged_sub(offer: OfferTraffic, sub: SubClicks) -> Iterator[QualityFinding]:
    """Compare a sub with all other clicks on the offer."""
    clicks = sum(each.clicks for each in offer.affiliates.values()) - sub.clicks
    others = sum(each.marked for each in offer.affiliates.values()) - sub.marked
    found = _found_marked(sub.marked, sub.clicks, _share(others, clicks)) if clicks > 0 else None
    if found is not None and found[1] <= RAREST_CHANCE:
        usual, chance = found
        kind = QualityKind.MARKED_SUB
        yield QualityFinding(kind, offer.offer, sub.affiliate, sub.marked, sub.clicks, 100 * usual, chance, sub.sub)


def _found_marked(marked: int, clicks: int, share: float) -> tuple[float, float] | None:
    """Return the usual share and the chance of so many marked clicks, None = they are not many.

    share: the share of marked clicks in the clicks of others.
    """
    usual = max(share, MARKED_PERCENT / 200)
    is_much = clicks >= LEAST_CLICKS and 100 * marked >= MARKED_PERCENT * clicks and marked >= 2 * usual * clicks
    return (usual, chance_at_least(marked, clicks, usual)) if is_much else None


def _each_judged(offer: OfferTraffic, only: int | None) -> Iterator[tuple[int, TrafficSums, OtherTraffic]]:
    """Yield the affiliates with enough traffic, each with the traffic of the others.

    The sums are made once: an offer may have thousands of affiliates.
    """
    whole = _sum_of(offer.affiliates.values())
    large = [each for each in offer.affiliates.items() if _is_measure(each[1])]
    for affiliate, sums in sorted(large, key=lambda each: each[0]):
        if only in (None, affiliate) and (sums.clicks >= LEAST_CLICKS or sums.conversions >= LEAST_CONVERSIONS):
            others = [each for key, each in large if key != affiliate]
            yield affiliate, sums, OtherTraffic(_difference(whole, sums), others)


def _is_measure(sums: TrafficSums) -> bool:
    return sums.clicks >= LEAST_CLICKS or sums.conversions >= LEAST_SHARE


def _sum_of(traffic: Iterable[TrafficSums]) -> TrafficSums:
    """Return the sums of affiliates together."""
    listed = list(traffic)
    devices: dict[str, list[DeviceSums]] = defaultdict(list)
    for each in listed:
        for name, device in each.devices.items():
            devices[name].append(device)
    return TrafficSums(
        **{name: sum(getattr(each, name) for each in listed) for name in _COUNTS},
        devices={
            name: DeviceSums(sum(each.clicks for each in of_device), sum(each.conversions for each in of_device))
            for name, of_device in devices.items()
        },
    )


def _difference(whole: TrafficSums, part: TrafficSums) -> TrafficSums:
    """Return the sums of what is not in a part."""
    devices = dict(whole.devices)
    for name, own in part.devices.items():
        devices[name] = DeviceSums(devices[name].clicks - own.clicks, devices[name].conversions - own.conversions)
    return TrafficSums(**{name: getattr(whole, name) - getattr(part, name) for name in _COUNTS}, devices=devices)


def _judged(offer: OfferTraffic, affiliate: int, sums: TrafficSums, others: OtherTraffic) -> Iterator[QualityFinding]:
    found = [
        *_of_clicks(sums, others),
        *_of_times(sums, others),
        *_of_devices(sums, others),
        *_of_addresses(sums, others),
    ]
    for kind, number, of, share, chance, name in found:
        if chance <= RAREST_CHANCE:
            yield QualityFinding(kind, offer.offer, affiliate, number, of, 100 * share, chance, name)


_Found = tuple[QualityKind, int, int, float, float, str]


def _of_clicks(sums: TrafficSums, others: OtherTraffic) -> Iterator[_Found]:
    if sums.clicks < LEAST_CLICKS:
        return
    found = _found_marked(sums.marked, sums.clicks, _share(others.whole.marked, others.whole.clicks))
    if found is not None:
        yield QualityKind.MARKED_CLICKS, sums.marked, sums.clicks, *found, ""
    rate = _usual_rate(sums, others)
    if rate and RARE_FACTOR * sums.conversions <= rate * sums.clicks:
        chance = chance_at_most(sums.conversions, sums.clicks, rate / 2)
        yield QualityKind.FEW_CONVERSIONS, sums.conversions, sums.clicks, rate, chance, ""


def _usual_rate(sums: TrafficSums, others: OtherTraffic) -> float:
    """Return the share of clicks that convert for others on the devices of an affiliate; 0 = not known.

    It is the rate of the affiliate in the middle, so that a single one does not set it.
    """
    rates = sorted(
        rate
        for each in others.large
        if each.clicks >= LEAST_CLICKS and each.conversions and (rate := _weighted_rate(sums, each)) is not None
    )
    enough = others.whole.conversions >= LEAST_OTHERS and len(rates) >= 2
    return rates[(len(rates) - 1) // 2] if enough else 0.0


def _weighted_rate(sums: TrafficSums, other: TrafficSums) -> float | None:
    """Return the conversions per click of another affiliate if it had the devices of this one."""
    expected, known = 0.0, 0
    for name, device in sums.devices.items():
        found = other.devices.get(name)
        if found is not None and found.clicks:
            expected += device.clicks * found.conversions / found.clicks
            known += device.clicks
    return expected / known if 2 * known >= sums.clicks and known else None


def _of_times(sums: TrafficSums, others: OtherTraffic) -> Iterator[_Found]:
    of_all, large = others.whole, others.large
    if sums.conversions < LEAST_CONVERSIONS or of_all.conversions < LEAST_OTHERS:
        return
    for kind, number, of_others, parts in (
        (QualityKind.QUICK_CONVERSIONS, sums.quick, of_all.quick, [(each.quick, each.conversions) for each in large]),
        (QualityKind.LATE_CONVERSIONS, sums.late, of_all.late, [(each.late, each.conversions) for each in large]),
    ):
        part, whole = _without_highest(of_others, of_all.conversions, parts)
        usual = max(_share(part + 1, whole + 2), LATE_PERCENT / 100 if kind is QualityKind.LATE_CONVERSIONS else 0)
        if number >= TIMES_FACTOR * usual * sums.conversions and number >= LEAST_SHARE:
            yield kind, number, sums.conversions, usual, chance_at_least(number, sums.conversions, 1.5 * usual), ""


def _without_highest(part: int, whole: int, parts: Sequence[tuple[int, int]]) -> tuple[int, int]:
    """Return a part and a whole without the highest share of `parts`, the same of single affiliates.

    So a single affiliate does not set what is usual. Where too few conversions would be left, all are in the sums.
    """
    judged = [each for each in parts if each[1] >= LEAST_SHARE]
    highest = max(judged, key=lambda each: each[0] / each[1], default=(0, 0))
    enough = whole - highest[1] >= LEAST_OTHERS
    return (part - highest[0], whole - highest[1]) if enough else (part, whole)


def _of_devices(sums: TrafficSums, others: OtherTraffic) -> Iterator[_Found]:
    """Compare the devices of conversions with the devices of their clicks.

    Clicks of a device may convert at another rate than other clicks: the traffic of others shows the rate.
    """
    if sums.conversions < LEAST_CONVERSIONS or others.whole.conversions < LEAST_OTHERS:
        return
    expected: dict[str, float] = {}
    for name, device in sums.devices.items():
        same = others.whole.devices.get(name, DeviceSums())
        expected[name] = device.clicks * _share(same.conversions + 1, same.clicks + 50)
    whole = sum(expected.values())
    for name, device in sorted(sums.devices.items()):
        usual = _share(expected[name], whole)
        if device.conversions >= TIMES_FACTOR * usual * sums.conversions and device.conversions >= LEAST_SHARE:
            chance = chance_at_least(device.conversions, sums.conversions, min(1.5 * usual, 1.0))
            yield QualityKind.OTHER_DEVICES, device.conversions, sums.conversions, usual, chance, name


def _of_addresses(sums: TrafficSums, others: OtherTraffic) -> Iterator[_Found]:
    if sums.conversions < LEAST_CONVERSIONS or 100 * sums.repeated < REPEATED_PERCENT * sums.conversions:
        return
    usual = max(_share(others.whole.repeated, others.whole.conversions), REPEATED_PERCENT / 400)
    if sums.repeated >= 2 * usual * sums.conversions:
        chance = chance_at_least(sums.repeated, sums.conversions, usual)
        yield QualityKind.REPEATED_ADDRESSES, sums.repeated, sums.conversions, usual, chance, ""


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0
