"""Typed values, in the language of the recipient (docs/spec/platform.md#mail)."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from trackyard.base.texts.marks import gettext, ngettext
from trackyard.domain.money.written_amounts import NO_BREAK, amount_words, grouped
from trackyard.domain.offers.counters import CapType
from trackyard.domain.platform.findings import Finding


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


@dataclass(frozen=True, slots=True)
class MailLimit:
    """A limit of a cap, or its count.

    currency: the currency of a budget; "" for counts.
    """

    type: CapType
    amount: Decimal
    currency: str

    def __str__(self) -> str:
        """Return it in words: 100 conversions, $500.00."""
        if self.type is CapType.BUDGET:
            return amount_words(self.amount, self.currency)
        number = int(self.amount)
        if self.type is CapType.CLICKS:
            return ngettext("%(num)d click", "%(num)d clicks", number)
        return ngettext("%(num)d conversion", "%(num)d conversions", number)


@dataclass(frozen=True, slots=True)
class MailPayout:
    """The payout of a conversion.

    is_share: whether the amount is a percentage of the sum; then it has no currency.
    """

    amount: Decimal
    currency: str
    is_share: bool = False

    def __str__(self) -> str:
        """Return it in words: $20.00, 12.5 %."""
        if not self.is_share:
            return amount_words(self.amount, self.currency)
        return f"{grouped(f'{self.amount.normalize():,f}')}{NO_BREAK}%"


@dataclass(frozen=True, slots=True)
class PayoutChange:
    """The payouts of a goal before and after a change.

    before, after: () = the goal was not paid, or is not paid any more.
    goal: its name, "" = it needs none.
    """

    goal: str
    before: tuple[MailPayout, ...]
    after: tuple[MailPayout, ...]

    def __str__(self) -> str:
        """Return it as a line: Sale: $20.00 → $25.00; with the payout alone where its conditions changed."""
        before, after = (", ".join(map(str, each)) or gettext("not paid") for each in (self.before, self.after))
        change = after if before == after else f"{before} → {after}"
        return f"{self.goal}: {change}" if self.goal else change


@dataclass(frozen=True, slots=True)
class MailPayoutChanges:
    """The payouts that a change has changed, by goal."""

    changes: tuple[PayoutChange, ...]

    def __str__(self) -> str:
        """Return the first change, and how many others there are."""
        names, more = [str(each) for each in self.changes], len(self.changes) - 1
        if more < 1:
            return "".join(names)
        return ngettext("%(first)s and %(num)d more", "%(first)s and %(num)d more", more, first=names[0])


@dataclass(frozen=True, slots=True)
class MailFinding:
    """A problem that was found, in words of the language of the moment."""

    finding: Finding

    def __str__(self) -> str:
        """Return it as a sentence."""
        return self.finding.sentence


def plain_value(value: object) -> str:
    """Return a value as plain text has it: links with their URLs."""
    match value:
        case MailLink(name, url):
            return f"{name} <{url}>" if url else name
        case MailList(items):
            return "\n".join(f"- {plain_value(each)}" for each in items)
        case MailPayoutChanges(changes):
            return "\n".join(f"- {each}" for each in changes)
        case _:
            return str(value)
