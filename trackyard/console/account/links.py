"""Choosing a password with a link, and asking for one (docs/spec/console.md#sessions)."""

from typing import Final
from urllib.parse import quote

from trackyard.actions.people.keys import has_keys
from trackyard.actions.people.sign_in.by_link import (
    LINK_PAGE,
    LinkedAccount,
    LinkEnded,
    get_linked,
    send_links,
    use_link,
)
from trackyard.base.emails import is_email_address
from trackyard.base.errors import BadInput, Conflict, TooManyRequests
from trackyard.base.strangers import StrangerAct
from trackyard.base.texts.marks import gettext
from trackyard.console.account.own_password import KEYS
from trackyard.console.account.sign_in import find_opened, first_page, span_text
from trackyard.console.frame.answers import Html, PageAnswer, Redirect, SignedIn
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()

FORGOTTEN: Final = "/sign-in/forgotten"
_MAX_LOGIN: Final = 254


@pages.get(FORGOTTEN, audience="anyone")
def ask_form(request: PageRequest) -> PageAnswer:
    """Show the form in which people request a link to choose a new password."""
    return _asked(request)


@pages.post(FORGOTTEN, audience="anyone", act=StrangerAct.SEND_LINK)
def ask(request: PageRequest) -> PageAnswer:
    """Mail a link. The page is the same for accounts that do not exist."""
    login = request.field("login").strip()
    if not login or len(login) > _MAX_LOGIN:
        return _asked(request, login, error=gettext("Enter your e-mail address."), status=400)
    try:
        send_links(request.deps, login, request.client)
    except TooManyRequests as refusal:
        return _asked(request, login, error=_too_many(refusal), status=429)
    return _asked(request, login, sent=True)


@pages.get(LINK_PAGE, audience="anyone", act=StrangerAct.USE_LINK)
def choose_form(request: PageRequest) -> PageAnswer:
    """Show the form that chooses a password.

    It leaves the link as it is: programs open the links of mails, too.
    """
    token = request.address.get("token")
    try:
        return _choice(request, token, get_linked(request.deps, token, request.client))
    except (LinkEnded, TooManyRequests) as refusal:
        return _ended(request, refusal)


@pages.post(LINK_PAGE, audience="anyone", act=StrangerAct.USE_LINK)
def choose(request: PageRequest) -> PageAnswer:
    """Store the password that was chosen, and sign the person in."""
    token = request.field("token")
    try:
        linked = get_linked(request.deps, token, request.client)
        faults = _faults(request, linked)
        if faults:
            return _choice(request, token, linked, faults)
        return _use(request, token, linked)
    except (LinkEnded, TooManyRequests) as refusal:
        return _ended(request, refusal)


def _use(request: PageRequest, token: str, linked: LinkedAccount) -> PageAnswer:
    """Use the link; its faults are shown at their fields. Raises LinkEnded, TooManyRequests."""
    password, email = request.field("password"), _email(request)
    try:
        opened = use_link(request.deps, token, password, request.client, request.user_agent, email=email)
    except LinkEnded:
        raise
    except (BadInput, Conflict) as refusal:
        faults = {name: " ".join(sentences) for name, sentences in (refusal.fields or {}).items()}
        return _choice(request, token, linked, faults)
    account = linked.account if opened is None else opened.session.account
    keys = KEYS if linked.has_password and has_keys(request.deps, account) else ""
    if opened is None:
        return Redirect("/sign-in?changed=password" + (f"&next={quote(keys, safe='')}" if keys else ""))
    return SignedIn(opened.key, keys or first_page(request, find_opened(request, opened.key)))


def _faults(request: PageRequest, linked: LinkedAccount) -> dict[str, str]:
    """Return the errors in the typed values, by field."""
    sentences = {
        "email": gettext("Enter your e-mail address, such as ada@example.com."),
        "again": gettext("The two passwords differ."),
    }
    is_wrong = {
        "email": linked.chooses_email and not is_email_address(_email(request)),
        "again": request.field("password") != request.field("again"),
    }
    return {name: sentence for name, sentence in sentences.items() if is_wrong[name]}


def _email(request: PageRequest) -> str:
    return request.field("email").strip().lower()[:_MAX_LOGIN]


def _choice(request: PageRequest, token: str, linked: LinkedAccount, faults: dict[str, str] | None = None) -> Html:
    return request.page(
        "account/choose_password.html",
        400 if faults else 200,
        token=token,
        linked=linked,
        email=request.field("email"),
        faults=faults or {},
        least=request.deps.passwords.length,
    )


def _ended(request: PageRequest, refusal: LinkEnded | TooManyRequests) -> Html:
    error = _too_many(refusal) if isinstance(refusal, TooManyRequests) else ""
    return request.page("account/link_ended.html", refusal.status, error=error)


def _asked(request: PageRequest, login: str = "", *, sent: bool = False, error: str = "", status: int = 200) -> Html:
    return request.page("account/forgotten.html", status, login=login, sent=sent, error=error)


def _too_many(refusal: TooManyRequests) -> str:
    return gettext("Too many attempts. Try again in %(span)s.", span=span_text(refusal.retry_after or 1))
