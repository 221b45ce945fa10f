"""The click state port: unique visitors and click caps, reserved for a batch of clicks.

A batch is committed when the records of its clicks are in the journal, and rolled back when they are not. The
memory-mapped files of `edge/state` are the first adapter. Dry runs use an adapter that only looks.
"""

from collections.abc import Sequence
from typing import Protocol

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute, Reservation


class ReservationRequest:
    """The reservation that one click needs.

    full_cap: a cap that is full already, "" = none; then nothing is reserved
    """

    __slots__ = ("full_cap", "hit", "route")

    def __init__(self, hit: Hit, route: OfferRoute, full_cap: str) -> None:
        self.hit = hit
        self.route = route
        self.full_cap = full_cap


class ClickState(Protocol):
    """Unique visitors and click caps.

    See docs/spec/tracking.md#unique-visitors and docs/spec/conversions.md#caps.
    """

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Reserve for each click its visitor and a place in each click cap, all or nothing."""
        ...


class ReservingClickState(ClickState, Protocol):
    """A state that keeps or undoes reservations."""

    def set_recorded(self) -> None:
        """Keep the last batch until `commit`: its records are put."""
        ...

    def commit(self) -> None:
        """Keep every reservation: the records are in the journal."""
        ...

    def roll_back(self) -> None:
        """Undo every reservation: the records could not be written."""
        ...


class ReadOnlyClickState:
    """A state without visitors and clicks; adapters that only look override both methods."""

    def reserve(self, requests: Sequence[ReservationRequest]) -> list[Reservation]:
        """Return the reservations it would make; visitors are looked up only for `unique_only` offers."""
        return [
            Reservation(
                not each.route.unique_only or self.is_new(each.hit, each.route),
                each.full_cap or self.find_full_cap(each.hit, each.route),
            )
            for each in requests
        ]

    def is_new(self, hit: Hit, route: OfferRoute) -> bool:
        """Return whether the visitor is new to the offer."""
        return True

    def find_full_cap(self, hit: Hit, route: OfferRoute) -> str:
        """Return the id of the first click cap without a place for this click; "" = none is full."""
        return ""


EMPTY_CLICK_STATE = ReadOnlyClickState()


class CapsOnlyClickState(ReadOnlyClickState):
    """The click caps of another state, without its visitors."""

    def __init__(self, state: ReadOnlyClickState) -> None:
        self._state = state

    def find_full_cap(self, hit: Hit, route: OfferRoute) -> str:
        """Return the full cap that the other state finds, see ReadOnlyClickState."""
        return self._state.find_full_cap(hit, route)
