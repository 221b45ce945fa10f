"""The click state port: unique visitors and click caps, reserved for one click.

The memory-mapped files of `edge/state` are the first adapter. Dry runs use an adapter that only looks.
"""

from typing import Protocol

from trackyard.decision.click.hit import Hit
from trackyard.decision.click.route import OfferRoute, Reservation


class ClickState(Protocol):
    """Unique visitors and click caps.

    See docs/spec/tracking.md#unique-visitors and docs/spec/conversions.md#caps.
    """

    def reserve(self, hit: Hit, route: OfferRoute, full_cap: str) -> Reservation:
        """Reserve the visitor of a click and a place in each click cap, all or nothing.

        full_cap: a cap that is full already, "" = none; then nothing is reserved
        """
        ...


class ReadOnlyClickState:
    """A state without visitors and clicks; adapters that only look override both methods."""

    def reserve(self, hit: Hit, route: OfferRoute, full_cap: str) -> Reservation:
        """Return what would be reserved; a visitor is looked up only where the offer takes each once."""
        return Reservation(
            not route.unique_only or self.is_new(hit, route),
            full_cap or self.find_full_cap(hit, route),
        )

    def is_new(self, hit: Hit, route: OfferRoute) -> bool:
        """Return whether the visitor is new to the offer."""
        return True

    def find_full_cap(self, hit: Hit, route: OfferRoute) -> str:
        """Return the id of the first click cap without a place for this click; "" = none is full."""
        return ""


EMPTY_CLICK_STATE = ReadOnlyClickState()
