"""The list of affiliates, with what they did in a period (docs/spec/console.md#affiliates)."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from trackyard.api.people import affiliates as affiliates_api
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.people.affiliates import AffiliatesAnswer
from trackyard.api.platform import messages as messages_api
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.frame.shown import money, together
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import Button, Days, ListColumn, ListPage, On, Search, Selection, figure_columns
from trackyard.console.lists.figures import FiguresBy
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import MANAGERS
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.people.messages import NEW as WRITE
from trackyard.console.staff.affiliates.words import MARKS, STATUSES
from trackyard.console.staff.deciding import with_decision
from trackyard.console.staff.people_names import affiliate_name, manager_name
from trackyard.domain.people.affiliates import AffiliateStatus

pages = Pages()

PATH: Final = "/console/affiliates"
_NEW: Final = f"{PATH}/new"


def _status(each: AffiliateView, on: On) -> ListCell:
    """Return the status of an affiliate, and the form that decides about a sign-up."""
    shown = cells.status(str(STATUSES[each.status]), MARKS[each.status])
    if not AffiliateStatus(each.status).rule.is_undecided or not on.request.calls.may(affiliates_api.edit):
        return shown
    return with_decision(shown, on, f"{PATH}/{each.id}", affiliate_name(each))


def _balance(each: AffiliateView, _on: On) -> ListCell:
    lines = list[str]()
    found = {code: one for code, one in each.balance.items() if one.balance or one.available}
    for code, one in found.items():
        lines.append(together((one.available, one.hold), code))
        lines += [gettext("%(hold)s on hold", hold=money(one.hold, code))] if one.hold else []
    value = cells.amount_of(one.available + one.hold, code) if len(found) == 1 else ", ".join(lines)
    return replace(cells.cell(*lines), value=value) if lines else ListCell()


def _waiting(request: PageRequest) -> Iterator[PageLink]:
    sent = [("status[]", "on moderation"), ("limit", "1")]
    if waiting := request.calls.ask(affiliates_api.list_, sent).pagination.total_count:
        text = ngettext("%(num)d waits for approval.", "%(num)d wait for approval.", waiting)
        yield PageLink(text, f"{PATH}?status=on+moderation")


_FIGURES: Final = FiguresBy[AffiliateView, AffiliatesAnswer](
    names=("clicks", "conversions", "payout"),
    slice_="affiliate",
    filter_="partner",
    key=lambda each: each.id,
    has_currency=True,
    by="id[]",
    ids=lambda answer: [each.id for each in answer.partners],
)
AFFILIATE_LIST: Final = ListPage[AffiliateView, AffiliatesAnswer](
    path=PATH,
    method=affiliates_api.list_,
    view=AffiliatesAnswer,
    rows=lambda _, answer: answer.partners,
    title=lazy_gettext("Affiliates"),
    counted=lambda total: ngettext("%(num)d affiliate.", "%(num)d affiliates.", total),
    notes=_waiting,
    links=lambda _: [PageLink(gettext("Invite several"), f"{PATH}/invite-many")],
    main=lambda _: PageLink(gettext("Invite an affiliate"), _NEW),
    period=Days(usual="7d", first="", last=""),
    search=Search(placeholder=lazy_gettext("Name, e-mail, login or number"), parameter="search"),
    filters=(
        FilterBy(name="status", label=lazy_gettext("Status"), words=STATUSES),
        FilterBy(name="manager", parameter="manager_id", objects=MANAGERS),
        FilterBy(name="tag", parameter="tags", label=lazy_gettext("Tag")),
        FilterBy(name="country", label=lazy_gettext("Country"), choices=lambda _: country_names()),
    ),
    fixed=(("with_balance", "1"),),
    usual=("id", "desc"),
    figures=_FIGURES,
    columns=(
        ListColumn(title=lazy_gettext("ID"), sort="id", cell=lambda each, _: str(each.id)),
        ListColumn(
            title=lazy_gettext("Affiliate"),
            role="title",
            sort="name",
            cell=lambda each, on: cells.cell(affiliate_name(each), link=f"{PATH}/{each.id}{on.in_currency}"),
        ),
        ListColumn(
            title=lazy_gettext("E-mail"),
            below=lazy_gettext("Country"),
            sort="email",
            cell=lambda each, _: cells.cell(each.email, each.country or ""),
        ),
        ListColumn(title=lazy_gettext("Status"), cell=_status),
        ListColumn(title=lazy_gettext("Manager"), cell=lambda each, _: manager_name(each.manager)),
        ListColumn(title=lazy_gettext("Balance"), role="figure", cell=_balance),
        *figure_columns(_FIGURES),
        ListColumn(title=lazy_gettext("Tags"), cell=lambda each, _: cells.tags(each.tags)),
    ),
    selection=Selection(
        path=WRITE,
        field="affiliate",
        needs=(messages_api.add,),
        key=lambda each: each.id,
        about=lambda each, _: gettext("Select the affiliate %(name)s", name=affiliate_name(each)),
        method="get",
        is_apart=True,
        line=lazy_gettext("The selected ones:"),
        buttons=(Button(label=lazy_gettext("Write to them")),),
    ),
    empty=lazy_gettext("There are no affiliates yet. Affiliates sign up by themselves, or you invite them."),
    empty_links=lambda _: [PageLink(gettext("Invite the first one"), _NEW)],
)
declare_list(pages, AFFILIATE_LIST)
