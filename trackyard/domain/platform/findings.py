"""Findings: what needs a person, each with what to do (docs/operating.md#checks).

`FindingKind` is the one registry of kinds. A kind is declared with its severity and its texts; what looks at the
machine gives the subject and the evidence.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any


class Severity(StrEnum):
    """How grave a finding is. An error stops or breaks something, a warning may be meant."""

    WARNING = "warning"
    ERROR = "error"


class FindingKind(StrEnum):
    """A kind of finding; the value is its name for programs.

    severity: of every finding of the kind.
    sentence: what is wrong; advice: what to do. Both may have {subject} and {names} of the evidence.
    """

    severity: Severity
    sentence: str
    advice: str

    def __new__(cls, name: str, severity: Severity, sentence: str, advice: str) -> "FindingKind":
        kind = str.__new__(cls, name)
        kind._value_ = name
        kind.severity, kind.sentence, kind.advice = severity, sentence, advice
        return kind

    SETTING_REFUSED = (
        "setting_refused",
        Severity.ERROR,
        "{reason}",
        "Correct it: docs/configuration.md has every setting. A start ends with exit code 78 until then.",
    )
    SETTING_DOUBTFUL = (
        "setting_doubtful",
        Severity.WARNING,
        "{reason}",
        "Correct {subject}, or remove it.",
    )
    USER_IS_ROOT = (
        "user_is_root",
        Severity.WARNING,
        "This check runs as root, so a server started the same way does too, and missing rights do not show.",
        "Give the server a user of its own (docs/operating.md#as-a-service), and run the check as that user.",
    )
    DIRECTORY_UNUSABLE = (
        "directory_unusable",
        Severity.ERROR,
        "The data directory {subject} cannot be used: {reason}.",
        "Give it to the server's user (chown, chmod 700), or name another one in TRACKYARD_DATA_DIR.",
    )
    DIRECTORY_OPEN = (
        "directory_open",
        Severity.WARNING,
        "Other users may enter the data directory {subject} (mode {mode}), which has keys and personal data.",
        "Run chmod 700 {subject}, and chmod -R go= {subject} for files that an earlier version made.",
    )
    FILES_UNUSABLE = (
        "files_unusable",
        Severity.ERROR,
        "This user cannot read and write {names} in the data directory {subject}.",
        "Give all of it to the server's user with chown -R; most often an earlier start as root made such files.",
    )
    DISK_LOW = (
        "disk_low",
        Severity.WARNING,
        "{free_percent} % of the disk of {subject} is free.",
        "Give the disk more room, or keep less: docs/retention.md. Below 10 % this is an error.",
    )
    DISK_FULL = (
        "disk_full",
        Severity.ERROR,
        "{free_percent} % of the disk of {subject} is free: clicks and postbacks are refused once it is full.",
        "Give the disk more room now, or keep less: docs/retention.md.",
    )
    SQL_SILENT = (
        "sql_silent",
        Severity.ERROR,
        "The SQL database {subject} does not answer: {reason}.",
        "Start it, and check TRACKYARD_DATABASE_URL, the address that it listens on, and the firewall.",
    )
    SQL_REFUSED = (
        "sql_refused",
        Severity.ERROR,
        "The SQL database {subject} answers and refuses: {reason}.",
        "Check user, password and database name in TRACKYARD_DATABASE_URL, and the rights of that user.",
    )
    STORE_SILENT = (
        "store_silent",
        Severity.ERROR,
        "ClickHouse at {subject} does not answer: {reason}.",
        "Start it, and check TRACKYARD_ANALYTICS_URL (the port of HTTP, most often 8123), and the firewall.",
    )
    STORE_REFUSED = (
        "store_refused",
        Severity.ERROR,
        "ClickHouse at {subject} answers and refuses: {reason}.",
        "Check user and password in TRACKYARD_ANALYTICS_URL.",
    )
    REDIS_SILENT = (
        "redis_silent",
        Severity.WARNING,
        "Redis {subject} does not answer: {reason}. Click caps and unique visitors hold on each machine by itself.",
        "Start it, and check TRACKYARD_REDIS_URL with its user and password, and the firewall.",
    )
    MAIL_REFUSED = (
        "mail_refused",
        Severity.ERROR,
        "The mail server {subject} cannot be used: {reason}.",
        "Check host, port, user and password in TRACKYARD_SMTP_URL, and the firewall. Mail waits and is tried again.",
    )
    MAIL_IN_FILES = (
        "mail_in_files",
        Severity.WARNING,
        "No mail server is set: mail to people, such as new passwords, is written to {subject} and not sent.",
        "Set TRACKYARD_SMTP_URL, and TRACKYARD_MAIL_FROM to an address that the mail server accepts.",
    )
    SECOND_PERSON_MISSING = (
        "second_person_missing",
        Severity.WARNING,
        "{subject} is on, and the number of active administrators with a password is {administrators}: changes that "
        "one of them asks for need another one.",
        "Add an administrator (POST /3.1/admin/user), or give one a password (POST /3.1/admin/user/ID/password).",
    )
    NAME_UNKNOWN = (
        "name_unknown",
        Severity.ERROR,
        "The name in {variable} {subject} does not resolve: {reason}.",
        "Add an A or AAAA record for it that leads to the proxy or this machine, or correct {variable}.",
    )
    ADDRESS_PLAIN = (
        "address_plain",
        Severity.WARNING,
        "{variable} {subject} is not encrypted, so passwords, keys and clicks can be read on the way.",
        "Put a proxy with TLS in front (docs/deploy.md#a-proxy-in-front), and name its https:// address.",
    )
    CERTIFICATE_INVALID = (
        "certificate_invalid",
        Severity.ERROR,
        "The certificate of {variable} {subject} is not valid: {reason}.",
        "Give the proxy a valid certificate for this name, with the whole chain; browsers refuse this one.",
    )
    CERTIFICATE_ENDS = (
        "certificate_ends",
        Severity.ERROR,
        "The certificate of {variable} {subject} ends in {days} days, on {end}.",
        "Renew it, and find out why that did not happen by itself.",
    )
    ADDRESS_SILENT = (
        "address_silent",
        Severity.ERROR,
        "{variable} {subject} does not answer: {reason}.",
        "Check the proxy and the firewall, and that the name leads to this server.",
    )
    ADDRESS_WRONG = (
        "address_wrong",
        Severity.ERROR,
        "{variable} {subject} answers /healthz with {status} instead of 200.",
        "Check that the proxy passes requests on to this server, and that the address is spelled as people use it.",
    )
    ADDRESS_UNPROVEN = (
        "address_unproven",
        Severity.WARNING,
        "{variable} {subject} does not lead to a server yet ({reason}), and none runs in the data directory here.",
        "Start the server and check again.",
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """Something that needs a person.

    subject: what it is about, such as a directory or an address, without secrets.
    evidence: what was seen, by the names in the texts of the kind.
    """

    kind: FindingKind
    subject: str
    evidence: Mapping[str, str | int] = field(default_factory=dict)

    @property
    def severity(self) -> Severity:
        """Return how grave it is."""
        return self.kind.severity

    @property
    def sentence(self) -> str:
        """Return what is wrong."""
        return self.kind.sentence.format(subject=self.subject, **self.evidence)

    @property
    def advice(self) -> str:
        """Return what to do."""
        return self.kind.advice.format(subject=self.subject, **self.evidence)

    def answer(self) -> dict[str, Any]:
        """Return the finding for programs."""
        return {
            "kind": self.kind.value,
            "severity": self.severity.value,
            "subject": self.subject,
            "sentence": self.sentence,
            "evidence": dict(self.evidence),
            "advice": self.advice,
        }
