"""Requests during a request to the API: how many run at once."""

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from ipaddress import ip_network

import pytest

from tests.support.processes.receiver import ReceivedRequest, Receiver, Reply
from trackyard.base.errors import TooManyRequests
from trackyard.outbound.interactive import OnDemandClient

LOOPBACK = (ip_network("127.0.0.0/8"),)


@pytest.fixture
def release() -> threading.Event:
    """Return an event that ends held requests."""
    return threading.Event()


@pytest.fixture
def slow(release: threading.Event) -> Iterator[Receiver]:
    """A receiver that holds /slow."""

    def reply(request: ReceivedRequest) -> Reply:
        if request.path == "/slow":
            release.wait(10)
        return Reply(body=request.path.encode())

    with Receiver(reply) as receiver:
        yield receiver
        release.set()


def test_postback_trials_run_one_at_a_time_per_owner(slow: Receiver, release: threading.Event) -> None:
    trials = OnDemandClient(LOOPBACK)
    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(trials.fetch, 1, slow.url("/slow"), {})
        slow.wait_for(1)
        with pytest.raises(TooManyRequests) as refused:
            trials.fetch(1, slow.url("/"), {})
        assert refused.value.retry_after == 10
        assert trials.fetch(2, slow.url("/other"), {}).body == b"/other"
        release.set()
        assert held.result(10).body == b"/slow"
    assert trials.fetch(1, slow.url("/again"), {}).http_code == 200
    assert [request.path for request in slow.requests()] == ["/slow", "/other", "/again"]


def test_postback_trials_have_a_total_limit(slow: Receiver, release: threading.Event) -> None:
    trials = OnDemandClient(LOOPBACK, at_once=2)
    with ThreadPoolExecutor(2) as pool:
        held = [pool.submit(trials.fetch, owner, slow.url("/slow"), {}) for owner in (1, 2)]
        slow.wait_for(2)
        with pytest.raises(TooManyRequests):
            trials.fetch(3, slow.url("/"), {})
        release.set()
        assert [each.result(10).http_code for each in held] == [200, 200]
    assert trials.fetch(3, slow.url("/"), {}).http_code == 200


def test_postback_trial_that_fails_releases_its_slot(slow: Receiver) -> None:
    trials = OnDemandClient()  # which may not call the loopback
    for _ in range(2):
        answer = trials.fetch(1, slow.url("/"), {})
        assert (answer.http_code, "may be called" in answer.error) == (0, True)
    assert slow.requests() == []
