"""The first page of affiliates: money, today, a link, conversions (docs/spec/console.md#portal)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from itertools import islice
from typing import Final
from zoneinfo import ZoneInfo

from markupsafe import Markup

from trackyard.api.conversions import conversions
from trackyard.api.conversions.conversions import ConversionForAffiliate, ConversionsForAffiliate
from trackyard.api.offers import lists
from trackyard.api.offers.view_affiliate import AffiliateOfferView
from trackyard.api.people import affiliates, own_account
from trackyard.api.statistics import reports
from trackyard.base.errors import RequestError
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.frame import figures
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import PageAnswer
from trackyard.console.frame.charts import figure_chart
from trackyard.console.frame.figures import apart_text, change_up_to, figure_text
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.periods import DayPeriod
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import rate
from trackyard.console.money.currencies import CurrencyChoice, read_currency
from trackyard.console.money.own_balances import requested_sums, sums_being_paid
from trackyard.console.offers.own_listing import OWN_PATH, PortalOffer
from trackyard.console.people.threads import unread_threads
from trackyard.console.portal.click_test import OwnClickTest, test_own_link
from trackyard.console.portal.links import LinkForm, link_form
from trackyard.console.portal.news import news_of_home
from trackyard.console.portal.words import STATUSES, decline_text, sums_text
from trackyard.domain.statistics.metrics import METRIC_BY_NAME, Metric, MetricDirection, MetricSums

pages = Pages()

DAYS: Final = 21
"""Days of the chart, three weeks: they are compared with the same weekdays."""
LATEST: Final = 6
SHORT: Final = 5
"""Offers of a short list."""
EPC_DAYS: Final = 30
"""Days of the EPC of offers."""
_MOST_RANKED: Final = 100
"""Offers with the highest EPC of which the affiliate may still see a few."""
_MOST_OFFERS: Final = 10_000
"""Offers that are compared by EPC."""
_HOURS: Final = 25
"""The most hours of a day."""
_OFFERS: Final = 100
"""Offers that the form of the link lists; the page of an offer has the link of any other."""
EARNED: Final = replace(METRIC_BY_NAME["payout"], label=lazy_gettext("Earned"), direction=MetricDirection.UP)
KINDS: Final[Mapping[str, Metric]] = {
    "payout": EARNED,
    **{name: METRIC_BY_NAME[name] for name in ("clicks", "conversions", "epc")},
}
"""The figures of today, the chosen one of which is the chart's."""


@dataclass(frozen=True, slots=True)
class HomeTile:
    """A figure on top. name: the value of `show` in the address, "" for money that leads to payments."""

    name: str
    label: str
    text: str
    detail: str
    tone: str = ""


@dataclass(frozen=True, slots=True)
class OfferList:
    """A short list of offers. path: of the whole list."""

    title: str
    path: str
    rows: tuple[PortalOffer, ...]


@dataclass(frozen=True, slots=True)
class OwnLink:
    """The link of an offer.

    offers: that the affiliate may choose. test: None where it may not test clicks.
    """

    offers: Sequence[tuple[str, str]]
    offer: AffiliateOfferView
    form: LinkForm
    test: OwnClickTest | None


@pages.get("/portal/", audience="affiliate", needs=(own_account.show,))
def home(request: PageRequest) -> PageAnswer:
    """Show what the affiliate may be paid, what today brought, and a link to publish."""
    money = _money(request)
    chosen = KINDS.get(request.address.get("show"), EARNED)
    currency = read_currency(request)
    today, chart, apart, fault = _today(request, chosen, currency)
    latest = _latest(request)
    return request.page(
        "portal/home.html",
        greeting=_greeting(request),
        unread=unread_threads(request),
        news=news_of_home(request),
        available=money[0].text if money else "",
        tiles=[*money, *today],
        chosen=chosen,
        chart=chart,
        days=DAYS,
        apart=apart,
        fault=fault or currency.fault,
        currency=currency.shown,
        currencies=currency.menu(request.address),
        own=_link(request),
        offer_lists=_offer_lists(request, currency),
        epc_days=EPC_DAYS,
        latest=latest,
        statuses=STATUSES,
        declined={each.id: decline_text(each) for each in latest or ()},
        now=request.deps.clock.now_ms(),
        api_requests=_api_requests(request, currency),
    )


