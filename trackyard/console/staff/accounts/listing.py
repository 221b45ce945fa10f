"""The list of staff users (docs/spec/console.md#staff)."""

from typing import Final

from trackyard.api.people import staff
from trackyard.api.people.staff import StaffListAnswer, StaffView
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.account.roles import role_names
from trackyard.console.frame.pages import Pages
from trackyard.console.lists import cells
from trackyard.console.lists.cells import ListCell, PageLink
from trackyard.console.lists.declared import ListColumn, ListPage, Search
from trackyard.console.lists.page import declare_list
from trackyard.console.staff.people_names import full_name
from trackyard.domain.people.staff import StaffStatus, StaffStatusRule

pages = Pages()

PATH: Final = "/console/staff"


def _status(rule: StaffStatusRule) -> ListCell:
    return cells.status(gettext(rule.label), rule.mark)


STAFF_USERS: Final = ListPage[StaffView, StaffListAnswer](
    path=PATH,
    method=staff.list_,
    view=StaffListAnswer,
    rows=lambda _, answer: answer.users,
    title=lazy_gettext("Staff"),
    counted=lambda total: ngettext("%(num)d staff user", "%(num)d staff users", total),
    links=lambda _: [
        PageLink(gettext("Invite several"), f"{PATH}/invite-many"),
        PageLink(gettext("Presets of permissions"), f"{PATH}/presets"),
    ],
    main=lambda _: PageLink(gettext("Invite a staff user"), f"{PATH}/new"),
    search=Search(placeholder=lazy_gettext("Name or e-mail address of a staff user")),
    columns=(
        ListColumn(
            title=lazy_gettext("Name"),
            below=lazy_gettext("E-mail"),
            role="title",
            cell=lambda each, _: cells.cell(full_name(each), each.email, link=f"{PATH}/{each.id}"),
        ),
        ListColumn(title=lazy_gettext("Roles"), longest=300, cell=lambda each, _: ", ".join(role_names(each.roles))),
        ListColumn(
            title=lazy_gettext("Status"),
            cell=lambda each, _: _status(StaffStatus(each.status).rule),
        ),
        ListColumn(
            title=lazy_gettext("Last sign-in"),
            cell=lambda each, _: cells.moment(each.last_login_at) if each.last_login_at else gettext("never"),
        ),
    ),
    empty=lazy_gettext("There is no staff user."),
    per_page=50,
)
declare_list(pages, STAFF_USERS)
