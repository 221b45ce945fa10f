"""The person behind a caller, as pages name it."""

from dataclasses import replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.advertiser_side.account import get_own_advertiser
from trackyard.actions.people.own_account import get_account
from trackyard.actions.people.preferences import get_preferences
from trackyard.actions.people.signers import find_own_signer, get_title
from trackyard.actions.people.staff import get_user
from trackyard.console.frame.request import Contact, Person
from trackyard.domain.people.callers import AdvertiserCaller, AffiliateCaller, Caller
from trackyard.domain.people.preferences import Preferences
from trackyard.domain.people.roles import Permission

_PATHS: Final = {
    "postbacks": "/portal/postbacks",
    "requests": "/portal/requests",
    "referrals": "/portal/referrals",
}
"""The page of each kind of things that an affiliate may have."""


def find_person(deps: Deps, caller: Caller) -> Person:
    """Return the person of a caller. Raises NotFound for an account that was removed meanwhile."""
    chosen = get_preferences(deps, caller.signer)
    found = _find(deps, caller, chosen)
    if caller.member is None:
        return found
    signer = find_own_signer(deps, caller.member.signer)
    title = get_title(deps, caller.company)
    return replace(found, name=signer.name or signer.email, email=signer.email, company_title=title)


def _may_accept(caller: AffiliateCaller) -> bool:
    """Return whether a person may accept the terms of the network for an affiliate."""
    return caller.member is None or Permission.AFFILIATES_READ in caller.member.role.rule.writes


def _find(deps: Deps, caller: Caller, chosen: Preferences) -> Person:
    """Return the person of a caller; for a member of a company its owner, with the member's rights."""
    if isinstance(caller, AffiliateCaller):
        own = get_account(deps, caller.id)
        affiliate, staff = own.affiliate, own.manager
        manager = None if staff is None else Contact(f"{staff.first_name} {staff.last_name}".strip(), staff.email)
        used = frozenset(_PATHS[part] for part in own.used)
        name = affiliate.contact_person or affiliate.name or affiliate.login or affiliate.email
        needs_terms = own.needs_terms and _may_accept(caller)
        return Person(caller, name, affiliate.email, manager, needs_terms, used, chosen)
    if isinstance(caller, AdvertiserCaller):
        advertiser = get_own_advertiser(deps, caller.id).advertiser
        return Person(caller, advertiser.contact or advertiser.title, advertiser.email or "", preferences=chosen)
    user = get_user(deps, caller.id)
    return Person(caller, f"{user.first_name} {user.last_name}".strip() or user.email, user.email, preferences=chosen)
