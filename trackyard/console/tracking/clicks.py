"""The list of clicks, rejected ones too (docs/spec/console.md#traffic)."""

from collections.abc import Iterator, Mapping
from typing import Final

from trackyard.api.statistics import clicks as clicks_api
from trackyard.api.statistics.clicks import ClickForStaff, ClicksForStaff
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Tabs
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES, OFFERS
from trackyard.console.lists.page import declare_file, declare_list
from trackyard.console.offers_shown.choices import Choices, country_names
from trackyard.console.reports_shown.signals import signal_text
from trackyard.console.staff.traffic.reasons import REJECTIONS, rejection_label
from trackyard.console.staff.traffic.words import forgiven_words
from trackyard.domain.statistics.quality.origins import ORIGIN_CHOICES
from trackyard.domain.tracking.rejections import NOT_COUNTED

pages = Pages()

PATH: Final = "/console/clicks"
_SIGNALS: Final[Mapping[str, str]] = {
    "hosting": lazy_gettext("hosting"),
    "vpn": lazy_gettext("VPN"),
    "tor": lazy_gettext("Tor"),
    "bot": lazy_gettext("bot"),
    "relay": lazy_gettext("private relay"),
    "proxy": lazy_gettext("proxy"),
    "prefetch": lazy_gettext("prefetch"),
    "headless": lazy_gettext("headless browser"),
}
"""What people read for a signal."""


def _reasons(_request: PageRequest) -> Choices:
    return tuple((reason, rejection_label(reason)) for reason in REJECTIONS)


def _signals(_request: PageRequest) -> Choices:
    return tuple((each, str(_SIGNALS.get(each, signal_text(each)))) for each in ORIGIN_CHOICES)


def _verdict(address: PageAddress) -> str:
    """Return the verdict by which clicks are listed. With a reason, rejected clicks are listed."""
    given = address.get("verdict")
    return "rejected" if address.get("reason") and given in ("", "accepted") else given


def _visitor(each: ClickForStaff, _on: On) -> ListCell:
    system = " ".join(filter(None, (each.os, each.os_version)))
    device = ", ".join(filter(None, (system, each.browser)))
    return cells.cell(" ".join(filter(None, (each.country, each.city[:40]))), device[:60])


def _decision(each: ClickForStaff, on: On) -> ListCell:
    if each.reason in ("", NOT_COUNTED):
        return cells.status(gettext("Accepted"), "confirmed", *_remarks(each, on))
    return cells.status(gettext("Rejected"), "declined", *_remarks(each, on))


def _remarks(each: ClickForStaff, on: On) -> Iterator[str | PageLink]:
    """Yield why a click was rejected, its signals and what was forgiven."""
    if each.reason == NOT_COUNTED:
        yield gettext("Not counted")
    elif each.reason:
        time = on.request.time_of(each.created_at, on.request.day_zone)
        about = gettext("Why the click of %(time)s was rejected", time=time)
        yield PageLink(rejection_label(each.reason), f"{PATH}/{each.id}", about)
    yield each.origin
    if each.forgiven:
        yield gettext("forgiven: %(what)s", what=forgiven_words(each.forgiven))


def _empty(request: PageRequest) -> str:
    if _verdict(request.address) == "rejected":
        return gettext("No click was rejected in these days.")
    return gettext(
        "No click in these days. Choose an earlier period above; clicks appear here seconds after they are made."
    )


CLICKS: Final = ListPage[ClickForStaff, ClicksForStaff](
    path=PATH,
    method=clicks_api.list_clicks,
    view=ClicksForStaff,
    rows=lambda _, answer: answer.clicks,
    title=lazy_gettext("Clicks"),
    counted=lambda total: ngettext("%(num)d click", "%(num)d clicks", total),
    period=Days(usual="today"),
    tabs=Tabs(
        name="verdict",
        label=lazy_gettext("Decision"),
        choices=(
            ("accepted", lazy_gettext("Accepted")),
            ("rejected", lazy_gettext("Rejected")),
            ("all", lazy_gettext("All")),
        ),
        parameter="verdict",
        given=_verdict,
        without=("reason",),
    ),
    filters=(
        FilterBy(name="reason", label=lazy_gettext("Rejected for"), choices=_reasons),
        FilterBy(name="offer", objects=OFFERS),
        FilterBy(name="affiliate", parameter="partner", objects=AFFILIATES),
        FilterBy(name="advertiser", objects=ADVERTISERS),
        FilterBy(name="country", choices=lambda _: country_names()),
        FilterBy(name="sub1"),
        FilterBy(name="origin", label=lazy_gettext("Signal"), choices=_signals, is_more=True),
    ),
    columns=(
        ListColumn(
            title=lazy_gettext("Time"),
            below=lazy_gettext("ID"),
            cell=lambda each, _: cells.moment(each.created_at, each.id, link=f"{PATH}/{each.id}"),
        ),
        ListColumn(
            title=lazy_gettext("Offer"),
            role="title",
            cell=lambda each, on: (
                on.object(OFFERS, each.offer.id, name=each.offer.title) if each.offer else cells.cell("")
            ),
        ),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            below=lazy_gettext("Sub 1"),
            cell=lambda each, on: on.object(
                AFFILIATES, int(each.partner_id), each.sub1[:40], name=each.partner.name or each.partner.login
            ),
        ),
        ListColumn(title=lazy_gettext("Visitor"), below=lazy_gettext("Device"), cell=_visitor),
        ListColumn(title=lazy_gettext("Decision"), below=lazy_gettext("Reason and signals"), cell=_decision),
        ListColumn(
            title=lazy_gettext("Conversion"),
            cell=lambda each, on: conversion_link(each.conversion_id, on),
        ),
    ),
    empty=_empty,
    per_page=50,
    is_late=True,
)
declare_list(pages, CLICKS)
declare_file(pages, CLICKS)


def conversion_link(key: str, on: On) -> ListCell:
    """Return a link to a conversion; its id in files."""
    place = f"/console/conversions/{key}"
    text = gettext("show") if key and on.opens(place) else ""
    return ListCell(text, place if text else "", value=key)
