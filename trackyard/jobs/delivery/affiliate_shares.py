"""Slots by affiliate: one affiliate's deliveries never take most of the slots of all.

docs/spec/postbacks.md#retries.
"""

from collections import Counter


class AffiliateShares:
    """The slots that each affiliate holds, at most `limit`."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._in_use: Counter[int] = Counter()

    @property
    def full(self) -> list[int]:
        """Return the affiliates without a free slot."""
        return [affiliate for affiliate, count in self._in_use.items() if count >= self._limit]

    def take(self, affiliate_id: int) -> bool:
        """Take a slot of an affiliate; return whether there was one."""
        if self._in_use[affiliate_id] >= self._limit:
            return False
        self._in_use[affiliate_id] += 1
        return True

    def free_slot(self, affiliate_id: int) -> None:
        """Free a slot of an affiliate."""
        self._in_use[affiliate_id] -= 1
        if self._in_use[affiliate_id] <= 0:
            del self._in_use[affiliate_id]
