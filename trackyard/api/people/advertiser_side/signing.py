"""Sign-up and sign-in of advertisers (docs/spec/callers.md#advertisers-as-callers)."""

from typing import Annotated

from msgspec import UNSET, UnsetType

from trackyard.actions.deps import Deps
from trackyard.actions.people.advertiser_side.signing import renew_key, sign_in, sign_up
from trackyard.api.people.views import ChosenPassword, shown_key
from trackyard.base.strangers import StrangerAct
from trackyard.base.zones import datetime_text
from trackyard.domain.people.advertisers import Advertiser
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import FOR_ANYONE, ApiRequest, Routes, for_advertisers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Clearable, NoParams, Params
from trackyard.wire.response.envelope import Answer, View

routes = Routes[Deps]()


class AdvertiserSignUp(Params):
    """A new advertiser. captcha: existing programs send it."""

    title: s.Name
    email: s.Email
    password: ChosenPassword
    captcha: s.Text = ""
    contact: s.Text | None = None
    skype: s.Text | None = None
    url: Annotated[s.Url | None, Clearable()] = None
    country: Annotated[s.Country | None, Clearable()] = None


class AdvertiserSignIn(Params):
    """The e-mail address and the password of an advertiser.

    otp: the code of an authenticator app, or a recovery code, for an account with a second factor.
    """

    email: Annotated[str, s.BoundedText(minimum=1, maximum=254)]
    password: Annotated[str, s.BoundedText(minimum=1, maximum=1000)]
    otp: Annotated[str, s.BoundedText(maximum=40)] = ""


class SignedUpAdvertiserAnswer(Answer):
    """The result in words."""

    message: str


class OwnAdvertiserView(View):
    """An advertiser that signed in. api_key: its lasting key."""

    id: str
    email: str
    type: str
    created_at: str
    api_key: str


class AdvertiserSessionAnswer(Answer, kw_only=True):
    """An advertiser, its key, and a session.

    status: absent, as existing programs expect.
    access_token: the key of the session.
    refresh_token: always empty.
    expires_in: seconds to the latest end of the session.
    """

    status: int | UnsetType = UNSET  # type: ignore[assignment]
    user: OwnAdvertiserView
    access_token: str
    refresh_token: str
    expires_in: int


class AdvertiserKeyAnswer(Answer):
    """The new key of an advertiser; null in a session."""

    api_key: str | None


@routes.post(
    "/advertiser/registration",
    FOR_ANYONE,
    id="advertiser.registration",
    not_replayable=True,
    act=StrangerAct.SIGN_UP,
)
def add(request: ApiRequest[Deps], params: AdvertiserSignUp) -> SignedUpAdvertiserAnswer:
    """Sign up as an advertiser, which waits until staff make it active.

    The answer is the same when the e-mail address is taken; then a mail to it explains why.
    """
    new = Advertiser(
        title=params.title,
        email=params.email,
        contact=params.contact,
        skype=params.skype,
        url=params.url,
        country=params.country,
    )
    sign_up(request.deps, new, params.password, request.address)
    return SignedUpAdvertiserAnswer(message="Advertiser created successfully")


@routes.post(
    "/advertiser/login",
    FOR_ANYONE,
    id="advertiser.login",
    not_replayable=True,
    act=StrangerAct.CHECK_PASSWORD,
)
def add_session(request: ApiRequest[Deps], params: AdvertiserSignIn) -> AdvertiserSessionAnswer:
    """Get the key of an advertiser, and a session, for its e-mail address and its password.

    401 when they do not fit or the advertiser is not active. An account with a second factor needs `otp`, too.
    429 after too many failed tries, for one account or from one IP address.
    """
    email, otp = params.email.strip(), params.otp.strip()
    made = sign_in(request.deps, email, params.password, request.address, request.user_agent, otp)
    session, row = made.opened.session, made.advertiser
    user = OwnAdvertiserView(
        id=row.id,
        email=row.email or "",
        type=AccountKind.ADVERTISER,
        created_at=datetime_text(row.created_at, request.deps.zone),
        api_key=made.api_key,
    )
    seconds = (session.expires_at - session.created_at) // 1000
    key = made.opened.key
    return AdvertiserSessionAnswer(
        user=user,
        access_token=key,
        refresh_token="",
        expires_in=seconds,
    )


@routes.post(
    "/advertiser/api_key", for_advertisers(Permission.COMPANY), id="advertiser.api_key.renew", credentials=True
)
def renew(request: ApiRequest[Deps], _params: NoParams) -> AdvertiserKeyAnswer:
    """Give the calling advertiser a new key. The old one stops at once, and so do its other sessions."""
    key = renew_key(request.deps, request.caller.company, keep=request.session)
    return AdvertiserKeyAnswer(api_key=shown_key(request, key))
