"""The list of advertisers, with what they did in a period (docs/spec/console.md#advertisers)."""

from collections.abc import Iterator
from typing import Final

from trackyard.api.people import advertisers as advertisers_api
from trackyard.api.people.advertisers import AdvertisersAnswer, AdvertiserView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import Days, ListColumn, ListPage, On, Search, figure_columns
from trackyard.console.lists.figures import FiguresBy
from trackyard.console.lists.filters import FilterBy
from trackyard.console.lists.objects import MANAGERS
from trackyard.console.lists.page import declare_list
from trackyard.console.offers_shown.choices import country_names
from trackyard.console.staff.advertisers.one import STATUSES
from trackyard.console.staff.deciding import with_decision
from trackyard.console.staff.people_names import manager_name
from trackyard.domain.people.advertisers import AdvertiserStatus

pages = Pages()

PATH: Final = "/console/advertisers"
_NEW: Final = f"{PATH}/new"
_FIGURES: Final = FiguresBy[AdvertiserView, AdvertisersAnswer](
    names=("clicks", "conversions", "charge", "margin"),
    slice_="advertiser",
    filter_="advertiser",
    key=lambda each: each.id,
    has_currency=True,
    by="id[]",
    ids=lambda answer: [each.id for each in answer.advertisers],
)


def _status(each: AdvertiserView, on: On) -> ListCell:
    """Return the status of an advertiser, and the form that decides about a sign-up."""
    rule = AdvertiserStatus(each.status).rule
    shown = cells.status(str(STATUSES[each.status]), rule.mark)
    if not rule.is_undecided or not on.request.calls.may(advertisers_api.edit):
        return shown
    return with_decision(shown, on, f"{PATH}/{each.id}", each.title)


def _waiting(request: PageRequest) -> Iterator[PageLink]:
    sent = [("status[]", AdvertiserStatus.ON_MODERATION.value), ("limit", "1")]
    if waiting := request.calls.ask(advertisers_api.list_, sent).pagination.total_count:
        text = ngettext("%(num)d waits for approval.", "%(num)d wait for approval.", waiting)
        yield PageLink(text, f"{PATH}?status=on+moderation")


ADVERTISER_LIST: Final = ListPage[AdvertiserView, AdvertisersAnswer](
    path=PATH,
    method=advertisers_api.list_,
    view=AdvertisersAnswer,
    rows=lambda _, answer: answer.advertisers,
    title=lazy_gettext("Advertisers"),
    counted=lambda total: ngettext("%(num)d advertiser.", "%(num)d advertisers.", total),
    notes=_waiting,
    main=lambda _: PageLink(gettext("Invite an advertiser"), f"{PATH}/invite"),
    links=lambda _: [
        PageLink(gettext("Invite several"), f"{PATH}/invite-many"),
        PageLink(gettext("Add without an invitation"), _NEW),
    ],
    period=Days(usual="7d", first="", last=""),
    search=Search(placeholder=lazy_gettext("Name, contact or e-mail"), parameter="search"),
    filters=(
        FilterBy(name="manager", objects=MANAGERS),
        FilterBy(name="tag", parameter="tags", label=lazy_gettext("Tag")),
        FilterBy(name="country", label=lazy_gettext("Country"), choices=lambda _: country_names()),
        FilterBy(name="status", label=lazy_gettext("Sign-in"), words=STATUSES),
    ),
    usual=("_id", "desc"),
    figures=_FIGURES,
    columns=(
        ListColumn(
            title=lazy_gettext("Advertiser"),
            role="title",
            sort="title",
            cell=lambda each, on: cells.cell(each.title, link=f"{PATH}/{each.id}{on.in_currency}"),
        ),
        ListColumn(
            title=lazy_gettext("E-mail"),
            below=lazy_gettext("Country"),
            sort="email",
            cell=lambda each, _: cells.cell(each.email, each.country),
        ),
        ListColumn(title=lazy_gettext("Status"), cell=_status),
        ListColumn(title=lazy_gettext("Manager"), cell=lambda each, _: manager_name(each.manager_obj)),
        ListColumn(
            title=lazy_gettext("Offers"),
            role="figure",
            cell=lambda each, _: cells.count(int(each.offers), link=f"/console/offers?advertiser={each.id}"),
        ),
        *figure_columns(_FIGURES),
        ListColumn(title=lazy_gettext("Tags"), cell=lambda each, _: cells.tags(each.tags)),
    ),
    empty=lazy_gettext("There are no advertisers yet. An advertiser owns offers and pays for their conversions."),
    empty_links=lambda _: [PageLink(gettext("Invite the first one"), f"{PATH}/invite")],
)
declare_list(pages, ADVERTISER_LIST)
