"""`script/bench watch`: what findings, rules and health find in traffic with a known truth.

Thirty days of a made-up network, with four weeks before them as the usual: honest affiliates of several shapes, and
five things that are wrong from the thirteenth day on. Each day the quality of seven days and the health of each
advertiser are judged, each hour two rules, by the very functions of the program. The traffic is made as sums; the
stores and the edge have no part in it.

precision: of all that was found, the share that is wrong indeed. recall: of what is wrong, the share that was found.
honest_findings: findings about a network in which nothing is wrong, in 30 days. days_until_found: the median."""

import statistics
from collections import Counter
from collections.abc import Iterator, Mapping
from decimal import Decimal
from typing import Final
from zoneinfo import ZoneInfo

from bench.common import options_of, print_figures
from bench.watch_traffic import (
    BEFORE_DAYS,
    BEGIN_MS,
    BROKEN,
    BROKEN_OFFER,
    DAYS,
    DEAD_SUB,
    DYING_SUB,
    FAULT_DAY,
    FAULTS,
    FLOODER,
    RATES,
    SHAVED_OFFER,
    SHAVER,
    STUFFER,
    DaySums,
    Network,
    simulate,
)
from trackyard.domain.statistics.automation.judging import look_back
from trackyard.domain.statistics.automation.measures import NOTHING, Key, Measures
from trackyard.domain.statistics.automation.rules import Rule, RuleCondition
from trackyard.domain.statistics.automation.windows import HOUR_MS
from trackyard.domain.statistics.health import Health, HealthVerdict, PostbackResult, find_health_findings
from trackyard.domain.statistics.quality.comparing import OfferTraffic, find_quality_findings

DAY_MS: Final = 24 * HOUR_MS
_WEEK: Final = 7
_RULES: Final = (
    Rule(id="offer", title="An offer converts less", each=("offer",), hours=24, minimum=500,
         conditions=(RuleCondition("cr", True, Decimal(25), is_usual=True),)),
    Rule(id="sub", title="A sub dies", each=("offer", "affiliate", "sub1"), hours=72, minimum=200,
         conditions=(RuleCondition("cr", True, Decimal(80), is_usual=True),)),
)  # fmt: skip

Found = tuple[str, int]
"""What is wrong, or the honest subject of a finding, and the watched day."""


def watch(network: Network) -> list[Found]:
    """Return all findings of 30 days."""
    return [*_quality(network), *_health(network), *_rules(network)]


def _quality(network: Network) -> Iterator[Found]:
    for day in range(DAYS):
        week = network.days[BEFORE_DAYS + day - _WEEK + 1 : BEFORE_DAYS + day + 1]
        sums: dict[tuple[int, int], DaySums] = {}
        for each in week:
            for key, found in each.items():
                sums[key] = sums.get(key, DaySums()).plus(found)
        for offer in RATES:
            of_offer = {affiliate: found.sums() for (of, affiliate), found in sums.items() if of == offer}
            for finding in find_quality_findings([OfferTraffic(offer, of_offer)]):
                culprit = {201: FLOODER, 202: STUFFER}.get(finding.affiliate, "")
                yield culprit or f"affiliate {finding.affiliate}: {finding.kind.value}", day


def _health(network: Network) -> Iterator[Found]:
    """Judge the postbacks of each advertiser: one that lost them sends `{payout}` as text."""
    for day in range(DAYS):
        days = range(BEFORE_DAYS + day - _WEEK + 1, BEFORE_DAYS + day + 1)
        until = BEGIN_MS + (BEFORE_DAYS + day + 1) * DAY_MS
        for offer in RATES:
            made = [found for at in days for (of, _), found in network.days[at].items() if of == offer]
            lost = sum(network.lost[at][offer] for at in days)
            results = [PostbackResult("", sum(each.conversions for each in made), until - HOUR_MS, "")]
            if lost:
                results.append(PostbackResult("Wrong sum", lost, until - HOUR_MS, "", ("payout",)))
            clicks = sum(each.clicks for each in made)
            seen = Health(
                since=until - _WEEK * DAY_MS, until=until, clicks=clicks, last_click_at=until, postbacks=results
            )
            for finding in find_health_findings(seen):
                if finding.verdict is not HealthVerdict.QUIET:
                    yield BROKEN if offer == BROKEN_OFFER else f"offer {offer}: {finding.kind.value}", day


def _rules(network: Network) -> Iterator[Found]:
    begin = BEGIN_MS + BEFORE_DAYS * DAY_MS
    ends = range(begin + HOUR_MS, begin + DAYS * DAY_MS + 1, HOUR_MS)
    for rule in _RULES:
        places = [("offer", "affiliate", "sub1").index(name) for name in rule.each]
        hours = {hour: _grouped(found, places) for hour, found in network.hours.items()}
        for firing in look_back(rule, hours, ends, ZoneInfo("UTC")):
            yield _culprit(firing.verdict.key), (firing.window.until - 1 - begin) // DAY_MS


def _grouped(found: Mapping[Key, Measures], places: list[int]) -> dict[Key, Measures]:
    grouped: dict[Key, Measures] = {}
    for key, measured in found.items():
        part = tuple(key[place] for place in places)
        grouped[part] = grouped.get(part, NOTHING).plus(measured)
    return grouped


def _culprit(key: Key) -> str:
    """Return what is wrong with an offer, or with a sub of an affiliate on it."""
    if key == DEAD_SUB:
        return DYING_SUB
    if key[1:2] in ((201,), (202,)):
        return FLOODER if key[1] == 201 else STUFFER
    wrong = {SHAVED_OFFER: SHAVER, BROKEN_OFFER: BROKEN}
    if len(key) == 1 and key[0] == 1:
        return FLOODER  # its clicks lower the rate of the whole offer
    return wrong.get(int(key[0]), f"rule: {key}")


def measure(runs: int, seed: int) -> dict[str, object]:
    """Return the figures of several networks."""
    found_in_honest: Counter[str] = Counter()
    true = false = caught = 0
    days: dict[str, list[int]] = {fault: [] for fault in FAULTS}
    wrongly: Counter[str] = Counter()
    for run in range(seed, seed + runs):
        found_in_honest.update(what for what, _ in watch(simulate(run, honest=True)))
        findings = watch(simulate(run))
        for fault in FAULTS:
            late = [day for what, day in findings if what == fault and day >= FAULT_DAY]
            caught += bool(late)
            days[fault] += [min(late) - FAULT_DAY] if late else []
        hits = {what for what, day in findings if what in FAULTS and day >= FAULT_DAY}
        misses = {what for what, day in findings if what not in FAULTS or day < FAULT_DAY}
        true, false = true + len(hits), false + len(misses)
        wrongly.update(misses)
    return {
        "runs": runs,
        "precision": round(true / max(true + false, 1), 3),
        "recall": round(caught / (runs * len(FAULTS)), 3),
        "honest_findings": found_in_honest.total(),
        **{f"days until found: {fault}": statistics.median(found) if found else None for fault, found in days.items()},
        **{f"found wrongly: {what}": number for what, number in (wrongly + found_in_honest).most_common(5)},
    }


def main() -> None:
    """Measure and print."""
    options = options_of(
        "watch", __doc__, runs={"type": int, "default": 3, "help": "networks"}, seed={"type": int, "default": 1}
    )
    print_figures(measure(options.runs, options.seed), options)


if __name__ == "__main__":
    main()
