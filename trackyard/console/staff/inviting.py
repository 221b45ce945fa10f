"""What the forms of invitations share (docs/spec/people.md#invitations)."""

from typing import Final

from trackyard.base.texts.languages import NAMES
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.console.forms import FormField

EMAIL: Final = FormField(
    "email", lazy_gettext("E-mail"), help=lazy_gettext("The invitation goes to it."), widget="email"
)
LANGUAGE: Final = FormField(
    "lang", lazy_gettext("Language"), help=lazy_gettext("Of the invitation, pages and mails."), words=NAMES
)
MESSAGE: Final = FormField(
    "message",
    lazy_gettext("Your words"),
    help=lazy_gettext("The mail shows them above the link."),
    widget="long",
    wide=True,
)
INVITE_LINE: Final = lazy_gettext("The person gets a link by mail, chooses a password with it, and signs in.")
SEND_INVITATION: Final = lazy_gettext("Send the invitation")


def invited_sentence(email: str) -> str:
    """Return the sentence of a page after an invitation was sent."""
    return gettext("An invitation is on its way to %(email)s.", email=email)
