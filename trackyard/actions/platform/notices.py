"""The templates of all mail, plain text (docs/spec/platform.md#mail).

Mail is queued in the transaction that it reports.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trackyard.domain.people.affiliates import Affiliate, AffiliateName
from trackyard.store.engine.database import Connection
from trackyard.store.platform import mail


@dataclass(frozen=True, slots=True)
class Notice:
    """A template with names in braces; values are never read as templates."""

    subject: str
    body: str


ENABLED: Final = Notice(
    "You are connected to {count} offer(s)",
    "Hello {name},\n\nyou are now connected to:\n\n{offers}\n\nYour links to them are in your account.\n",
)
DISABLED: Final = Notice(
    "You are disconnected from {count} offer(s)",
    "Hello {name},\n\nyou are no longer connected to:\n\n{offers}\n\nPlease stop sending traffic to them.\n",
)
APPROVED: Final = Notice(
    "Your request for {offer} is approved",
    "Hello {name},\n\nyour request is approved: you are now connected to\n\n{offer}\n",
)
REJECTED: Final = Notice(
    "Your request for {offer} is rejected",
    "Hello {name},\n\nyour request was rejected for\n\n{offer}\n{reason}",
)
CHANGED: Final = Notice(
    "{offer} has changed",
    "Hello {name},\n\nan offer that you are connected to has changed:\n\n{offer}\n\n"
    "Please look at its terms in your account.\n",
)
PASSWORD: Final = Notice(
    "Your new password",
    "Hello {name},\n\nyou have a new password:\n\n{password}\n\nThe one before does not work any more.\n",
)
PASSWORD_LINK: Final = Notice(
    "Choose a new password",
    "Hello {name},\n\na new password was asked for your account. Choose one here:\n\n{link}\n\n"
    "The link works once, within 24 hours. If you did not ask for it, there is nothing to do: your password stays.\n",
)
SIGN_IN_LINK: Final = Notice(
    "Sign in to your account",
    "Hello {name},\n\nwith this link you choose a password and sign in:\n\n{link}\n\n"
    "The link works once, within 24 hours. Your password before works until then.\n",
)
TEST_MAIL: Final = Notice(
    "Test of the mail settings",
    "Hello {name},\n\nthis mail was sent to try the mail settings of the platform. They work.\n",
)
SIGN_UP_AGAIN: Final = Notice(
    "You have an account already",
    "Hello {name},\n\na sign-up was tried with your e-mail address, which has an account. Nothing was changed.\n\n"
    "If it was you, sign in with your password. If it was not, there is nothing to do.\n",
)
NAME_TAKEN: Final = Notice(
    "Your sign-up needs another login",
    "Hello {name},\n\nyour sign-up was not completed: its login is taken.\n\n"
    "Please sign up again with another login, or without one.\n",
)
CONFIRM_EMAIL: Final = Notice(
    "Confirm your e-mail address",
    "Hello {name},\n\nplease confirm that this e-mail address is yours:\n\n{link}\n\n"
    "The link works once, within 24 hours. If you did not ask for it, there is nothing to do.\n",
)
EMAIL_CHANGED: Final = Notice(
    "Your e-mail address was changed",
    "Hello {name},\n\nyour account now has another e-mail address, to which further mail is sent.\n\n"
    "If it was not you, ask the people who run this network at once.\n",
)
FAILED_SIGN_INS: Final = Notice(
    "Failed attempts to sign in to your account",
    "Hello {name},\n\nmany attempts to sign in to your account failed, and further ones wait for a while.\n\n"
    "If it was not you, change your password where it is easy to guess or used elsewhere, and add a second factor. "
    "From where you signed in before, you can go on signing in.\n\nNo other notice of this kind follows today.\n",
)
PAUSED: Final = Notice(
    "Postback {postback} is paused",
    "Hello {name},\n\nthe last calls of this postback all failed, and no more are made for now:\n\n"
    "Postback: {postback}\nAffiliate: {affiliate}\nOffer: {offer}\nURL: {url}\n\n"
    "Its calls wait, 7 days at most. They are made as soon as the postback is changed or resumed.\n",
)
PAID: Final = Notice(
    "Your payment of {amount} {currency} is on its way",
    "Hello {name},\n\na payment to you was executed:\n\nPayment: {payment}\nAmount: {amount} {currency}\n\n"
    "What it pays is marked as paid in your account.\n",
)
PAYMENT_REFUSED: Final = Notice(
    "Your request for {amount} {currency} is rejected",
    "Hello {name},\n\nyour request to be paid was rejected:\n\nAmount: {amount} {currency}\nReason: {reason}\n\n"
    "The amount stays available, and you can ask again.\n",
)
NOT_ACTIVE: Final = Notice(
    "Your account is {status}",
    "Hello {name},\n\nyour account is {status}.\n\nReason: {reason}\n",
)
PAYEE_CHANGED: Final = Notice(
    "Your payment systems were changed",
    "Hello {name},\n\nthe payment systems that your payments go to were changed in your account.\n\n"
    "If it was not you, change your password and ask the people who run this network at once.\n",
)
CHANGE_HELD: Final = Notice(
    "To confirm: {change}",
    "Hello {name},\n\n{author} asked for a change that needs a second administrator. Nothing has changed yet:\n\n"
    "{change}\nHeld change: {id}\n\n"
    "Compare its values (GET /3.1/admin/held-changes), then confirm or refuse it "
    "(POST /3.1/admin/held-changes/{id}/confirm or /refuse).\n",
)
CHANGE_DECIDED: Final = Notice(
    "{state}: {change}",
    "Hello {name},\n\n{decider} decided a change that {author} had asked for:\n\n"
    "{change}\nHeld change: {id}\nNow: {state}\n\n"
    "If that is not right, stop the payment and look at the security log.\n",
)
CAP: Final = Notice(
    "{offer}: a cap of today fills up",
    "Hello {name},\n\na day cap of this offer fills up:\n\n{offer}\n\n"
    "It takes {limit} a day and has {reached}. No other notice of this cap follows today.\n",
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient of mail. name: for the greeting."""

    email: str
    name: str


def send_notice(
    conn: Connection, notice: Notice, recipients: Iterable[Recipient], now_ms: int, **values: object
) -> list[str]:
    """Queue a mail to each recipient; return the ids of the mails.

    values: of the names in the template, apart from {name}.
    """
    queued = []
    for recipient in recipients:
        body = notice.body.format(name=recipient.name, **values)
        queued.append(mail.add(conn, recipient.email, notice.subject.format(**values), body, now_ms))
    return queued


def recipient_of(affiliate: Affiliate | AffiliateName) -> Recipient:
    """Return an affiliate as a recipient of mail."""
    return Recipient(affiliate.email, affiliate.name or affiliate.login)


def offer_label(offer_id: int, title: str) -> str:
    """Return the name of an offer in notices."""
    return f"#{offer_id} {title}"


def offer_list_values(titles: dict[int, str]) -> dict[str, object]:
    """Return the values of ENABLED and DISABLED for offers (title by id)."""
    return {"count": len(titles), "offers": "\n".join(offer_label(*item) for item in sorted(titles.items()))}
