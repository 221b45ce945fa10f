"""Invitations of affiliates, advertisers and staff users (docs/spec/people.md#invitations)."""

from typing import Annotated, Any

from trackyard.actions.deps import Deps
from trackyard.actions.people import invitations
from trackyard.actions.people.blacklist import AFFILIATE_LISTS
from trackyard.api.people.advertisers import AdvertiserAnswer, AdvertiserParams, advertiser_viewer
from trackyard.api.people.affiliate_view import affiliate_view
from trackyard.api.people.affiliates import AffiliateAnswer, AffiliateParams
from trackyard.api.people.staff import StaffAnswer, StaffParams, staff_view
from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.affiliates import Affiliate
from trackyard.domain.people.invitations import MAX_MESSAGE, Invitation
from trackyard.domain.people.preferences import LANGUAGES
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.staff import Staff
from trackyard.wire.endpoint import ApiRequest, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params

routes = Routes[Deps]()

_APART = frozenset({"lang", "message"})


class InvitationParams(Params):
    """What goes with an invitation."""

    lang: Annotated[str, s.Choice(LANGUAGES)] | None = None
    message: Annotated[str, s.BoundedText(maximum=MAX_MESSAGE)] = ""

    def invitation(self) -> Invitation:
        """Return the language and the words of the invitation."""
        return Invitation(self.lang or "", self.message.strip())


class InviteAffiliate(AffiliateParams, InvitationParams):
    """A new affiliate, which is active and chooses its password itself."""

    email: s.Email

    def written_values(self) -> dict[str, Any]:
        """Return the sent values by field of Affiliate, without sub accounts."""
        return _without_invitation(super().written_values())


class InviteAdvertiser(AdvertiserParams, InvitationParams):
    """A new advertiser, which is active and chooses its password itself."""

    title: s.Name
    email: s.Email
    hash_password: s.Text | None = None

    def written_values(self) -> dict[str, Any]:
        """Return the sent values by field of Advertiser, without sub accounts."""
        return _without_invitation(super().written_values())


class InviteStaff(StaffParams, InvitationParams):
    """A new staff user, who chooses the password; without roles the person may only read news."""

    email: s.Email
    first_name: s.Name
    last_name: s.Name


@routes.post(
    "/admin/partner/invite",
    for_staff(Permission.AFFILIATES_WRITE),
    id="admin.partner.invite",
    credentials=True,
    not_replayable=True,
)
def invite_affiliate(request: ApiRequest[Deps], params: InviteAffiliate) -> AffiliateAnswer:
    """Invite an affiliate by mail.

    A link in it, which works once, lets the affiliate choose its password.

    The affiliate is active at once. `POST /admin/partner` makes one with a password that you choose.
    """
    new = Affiliate(**params.written_values(), sub_accounts=params.sub_accounts())
    record = invitations.invite_affiliate(request.deps, request.access, new, params.invitation())
    return AffiliateAnswer(partner=affiliate_view(request, record), id=record.affiliate.id)


@routes.post(
    "/admin/advertiser/invite",
    for_staff(Permission.ADVERTISERS_WRITE),
    id="admin.advertiser.invite",
    credentials=True,
    not_replayable=True,
)
def invite_advertiser(request: ApiRequest[Deps], params: InviteAdvertiser) -> AdvertiserAnswer:
    """Invite an advertiser by mail.

    A link in it, which works once, lets the advertiser choose its password.

    The advertiser is active at once. `POST /admin/advertiser` makes one that does not sign in.
    """
    given = params.written_values()
    lists = {name: given.pop(name) for name in AFFILIATE_LISTS if name in given}
    new = Advertiser(**given, sub_accounts=params.sub_accounts())
    record = invitations.invite_advertiser(request.deps, request.access, new, lists, params.invitation())
    return AdvertiserAnswer(advertiser=advertiser_viewer(request)(record))


@routes.post(
    "/admin/user/invite",
    for_staff(Permission.USERS_WRITE),
    id="admin.user.invite",
    credentials=True,
    not_replayable=True,
)
def invite_staff(request: ApiRequest[Deps], params: InviteStaff) -> StaffAnswer:
    """Invite a staff user by mail.

    A link in it, which works once, lets the person choose a password.

    The answer has the user's key where the caller may see it.
    """
    new = Staff(**params.model_dump(exclude=set(_APART)))
    record = invitations.invite_staff(request.deps, new, params.invitation())
    return StaffAnswer(user=staff_view(request, record))


def _without_invitation(values: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in values.items() if name not in _APART}
