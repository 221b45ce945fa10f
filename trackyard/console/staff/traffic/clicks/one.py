"""The page of one click: why it was accepted or rejected (docs/spec/console.md#traffic)."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Final

from trackyard.api.offers import connections, offers
from trackyard.api.statistics import clicks
from trackyard.api.tracking import click_check, explain
from trackyard.api.tracking.click_check import ClickCheckView, RecordedClickView
from trackyard.api.tracking.explain import ExplanationView
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists.objects import AFFILIATES, OFFERS
from trackyard.console.staff.traffic.clicks.steps import evidence_of
from trackyard.console.staff.traffic.reasons import REJECTIONS, Mend, rejection_sentence
from trackyard.console.staff.traffic.words import forgiven_words
from trackyard.console.staff.translations import translated_sentence
from trackyard.console.tracking.clicks import PATH

pages = Pages()

_DAYS: Final = 7
"""Days in which clicks that were rejected for the same reason are counted."""
_SAID_BY_VERDICT: Final = ("click-rejected", "click-not-counted")
"""The conclusions that say the same as the verdict of the page."""


@dataclass(frozen=True, slots=True)
class ClickFact:
    """A line of the card of the click. link: where its value leads."""

    label: str
    value: str
    more: str = ""
    link: str = ""


@dataclass(frozen=True, slots=True)
class MendButton:
    """A button that mends what rejected a click.

    link: where it leads; "" = it sends the form `action` with `fields`.
    """

    label: str
    link: str = ""
    action: str = ""
    fields: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WhyVerdict:
    """The decision in one sentence.

    more: what mends it. extent: how many clicks had the same end lately. see: the list of them.
    """

    passed: bool
    sentence: str
    more: str
    extent: str
    see: PageAddress | None
    buttons: tuple[MendButton, ...]


@pages.get(f"{PATH}/{{id}}", needs=(explain.explain,))
def click_page(request: PageRequest) -> PageAnswer:
    """Show why a click was accepted or rejected."""
    explained = request.calls.ask(click_check.explain, path={"id": request.key})
    click, today = explained.click, explained.today
    explanation = request.calls.ask(explain.explain, [("id", click.id)]).explanation
    names = _Names.of(request, click)
    return request.page(
        "staff/traffic/click.html",
        click=click,
        names=names,
        verdict=_verdict(request, click, today, names),
        evidence=evidence_of(click, today),
        facts=_facts(click, today, explanation),
        conclusions=[
            " ".join(translated_sentence(part) for part in (each.sentence, each.advice) if part)
            for each in ([] if explanation is None else explanation.conclusions)
            if each.code not in _SAID_BY_VERDICT
        ],
        curl=f"curl -H 'API-Key: KEY' '{request.calls.address(click_check.explain, path={'id': click.id})}'",
    )


@pages.post(f"{PATH}/{{id}}/connect", needs=(connections.enable_affiliate, click_check.explain))
def connect(request: PageRequest) -> PageAnswer:
    """Connect the affiliate of a click to its offer."""
    click = request.calls.ask(click_check.explain, path={"id": request.key}).click
    sent = [("offer_id", str(click.offer_id)), ("pid", str(click.pid))]
    request.calls.ask(connections.enable_affiliate, sent)
    message = gettext(
        "Affiliate %(pid)s is connected to offer %(offer_id)s. Later clicks count.",
        pid=click.pid,
        offer_id=click.offer_id,
    )
    return Redirect(f"{PATH}/{click.id}", message)


@dataclass(frozen=True, slots=True)
class _Names:
    """The title of a click's offer and the name of its affiliate; an id where the person may not see it."""

    offer: str
    affiliate: str

    @classmethod
    def of(cls, request: PageRequest, click: RecordedClickView) -> "_Names":
        """Return the title and the name for a click."""
        offer, pid = click.offer_id, click.pid
        offers = OFFERS.names(request.calls, [offer])
        people = AFFILIATES.names(request.calls, [pid])
        return cls(offers.get(str(offer)) or f"#{offer}", people.get(str(pid)) or f"#{pid}")


def _verdict(request: PageRequest, click: RecordedClickView, today: ClickCheckView, names: _Names) -> WhyVerdict:
    if click.passed:
        counted = gettext("Accepted: every check passed.")
        left_out = gettext(
            "Accepted. Statistics leave it out: the visitor was seen, and the offer counts unique visitors only."
        )
        return WhyVerdict(True, left_out if click.reason else counted, "", "", None, ())
    words = REJECTIONS.get(click.reason)
    extent, see = _extent(request, click, names)
    mends = words.mends if words else (Mend.OFFER,)
    buttons = tuple(button for mend in mends for button in [_button(request, mend, click, today, names)] if button)
    advice = gettext(words.advice) if words else ""
    if today.passes:
        advice = gettext("With the rules of today the same click gets through.")
    return WhyVerdict(False, rejection_sentence(click.reason, click.detail), advice, extent, see, buttons)


