"""The templates of all mail, plain text (docs/spec/platform.md#mail).

Mail is queued in the transaction that it reports.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

from trackyard.base.texts.languages import ENGLISH, Language, language, speaking
from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.people.affiliates import Affiliate, AffiliateName
from trackyard.domain.people.callers import Account, AccountKind
from trackyard.store.engine.database import Connection
from trackyard.store.people.preferences import find_preferences
from trackyard.store.platform import mail


@dataclass(frozen=True, slots=True)
class Notice:
    """A template with placeholders in braces; values are never read as templates."""

    subject: str
    body: str


ENABLED: Final = Notice(
    lazy_gettext("You are connected to {count} offer(s)"),
    lazy_gettext("Hello {name},\n\nyou are now connected to:\n\n{offers}\n\nYour links to them are in your account.\n"),
)
DISABLED: Final = Notice(
    lazy_gettext("You are disconnected from {count} offer(s)"),
    lazy_gettext(
        "Hello {name},\n\nyou are no longer connected to:\n\n{offers}\n\nPlease stop sending traffic to them.\n"
    ),
)
APPROVED: Final = Notice(
    lazy_gettext("Your request for {offer} is approved"),
    lazy_gettext("Hello {name},\n\nyour request is approved: you are now connected to\n\n{offer}\n"),
)
REJECTED: Final = Notice(
    lazy_gettext("Your request for {offer} is rejected"),
    lazy_gettext("Hello {name},\n\nyour request was rejected for\n\n{offer}\n"),
)
REJECTED_FOR_REASON: Final = Notice(
    REJECTED.subject,
    lazy_gettext("Hello {name},\n\nyour request was rejected for\n\n{offer}\n\nReason: {reason}\n"),
)
ANSWERED: Final = Notice(
    lazy_gettext("An answer to your request for {offer}"),
    lazy_gettext("Hello {name},\n\nyour request is not decided yet. The answer to it:\n\n{answer}\n\n{offer}\n"),
)
QUESTION_ANSWERED: Final = Notice(
    lazy_gettext("An answer to your question: {offer}"),
    lazy_gettext("Hello {name},\n\nthe answer to your question:\n\n{answer}\n\n{offer}\n"),
)
CHANGED: Final = Notice(
    lazy_gettext("{offer} has changed"),
    lazy_gettext(
        "Hello {name},\n\nan offer that you are connected to has changed:\n\n{offer}\n\n"
        "Please look at its terms in your account.\n"
    ),
)
WELCOME: Final = Notice(
    lazy_gettext("You have an account"),
    lazy_gettext(
        "Hello {name},\n\nyou have an account with the login {login}. Sign in with the password that you got, or "
        'choose another one with "Forgot your password?":\n\n{link}\n'
    ),
)
PASSWORD: Final = Notice(
    lazy_gettext("Your new password"),
    lazy_gettext(
        "Hello {name},\n\nyou have a new password:\n\n{password}\n\nThe one before does not work any more. The new one "
        "works for 24 hours: sign in with it, and choose a password of your own.\n"
    ),
)
PASSWORD_CHANGED: Final = Notice(
    lazy_gettext("Your password was changed"),
    lazy_gettext(
        "Hello {name},\n\nyour account has another password, and its other sessions ended.\n\n"
        'If it was not you, choose a password with "Forgot your password?" of the sign-in page, end the API keys of '
        "your account, and tell the people who run this network at once.\n"
    ),
)
FACTOR_ADDED: Final = Notice(
    lazy_gettext("Your account has a second factor"),
    lazy_gettext(
        "Hello {name},\n\na second factor was added to your account: signing in needs a code of an authenticator "
        "app.\n\n"
        "If it was not you, tell the people who run this network at once.\n"
    ),
)
FACTOR_REMOVED: Final = Notice(
    lazy_gettext("The second factor of your account was removed"),
    lazy_gettext(
        "Hello {name},\n\nyour account has no second factor any more: the password alone signs in.\n\n"
        "If you did not ask for it, change your password, add a second factor again, and tell the people who run this "
        "network at once.\n"
    ),
)
KEY_MADE: Final = Notice(
    lazy_gettext("Your account has a new API key"),
    lazy_gettext(
        "Hello {name},\n\na new lasting API key was made for your account.\n\n"
        "If it was not you, end it in your account, change your password, and tell the people who run this network at "
        "once.\n"
    ),
)
PASSWORD_LINK: Final = Notice(
    lazy_gettext("Choose a new password"),
    lazy_gettext(
        "Hello {name},\n\na new password was asked for your account. Choose one here:\n\n{link}\n\n"
        "The link works once, within 24 hours. If you did not ask for it, there is nothing to do: your password "
        "stays.\n"
    ),
)
SIGN_IN_LINK: Final = Notice(
    lazy_gettext("Sign in to your account"),
    lazy_gettext(
        "Hello {name},\n\nwith this link you choose a password and sign in:\n\n{link}\n\n"
        "The link works once, within 24 hours. Your password before works until then.\n"
    ),
)
INVITED: Final = Notice(
    lazy_gettext("You are invited to {company}"),
    lazy_gettext(
        "Hello {name},\n\nyou may work for {company} here. Choose a password and sign in:\n\n{link}\n\n"
        'The link works once, within 24 hours. Later "Forgot your password?" of the sign-in page mails another.\n'
    ),
)
INVITED_AGAIN: Final = Notice(
    lazy_gettext("You have access to {company}"),
    lazy_gettext(
        "Hello {name},\n\nyou may work for {company}, too. Sign in with your password, then choose the company:\n\n"
        "{link}\n"
    ),
)
OWNER_CHANGED: Final = Notice(
    lazy_gettext("Your company has another owner"),
    lazy_gettext(
        "Hello {name},\n\n{owner} owns the company now. You are a manager of it, and sign in as before.\n\n"
        "If you did not ask for it, tell the people who run this network at once.\n"
    ),
)
OWNER_NOW: Final = Notice(
    lazy_gettext("You own {company} now"),
    lazy_gettext(
        "Hello {name},\n\nyou own {company} now: you decide who else gets in. You sign in as before.\n\n"
        "If you did not expect it, tell the people who run this network.\n"
    ),
)
TEST_MAIL: Final = Notice(
    lazy_gettext("Test of the mail settings"),
    lazy_gettext("Hello {name},\n\nthis mail was sent to try the mail settings of the platform. They work.\n"),
)
SIGN_UP_AGAIN: Final = Notice(
    lazy_gettext("You have an account already"),
    lazy_gettext(
        "Hello {name},\n\na sign-up was tried with your e-mail address, which has an account. Nothing was changed.\n\n"
        "If it was you, sign in with your password. If it was not, there is nothing to do.\n"
    ),
)
ADVERTISER_APPROVED: Final = Notice(
    lazy_gettext("Your account is approved"),
    lazy_gettext(
        "Hello {name},\n\nyour account is approved. Sign in with your e-mail address and your password:\n\n{link}\n\n"
        "There you see your offers, conversions, statistics and the URLs of your postbacks.\n"
    ),
)
NAME_TAKEN: Final = Notice(
    lazy_gettext("Your sign-up needs another login"),
    lazy_gettext(
        "Hello {name},\n\nyour sign-up was not completed: its login is taken.\n\n"
        "Please sign up again with another login, or without one.\n"
    ),
)
CONFIRM_EMAIL: Final = Notice(
    lazy_gettext("Confirm your e-mail address"),
    lazy_gettext(
        "Hello {name},\n\nplease confirm that this e-mail address is yours:\n\n{link}\n\n"
        "The link works once, within 24 hours. If you did not ask for it, there is nothing to do.\n"
    ),
)
EMAIL_CHANGED: Final = Notice(
    lazy_gettext("Your e-mail address was changed"),
    lazy_gettext(
        "Hello {name},\n\nyour account now has another e-mail address, to which further mail is sent.\n\n"
        "If it was not you, ask the people who run this network at once.\n"
    ),
)
FAILED_SIGN_INS: Final = Notice(
    lazy_gettext("Failed attempts to sign in to your account"),
    lazy_gettext(
        "Hello {name},\n\nmany attempts to sign in to your account failed, and further ones wait for a while.\n\n"
        "If it was not you, change your password where it is easy to guess or used elsewhere, and add a second factor. "
        "From where you signed in before, you can go on signing in.\n\nNo other notice of this kind follows today.\n"
    ),
)
PAUSED: Final = Notice(
    lazy_gettext("Postback {postback} is paused"),
    lazy_gettext(
        "Hello {name},\n\nthe last calls of this postback all failed, and no more are made for now:\n\n"
        "Postback: {postback}\nAffiliate: {affiliate}\nOffer: {offer}\nURL: {url}\n\n"
        "Its calls wait, 7 days at most. They are made as soon as the postback is changed or resumed.\n"
    ),
)
PAID: Final = Notice(
    lazy_gettext("Your payment of {amount} {currency} is on its way"),
    lazy_gettext(
        "Hello {name},\n\na payment to you was executed:\n\nPayment: {payment}\nAmount: {amount} {currency}\n\n"
        "What it pays is marked as paid in your account.\n"
    ),
)
PAYMENT_REFUSED: Final = Notice(
    lazy_gettext("Your request for {amount} {currency} is rejected"),
    lazy_gettext(
        "Hello {name},\n\nyour request to be paid was rejected:\n\nAmount: {amount} {currency}\nReason: {reason}\n\n"
        "The amount stays available, and you can ask again.\n"
    ),
)
NOT_ACTIVE: Final = Notice(
    lazy_gettext("Your account is not active"),
    lazy_gettext("Hello {name},\n\nyour account is not active.\n\nReason: {reason}\n"),
)
BANNED: Final = Notice(
    lazy_gettext("Your account is banned"),
    lazy_gettext("Hello {name},\n\nyour account is banned.\n\nReason: {reason}\n"),
)
PAYEE_CHANGED: Final = Notice(
    lazy_gettext("Your payment systems were changed"),
    lazy_gettext(
        "Hello {name},\n\nthe payment systems that your payments go to were changed in your account.\n\n"
        "If it was not you, change your password and ask the people who run this network at once.\n"
    ),
)
CHANGE_HELD: Final = Notice(
    lazy_gettext("To confirm: {change}"),
    lazy_gettext(
        "Hello {name},\n\n{author} asked for a change that needs a second administrator. Nothing has changed yet:\n\n"
        "{change}\nHeld change: {id}\n\n"
        "Compare its values (GET /3.1/admin/held-changes), then confirm or refuse it "
        "(POST /3.1/admin/held-changes/{id}/confirm or /refuse).\n"
    ),
)
CHANGE_DECIDED: Final = Notice(
    lazy_gettext("{state}: {change}"),
    lazy_gettext(
        "Hello {name},\n\n{decider} decided a change that {author} had asked for:\n\n"
        "{change}\nHeld change: {id}\nNow: {state}\n\n"
        "If that is not right, stop the payment and look at the security log.\n"
    ),
)
MAIL_SERVER_CHANGED: Final = Notice(
    lazy_gettext("The mail server of the platform was changed"),
    lazy_gettext(
        "Hello {name},\n\n{author} changed how the platform sends mail:\n\nBefore: {before}\nNow: {after}\n\n"
        "This mail was sent as before. Links that choose a password go through the new server. "
        "If the change is not right, sign in and set the server back at once.\n"
    ),
)
CAP: Final = Notice(
    lazy_gettext("{offer}: a cap of today fills up"),
    lazy_gettext(
        "Hello {name},\n\na day cap of this offer fills up:\n\n{offer}\n\n"
        "It takes {limit} a day and has {reached}. No other notice of this cap follows today.\n"
    ),
)


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient of mail.

    name: for the greeting. owner: the account, which may have chosen a language. language: when it has chosen none.
    server: that its mail goes through, encrypted; "" = the one in force.
    """

    email: str
    name: str
    owner: Account | None = None
    language: str = ENGLISH
    server: str = ""


