"""How accounts are entered, for staff (docs/spec/people.md#access)."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Final

from trackyard.actions.deps import Deps
from trackyard.actions.people import access
from trackyard.actions.people.access import EnteredAccount
from trackyard.actions.people.advertisers import get_advertiser
from trackyard.actions.people.affiliates import get_affiliate
from trackyard.actions.people.company_scope import find_place
from trackyard.actions.people.staff import get_user
from trackyard.api.lookups import path_hex, path_number
from trackyard.api.people.keys import KeyView, key_view
from trackyard.api.people.sessions import EndedSessionsAnswer, SessionView, session_view
from trackyard.api.statistics.times import text_or_none
from trackyard.domain.people.callers import AccountKind
from trackyard.domain.people.invitations import MAX_MESSAGE
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import ApiRequest, Endpoint, Routes, for_staff
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import NoParams, Params
from trackyard.wire.response.envelope import Answer, View
from trackyard.wire.response.views import view_of

routes = Routes[Deps]()


class MakeSignInLink(Params):
    """How the link reaches the person. mail: it is mailed, and the answer has none."""

    mail: s.Flag = False
    message: Annotated[str, s.BoundedText(maximum=MAX_MESSAGE)] = ""


class AccessView(View):
    """How an account is entered.

    link_ends_at: when the newest sign-in link ends; null = none works.
    last_login_at: null before the first sign-in.
    sessions: the open ones. keys: the lasting keys, without the keys themselves.
    """

    email: str
    may_sign_in: bool
    has_password: bool
    link_ends_at: str | None
    second_factor: bool
    last_login_at: str | None
    sessions: list[SessionView]
    keys: list[KeyView]
    mails_refused_since: str | None
    mail_refusal: str


class AccessAnswer(Answer):
    """How an account is entered."""

    access: AccessView


class SignInLinkView(View):
    """A link with which a person chooses a password and signs in. link: null when it was mailed."""

    id: str
    link: str | None


class SignInLinkAnswer(Answer):
    """A new link of an account."""

    user: SignInLinkView


@dataclass(frozen=True, slots=True)
class AccessMethods:
    """The methods about the access to one kind of account."""

    show: Endpoint[Deps, AccessAnswer]
    make_link: Endpoint[Deps, SignInLinkAnswer]
    end_sessions: Endpoint[Deps, EndedSessionsAnswer]


def show(request: ApiRequest[Deps], _params: NoParams) -> AccessAnswer:
    """Show how an account is entered: password, second factor, last sign-in, open sessions and keys."""
    found, zone = access.get_access(request.deps, request.subject), request.deps.zone
    view = view_of(
        AccessView,
        found,
        link_ends_at=text_or_none(found.link_until, zone),
        second_factor=found.has_second_factor,
        last_login_at=text_or_none(found.last_login_at, zone),
        sessions=[session_view(each, request.session, zone) for each in found.sessions],
        keys=[key_view(each, zone) for each in found.keys],
        mails_refused_since=text_or_none(found.refusal.since if found.refusal else None, zone),
        mail_refusal=found.refusal.answer if found.refusal else "",
    )
    return AccessAnswer(access=view)


def make_link(request: ApiRequest[Deps], params: MakeSignInLink) -> SignInLinkAnswer:
    """Make a link with which a person chooses a password and signs in, once within 24 hours.

    The links before end. The password before works until the link is used. With `mail=1` an account without a password
    gets its invitation again.
    """
    entered: EnteredAccount = request.subject
    link = None
    if params.mail:
        access.mail_link(request.deps, request.caller, entered, params.message.strip())
    else:
        link = access.show_link(request.deps, request.caller, entered)
    return SignInLinkAnswer(user=SignInLinkView(id=entered.account.id, link=link))


def end_sessions(request: ApiRequest[Deps], _params: NoParams) -> EndedSessionsAnswer:
    """End all sessions of an account at once. Its lasting keys go on."""
    return EndedSessionsAnswer(ended=access.end_sessions(request.deps, request.subject))


def _affiliate(request: ApiRequest[Deps]) -> EnteredAccount:
    found = get_affiliate(request.deps, request.access, path_number(request))
    return EnteredAccount.of_owner(AccountKind.AFFILIATE, found.id)


def _advertiser(request: ApiRequest[Deps]) -> EnteredAccount:
    found = get_advertiser(request.deps, request.access, path_hex(request))
    return EnteredAccount.of_owner(AccountKind.ADVERTISER, found.advertiser.id)


def _staff(request: ApiRequest[Deps]) -> EnteredAccount:
    return EnteredAccount.of_owner(AccountKind.STAFF, get_user(request.deps, path_hex(request)).id)


def _place(request: ApiRequest[Deps]) -> EnteredAccount:
    return EnteredAccount.of_place(find_place(request.deps, request.caller, path_hex(request)))


def _declare(
    prefix: str, path: str, permission: Permission, find: Callable[[ApiRequest[Deps]], EnteredAccount]
) -> AccessMethods:
    """Declare the methods of a kind of account. prefix: of their ids."""
    rights = for_staff(permission)
    return AccessMethods(
        show=routes.get(f"{path}/access", rights, id=f"{prefix}.access", credentials=True, find=find)(show),
        make_link=routes.post(
            f"{path}/sign_in_link",
            rights,
            id=f"{prefix}.sign_in_link",
            credentials=True,
            find=find,
            not_replayable=True,
        )(make_link),
        end_sessions=routes.delete(
            f"{path}/sessions", rights, id=f"{prefix}.sessions.end", credentials=True, find=find
        )(end_sessions),
    )


AFFILIATE: Final = _declare("admin.partner", "/admin/partner/{id}", Permission.AFFILIATES_WRITE, _affiliate)
ADVERTISER: Final = _declare("admin.advertiser", "/admin/advertiser/{id}", Permission.ADVERTISERS_WRITE, _advertiser)
STAFF: Final = _declare("admin.user", "/admin/user/{id}", Permission.USERS_WRITE, _staff)
MEMBER: Final = _declare("people", "/people/{id}", Permission.COMPANY, _place)
