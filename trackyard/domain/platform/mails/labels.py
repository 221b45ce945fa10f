"""What pages call the kinds of mails, and who gets them (docs/spec/mails.md#kinds)."""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.platform.mails.kinds import NoticeKind


class MailReader(StrEnum):
    """Who gets a kind of mail."""

    STAFF = "staff"
    AFFILIATES = "affiliates"
    ADVERTISERS = "advertisers"
    ALL = "all"


READERS: Final[Mapping[MailReader, str]] = {
    MailReader.STAFF: lazy_gettext("Staff"),
    MailReader.AFFILIATES: lazy_gettext("Affiliates"),
    MailReader.ADVERTISERS: lazy_gettext("Advertisers"),
    MailReader.ALL: lazy_gettext("Everyone"),
}
"""Readers in words."""


@dataclass(frozen=True, slots=True)
class MailLabel:
    """A kind of mail in words. reader: who gets it."""

    title: str
    reader: MailReader = MailReader.ALL


def _staff(title: str) -> MailLabel:
    return MailLabel(title, MailReader.STAFF)


def _affiliates(title: str) -> MailLabel:
    return MailLabel(title, MailReader.AFFILIATES)


def _advertisers(title: str) -> MailLabel:
    return MailLabel(title, MailReader.ADVERTISERS)


