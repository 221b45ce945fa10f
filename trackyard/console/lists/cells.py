"""What the cells of a list show, and what they are in its file (docs/spec/console.md#lists)."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final

from trackyard.base.texts.marks import gettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.shown import Number

_WORD: Final = re.compile(r"[^\W\d_]{2}")
NOTHING: Final = "\N{EM DASH}"


@dataclass(frozen=True, slots=True)
class PageLink:
    """A link. to: "" = it is text alone.

    about: its accessible name, where several links have the same text. tone: the class of its line below a cell.
    """

    text: str
    to: str | PageAddress
    about: str = ""
    tone: str = ""


@dataclass(frozen=True, slots=True)
class Act:
    """A button of a row.

    path: the page that its form is sent to; "" = the page of the list's selection, which is sent with the first field.
    about: its accessible name. is_plain: whether it looks like a link. is_link: whether it opens `path`.
    """

    label: str
    path: str = ""
    fields: tuple[Pair, ...] = ()
    about: str = ""
    is_plain: bool = False
    is_link: bool = False


@dataclass(frozen=True, slots=True)
class FileAmount:
    """An amount of money in a file: two columns, the number and its currency."""

    number: Decimal
    currency: str


@dataclass(frozen=True, slots=True)
class Part:
    """A cell with a form of its own. template: includes it, with the values as `part`."""

    template: str
    values: Mapping[str, object]


@dataclass(frozen=True, slots=True)
class ListCell:
    """What a cell shows.

    text: "" is shown as a dash. link: leads to a page, for people who may open it.
    below: smaller lines below it. mark: the class of a status, "" for other cells. why: the text behind "why?".
    at: a time of the answer, which is shown in the zone of the person. is_code: whether it is an id.
    is_gone: whether the text is struck out. tags: are shown instead of the text.
    value: in files, where it differs from the text.
    """

    text: str = ""
    link: str | PageAddress = ""
    below: tuple[str | PageLink, ...] = ()
    mark: str = ""
    why: str = ""
    why_of: str = ""
    at: str = ""
    is_code: bool = False
    is_gone: bool = False
    tags: tuple[str, ...] = ()
    acts: tuple[Act, ...] = ()
    part: Part | None = None
    value: object = field(default=None)

    @property
    def has_words(self) -> bool:
        """Return whether the text has a word, so that a link is clear without its column."""
        return _WORD.search(self.text) is not None


def cell(text: str, *below: str | PageLink, link: str | PageAddress = "") -> ListCell:
    """Return a text with lines below it. Empty lines are left out."""
    return ListCell(text, link, _filled(below))


def code(text: str, *below: str | PageLink) -> ListCell:
    """Return an id, with lines below it."""
    return ListCell(text, below=_filled(below), is_code=True)


def moment(at: str | None, *below: str | PageLink, link: str = "") -> ListCell:
    """Return a time of an answer."""
    return ListCell(at=at or "", link=link, below=_filled(below))


def status(word: str, mark: str, *below: str | PageLink, why: str = "", why_of: str = "") -> ListCell:
    """Return a status: a word, a colour and a shape. why_of: the owner of the reason, for screen readers."""
    return ListCell(word, below=_filled(below), mark=mark, why=why, why_of=why_of)


def count(value: int, *below: str | PageLink, link: str | PageAddress = "") -> ListCell:
    """Return a whole number."""
    return ListCell(shown.number(value), link, _filled(below), value=value)


def money(amount: Number, currency: str, *below: str | PageLink, link: str | PageAddress = "") -> ListCell:
    """Return an amount with its currency."""
    return ListCell(shown.money(amount, currency), link, _filled(below), value=amount_of(amount, currency))


def worth(conversion_status: str, amount: Number, currency: str) -> ListCell:
    """Return an amount of a conversion; what a declined one was worth is struck out."""
    if conversion_status != "declined":
        return money(amount, currency)
    text = gettext("was %(amount)s", amount=shown.money(amount, currency))
    return ListCell(text, is_gone=True, value=amount_of(amount, currency))


def tags(names: Iterable[str]) -> ListCell:
    """Return words in boxes."""
    found = tuple(names)
    return ListCell(tags=found, value=", ".join(found))


def acts(*buttons: Act | None) -> ListCell:
    """Return the buttons of a row."""
    return ListCell(acts=tuple(each for each in buttons if each is not None), value="")


def amount_of(amount: Number, currency: str) -> FileAmount:
    """Return an amount as files have it."""
    return FileAmount(Decimal(str(amount)), currency)


def _filled(lines: Iterable[str | PageLink]) -> tuple[str | PageLink, ...]:
    return tuple(each for each in lines if each)
