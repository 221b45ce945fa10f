"""Confirming e-mail addresses (docs/spec/callers.md#e-mail-addresses)."""

from typing import Annotated

from trackyard.actions.deps import Deps
from trackyard.actions.people.email_confirmations import change_email, confirm_email, send_link_again
from trackyard.base.strangers import StrangerAct
from trackyard.domain.people.roles import Permission
from trackyard.wire.endpoint import FOR_ANYONE, ApiRequest, Routes, for_affiliates
from trackyard.wire.request import scalars as s
from trackyard.wire.request.params import Params
from trackyard.wire.response.envelope import Answer

routes = Routes[Deps]()


class ConfirmEmail(Params):
    """The token of a link."""

    token: Annotated[str, s.BoundedText(minimum=1, maximum=100)]


class SendEmailLink(Params):
    """The e-mail address of an affiliate that signed up."""

    email: s.Email


class ChangeEmail(Params):
    """The e-mail address that the calling affiliate wants to have, and its password."""

    email: s.Email
    password: Annotated[str, s.BoundedText(minimum=1, maximum=1000)]


class EmailAnswer(Answer):
    """The result in words."""

    message: str


@routes.post(
    "/partner/email/confirm",
    FOR_ANYONE,
    id="partner.email.confirm",
    not_replayable=True,
    act=StrangerAct.USE_LINK,
)
def confirm(request: ApiRequest[Deps], params: ConfirmEmail) -> EmailAnswer:
    """Confirm an e-mail address with the token of a link that was sent to it.

    A token works once, within 24 hours of the sending of its mail. 400 for any other, 429 after too many from one
    IP address.
    """
    confirm_email(request.deps, params.token, request.address)
    return EmailAnswer(message="The e-mail address is confirmed.")


@routes.post(
    "/partner/email/resend",
    FOR_ANYONE,
    id="partner.email.resend",
    not_replayable=True,
    act=StrangerAct.SEND_LINK,
)
def resend(request: ApiRequest[Deps], params: SendEmailLink) -> EmailAnswer:
    """Send the link once more to an affiliate that has not confirmed its e-mail address yet.

    The answer is the same for every e-mail address. A link is sent once in 10 minutes; 429 after too many requests from
    one IP address.
    """
    send_link_again(request.deps, params.email, request.address)
    return EmailAnswer(message="A link is sent if this e-mail address waits for confirmation.")


@routes.post(
    "/partner/email",
    for_affiliates(Permission.AFFILIATES_WRITE),
    id="partner.email.change",
    not_replayable=True,
    credentials=True,
    features=("general.settings",),
)
def change(request: ApiRequest[Deps], params: ChangeEmail) -> EmailAnswer:
    """Ask for another e-mail address of the calling affiliate.

    It changes when the link that is sent to it is used. The e-mail address before gets a mail then. A login that is the
    e-mail address follows. Wrong passwords count as failed attempts to sign in; 429 after too many.
    """
    change_email(request.deps, request.caller.signer, params.password, params.email, request.address)
    return EmailAnswer(message="A link is sent to the new e-mail address if no account has it.")
