"""Findings: what needs a person, each with what to do (docs/operating.md#checks).

`FindingKind` is the one registry of kinds, with severity and texts. What looks gives the subject and the evidence.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Final

from trackyard.base.texts.marks import lazy_gettext


class Severity(StrEnum):
    """How grave a finding is. An error stops or breaks something, a warning may be meant."""

    WARNING = "warning"
    ERROR = "error"


_OF_TRAFFIC: Final = (Severity.WARNING, lazy_gettext("{reason}"))


class FindingKind(StrEnum):
    """A kind of finding; the value is its name for programs.

    severity: the severity of every finding of the kind.
    sentence: the problem; advice: the remedy. Both may contain {subject} and the keys of the evidence in braces.
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
        lazy_gettext("{reason}"),
        lazy_gettext("Correct it: docs/configuration.md has every setting. A start ends with exit code 78 until then."),
    )
    SETTING_DOUBTFUL = (
        "setting_doubtful",
        Severity.WARNING,
        lazy_gettext("{reason}"),
        lazy_gettext("Correct {subject}, or remove it."),
    )
    USER_IS_ROOT = (
        "user_is_root",
        Severity.WARNING,
        lazy_gettext(
            "This check runs as root, so a server started the same way does too, and missing rights do not show."
        ),
        lazy_gettext(
            "Give the server a user of its own (docs/operating.md#as-a-service), and run the check as that user."
        ),
    )
    DIRECTORY_UNUSABLE = (
        "directory_unusable",
        Severity.ERROR,
        lazy_gettext("The data directory {subject} cannot be used: {reason}."),
        lazy_gettext("Give it to the server's user (chown, chmod 700), or name another one in TRACKYARD_DATA_DIR."),
    )
    DIRECTORY_OPEN = (
        "directory_open",
        Severity.WARNING,
        lazy_gettext(
            "Other users may enter the data directory {subject} (mode {mode}), which has keys and personal data."
        ),
        lazy_gettext("Run chmod 700 {subject}, and chmod -R go= {subject} for files that an earlier version made."),
    )
    FILES_UNUSABLE = (
        "files_unusable",
        Severity.ERROR,
        lazy_gettext("This user cannot read and write {names} in the data directory {subject}."),
        lazy_gettext(
            "Give all of it to the server's user with chown -R; most often an earlier start as root made such files."
        ),
    )
    DISK_LOW = (
        "disk_low",
        Severity.WARNING,
        lazy_gettext("{free_percent} % of the disk of {subject} is free."),
        lazy_gettext("Give the disk more room, or keep less: docs/retention.md. Below 10 % this is an error."),
    )
    DISK_FULL = (
        "disk_full",
        Severity.ERROR,
        lazy_gettext(
            "{free_percent} % of the disk of {subject} is free: clicks and postbacks are refused once it is full."
        ),
        lazy_gettext("Give the disk more room now, or keep less: docs/retention.md."),
    )
    SQL_SILENT = (
        "sql_silent",
        Severity.ERROR,
        lazy_gettext("The SQL database {subject} does not answer: {reason}."),
        lazy_gettext("Start it, and check TRACKYARD_DATABASE_URL, its host and port, and the firewall."),
    )
    SQL_REFUSED = (
        "sql_refused",
        Severity.ERROR,
        lazy_gettext("The SQL database {subject} answers and refuses: {reason}."),
        lazy_gettext("Check user, password and database name in TRACKYARD_DATABASE_URL, and the rights of that user."),
    )
    STORE_SILENT = (
        "store_silent",
        Severity.ERROR,
        lazy_gettext("ClickHouse at {subject} does not answer: {reason}."),
        lazy_gettext(
            "Start it, and check TRACKYARD_ANALYTICS_URL (the port of HTTP, most often 8123), and the firewall."
        ),
    )
    STORE_REFUSED = (
        "store_refused",
        Severity.ERROR,
        lazy_gettext("ClickHouse at {subject} answers and refuses: {reason}."),
        lazy_gettext("Check user and password in TRACKYARD_ANALYTICS_URL."),
    )
    REDIS_SILENT = (
        "redis_silent",
        Severity.WARNING,
        lazy_gettext(
            "Redis {subject} does not answer: {reason}. Click caps and unique visitors hold on each machine by itself."
        ),
        lazy_gettext("Start it, and check TRACKYARD_REDIS_URL with its user and password, and the firewall."),
    )
    MAIL_REFUSED = (
        "mail_refused",
        Severity.ERROR,
        lazy_gettext("The mail server {subject} cannot be used: {reason}."),
        lazy_gettext(
            "Check host, port, user and password in {place}, and the firewall. Mail waits and is tried again."
        ),
    )
    MAIL_WAITS = (
        "mail_waits",
        Severity.ERROR,
        lazy_gettext("Mails wait: {waiting}, the oldest for {minutes} minutes. The mail server said: {reason}."),
        lazy_gettext("Send a test mail in Settings → Mail, and mend the fault it finds. Mail is tried for 3 days."),
    )
    MAIL_UNTRIED = (
        "mail_untried",
        Severity.WARNING,
        lazy_gettext("Mails wait: {waiting}, the oldest for {minutes} minutes. None of them was tried yet."),
        lazy_gettext("Does a process with the role worker run? Many mails at once take time: look again."),
    )
    MAIL_IN_FILES = (
        "mail_in_files",
        Severity.WARNING,
        lazy_gettext(
            "No mail server is set: mail to people, such as new passwords, is written to {subject} and not sent."
        ),
        lazy_gettext("Set TRACKYARD_SMTP_URL, and TRACKYARD_MAIL_FROM to an e-mail address that it accepts."),
    )
    SECOND_PERSON_MISSING = (
        "second_person_missing",
        Severity.WARNING,
        lazy_gettext(
            "{subject} is on, and the number of active administrators with a password is {administrators}: changes "
            "that one of them asks for need another one."
        ),
        lazy_gettext(
            "Add an administrator (POST /3.1/admin/user), or give one a password (POST /3.1/admin/user/ID/password)."
        ),
    )
    NAME_UNKNOWN = (
        "name_unknown",
        Severity.ERROR,
        lazy_gettext("The name in {variable} {subject} does not resolve: {reason}."),
        lazy_gettext("Add an A or AAAA record for it that leads to the proxy or this machine, or correct {variable}."),
    )
    ADDRESS_PLAIN = (
        "address_plain",
        Severity.WARNING,
        lazy_gettext("{variable} {subject} is not encrypted, so passwords, keys and clicks can be read on the way."),
        lazy_gettext("Put a proxy with TLS in front (docs/deploy.md#a-proxy-in-front), and name its https:// URL."),
    )
    CERTIFICATE_INVALID = (
        "certificate_invalid",
        Severity.ERROR,
        lazy_gettext("The certificate of {variable} {subject} is not valid: {reason}."),
        lazy_gettext(
            "Give the proxy a valid certificate for this name, with the whole chain; browsers refuse this one."
        ),
    )
    CERTIFICATE_ENDS = (
        "certificate_ends",
        Severity.ERROR,
        lazy_gettext("The certificate of {variable} {subject} ends in {days} days, on {end}."),
        lazy_gettext("Renew it, and find out why that did not happen by itself."),
    )
    ADDRESS_SILENT = (
        "address_silent",
        Severity.ERROR,
        lazy_gettext("{variable} {subject} does not answer: {reason}."),
        lazy_gettext("Check the proxy and the firewall, and that the name leads to this server."),
    )
    ADDRESS_WRONG = (
        "address_wrong",
        Severity.ERROR,
        lazy_gettext("{variable} {subject} answers /healthz with {status} instead of 200."),
        lazy_gettext(
            "Check that the proxy passes requests on to this server, and that the URL is spelled as people use it."
        ),
    )
    ADDRESS_UNPROVEN = (
        "address_unproven",
        Severity.WARNING,
        lazy_gettext(
            "{variable} {subject} does not lead to a server yet ({reason}), and none runs in the data directory here."
        ),
        lazy_gettext("Start the server and check again."),
    )
    QUEUE_LATE = (
        "queue_late",
        Severity.WARNING,
        lazy_gettext("The queue {subject} is late: its oldest entry has been due for {seconds} s."),
        lazy_gettext(
            "Look at it again in some minutes. If it is still late, see whether the worker runs and what the log says."
        ),
    )
    QUEUE_STUCK = (
        "queue_stuck",
        Severity.ERROR,
        lazy_gettext("The queue {subject} does not move: its oldest entry has been due for {seconds} s."),
        lazy_gettext("Look at the log: trackyard logs --level error. A restart loses nothing."),
    )
    QUEUE_QUARANTINED = (
        "queue_quarantined",
        Severity.WARNING,
        lazy_gettext("{depth} entries of the queue {subject} are in quarantine: the program could not work on them."),
        lazy_gettext("The log has the reason: trackyard logs --level error."),
    )
    DELIVERIES_FAIL = (
        "deliveries_fail",
        Severity.WARNING,
        lazy_gettext("{waiting} postbacks to {subject} wait after failed attempts, the oldest for {minutes} minutes."),
        lazy_gettext("Tell the affiliate that the host does not take postbacks. They are sent when it does again."),
    )
    RATES_OLD = (
        "rates_old",
        Severity.WARNING,
        lazy_gettext("The newest exchange rates are of {subject}, {days} days ago: amounts are converted by them."),
        lazy_gettext("Check that TRACKYARD_QUOTES_URL can be reached, or enter rates by hand."),
    )
    RATES_FAIL = (
        "rates_fail",
        Severity.WARNING,
        lazy_gettext("Exchange rates could not be read: {reason}."),
        lazy_gettext("Check that {subject} can be reached from this machine."),
    )
    GEO_OLD = (
        "geo_old",
        Severity.WARNING,
        lazy_gettext("The {kind} database {subject} was made {days} days ago, so places of visitors get wrong."),
        lazy_gettext("Replace the file by a newer one; it is read without a restart."),
    )
    TRACKING_CERTIFICATE_ENDS = (
        "tracking_certificate_ends",
        Severity.ERROR,
        lazy_gettext("The certificate {subject} of the tracking listener ends in {days} days, on {end}."),
        lazy_gettext("Replace it, and restart the server."),
    )
    CLOCK_UNSYNCED = (
        "clock_unsynced",
        Severity.WARNING,
        lazy_gettext("The clock of this machine is not set by a time server."),
        lazy_gettext("Run chrony or systemd-timesyncd: clicks, caps and periods follow the clock."),
    )
    CLOCK_DIFFERS = (
        "clock_differs",
        Severity.ERROR,
        lazy_gettext("The clock of this machine differs by {seconds} s from the clock of the SQL database {subject}."),
        lazy_gettext("Set both by a time server (chrony or systemd-timesyncd). A start refuses more than 5 s."),
    )
    DATABASE_OLD = (
        "database_old",
        Severity.WARNING,
        lazy_gettext("{subject} has the version {version}; this program is tested with {least} and newer."),
        lazy_gettext("Upgrade it when you can, after a backup."),
    )
    MACHINE_SILENT = (
        "machine_silent",
        Severity.ERROR,
        lazy_gettext("The machine {subject} has not been seen for {minutes} minutes, and did not end in order."),
        lazy_gettext(
            "Start it again: its journals may hold clicks that are not loaded. If it is lost, see trackyard edges and "
            "trackyard journals restore."
        ),
    )
    EDGE_UNSYNCED = (
        "edge_unsynced",
        Severity.ERROR,
        lazy_gettext("Edges of this machine have rules that are {seconds} s old: what changed is not in force there."),
        lazy_gettext("Does the process with the projector run? trackyard status shows it, and its log the reason."),
    )
    OFFER_REJECTS = (
        "offer_rejects",
        Severity.WARNING,
        lazy_gettext("{percent} % of the {clicks} clicks of offer {subject} were rejected in the last 24 hours."),
        lazy_gettext("Open the offer: “Who gets through” and the reasons of rejected clicks say why."),
    )
    OFFER_CONVERTS_NO_MORE = (
        "offer_converts_no_more",
        Severity.WARNING,
        lazy_gettext(
            "Offer {subject} had {clicks} clicks and no conversion in the last 24 hours, and {before} conversions in "
            "the week before."
        ),
        lazy_gettext("Check its landing page, and that the advertiser still sends postbacks."),
    )
    RULE_FAILS = (
        "rule_fails",
        Severity.WARNING,
        lazy_gettext("The rule {subject} could not run."),
        lazy_gettext("{reason} Open it under Rules, and correct it or switch it off."),
    )
    RULE_FIRED = (
        "rule_fired",
        Severity.WARNING,
        lazy_gettext("The rule {subject} fired {times} times in the last 24 hours."),
        lazy_gettext("Look at what it found under Rules; what is wrong can be undone there."),
    )
    OFFER_URL_FAILS = (
        "offer_url_fails",
        Severity.WARNING,
        lazy_gettext("The URL of offer {subject} reaches no page: {reason}."),
        lazy_gettext("Open its health, and correct the URL or ask the advertiser."),
    )
    OFFER_URL_LOSES_CLICK = (
        "offer_url_loses_click",
        Severity.WARNING,
        lazy_gettext("The URL of offer {subject} loses the click ID on its redirects."),
        lazy_gettext("Open its health, and ask the advertiser to pass the click ID on."),
    )
    MARKED_CLICKS = ("marked_clicks", *_OF_TRAFFIC, lazy_gettext("Ask the affiliate where its clicks come from."))
    MARKED_SUB = ("marked_sub", *_OF_TRAFFIC, lazy_gettext("Ask about this sub, or block it by a rule."))
    FEW_CONVERSIONS = ("few_conversions", *_OF_TRAFFIC, lazy_gettext("Look at IP addresses and hours of its clicks."))
    QUICK_CONVERSIONS = ("quick_conversions", *_OF_TRAFFIC, lazy_gettext("Ask how the affiliate makes its clicks."))
    LATE_CONVERSIONS = ("late_conversions", *_OF_TRAFFIC, lazy_gettext("Ask whether its clicks have visitors."))
    OTHER_DEVICES = ("other_devices", *_OF_TRAFFIC, lazy_gettext("Compare devices of its clicks and conversions."))
    REPEATED_ADDRESSES = ("repeated_addresses", *_OF_TRAFFIC, lazy_gettext("Ask the advertiser whether they are real."))
    POSTBACKS_WITHOUT_CLICK = (
        "postbacks_without_click",
        Severity.WARNING,
        lazy_gettext(
            "{clickless} of {number} postbacks in 7 days named neither a recorded click nor an advertiser by its code."
        ),
        lazy_gettext("Look at the last one ({subject}): its IP address shows who must send the click ID and the code."),
    )
    ROBOTS_JUMP = (
        "robots_jump",
        Severity.WARNING,
        lazy_gettext("{percent} % robots in clicks of {subject}, before {before} %; {people} of 30 days would count."),
        lazy_gettext("Look at the user agents of rejected clicks: phones among them need other patterns."),
    )
    CAP_NEARLY_FULL = (
        "cap_nearly_full",
        Severity.WARNING,
        lazy_gettext("Offer {subject} has used {percent} % of a cap: {value} of {limit}."),
        lazy_gettext("Raise the cap in time, or tell its affiliates."),
    )
    CAP_FULL = (
        "cap_full",
        Severity.WARNING,
        lazy_gettext("A cap of offer {subject} is full: {value} of {limit}."),
        lazy_gettext("Raise the cap, or pause the offer until the next period of the cap."),
    )
    ADVERTISER_SILENT = (
        "advertiser_silent",
        Severity.WARNING,
        lazy_gettext(
            "No postback of advertiser {subject} came for {hours} hours; in the same hours of the last four weeks "
            "{usual} conversions are usual."
        ),
        lazy_gettext("Open its health, and ask the advertiser whether it sends postbacks."),
    )
    OFFER_CLICKS_RISE = (
        "offer_clicks_rise",
        Severity.WARNING,
        lazy_gettext("Offer {subject} had {clicks} clicks in {hours} hours; {usual} are usual in these hours."),
        lazy_gettext("Open the report: affiliates and subs say where the clicks come from."),
    )
    OFFER_CLICKS_FALL = (
        "offer_clicks_fall",
        Severity.WARNING,
        lazy_gettext("Offer {subject} had {clicks} clicks in {hours} hours; {usual} are usual in these hours."),
        lazy_gettext("Open the report, and see which affiliates stopped. Check that the offer is open to them."),
    )
    AFFILIATE_CLICKS_RISE = (
        "affiliate_clicks_rise",
        Severity.WARNING,
        lazy_gettext("Affiliate {subject} sent {clicks} clicks in {hours} hours; {usual} are usual in these hours."),
        lazy_gettext("Open the report: offers and subs say where the clicks come from."),
    )
    AFFILIATE_CLICKS_FALL = (
        "affiliate_clicks_fall",
        Severity.WARNING,
        lazy_gettext("Affiliate {subject} sent {clicks} clicks in {hours} hours; {usual} are usual in these hours."),
        lazy_gettext("Open the report, and ask the affiliate. Check that its offers are open to it."),
    )
    BACKUP_MISSING = (
        "backup_missing",
        Severity.WARNING,
        lazy_gettext("No backup of {subject} was made yet."),
        lazy_gettext("Run trackyard backup each day, for example by cron (docs/operating.md#backups)."),
    )
    BACKUP_OLD = (
        "backup_old",
        Severity.WARNING,
        lazy_gettext("The last backup of {subject} was made {hours} hours ago."),
        lazy_gettext("Find out why trackyard backup does not run: each day is usual (docs/operating.md#backups)."),
    )
    NOT_READY = (
        "not_ready",
        Severity.ERROR,
        lazy_gettext("This machine cannot do all of its work: {reason}."),
        lazy_gettext("Look at the log: trackyard logs --level error."),
    )
    READY_WITH_WARNING = (
        "ready_with_warning",
        Severity.WARNING,
        lazy_gettext("Readiness warns: {reason}."),
        lazy_gettext("docs/operating.md#watching-it explains it."),
    )
    SERVER_AWAY = (
        "server_away",
        Severity.WARNING,
        lazy_gettext("The server does not answer, so readiness and offers were not looked at: {reason}."),
        lazy_gettext("Start it, or name it with --url, and run the command again."),
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem that needs a person.

    subject: the thing concerned, such as a directory or an address, without secrets.
    evidence: the observed values, by their names in the texts of the kind.
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
        """Return the problem as a sentence."""
        return self.kind.sentence.format(subject=self.subject, **self.evidence)

    @property
    def advice(self) -> str:
        """Return the advice against the problem."""
        return self.kind.advice.format(subject=self.subject, **self.evidence)

    def answer(self) -> dict[str, Any]:
        """Return the finding for programs, in English."""
        return {
            "kind": self.kind.value,
            "severity": self.severity.value,
            "subject": self.subject,
            "sentence": self.sentence,
            "evidence": dict(self.evidence),
            "advice": self.advice,
        }


@dataclass(frozen=True, slots=True)
class CheckFindings:
    """What one check found; nothing when all is well.

    name: for programs; title: for people. seen: what was looked at, such as a version; "" = nothing to say.
    """

    name: str
    title: str
    findings: tuple[Finding, ...] = ()
    seen: str = ""

    @property
    def severity(self) -> Severity | None:
        """Return the severity of the gravest finding, None without one."""
        return worst_severity(self.findings)


def worst_severity(findings: Iterable[Finding]) -> Severity | None:
    """Return the severity of the gravest finding, None without one."""
    found = {finding.severity for finding in findings}
    return next((severity for severity in (Severity.ERROR, Severity.WARNING) if severity in found), None)
