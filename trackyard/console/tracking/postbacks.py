"""The logs of postbacks for staff: received ones, and deliveries (docs/spec/console.md#traffic)."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Final

from trackyard.api.tracking import explain, logs, resends
from trackyard.api.tracking.logs import AffiliatePostback, AffiliatePostbacks, ServerPostback, ServerPostbacks
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.conversions.listing import STATUSES
from trackyard.console.frame.address import PageAddress
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import Act, ListCell, PageLink
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Tabs
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import ADVERTISERS, AFFILIATES, OFFERS
from trackyard.console.lists.page import declare_list
from trackyard.console.staff.traffic.postbacks.words import ANSWERS, REPORTED, answer_text, outcome_of
from trackyard.console.staff.traffic.words import forgiven_words
from trackyard.console.tracking.clicks import conversion_link

pages = Pages()

PATH: Final = "/console/postbacks"
_TABS: Final = Tabs(
    name="tab",
    label=lazy_gettext("Direction"),
    choices=(("received", lazy_gettext("From advertisers")), ("sent", lazy_gettext("To affiliates"))),
    needs={"received": (logs.list_server_postbacks,), "sent": (logs.list_affiliate_postbacks,)},
    without=("advertiser", "action", "click", "code"),
    links=(PageLink(lazy_gettext("Pixels"), "/console/pixels"),),
)
_FILTERS: Final = (
    FilterBy(name="offer", objects=OFFERS),
    FilterBy(name="affiliate", parameter="partner", objects=AFFILIATES),
    FilterBy(name="status", words=STATUSES),
    FilterBy(name="goal"),
)


def time_of(each: ServerPostback | AffiliatePostback, on: On) -> str:
    """Return the time of a record of a log."""
    return f"{datetime.fromtimestamp(each.date.sec, UTC).astimezone(on.request.zone):%Y-%m-%d %H:%M:%S}"


def _moment(each: ServerPostback | AffiliatePostback, tab: str, on: On) -> ListCell:
    link = f"{PATH}/{tab}/{each.id.id}" if on.request.calls.may(explain.explain) else ""
    return cells.cell(time_of(each, on), link=link)


def _reported(each: ServerPostback, _on: On) -> ListCell:
    """Return the values of an inbound postback, without its code, and its sender."""
    values: dict[str, str] = {}
    for part in (each.query, each.body):
        values |= part if isinstance(part, dict) else {}
    server = json.loads(each.server)
    words = [f"{name} {value}" for name, value in values.items() if name not in ("secure", "by")]
    sender = " ".join(server[name] for name in ("REQUEST_METHOD", "REMOTE_ADDR") if server[name])
    return cells.cell(" · ".join(words), sender)


def _offer(each: ServerPostback, on: On) -> ListCell:
    click = each.track
    if click is None:
        return cells.cell("")
    if click.offer is None:
        return cells.cell("", click.partner.login)
    return on.object(OFFERS, click.offer.id, click.partner.login, name=click.offer.title)


def _taken(each: ServerPostback, _on: On) -> ListCell:
    if each.response:
        return cells.status(gettext("Rejected"), "declined", each.response)
    forgiven = gettext("forgiven: %(what)s", what=forgiven_words(each.forgiven)) if each.forgiven else ""
    return cells.status(gettext("Accepted"), "confirmed", forgiven)


def _sent(each: AffiliatePostback, _on: On) -> ListCell:
    title = gettext(
        "%(value)s · goal %(goal)s · attempt %(attempt)s%(again)s",
        value=REPORTED.get(each.status, "status"),
        goal=each.goal,
        attempt=each.attempt,
        again=gettext(", by hand") if each.forced else "",
    )
    return cells.cell(title, each.postback_url.partition("?")[0][:80])


def _answered(each: AffiliatePostback, _on: On) -> ListCell:
    label, mark = outcome_of(each.outcome)
    return cells.status(str(label), mark, answer_text(each))


def _again(each: AffiliatePostback, on: On) -> ListCell:
    about = gettext("Send the delivery of %(time)s again", time=time_of(each, on))
    back = (("back", str(on.request.address)),)
    return cells.acts(Act(gettext("Send again"), f"{PATH}/sent/{each.id.id}/resend", back, about, is_plain=True))


def _links(request: PageRequest) -> Iterator[PageLink]:
    yield PageLink(gettext("Check a postback"), "/console/postback-check")


def _replay(request: PageRequest) -> Iterator[PageLink]:
    affiliate = tuple(("affiliate", value) for value in request.address.all("affiliate")[:1])
    yield PageLink(gettext("Send a span again"), PageAddress(f"{PATH}/replay", affiliate))


RECEIVED: Final = ListPage[ServerPostback, ServerPostbacks](
    path=PATH,
    own=(("tab", "received"),),
    method=logs.list_server_postbacks,
    view=ServerPostbacks,
    rows=lambda _, answer: answer.postbacks,
    title=lazy_gettext("Postbacks"),
    counted=lambda total: ngettext("%(num)d postback of an advertiser", "%(num)d postbacks of advertisers", total),
    period=Days(usual="today"),
    tabs=_TABS,
    filters=(
        *_FILTERS,
        FilterBy(name="advertiser", parameter="supplier", objects=ADVERTISERS),
        FilterBy(name="action", parameter="action_id", label=lazy_gettext("Action ID")),
        FilterBy(name="click", parameter="click_id", label=lazy_gettext("Click ID")),
    ),
    columns=(
        ListColumn(title=lazy_gettext("Time"), cell=lambda each, on: _moment(each, "received", on)),
        ListColumn(
            title=lazy_gettext("What was sent"),
            below=lazy_gettext("Sender"),
            role="title",
            longest=140,
            cell=_reported,
        ),
        ListColumn(title=lazy_gettext("Offer"), below=lazy_gettext("Affiliate"), cell=_offer),
        ListColumn(title=lazy_gettext("Result"), below=lazy_gettext("Reason"), cell=_taken),
        ListColumn(
            title=lazy_gettext("Conversion"),
            cell=lambda each, on: conversion_link((each.track and each.track.conversion_id) or "", on),
        ),
    ),
    links=_links,
    empty=lazy_gettext(
        "No advertiser reported anything in these days. Choose an earlier period above, or compare the postback "
        "URL with what the advertiser calls."
    ),
    per_page=50,
)
SENT: Final = ListPage[AffiliatePostback, AffiliatePostbacks](
    path=PATH,
    own=(("tab", "sent"),),
    method=logs.list_affiliate_postbacks,
    view=AffiliatePostbacks,
    rows=lambda _, answer: answer.postbacks,
    title=lazy_gettext("Postbacks"),
    counted=lambda total: ngettext(
        "%(num)d attempt to reach an affiliate", "%(num)d attempts to reach affiliates", total
    ),
    period=Days(usual="today"),
    tabs=_TABS,
    filters=(
        *_FILTERS,
        FilterBy(name="code", parameter="http_code", label=lazy_gettext("Answer"), words=dict(ANSWERS)),
    ),
    columns=(
        ListColumn(title=lazy_gettext("Time"), cell=lambda each, on: _moment(each, "sent", on)),
        ListColumn(title=lazy_gettext("Delivery"), below=lazy_gettext("URL"), role="title", cell=_sent),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            objects=AFFILIATES,
            key=lambda each: each.pid,
            cell=lambda each, on: on.object(AFFILIATES, each.pid),
        ),
        ListColumn(
            title=lazy_gettext("Offer"),
            objects=OFFERS,
            key=lambda each: each.offer_id,
            cell=lambda each, on: on.object(OFFERS, each.offer_id),
        ),
        ListColumn(title=lazy_gettext("Result"), below=lazy_gettext("Answer"), cell=_answered),
        ListColumn(title=lazy_gettext("Conversion"), cell=lambda each, on: conversion_link(each.lead_id, on)),
        ListColumn(
            title=lazy_gettext("Action"),
            role="act",
            is_hidden_title=True,
            shown=lambda request, _: request.calls.may(resends.resend),
            cell=_again,
        ),
    ),
    links=_replay,
    empty=lazy_gettext(
        "Nothing was sent to affiliates in these days. Affiliates get a postback when a conversion changes and they "
        "have a URL for it."
    ),
    per_page=50,
)
declare_list(pages, RECEIVED, SENT)
