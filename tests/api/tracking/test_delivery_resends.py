"""Manual repeats of one delivery or of a period, and resumed postbacks."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import pytest
from sqlalchemy import select

from tests.support.api import NOW, Api
from tests.support.client import ApiClient
from tests.support.delivery_attempts import add_attempt
from tests.support.stores.statements import recorded_statements
from trackyard.actions.tracking import resends
from trackyard.base.ids import new_id
from trackyard.domain.people.roles import Role
from trackyard.domain.tracking.outbound_calls import CROSS_POSTBACK_ID, NewDelivery
from trackyard.store.engine.database import Connection
from trackyard.store.tables import delivery
from trackyard.store.tracking import deliveries, postbacks

URL = "https://a.example/?c={clickid}"
REPLAY = "/3.1/admin/affiliatepostbacks/replay"
HOUR = {"from": "2023-11-14 22:00:00", "to": "2023-11-14 22:59:59"}


@dataclass(frozen=True)
class ResendSetup:
    """An affiliate with a postback."""

    api: Api
    pid: int
    affiliate: ApiClient
    postback: int

    def attempt(self, **fields: Any) -> str:
        """A record of the log, of a call of the postback."""
        given = {"affiliate": self.pid, "postback_id": self.postback}
        return add_attempt(self.api.deps.analytics, **given | fields)

    def resend(self, record: str, client: ApiClient | None = None) -> Any:
        return (client or self.api.admin).call("POST", f"/3.1/admin/affiliatepostback/{record}/resend")

    def replay(self, **params: Any) -> Any:
        return self.api.admin.post(REPLAY, **{"pid": self.pid} | HOUR | params)

    def queue(self) -> list[Any]:
        with self.api.deps.database.read() as conn:
            return list(conn.execute(select(delivery).order_by(delivery.c.sequence, delivery.c.url)))


@pytest.fixture
def world(api: Api) -> ResendSetup:
    pid, affiliate = api.add_affiliate()
    made = affiliate.post("/3.1/partner/postback", pid=pid, url=URL)["postback"]
    return ResendSetup(api, pid, affiliate, made["id"])


def test_delivery_resend_queues_identical_request(world: ResendSetup) -> None:
    fields = {"job_id": "b" * 24, "conversion_id": "c" * 24, "offer": 3, "goal": "sale", "status": 5, "version": 2}
    answer = world.resend(world.attempt(**fields, url="https://A.example:81/?x=1", outcome="dead", attempt=6))
    assert answer.json() == {
        "status": 1,
        "message": "1 delivery is sent again",
        "queued": 1,
        "waiting": 0,
        "dropped": 0,
    }
    (row,) = world.queue()
    assert (row.job_id, row.subject_id, row.offer_id, row.goal, row.status, row.sequence) == (
        *("b" * 24, "c" * 24, 3, "sale", "hold", 2),
    )
    assert (row.url, row.host, row.forced, row.attempts, row.next_at) == (
        *("https://A.example:81/?x=1", "a.example", True, 0, NOW),
    )
    assert (row.affiliate_id, row.postback_id, row.id == row.job_id) == (world.pid, world.postback, False)


def test_delivery_resend_of_waiting_delivery_is_not_queued_twice(world: ResendSetup) -> None:
    record = world.attempt()
    assert [world.resend(record).json()["queued"] for _ in range(2)] == [1, 0]
    assert world.resend(record).json()["waiting"] == 1
    assert len(world.queue()) == 1


def test_delivery_resend_of_unknown_record_is_404(world: ResendSetup) -> None:
    for record in (new_id(NOW), "f" * 24, "nonsense", "1"):
        assert world.resend(record).status_code == 404
    assert world.resend(world.attempt(), world.affiliate).status_code == 403


def test_delivery_resend_of_removed_postback_is_dropped(world: ResendSetup) -> None:
    record = world.attempt()
    world.affiliate.call("DELETE", f"/3.1/partner/postback/{world.postback}/remove")
    assert world.resend(record).json() == {
        "status": 1, "message": "0 deliveries are sent again", "queued": 0, "waiting": 0, "dropped": 1
    }  # fmt: skip
    assert (world.replay()["queued"], world.replay()["dropped"]) == (0, 1)
    assert world.queue() == []


def test_delivery_resend_of_cross_postback_needs_offer_url(world: ResendSetup) -> None:
    with_url = world.api.add_offer(cross_postback_url="https://cross.example/")
    without = world.api.add_offer()
    answer = [
        world.resend(world.attempt(postback_id=CROSS_POSTBACK_ID, offer=offer)).json()["queued"]
        for offer in (with_url, without)
    ]
    assert answer == [1, 0]


def test_delivery_replay_of_period_queues_each_delivery_once(world: ResendSetup) -> None:
    other, _ = world.api.add_affiliate()
    conversion = new_id(NOW)
    first = {"job_id": new_id(NOW), "conversion_id": conversion, "url": "https://a.example/1"}
    world.attempt(**first, outcome="failed", http_code=500)
    world.attempt(**first, time=NOW + 5_000, attempt=2)
    world.attempt(**first, time=NOW + 9_000, forced=1)
    world.attempt(version=2, conversion_id=conversion, url="https://a.example/2", outcome="dead")
    world.attempt(version=3, conversion_id=conversion, url="https://a.example/3", outcome="superseded")
    world.attempt(url="https://a.example/early", time=NOW - 3_600_000)
    world.attempt(url="https://a.example/late", time=NOW + 3_600_000)
    world.attempt(url="https://a.example/other", affiliate=other)
    world.attempt(url="https://a.example/cross", postback_id=CROSS_POSTBACK_ID)
    assert world.replay()["message"] == "2 deliveries are sent again"
    assert [(row.url, row.sequence) for row in world.queue()] == [
        ("https://a.example/1", 1),
        ("https://a.example/2", 2),
    ]
    assert world.replay()["waiting"] == 2


def test_delivery_replay_queues_in_batches(world: ResendSetup, monkeypatch: pytest.MonkeyPatch) -> None:
    for _ in range(5):
        world.attempt()
    add, sizes = deliveries.add_forced, []

    def note(conn: Connection, calls: Sequence[NewDelivery]) -> int:
        sizes.append(len(calls))
        return add(conn, calls)

    monkeypatch.setattr(resends, "_BATCH_SIZE", 2)
    monkeypatch.setattr(deliveries, "add_forced", note)
    assert (world.replay()["queued"], sizes) == (5, [2, 2, 1])
    assert (world.replay()["waiting"], len(world.queue())) == (5, 5)


def test_delivery_replay_includes_last_second_of_period(world: ResendSetup) -> None:
    world.attempt(time=NOW + 999)
    at = "2023-11-14 22:13:20"
    assert world.replay(**{"from": at, "to": at})["queued"] == 1


def test_delivery_replay_with_invalid_parameter_is_rejected(
    world: ResendSetup, monkeypatch: pytest.MonkeyPatch
) -> None:
    def faults(**params: Any) -> Any:
        answer = world.api.admin.call("POST", REPLAY, data={"pid": world.pid} | HOUR | params)
        assert answer.status_code == 400
        return answer.json()["fields"].keys()

    assert faults(pid=999) == {"pid"}
    assert faults(to="2023-11-14 21:00:00") == {"to"}
    assert faults(to="") == {"to"}
    monkeypatch.setattr("trackyard.actions.tracking.resends.MAX_DELIVERIES", 1)
    world.attempt(), world.attempt()
    assert faults() == {"to"}
    assert world.queue() == []


def test_delivery_resend_by_manager_covers_own_affiliates_only(world: ResendSetup) -> None:
    manager, client = world.api.add_staff(Role.MANAGER_AFFILIATE)
    own, _ = world.api.add_affiliate(manager_id=manager)
    mine = world.api.admin.post("/3.1/partner/postback", pid=own, url=URL)["postback"]["id"]
    assert world.resend(world.attempt(), client).status_code == 404
    assert world.resend(world.attempt(affiliate=own, postback_id=mine), client).json()["queued"] == 1
    foreign = client.call("POST", REPLAY, data={"pid": world.pid} | HOUR)
    assert (foreign.status_code, foreign.json()["fields"].keys()) == (400, {"pid"})
    assert client.call("POST", REPLAY, data={"pid": own} | HOUR).json()["waiting"] == 1
    assert client.call("POST", f"/3.1/admin/postback/{world.postback}/resume").status_code == 404
    assert client.call("POST", f"/3.1/admin/postback/{mine}/resume").status_code == 200


def pause(world: ResendSetup) -> None:
    with world.api.deps.database.write() as conn:
        postbacks.edit_postback(conn, world.postback, {"paused_at": NOW, "dead_in_row": 20})


@pytest.mark.parametrize("way", ["resume", "edit"])
def test_postback_paused_is_shown_and_resumed(world: ResendSetup, way: str) -> None:
    def shown() -> Any:
        [postback] = world.api.admin.get("/3.1/admin/postbacks", partner_id=world.pid)["postbacks"]
        return postback["paused"]

    assert shown() is None
    pause(world)
    assert shown() == "2023-11-14 22:13:20"
    if way == "resume":
        answer = world.api.admin.post(f"/3.1/admin/postback/{world.postback}/resume")
    else:
        answer = world.affiliate.post(f"/3.1/partner/postback/{world.postback}", url=URL)
    assert answer["postback"]["paused"] is None
    assert shown() is None
    with world.api.deps.database.read() as conn:
        assert not deliveries.has_parked(conn)
    assert world.affiliate.call("POST", f"/3.1/admin/postback/{world.postback}/resume").status_code == 403


def test_delivery_resend_of_foreign_record_costs_as_much_as_of_none(world: ResendSetup) -> None:
    _, manager = world.api.add_staff(Role.MANAGER_AFFILIATE)
    foreign, ran = world.attempt(), []
    unknown = foreign[:-4] + "0000"
    for record in (unknown, foreign, unknown):  # the first request of a key also stores its use
        with recorded_statements() as statements:
            assert world.resend(record, manager).status_code == 404
        ran.append(statements)
    assert ran[1] == ran[2]


def test_affiliate_postback_log_shows_secrets_of_addresses_to_their_affiliate_only(world: ResendSetup) -> None:
    secret = "https://me:word@a.example/in?click_id=1&api_key=k-1&auth%5Ftoken=t-2&goal=3#top"
    world.attempt(url=secret)
    span = {"date_from": "2023-11-14", "date_to": "2023-11-15"}
    for version in ("3.0", "3.1"):
        path = f"/{version}/stats/affiliatepostbacks"
        [shown] = [item["postback_url"] for item in world.api.admin.get(path, **span)["postbacks"]]
        assert shown == "https://***@a.example/in?click_id=1&api_key=***&auth%5Ftoken=***&goal=3#top"
        assert [item["postback_url"] for item in world.affiliate.get(path, **span)["postbacks"]] == [secret]
