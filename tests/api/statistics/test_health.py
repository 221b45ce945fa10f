"""Health of offers, advertisers and affiliates: what was seen, and what needs a person."""

from typing import Any

import pytest

from tests.support.api import NOW, Api
from tests.support.models.events import new_click, new_fact
from tests.support.models.history import add_conversion, load_clicks
from tests.support.models.logs import server_row
from trackyard.analytics.load import load
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.people.roles import Role
from trackyard.domain.statistics.health import (
    ConversionTimes,
    DeclinedCount,
    Health,
    HealthKind,
    HealthVerdict,
    HostResult,
    PostbackResult,
    find_health_findings,
    verdict_of,
)
from trackyard.domain.statistics.rows import AffiliatePostbackLog, encode_row

HOUR_MS = 3_600_000
NOON_BEFORE = NOW - 10 * 24 * HOUR_MS


def attempt_row(number: int, **fields: Any) -> AffiliatePostbackLog:
    numbers = ("time", "postback_id", "offer", "affiliate", "status", "http_code", "attempt", "forced", "version")
    values: dict[str, Any] = dict.fromkeys(AffiliatePostbackLog.__struct_fields__, "")
    values |= dict.fromkeys((*numbers, "started_at", "milliseconds"), 0)
    return AffiliatePostbackLog(**(values | {"id": f"{number:024x}", "time": NOW - HOUR_MS} | fields))


@pytest.fixture
def seen(api: Api) -> dict[str, Any]:
    """An offer with rejected clicks, failing postbacks and a failing host."""
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    pid, _ = api.add_affiliate()
    own = {"offer": offer, "affiliate": pid, "advertiser": advertiser}
    reasons = ["overcap"] * 80 + ["mistargeting-os"] * 5 + [""] * 40 + ["not-counted"] * 3
    clicks = [new_click(n, time=NOW - HOUR_MS, reason=reason, **own) for n, reason in enumerate(reasons)]
    load_clicks(api.deps, clicks)
    of = {"offer_id": offer, "affiliate_id": pid, "advertiser_id": advertiser, "created_at": NOW - HOUR_MS}
    add_conversion(api.deps, 1, status=Status.DECLINED, comment="Payments not found", goal="bonus", **of)
    rows = [server_row(n, query="status=1&sum=%7Bpayout%7D", response="Wrong sum", **own) for n in range(1, 5)]
    rows += [server_row(5, **own), server_row(6, method="EDIT", response="Wrong sum", **own)]
    rows += [server_row(7, revision=n, response="" if n else "waiting", **own) for n in range(2)]
    load(api.deps.analytics, "server_log", [encode_row(row) for row in rows], "server")
    attempts = [
        attempt_row(n, url="https://dead.example/p", outcome="failed", error="refused", **own) for n in range(1, 4)
    ]
    attempts.append(attempt_row(9, url="https://fine.example/p", outcome="sent", **own))
    load(api.deps.analytics, "affiliate_log", [encode_row(row) for row in attempts], "attempts")
    return {"offer": offer, "partner": pid, "advertiser": advertiser, "hour_before": "2023-11-14 21:13:20"}


@pytest.mark.parametrize("of", ["offer", "partner", "advertiser"])
def test_health_says_what_was_seen_and_what_is_broken(api: Api, seen: dict[str, Any], of: str) -> None:
    found = api.admin.get(f"/3.1/admin/{of}/{seen[of]}/health")["health"]
    assert found["verdict"] == "broken"
    kinds = [(each["kind"], each["verdict"]) for each in found["findings"]]
    of_postbacks = [("macros", "broken"), ("postbacks_fail", "broken")], [("goals", "look")]
    before, after = ([], []) if of == "partner" else of_postbacks  # advertisers send them
    assert kinds == [*before, ("deliveries_fail", "broken"), ("rejected", "look"), *after]
    rejected = [(each["reason"], each["clicks"]) for each in found["rejected"]]
    assert (found["clicks"], rejected) == (40, [("overcap", 80), ("mistargeting-os", 5)])
    assert (found["last_click_at"], found["last_postback_at"]) == (seen["hour_before"], seen["hour_before"])
    assert found["literal_macros"] == ["payout"]
    assert [(each["response"], each["number"]) for each in found["postbacks"]] == [("Wrong sum", 4), ("", 2)]
    assert found["last_failed_postback"]["response"] == "Wrong sum"
    assert found["declined"] == [{"reason": "Payments not found", "goal": "bonus", "number": 1}]
    assert [(each["host"], each["sent"], each["failed"]) for each in found["deliveries"]] == [
        ("dead.example", 0, 3), ("fine.example", 1, 0),
    ]  # fmt: skip
    assert of == "partner" or found["findings"][1]["evidence"].startswith("/admin/explain?id=")


