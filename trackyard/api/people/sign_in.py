"""Signing in (docs/spec/callers.md#sign-in)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.people.sign_in.by_password import sign_in
from trackyard.base.errors import BadInput
from trackyard.base.strangers import StrangerAct
from trackyard.base.zones import datetime_text
from trackyard.wire.endpoint import FOR_ANYONE, ApiRequest, Routes
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()

Login = Annotated[str, s.BoundedText(maximum=254)]


class SignIn(Params):
    """A password, and a login or e-mail address under either name.

    otp: the code of an authenticator app, or a recovery code, for an account with a second factor.
    """

    login: Login = ""
    email: Login = ""
    password: Annotated[str, s.BoundedText(minimum=1, maximum=1000)]
    otp: Annotated[str, s.BoundedText(maximum=40)] = ""


class SessionAnswer(Answer):
    """A key that works like another key of its owner until it expires, but shows no lasting key.

    expires_at: the latest end of the session; it ends earlier when it is not used.
    type: staff or affiliate.
    """

    api_key: str
    expires_at: str
    type: str
    id: str


@routes.post("/auth", FOR_ANYONE, id="auth", not_replayable=True, also=("/pub-auth",), act=StrangerAct.CHECK_PASSWORD)
def add(request: ApiRequest[Deps], params: SignIn) -> SessionAnswer:
    """Get a session key for a login or e-mail address and its password.

    401 when they do not fit or the account is not active; 401 with the code second_factor_required when the account
    needs `otp`, too; 429 after too many failed tries, for one account or from
    one IP address.
    """
    login = (params.login or params.email).strip()
    if not login:
        raise BadInput({"login": ["This value is required, or email."]})
    made = sign_in(request.deps, login, params.password, request.address, request.user_agent, params.otp.strip())
    expires = datetime_text(made.session.expires_at, request.deps.zone)
    account = made.session.account
    return SessionAnswer(api_key=made.key, expires_at=expires, type=account.kind, id=account.id)
