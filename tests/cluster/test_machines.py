"""What several machines agree on, and what they do while a part of them is away.

One file, so that all its tests share one cluster: its start takes longer than most of them.
"""

import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from typing import Any, Final

import pytest

from tests.cluster.probes import KINDS, Probe, each_probe
from tests.cluster.stories import ClusterStory, begin_story, click_cap, clicks_at, new_visitor
from tests.support.offer_scenario import SHOP, click_id_of
from tests.support.processes.acknowledged import AcknowledgedTraffic, every_row
from tests.support.processes.cluster import ClusterMachine, RunningCluster
from tests.support.processes.program import KEY, poll_until, request
from tests.support.processes.receiver import Receiver

pytestmark = pytest.mark.cluster

RULES_S: Final = 2.0
"""An edit reaches every edge within this time (docs/several-machines.md)."""
PASSWORD: Final = "heron-72-lantern"
SETTLED_S: Final = 60.0
STALE_S: Final = 10.0
"""An edge says after so long that its rules may be old."""


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


def says(machine: ClusterMachine, warning: str) -> bool:
    """Whether the monitoring listener of a machine warns so."""
    return warning in " ".join(machine.report()["warnings"])


def both_ways(story: ClusterStory) -> list[AcknowledgedTraffic]:
    """Traffic at each edge machine, with the postbacks at the other one."""
    first, second = (story.at(edge) for edge in story.cluster.edges)
    return [AcknowledgedTraffic(first, second), AcknowledgedTraffic(second, first)]


def check_counted_once(story: ClusterStory, sent: Sequence[AcknowledgedTraffic], receiver: Receiver) -> None:
    """All that was acknowledged is in both reports, the balance and at the affiliate, and nothing twice."""
    at_api = story.at(story.cluster.apis[0])
    clicked = {click_id for each in sent for click_id in each.clicks}
    called = {click_id for each in sent for click_id in each.calls}

    def settled() -> bool:
        conversions = len(every_row(at_api, "conversions"))
        row = at_api.figures(KEY)
        counts = (int(row["traffic"]["raw"]) >= len(clicked), conversions >= len(called))
        return all(counts) and row["actions"]["total"]["count"] == conversions if row else False

    poll_until(settled, seconds=SETTLED_S, what=f"{len(clicked)} clicks and {len(called)} calls")
    clicks = Counter(each["id"] for each in every_row(at_api, "clicks"))
    conversions = Counter(each["clickid"] for each in every_row(at_api, "conversions"))
    assert clicked <= set(clicks) and set(clicks.values()) == {1}
    assert called <= set(conversions) and set(conversions.values()) == {1}
    rows = [story.at(api).figures(KEY) for api in story.cluster.apis]
    assert rows[0] == rows[1] and int(rows[0]["traffic"]["raw"]) == len(clicks)
    assert at_api.balance()["available"] == {"USD": 7 * len(conversions)}

    def delivered() -> set[str]:
        return {each.query["click"] for each in receiver.requests()}

    poll_until(lambda: delivered() == set(conversions), seconds=SETTLED_S, what="every postback to the affiliate")


@pytest.mark.long
def test_kill_of_each_process_of_a_cluster_loses_and_doubles_nothing(
    cluster: RunningCluster, receiver: Receiver
) -> None:
    """kill -9 of every role, of a whole machine and of every store, while both edges take clicks."""
    story = begin_story(cluster, receiver.url("/pb?click={clickid}"))
    first, second = cluster.edges
    kills: list[Callable[[], Any]] = [
        lambda: first.kill("edge 0"),
        lambda: second.kill("core"),
        lambda: cluster.apis[0].kill("core"),
        lambda: cluster.apis[1].kill("worker"),
        lambda: (second.stop(signal.SIGKILL), second.start(ready=False)),
        lambda: (cluster.valkey.kill(), cluster.valkey.start()),
        lambda: (cluster.clickhouse.kill(), cluster.clickhouse.start()),
        lambda: (cluster.postgres.halt(), cluster.postgres.resume()),
    ]
    sent = both_ways(story)
    with ExitStack() as stack:
        for traffic in sent:
            stack.enter_context(traffic)
        sent[0].grow(5)
        for kill in kills:
            kill()
            poll_until(second.is_ready, seconds=SETTLED_S, what="the second edge machine")
            sent[0].grow(5)
            sent[1].grow(5)
    cluster.await_healthy()
    check_counted_once(story, sent, receiver)


