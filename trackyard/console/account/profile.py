"""One's own account: password, second factor, API key, sessions (docs/spec/console.md#profile).

The same page serves staff, affiliates and advertisers, each below the address of their pages.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from trackyard.actions.deps import Deps
from trackyard.api.people import email_confirmations, own_account, preferences, second_factor, sessions, staff
from trackyard.api.people.advertiser_side import account, signing
from trackyard.base.errors import BadInput, Conflict, NotFound, RequestError, TooManyRequests
from trackyard.base.texts.languages import NAMES
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.base.zones import zone_names
from trackyard.console.account.roles import role_names
from trackyard.console.account.sign_in import span_text
from trackyard.console.frame.address import Pair
from trackyard.console.frame.answers import Html, PageAnswer, Redirect, SignedOut
from trackyard.console.frame.methods import Method
from trackyard.console.frame.pages import Handler, Pages
from trackyard.console.frame.request import Audience, PageRequest
from trackyard.console.qr_codes import qr_svg
from trackyard.wire.endpoint import A, Endpoint

pages = Pages()

_ROOTS: Final[tuple[tuple[str, Audience], ...]] = (
    ("/console/profile", "staff"),
    ("/portal/profile", "affiliate"),
    ("/advertiser/profile", "advertiser"),
)
_CONTACT: Final = ("contact", "skype", "url")
_DIFFERENT: Final = lazy_gettext("The two passwords differ.")

Faults = Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NewFactor:
    """A second factor that waits for its first code.

    shown: the secret in groups. qr: None when the URL is too long for a code.
    """

    secret: str
    url: str
    shown: str
    qr: Markup | None


def _post(path: str) -> Callable[[Handler], Handler]:
    """Declare what a form of the page is sent to."""

    def declare(handler: Handler) -> Handler:
        for root, audience in _ROOTS:
            pages.post(f"{root}/{path}", audience=audience)(handler)
        return handler

    return declare


@pages.get("/console/profile", audience="staff")
@pages.get("/portal/profile", audience="affiliate")
@pages.get("/advertiser/profile", audience="advertiser")
def profile(request: PageRequest) -> PageAnswer:
    """Show the account of the person who is signed in."""
    return _page(request)


@_post("password")
def change_password(request: PageRequest) -> PageAnswer:
    """Change the password; the other sessions end."""
    if request.field("new_password") != request.field("again"):
        return _page(request, "password", {"again": _DIFFERENT}, 400)
    return _do(
        request,
        "password",
        sessions.change_password,
        ("password", "new_password"),
        gettext("Your password is changed."),
    )


@_post("name")
def change_name(request: PageRequest) -> PageAnswer:
    """Change one's own name, which administrators may do themselves."""
    path = {"id": request.person.caller.account.id}
    sent = ("first_name", "last_name")
    return _do(request, "name", staff.edit, sent, gettext("Your name is changed."), path)


@_post("email")
def change_email(request: PageRequest) -> PageAnswer:
    """Ask for another e-mail address, which affiliates do themselves."""
    message = gettext("A link is on its way to the new e-mail address. The e-mail address changes when you use it.")
    return _do(request, "email", email_confirmations.change, ("email", "password"), message)


@_post("contact")
def change_contact(request: PageRequest) -> PageAnswer:
    """Change how people reach an advertiser; an empty field clears."""
    sent = [(name, request.field(name)) for name in _CONTACT]
    try:
        request.calls.ask(account.edit, sent)
    except BadInput as refusal:
        return _refused(request, "contact", refusal)
    return Redirect(_root(request), gettext("Your contact is saved."))


@_post("preferences")
def change_preferences(request: PageRequest) -> PageAnswer:
    """Change the zone of times, the language and the keys."""
    sent = [(name, request.field(name)) for name in ("timezone", "language")]
    sent.append(("single_keys", "1" if request.field("single_keys") else "0"))
    try:
        request.calls.ask(preferences.edit, sent)
    except BadInput as refusal:
        return _refused(request, "preferences", refusal)
    return Redirect(_root(request), gettext("Your time zone, language and keys are saved."))


@_post("key")
def show_key(request: PageRequest) -> PageAnswer:
    """Show the API key, after the password."""
    return _show(request, "key", sessions.show, lambda answer: _page(request, api_key=answer.api_key))


@_post("key/renew")
def renew_key(request: PageRequest) -> PageAnswer:
    """Replace the API key of an affiliate or an advertiser, which is shown after the password."""
    method = renewal(request)
    if method is None:
        raise NotFound
    request.calls.ask(method)
    message = gettext("You have a new API key. The old one stopped, and your other sessions ended.")
    return Redirect(_root(request), message)


@_post("second-factor")
def begin(request: PageRequest) -> PageAnswer:
    """Make the secret of a second factor, after the password."""
    return _show(
        request,
        "begin",
        second_factor.begin,
        lambda answer: _page(request, new_factor=_new_factor(answer.secret, answer.url)),
    )


