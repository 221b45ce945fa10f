"""Typed values, in the language of the recipient (docs/spec/platform.md#mail)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from trackyard.base.texts.marks import ngettext
from trackyard.domain.money.written_amounts import amount_words


@dataclass(frozen=True, slots=True)
class MailMoney:
    """An amount, shown in the places of its currency."""

    amount: Decimal
    currency: str

    def __str__(self) -> str:
        """Return it in words: $1,020.50."""
        return amount_words(self.amount, self.currency)


@dataclass(frozen=True, slots=True)
class MailLink:
    """A name with the page of the thing. url: "" = it has no page for the recipient."""

    name: str
    url: str = ""

    def __str__(self) -> str:
        """Return the name."""
        return self.name


@dataclass(frozen=True, slots=True)
class MailedOffer:
    """An offer. In a mail it becomes a link to its page."""

    id: int
    title: str

    def __str__(self) -> str:
        """Return its name: #7 Shoes."""
        return f"#{self.id} {self.title}"

    def link(self, home: str) -> MailLink:
        """Return its name with its page. home: the beginning of the recipient's pages, "" = it has none."""
        return MailLink(str(self), f"{home}offers/{self.id}" if home else "")


@dataclass(frozen=True, slots=True)
class MailPersonal:
    """A text of staff, in which `{name}` is the name of the recipient. Other braces stay as they are."""

    text: str

    def __str__(self) -> str:
        """Return the text as it was written."""
        return self.text

    def to(self, name: str) -> str:
        """Return the text for a recipient."""
        return self.text.replace("{name}", name)


@dataclass(frozen=True, slots=True)
class MailList:
    """Things in lines of their own."""

    items: Sequence[MailLink | MailedOffer]

    def __str__(self) -> str:
        """Return the first thing, and how many others there are."""
        names, more = [str(each) for each in self.items], len(self.items) - 1
        if more < 1:
            return "".join(names)
        return ngettext("%(first)s and %(num)d more", "%(first)s and %(num)d more", more, first=names[0])


def plain_value(value: object) -> str:
    """Return a value as plain text has it: links with their URLs."""
    match value:
        case MailLink(name, url):
            return f"{name} <{url}>" if url else name
        case MailList(items):
            return "\n".join(f"- {plain_value(each)}" for each in items)
        case _:
            return str(value)
