"""The claims that an edge makes in the click state shared by all machines, and the answers."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, Protocol

_PREFIX: Final = "trackyard"
"""All names in Redis begin with it."""


@dataclass(frozen=True, slots=True)
class SharedCount:
    """A count in which a click needs a place. expires_at: UTC seconds, 0 = never."""

    key: str
    limit: int
    expires_at: int


@dataclass(frozen=True, slots=True)
class SharedClaim:
    """The claim that a click makes in Redis.

    visitor: the visitor's key
    visitor_s: seconds for which the visitor is kept, 0 = any visitor passes
    """

    click_id: str
    visitor: str
    visitor_s: int
    counts: tuple[SharedCount, ...]

    def keys(self) -> list[str]:
        """Return the keys of the scripts."""
        return [self.visitor, *[count.key for count in self.counts]]


@dataclass(frozen=True, slots=True)
class SharedAnswer:
    """The answer to a claim.

    is_new: the visitor was not seen
    full: index of the first full count, -1 = the claim is reserved
    totals: clicks of each count before this one, of all machines
    """

    is_new: bool
    full: int
    totals: tuple[int, ...]

    @property
    def is_reserved(self) -> bool:
        """Return whether the claim is reserved."""
        return self.is_new and self.full < 0


@dataclass(frozen=True, slots=True)
class OwnCount:
    """The clicks of this edge in a count. expires_at: UTC seconds, 0 = never."""

    key: str
    clicks: int
    expires_at: int


Decide = Callable[[SharedAnswer | None], None]
"""Takes the answer to a claim; None = Redis gave none, and it is unknown whether the claim is reserved."""


def count_key(key: bytes) -> str:
    """Return the name in Redis of a count."""
    return f"{_PREFIX}:clicks:{key.hex()}"


def visitor_key(offer: int, address: int) -> str:
    """Return the name in Redis of a visitor of an offer."""
    return f"{_PREFIX}:visitor:{offer}:{address:x}"


class SharedStore(Protocol):
    """The store that all machines share (edge/state/redis_store.py)."""

    def ask(self, claim: SharedClaim, decide: Decide) -> bool:
        """Reserve a claim; `decide` is called once, later.

        False = it is not called, because the store is away or busy.
        """
        ...

    def release(self, claim: SharedClaim) -> None:
        """Release a reserved claim, at once or when the store is back."""
        ...

    def keep_visitor(self, claim: SharedClaim) -> None:
        """Write the visitor of a click that was decided without the store when it is back."""
        ...

    async def run(self) -> None:
        """Answer claims until cancelled. While the store is away, all are left to their edge."""
        ...