def _api_requests(request: PageRequest, currency: CurrencyChoice) -> list[str]:
    """Return the requests that give the money and the figures of today."""
    today = _now(request, request.day_zone).date()
    span = [("slice[]", "day"), *figures.span(_period(today, 1, _now(request, request.day_zone))), *currency.pairs]
    asked = {affiliates.show_balance: [], reports.custom: span}
    return [request.calls.address(method, sent) for method, sent in asked.items() if request.calls.may(method)]


def _greeting(request: PageRequest) -> str:
    hour = _now(request, request.zone).hour
    if hour < 12:
        return gettext("Good morning")
    return gettext("Good afternoon") if hour < 18 else gettext("Good evening")


def _now(request: PageRequest, zone: ZoneInfo) -> datetime:
    return datetime.fromtimestamp(request.deps.clock.now_ms() / 1000, UTC).astimezone(zone)


def _money(request: PageRequest) -> list[HomeTile]:
    if not request.calls.may(affiliates.show_balance):
        return []
    balance, currency = request.calls.ask(affiliates.show_balance).balance, request.deps.currency
    available, more = sums_text(balance.available, currency)
    hold, more_hold = sums_text(balance.hold, currency)
    first, others = sums_text(sums := sums_being_paid(request), currency)
    being_paid = gettext("%(amount)s is being paid", amount=" + ".join(filter(None, (first, others))))
    details = [*([more] if more else []), *([being_paid] if any(sums.values()) else [])]
    tiles = [
        HomeTile("", gettext("Available"), available, " · ".join(details) or gettext("can be paid out")),
        HomeTile("", gettext("On hold"), hold, more_hold or gettext("not free yet")),
    ]
    requested, more = sums_text(asked := requested_sums(request), currency)
    waits = gettext("waits for a decision") if asked else gettext("no open request")
    return [*tiles, HomeTile("", gettext("Requested"), requested, more or waits)]


def _today(request: PageRequest, chosen: Metric, currency: CurrencyChoice) -> tuple[list[HomeTile], Markup, str, str]:
    """Return the figures of today and the chart of the chosen one.

    Then what EPC leaves out, and why the figures cannot be read; both are texts, "" = nothing.
    """
    if not request.calls.may(reports.custom):
        return [], Markup(), "", ""
    now = _now(request, request.day_zone)
    period = _period(now.date(), DAYS, now)
    try:
        days = figures.by_day(request.calls, _period(now.date(), 2 * DAYS, now), currency.pairs)
        compared, before = _full_hours(request, now, currency.pairs)
        late = figures.late_hours(request.calls, period.before.last, period, filters=currency.pairs)
    except RequestError as refusal:
        return [], Markup(), "", gettext("The figures cannot be read now. %(text)s.", text=refusal.text)
    today = days.get(now.date(), MetricSums())
    single = _period(now.date(), 1, now)
    tiles = [_tile(single, kind, today, compared, before, currency.shown) for kind in KINDS.values()]
    last = period.before.last  # compared up to this hour
    days[last] = days.get(last, MetricSums()) - figures.total(row.figures for row in late.rows)
    chart = figure_chart(
        chosen,
        period,
        [days.get(each, MetricSums()) for each in period.each_day()],
        [days.get(each, MetricSums()) for each in period.before.each_day()],
        currency.shown,
        selects=False,
    )
    drawn = figures.total(days.get(each, MetricSums()) for each in period.each_day())
    return tiles, chart, apart_text(KINDS.values(), drawn if chosen.name == "epc" else today), ""


def _period(last: date, days: int, now: datetime) -> DayPeriod:
    return DayPeriod(last - timedelta(days=days - 1), last, now.date(), now.hour)


