"""The characters of the demonstration: what is wrong shows in what they send."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cache
from typing import Any
from urllib.parse import urlencode

import pytest

from trackyard.commands.demo.cast import Cast, CastTraffic, cast_steps, make_cast
from trackyard.commands.demo.characters import CHARACTERS, DEAD_SUB, FAULTS, FLOODED, OFFERS, Truth, culprit_of
from trackyard.commands.demo.traffic import TrackingRequest
from trackyard.domain.statistics.automation.judging import judge
from trackyard.domain.statistics.automation.measures import Key, Measures
from trackyard.domain.statistics.automation.rules import Rule, RuleCondition
from trackyard.domain.statistics.quality.comparing import (
    LATE_MS,
    QUICK_MS,
    DeviceSums,
    OfferTraffic,
    TrafficSums,
    find_quality_findings,
)

DAY_MS = 86_400_000
BEGIN = 1_790_000_000_000 - 1_790_000_000_000 % DAY_MS
DAYS, WRONG_DAY = 11, 3


class NumberingApi:
    """Answers each request with new ids."""

    def __init__(self) -> None:
        self.posts: list[tuple[str, dict[str, Any]]] = []

    def post(self, path: str, params: dict[str, Any]) -> dict[str, Any]:
        self.posts.append((path, params))
        record = {"id": len(self.posts), "hash_password": None}
        return dict.fromkeys(("advertiser", "offer", "partner", "rule"), record)


@dataclass
class SentByCast:
    """What the characters of a demonstration sent. postbacks: by click; lost: that name no click."""

    clicks: dict[str, TrackingRequest] = field(default_factory=dict)
    postbacks: dict[str, TrackingRequest] = field(default_factory=dict)
    lost: list[TrackingRequest] = field(default_factory=list)

    def take(self, request: TrackingRequest) -> str:
        if request.path == "/click":
            click_id = f"{len(self.clicks):024x}"
            self.clicks[click_id] = request
            return f"https://shop.example/x?{urlencode({'click': click_id, 'offer': request.query['offer_id']})}"
        whole = "{" not in "".join(request.query.values())
        if whole:
            self.postbacks[request.query["clickid"]] = request
        else:
            self.lost.append(request)
        return ""


@cache
def cast() -> Cast:
    return make_cast(NumberingApi(), lambda: None, demo=True)


@cache
def sent(*, wrong: bool) -> SentByCast:
    """The requests of eleven days; what is wrong begins on the fourth."""
    seen = SentByCast()
    faults_at = BEGIN + WRONG_DAY * DAY_MS if wrong else None
    traffic = CastTraffic(cast(), "1", 1.0, BEGIN, faults_at, demo=True)
    times = list(traffic.send(BEGIN, BEGIN + DAYS * DAY_MS, seen.take))
    assert times == sorted(times)
    return seen


def key_of(ids: Any, number: str) -> str:
    return str(next(key for key, found in ids.items() if str(found) == number))


def each_click(seen: SentByCast, since: int) -> Iterator[tuple[str, str, TrackingRequest, TrackingRequest | None]]:
    """Offer, affiliate, click and its postback."""
    for click_id, click in seen.clicks.items():
        if click.at >= since:
            offer, affiliate = (
                key_of(cast().offers, click.query["offer_id"]),
                key_of(cast().affiliates, click.query["pid"]),
            )
            yield offer, affiliate, click, seen.postbacks.get(click_id)


def traffic_of(seen: SentByCast) -> list[OfferTraffic]:
    """The sums of the last seven days, as the analytic store has them."""
    sums: dict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    for offer, affiliate, click, postback in each_click(seen, BEGIN + 4 * DAY_MS):
        device = "mobile" if "Mobile" in click.ua else "desktop"
        took = postback.at - click.at if postback else 0
        sums[offer, affiliate].update({
            "clicks": 1, "marked": int("Headless" in click.ua), "conversions": int(postback is not None),
            "quick": int(0 < took < QUICK_MS), "late": int(took > LATE_MS), f"{device} clicks": 1,
            f"{device} conversions": int(postback is not None),
        })  # fmt: skip
    return [
        OfferTraffic(number, {
            cast().affiliates[affiliate]: sums_of(found) for (of, affiliate), found in sums.items() if of == offer
        })
        for offer, number in cast().offers.items()
    ]  # fmt: skip


def sums_of(found: Counter[str]) -> TrafficSums:
    devices = {
        name: DeviceSums(found[f"{name} clicks"], found[f"{name} conversions"]) for name in ("mobile", "desktop")
    }
    clicks, marked, conversions, quick, late = (
        found[name] for name in ("clicks", "marked", "conversions", "quick", "late")
    )
    return TrafficSums(clicks, marked, conversions, quick, late, devices=devices)


def test_characters_flooder_and_stuffer_are_found_and_honest_ones_are_not() -> None:
    found = {
        (key_of(cast().affiliates, f"{each.affiliate}")) for each in find_quality_findings(traffic_of(sent(wrong=True)))
    }
    assert found == {"flooder", "stuffer"}
    assert find_quality_findings(traffic_of(sent(wrong=False))) == []


def test_characters_advertiser_that_shaves_and_sub_that_dies_meet_a_rule() -> None:
    rates: dict[bool, dict[Key, Measures]] = {True: {}, False: {}}
    for wrong, found in rates.items():
        for offer, affiliate, click, postback in each_click(sent(wrong=wrong), BEGIN + 4 * DAY_MS):
            key: Key = (offer, affiliate, click.query["sub1"])
            more = Measures(clicks=1, conversions=int(postback is not None))
            found[key] = found.get(key, Measures()).plus(more)
    less = RuleCondition("cr", True, Decimal(80), is_usual=True)
    dead = Rule(id="1", title="", each=("offer", "affiliate", "sub1"), minimum=60, conditions=(less,))
    keys = [verdict.key for verdict in judge(dead, rates[True], [rates[False]] * 4)]
    assert DEAD_SUB in keys
    assert Truth.HONEST not in {culprit_of(*map(str, key)) for key in keys}
    shaved = Counter(offer for offer, *_, postback in each_click(sent(wrong=True), BEGIN + 4 * DAY_MS) if postback)
    whole = Counter(offer for offer, *_, postback in each_click(sent(wrong=False), BEGIN + 4 * DAY_MS) if postback)
    assert 0.2 < shaved["trial"] / whole["trial"] < 0.4


def test_characters_broken_integration_sends_names_of_macros() -> None:
    lost = sent(wrong=True).lost
    assert min(each.at for each in lost) >= BEGIN + WRONG_DAY * DAY_MS
    assert {each.query.get("sum", each.query["clickid"]) for each in lost} == {"{payout}", "{clickid}"}
    assert sent(wrong=False).lost == []


def test_characters_are_made_with_rules_that_are_on() -> None:
    api, steps = NumberingApi(), list[None]()
    made = make_cast(api, lambda: steps.append(None), demo=True)
    assert len(steps) == len(api.posts) == cast_steps(demo=True)
    assert [form["is_on"] for path, form in api.posts if path == "/3.1/admin/rules"] == [1] * len(made.rules)
    assert all(
        form["url"].startswith("https://shop.example/") for path, form in api.posts if path == "/3.1/admin/offer"
    )


@pytest.mark.parametrize(
    ("subject", "truth"),
    [
        ((FLOODED, "flooder"), Truth.FLOODER), (("", "stuffer"), Truth.STUFFER), (DEAD_SUB, Truth.DYING_SUB),
        ((FLOODED, "steady"), Truth.HONEST), (("", "steady"), Truth.HONEST), (("trial",), Truth.SHAVER),
        (("quote", "phones"), Truth.BROKEN), (("garden",), Truth.HONEST),
    ],
)  # fmt: skip
def test_finding_about_a_character_names_what_is_wrong(subject: tuple[str, ...], truth: Truth) -> None:
    assert culprit_of(*subject) is truth


def test_characters_have_every_fault_once() -> None:
    wrong = [each.truth for each in (*CHARACTERS, *OFFERS) if each.truth is not Truth.HONEST]
    assert sorted(wrong) == sorted(FAULTS)
