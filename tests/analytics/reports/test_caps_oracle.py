"""Cap stats of every kind, period and scope in both versions equal plain Python."""

from collections.abc import Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import product
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.analytics.reports.test_reports_match_oracle import OracleSetup, drawn, open_oracle_setup
from tests.support.clicks.traffic import DAY, END, HOUR, DrawnPostback, DrawnTraffic, drawn_traffic
from tests.support.models.oracle_caps import CLOCKS, Cap, CapsOracle
from tests.support.models.report_queries import viewer

pytestmark = pytest.mark.slow

LATELY = (0, HOUR // 2, 5 * HOUR, 20 * HOUR, DAY, 6 * DAY, 40 * DAY)
"""How long before the end the visits are."""
KINDS = ("all", "each", "exact")
CALLERS = ("admin", "affiliate manager", "affiliate 0", "affiliate 1")
STATUSES = (("confirmed", "pending", "hold"), ("confirmed", "declined"), ("hold",))
ZONES = ("UTC", "Asia/Kathmandu", "America/New_York")


def of_late(traffic: DrawnTraffic) -> DrawnTraffic:
    """Return the traffic moved to the last weeks, with postbacks soon after their clicks."""
    end, visits = END + DAY // 2, []
    for place, visit in enumerate(traffic.visits):
        calls = tuple(DrawnPostback(min(call.after, HOUR // 4), call.fields) for call in visit.calls)
        visits.append(replace(visit, at=end - LATELY[place % len(LATELY)] - place * 1000, calls=calls))
    edits = tuple(replace(edit, at=end - 3 * DAY - HOUR) for edit in traffic.edits)
    return DrawnTraffic(tuple(visits), edits, tuple(replace(made, at=end - HOUR // 2) for made in traffic.imports))


@pytest.fixture(scope="module")
def world(migrated_sqlite: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[OracleSetup]:
    [traffic] = drawn(drawn_traffic(90, 120), 1)
    with open_oracle_setup(migrated_sqlite, tmp_path_factory.mktemp("caps"), of_late(traffic)) as made:
        yield made


def each_cap(people: list[int]) -> Iterator[Cap]:
    """Yield caps of every type and period, for every kind of affiliates, goals and countries."""
    number = 0
    for kind, period, affiliates in product(("conversions", "budget", "clicks"), CLOCKS, KINDS):
        for goals, countries in zip(KINDS, (*KINDS[number % 3 :], *KINDS[: number % 3]), strict=True):
            number += 1
            yield {
                "type": kind,
                "period": period,
                "value": Decimal("12.5") * (1 + number % 5) if kind == "budget" else 1 + number % 7,
                "affiliate_type": affiliates,
                "affiliates": people[number % 3 : number % 3 + 1 + number % 2] if affiliates == "exact" else [],
                "goal_type": goals,
                "goals": (["sale"], ["free", "1"])[number % 2] if goals == "exact" else [],
                "country_type": countries,
                "country": (["DE"], ["US", "NP"])[number % 2] if countries == "exact" else [],
            }


def with_caps(world: OracleSetup, place: int) -> CapsOracle:
    """Give an offer caps and return their oracle."""
    people, admin, offer = world.people.affiliates, world.plant.api.admin, world.people.offers[place]
    items = [dict(cap) for cap in each_cap(people)][place::3]
    sent = [{name: value for name, value in cap.items() if value != []} for cap in items]
    limits = [{"partner": people[1], "caps": 2}]
    body = {
        "caps": [cap | {"value": str(cap["value"])} for cap in sent],
        "caps_timezone": ZONES[place],
        "caps_status": list(STATUSES[place]),
        "personal_limits": limits,
    }
    answer = admin.call("POST", f"/3.0/admin/offer/{offer}", json=body)
    assert answer.status_code == 200, answer.text
    own = {"type": "conversions", "period": "day", "value": 2, "affiliate_type": "exact", "affiliates": [people[1]]}
    items.append(own | {"goal_type": "all", "goals": [], "country_type": "all", "country": []})
    for number, cap in enumerate(items):
        cap["place"] = number
    statuses = {*STATUSES[place], *(["pending_cap"] if "pending" in STATUSES[place] else [])}
    statuses |= {"not_found"} if "declined" in statuses else set()
    goals = {goal: goal for goal in ("1", "install", "sale", "free")}
    now = world.plant.clock.now_ms()
    return CapsOracle(world.oracle, offer, tuple(items), ZoneInfo(ZONES[place]), now, frozenset(statuses), goals)


@pytest.mark.parametrize("place", [0, 1, 2])
def test_cap_stats_of_every_cap_match_oracle(world: OracleSetup, place: int) -> None:
    caps = with_caps(world, place)
    [shown] = world.get("admin", "/3.1/stats/caps", {"offer_id": caps.offer})["stats"]
    places = {id_: number for number, id_ in enumerate(dict.fromkeys(item["id"] for item in shown["stats"]))}
    assert len(places) == len(caps.items)
    full, some = 0, 0
    for caller in CALLERS:
        seen = viewer(world.people, caller)
        [given] = world.get(caller, "/3.1/stats/caps", {"offer_id": caps.offer})["stats"]
        assert given["offer_id"] == caps.offer
        found = [{"place": places[item.pop("id")]} | item for item in given["stats"]]
        assert found == caps.stats(seen)
        full += sum(not item["is_remaining"] for item in found)
        some += sum(item["current_value"] > 0 for item in found)
        asked: dict[str, Any] = {"offer_id": caps.offer, "fields[]": ["stats", "stats_merged", "descr"]}
        old = world.get(caller, "/3.0/stats/caps", asked)["offers"][str(caps.offer)]
        old["stats"] = [{"place": places[row.pop("cap_id")]} | row for row in old["stats"]]
        old["stats_merged"]["place"] = places.get(old["stats_merged"].pop("cap_id"))
        old["stats_merged"]["caps"] = {places[id_]: each for id_, each in old["stats_merged"]["caps"].items()}
        assert old == caps.old(seen)
    assert full > 10 and some > 30, "the traffic fills caps"
