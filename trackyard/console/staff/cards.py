"""The order and visibility of the cards of the overview (docs/spec/console.md#overview)."""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import groupby
from typing import Final, Literal
from urllib.parse import parse_qsl

from trackyard.api.people import preferences
from trackyard.api.statistics import reports
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.form_bodies import MAX_FIELDS
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()

KEPT_AS: Final = "overview"
"""The name of the page in the preferences of a person."""
_HIDDEN: Final = "-"
"""Comes before the name of a hidden card in the preferences."""


@dataclass(frozen=True, slots=True)
class Card:
    """A card.

    side: its column in a wide window. table: what chooses its slice in the address, "" without one.
    narrow: its place in a narrow window while nothing is arranged.
    """

    name: str
    label: str
    side: Literal["wide", "left", "right"]
    narrow: int
    table: str = ""


CARDS: Final = (
    Card("figures", lazy_gettext("Figures"), "wide", 2),
    Card("work", lazy_gettext("Needs you"), "right", 1),
    Card("programs", lazy_gettext("Offers, advertisers, countries"), "left", 3, "by"),
    Card("people", lazy_gettext("Affiliates, managers, sub 1"), "left", 4, "who"),
    Card("rejected", lazy_gettext("Rejected clicks"), "right", 5),
)
"""The cards in their usual order."""
_BY_NAME: Final = {card.name: card for card in CARDS}


@dataclass(frozen=True, slots=True)
class PlacedCard:
    """A card that is shown. place: among the cards of a narrow window, from 1."""

    card: Card
    place: int


@dataclass(frozen=True, slots=True)
class CardBand:
    """Cards side by side in a wide window. wide: one card over the whole width."""

    wide: tuple[PlacedCard, ...]
    left: tuple[PlacedCard, ...]
    right: tuple[PlacedCard, ...]


@dataclass(frozen=True, slots=True)
class Arrangement:
    """The order of all cards.

    hidden: the names of hidden cards. is_usual: whether this is the default arrangement.
    """

    order: tuple[Card, ...]
    hidden: frozenset[str] = frozenset()
    is_usual: bool = True

    @property
    def shown(self) -> tuple[Card, ...]:
        """Return the shown cards in order."""
        return tuple(card for card in self.order if card.name not in self.hidden)

    @property
    def tables(self) -> frozenset[str]:
        """Return the parameters that select the slices of the shown tables."""
        return frozenset(card.table for card in self.shown if card.table)

    @property
    def bands(self) -> tuple[CardBand, ...]:
        """Return the cards as they are placed: a wide one alone, the others left and right of each other."""
        placed = [
            PlacedCard(card, card.narrow if self.is_usual else number) for number, card in enumerate(self.shown, 1)
        ]
        grouped = (tuple(group) for _, group in groupby(placed, lambda each: each.card.side == "wide"))
        return tuple(CardBand(_on("wide", group), _on("left", group), _on("right", group)) for group in grouped)

    @property
    def text(self) -> str:
        """Return it as the preferences keep it."""
        return ",".join(f"{_HIDDEN if card.name in self.hidden else ''}{card.name}" for card in self.order)


def _on(side: str, cards: Iterable[PlacedCard]) -> tuple[PlacedCard, ...]:
    return tuple(each for each in cards if each.card.side == side)


def read_arrangement(request: PageRequest) -> Arrangement:
    """Return the cards in the address (`cards`), else the person's cards, else the default cards."""
    named = [name for name in request.address.get("cards").split(",") if name in _BY_NAME]
    if named:
        return _arranged(named, hidden=_BY_NAME.keys() - set(named))
    kept = request.person.preferences.pages.get(KEPT_AS, "").split(",")
    names = [name.removeprefix(_HIDDEN) for name in kept]
    if not any(name in _BY_NAME for name in names):
        return Arrangement(CARDS)
    return _arranged(names, hidden=(name.removeprefix(_HIDDEN) for name in kept if name.startswith(_HIDDEN)))


def _arranged(names: Iterable[str], hidden: Iterable[str]) -> Arrangement:
    """Return cards in an order; cards missing from it follow, such as cards of a later version."""
    order = dict.fromkeys([*(name for name in names if name in _BY_NAME), *_BY_NAME])
    return Arrangement(tuple(_BY_NAME[name] for name in order), frozenset(hidden), is_usual=False)


@pages.post("/console/cards", needs=(reports.custom,))
def arrange(request: PageRequest) -> PageAnswer:
    """Keep the order and the visibility of the cards with the person."""
    found = Arrangement(CARDS)
    if not request.field("usual"):
        before = {card.name: place for place, card in enumerate(read_arrangement(request).order)}
        wanted = sorted(before, key=lambda name: (_place(request.field(f"place_{name}")), before[name]))
        found = _arranged(wanted, hidden=(name for name in wanted if not request.field(f"show_{name}")))
    text = "" if found.is_usual else found.text
    request.calls.ask(preferences.edit, [(f"pages[{KEPT_AS}]", text)])
    state = tuple(parse_qsl(request.field("state"), max_num_fields=MAX_FIELDS))
    message = gettext("The overview shows its usual cards.") if found.is_usual else gettext("Your cards are saved.")
    return Redirect(str(PageAddress(request.person.home, state).without("cards")), message)


def _place(text: str) -> int:
    """Return the chosen place; the last place where the text is not a number."""
    return int(text) if text.isascii() and text.isdigit() and len(text) == 1 else len(CARDS)
