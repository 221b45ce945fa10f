"""Signing in and out (docs/spec/console.md#sessions). One page serves everybody."""

from contextlib import suppress
from typing import Final

from trackyard.actions.people.callers import find_caller
from trackyard.actions.people.companies import has_several_companies
from trackyard.actions.people.sessions import end_session
from trackyard.actions.people.sign_in.by_password import sign_in
from trackyard.base.errors import (
    AccountNotActive,
    AccountWaits,
    NotFound,
    PasswordEnded,
    RequestError,
    SecondFactorNeeded,
    TooManyRequests,
    WrongCredentials,
    WrongSecondFactor,
)
from trackyard.base.strangers import StrangerAct
from trackyard.base.texts.marks import gettext, lazy_gettext, ngettext
from trackyard.console.forms.resubmission import KEPT, find_kept
from trackyard.console.frame.answers import Html, PageAnswer, Redirect, SignedIn, SignedOut
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest
from trackyard.console.seals import SealPurpose, seal, unseal
from trackyard.domain.people.callers import HOMES, AccountKind, Caller

pages = Pages()

GIVEN_ENDED: Final = lazy_gettext(
    'This password worked for 24 hours, which are over. Choose another one with "Forgot your password?", or ask the '
    "people who run this network."
)
WRONG: Final = lazy_gettext("E-mail or password is wrong.")
_MAX_LOGIN: Final = 254
CODE_MS: Final = 300_000
"""Milliseconds for the code of the second factor, after which the password is asked for again."""


@pages.get("/sign-in", audience="anyone")
def form(request: PageRequest) -> PageAnswer:
    """Show the form; a person who is signed in is led to the next page."""
    if request.person_or_none is not None:
        return Redirect(_next(request.address.get("next"), request.person_or_none.home))
    return _form(request, next_page=request.address.get("next"))


@pages.post("/sign-in", audience="anyone", act=StrangerAct.CHECK_PASSWORD)
def submit(request: PageRequest) -> PageAnswer:
    """Check the password, and the code of the second factor where the account has one."""
    next_page, otp = request.field("next"), request.field("otp").strip()
    login, password = _first_step(request) or (request.field("login").strip(), request.field("password"))
    if not login or not password or len(login) > _MAX_LOGIN:
        return _form(
            request, next_page, login, error=gettext("Enter your e-mail address and your password."), status=400
        )
    try:
        opened = sign_in(request.deps, login, password, request.client, request.user_agent, otp, for_browser=True)
    except SecondFactorNeeded:
        return _form(request, next_page, login, step=_kept_step(request, login, password))
    except WrongSecondFactor:
        error = gettext("This code is wrong or was used before. Enter the next code of your app, or a recovery code.")
        return _form(request, next_page, login, step=_kept_step(request, login, password), error=error, status=401)
    except PasswordEnded:
        return _form(request, next_page, login, error=GIVEN_ENDED, status=401)
    except AccountNotActive as refusal:
        return _form(request, next_page, login, error=refusal.text, status=401)
    except AccountWaits:
        return request.page("account/waiting.html", 401)
    except WrongCredentials:
        return _form(request, next_page, login, error=WRONG, status=401)
    except TooManyRequests as refusal:
        error = gettext("Too many attempts. Try again in %(span)s.", span=span_text(refusal.retry_after or 1))
        return _form(request, next_page, login, error=error, status=429)
    except RequestError as refusal:
        return _form(request, next_page, login, error=f"{refusal.text}.", status=refusal.status)
    caller = find_opened(request, opened.key)
    home = HOMES[AccountKind.AFFILIATE if caller is None else caller.company.kind]
    kept = find_kept(request, request.field(KEPT), caller.account.name) if caller is not None else None
    page = None if kept is None else request.page("account/kept_form.html", kept=kept)
    return SignedIn(opened.key, _next(next_page, home, first_page(request, caller)), page)


def sign_in_again(request: PageRequest, kept: str) -> Html:
    """Return the form for a person after the end of the session. kept: the form that was sent then."""
    return _form(request, str(request.address), kept=kept, status=401)


@pages.post("/sign-out", audience="person")
def sign_out(request: PageRequest) -> PageAnswer:
    """End the session of this browser."""
    caller = request.person.caller
    with suppress(NotFound):  # another browser ended it meanwhile
        end_session(request.deps, caller.signer, caller.session)
    return SignedOut("/sign-in")


def first_page(request: PageRequest, caller: Caller | None) -> str:
    """Return the home of a person who signs in, or the page that chooses among several companies."""
    if caller is None:
        return HOMES[AccountKind.AFFILIATE]
    home = HOMES[caller.company.kind]
    return f"{home}companies" if has_several_companies(request.deps, caller) else home


def find_opened(request: PageRequest, key: str) -> Caller | None:
    """Return the caller of a session that was opened now; None where the account ended meanwhile."""
    return find_caller(request.deps.database, request.deps.clock, key, request.deps.sessions)


def _kept_step(request: PageRequest, login: str, password: str) -> str:
    """Return the correct login and password, encrypted for the form that takes the code."""
    until = request.deps.clock.now_ms() + CODE_MS
    return seal(request.deps.cipher, SealPurpose.SIGN_IN_STEP, login, password, until)


def _first_step(request: PageRequest) -> tuple[str, str] | None:
    """Return the login and password of the first form, or None where it was sent now, or too long ago."""
    found = unseal(request.deps.cipher, SealPurpose.SIGN_IN_STEP, request.field("step"), tuple[str, str, int])
    if found is None:
        return None
    login, password, until = found
    return (login, password) if until >= request.deps.clock.now_ms() else None


def _form(
    request: PageRequest,
    next_page: str = "",
    login: str = "",
    *,
    step: str = "",
    error: str = "",
    kept: str = "",
    status: int = 200,
) -> Html:
    """Return the form with the typed login.

    step: the encrypted login and password; with it, the form takes the code of the second factor."""
    return request.page(
        "account/sign_in.html",
        status,
        next_page=next_page,
        login=login,
        step=step,
        error=error,
        kept=kept or request.field(KEPT),
        is_changed=request.address.get("changed") == "password",
    )


def _next(wanted: str, home: str, usual: str = "") -> str:
    """Return the wanted page where it is one of the person's own, else the usual one."""
    is_own = wanted.startswith(home) or wanted == home.rstrip("/")
    return wanted if is_own and "\\" not in wanted and "//" not in wanted and wanted.isprintable() else usual or home


def span_text(seconds: int) -> str:
    """Return a time to wait in words."""
    minutes = -(-seconds // 60)
    if seconds < 120:
        return ngettext("%(num)d second", "%(num)d seconds", seconds)
    return ngettext("%(num)d minute", "%(num)d minutes", minutes)
