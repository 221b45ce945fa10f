"""What follows a password that others gave or reset (docs/spec/console.md#sessions).

A person who signed in with a given password chooses another one before anything else. After a reset through a link the
lasting keys of the account are shown, because they go on.
"""

from dataclasses import dataclass
from typing import Final

from trackyard.api.people import keys, sessions
from trackyard.base.errors import BadInput, Conflict, NotFound, RequestError, TooManyRequests
from trackyard.base.texts.marks import gettext
from trackyard.base.zones import datetime_text
from trackyard.console.account.profile import faults_by_field, renewal
from trackyard.console.frame.answers import Html, PageAnswer, Redirect
from trackyard.console.frame.pages import Pages
from trackyard.console.frame.request import PageRequest

pages = Pages()

CHOOSE: Final = "/sign-in/choose"
KEYS: Final = "/sign-in/keys"
_FIELDS: Final = ("password", "new_password")


@dataclass(frozen=True, slots=True)
class OwnKey:
    """A lasting key. is_first: the one without limits and scopes."""

    id: str
    name: str = ""
    created_at: str = ""
    last_used_at: str = ""
    is_first: bool = False


@pages.get(CHOOSE, audience="person")
def choose_form(request: PageRequest) -> PageAnswer:
    """Show the form that replaces a password that was given."""
    return _choice(request, {}, 200)


@pages.post(CHOOSE, audience="person")
def choose(request: PageRequest) -> PageAnswer:
    """Replace the password that was given; the session stays."""
    if request.field("new_password") != request.field("again"):
        return _choice(request, {"again": gettext("The two passwords differ.")}, 400)
    sent = [(name, request.field(name)) for name in _FIELDS if request.field(name)]
    try:
        request.calls.ask(sessions.change_password, sent)
    except (BadInput, Conflict, TooManyRequests) as refusal:
        return _choice(request, faults_by_field(refusal), refusal.status)
    return Redirect(request.person.home, gettext("Your password is changed."))


@pages.get(KEYS, audience="person")
def keys_page(request: PageRequest) -> PageAnswer:
    """Show the lasting keys of the account, which a new password does not end."""
    return _keys(request)


@pages.post(KEYS, audience="person")
def end_keys(request: PageRequest) -> PageAnswer:
    """End one key, or all of them; the first key of an affiliate or an advertiser is replaced."""
    chosen = request.field("id")
    listed = list_own_keys(request)
    wanted = [each for each in listed if chosen in ("", each.id)]
    if not wanted:
        raise NotFound
    replaced = renewal(request)
    try:
        for each in wanted:
            if not each.is_first:
                request.calls.ask(keys.remove_own, path={"id": each.id})
            elif replaced is not None:
                request.calls.ask(replaced)
    except RequestError as refusal:
        return _keys(request, refusal.text, refusal.status)
    return Redirect(KEYS, gettext("The keys are ended."))


def list_own_keys(request: PageRequest) -> list[OwnKey]:
    """Return the lasting keys of the person that still work, the first key first."""
    if not request.calls.may(keys.list_own):  # an advertiser has its first key alone
        return [OwnKey("first", is_first=True)]
    now = datetime_text(request.deps.clock.now_ms(), request.deps.zone)
    return [
        OwnKey(each.id, each.name, each.created_at, each.last_used_at or "", is_first=each.first)
        for each in request.calls.ask(keys.list_own).keys
        if each.expires_at is None or each.expires_at > now
    ]


def _choice(request: PageRequest, faults: dict[str, str], status: int) -> Html:
    return request.page("account/own_password.html", status, faults=faults, least=request.deps.passwords.length)


def _keys(request: PageRequest, error: str = "", status: int = 200) -> Html:
    listed = list_own_keys(request)
    return request.page(
        "account/keys_after_reset.html", status, keys=listed, may_replace=renewal(request) is not None, error=error
    )
