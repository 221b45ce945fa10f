"""Digests of a day or a week, in the language of their recipient (docs/spec/alerts.md#digests)."""

import logging
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.failures import refusal_of
from trackyard.actions.platform.alerts.digests import DueDigest, claim_digest, finish_digest
from trackyard.actions.platform.network import get_network
from trackyard.actions.platform.notices import why_account
from trackyard.actions.statistics.report_mails import Letter
from trackyard.api.platform.alerts import alerts
from trackyard.api.statistics import reports
from trackyard.base.errors import ReportsBusy, RequestError, TooManyRequests, Unavailable
from trackyard.base.logs.origin import RequestOrigin
from trackyard.base.texts.languages import language, speaking
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.charts.changes import change_text
from trackyard.console.frame import figures
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import figure_text, value_of
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.persons import find_person
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import money
from trackyard.console.frame.templates import render
from trackyard.console.mailed.tables import svg_of
from trackyard.console.reports_shown.slices import cell_of
from trackyard.console.staff.tops.ranks import read_ranked
from trackyard.domain.people.callers import StaffCaller
from trackyard.domain.platform.alerts.choices import DigestRhythm
from trackyard.domain.platform.files import MailFile
from trackyard.domain.platform.mails.frame import framed, look_of
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, MetricSums
from trackyard.wire.local_calls import CallContext, LocalCalls

Days = Mapping[date, MetricSums]

SHOWN: Final = ("clicks", "conversions", "charge", "payout", "margin")
"""The figures of a digest."""
CHARTS: Final = ("clicks", "conversions", "margin")
DRAWN_DAYS: Final = 14
"""Days of the charts of a daily digest; charts of a weekly one show its days and the week before."""
MOST_ALERTS: Final = 20
_DAYS: Final = {DigestRhythm.DAY: 1, DigestRhythm.WEEK: 7}
_MOVERS: Final = (("offer", lazy_gettext("Offers")), ("affiliate", lazy_gettext("Affiliates")))
_NEEDED: Final = reports.custom

log = logging.getLogger("trackyard.alerts")


@dataclass(frozen=True, slots=True)
class DigestFigure:
    """A figure with its change against the period before."""

    label: str
    text: str
    change: str
    before: str


@dataclass(frozen=True, slots=True)
class Mover:
    """An offer or an affiliate with a great change of the margin."""

    name: str
    change: str
    margin: str
    link: str


@dataclass(frozen=True, slots=True)
class Digest:
    """The content of a digest. alerts: sentences and links. report, overview, all_alerts, choices: links."""

    title: str
    period: str
    before: str
    zone: str
    figures: Sequence[DigestFigure]
    movers: Sequence[tuple[str, Sequence[Mover]]]
    alerts: Sequence[tuple[str, str]]
    report: str
    overview: str
    all_alerts: str
    choices: str


class DigestMailer:
    """Makes digests as their recipients see the statistics. Several may run on one database."""

    def __init__(self, deps: Deps) -> None:
        self._deps = deps
        self._context = CallContext(deps, deps.clock)

    def send_one(self) -> bool:
        """Make the digest that is due the longest, and queue it; False when none is due."""
        due = claim_digest(self._deps)
        if due is None:
            return False
        calls = None if due.caller is None else self._calls(due.caller)
        if due.caller is None or calls is None or not calls.may(_NEEDED):
            finish_digest(self._deps, due, "", None)
            return True
        request = PageRequest(
            deps=self._deps,
            address=PageAddress("/"),
            network=get_network(self._deps),
            person_or_none=find_person(self._deps, due.caller),
            calls_or_none=calls,
        )
        with speaking(language(request.language)):
            self._send(request, due)
        return True

    def _send(self, request: PageRequest, due: DueDigest) -> None:
        """Queue a digest. One that cannot be made now is tried again for two hours, then left out."""
        try:
            letter = digest_letter(request, due.choices.digest)
        except Exception as fault:
            refusal = fault if isinstance(fault, RequestError) else refusal_of(fault)
            if isinstance(refusal, Unavailable | ReportsBusy | TooManyRequests | None) and not due.late:
                level = logging.ERROR if refusal is None else logging.DEBUG
                log.log(level, "digest failed, and is tried again", exc_info=fault)
                return
            log.warning("digest left out", exc_info=fault, extra={"account": due.account.name})
            finish_digest(self._deps, due, "", None)
            return
        if finish_digest(self._deps, due, request.person.email, letter):
            log.info("digest queued", extra={"account": due.account.name, "every": due.choices.digest.value})

    def _calls(self, caller: StaffCaller) -> LocalCalls[Deps]:
        return LocalCalls(self._context, caller, RequestOrigin(), ExitStack)


