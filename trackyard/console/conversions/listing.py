"""The lists of conversions for staff, affiliates and advertisers (docs/spec/console.md#traffic)."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Final

from trackyard.api.conversions import conversions as conversions_api
from trackyard.api.conversions import edits
from trackyard.api.conversions.by_id import SingleConversionForStaff
from trackyard.api.conversions.conversions import (
    ConversionForAffiliate,
    ConversionForStaff,
    ConversionsForAffiliate,
    ConversionsForStaff,
)
from trackyard.api.money import currencies as currencies_api
from trackyard.api.people import threads as threads_api
from trackyard.api.people.advertiser_side import figures as advertiser_figures
from trackyard.api.people.advertiser_side.figures import OwnConversionsAnswer, OwnConversionView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame import shown
from trackyard.console.frame.address import PageAddress, Pair
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import Button, Days, ListColumn, ListPage, On, Search, Selection
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES, LIVE_OFFERS, OFFERS, OFFERS_OF_ADVERTISER
from trackyard.console.lists.page import declare_file, declare_list
from trackyard.console.money.words import currency_choices
from trackyard.console.offers_shown.choices import Choices, country_names
from trackyard.console.people.threads import about_of
from trackyard.console.portal.words import STATUSES as PORTAL_STATUSES
from trackyard.console.portal.words import decline_text
from trackyard.console.staff.traffic.reasons import DECLINES
from trackyard.domain.conversions.statuses import STATUSES_BY_NUMBER
from trackyard.domain.money.currencies import CODES
from trackyard.domain.money.statements import CONVERSION_LINES
from trackyard.domain.people.callers import AdvertiserCaller
from trackyard.domain.people.threads import ThreadSubject

pages = Pages()

PATH: Final = "/console/conversions"
STATUSES: Final[Mapping[str, str]] = {
    "confirmed": lazy_gettext("Confirmed"),
    "pending": lazy_gettext("Pending"),
    "hold": lazy_gettext("Hold"),
    "declined": lazy_gettext("Declined"),
}
NUMBERS: Final = {status.value: str(number) for number, status in STATUSES_BY_NUMBER.items()}
"""Statuses as the filter of the API reads them."""
_CURRENCY_NUMBERS: Final = {code: str(number) for number, code in CODES.items()}
_EVERY_DAY: Final = (("date_from", "2000-01-01"),)


def signals_of(conversion: ConversionForStaff | SingleConversionForStaff) -> str:
    """Return the signals of a conversion and of its click, "" = none."""
    return ", ".join(filter(None, (conversion.signals, conversion.origin)))


def offer_title(each: ConversionForStaff) -> str:
    """Return the title of the offer of a conversion, or its number."""
    return (each.offer.title if each.offer else "") or f"#{each.offer_id}"


def affiliate_name(each: ConversionForStaff) -> str:
    """Return the name of the affiliate of a conversion, or its number."""
    return (each.partner and (each.partner.name or each.partner.login)) or f"#{each.partner_id}"


def taken_back(each: ConversionForStaff | ConversionForAffiliate) -> str:
    """Return the amount that a declined conversion was paid, in words; "" of others."""
    if each.status != "declined" or each.paid <= 0:
        return ""
    return gettext("%(amount)s is taken back", amount=shown.money(each.paid, each.currency))


def _counted(total: int) -> str:
    return ngettext("%(num)d conversion", "%(num)d conversions", total)


def _meanings(text: str) -> list[list[Pair]]:
    """Return the parameters for a text that is the id of a conversion, a click or an action."""
    is_id = len(text) == 24 and all(each in "0123456789abcdefABCDEF" for each in text)
    return [[(f"{name}[]", text)] for name in (*(("id", "clickid") if is_id else ()), "action_id")]


def _currencies(request: PageRequest) -> Choices:
    """Return the currencies of the platform and of the address."""
    if not request.calls.may(currencies_api.list_all):
        return ()
    known = currency_choices(request)
    others = [code for code in request.address.all("currency") if code in _CURRENCY_NUMBERS and code not in dict(known)]
    return (*known, *((code, code) for code in dict.fromkeys(others)))


def _amount(value: str, address: PageAddress) -> str:
    """Return an amount of a filter with the currency in which conversions are compared with it."""
    codes = [code for code in address.all("currency") if code in _CURRENCY_NUMBERS]
    if len(codes) == 1:
        return f"{value}\N{NO-BREAK SPACE}{codes[0]}"
    return gettext("%(amount)s in the currency of the conversion", amount=value)


def _countries(_request: PageRequest) -> Choices:
    return country_names()


_STATUS: Final = FilterBy(name="status", words=STATUSES, sent=NUMBERS)
_COUNTRY: Final = FilterBy(name="country", choices=_countries)
_DEVICES: Final = {
    "desktop": lazy_gettext("Desktop"),
    "mobile": lazy_gettext("Mobile"),
    "tablet": lazy_gettext("Tablet"),
}
_PAID: Final = {
    "opened": lazy_gettext("Not paid"),
    "pending": lazy_gettext("In a payment"),
    "closed": lazy_gettext("Paid"),
}
_BOOKED: Final = FilterBy(
    name="booked",
    label=lazy_gettext("In the statement"),
    words={
        "conversions": lazy_gettext("Conversions"),
        "reversals": lazy_gettext("Taken back"),
        "referral": lazy_gettext("Referral share"),
        "referral_reversals": lazy_gettext("Referral share taken back"),
    },
    is_more=True,
)
_OWN_BOOKED: Final = replace(
    _BOOKED, words={each: word for each, word in (_BOOKED.words or {}).items() if each in CONVERSION_LINES}
)
_CURRENCY: Final = FilterBy(name="currency", choices=_currencies, sent=_CURRENCY_NUMBERS, is_more=True)
_MORE: Final = (
    FilterBy(name="action", parameter="action_id"),
    FilterBy(name="click", parameter="clickid"),
    FilterBy(name="comment", label=lazy_gettext("Words of the comment")),
    FilterBy(name="device", words=_DEVICES),
    FilterBy(name="os", label=lazy_gettext("System")),
    FilterBy(name="browser"),
    _CURRENCY,
    _BOOKED,
    FilterBy(name="referrer", label=lazy_gettext("Referrer")),
    FilterBy(name="charge_from", parameter="revenue_from", label=lazy_gettext("Charge from"), said=_amount),
    FilterBy(name="charge_to", parameter="revenue_to", label=lazy_gettext("Charge up to"), said=_amount),
    FilterBy(name="payout_from", parameter="payouts_from", label=lazy_gettext("Payout from"), said=_amount),
    FilterBy(name="payout_to", parameter="payouts_to", label=lazy_gettext("Payout up to"), said=_amount),
    FilterBy(name="changed_from", parameter="update_from_date", label=lazy_gettext("Changed from")),
    FilterBy(name="changed_to", parameter="update_to_date", label=lazy_gettext("Changed up to")),
    FilterBy(name="smartlink", parameter="smart_id", label=lazy_gettext("ID of the SmartLink")),
    *(FilterBy(name=f"sub{each}", parameter=f"subid{each}") for each in range(2, 9)),
    *(FilterBy(name=f"custom{each}", parameter=f"custom_field_{each}") for each in range(1, 8)),
)

TIME: Final = ListColumn[ConversionForStaff](
    title=lazy_gettext("Time"),
    below=lazy_gettext("ID"),
    role="fact",
    cell=lambda each, _: cells.moment(each.created_at, each.id, link=f"{PATH}/{each.id}"),
)
OFFER: Final = ListColumn[ConversionForStaff](
    title=lazy_gettext("Offer"),
    below=lazy_gettext("Advertiser"),
    role="title",
    cell=lambda each, on: on.object(
        OFFERS, each.offer_id, each.advertiser.title if each.advertiser else "", name=offer_title(each)
    ),
)
AFFILIATE: Final = ListColumn[ConversionForStaff](
    title=lazy_gettext("Affiliate"),
    below=lazy_gettext("Sub 1"),
    cell=lambda each, on: on.object(AFFILIATES, each.partner_id, each.sub1[:40], name=affiliate_name(each)),
)
GOAL: Final = ListColumn[ConversionForStaff](
    title=lazy_gettext("Goal"),
    below=lazy_gettext("Action ID"),
    longest=40,
    cell=lambda each, _: cells.cell(each.goal or each.goal_value, each.action_id),
)
STATUS_AND_MONEY: Final = (
    ListColumn[ConversionForStaff](
        title=lazy_gettext("Status"),
        below=lazy_gettext("Reason and signals"),
        cell=lambda each, _: cells.status(
            str(STATUSES.get(each.status, each.status)),
            each.status,
            each.comment if each.status == "declined" else "",
            taken_back(each),
            signals_of(each),
        ),
    ),
    ListColumn[ConversionForStaff](
        title=lazy_gettext("Charge"),
        role="figure",
        cell=lambda each, _: cells.worth(each.status, each.revenue, each.currency),
    ),
    ListColumn[ConversionForStaff](
        title=lazy_gettext("Payout"),
        role="figure",
        cell=lambda each, _: cells.worth(each.status, each.payouts, each.currency),
    ),
)
PREVIEWED: Final = (TIME, OFFER, AFFILIATE, *STATUS_AND_MONEY)
"""The columns of conversions before they are changed."""


def _about(each: ConversionForStaff, on: On) -> str:
    return gettext("Select the conversion of %(time)s", time=on.request.time_of(each.created_at, on.request.day_zone))


CONVERSIONS: Final = ListPage[ConversionForStaff, ConversionsForStaff](
    path=PATH,
    method=conversions_api.list_conversions,
    view=ConversionsForStaff,
    rows=lambda _, answer: answer.conversions,
    title=lazy_gettext("Conversions"),
    counted=_counted,
    period=Days(most=None),
    search=Search(placeholder=lazy_gettext("Conversion, click or action ID"), meanings=_meanings, any_day=_EVERY_DAY),
    filters=(
        _STATUS,
        FilterBy(name="offer", objects=OFFERS),
        FilterBy(name="affiliate", parameter="partner", objects=AFFILIATES),
        FilterBy(name="advertiser", objects=ADVERTISERS),
        FilterBy(name="reason", parameter="decline_reason", words={each: each for each in DECLINES}),
        FilterBy(name="paid", parameter="payment_status", label=lazy_gettext("Payment"), words=_PAID),
        _COUNTRY,
        FilterBy(name="goal"),
        FilterBy(name="sub1", parameter="subid1"),
        FilterBy(name="promo", parameter="promo_code"),
        *(replace(each, is_more=True) for each in _MORE),
    ),
    columns=(TIME, OFFER, AFFILIATE, GOAL, *STATUS_AND_MONEY),
    selection=Selection(
        path=f"{PATH}/change",
        method="get",
        field="id",
        needs=(edits.edit,),
        key=lambda each: each.id,
        about=_about,
        line=lazy_gettext("Change the selected ones to"),
        choices=tuple(STATUSES.items()),
        buttons=(Button(label=lazy_gettext("Preview the change")),),
    ),
    links=lambda _: [PageLink(gettext("Import"), f"{PATH}/import")],
    empty=lazy_gettext(
        "No conversion in these days. Choose an earlier period above; conversions appear here seconds after the "
        "advertiser reports them."
    ),
    per_page=50,
)


def _may_write(request: PageRequest, _rows: Sequence[object]) -> bool:
    return request.calls.may(threads_api.open_)


def _write(home: str, each: ConversionForAffiliate | OwnConversionView, _on: On) -> ListCell:
    """Return the link to what is written about a conversion."""
    return cells.cell(gettext("Write"), link=about_of(home, ThreadSubject.CONVERSION, each.id))


def _portal_status(each: ConversionForAffiliate | OwnConversionView, *below: str) -> ListCell:
    return cells.status(
        str(PORTAL_STATUSES.get(each.status, each.status)),
        each.status,
        *below,
        why=decline_text(each),
        why_of=gettext("The reason of the decline of %(id)s:", id=each.id),
    )


def _paid(each: ConversionForAffiliate) -> str:
    """Return the state of the money of a conversion in an affiliate's words."""
    if each.status == "declined":
        return taken_back(each)
    if each.payment_status == "closed":
        return gettext("paid")
    if each.status == "hold" and each.hold_date_expire:
        return gettext("until %(day)s", day=each.hold_date_expire[:10])
    return ""


