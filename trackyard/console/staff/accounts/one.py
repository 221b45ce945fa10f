"""One staff user: what it may do, in words (docs/spec/console.md#staff)."""

from typing import Final

from trackyard.api.people import presets, staff
from trackyard.console.account.roles import ROLE_WORDS
from trackyard.console.frame.answers import Html, PageAnswer
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.access import access_card, declare_access
from trackyard.console.staff.accounts.levels import METHOD, shown_sections
from trackyard.console.staff.accounts.listing import PATH
from trackyard.console.staff.people_names import full_name
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Role
from trackyard.domain.people.staff import StaffStatus

pages = Pages()

_MOST_PRESETS: Final = 500
"""The most presets from which one is chosen."""


@pages.get(f"{PATH}/{{id}}", needs=(staff.show,))
def staff_user(request: PageRequest) -> PageAnswer:
    """Show a staff user, its roles and what they let it do."""
    return user_page(request)


def user_page(request: PageRequest, *, fault: str = "", status: int = 200, link: str = "") -> Html:
    """Return the page of the user of the path.

    fault: why nothing was changed. link: a new sign-in link, which is shown once.
    """
    calls = request.calls
    user = find_user(request)
    is_administrator = Role.ADMIN in user.roles
    sections = [] if is_administrator else shown_sections(user.permissions)
    may_level = calls.may(METHOD)
    return request.page(
        "staff/accounts/one.html",
        status,
        user=user,
        name=full_name(user),
        rule=StaffStatus(user.status).rule,
        roles=[words for role, words in ROLE_WORDS.items() if role in user.roles],
        is_administrator=is_administrator,
        sections=sections,
        narrowed=sum(section.narrowed for section in sections),
        may_level=may_level,
        presets=_presets(request) if sections and may_level else [],
        is_self=user.id == request.person.caller.account.id,
        path=f"{PATH}/{user.id}",
        card=access_card(request, AccountKind.STAFF, f"{PATH}/{user.id}", link),
        fault=fault,
        may_write=calls.may(staff.edit),
        api_request_path=calls.address(staff.show, path=request.path),
    )


declare_access(pages, AccountKind.STAFF, user_page, staff.show)


def _presets(request: PageRequest) -> list[tuple[str, str]]:
    if not request.calls.may(presets.list_):
        return []
    found = request.calls.ask(presets.list_, [("limit", str(_MOST_PRESETS))]).presets
    return [(each.id, each.name) for each in found]


def find_user(request: PageRequest) -> staff.StaffDetailsView:
    """Return the staff user of the path. Raises NotFound."""
    return request.calls.ask(staff.show, path=request.path).user