@pytest.mark.parametrize("seconds", [0, pytest.param(20, marks=pytest.mark.long)])
def test_edge_cut_off_takes_clicks_by_the_last_rules_says_so_and_reconciles(
    cluster: RunningCluster, seconds: float
) -> None:
    """Until it says that its rules may be old, and for `seconds` at least."""
    story = begin_story(cluster, **click_cap(60))
    first, second = cluster.edges
    taken = story.accepted(clicks_at(cluster.edges, 20))
    cluster.cut_second_edge()
    try:
        cut_at = time.monotonic()
        story.edit(cluster.apis[0], url="https://new.example/?click={clickid}")
        story.await_edges("https://new.example/", edges=[first])
        taken += story.accepted(clicks_at([second], 10))
        assert len(taken) == 30, "it decides by the last rules"

        for warning in ("Redis does not answer", "the source of the rules is silent"):
            poll_until(lambda warning=warning: says(second, warning), seconds=STALE_S + 10, what=warning)  # type: ignore[misc]
        poll_until(lambda: second.metric("trackyard_redis_up") == 0, seconds=10, what="the metric of Redis")
        assert (second.metric("trackyard_ruleset_age_seconds") or 0) > STALE_S
        while time.monotonic() - cut_at < seconds:  # the outage itself is what is tested
            assert request(second.tracking_port, "GET", "/readyz").status == 200
            assert story.location(second).startswith(SHOP)
            time.sleep(0.5)
    finally:
        cluster.heal_second_edge()
    story.await_edges("https://new.example/", edges=[second])
    cluster.await_healthy()
    back = f"{SHOP}back"
    story.edit(cluster.apis[1], url=f"{back}?click={{clickid}}")
    story.await_edges(back)
    taken += story.accepted(clicks_at(cluster.edges, 60))
    assert len(taken) == 60, "the clicks of the outage count in the cap of all machines"
    at_api = story.at(cluster.apis[0])
    poll_until(lambda: len(every_row(at_api, "clicks")) == 60, seconds=SETTLED_S, what="every accepted click")


def test_clicks_and_postbacks_are_taken_and_journalled_while_every_store_is_away(
    cluster: RunningCluster, receiver: Receiver
) -> None:
    story = begin_story(cluster, receiver.url("/pb?click={clickid}"))
    full = begin_story(cluster, uniqIpOnly="1", **click_cap(20))
    visitor = new_visitor()
    passed = full.accepted([*clicks_at(cluster.edges, 18), (cluster.edges[0], visitor)])
    cluster.lose_stores()
    try:
        sent = both_ways(story)
        with ExitStack() as stack:
            for traffic in sent:
                stack.enter_context(traffic)
            for traffic in sent:
                traffic.grow(10)
        for edge in cluster.edges:
            assert request(edge.tracking_port, "GET", "/readyz").status == 200
            assert edge.report()["status"] == 2, "the monitoring listener says what is away"
            poll_until(
                lambda edge=edge: says(edge, "Redis does not answer"), seconds=10, what="also without a question"
            )  # type: ignore[misc]
        passed += full.accepted([(cluster.edges[0], new_visitor())])
    finally:
        cluster.restore_stores()
    cluster.await_healthy()
    check_counted_once(story, sent, receiver)
    assert len(passed) == 20
    assert full.accepted([*clicks_at(cluster.edges, 4), (cluster.edges[0], visitor)]) == [], (
        "an empty Redis is complete"
    )
    assert click_id_of(story.at(cluster.edges[0]).click())


