"""One's own sessions and lasting key (docs/spec/callers.md#sessions)."""

from typing import Annotated, Final
from zoneinfo import ZoneInfo

from trackyard.actions.deps import Deps
from trackyard.actions.people import sessions
from trackyard.actions.people.credentials import change_own_password
from trackyard.actions.people.keys import show_first_key
from trackyard.api.lookups import path_hex
from trackyard.api.people.views import ChosenPassword
from trackyard.base.zones import datetime_text
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.roles import Permission
from trackyard.domain.people.sessions import Session
from trackyard.wire.endpoint import ApiRequest, Routes, check_second_factor, for_callers
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()
_OWN: Final = for_callers(Permission.ACCOUNT, advertisers=True)

OwnPassword = Annotated[str, s.BoundedText(minimum=1, maximum=1000)]


class ConfirmPassword(Params):
    """The password of the calling account."""

    password: OwnPassword


class ChangePassword(ConfirmPassword):
    """The present password, and the new one."""

    new_password: ChosenPassword


class SessionView(View):
    """A session.

    current: whether it makes this call.
    address, user_agent: the IP address and user agent of its sign-in.
    last_used_at: exact to the minute.
    """

    id: str
    current: bool
    created_at: str
    last_used_at: str
    expires_at: str
    address: str
    user_agent: str
    second_factor: bool


class SessionsAnswer(Answer):
    """The open sessions of the calling account, the newest first."""

    sessions: list[SessionView]


class EndedSessionsAnswer(Answer):
    """The number of sessions that have ended."""

    ended: int


class ShownKeyAnswer(Answer):
    """The lasting key of the calling account. type: the kind of the account.

    A member of a company has none: its `api_key` is null.
    """

    api_key: str | None
    type: str
    id: str


def _find(request: ApiRequest[Deps]) -> Session:
    return sessions.get_session(request.deps, request.caller.signer, path_hex(request))


@routes.get("/auth/sessions", _OWN, id="auth.sessions.list")
def list_(request: ApiRequest[Deps], _params: NoParams) -> SessionsAnswer:
    """List the open sessions of the calling account."""
    found = sessions.list_sessions(request.deps, request.caller.signer)
    return SessionsAnswer(sessions=[session_view(each, request.caller.session, request.deps.zone) for each in found])


@routes.delete("/auth", _OWN, id="auth.sign-out")
def sign_out(request: ApiRequest[Deps], _params: NoParams) -> EndedSessionsAnswer:
    """Sign out: the session that calls ends at once. A call with a lasting key ends nothing."""
    if not request.caller.session:
        request.warn("This is a lasting key and no session: nothing ended. A new key ends it.")
        return EndedSessionsAnswer(ended=0)
    sessions.end_session(request.deps, request.caller.signer, request.caller.session)
    return EndedSessionsAnswer(ended=1)


@routes.delete("/auth/sessions", _OWN, id="auth.sessions.end")
def end_all(request: ApiRequest[Deps], _params: NoParams) -> EndedSessionsAnswer:
    """Sign out everywhere: all sessions of the calling account end at once, also the one that calls."""
    return EndedSessionsAnswer(ended=sessions.end_sessions(request.deps, request.caller.signer))


@routes.delete("/auth/sessions/{id}", _OWN, id="auth.session.end", find=_find)
def end(request: ApiRequest[Deps], _params: NoParams) -> EndedSessionsAnswer:
    """End a session of the calling account at once."""
    sessions.end_session(request.deps, request.caller.signer, request.subject.id)
    return EndedSessionsAnswer(ended=1)


@routes.post("/auth/api_key/show", _OWN, id="auth.api_key.show", not_replayable=True)
def show(request: ApiRequest[Deps], params: ConfirmPassword) -> ShownKeyAnswer:
    """Show the lasting key of the calling account, after its password.

    Wrong passwords count as failed attempts to sign in; 429 after too many.
    """
    check_second_factor(request.caller)
    account = request.caller.account
    key = show_first_key(request.deps, request.caller, params.password, request.address)
    return ShownKeyAnswer(api_key=key, type=AccountKind(account.kind), id=account.id)


@routes.post("/auth/password", _OWN, id="auth.password.change", not_replayable=True)
def change_password(request: ApiRequest[Deps], params: ChangePassword) -> EndedSessionsAnswer:
    """Change the password of the caller. The other sessions end.

    Wrong passwords count as failed attempts to sign in; 429 after too many.
    """
    account, session = request.caller.signer, request.session
    new = params.new_password
    ended = change_own_password(request.deps, account, session, params.password, new, request.address)
    return EndedSessionsAnswer(ended=ended)


def session_view(session: Session, current: str, zone: ZoneInfo) -> SessionView:
    """Return a session as its owner sees it. current: the id of the session that calls."""
    times = {name: datetime_text(getattr(session, name), zone) for name in ("created_at", "last_used_at")}
    end = datetime_text(min(session.idle_until, session.expires_at), zone)
    return view_of(SessionView, session, current=session.id == current, expires_at=end, **times)
