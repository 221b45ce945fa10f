"""Second factors of sign-in (docs/spec/callers.md#second-factor)."""

from typing import Annotated, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people import second_factor
from trackyard.actions.people.advertisers import get_advertiser
from trackyard.actions.people.affiliates import get_affiliate
from trackyard.actions.people.staff import get_staff
from trackyard.api.lookups import by_hex, in_scope_by_hex, in_scope_by_number
from trackyard.api.people.sessions import ConfirmPassword
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Routes, for_callers, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()

_OWN: Final = for_callers(Permission.ACCOUNT, advertisers=True)

OneTimeCode = Annotated[str, s.BoundedText(minimum=6, maximum=40)]


class ConfirmSecondFactor(Params):
    """The present code of the app."""

    otp: OneTimeCode


class SecondFactorAnswer(Answer):
    """The second factor of the calling account.

    required: whether the session that calls may do nothing else before it has one.
    recovery_codes: how many are left.
    """

    enabled: bool
    required: bool
    recovery_codes: int


class NewSecondFactorAnswer(Answer):
    """A secret for an authenticator app, and a URL with the secret for a QR code."""

    secret: str
    url: str


class RecoveryCodesAnswer(Answer):
    """Recovery codes, shown once. Each signs in once in place of a code of the app."""

    recovery_codes: list[str]


@routes.get("/auth/second_factor", _OWN, id="auth.second_factor.get")
def show(request: ApiRequest[Deps], _params: NoParams) -> SecondFactorAnswer:
    """Show whether the calling account has a second factor."""
    found = second_factor.get_status(request.deps, request.caller.signer)
    return SecondFactorAnswer(
        enabled=found.enabled, required=request.caller.needs_second_factor, recovery_codes=found.recovery_codes
    )


@routes.post(
    "/auth/second_factor",
    _OWN,
    id="auth.second_factor.begin",
    not_replayable=True,
)
def begin(request: ApiRequest[Deps], params: ConfirmPassword) -> NewSecondFactorAnswer:
    """Make a secret for an authenticator app, after the password. It counts once it is confirmed."""
    made = second_factor.begin(request.deps, request.caller.signer, params.password, request.address)
    return NewSecondFactorAnswer(secret=made.secret, url=made.url)


@routes.post(
    "/auth/second_factor/confirm",
    _OWN,
    id="auth.second_factor.confirm",
    not_replayable=True,
)
def confirm(request: ApiRequest[Deps], params: ConfirmSecondFactor) -> RecoveryCodesAnswer:
    """Confirm the secret by a code of the app: sign-in needs one from then on. Other sessions end."""
    codes = second_factor.confirm(request.deps, request.caller.signer, request.session, params.otp)
    return RecoveryCodesAnswer(recovery_codes=codes)


@routes.post(
    "/auth/second_factor/recovery_codes",
    _OWN,
    id="auth.second_factor.recovery_codes",
    not_replayable=True,
)
def renew_recovery_codes(request: ApiRequest[Deps], params: ConfirmPassword) -> RecoveryCodesAnswer:
    """Replace the recovery codes, after the password. Earlier codes do not work any more."""
    account = request.caller.signer
    codes = second_factor.renew_recovery_codes(request.deps, account, params.password, request.address)
    return RecoveryCodesAnswer(recovery_codes=codes)


@routes.post(
    "/auth/second_factor/disable",
    _OWN,
    id="auth.second_factor.disable",
    not_replayable=True,
)
def disable(request: ApiRequest[Deps], params: ConfirmPassword) -> Answer:
    """Remove the second factor of the calling account, after the password."""
    second_factor.disable(request.deps, request.caller.signer, params.password, request.address)
    return Answer()


@routes.post(
    "/admin/user/{id}/second_factor/reset",
    for_staff(Permission.USERS_WRITE),
    id="admin.user.second_factor.reset",
    credentials=True,
    find=by_hex(get_staff),
)
def reset_staff(request: ApiRequest[Deps], _params: NoParams) -> Answer:
    """Remove the second factor of a staff user that lost its device and its recovery codes."""
    second_factor.reset(request.deps, Account(AccountKind.STAFF, request.subject.user.id))
    return Answer()


@routes.post(
    "/admin/partner/{id}/second_factor/reset",
    for_staff(Permission.AFFILIATES_WRITE),
    id="admin.partner.second_factor.reset",
    credentials=True,
    find=in_scope_by_number(get_affiliate),
)
def reset_affiliate(request: ApiRequest[Deps], _params: NoParams) -> Answer:
    """Remove the second factor of an affiliate that lost its device and its recovery codes."""
    second_factor.reset(request.deps, Account(AccountKind.AFFILIATE, str(request.subject.id)), request.caller)
    return Answer()


@routes.post(
    "/admin/advertiser/{id}/second_factor/reset",
    for_staff(Permission.ADVERTISERS_WRITE),
    id="admin.advertiser.second_factor.reset",
    credentials=True,
    find=in_scope_by_hex(get_advertiser),
)
def reset_advertiser(request: ApiRequest[Deps], _params: NoParams) -> Answer:
    """Remove the second factor of an advertiser that lost its device and its recovery codes."""
    second_factor.reset(request.deps, Account(AccountKind.ADVERTISER, request.subject.advertiser.id), request.caller)
    return Answer()
