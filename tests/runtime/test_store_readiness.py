"""The readiness of a process while a store hangs."""

import threading
import time

from tests.support.waiting import wait_until
from trackyard.runtime.monitoring import store_readiness
from trackyard.runtime.monitoring.store_readiness import StoreReadiness
from trackyard.wire.http.health import Readiness


def test_readiness_while_a_store_hangs_is_answered_and_not_ready() -> None:
    answers = threading.Event()
    looks: list[float] = []

    def look() -> Readiness:
        looks.append(time.monotonic())
        assert answers.wait(20)
        return Readiness(lags={"inbox": 1.0})

    readiness = StoreReadiness(look, lambda: ["the role worker dies again and again"])
    began = time.monotonic()
    for _ in range(3):
        reasons = readiness.get().reasons
        assert reasons[0].startswith("the databases have not answered for ")
        assert reasons[1] == "the role worker dies again and again"
    assert time.monotonic() - began < 2 * store_readiness.LOOK_S, "only the first answer waits"
    assert len(looks) == 1, "a store that hangs holds one thread"
    answers.set()
    wait_until(lambda: readiness.get() == Readiness(lags={"inbox": 1.0}))


def test_readiness_that_fails_is_a_reason() -> None:
    def look() -> Readiness:
        raise OSError("disk gone")

    assert StoreReadiness(look, list).get().reasons == ("the readiness cannot be found: disk gone",)