_K = NoticeKind
MAIL_LABELS: Final[Mapping[NoticeKind, MailLabel]] = {
    _K.ACCOUNT_MADE: _affiliates(lazy_gettext("Account created by staff")),
    _K.AFFILIATE_APPROVED: _affiliates(lazy_gettext("Affiliate approved")),
    _K.ACCOUNT_NOT_ACTIVE: _affiliates(lazy_gettext("Affiliate not active")),
    _K.ACCOUNT_BANNED: _affiliates(lazy_gettext("Affiliate banned")),
    _K.OFFERS_CONNECTED: _affiliates(lazy_gettext("Offers connected")),
    _K.OFFERS_DISCONNECTED: _affiliates(lazy_gettext("Offers disconnected")),
    _K.REQUEST_APPROVED: _affiliates(lazy_gettext("Request approved")),
    _K.REQUEST_REJECTED: _affiliates(lazy_gettext("Request rejected")),
    _K.REQUEST_ANSWERED: _affiliates(lazy_gettext("Request answered")),
    _K.QUESTION_ANSWERED: _affiliates(lazy_gettext("Question answered")),
    _K.OFFER_CHANGED: _affiliates(lazy_gettext("Offer changed")),
    _K.OFFER_PAUSED: _affiliates(lazy_gettext("Offer paused")),
    _K.OFFER_RESUMED: _affiliates(lazy_gettext("Offer takes clicks again")),
    _K.OFFER_REMOVED: _affiliates(lazy_gettext("Offer removed")),
    _K.PAYOUT_CHANGED: _affiliates(lazy_gettext("New payout of an offer")),
    _K.CAP_NEARLY_FULL: _affiliates(lazy_gettext("Cap of an offer fills up")),
    _K.CAP_FULL: _affiliates(lazy_gettext("Cap of an offer is full")),
    _K.PIXEL_ACCEPTED: _affiliates(lazy_gettext("Pixel accepted")),
    _K.PIXEL_REJECTED: _affiliates(lazy_gettext("Pixel rejected")),
    _K.POSTBACK_PAUSED: MailLabel(lazy_gettext("Postback paused")),
    _K.PAYMENT_MADE: _affiliates(lazy_gettext("Payment prepared")),
    _K.PAYMENT_EXECUTED: _affiliates(lazy_gettext("Payment on its way")),
    _K.PAYMENT_CANCELLED: _affiliates(lazy_gettext("Payment cancelled")),
    _K.PAYMENT_REQUEST_REJECTED: _affiliates(lazy_gettext("Payment request rejected")),
    _K.BALANCE_CORRECTED: _affiliates(lazy_gettext("Balance corrected")),
    _K.PAYEE_CHANGED: _affiliates(lazy_gettext("Payment systems changed")),
    _K.INVOICE_ISSUED: _advertisers(lazy_gettext("Invoice issued")),
    _K.INVOICE_CREDITED: _advertisers(lazy_gettext("Invoice taken back")),
    _K.INVOICE_OVERDUE: _advertisers(lazy_gettext("Invoice overdue")),
    _K.INVOICE_UNPAID: _staff(lazy_gettext("Invoice of an advertiser overdue")),
    _K.ADVERTISER_APPROVED: _advertisers(lazy_gettext("Advertiser approved")),
    _K.ADVERTISER_REJECTED: _advertisers(lazy_gettext("Advertiser not active")),
    _K.AFFILIATE_SIGNED_UP: _staff(lazy_gettext("New affiliate waits for approval")),
    _K.ADVERTISER_SIGNED_UP: _staff(lazy_gettext("New advertiser waits for approval")),
    _K.REQUEST_OPENED: _staff(lazy_gettext("New request for an offer")),
    _K.QUESTION_OPENED: _staff(lazy_gettext("New question")),
    _K.PIXEL_OPENED: _staff(lazy_gettext("Pixel waits for a check")),
    _K.ALERT_OPENED: _staff(lazy_gettext("Alert opened")),
    _K.ALERT_CLOSED: _staff(lazy_gettext("Alert closed")),
    _K.PAYMENT_REQUEST_OPENED: _staff(lazy_gettext("New payment request")),
    _K.CAP_FILLS: _staff(lazy_gettext("Cap fills up")),
    _K.RULE_FIRED: _staff(lazy_gettext("Rule fired")),
    _K.CHANGE_HELD: _staff(lazy_gettext("Change to confirm")),
    _K.CHANGE_DECIDED: _staff(lazy_gettext("Held change decided")),
    _K.MAIL_TEST: _staff(lazy_gettext("Test of the mail settings")),
    _K.MAIL_REFUSED: _staff(lazy_gettext("E-mail address refuses mails")),
    _K.MAIL_SERVER_CHANGED: _staff(lazy_gettext("Mail server changed")),
    _K.SIGN_UP_AGAIN: MailLabel(lazy_gettext("Sign-up with an e-mail address that has an account")),
    _K.SIGN_UP_NAME_TAKEN: MailLabel(lazy_gettext("Sign-up with a login that is taken")),
    _K.EMAIL_TO_CONFIRM: MailLabel(lazy_gettext("E-mail address to confirm")),
    _K.EMAIL_CHANGED: MailLabel(lazy_gettext("E-mail address changed")),
    _K.PASSWORD_GIVEN: MailLabel(lazy_gettext("New password")),
    _K.PASSWORD_CHANGED: MailLabel(lazy_gettext("Password changed")),
    _K.PASSWORD_LINK: MailLabel(lazy_gettext("Link for a forgotten password")),
    _K.SIGN_IN_LINK: MailLabel(lazy_gettext("Sign-in link from staff")),
    _K.SIGN_INS_FAILED: MailLabel(lazy_gettext("Failed attempts to sign in")),
    _K.FACTOR_ADDED: MailLabel(lazy_gettext("Second factor added")),
    _K.FACTOR_REMOVED: MailLabel(lazy_gettext("Second factor removed")),
    _K.KEY_MADE: MailLabel(lazy_gettext("API key created")),
    _K.ACCOUNT_INVITED: MailLabel(lazy_gettext("Invitation to the network")),
    _K.INVITED: MailLabel(lazy_gettext("Invitation to a company")),
    _K.INVITED_AGAIN: MailLabel(lazy_gettext("Invitation to one more company")),
    _K.OWNER_CHANGED: MailLabel(lazy_gettext("Another owner of the company")),
    _K.OWNER_NOW: MailLabel(lazy_gettext("Owner of a company")),
    _K.NEWS: MailLabel(lazy_gettext("News by mail")),
    _K.THREAD_ANSWERED: MailLabel(lazy_gettext("Message in a thread")),
    _K.MESSAGE: _affiliates(lazy_gettext("Message of staff")),
}
"""Every kind, in the order in which pages list them."""
