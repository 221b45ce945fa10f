"""Slots by affiliate or by host: none of them takes most of the slots of all.

docs/spec/postbacks.md#fair-turns.
"""

from collections import Counter
from collections.abc import Hashable
from typing import Generic, TypeVar

Key = TypeVar("Key", bound=Hashable)


class SlotShares(Generic[Key]):
    """The slots that each key holds, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_use: Counter[Key] = Counter()

    @property
    def full(self) -> list[Key]:
        """Return the keys without a free slot."""
        return [key for key, count in self._in_use.items() if count >= self._limit]

    def take(self, key: Key) -> bool:
        """Take a slot of a key; return whether there was one."""
        if self._in_use[key] >= self._limit:
            return False
        self._in_use[key] += 1
        return True

    def free_slot(self, key: Key) -> None:
        """Free a slot of a key."""
        self._in_use[key] -= 1
        if self._in_use[key] <= 0:
            del self._in_use[key]