def test_health_shows_nothing_of_others(api: Api, seen: dict[str, Any]) -> None:
    _, manager = api.add_staff(Role.MANAGER_SALES)
    for of in ("offer", "advertiser"):
        assert manager.call("GET", f"/3.1/admin/{of}/{seen[of]}/health").status_code == 404
    found = manager.get(f"/3.1/admin/partner/{seen['partner']}/health")["health"]
    assert (found["clicks"], found["rejected"], found["postbacks"], found["declined"]) == (0, [], [], [])


def test_health_without_traffic_is_quiet(api: Api) -> None:
    found = api.admin.get(f"/3.1/admin/offer/{api.add_offer()}/health")["health"]
    assert (found["verdict"], found["last_click_at"], found["last_postback_at"]) == ("quiet", None, None)


def health(**fields: Any) -> Health:
    values: dict[str, Any] = {"since": 0, "until": 7 * 86_400_000, "clicks": 500, "last_click_at": 1}
    return Health(**(values | fields))


def test_health_of_honest_traffic_has_no_finding() -> None:
    fine = health(
        rejected={"overcap": 20},
        postbacks=[PostbackResult("", 30, 6 * 86_400_000 + 1, "a"), PostbackResult("Conversion exists", 5, 9, "b")],
        hosts=[HostResult("a.example", 20, 2, 5, "timeout")],
        declined=[DeclinedCount("IP duplicate", "1", 3)],
    )
    assert find_health_findings(fine) == []
    assert verdict_of([]) is HealthVerdict.FINE


def test_health_names_postbacks_that_stopped_and_not_missing_ones() -> None:
    silent = health(postbacks=[PostbackResult("", 50, 5 * 86_400_000, "a")])
    rare = health(postbacks=[PostbackResult("", 5, 5 * 86_400_000, "a")])  # two days without one are usual
    assert find_health_findings(rare) == []
    assert [each.kind for each in find_health_findings(silent)] == [HealthKind.POSTBACKS_SILENT]
    assert find_health_findings(health()) == []


def test_health_of_an_affiliate_has_no_finding_about_postbacks_of_advertisers() -> None:
    results = [PostbackResult("Wrong sum", 50, 5 * 86_400_000, "a", ("payout",))]
    declined = [DeclinedCount("Payments not found", "bonus", 3)]
    kinds = [each.kind for each in find_health_findings(health(postbacks=results, declined=declined, of="offer"))]
    assert kinds == ["macros", "postbacks_fail", "goals", "postbacks_silent"]
    assert find_health_findings(health(postbacks=results, declined=declined, of="affiliate")) == []


