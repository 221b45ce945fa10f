"""The card "Access" on the page of every person: how the account is entered.

docs/spec/console.md#access
"""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from types import MappingProxyType
from typing import Final, Protocol

from trackyard.api.people import access, company_people, keys, second_factor
from trackyard.api.people.access import AccessMethods, AccessView
from trackyard.base.errors import BadInput, Conflict, RequestError, TooManyRequests
from trackyard.base.texts.marks import gettext, ngettext
from trackyard.console.frame.answers import PageAnswer, Redirect
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.staff.faults import fault_of
from trackyard.domain.people.callers import AccountKind

_REFUSALS: Final = (BadInput, Conflict, TooManyRequests)


@dataclass(frozen=True, slots=True)
class AccessKind:
    """The card of one kind of account. path: of its page. variable: of the path, with the account."""

    path: str
    variable: str
    methods: AccessMethods
    reset_factor: Method


ACCESS_KINDS: Final[Mapping[AccountKind, AccessKind]] = MappingProxyType(
    {
        AccountKind.AFFILIATE: AccessKind(
            "/console/affiliates/{id}", "id", access.AFFILIATE, second_factor.reset_affiliate
        ),
        AccountKind.ADVERTISER: AccessKind(
            "/console/advertisers/{id}", "id", access.ADVERTISER, second_factor.reset_advertiser
        ),
        AccountKind.STAFF: AccessKind("/console/staff/{id}", "id", access.STAFF, second_factor.reset_staff),
        AccountKind.MEMBER: AccessKind("/people/{person}", "person", access.MEMBER, company_people.reset_factor),
    }
)
"""Every kind of account that has the card. The page of a person of a company is below the page of the company."""


@dataclass(frozen=True, slots=True)
class AccessCard:
    """The card of a page.

    path: leads to the page. state: in words, with its mark. link: a new sign-in link, which is shown once.
    may_reset, may_end_keys: whether the person may remove the second factor, and end keys.
    """

    access: AccessView
    path: str
    state: str
    mark: str
    link: str
    may_reset: bool
    may_end_keys: bool


class AccessPage(Protocol):
    """Shows the page with the card."""

    def __call__(self, request: PageRequest, *, fault: str = "", status: int = 200, link: str = "") -> PageAnswer:
        """Return the page of a request. fault: why nothing was done. link: a new sign-in link."""
        ...


def access_card(request: PageRequest, kind: AccountKind, path: str, link: str = "") -> AccessCard | None:
    """Return the card of a page; None where the person may not see it. path: of the page."""
    declared, calls = ACCESS_KINDS[kind], request.calls
    if not calls.may(declared.methods.show):
        return None
    found = calls.ask(declared.methods.show, path=_sent(declared, request)).access
    state, mark = _state(found)
    return AccessCard(
        access=found,
        path=path,
        state=state,
        mark=mark,
        link=link,
        may_reset=found.second_factor and calls.may(declared.reset_factor),
        may_end_keys=calls.may(keys.remove_of),
    )


def declare_access(pages: Pages, kind: AccountKind, page: AccessPage, *needs: Method, below: str = "") -> None:
    """Declare what the buttons of the card do.

    needs: what the page needs. below: the path of the company of a person.
    """
    declared = ACCESS_KINDS[kind]
    path, methods = below + declared.path, declared.methods

    def declare(name: str, act: "_Act", *methods_of_act: Method) -> None:
        pages.post(f"{path}/{name}", needs=(*needs, *methods_of_act))(partial(_do, declared, path, act, page))

    declare("mail-link", _mail_link, methods.make_link)
    declare("end-sessions", _end_sessions, methods.end_sessions)
    declare("second-factor", _reset_factor, declared.reset_factor)
    declare("end-key", _end_key, keys.remove_of)
    pages.post(f"{path}/link", needs=(*needs, methods.make_link))(partial(_show_link, declared, page))


class _Act(Protocol):
    def __call__(self, declared: AccessKind, request: PageRequest) -> str: ...


def _do(declared: AccessKind, path: str, act: _Act, page: AccessPage, request: PageRequest) -> PageAnswer:
    """Do what a button does, and lead back to the page with the result."""
    try:
        sentence = act(declared, request)
    except _REFUSALS as refusal:
        return _refused(page, request, refusal)
    return Redirect(f"{path.format(**request.path)}#access", sentence)


def _show_link(declared: AccessKind, page: AccessPage, request: PageRequest) -> PageAnswer:
    try:
        made = request.calls.ask(declared.methods.make_link, path=_sent(declared, request)).user
    except _REFUSALS as refusal:
        return _refused(page, request, refusal)
    return page(request, link=made.link or "")


def _refused(page: AccessPage, request: PageRequest, refusal: RequestError) -> PageAnswer:
    fault = gettext("Nothing was changed. %(fault)s", fault=fault_of(refusal))
    return page(request, fault=fault, status=refusal.status)


def _mail_link(declared: AccessKind, request: PageRequest) -> str:
    path = _sent(declared, request)
    before = request.calls.ask(declared.methods.show, path=path).access
    request.calls.ask(declared.methods.make_link, [("mail", "1")], path)
    if before.has_password:
        return gettext("A sign-in link is on its way to %(email)s.", email=before.email)
    return gettext("The invitation is on its way to %(email)s again.", email=before.email)


def _end_sessions(declared: AccessKind, request: PageRequest) -> str:
    ended = request.calls.ask(declared.methods.end_sessions, path=_sent(declared, request)).ended
    return ngettext("%(num)d session is ended.", "%(num)d sessions are ended.", ended)


def _reset_factor(declared: AccessKind, request: PageRequest) -> str:
    request.calls.ask(declared.reset_factor, path=_sent(declared, request))
    return gettext("The account signs in with the password alone from now on.")


def _end_key(declared: AccessKind, request: PageRequest) -> str:
    shown = request.calls.ask(declared.methods.show, path=_sent(declared, request)).access.keys
    key = next((each.id for each in shown if each.id == request.field("key")), "")
    request.calls.ask(keys.remove_of, path={"id": key or "0"})
    return gettext("The API key is ended.")


def _sent(declared: AccessKind, request: PageRequest) -> dict[str, str]:
    return {"id": request.path[declared.variable]}


def _state(found: AccessView) -> tuple[str, str]:
    """Return the state of an account in words, and its mark."""
    if not found.may_sign_in:
        return gettext("may not sign in"), "declined"
    if found.has_password:
        return gettext("has a password"), "confirmed"
    return gettext("invited") if found.link_ends_at else gettext("no password yet"), "pending"
