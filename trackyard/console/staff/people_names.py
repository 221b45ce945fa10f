"""Names of people and companies in lists, as far as the person may see them."""

from collections.abc import Iterable
from typing import Final, Protocol

from trackyard.actions.deps import Deps
from trackyard.api.people import affiliates, staff
from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.people.views import PartnerView
from trackyard.console.offers_shown.choices import MOST_CHOICES, Choices
from trackyard.wire.local_calls import LocalCalls

_AT_A_TIME: Final = 100
"""Names that one call asks for."""


class StaffUser(Protocol):
    """A staff user, in a view of its own or inside another record."""

    first_name: str
    last_name: str
    email: str


def managers(calls: LocalCalls[Deps]) -> Choices:
    """Return staff users by name; nothing where the person may not list them, or there are too many."""
    if not calls.may(staff.list_):
        return ()
    answer = calls.ask(staff.list_, [("limit", str(MOST_CHOICES))])
    if answer.pagination.total_count > MOST_CHOICES:
        return ()
    return tuple(sorted(((user.id, full_name(user)) for user in answer.users), key=lambda pair: pair[1]))


def full_name(user: StaffUser) -> str:
    """Return the name of a staff user on pages."""
    return f"{user.first_name} {user.last_name}".strip() or user.email


def manager_name(user: StaffUser | str | None) -> str:
    """Return the name of a manager inside another record; "" without one."""
    return "" if user is None or isinstance(user, str) else full_name(user)


def affiliate_name(affiliate: AffiliateView | PartnerView) -> str:
    """Return the name of an affiliate on pages: its name, login or e-mail address."""
    return affiliate.name or affiliate.login or affiliate.email


def affiliate_names(calls: LocalCalls[Deps], ids: Iterable[int]) -> dict[int, str]:
    """Return names by number of the affiliates that the person may see, with few calls."""
    wanted = sorted(set(ids))
    if not calls.may(affiliates.list_names):
        return {}
    found: dict[int, str] = {}
    for start in range(0, len(wanted), _AT_A_TIME):
        sent = [("id[]", str(each)) for each in wanted[start : start + _AT_A_TIME]]
        answer = calls.ask(affiliates.list_names, [*sent, ("limit", str(_AT_A_TIME))])
        found |= {each.id: affiliate_name(each) for each in answer.partners}
    return found
