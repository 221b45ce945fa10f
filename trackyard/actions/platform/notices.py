"""The texts of all mail, and how it is queued (docs/spec/platform.md#mail).

Mail is queued in the transaction that it reports.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.base.texts.languages import ENGLISH, language, speaking, spoken
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.domain.people.affiliates import Affiliate, AffiliateName
from trackyard.domain.people.callers import HOMES, Account, AccountKind
from trackyard.domain.platform.erasures import ERASED_HOST
from trackyard.domain.platform.mails.event_notices import EVENT_NOTICES
from trackyard.domain.platform.mails.frame import FooterLink, MailLook, framed, look_of, write_content
from trackyard.domain.platform.mails.kinds import Notice, NoticeKind
from trackyard.domain.platform.mails.own_texts import MailText, with_own_text
from trackyard.domain.platform.mails.values import MailedOffer, MailLink, MailList, MailPersonal
from trackyard.domain.platform.mails.writing import write_plain, write_subject
from trackyard.store.engine.database import Connection
from trackyard.store.people.preferences import languages_of
from trackyard.store.platform import mail, mail_texts, settings

WELCOME: Final = Notice(
    NoticeKind.ACCOUNT_MADE,
    lazy_gettext("You have an account"),
    lazy_gettext(
        "Hello {name},\n\nyou have an account with the login {login}. Sign in with the password that you got, or "
        'choose another one with "Forgot your password?":\n\n{link}\n'
    ),
    lazy_gettext("Sign in"),
)
PASSWORD: Final = Notice(
    NoticeKind.PASSWORD_GIVEN,
    lazy_gettext("Your new password"),
    lazy_gettext(
        "Hello {name},\n\nyou have a new password:\n\n{password}\n\nThe one before does not work any more. The new one "
        "works for 24 hours: sign in with it, and choose a password of your own.\n"
    ),
    lazy_gettext("Sign in"),
    page="profile",
    needed=frozenset({"password"}),
)
PASSWORD_CHANGED: Final = Notice(
    NoticeKind.PASSWORD_CHANGED,
    lazy_gettext("Your password was changed"),
    lazy_gettext(
        "Hello {name},\n\nyour account has another password, and its other sessions ended.\n\n"
        'If it was not you, choose a password with "Forgot your password?" of the sign-in page, end the API keys of '
        "your account, and tell the people who run this network at once.\n"
    ),
    lazy_gettext("Open your account"),
    page="profile",
)
FACTOR_ADDED: Final = Notice(
    NoticeKind.FACTOR_ADDED,
    lazy_gettext("Your account has a second factor"),
    lazy_gettext(
        "Hello {name},\n\na second factor was added to your account: signing in needs a code of an authenticator "
        "app.\n\n"
        "If it was not you, tell the people who run this network at once.\n"
    ),
    lazy_gettext("Open your account"),
    page="profile",
)
FACTOR_REMOVED: Final = Notice(
    NoticeKind.FACTOR_REMOVED,
    lazy_gettext("The second factor of your account was removed"),
    lazy_gettext(
        "Hello {name},\n\nyour account has no second factor any more: the password alone signs in.\n\n"
        "If you did not ask for it, change your password, add a second factor again, and tell the people who run this "
        "network at once.\n"
    ),
    lazy_gettext("Open your account"),
    page="profile",
)
KEY_MADE: Final = Notice(
    NoticeKind.KEY_MADE,
    lazy_gettext("Your account has a new API key"),
    lazy_gettext(
        "Hello {name},\n\na new lasting API key was made for your account.\n\n"
        "If it was not you, end it in your account, change your password, and tell the people who run this network at "
        "once.\n"
    ),
    lazy_gettext("Open your account"),
    page="profile",
)
PASSWORD_LINK: Final = Notice(
    NoticeKind.PASSWORD_LINK,
    lazy_gettext("Choose a new password"),
    lazy_gettext(
        "Hello {name},\n\na new password was asked for your account. Choose one here:\n\n{link}\n\n"
        "The link works once, within 24 hours. If you did not ask for it, there is nothing to do: your password "
        "stays.\n"
    ),
    lazy_gettext("Choose a password"),
    needed=frozenset({"link"}),
)
SIGN_IN_LINK: Final = Notice(
    NoticeKind.SIGN_IN_LINK,
    lazy_gettext("Sign in to your account"),
    lazy_gettext(
        "Hello {name},\n\nwith this link you choose a password and sign in:\n\n{link}\n\n"
        "The link works once, within 24 hours. Your password before works until then.\n"
    ),
    lazy_gettext("Choose a password"),
    needed=frozenset({"link"}),
)
ACCOUNT_INVITED: Final = Notice(
    NoticeKind.ACCOUNT_INVITED,
    lazy_gettext("You are invited to {network}"),
    lazy_gettext(
        "Hello {name},\n\nyou have an account at {network}.\n\n{message}\n\n"
        "Choose a password and sign in:\n\n{link}\n\n"
        'The link works once, within 24 hours. Later "Forgot your password?" of the sign-in page mails another.\n'
    ),
    lazy_gettext("Choose a password"),
    needed=frozenset({"link"}),
)
INVITED: Final = Notice(
    NoticeKind.INVITED,
    lazy_gettext("You are invited to {company}"),
    lazy_gettext(
        "Hello {name},\n\nyou may work for {company} here. Choose a password and sign in:\n\n{link}\n\n"
        'The link works once, within 24 hours. Later "Forgot your password?" of the sign-in page mails another.\n'
    ),
    lazy_gettext("Choose a password"),
    needed=frozenset({"link"}),
)
INVITED_AGAIN: Final = Notice(
    NoticeKind.INVITED_AGAIN,
    lazy_gettext("You have access to {company}"),
    lazy_gettext(
        "Hello {name},\n\nyou may work for {company}, too. Sign in with your password, then choose the company:\n\n"
        "{link}\n"
    ),
    lazy_gettext("Sign in"),
)
OWNER_CHANGED: Final = Notice(
    NoticeKind.OWNER_CHANGED,
    lazy_gettext("Your company has another owner"),
    lazy_gettext(
        "Hello {name},\n\n{owner} owns the company now. You are a manager of it, and sign in as before.\n\n"
        "If you did not ask for it, tell the people who run this network at once.\n"
    ),
)
OWNER_NOW: Final = Notice(
    NoticeKind.OWNER_NOW,
    lazy_gettext("You own {company} now"),
    lazy_gettext(
        "Hello {name},\n\nyou own {company} now: you decide who else gets in. You sign in as before.\n\n"
        "If you did not expect it, tell the people who run this network.\n"
    ),
)
NEWS: Final = Notice(
    NoticeKind.NEWS,
    lazy_gettext("News: {title}"),
    lazy_gettext("Hello {name},\n\n{title}\n\n{text}\n"),
    lazy_gettext("Read all news"),
    page="news",
)
TEST_MAIL: Final = Notice(
    NoticeKind.MAIL_TEST,
    lazy_gettext("Test of the mail settings"),
    lazy_gettext("Hello {name},\n\nthis mail was sent to try the mail settings of the platform. They work.\n"),
)
SIGN_UP_AGAIN: Final = Notice(
    NoticeKind.SIGN_UP_AGAIN,
    lazy_gettext("You have an account already"),
    lazy_gettext(
        "Hello {name},\n\na sign-up was tried with your e-mail address, which has an account. Nothing was changed.\n\n"
        "If it was you, sign in with your password. If it was not, there is nothing to do.\n"
    ),
    lazy_gettext("Sign in"),
)
NAME_TAKEN: Final = Notice(
    NoticeKind.SIGN_UP_NAME_TAKEN,
    lazy_gettext("Your sign-up needs another login"),
    lazy_gettext(
        "Hello {name},\n\nyour sign-up was not completed: its login is taken.\n\n"
        "Please sign up again with another login, or without one.\n"
    ),
)
CONFIRM_EMAIL: Final = Notice(
    NoticeKind.EMAIL_TO_CONFIRM,
    lazy_gettext("Confirm your e-mail address"),
    lazy_gettext(
        "Hello {name},\n\nplease confirm that this e-mail address is yours:\n\n{link}\n\n"
        "The link works once, within 24 hours. If you did not ask for it, there is nothing to do.\n"
    ),
    lazy_gettext("Confirm the address"),
    needed=frozenset({"link"}),
)
EMAIL_CHANGED: Final = Notice(
    NoticeKind.EMAIL_CHANGED,
    lazy_gettext("Your e-mail address was changed"),
    lazy_gettext(
        "Hello {name},\n\nyour account now has another e-mail address, to which further mail is sent.\n\n"
        "If it was not you, ask the people who run this network at once.\n"
    ),
    lazy_gettext("Open your account"),
    page="profile",
)
FAILED_SIGN_INS: Final = Notice(
    NoticeKind.SIGN_INS_FAILED,
    lazy_gettext("Failed attempts to sign in to your account"),
    lazy_gettext(
        "Hello {name},\n\nmany attempts to sign in to your account failed, and further ones wait for a while.\n\n"
        "If it was not you, change your password where it is easy to guess or used elsewhere, and add a second factor. "
        "From where you signed in before, you can go on signing in.\n\nNo other notice of this kind follows today.\n"
    ),
)
PAUSED: Final = Notice(
    NoticeKind.POSTBACK_PAUSED,
    lazy_gettext("Postback {postback} is paused"),
    lazy_gettext(
        "Hello {name},\n\nthe last calls of this postback all failed, and no more are made for now:\n\n"
        "Postback: {postback}\nAffiliate: {affiliate}\nOffer: {offer}\nURL: {url}\n\n"
        "Its calls wait, 7 days at most. They are made as soon as the postback is changed or resumed.\n"
    ),
    lazy_gettext("See the postbacks"),
    page="postbacks",
)
PAYEE_CHANGED: Final = Notice(
    NoticeKind.PAYEE_CHANGED,
    lazy_gettext("Your payment systems were changed"),
    lazy_gettext(
        "Hello {name},\n\nthe payment systems that your payments go to were changed in your account.\n\n"
        "If it was not you, change your password and ask the people who run this network at once.\n"
    ),
    lazy_gettext("Open your account"),
    page="profile",
)
CHANGE_HELD: Final = Notice(
    NoticeKind.CHANGE_HELD,
    lazy_gettext("To confirm: {change}"),
    lazy_gettext(
        "Hello {name},\n\n{author} asked for a change that needs a second administrator. Nothing has changed yet:\n\n"
        "{change}\nHeld change: {id}\n\nCompare its values, then confirm or refuse it.\n"
    ),
    lazy_gettext("Compare and decide"),
    page="payments/held",
)
CHANGE_DECIDED: Final = Notice(
    NoticeKind.CHANGE_DECIDED,
    lazy_gettext("{state}: {change}"),
    lazy_gettext(
        "Hello {name},\n\n{decider} decided a change that {author} had asked for:\n\n"
        "{change}\nHeld change: {id}\nNow: {state}\n\n"
        "If that is not right, stop the payment and look at the security log.\n"
    ),
    lazy_gettext("See held changes"),
    page="payments/held",
)
MAIL_SERVER_CHANGED: Final = Notice(
    NoticeKind.MAIL_SERVER_CHANGED,
    lazy_gettext("The mail server of the platform was changed"),
    lazy_gettext(
        "Hello {name},\n\n{author} changed how the platform sends mail:\n\nBefore: {before}\nNow: {after}\n\n"
        "This mail was sent as before. Links that choose a password go through the new server. "
        "If the change is not right, sign in and set the server back at once.\n"
    ),
    lazy_gettext("Open the settings"),
    page="settings",
)
CAP: Final = Notice(
    NoticeKind.CAP_FILLS,
    lazy_gettext("{offer}: a cap of today fills up"),
    lazy_gettext(
        "Hello {name},\n\na day cap of this offer fills up:\n\n{offer}\n\n"
        "It takes {limit} a day and has {reached}. No other notice of this cap follows today.\n"
    ),
    lazy_gettext("Open the offer"),
)

FIRED: Final = Notice(
    NoticeKind.RULE_FIRED,
    lazy_gettext("Rule {rule}: {what}"),
    lazy_gettext(
        "Hello {name},\n\nthe rule {rule} found:\n\n{what}\n{readings}\n\nDone: {done}\nFiring: {firing}\n\n"
        "The console shows it under Rules, where it can be undone.\n"
    ),
    lazy_gettext("Open the rules"),
    page="rules",
)


_WHY_ACCOUNT: Final = lazy_gettext("You get this mail because you have an account at {network}.")
_WHY_ADDRESS: Final = lazy_gettext("You get this mail because your e-mail address was given at {network}.")


@dataclass(frozen=True, slots=True)
class Recipient:
    """A recipient of mail.

    name: for the greeting. owner: the account, which may have chosen a language. language: when it has chosen none.
    server: that its mail goes through, encrypted; "" = the one in force.
    home: the path of the first page of the person; "" = of the account.
    stop: the link that switches such mails off; "" = they cannot be.
    document_id: its file goes with the mail; "" = none.
    """

    email: str
    name: str
    owner: Account | None = None
    language: str = ENGLISH
    server: str = ""
    home: str = ""
    stop: str = ""
    document_id: str = ""


def send_notice(
    conn: Connection, notice: Notice, recipients: Iterable[Recipient], now_ms: int, **values: object
) -> list[str]:
    """Queue a mail to each recipient, except erased ones; return the ids of the mails.

    Each mail is in the language of its recipient. values: the values of the placeholders, apart from {name};
    functions among them are called in this language, and an MailedOffer leads to the recipient's own page of the offer.
    {link} is `link` of the values, else the page of the notice, else the page of the offer in `offer`.
    """
    base = settings.find_api_url(conn)
    reached = [each for each in recipients if not each.email.endswith(ERASED_HOST)]
    look, queued = look_of(settings.find_network(conn), base), []
    own = mail_texts.find_texts(conn, notice.kind)
    chosen = languages_of(conn, [each.owner for each in reached if each.owner])
    for recipient in reached:
        code = chosen.get(recipient.owner, "") if recipient.owner else ""
        with speaking(language(code or recipient.language)):
            made = _written(notice, recipient, base, look, own, values)
        queued.append(
            mail.add(
                *(conn, recipient.email, made.subject, made.text, now_ms),
                html=made.html,
                server=recipient.server,
                stop=recipient.stop,
                document_id=recipient.document_id,
                kind=notice.kind,
            )
        )
    return queued


def preview_notice(conn: Connection, notice: Notice, recipient: Recipient, **values: object) -> "WrittenMail":
    """Return the mail that `send_notice` would queue to a recipient."""
    base = settings.find_api_url(conn)
    look, own = look_of(settings.find_network(conn), base), mail_texts.find_texts(conn, notice.kind)
    chosen = languages_of(conn, [recipient.owner] if recipient.owner else [])
    code = chosen.get(recipient.owner, "") if recipient.owner else ""
    with speaking(language(code or recipient.language)):
        return _written(notice, recipient, base, look, own, values)


def _written(
    notice: Notice,
    recipient: Recipient,
    base: str,
    look: MailLook,
    own: Mapping[str, MailText],
    values: Mapping[str, object],
) -> "WrittenMail":
    """Return a mail in the language that is spoken. own: the texts of staff by language."""
    named = values_for(recipient, base, values) | {"name": recipient.name, "network": look.name}
    named.setdefault("link", link_of(notice, recipient, base, named))
    text = with_own_text(notice, own.get(spoken().code), named)
    return write_mail(text, named, look, _why(recipient, look), _ways(recipient, base))


@dataclass(frozen=True, slots=True)
class WrittenMail:
    """A mail that was written. text: as plain text. html: the same in the frame of the network."""

    subject: str
    text: str
    html: str


def write_mail(
    notice: Notice, named: Mapping[str, object], look: MailLook, why: str, ways: Sequence[FooterLink] = ()
) -> WrittenMail:
    """Return a mail in the language that is spoken.

    named: its values. why: the line at its end. ways: links after it, which plain text has, too.
    """
    subject, text = write_subject(notice.subject, named), write_plain(notice.body, notice.button, named)
    content = write_content(notice.body, notice.button, named, look)
    if ways:
        text += "\n" + "\n".join([why, *(f"{label}: {url}" for label, url in ways)]) + "\n"
    return WrittenMail(subject, text, framed(look, subject, content, why, spoken().code, links=ways))


def values_for(recipient: Recipient, base: str, values: Mapping[str, object]) -> dict[str, object]:
    """Return values as a recipient reads them. base: the beginning of links."""
    home = _home(recipient, base)

    def shown(value: object) -> object:
        match value:
            case MailedOffer():
                return value.link(home)
            case MailPersonal():
                return value.to(recipient.name)
            case MailList(items):
                return MailList([each.link(home) if isinstance(each, MailedOffer) else each for each in items])
        return shown(value()) if callable(value) else value

    return {name: shown(value) for name, value in values.items()}


def link_of(notice: Notice, recipient: Recipient, base: str, values: Mapping[str, object]) -> str:
    """Return the link of a button."""
    offer = values.get("offer")
    if not notice.page and isinstance(offer, MailLink) and offer.url:
        return offer.url
    home = _home(recipient, base)
    return f"{home}{notice.page}" if home else f"{base}/sign-in"


def why_account(look: MailLook) -> str:
    """Return why a person with an account gets a mail."""
    return _WHY_ACCOUNT.format(network=look.name)


def _why(recipient: Recipient, look: MailLook) -> str:
    return why_account(look) if recipient.owner else _WHY_ADDRESS.format(network=look.name)


def _ways(recipient: Recipient, base: str) -> list[FooterLink]:
    """Return the links to change and to stop the mails of a recipient that may."""
    if not recipient.stop:
        return []
    change = (gettext("Change what you get"), f"{_home(recipient, base)}notices/choices")
    return [change, (gettext("Stop these mails"), recipient.stop)]


def _home(recipient: Recipient, base: str) -> str:
    """Return the beginning of the pages of a recipient; "" = it has none."""
    path = recipient.home or ("" if recipient.owner is None else HOMES.get(recipient.owner.kind, ""))
    return f"{base}{path}" if path and base else ""


def recipient_of(affiliate: Affiliate | AffiliateName) -> Recipient:
    """Return an affiliate as a recipient of mail."""
    account = Account(AccountKind.AFFILIATE, str(affiliate.id))
    return Recipient(affiliate.email, affiliate.name or affiliate.login, account)


NOTICES: Final[Mapping[NoticeKind, Notice]] = {
    each.kind: each
    for each in (
        *EVENT_NOTICES,
        WELCOME,
        PASSWORD,
        PASSWORD_CHANGED,
        FACTOR_ADDED,
        FACTOR_REMOVED,
        KEY_MADE,
        PASSWORD_LINK,
        SIGN_IN_LINK,
        ACCOUNT_INVITED,
        INVITED,
        INVITED_AGAIN,
        OWNER_CHANGED,
        OWNER_NOW,
        NEWS,
        TEST_MAIL,
        SIGN_UP_AGAIN,
        NAME_TAKEN,
        CONFIRM_EMAIL,
        EMAIL_CHANGED,
        FAILED_SIGN_INS,
        PAUSED,
        PAYEE_CHANGED,
        CHANGE_HELD,
        CHANGE_DECIDED,
        MAIL_SERVER_CHANGED,
        CAP,
        FIRED,
    )
}
"""Every notice by its kind."""