def digest_letter(request: PageRequest, rhythm: DigestRhythm) -> Letter:
    """Return the digest of the day or the week that ended yesterday. Raises RequestError."""
    period = _period(request, _DAYS[rhythm])
    before, currency, base = period.before, request.deps.currency, request.deps.api_url
    days, days_before = figures.by_day_of_both(request.calls, period, before)
    now, then = figures.total(days.values()), figures.total(days_before.values())
    title = gettext("Digest of a day") if rhythm is DigestRhythm.DAY else gettext("Digest of a week")
    report = f"{base}/console/reports?from={period.first}&to={period.last}&by="
    digest = Digest(
        title=title,
        period=period.text,
        before=period.before_text,
        zone=request.day_zone.key,
        figures=list(_figures(now, then, currency)),
        movers=[(str(label), rows) for name, label in _MOVERS if (rows := _movers(request, period, name))],
        alerts=_alerts(request),
        report=f"{report}day",
        overview=f"{base}/console/?from={period.first}&to={period.last}",
        all_alerts=f"{base}/console/alerts",
        choices=f"{base}/console/alerts/choices",
    )
    return Letter(
        subject=f"{title}: {period.text}",
        text="\n".join(_plain(digest)),
        html=_framed(request, digest),
        attachments=list(_charts(request, period, days, days_before)),
    )


def _framed(request: PageRequest, digest: Digest) -> str:
    look = look_of(request.network, request.deps.api_url)
    content = render("mail_digest.html", {"look": look, "digest": digest})
    return framed(look, digest.title, content, why_account(look), request.language)


def _period(request: PageRequest, days: int) -> DayPeriod:
    """Return the days that ended yesterday, in the zone of reports."""
    now = datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC).astimezone(request.day_zone)
    last = now.date() - timedelta(days=1)
    return DayPeriod(last - timedelta(days=days - 1), last, now.date(), now.hour)


def _figures(now: MetricSums, then: MetricSums, currency: str) -> Iterator[DigestFigure]:
    for name in SHOWN:
        kind = METRIC_BY_NAME[name]
        value, earlier = value_of(kind, now), value_of(kind, then)
        change, _ = change_text(value, earlier, kind.direction)
        yield DigestFigure(str(kind.label), figure_text(kind, now, currency), change, figure_text(kind, then, currency))


def _charts(request: PageRequest, period: DayPeriod, days: Days, before: Days) -> Iterator[MailFile]:
    """Yield a chart of each figure. A day alone is drawn with the days before it."""
    drawn, earlier = period, before
    if period.days == 1:
        drawn = replace(period, first=period.last - timedelta(days=DRAWN_DAYS - 1))
        days, earlier = figures.by_day(request.calls, drawn), {}
    compared = figures.on_each_day(drawn.before, earlier, drawn.days) if earlier else [None] * drawn.days
    for name in CHARTS:
        chart = figure_chart(
            METRIC_BY_NAME[name],
            drawn,
            [days.get(day, MetricSums()) for day in drawn.each_day()],
            compared,
            request.deps.currency,
            None if earlier else "",
            selects=False,
        )
        if svg := svg_of(chart):
            yield MailFile(f"{name}.svg", "image/svg+xml", svg.encode())


def _movers(request: PageRequest, period: DayPeriod, slice_: str) -> list[Mover]:
    """Return the greatest rises, then the greatest falls of the margin."""
    found = []
    for rank in ("up", "down"):
        ranked = read_ranked(request.calls, slice_, rank, period, period.before, ())
        for row in ranked.rows:
            cell, change = cell_of(slice_, row.keys), row.change or Decimal(0)
            sign = "+" if change > 0 else "\N{MINUS SIGN}"
            link = f"{request.deps.api_url}/console/{cell.path}" if cell.path else ""
            text = f"{sign}{money(abs(change), ranked.currency)}"
            found.append(
                Mover(cell.text, text, figure_text(METRIC_BY_NAME["margin"], row.figures, ranked.currency), link)
            )
    return found


def _alerts(request: PageRequest) -> list[tuple[str, str]]:
    """Return the sentences and links of open alerts that the person sees."""
    if not request.calls.may(alerts.list_):
        return []
    found = request.calls.ask(alerts.list_, [("limit", str(MOST_ALERTS))]).alerts
    return [(each.sentence, each.link) for each in found]


def _plain(digest: Digest) -> Iterator[str]:
    yield f"{digest.title}: {digest.period} ({digest.zone})"
    yield ""
    for each in digest.figures:
        yield f"{each.label}: {each.text} ({each.change or '—'}, {digest.before}: {each.before})"
    for label, rows in digest.movers:
        yield ""
        yield f"{label}: {gettext('greatest changes of the margin')}"
        yield from (f"- {each.name}: {each.change}" for each in rows)
    if digest.alerts:
        yield ""
        yield gettext("Open alerts")
        yield from (f"- {sentence} {link}" for sentence, link in digest.alerts)
    yield ""
    yield gettext("The report: %(link)s", link=digest.report)
    yield gettext("Choose what you get by mail, and when: %(link)s", link=digest.choices)
    yield ""
