"""How many calls a host gets at once: more while it is quick, few while it hangs."""

from trackyard.jobs.delivery.host_concurrency import Limits, Places

LIMITS = Limits(total=100, start=4, most=16, slow=6, least=2)


def fill(places: Places, host: str) -> int:
    """Takes every place that a host has; how many."""
    taken = 0
    while places.take(host):
        taken += 1
    return taken


def answer(places: Places, host: str, calls: int, seconds: float, *, well: bool = True) -> None:
    for _ in range(calls):
        places.answered(host, seconds, well=well)


def test_a_quick_host_gets_twice_as_many_each_time_it_is_full() -> None:
    places, seen = Places(LIMITS), []
    for _ in range(4):
        seen.append(fill(places, "a"))
        answer(places, "a", seen[-1], 0.01)
        places.forget_grown({"a"})
    assert seen == [4, 8, 16, 16]
    places.forget_grown({"b"})  # there is no more for it
    assert fill(places, "a") == 4


def test_one_that_hangs_keeps_few() -> None:
    places = Places(LIMITS)
    assert fill(places, "a") == 4
    answer(places, "a", 4, 10, well=False)
    assert fill(places, "a") == 2
    answer(places, "a", 2, 10, well=False)
    assert fill(places, "a") == 2


def test_one_that_failed_is_remembered_until_it_answers() -> None:
    places = Places(LIMITS)
    answer(places, "a", fill(places, "a"), 10, well=False)
    assert places.free == LIMITS.total
    assert fill(places, "a") == 2
    answer(places, "a", 2, 0.01)  # full and quick: two more
    assert fill(places, "a") == 4


def test_a_slow_one_gets_some() -> None:
    places, seen = Places(LIMITS), []
    for _ in range(3):
        seen.append(fill(places, "a"))
        answer(places, "a", seen[-1], 3)
    assert seen == [4, 6, 6]


def test_a_host_that_is_not_full_does_not_grow() -> None:
    places = Places(LIMITS)
    places.take("a")
    for _ in range(50):
        places.take("a")
        places.answered("a", 0.01, well=True)
    assert 1 + fill(places, "a") == 4


def test_all_hosts_together_have_a_limit() -> None:
    places = Places(LIMITS)
    assert sum(fill(places, f"host{number}") for number in range(40)) == 100
    assert places.free == 0
    assert len(places.full) == 25


def test_hosts_that_are_idle_take_no_memory() -> None:
    places = Places(LIMITS)
    for number in range(1_000):
        places.take(f"host{number}")
        places.answered(f"host{number}", 0.01, well=True)
    assert not places._hosts