def says_when_asked(machine: ClusterMachine, warning: str) -> bool:
    """Whether a machine warns so; an API learns that Redis is away when it is asked for something."""
    if machine.is_api:
        request(machine.api_port, "GET", "/3.1/offers/count", headers={"API-Key": KEY})
    return says(machine, warning)


def is_unready(port: int) -> bool:
    """Whether a listener says that no balancer may ask its machine."""
    return request(port, "GET", "/readyz").status == 503


PROBES: Final = tuple(each_probe())
UNREADY: Final = {
    "PostgreSQL": {"api", "worker"},
    "ClickHouse": set[str](),
    "Redis": set[str](),
}
"""The kinds of machines that no balancer asks while a store is away (docs/operating.md#watching-it)."""

WARNED: Final = {
    "PostgreSQL": [],
    "ClickHouse": [(kind, "the analytic store does not answer") for kind in ("edge", "api")],
    "Redis": [(kind, "Redis does not answer") for kind in ("edge", "api")],
}
"""What the monitoring listeners of machines that go on say meanwhile."""


@pytest.fixture
def worker(cluster: RunningCluster) -> Iterator[ClusterMachine]:
    """A machine that only works, as the pods of worker.yaml do."""
    names = ("database_url", "analytics_url", "redis_url")
    stores = {name: cluster.apis[0].environment[f"TRACKYARD_{name.upper()}"] for name in names}
    machine = ClusterMachine(cluster.apis[0].directory.parent / "worker-1", "worker", stores)
    machine.start(ready=False)
    try:
        poll_until(machine.is_ready, seconds=60, what="the worker")
        yield machine
    finally:
        machine.stop()


def test_every_probe_of_deploy_keeps_edges_and_restarts_nothing_while_a_store_is_away(
    cluster: RunningCluster, worker: ClusterMachine
) -> None:
    assert Counter(each.source for each in PROBES) == {
        "api.yaml": 3, "edge.yaml": 3, "worker.yaml": 3, "healthcheck.py": 3, "cluster.Caddyfile": 1,
    }  # fmt: skip
    assert len(PROBES) == 13
    story = begin_story(cluster)
    machines = dict(zip(KINDS, (cluster.edges[0], cluster.apis[0], worker), strict=True))
    stores: dict[str, tuple[Callable[[], Any], Callable[[], Any]]] = {
        "PostgreSQL": (cluster.postgres.halt, cluster.postgres.resume),
        "ClickHouse": (cluster.clickhouse.kill, cluster.clickhouse.start),
        "Redis": (cluster.valkey.kill, cluster.valkey.start),
    }
    assert stores.keys() == UNREADY.keys()
    before = {kind: machine.children() for kind, machine in machines.items()}
    asked = 0

    def passes(probe: Probe) -> bool:
        return probe.passes(machines[probe.kind])

    for store, (kill, start) in stores.items():
        kill()
        try:
            for kind in sorted(UNREADY[store]):
                port = machines[kind].monitoring_port
                poll_until(partial(is_unready, port), seconds=20, what=f"{kind} without {store}")
            for probe in PROBES:
                right = probe.is_of_life or probe.kind not in UNREADY[store]
                assert passes(probe) == right, (store, probe)
                asked += 1
            assert story.at(cluster.edges[0]).click().status == 302, store
            for kind, warning in WARNED[store]:
                poll_until(partial(says_when_asked, machines[kind], warning), seconds=20, what=warning)
        finally:
            start()
        poll_until(
            lambda: all(each.passes(machines[each.kind]) for each in PROBES), seconds=30, what=f"{store} is back"
        )
    assert asked == 39
    assert {kind: machine.children() for kind, machine in machines.items()} == before, "no process died"
