"""Concurrency by host: more while a host is quick, few while it hangs."""

from trackyard.jobs.delivery.host_concurrency import HostConcurrency, OutboundLimits

LIMITS = OutboundLimits(total=100, start=4, most=16, slow=6, least=2)


def fill(places: HostConcurrency, host: str) -> int:
    """Take every slot of a host; return how many."""
    taken = 0
    while places.take(host):
        taken += 1
    return taken


def answer(places: HostConcurrency, host: str, calls: int, seconds: float, *, well: bool = True) -> None:
    for _ in range(calls):
        places.record_answer(host, seconds, well=well)


def test_host_concurrency_doubles_for_fast_host() -> None:
    places, seen = HostConcurrency(LIMITS), []
    for _ in range(4):
        seen.append(fill(places, "a"))
        answer(places, "a", seen[-1], 0.01)
        places.shrink_idle_windows({"a"})
    assert seen == [4, 8, 16, 16]
    places.shrink_idle_windows({"b"})  # there is no more for it
    assert fill(places, "a") == 4


def test_host_concurrency_shrinks_for_hanging_host() -> None:
    places = HostConcurrency(LIMITS)
    assert fill(places, "a") == 4
    answer(places, "a", 4, 10, well=False)
    assert fill(places, "a") == 2
    answer(places, "a", 2, 10, well=False)
    assert fill(places, "a") == 2


def test_host_concurrency_remembers_failure_until_success() -> None:
    places = HostConcurrency(LIMITS)
    answer(places, "a", fill(places, "a"), 10, well=False)
    assert places.free == LIMITS.total
    assert fill(places, "a") == 2
    answer(places, "a", 2, 0.01)  # full and quick: two more
    assert fill(places, "a") == 4


def test_host_concurrency_grows_slowly_for_slow_host() -> None:
    places, seen = HostConcurrency(LIMITS), []
    for _ in range(3):
        seen.append(fill(places, "a"))
        answer(places, "a", seen[-1], 3)
    assert seen == [4, 6, 6]


def test_host_concurrency_does_not_grow_unused() -> None:
    places = HostConcurrency(LIMITS)
    places.take("a")
    for _ in range(50):
        places.take("a")
        places.record_answer("a", 0.01, well=True)
    assert 1 + fill(places, "a") == 4


def test_host_concurrency_has_a_total_limit() -> None:
    places = HostConcurrency(LIMITS)
    assert sum(fill(places, f"host{number}") for number in range(40)) == 100
    assert places.free == 0
    assert len(places.full) == 25


def test_host_concurrency_forgets_idle_hosts() -> None:
    places = HostConcurrency(LIMITS)
    for number in range(1_000):
        places.take(f"host{number}")
        places.record_answer(f"host{number}", 0.01, well=True)
    assert not places._hosts
