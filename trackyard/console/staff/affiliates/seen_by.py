"""Who can see an affiliate: roles, and the people who have them.

docs/spec/callers.md#roles-of-staff has the roles.
"""

from dataclasses import dataclass
from typing import Final

from trackyard.api.people import staff
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.base.texts.marks import gettext
from trackyard.console.account.roles import ROLE_WORDS
from trackyard.console.frame.request import PageRequest
from trackyard.console.offers_shown.choices import MOST_CHOICES
from trackyard.console.staff.people_names import manager_name
from trackyard.domain.people.roles import ROLE_PERMISSIONS, Permission, Role
from trackyard.domain.people.staff import StaffStatus

_ROLES: Final = tuple(role for role in Role if Permission.AFFILIATES_READ in ROLE_PERMISSIONS[role])
_MOST_NAMES: Final = 5


@dataclass(frozen=True, slots=True)
class SeeingRole:
    """A role that shows an affiliate. people: links and names. more: how many people are not listed.

    sentence: describes its people, "" where the links suffice.
    """

    name: str
    may: str
    people: tuple[tuple[str, str], ...]
    more: int
    sentence: str


def find_seeing(request: PageRequest, affiliate: AffiliateView) -> list[SeeingRole]:
    """Return the roles that show an affiliate, with people's names where the person may list staff users."""
    users = _users(request)
    return [_role(role, affiliate, users) for role in _ROLES]


def _role(role: Role, affiliate: AffiliateView, users: list[staff.StaffView] | None) -> SeeingRole:
    words, manager = ROLE_WORDS[role], affiliate.manager
    having = [user for user in users or () if role in user.roles]
    sentence = ""
    if role is Role.MANAGER_AFFILIATE:
        having = [user for user in having if manager and user.id == manager.id]
        if not manager:
            sentence = gettext("No one manages this affiliate, so no affiliate manager sees it.")
        elif users is None:
            sentence = gettext("%(manager)s, with this role, because of managing it.", manager=manager_name(manager))
        elif not having:
            sentence = gettext("%(manager)s manages it, and lacks this role.", manager=manager_name(manager))
    elif users is None:
        sentence = gettext("Everyone with this role.")
    elif not having:
        sentence = gettext("No one has this role.")
    people = tuple((f"/console/staff/{user.id}", manager_name(user)) for user in having[:_MOST_NAMES])
    return SeeingRole(words.name, words.may, people, max(0, len(having) - _MOST_NAMES), sentence)


def _users(request: PageRequest) -> list[staff.StaffView] | None:
    """Return the active staff users; None where there are too many, or the person may not list them."""
    if not request.calls.may(staff.list_):
        return None
    answer = request.calls.ask(staff.list_, [("limit", str(MOST_CHOICES))])
    if answer.pagination.total_count > MOST_CHOICES:
        return None
    return [user for user in answer.users if StaffStatus(user.status).rule.is_at_work]