def _extent(request: PageRequest, click: RecordedClickView, names: _Names) -> tuple[str, PageAddress | None]:
    """Return how many clicks were rejected for the same reason, and the list of them.

    Both have the clicks of the affiliate on the offer in the last seven days; for an older click, in the seven days up
    to it.
    """
    period, _ = read_period(PageAddress("", (("period", "7d"),)), request.deps.clock.now_ms(), request.day_zone)
    first, last = period.first, period.last
    day = click.created_at[:10]
    if day < first.isoformat():
        last = type(first).fromisoformat(day)
        first = last - timedelta(days=_DAYS - 1)
    span = [("date_from", first.isoformat()), ("date_to", last.isoformat())]
    chosen = [("offer[]", str(click.offer_id)), ("partner[]", str(click.pid)), ("reason[]", click.reason)]
    try:
        answer = request.calls.ask(clicks.list_clicks, [*span, *chosen, ("limit", "1")])
    except RequestError:  # too many at once: the page is complete without it
        return "", None
    total = answer.pagination.total_count
    is_now = last == period.last
    when = (
        gettext("in the last %(days)s days", days=_DAYS)
        if is_now
        else gettext("in the %(days)s days up to then", days=_DAYS)
    )
    if total < 2:
        return gettext(
            "It is the only click of %(affiliate)s that was rejected for it %(when)s.",
            affiliate=names.affiliate,
            when=when,
        ), None
    pairs = (
        ("from", first.isoformat()), ("to", last.isoformat()), ("reason", click.reason),
        ("offer", str(click.offer_id)), ("affiliate", str(click.pid)),
    )  # fmt: skip
    text = ngettext(
        "%(num)d click of %(affiliate)s on this offer was rejected for the same reason %(when)s.",
        "%(num)d clicks of %(affiliate)s on this offer were rejected for the same reason %(when)s.",
        total,
        affiliate=names.affiliate,
        when=when,
    )
    return text, PageAddress(PATH, tuple(pair for pair in pairs if pair[1] != "0"))


def _button(
    request: PageRequest, mend: Mend, click: RecordedClickView, today: ClickCheckView, names: _Names
) -> MendButton | None:
    """Return a button of a page, None where it cannot help or the person may not use it."""
    offer, pid, calls = click.offer_id, click.pid, request.calls
    offer_page, found = f"/console/offers/{offer}", None
    match mend:
        case Mend.CONNECT if offer and pid and calls.may(connections.enable_affiliate):
            found = MendButton(
                gettext("Connect %(affiliate)s", affiliate=names.affiliate), action=f"{PATH}/{click.id}/connect"
            )
        case Mend.ACTIVATE_OFFER if click.detail == "not active" and not today.passes and calls.may(offers.edit):
            found = MendButton(
                gettext("Activate the offer"), action=f"{offer_page}/status", fields=(("status", "active"),)
            )
        case Mend.OFFER if offer:
            found = _link(request, gettext("Open the offer"), offer_page)
        case Mend.TEST if offer and calls.may(click_check.check):
            found = _link(request, gettext("Test such a click"), offer_page, _test_query(click, today))
        case Mend.AFFILIATE if pid:
            found = _link(
                request, gettext("Open %(affiliate)s", affiliate=names.affiliate), f"/console/affiliates/{pid}"
            )
        case Mend.ADVERTISER if click.advertiser_id:
            found = _link(request, gettext("Open the advertiser"), f"/console/advertisers/{click.advertiser_id}")
        case Mend.HEALTH:
            found = _link(request, gettext("Look at the health of the platform"), "/console/health")
    return found


def _test_query(click: RecordedClickView, today: ClickCheckView) -> str:
    pairs = (("affiliate", str(click.pid)), ("ip", today.visitor.ip))
    return str(PageAddress("", pairs)) + "#test"


def _link(request: PageRequest, label: str, path: str, more: str = "") -> MendButton | None:
    return MendButton(label, f"{path}{more}") if request.may_open(path) else None


def _facts(click: RecordedClickView, today: ClickCheckView, explanation: ExplanationView | None) -> list[ClickFact]:
    visitor, made = today.visitor, [] if explanation is None else explanation.conversions
    place = ", ".join(each for each in (visitor.city, visitor.country) if each)
    device = [
        visitor.brand,
        visitor.device_model or visitor.device,
        f"{visitor.os} {visitor.os_version}",
    ]
    browser = f"{visitor.browser} {visitor.browser_version}".strip()
    link = f"/console/conversions/{made[0].id}" if made else ""
    rows = [
        ClickFact(gettext("IP address"), visitor.ip, place),
        ClickFact(gettext("Network"), visitor.isp, visitor.connection_type),
        ClickFact(gettext("Device"), " ".join(each.strip() for each in device if each.strip()), browser),
        ClickFact(gettext("Came from"), click.referrer),
        ClickFact(gettext("Unique"), gettext("first click of this visitor") if click.uniq else gettext("seen before")),
        ClickFact(gettext("SmartLink"), click.smart_id),
        ClickFact(gettext("Conversions"), f"{len(made)}" if made else gettext("none"), "", link),
        ClickFact(gettext("Signals"), click.origin),
        ClickFact(gettext("Forgiven in the link"), forgiven_words(click.forgiven)),
        ClickFact(gettext("Marks"), ", ".join(each.replace("_", " ") for each in click.flags)),
    ]
    return [row for row in rows if row.value]
