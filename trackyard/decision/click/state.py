"""What a decision asks of the state that edges share: visitors that were there, clicks that were counted."""

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from trackyard.decision.click.hit import Hit


class ClickState(Protocol):
    """The state behind the last two steps. At an edge asking counts; a dry run only looks."""

    def is_new(self, hit: "Hit") -> bool:
        """Whether the visitor is new to the offer (docs/spec/tracking.md#unique-visitors)."""
        ...

    def full_cap(self, hit: "Hit") -> str:
        """The id of the first cap of clicks of the offer that has no place left for this click; "" = there is none, and
        the click has its place in each."""
        ...


class EmptyClickState:
    """A state in which every visitor is new and no cap is full."""

    def is_new(self, hit: "Hit") -> bool:
        """Always."""
        return True

    def full_cap(self, hit: "Hit") -> str:
        """None."""
        return ""


EMPTY_CLICK_STATE = EmptyClickState()
