"""An event as it is stored, and the line and page of its notices (docs/spec/events.md)."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

from trackyard.domain.events.kinds import EVENT_RULES, EventKind, EventRule, NoticeRule
from trackyard.domain.offers.counters import CapType
from trackyard.domain.people.callers import Account
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.mails.values import (
    MailedOffer,
    MailFinding,
    MailLimit,
    MailList,
    MailMoney,
    MailPayout,
    MailPayoutChanges,
    PayoutChange,
)
from trackyard.domain.platform.mails.writing import write_subject

TYPED: Final = ("reason", "answer", "comment", "text")
"""The fields of payloads that hold what a person typed."""
_FINDINGS: Final = {kind.value: kind for kind in FindingKind}


@dataclass(frozen=True, slots=True)
class Concerned:
    """What a new event is about.

    id: the id of the object that changed. The other fields are as of Event.
    """

    id: object = ""
    affiliate_id: int | None = None
    advertiser_id: str = ""
    offer_id: int | None = None
    account: Account | None = None
    is_silent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """A fact that was stored with the change that made it.

    id: 24 hex digits. seq: its number, from 1 without gaps, in the order in which events were committed; None until
        the job has numbered it. Readers see numbered events only.
    at: UTC milliseconds. actor: the account that acted, such as "staff:…"; "" = the program.
    subject: the id of the object that changed.
    affiliate_id, advertiser_id, offer_id: the objects concerned, by which it is decided who may see it.
    account: the one account that it is about; "" = none.
    is_silent: whether its notices are for the bell alone, as the request wished.
    """

    id: str
    seq: int | None
    kind: EventKind
    at: int
    actor: str
    subject: str
    affiliate_id: int | None = None
    advertiser_id: str = ""
    offer_id: int | None = None
    account: str = ""
    is_silent: bool = False
    payload: Mapping[str, Any] = field(default_factory=dict)

    @property
    def rule(self) -> EventRule:
        """Return the rule of its kind."""
        return EVENT_RULES[self.kind]

    def values(self) -> dict[str, object]:
        """Return the values of the placeholders in texts and pages of notices."""
        known: dict[str, object] = {
            "subject": self.subject,
            "affiliate_id": "" if self.affiliate_id is None else str(self.affiliate_id),
            "advertiser_id": self.advertiser_id,
        }
        return known | {name: read_value(self.payload.get(name, "")) for name in self.rule.fields}


def write_value(value: object) -> Any:
    """Return a value of a payload as JSON. The values of mails keep their type."""
    match value:
        case MailLimit(kind, amount, currency):
            return {"limit": kind.value, "amount": str(amount), "currency": currency}
        case MailPayoutChanges(changes):
            return {"payouts": [[each.goal, *map(_write_payouts, (each.before, each.after))] for each in changes]}
        case MailFinding(Finding(kind, subject, evidence)):
            return {"finding": kind.value, "subject": subject, "evidence": dict(evidence)}
        case MailMoney(amount, currency):
            return {"amount": str(amount), "currency": currency}
        case MailedOffer(offer_id, title):
            return {"offer": offer_id, "title": title}
        case MailList(items):
            return [write_value(each) for each in items]
        case _:
            return str(value)


def _write_payouts(payouts: Iterable[MailPayout]) -> list[Any]:
    return [[str(each.amount), each.currency, each.is_share] for each in payouts]


def _read_payouts(stored: Iterable[Any]) -> tuple[MailPayout, ...]:
    return tuple(MailPayout(Decimal(amount), currency, is_share) for amount, currency, is_share in stored)


def read_value(stored: Any) -> object:
    """Return a value of a payload from JSON."""
    match stored:
        case {"limit": kind, "amount": amount, "currency": currency}:
            return MailLimit(CapType(kind), Decimal(amount), currency)
        case {"payouts": changes}:
            read = (PayoutChange(goal, _read_payouts(old), _read_payouts(new)) for goal, old, new in changes)
            return MailPayoutChanges(tuple(read))
        case {"finding": kind, "subject": subject, "evidence": evidence}:
            return MailFinding(Finding(_FINDINGS[kind], subject, evidence))
        case {"amount": amount, "currency": currency}:
            return MailMoney(Decimal(amount), currency)
        case {"offer": offer_id, "title": title}:
            return MailedOffer(offer_id, title)
        case list():
            return MailList([each for each in map(read_value, stored) if isinstance(each, MailedOffer)])
        case _:
            return str(stored)


def line_of(event: Event, template: str) -> str:
    """Return an event as one line, in the language that is spoken."""
    return " ".join(write_subject(str(template), event.values()).split())


def words_of(event: Event) -> str:
    """Return the words that a person typed with an event, such as a reason; "" for none."""
    values = event.values()
    return next((str(values[name]) for name in TYPED if values.get(name)), "")


def page_of(event: Event, rule: NoticeRule, page_of_mail: str, home: str) -> str:
    """Return the path that a notice leads to, "" for none.

    page_of_mail: the page of the mail. home: the first page of the person, such as /portal/.
    """
    page = rule.page or page_of_mail
    if not page and event.offer_id is not None:
        page = f"offers/{event.offer_id}"
    return home + write_subject(page, event.values()) if page else ""
