"""Whether the platform works: findings, queues, disk, versions (docs/spec/console.md#health)."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trackyard.api.platform import rebuild, status
from trackyard.base.errors import ReportTooHeavy, Unavailable
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.translations import advice_text, translated_sentence
from trackyard.console.staff.work import work_of

pages = Pages()

PATH: Final = "/console/health"
_LATE_S: Final = 60
_STUCK_S: Final = 600
"""Seconds from which on a queue is late, and needs a person."""
_QUEUES: Final[dict[str, tuple[str, str]]] = {
    "projector": (
        lazy_gettext("Loader of journals"),
        lazy_gettext("It loads nothing while it is late: look at the log of the server."),
    ),
    "journal": (
        lazy_gettext("Journals to load"),
        lazy_gettext("Reports and conversions are late by as much; nothing is lost."),
    ),
    "rules": (
        lazy_gettext("Rules of the click path"),
        lazy_gettext("Changes of offers are in force after as much time."),
    ),
    "inbox": (lazy_gettext("Inbound postbacks to decide"), lazy_gettext("The worker decides them: does it run?")),
    "waiting": (
        lazy_gettext("Postbacks that wait for their click"),
        lazy_gettext("They are decided when the click is loaded."),
    ),
    "inbox_quarantined": (
        lazy_gettext("Quarantined postbacks"),
        lazy_gettext("The log of the server has the reason: “postback quarantined”."),
    ),
    "edits": (lazy_gettext("Edits and imports of conversions"), lazy_gettext("The worker makes them: does it run?")),
    "edits_quarantined": (
        lazy_gettext("Quarantined edits and imports"),
        lazy_gettext("The log of the server has the reason."),
    ),
    "outbox": (lazy_gettext("Conversions and logs to load"), lazy_gettext("Reports are late by as much.")),
    "deliveries": (
        lazy_gettext("Postbacks to affiliates that are due"),
        lazy_gettext("Minutes: many hosts of affiliates are slow or away."),
    ),
    "mail": (
        lazy_gettext("Mails that are due"),
        lazy_gettext("Minutes: the mail server is away. Look at the settings of mail."),
    ),
    "events": (
        lazy_gettext("Events of which people have not heard"),
        lazy_gettext("The worker makes their notices: does it run?"),
    ),
    "fetches": (lazy_gettext("Creatives to download"), lazy_gettext("Their hosts are slow or away.")),
}
"""A lag of the API: its word, and what it means."""
_ADVICE: Final[tuple[tuple[str, str], ...]] = (
    ("disk", lazy_gettext("Make room on the disk, or shorten TRACKYARD_LOG_DAYS.")),
    (
        "projector",
        lazy_gettext("Run `trackyard check` on the server, and look at its log with `trackyard logs --level error`."),
    ),
    ("rules", lazy_gettext("Does the process with the projector run? `trackyard status` on its machine shows it.")),
    ("quarantin", lazy_gettext("The log of the server has the reason: `trackyard logs --level error`.")),
    ("role", lazy_gettext("Its log shows why it ends: `trackyard logs --level error`.")),
    ("database", lazy_gettext("Is the database up? `trackyard check` tries it.")),
    ("store", lazy_gettext("Is the analytic store up? `trackyard check` tries it.")),
)
"""A word of a finding, and what to do."""
_SAID_BY_STATE: Final = frozenset({"not_ready", "ready_with_warning"})
"""Kinds of findings that repeat sentences of the machine's state."""
_CERTIFICATES: Final = frozenset({"api_url", "tracking_url", "tracking_certificate"})
"""Checks that say on which day a certificate ends."""
_SEVERITIES: Final = {
    "ok": (lazy_gettext("fine"), "confirmed"),
    "warning": (lazy_gettext("warning"), "pending"),
    "error": (lazy_gettext("error"), "declined"),
}
"""The word and the tone of a severity."""
_USUAL: Final = lazy_gettext("Run `trackyard check` on the server: it shows what to do.")
_UNITS: Final = ((1 << 40, "TB"), (1 << 30, "GB"), (1 << 20, "MB"), (1 << 10, "KB"))
_ROWS: Final = {
    "clicks": lazy_gettext("Clicks"),
    "impressions": lazy_gettext("Impressions"),
    "conversions": lazy_gettext("Conversions"),
    "inbound_postbacks": lazy_gettext("Inbound postbacks in the log"),
    "deliveries": lazy_gettext("Deliveries in the log"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class PageFinding:
    """What keeps the platform from serving, or needs a look.

    advice: what to do. link: of the page that shows why, "" = this one.
    """

    sentence: str
    advice: str
    stops: bool
    link: str = ""


@dataclass(frozen=True, slots=True)
class CheckRow:
    """A check with the word and the tone of its severity. seen: what was looked at."""

    title: str
    seen: str
    word: str
    tone: str


@dataclass(frozen=True, slots=True)
class QueueRow:
    """The lag of a queue. tone: of its status."""

    label: str
    seconds: float
    lag: str
    word: str
    tone: str
    meaning: str


@pages.get(PATH, needs=(status.show,))
def health(request: PageRequest) -> PageAnswer:
    """Show the state of the machine that answers."""
    found = request.calls.ask(status.show).platform
    disk, rows = found.disk, found.rows
    checks = request.calls.ask(status.list_findings).checks
    request.seen_findings.keep(request.language, [finding for check in checks for finding in check.findings])
    return request.page(
        "system/health.html",
        state=found,
        findings=[*_findings(found), *_found_by_checks(request, checks)],
        checks=[_check_row(check) for check in checks],
        queues=[_queue(name, lag) for name, lag in sorted(found.lag_seconds.items())],
        free=size_text(disk.free),
        total=size_text(disk.total),
        used_share=1 - disk.free / disk.total if disk.total else 0,
        uptime=span_text(found.uptime_seconds),
        stored=[(label, getattr(rows, name)) for name, label in _ROWS.items()],
        rebuild=_rebuild(request),
        api_request_path=request.calls.address(status.show),
    )


def find_slowest(request: PageRequest) -> QueueRow | None:
    """Return the queue that is the latest; None where the person may not see it, or it cannot be read now."""
    if not request.calls.may(status.show):
        return None
    try:
        lags = request.calls.ask(status.show).platform.lag_seconds
    except (ReportTooHeavy, Unavailable):
        return None
    return max((_queue(name, lag) for name, lag in lags.items()), key=lambda each: each.seconds, default=None)


def size_text(size: int) -> str:
    """Return a number of bytes in the largest unit that fits."""
    factor, unit = next(((factor, unit) for factor, unit in _UNITS if size >= factor), (1, "bytes"))
    return f"{size / factor:,.1f} {unit}" if factor > 1 else gettext("%(size)s bytes", size=size)


def span_text(seconds: float) -> str:
    """Return a time in its two largest units: 3 d 4 h, 12 s."""
    whole = int(seconds)
    parts = [(whole // 86_400, "d"), (whole // 3600 % 24, "h"), (whole // 60 % 60, "min"), (whole % 60, "s")]
    first = next((place for place, (count, _) in enumerate(parts) if count), 3)
    return " ".join(f"{count} {unit}" for count, unit in parts[first : first + 2] if count) or "0 s"


def _findings(found: status.StatusView) -> Iterable[PageFinding]:
    for sentences, stops in ((found.reasons, True), (found.warnings, False)):
        for sentence in sentences:
            advice = next((text for word, text in _ADVICE if word in sentence.lower()), _USUAL)
            words = translated_sentence(sentence)
            yield PageFinding(f"{words[:1].upper()}{words[1:]}", advice, stops)


def _found_by_checks(request: PageRequest, checks: Iterable[status.CheckView]) -> Iterable[PageFinding]:
    """Yield the findings of checks, except findings that the state of the machine already shows."""
    for check in checks:
        for each in check.findings:
            if each.kind not in _SAID_BY_STATE:
                link = work_of(each).link
                shown = link if link != PATH and request.may_open(link.partition("?")[0]) else ""
                yield PageFinding(each.sentence, advice_text(each), each.severity == "error", shown)


def _check_row(check: status.CheckView) -> CheckRow:
    word, tone = _SEVERITIES[check.severity]
    title, seen = check.title, check.seen
    if seen and check.check in _CERTIFICATES:
        seen = gettext("Its certificate ends on %(day)s.", day=seen)
    return CheckRow(f"{title[:1].upper()}{title[1:]}", seen, word, tone)


def _queue(name: str, lag: float) -> QueueRow:
    label, meaning = _QUEUES.get(name, (name.replace("_", " ").capitalize(), ""))
    word, tone = (gettext("on time"), "confirmed") if lag < _LATE_S else ("late", "pending")
    if lag >= _STUCK_S:
        word, tone = "stuck", "declined"
    return QueueRow(label, lag, span_text(lag), word, tone, meaning if lag >= _LATE_S else "")


def _rebuild(request: PageRequest) -> rebuild.RebuildView | None:
    """Return the last rebuild of the analytic store, or None."""
    return request.calls.ask(rebuild.show).rebuild if request.calls.may(rebuild.show) else None
