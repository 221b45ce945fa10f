"""A bounded cache of recently used values."""

from typing import Generic, TypeVar

_K = TypeVar("_K")
_V = TypeVar("_V")


class BoundedCache(Generic[_K, _V]):
    """A cache of at most 2 * `size` entries: a young and an old generation.

    A hit is one dict look-up; no list is reordered.
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._young: dict[_K, _V] = {}
        self._old: dict[_K, _V] = {}

    def find(self, key: _K) -> _V | None:
        """Return the value of a key."""
        found = self._young.get(key)
        if found is None:
            found = self._old.get(key)
            if found is not None:
                self.add(key, found)
        return found

    def add(self, key: _K, value: _V) -> None:
        """Add a value; the least recently used ones may be dropped."""
        if len(self._young) >= self._size:
            self._old = self._young
            self._young = {}
        self._young[key] = value

    def __len__(self) -> int:
        return len(self._young) + len(self._old)
