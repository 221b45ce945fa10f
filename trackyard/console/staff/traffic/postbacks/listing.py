"""The logs of postbacks: received ones, and deliveries (docs/spec/console.md#traffic)."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.api.tracking import explain, logs, resends
from trackyard.api.tracking.logs import AffiliatePostback, ServerPostback
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.methods import Method, OneOf
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import CHOICES, read_period
from trackyard.console.frame.request import PageRequest
from trackyard.console.list_files import list_file
from trackyard.console.offers_shown import names
from trackyard.console.offers_shown.choices import Choices
from trackyard.console.staff.people_names import affiliate_names
from trackyard.console.staff.traffic.conversions.listing import STATUSES
from trackyard.console.staff.traffic.filters import (
    PER_PAGE,
    TrafficFilter,
    chips_of,
    faults_of,
    offer_titles,
    offers,
    openable,
    pairs_of,
)
from trackyard.console.staff.traffic.postbacks.words import ANSWERS, REPORTED, answer_text, outcome_of
from trackyard.console.staff.traffic.words import forgiven_words
from trackyard.wire.local_calls import LocalCalls
from trackyard.wire.response.envelope import Pagination

pages = Pages()

PATH: Final = "/console/postbacks"
RECEIVED, SENT = "received", "sent"
_METHODS: Final[Mapping[str, Method]] = {RECEIVED: logs.list_server_postbacks, SENT: logs.list_affiliate_postbacks}
_LABELS: Final[Mapping[str, str]] = {RECEIVED: lazy_gettext("From advertisers"), SENT: lazy_gettext("To affiliates")}


@dataclass(frozen=True, slots=True)
class PostbackRow:
    """A line of a log.

    title: what was reported or sent. more: the address. name, small: the parties. tone: class of the status.
    """

    link: str
    at: str
    title: str
    more: str
    name: str
    small: str
    label: str
    tone: str
    result: str
    conversion: str
    resend: str


@pages.get(PATH, needs=(OneOf(tuple(_METHODS.values())),))
def postbacks(request: PageRequest) -> PageAnswer:
    """Show a log, a page at a time, the newest first."""
    calls, address = request.calls, request.address
    tabs = [(tab, _LABELS[tab]) for tab, method in _METHODS.items() if calls.may(method)]
    tab = next((tab for tab, _ in tabs if tab == address.get("tab")), tabs[0][0])
    offer_names, affiliates = offers(calls), names.affiliates(calls)
    filters = _filters(calls, tab, offer_names, affiliates)
    day = address if any(address.get(name) for name in ("period", "from", "to")) else address.set("period", "today")
    period, fault = read_period(day, request.deps.clock.now_ms(), request.day_zone)
    span = [("date_from", period.first.isoformat()), ("date_to", period.last.isoformat())]
    place = [("limit", str(PER_PAGE)), ("page", str(address.page))]
    sent = [*span, *pairs_of(filters, address), *place]
    if (file := list_file(request, _METHODS[tab], lambda answer: answer.postbacks, sent)) is not None:
        return file
    named = _Named(dict(offer_names), dict(affiliates), request.zone)
    rows, pagination = _read(calls, tab, sent, named)
    page, chips = pagination.page, chips_of(filters, address, {})
    return request.page(
        "staff/traffic/postbacks.html",
        rows=rows,
        tab=tab,
        tabs=tabs,
        filters=filters,
        chips=chips,
        faults=[each for each in (fault, *faults_of(filters, address)) if each],
        is_filtered=bool(chips),
        period=period,
        periods=CHOICES,
        opens=openable(request),
        total=pagination.total_count,
        page=page,
        first=(page - 1) * PER_PAGE + 1,
        may_resend=calls.may(resends.resend),
        may_explain=calls.may(explain.explain),
        may_replay=calls.may(resends.replay),
        api_request_path=calls.address(_METHODS[tab], sent),
    )


def _read(
    calls: LocalCalls[Deps], tab: str, sent: Sequence[Pair], named: "_Named"
) -> tuple[list[PostbackRow], Pagination]:
    """Return the rows of a log, and the place of its page."""
    if tab == RECEIVED:
        received = calls.ask(logs.list_server_postbacks, sent)
        return [named.received(each) for each in received.postbacks], received.pagination
    attempts = calls.ask(logs.list_affiliate_postbacks, sent)
    named = named.with_parties(calls, attempts.postbacks)
    return [named.sent(each) for each in attempts.postbacks], attempts.pagination


def _filters(calls: LocalCalls[Deps], tab: str, offer_names: Choices, affiliates: Choices) -> tuple[TrafficFilter, ...]:
    shared = (
        TrafficFilter("offer", gettext("Offer"), "offer[]", offer_names, "number"),
        TrafficFilter("affiliate", gettext("Affiliate"), "partner[]", affiliates, "number"),
        TrafficFilter("status", gettext("Status"), "status[]", tuple(STATUSES.items())),
        TrafficFilter("goal", gettext("Goal"), "goal[]"),
    )
    if tab == SENT:
        return (*shared, TrafficFilter("code", gettext("Answer"), "http_code[]", ANSWERS))
    return (
        *shared,
        TrafficFilter("advertiser", gettext("Advertiser"), "supplier[]", names.advertisers(calls), "id"),
        TrafficFilter("action", gettext("Action ID"), "action_id[]"),
        TrafficFilter("click", gettext("Click ID"), "click_id[]", form="id"),
    )


@dataclass(frozen=True, slots=True)
class _Named:
    """Makes rows of records. offers, affiliates: the known names by number."""

    offers: Mapping[str, str]
    affiliates: Mapping[str, str]
    zone: ZoneInfo

    def with_parties(self, calls: LocalCalls[Deps], found: Sequence[AffiliatePostback]) -> "_Named":
        """Add the names of offers and affiliates that no select has, such as banned affiliates."""
        offer_ids = {each.offer_id for each in found if str(each.offer_id) not in self.offers}
        pids = {each.pid for each in found if str(each.pid) not in self.affiliates}
        titles = {str(number): f"{title} (#{number})" for number, title in offer_titles(calls, offer_ids).items()}
        people = {str(number): f"{name} (#{number})" for number, name in affiliate_names(calls, pids).items()}
        return _Named({**self.offers, **titles}, {**self.affiliates, **people}, self.zone)

    def received(self, each: ServerPostback) -> PostbackRow:
        """Return an inbound postback as a row."""
        server, click = json.loads(each.server), each.track
        return PostbackRow(
            link=f"{PATH}/received/{each.id.id}",
            at=self._time(each.date.sec),
            title=_sent_values(each),
            more=" ".join(server[name] for name in ("REQUEST_METHOD", "REMOTE_ADDR") if server[name]),
            name=click.offer.title if click and click.offer else "",
            small=click.partner.login if click else "",
            label=gettext("Rejected") if each.response else gettext("Accepted"),
            tone="declined" if each.response else "confirmed",
            result=each.response or _forgiven(each),
            conversion=(click and click.conversion_id) or "",
            resend="",
        )

    def sent(self, each: AffiliatePostback) -> PostbackRow:
        """Return an attempt of a delivery as a row."""
        label, tone = outcome_of(each.outcome)
        pid, offer, number = str(each.pid), str(each.offer_id), each.id.id
        again = gettext(", by hand") if each.forced else ""
        return PostbackRow(
            link=f"{PATH}/sent/{number}",
            at=self._time(each.date.sec),
            title=gettext(
                "%(value)s · goal %(goal)s · attempt %(attempt)s%(again)s",
                value=REPORTED.get(each.status, "status"),
                goal=each.goal,
                attempt=each.attempt,
                again=again,
            ),
            more=shown.shorten(each.postback_url.partition("?")[0], 80),
            name=self.affiliates.get(pid, f"#{pid}"),
            small=self.offers.get(offer, f"#{offer}"),
            label=label,
            tone=tone,
            result=answer_text(each),
            conversion=each.lead_id,
            resend=number,
        )

    def _time(self, seconds: int) -> str:
        return datetime.fromtimestamp(seconds, UTC).astimezone(self.zone).strftime("%Y-%m-%d %H:%M:%S")


def _forgiven(each: ServerPostback) -> str:
    """Return the forgiven faults of an inbound postback in words, "" = none."""
    return gettext("forgiven: %(what)s", what=forgiven_words(each.forgiven)) if each.forgiven else ""


def _sent_values(each: ServerPostback) -> str:
    """Return the values of an inbound postback, without its code."""
    values: dict[str, str] = {}
    for part in (each.query, each.body):
        values |= part if isinstance(part, dict) else {}
    words = [f"{name} {value}" for name, value in values.items() if name not in ("secure", "by")]
    return " · ".join(words)
