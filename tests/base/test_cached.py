"""Values that are renewed when they are old."""

import threading

import pytest

from trackyard.base.cached import Cached


class Source:
    """Counts how often the value was made, at a time that the test sets."""

    def __init__(self) -> None:
        self.now, self.made = 0.0, 0

    def make(self) -> int:
        self.made += 1
        return self.made


def test_cached_value_is_made_again_when_it_is_old() -> None:
    source = Source()
    cached = Cached(source.make, 5.0, lambda: source.now)
    assert [cached.get(), cached.get()] == [1, 1]
    source.now = 4.9
    assert cached.get() == 1
    source.now = 5.0
    assert [cached.get(), cached.get()] == [2, 2]


def test_cached_value_that_fails_is_made_again_by_the_next() -> None:
    made: list[int] = []

    def make() -> int:
        made.append(1)
        if len(made) == 1:
            raise OSError
        return len(made)

    cached = Cached(make, 5.0, lambda: 0.0)
    with pytest.raises(OSError):
        cached.get()
    assert cached.get() == 2


def test_cached_value_is_given_to_others_while_one_makes_it() -> None:
    source, begun, go_on = Source(), threading.Event(), threading.Event()

    def make() -> int:
        if source.made:
            begun.set()
            assert go_on.wait(10)
        return source.make()

    cached = Cached(make, 5.0, lambda: source.now)
    assert cached.get() == 1
    source.now = 6.0
    found: list[int] = []
    maker = threading.Thread(target=lambda: found.append(cached.get()))
    maker.start()
    assert begun.wait(10)
    assert cached.get() == 1
    go_on.set()
    maker.join(10)
    assert found == [2]
    assert source.made == 2
