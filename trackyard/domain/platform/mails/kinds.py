"""The kinds of mails, and what a mail of a kind is made from (docs/spec/platform.md#mail)."""

from dataclasses import dataclass
from enum import StrEnum


class NoticeKind(StrEnum):
    """What a mail is about. Stored, so a value never changes."""

    OFFERS_CONNECTED = "offers.connected"
    OFFERS_DISCONNECTED = "offers.disconnected"
    OFFER_CHANGED = "offer.changed"
    REQUEST_APPROVED = "request.approved"
    REQUEST_REJECTED = "request.rejected"
    REQUEST_ANSWERED = "request.answered"
    QUESTION_ANSWERED = "question.answered"
    CAP_FILLS = "cap.fills"
    POSTBACK_PAUSED = "postback.paused"
    RULE_FIRED = "rule.fired"
    PAYMENT_EXECUTED = "payment.executed"
    PAYMENT_REQUEST_REJECTED = "payment_request.rejected"
    PAYEE_CHANGED = "payee.changed"
    INVOICE_ISSUED = "invoice.issued"
    INVOICE_CREDITED = "invoice.credited"
    INVOICE_OVERDUE = "invoice.overdue"
    INVOICE_UNPAID = "invoice.unpaid"
    CHANGE_HELD = "change.held"
    CHANGE_DECIDED = "change.decided"
    ACCOUNT_MADE = "account.made"
    ACCOUNT_NOT_ACTIVE = "account.not_active"
    ACCOUNT_BANNED = "account.banned"
    ADVERTISER_APPROVED = "advertiser.approved"
    SIGN_UP_AGAIN = "sign_up.again"
    SIGN_UP_NAME_TAKEN = "sign_up.name_taken"
    EMAIL_TO_CONFIRM = "email.to_confirm"
    EMAIL_CHANGED = "email.changed"
    PASSWORD_GIVEN = "password.given"  # noqa: S105 (a kind of mail)
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 (a kind of mail)
    PASSWORD_LINK = "password.link"  # noqa: S105 (a kind of mail)
    SIGN_IN_LINK = "sign_in.link"
    SIGN_INS_FAILED = "sign_in.failed"
    FACTOR_ADDED = "second_factor.added"
    FACTOR_REMOVED = "second_factor.removed"
    KEY_MADE = "key.made"
    ACCOUNT_INVITED = "account.invited"
    INVITED = "company.invited"
    INVITED_AGAIN = "company.invited_again"
    OWNER_CHANGED = "company.owner_changed"
    OWNER_NOW = "company.owner_now"
    NEWS = "news"
    MAIL_TEST = "mail.test"
    MAIL_REFUSED = "mail.refused"
    MAIL_SERVER_CHANGED = "mail.server_changed"
    AFFILIATE_SIGNED_UP = "affiliate.signed_up"
    AFFILIATE_APPROVED = "affiliate.approved"
    ADVERTISER_SIGNED_UP = "advertiser.signed_up"
    ADVERTISER_REJECTED = "advertiser.rejected"
    REQUEST_OPENED = "request.opened"
    QUESTION_OPENED = "question.opened"
    OFFER_PAUSED = "offer.paused"
    OFFER_RESUMED = "offer.resumed"
    OFFER_REMOVED = "offer.removed"
    PAYOUT_CHANGED = "offer.payout_changed"
    CAP_NEARLY_FULL = "cap.nearly_full"
    CAP_FULL = "cap.full"
    PIXEL_OPENED = "pixel.opened"
    PIXEL_ACCEPTED = "pixel.accepted"
    PIXEL_REJECTED = "pixel.rejected"
    ALERT_OPENED = "alert.opened"
    ALERT_CLOSED = "alert.closed"
    PAYMENT_MADE = "payment.made"
    PAYMENT_CANCELLED = "payment.cancelled"
    BALANCE_CORRECTED = "balance.corrected"
    PAYMENT_REQUEST_OPENED = "payment_request.opened"
    MESSAGE = "message"
    THREAD_ANSWERED = "thread.answered"


@dataclass(frozen=True, slots=True)
class Notice:
    """The text of one kind of mail, with placeholders in braces; values are never read as templates.

    body: paragraphs with an empty line between them. A line is left out when all its values are empty.
    button: the label of `{link}`, which ends a body without it; "" = the mail has no button.
    page: where `{link}` leads below the recipient's home, when the caller gives no link.
    needed: the values without which the mail is of no use, and which the recipient alone may have: a link that signs
        in or confirms, a password.
    """

    kind: NoticeKind
    subject: str
    body: str
    button: str = ""
    page: str = ""
    needed: frozenset[str] = frozenset()