_OWN_STATUS: Final = FilterBy(name="status", words=PORTAL_STATUSES, sent=NUMBERS)
OWN_CONVERSIONS: Final = ListPage[ConversionForAffiliate, ConversionsForAffiliate](
    path="/portal/conversions",
    audience="affiliate",
    method=conversions_api.list_conversions,
    view=ConversionsForAffiliate,
    rows=lambda _, answer: answer.conversions,
    title=lazy_gettext("Conversions"),
    counted=_counted,
    period=Days(),
    search=Search(placeholder=lazy_gettext("Click id"), parameter="clickid[]"),
    filters=(
        _OWN_STATUS,
        FilterBy(name="offer", objects=LIVE_OFFERS),
        _COUNTRY,
        FilterBy(name="sub1", parameter="subid1"),
        FilterBy(name="sub2", parameter="subid2"),
        _OWN_BOOKED,
        _CURRENCY,
    ),
    columns=(
        ListColumn(title=lazy_gettext("Time"), cell=lambda each, _: cells.moment(each.created_at)),
        ListColumn(
            title=lazy_gettext("Offer"),
            role="title",
            cell=lambda each, on: (
                on.object(LIVE_OFFERS, each.offer_id, name=each.offer.title) if each.offer else f"#{each.offer_id}"
            ),
        ),
        ListColumn(title=lazy_gettext("Goal"), longest=40, cell=lambda each, _: each.goal),
        ListColumn(title=lazy_gettext("Country"), cell=lambda each, _: each.country),
        ListColumn(title=lazy_gettext("Sub 1"), longest=60, cell=lambda each, _: each.sub1),
        ListColumn(title=lazy_gettext("Click"), cell=lambda each, _: cells.code(each.clickid)),
        ListColumn(
            title=lazy_gettext("Status"),
            below=lazy_gettext("Payment"),
            why=lazy_gettext("Reason"),
            cell=lambda each, _: _portal_status(each, _paid(each)),
        ),
        ListColumn(
            title=lazy_gettext("Payout"),
            role="figure",
            cell=lambda each, _: cells.worth(each.status, each.payouts, each.currency),
        ),
        ListColumn(title=lazy_gettext("Messages"), shown=_may_write, cell=partial(_write, "/portal/")),
    ),
    links=lambda _: [PageLink(gettext("Imports without a conversion"), "/portal/conversions/refused")],
    empty=lazy_gettext("No conversion in these days. They appear here seconds after they are reported."),
    empty_links=lambda _: [PageLink(gettext("Choose an offer"), "/portal/offers")],
    per_page=30,
)


