"""Invitations of affiliates, advertisers and staff users (docs/spec/people.md#invitations).

An account is made without a password, and a mail with a link that works once lets its owner choose one.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.advertisers import AdvertiserRecord, advertiser_record, make_advertiser
from trackyard.actions.people.affiliates import EMAIL_TAKEN, AffiliateRecord, affiliate_record, make_affiliate
from trackyard.actions.people.sign_in.by_link import send_link
from trackyard.actions.people.staff import StaffRecord, make_staff, staff_record
from trackyard.base.errors import BadInput, Conflict
from trackyard.domain.people.advertisers import Advertiser, AdvertiserStatus
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.callers import Access, Account, AccountKind
from trackyard.domain.people.invitations import Invitation
from trackyard.domain.people.staff import Staff
from trackyard.store.engine.database import Connection
from trackyard.store.people import advertisers, preferences

_ACTIVE_ALONE: Final = "Only an active advertiser is invited."


def invite_affiliate(deps: Deps, access: Access, new: Affiliate, invitation: Invitation) -> AffiliateRecord:
    """Make an affiliate without a password, and mail it a link with which it chooses one.

    Raises BadInput, and Conflict for a taken e-mail address or login.
    """
    with deps.database.write() as conn:
        made = make_affiliate(deps, conn, access, new)
        _invite(deps, conn, Account(AccountKind.AFFILIATE, str(made.id)), invitation)
        return affiliate_record(deps, conn, made)


def invite_advertiser(
    deps: Deps, access: Access, new: Advertiser, lists: Mapping[str, Sequence[int]], invitation: Invitation
) -> AdvertiserRecord:
    """Make an advertiser without a password, and mail it a link with which it chooses one.

    new: has an e-mail address. lists: affiliates_enabled, affiliates_disabled.
    Raises BadInput, also for a status that may not sign in, and Conflict for the e-mail address of another advertiser.
    """
    if not AdvertiserStatus(new.status).rule.may_sign_in:
        raise BadInput({"status": [_ACTIVE_ALONE]})
    with deps.database.write() as conn:
        if advertisers.has_email(conn, new.email or ""):
            raise Conflict({"email": [EMAIL_TAKEN]})
        made = make_advertiser(conn, access, new, lists, deps.clock.now_ms())
        _invite(deps, conn, Account(AccountKind.ADVERTISER, made.id), invitation)
        return advertiser_record(conn, made)


def invite_staff(deps: Deps, new: Staff, invitation: Invitation) -> StaffRecord:
    """Make a staff user without a password, and mail a link with which the person chooses one.

    Raises Conflict for a taken e-mail address.
    """
    with deps.database.write() as conn:
        made = make_staff(deps, conn, new)
        _invite(deps, conn, Account(AccountKind.STAFF, made.id), invitation)
        return staff_record(deps, conn, made.id)


def _invite(deps: Deps, conn: Connection, account: Account, invitation: Invitation) -> None:
    if invitation.language:
        chosen = replace(preferences.find_preferences(conn, account), language=invitation.language)
        preferences.edit_preferences(conn, account, chosen)
    send_link(deps, conn, account, invitation.message)
