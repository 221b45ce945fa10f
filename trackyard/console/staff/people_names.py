"""Names of people and companies in lists, as far as the person may see them."""

from typing import Protocol

from trackyard.api.people.affiliate_view import AffiliateView
from trackyard.api.people.views import PartnerView


class StaffUser(Protocol):
    """A staff user, in a view of its own or inside another record."""

    first_name: str
    last_name: str
    email: str


def full_name(user: StaffUser) -> str:
    """Return the name of a staff user on pages."""
    return f"{user.first_name} {user.last_name}".strip() or user.email


def manager_name(user: StaffUser | str | None) -> str:
    """Return the name of a manager inside another record; "" without one."""
    return "" if user is None or isinstance(user, str) else full_name(user)


def affiliate_name(affiliate: AffiliateView | PartnerView) -> str:
    """Return the name of an affiliate on pages: its name, login or e-mail address."""
    return affiliate.name or affiliate.login or affiliate.email