def _sees_affiliates(request: PageRequest, _rows: Sequence[OwnConversionView]) -> bool:
    caller = request.person.caller
    return isinstance(caller, AdvertiserCaller) and caller.sees_affiliates


CONVERSIONS_OF_ADVERTISER: Final = ListPage[OwnConversionView, OwnConversionsAnswer](
    path="/advertiser/conversions",
    audience="advertiser",
    method=advertiser_figures.conversions,
    view=OwnConversionsAnswer,
    rows=lambda _, answer: answer.conversions,
    title=lazy_gettext("Conversions"),
    counted=_counted,
    period=Days(),
    search=Search(placeholder=lazy_gettext("Click id"), name="click", parameter="clickid[]"),
    filters=(
        FilterBy(name="status", words=PORTAL_STATUSES),
        FilterBy(name="offer", objects=OFFERS_OF_ADVERTISER),
        _COUNTRY,
        FilterBy(name="action", parameter="action_id", label=lazy_gettext("Action id")),
        FilterBy(name="goal", label=lazy_gettext("Goal value")),
    ),
    columns=(
        ListColumn(title=lazy_gettext("Time"), cell=lambda each, _: cells.moment(each.created_at)),
        ListColumn(
            title=lazy_gettext("Offer"),
            role="title",
            cell=lambda each, on: on.object(OFFERS_OF_ADVERTISER, each.offer_id, name=each.offer_title),
        ),
        ListColumn(title=lazy_gettext("Goal"), longest=40, cell=lambda each, _: each.goal or each.goal_value),
        ListColumn(title=lazy_gettext("Country"), cell=lambda each, _: each.country),
        ListColumn(
            title=lazy_gettext("Click and action id"),
            below=lazy_gettext("Action id"),
            cell=lambda each, _: cells.code(each.clickid, each.action_id),
        ),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            shown=_sees_affiliates,
            cell=lambda each, _: f"#{each.partner_id}",
        ),
        ListColumn(
            title=lazy_gettext("Sub 1"), shown=_sees_affiliates, longest=60, cell=lambda each, _: each.sub1 or ""
        ),
        ListColumn(title=lazy_gettext("Status"), why=lazy_gettext("Reason"), cell=lambda each, _: _portal_status(each)),
        ListColumn(
            title=lazy_gettext("Sum"),
            role="figure",
            cell=lambda each, _: cells.money(each.sum, each.currency) if each.sum else "",
        ),
        ListColumn(
            title=lazy_gettext("Charge"),
            role="figure",
            cell=lambda each, _: cells.worth(each.status, each.charge, each.currency),
        ),
        ListColumn(title=lazy_gettext("Messages"), shown=_may_write, cell=partial(_write, "/advertiser/")),
    ),
    empty=lazy_gettext("No conversion in these days. They appear here seconds after they are reported."),
    empty_links=lambda _: [PageLink(gettext("Set up your postbacks"), "/advertiser/postbacks")],
    per_page=30,
)

for _each in (CONVERSIONS, OWN_CONVERSIONS, CONVERSIONS_OF_ADVERTISER):
    declare_list(pages, _each)
for _each in (CONVERSIONS, OWN_CONVERSIONS):
    declare_file(pages, _each)
