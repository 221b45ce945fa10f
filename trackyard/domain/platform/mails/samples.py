"""Values of previews and tests of mails (docs/spec/mails.md#preview-and-test)."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.offers.counters import CapType
from trackyard.domain.platform.findings import Finding, FindingKind
from trackyard.domain.platform.mails.kinds import Notice
from trackyard.domain.platform.mails.own_texts import values_of
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

_AMOUNT: Final = Decimal("1020.5")
_BOOTS: Final = MailedOffer(7, "Winter boots")
_SAMPLES: Final[Mapping[str, object]] = {
    "name": "Anna Example",
    "network": "",  # the preview has the network's own
    "login": "anna",
    "password": "correct-horse-battery",
    "offer": _BOOTS,
    "offers": MailList([_BOOTS, MailedOffer(9, "Running shoes")]),
    "affiliate": "Anna Example",
    "advertiser": "Example Shoes",
    "company": "Example Media",
    "owner": "Ben Example",
    "author": "ben@example.com",
    "decider": "cara@example.com",
    "message": lazy_gettext("A text that a person wrote.\nIt has two lines."),
    "email": "anna@example.com",
    "title": lazy_gettext("New offers for the winter"),
    "text": lazy_gettext("A text that a person wrote.\nIt has two lines."),
    "reason": lazy_gettext("A reason that a person wrote."),
    "answer": lazy_gettext("An answer that a person wrote.\nIt has two lines."),
    "comment": lazy_gettext("A comment that a person wrote."),
    "change": lazy_gettext("Payment systems of Anna Example"),
    "state": lazy_gettext("Confirmed"),
    "id": "65a1b2c3d4e5f60718293a4b",
    "payment": 31,
    "number": "INV-2026-0001",
    "credited": "INV-2026-0001",
    "due": "2026-12-14",
    "limit": MailLimit(CapType.CONVERSIONS, Decimal(100), ""),
    "reached": MailLimit(CapType.CONVERSIONS, Decimal(90), ""),
    "pixel": lazy_gettext("Pixel of the order page"),
    "alert": MailFinding(Finding(FindingKind.CAP_FULL, "7", {"value": "100", "limit": "100"})),
    "postback": 12,
    "url": "https://example.com/postback?click={clickid}",
    "rule": lazy_gettext("Too many declined conversions"),
    "what": lazy_gettext("affiliate Anna Example"),
    "readings": lazy_gettext("105 of 250 conversions are declined"),
    "done": lazy_gettext("the connection is paused"),
    "firing": 5,
    "before": "mail.example.com:587",
    "after": "smtp.example.net:465",
}


def sample_values(notice: Notice, currency: str) -> dict[str, object]:
    """Return made-up values of a kind of mail, without `{link}`. currency: of amounts."""
    change = PayoutChange("", (MailPayout(Decimal(20), currency),), (MailPayout(Decimal(25), currency),))
    known = {**_SAMPLES, "amount": MailMoney(_AMOUNT, currency), "changes": MailPayoutChanges((change,))}
    return {name: known[name] for name in values_of(notice) if name != "link"}