def test_health_names_times_that_are_not_usual(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    own = {"offer": offer, "advertiser": advertiser}

    def took(first: int, count: int, at: int, seconds: int) -> list[bytes]:
        times = [(at - n, seconds * 1000 + n) for n in range(count)]
        return [
            encode_row(new_fact(first + n, time=time, click_time=time - ms, **own))
            for n, (time, ms) in enumerate(times)
        ]

    load(api.deps.analytics, "fact", took(1, 100, NOON_BEFORE, 600), "before")
    load(api.deps.analytics, "fact", took(200, 29, NOW - HOUR_MS, 5), "now")
    path = f"/3.1/admin/offer/{offer}/health"
    found = api.admin.get(path)["health"]
    assert [each["kind"] for each in found["findings"]] == ["no_traffic"]
    load(api.deps.analytics, "fact", took(300, 1, NOW - HOUR_MS + 1, 5), "more")
    found = api.admin.get(path)["health"]
    assert found["findings"][0]["kind"] == "conversion_time"
    assert found["findings"][0]["evidence"] == f"/admin/explain?id={300:024x}"
    spread = found["conversion_times"].pop("spread")
    assert {(each["seconds"], each["below"]): each["conversions"] for each in spread if each["conversions"]} == {
        (3, 10): 30,
        (600, 1800): 100,
    }
    assert (len(spread), spread[0]["seconds"], spread[-1]["below"]) == (16, 0, None)
    assert found["conversion_times"] == {
        "conversions": 30, "median": 5, "usual_conversions": 100, "usual_median": 600, "usual_low": 600,
        "usual_high": 600,
    }  # fmt: skip


@pytest.mark.parametrize(("median", "is_unusual"), [(99, True), (100, False), (900, False), (901, True)])
def test_time_is_unusual_outside_eight_of_ten(median: int, is_unusual: bool) -> None:
    times = ConversionTimes(number=30, median=median, usual_number=100, usual_median=500, usual_low=100, usual_high=900)
    assert times.is_unusual is is_unusual


def test_health_counts_postbacks_without_a_click(api: Api) -> None:
    advertiser = api.add_advertiser()
    offer = api.add_offer(advertiser=advertiser)
    own = {"offer": offer, "advertiser": advertiser}
    unknown = [server_row(n, response="Broken clickid", time=NOW - HOUR_MS + n, **own) for n in range(1, 4)]
    missing = server_row(4, response="Missing mandatory parameter clickid", time=NOW - 1000, advertiser=advertiser)
    rejected = server_row(5, response="Broken clickid", affiliate=7, **own)  # its click is recorded
    waits = server_row(6, response="waiting", **own)
    rows = [*unknown, missing, rejected, waits]
    load(api.deps.analytics, "server_log", [encode_row(row) for row in rows], "server")

    def shown(of: str, key: Any) -> tuple[list[tuple[str, int, str]], list[tuple[str, str, str]]]:
        found = api.admin.get(f"/3.1/admin/{of}/{key}/health")["health"]
        counted = [(each["response"], each["number"], each["last_id"]) for each in found["postbacks_without_click"]]
        return counted, [(each["kind"], each["verdict"], each["evidence"]) for each in found["findings"][:1]]

    broken = ("Broken clickid", 3, f"{3:024x}")
    path = "/admin/explain?id="
    assert shown("offer", offer) == ([broken], [("postbacks_without_click", "broken", f"{path}{3:024x}")])
    assert shown("advertiser", advertiser) == (
        [broken, ("Missing mandatory parameter clickid", 1, f"{4:024x}")],
        [("postbacks_without_click", "broken", f"{path}{4:024x}")],
    )
    assert shown("offer", api.add_offer())[0] == []


def test_postbacks_without_a_click_are_a_finding_from_a_tenth_on() -> None:
    now = 7 * 86_400_000

    def found(clickless: int, number: int) -> list[tuple[str, str]]:
        results = [PostbackResult("", number - clickless, now, "a")]
        results.append(PostbackResult("Broken clickid", clickless, now, "b", (), clickless, now, "b"))
        return [(each.kind, each.verdict) for each in find_health_findings(health(postbacks=results))]

    kind = HealthKind.POSTBACKS_WITHOUT_CLICK
    assert (found(3, 30), found(3, 31), found(2, 4)) == ([(kind, "look")], [], [])
    assert found(15, 30) == [(kind, "broken")], "and postbacks_fail does not say it again"


def test_health_counts_postbacks_and_conversions_that_repeat_others() -> None:
    now = 7 * 86_400_000
    exists, repeated = PostbackResult("Conversion exists", 2, now, "b"), DeclinedCount("Repeated conversion", "1", 2)

    def found(**fields: Any) -> list[tuple[str, str | int]]:
        return [(each.kind, each.values["number"]) for each in find_health_findings(health(**fields))]

    assert found(postbacks=[exists]) == []
    assert found(postbacks=[exists], declined=[repeated]) == [("duplicates", 4)]
    assert found(postbacks=[exists, PostbackResult("", 7, now, "a")], declined=[repeated]) == []
