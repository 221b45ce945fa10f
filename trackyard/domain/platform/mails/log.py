"""The log of mails (docs/spec/mails.md#log)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.platform.mails.labels import MAIL_LABELS


class MailState(StrEnum):
    """What became of a mail. REFUSED: by the mail server, for good. GIVEN_UP: it was tried for days."""

    QUEUED = "queued"
    SENT = "sent"
    REFUSED = "refused"
    GIVEN_UP = "given_up"


class OtherMail(StrEnum):
    """The kinds of mails without a text that staff may write."""

    REPORT = "report"
    ALERT = "alert"
    DIGEST = "digest"
    OTHER = "other"


KINDS: Final[Mapping[str, str]] = {
    **{kind.value: label.title for kind, label in MAIL_LABELS.items()},
    OtherMail.REPORT: lazy_gettext("Saved report"),
    OtherMail.ALERT: lazy_gettext("Alert"),
    OtherMail.DIGEST: lazy_gettext("Digest"),
    OtherMail.OTHER: lazy_gettext("Other mail"),
}
"""The names of all kinds on pages."""


@dataclass(frozen=True, slots=True)
class LoggedMail:
    """A mail in the log.

    kind: one of KINDS. answer: the last one of a mail server that refused it, "" = none.
    created_at, changed_at: UTC milliseconds.
    """

    id: str
    recipient: str
    kind: str
    subject: str
    state: MailState
    attempts: int
    answer: str
    created_at: int
    changed_at: int


@dataclass(frozen=True, slots=True)
class MailFilter:
    """Which mails of the log. "" and None = any.

    recipient: a part of the e-mail address. since, until: UTC milliseconds.
    """

    recipient: str = ""
    kind: str = ""
    state: str = ""
    since: int | None = None
    until: int | None = None


@dataclass(frozen=True, slots=True)
class MailRefusal:
    """An address that mail servers refuse. since: UTC milliseconds. answer: the last one."""

    email: str
    since: int
    answer: str