def send_notice(
    conn: Connection, notice: Notice, recipients: Iterable[Recipient], now_ms: int, **values: object
) -> list[str]:
    """Queue a mail to each recipient; return the ids of the mails.

    Each mail is in the language of its recipient. values: the values of the placeholders, apart from {name};
    functions among them are called in this language.
    """
    queued = []
    for recipient in recipients:
        with speaking(_language_of(conn, recipient)):
            named = {name: value() if callable(value) else value for name, value in values.items()}
            subject, body = notice.subject.format(**named), notice.body.format(name=recipient.name, **named)
        queued.append(mail.add(conn, recipient.email, subject, body, now_ms, server=recipient.server))
    return queued


def _language_of(conn: Connection, recipient: Recipient) -> Language:
    chosen = find_preferences(conn, recipient.owner).language if recipient.owner else ""
    return language(chosen or recipient.language)


def recipient_of(affiliate: Affiliate | AffiliateName) -> Recipient:
    """Return an affiliate as a recipient of mail."""
    account = Account(AccountKind.AFFILIATE, str(affiliate.id))
    return Recipient(affiliate.email, affiliate.name or affiliate.login, account)


def offer_label(offer_id: int, title: str) -> str:
    """Return the name of an offer in notices."""
    return f"#{offer_id} {title}"


def offer_list_values(titles: dict[int, str]) -> dict[str, object]:
    """Return the values of ENABLED and DISABLED for offers (title by id)."""
    return {"count": len(titles), "offers": "\n".join(offer_label(*item) for item in sorted(titles.items()))}