@_post("second-factor/confirm")
def confirm(request: PageRequest) -> PageAnswer:
    """Confirm the second factor by its first code, and show the recovery codes."""
    try:
        codes = _call(request, second_factor.confirm, ("otp",)).recovery_codes
    except BadInput as refusal:
        faults = faults_by_field(refusal)
        new_factor = _new_factor(request.field("secret"), request.field("url"))
        return _page(request, "confirm", faults, 400, new_factor=new_factor)
    return _page(request, codes=codes)


@_post("second-factor/codes")
def renew_codes(request: PageRequest) -> PageAnswer:
    """Replace the recovery codes, after the password."""
    method = second_factor.renew_recovery_codes
    return _show(request, "codes", method, lambda answer: _page(request, codes=answer.recovery_codes))


@_post("second-factor/remove")
def remove(request: PageRequest) -> PageAnswer:
    """Remove the second factor, after the password."""
    message = gettext("Your second factor is removed. You sign in with your password alone.")
    return _do(request, "remove", second_factor.disable, ("password",), message)


@_post("sessions/end")
def sign_out_everywhere(request: PageRequest) -> PageAnswer:
    """End all sessions, also this one."""
    request.calls.ask(sessions.end_all)
    return SignedOut("/sign-in")


@_post("sessions/{id}/end")
def end_session(request: PageRequest) -> PageAnswer:
    """End one session."""
    request.calls.ask(sessions.end, path=request.path)
    return Redirect(_root(request), gettext("The session is ended."))


def renewal(request: PageRequest) -> Method | None:
    """Return the method that renews the person's own key; None for staff: administrators renew their keys."""
    method = {"affiliate": own_account.renew, "advertiser": signing.renew}.get(request.person.audience)
    return method if method is not None and request.calls.may(method) else None


def _root(request: PageRequest) -> str:
    return f"{request.person.home}profile"


def _call(
    request: PageRequest, method: Endpoint[Deps, A], fields: tuple[str, ...], path: Mapping[str, str] | None = None
) -> A:
    """Call a method with fields of the form. Empty fields are left out, so that the API requires them."""
    sent: list[Pair] = [(name, request.field(name)) for name in fields if request.field(name)]
    return request.calls.ask(method, sent, path)


def _do(
    request: PageRequest,
    form: str,
    method: Method,
    fields: tuple[str, ...],
    message: str,
    path: Mapping[str, str] | None = None,
) -> PageAnswer:
    """Call a method and lead back to the page, or show what is wrong at the fields of the form."""
    try:
        _call(request, method, fields, path)
    except (BadInput, Conflict, TooManyRequests) as refusal:
        return _refused(request, form, refusal)
    return Redirect(_root(request), message)


def _show(request: PageRequest, form: str, method: Endpoint[Deps, A], page: Callable[[A], Html]) -> PageAnswer:
    """Call a method with the password, and show the page with its answer alone."""
    try:
        return page(_call(request, method, ("password",)))
    except (BadInput, Conflict, TooManyRequests) as refusal:
        return _refused(request, form, refusal)


def _refused(request: PageRequest, form: str, refusal: RequestError) -> Html:
    return _page(request, form, faults_by_field(refusal), refusal.status)


def faults_by_field(refusal: RequestError) -> dict[str, str]:
    """Return the errors by field; errors of no field are shown at the password."""
    if isinstance(refusal, TooManyRequests):
        return {
            "password": gettext("Too many attempts. Try again in %(span)s.", span=span_text(refusal.retry_after or 1))
        }
    return {name: " ".join(sentences) for name, sentences in (refusal.fields or {}).items()}


def _new_factor(secret: str, url: str) -> NewFactor:
    shown = " ".join(secret[at : at + 4] for at in range(0, len(secret), 4))
    return NewFactor(secret, url, shown, qr_svg(url, gettext("QR code of the second factor")))


def _page(
    request: PageRequest,
    form: str = "",
    faults: Faults | None = None,
    status: int = 200,
    *,
    api_key: str | None = None,
    new_factor: NewFactor | None = None,
    codes: list[str] | None = None,
) -> Html:
    """Return the page.

    form, faults: what is wrong, by field.
    api_key, new_factor, codes: what it shows once.
    """
    calls = request.calls
    typed = {name: request.field(name) for name in ("first_name", "last_name", "email", *_CONTACT)} if form else {}
    return request.page(
        "account/profile.html",
        status,
        root=_root(request),
        form=form,
        faults=faults or {},
        typed=typed,
        name=_own_name(request),
        own=calls.ask(account.show).advertiser if calls.may(account.show) else None,
        roles=role_names(getattr(request.person.caller, "roles", ())),
        may_change_email=not request.person.is_staff and calls.may(email_confirmations.change),
        sessions=calls.ask(sessions.list_).sessions,
        languages=NAMES.items(),
        zone_names=zone_names(),
        factor=calls.ask(second_factor.show) if calls.may(second_factor.show) else None,
        api_key=api_key,
        may_renew_key=renewal(request) is not None,
        new_factor=new_factor,
        codes=codes,
        least=request.deps.passwords.length,
    )


def _own_name(request: PageRequest) -> staff.StaffView | None:
    """Return the record with one's own name; None for people who do not change it themselves."""
    if not request.person.is_staff or not request.calls.may(staff.edit):
        return None
    return request.calls.ask(staff.show, path={"id": request.person.caller.account.id}).user
