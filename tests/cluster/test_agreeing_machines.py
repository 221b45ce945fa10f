"""What the machines of an installation must agree on."""

import time
from collections import Counter
from typing import Any, Final

import pytest

from tests.cluster.stories import begin_story, click_cap, clicks_at, new_visitor
from tests.support.offer_scenario import click_id_of
from tests.support.processes.cluster import RunningCluster
from tests.support.processes.program import KEY, poll_until
from tests.support.processes.receiver import Receiver

pytestmark = pytest.mark.cluster

RULES_S: Final = 2.0
"""An edit reaches every edge within this time (docs/several-machines.md)."""
PASSWORD: Final = "heron-72-lantern"


def test_story_over_several_machines_is_the_same_everywhere(cluster: RunningCluster, receiver: Receiver) -> None:
    """A sign-in at one API holds at the other; each step of a click's way meets another machine."""
    first, second = cluster.apis
    story = begin_story(cluster, receiver.url("/pb?click={clickid}"))
    made = first.api("POST", "/3.0/admin/partner", {"email": f"a{story.offer.offer}@example.org", "password": PASSWORD})
    signed_in = second.api("POST", "/3.1/auth", {"login": made["partner"]["email"], "password": PASSWORD})
    assert first.api("GET", "/3.0/balance", key=signed_in["api_key"])["balance"] is not None

    clicked, called = cluster.edges
    click_id = click_id_of(story.at(clicked).click(sub1="over"))
    assert story.at(called).call(click_id).status == 200
    assert receiver.wait_for(1, seconds=20)[0].query == {"click": click_id}

    def reports() -> list[dict[str, Any]]:
        return [story.at(api).figures(KEY) for api in cluster.apis]

    poll_until(
        lambda: all(row and row["actions"]["confirmed"]["count"] == 1 for row in reports()), seconds=20, what="1"
    )
    assert reports()[0] == reports()[1]
    assert story.at(second).balance()["available"] == {"USD": 7}
    assert len(receiver.requests()) == 1, "two workers sent a postback once"


@pytest.mark.parametrize("limit", [300, pytest.param(1000, marks=pytest.mark.long)])
def test_click_cap_hit_by_both_edges_at_once_passes_exactly_so_many(cluster: RunningCluster, limit: int) -> None:
    story = begin_story(cluster, **click_cap(limit))
    passed = story.accepted(clicks_at(cluster.edges, limit + 100))
    assert len(passed) == limit
    assert {edge.directory.name for edge, _ in passed} == {"edge-1", "edge-2"}
    assert story.accepted(clicks_at(cluster.edges, 10)) == []


def test_unique_only_offer_hit_by_both_edges_at_once_takes_each_visitor_once(cluster: RunningCluster) -> None:
    story = begin_story(cluster, uniqIpOnly="1")
    visitors = [new_visitor() for _ in range(100)]
    passed = story.accepted((edge, visitor) for visitor in visitors for edge in cluster.edges)
    assert Counter(visitor for _, visitor in passed) == dict.fromkeys(visitors, 1)


def test_edit_at_one_api_is_in_force_at_both_edges_within_two_seconds(cluster: RunningCluster) -> None:
    story = begin_story(cluster)
    took = []
    for number in range(6):
        start = f"https://shop.example/{number}"
        story.edit(cluster.apis[number % 2], url=f"{start}?click={{clickid}}")
        acknowledged_at = time.monotonic()
        story.await_edges(start)
        took.append(time.monotonic() - acknowledged_at)
    assert max(took) <= RULES_S, took


def test_repeat_of_a_write_at_the_other_api_gets_the_first_answer(cluster: RunningCluster) -> None:
    headers = {"Idempotency-Key": f"cluster-{time.monotonic_ns()}"}
    made = [api.api("POST", "/3.0/admin/advertiser", {"title": "Once"}, headers=headers) for api in cluster.apis]
    assert made[0] == made[1]