def _full_hours(request: PageRequest, now: datetime, sent: Sequence[Pair]) -> tuple[MetricSums, MetricSums]:
    """Return the figures of today and of yesterday up to the last full hour.

    sent: more parameters of the API.
    """
    found = figures.all_rows(request.calls, _period(now.date(), 2, now), ["hour"], 2 * _HOURS, sent)
    over = [row for row in found.rows if int(row.id_of("hour")) < now.hour]
    today, yesterday = (
        figures.total(row.figures for row in over if row.day == day)
        for day in (now.date(), now.date() - timedelta(days=1))
    )
    return today, yesterday


def _tile(
    period: DayPeriod, kind: Metric, now: MetricSums, compared: MetricSums, before: MetricSums, currency: str
) -> HomeTile:
    detail, tone = change_up_to(period, kind, now, compared, before)
    label = kind.label if kind.name in ("conversions", "epc") else gettext("%(label)s today", label=kind.label)
    text = figure_text(kind, now, currency, short=True)
    return HomeTile(kind.name, label, text, detail, tone)


def _link(request: PageRequest) -> OwnLink | None:
    """Return the link of the chosen offer; None where the affiliate may not send clicks to any."""
    may_list = request.calls.may(lists.list_live)
    found = request.calls.ask(lists.list_live, [("limit", str(_OFFERS))]).offers if may_list else []
    if not found:
        return None
    offer = next((each for each in found if str(each.id) == request.address.get("offer")), found[0])
    link = link_form(offer, request.address, ("sub1", "sub2"))
    return OwnLink([(str(each.id), each.title) for each in found], offer, link, test_own_link(request, offer))


def _offer_lists(request: PageRequest, currency: CurrencyChoice) -> list[OfferList]:
    """Return the newest offers, and the offers with the highest EPC of the affiliate."""
    if not request.calls.may(lists.list_offers):
        return []
    earned = _own_epc(request, currency)
    best = [("int_id[]", str(key)) for key in islice(earned, _MOST_RANKED)]
    new = _offers(request, [("sort[id]", "desc"), ("limit", str(SHORT))])
    top = {each.id: each for each in _offers(request, [*best, ("limit", str(_MOST_RANKED))])} if best else {}
    return [
        OfferList(
            gettext("New offers"), OWN_PATH, tuple(PortalOffer(each, epc=earned.get(each.id, "")) for each in new)
        ),
        OfferList(
            gettext("Top offers"),
            f"{OWN_PATH}?sort=epc-desc",
            tuple(PortalOffer(top[key], epc=earned[key]) for key in earned if key in top)[:SHORT],
        ),
    ]


def _offers(request: PageRequest, sent: Sequence[Pair]) -> Sequence[AffiliateOfferView]:
    return request.calls.ask_as(lists.AffiliateOffersAnswer, lists.list_offers, sent).offers


def _own_epc(request: PageRequest, currency: CurrencyChoice) -> dict[int, str]:
    """Return the own EPC of each offer that has one, the highest first; none where figures cannot be read."""
    if not request.calls.may(reports.custom):
        return {}
    now = _now(request, request.day_zone)
    try:
        period = _period(now.date(), EPC_DAYS, now)
        found = figures.all_rows(request.calls, period, ["offer"], _MOST_OFFERS, currency.pairs)
    except RequestError:
        return {}
    valued = [(Decimal(value), row) for row in found.rows if (value := row.figures.metric("epc"))]
    valued.sort(key=lambda pair: pair[0], reverse=True)
    return {int(row.id_of("offer")): rate(value, currency.shown) for value, row in valued}


def _latest(request: PageRequest) -> list[ConversionForAffiliate] | None:
    """Return the newest conversions of the last weeks; None where the affiliate may not see any."""
    if not request.calls.may(conversions.list_conversions):
        return None
    today = _now(request, request.day_zone).date()
    sent = [("date_from", str(today - timedelta(days=DAYS - 1))), ("date_to", str(today)), ("limit", str(LATEST))]
    return request.calls.ask_as(ConversionsForAffiliate, conversions.list_conversions, sent).conversions
