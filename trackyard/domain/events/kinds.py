"""The kinds of events, in one table (docs/spec/events.md#kinds).

An event is a fact that is stored with the change that made it. Notices, the bell and their texts derive from this
table; `EVENT_RULES` has a row for each kind.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from types import MappingProxyType
from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.money.documents import DocumentKind
from trackyard.domain.people.roles import Permission
from trackyard.domain.platform.mails.kinds import NoticeKind


class EventKind(StrEnum):
    """A kind of event; the value is its name for programs: a noun and what happened to it."""

    AFFILIATE_SIGNED_UP = "affiliate.signed_up"
    AFFILIATE_APPROVED = "affiliate.approved"
    AFFILIATE_REJECTED = "affiliate.rejected"
    AFFILIATE_BANNED = "affiliate.banned"
    ADVERTISER_SIGNED_UP = "advertiser.signed_up"
    ADVERTISER_APPROVED = "advertiser.approved"
    ADVERTISER_REJECTED = "advertiser.rejected"
    REQUEST_OPENED = "request.opened"
    REQUEST_APPROVED = "request.approved"
    REQUEST_REJECTED = "request.rejected"
    REQUEST_ANSWERED = "request.answered"
    QUESTION_OPENED = "question.opened"
    QUESTION_ANSWERED = "question.answered"
    OFFERS_CONNECTED = "offers.connected"
    OFFERS_DISCONNECTED = "offers.disconnected"
    OFFER_CHANGED = "offer.changed"
    OFFER_PAUSED = "offer.paused"
    OFFER_RESUMED = "offer.resumed"
    OFFER_REMOVED = "offer.removed"
    PAYOUT_CHANGED = "offer.payout_changed"
    CAP_NEARLY_FULL = "cap.nearly_full"
    CAP_FULL = "cap.full"
    POSTBACK_PAUSED = "postback.paused"
    PIXEL_OPENED = "pixel.opened"
    PIXEL_ACCEPTED = "pixel.accepted"
    PIXEL_REJECTED = "pixel.rejected"
    PAYMENT_MADE = "payment.made"
    PAYMENT_PAID = "payment.paid"
    PAYMENT_CANCELLED = "payment.cancelled"
    BALANCE_CORRECTED = "balance.corrected"
    PAYMENT_REQUEST_OPENED = "payment_request.opened"
    PAYMENT_REQUEST_REJECTED = "payment_request.rejected"
    PAYEE_CHANGED = "payee.changed"
    INVOICE_ISSUED = "invoice.issued"
    INVOICE_CREDITED = "invoice.credited"
    INVOICE_OVERDUE = "invoice.overdue"
    PASSWORD_CHANGED = "password.changed"  # noqa: S105 (the name of a kind)
    FACTOR_ADDED = "second_factor.added"
    FACTOR_REMOVED = "second_factor.removed"
    KEY_MADE = "key.made"
    MESSAGE_SENT = "message.sent"
    THREAD_ANSWERED = "thread.answered"
    THREAD_ANSWERED_ADVERTISER = "thread.answered_advertiser"
    THREAD_AFFILIATE_WROTE = "thread.affiliate_wrote"
    THREAD_ADVERTISER_WROTE = "thread.advertiser_wrote"
    MAIL_REFUSED = "mail.refused"
    NEWS_PUBLISHED = "news.published"
    ALERT_OPENED = "alert.opened"
    ALERT_CLOSED = "alert.closed"
    CONVERSION_MADE = "conversion.made"
    CONVERSION_CHANGED = "conversion.changed"


class EventAudience(StrEnum):
    """The people that a notice is for.

    STAFF: staff users with the permission of the notice, and the affiliate and the advertiser of the event in their
        scope.
    AFFILIATE, ADVERTISER: the people of the company of the event with a role that has the permission.
    CONNECTED: the people of the affiliates that are connected to the offer of the event.
    PAID: of these, the affiliate of the event; without one, the affiliates without payouts of their own.
    CAPPED: of these, the affiliates that see the cap of the event; where it counts for one affiliate, this one.
    ALERTED: the staff users who see the alert of the event.
    ACCOUNT: the one account of the event.
    RECEIVERS: the affiliates that staff write to; sending the message makes their notices.
    READERS: the companies that news are for; a job of the news makes their bells, and staff send the mails.
    """

    STAFF = "staff"
    AFFILIATE = "affiliate"
    ADVERTISER = "advertiser"
    CONNECTED = "connected"
    PAID = "paid"
    CAPPED = "capped"
    ALERTED = "alerted"
    ACCOUNT = "account"
    RECEIVERS = "receivers"
    READERS = "readers"


class Channel(StrEnum):
    """How a person gets a notice."""

    MAIL = "mail"
    BELL = "bell"
    SLACK = "slack"
    TELEGRAM = "telegram"


BOTH: Final = frozenset({Channel.MAIL, Channel.BELL})
CHATS: Final = frozenset({Channel.SLACK, Channel.TELEGRAM})
"""The channels of staff users who have said where their messages go."""
BELL_ONLY: Final = frozenset({Channel.BELL})


_NEEDS: Final = {
    EventAudience.AFFILIATE: "affiliate_id",
    EventAudience.ADVERTISER: "advertiser_id",
    EventAudience.CONNECTED: "offer_id",
    EventAudience.PAID: "offer_id",
    EventAudience.CAPPED: "offer_id",
    EventAudience.ACCOUNT: "account",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NoticeRule:
    """Who hears of a kind of event, and how: a row of the matrix.

    permission: what a person needs besides being of the audience.
    channels: the channels that are on until the person chooses. With the bell, chats are on, too.
    without: the channels that a person cannot choose, such as mail where people choose about it elsewhere.
    mail: the kind of the mail, which has the texts; its subject is the line of the bell.
    page: the page of the notice below the person's first page, with fields of the event in braces; "" = the page of
        the mail, else of the offer.
    """

    audience: EventAudience
    permission: Permission = Permission.NONE
    channels: frozenset[Channel] = BOTH
    without: frozenset[Channel] = frozenset()
    mail: NoticeKind
    page: str = ""

    def is_on(self, channel: Channel) -> bool:
        """Return whether a channel is on until the person chooses."""
        return (Channel.BELL if channel in CHATS else channel) in self.channels

    @property
    def needs(self) -> str:
        """Return the field of an event by which the people of the audience are found; "" = none."""
        return _NEEDS.get(self.audience, "")


@dataclass(frozen=True, slots=True, kw_only=True)
class EventRule:
    """A kind of event.

    label: its name on pages. fields: of its payload.
    notices: who hears of it; none = programs read it, and people have lists of it.
    is_required: whether its notices stay on, as about access, money and payment data.
    is_mailed_by_act: whether the change itself queues the mail, at once and also to people who may not sign in.
    document: the kind of the document of its subject, which goes with the mails; None = none.
    """

    label: str
    fields: tuple[str, ...] = ()
    is_required: bool = False
    is_mailed_by_act: bool = False
    document: DocumentKind | None = None
    notices: tuple[NoticeRule, ...]


def _staff(mail: NoticeKind, permission: Permission, page: str) -> tuple[NoticeRule, ...]:
    return (NoticeRule(audience=EventAudience.STAFF, permission=permission, mail=mail, page=page),)


def _affiliate(mail: NoticeKind, permission: Permission = Permission.NONE) -> tuple[NoticeRule, ...]:
    return (NoticeRule(audience=EventAudience.AFFILIATE, permission=permission, mail=mail),)


def _advertiser(mail: NoticeKind) -> tuple[NoticeRule, ...]:
    return (NoticeRule(audience=EventAudience.ADVERTISER, mail=mail),)


def _billed(mail: NoticeKind) -> NoticeRule:
    """Return the rule of a notice about an invoice, for the people of the advertiser."""
    permission = Permission.INVOICES_WRITE
    return NoticeRule(audience=EventAudience.ADVERTISER, permission=permission, mail=mail, page="invoices/{subject}")


_OFFERS: Final = Permission.OFFERS_READ


def _connected(mail: NoticeKind) -> tuple[NoticeRule, ...]:
    return (NoticeRule(audience=EventAudience.CONNECTED, permission=_OFFERS, mail=mail),)


def _access(mail: NoticeKind, label: str) -> EventRule:
    """Return the rule of an event about the access to an account."""
    notices = (NoticeRule(audience=EventAudience.ACCOUNT, mail=mail),)
    return EventRule(label=label, is_required=True, is_mailed_by_act=True, notices=notices)


def _thread(label: str, audience: EventAudience, permission: Permission) -> EventRule:
    """Return the rule of a message in a thread."""
    rule = NoticeRule(
        audience=audience, permission=permission, mail=NoticeKind.THREAD_ANSWERED, page="threads/{subject}"
    )
    return EventRule(label=label, fields=("title", "author", "text"), notices=(rule,))


def _capped(mail: NoticeKind) -> tuple[NoticeRule, ...]:
    return (NoticeRule(audience=EventAudience.CAPPED, permission=_OFFERS, channels=BELL_ONLY, mail=mail),)


def _alert(mail: NoticeKind, label: str, channels: frozenset[Channel]) -> EventRule:
    """Return the rule of an event of an alert. Alerts are mailed by choices of their own."""
    notice = NoticeRule(
        audience=EventAudience.ALERTED,
        permission=Permission.STATS_COMMON,
        channels=channels,
        without=frozenset({Channel.MAIL}),
        mail=mail,
        page="alerts",
    )
    return EventRule(label=label, fields=("alert",), is_mailed_by_act=True, notices=(notice,))


_CONVERSION: Final = ("conversion", "click", "goal", "status", "currency", "comment", "charge", "payout")
"""What an event of a conversion says of its state; `before` has the state before."""
_BALANCES: Final = Permission.BALANCES_READ
_PAYMENTS: Final = (
    NoticeRule(
        audience=EventAudience.AFFILIATE, permission=_BALANCES, channels=BELL_ONLY, mail=NoticeKind.PAYMENT_MADE
    ),
)

EVENT_RULES: Final[Mapping[EventKind, EventRule]] = MappingProxyType(
    {
        EventKind.AFFILIATE_SIGNED_UP: EventRule(
            label=lazy_gettext("An affiliate signed up"),
            fields=("affiliate",),
            notices=_staff(NoticeKind.AFFILIATE_SIGNED_UP, Permission.AFFILIATES_WRITE, "affiliates/{affiliate_id}"),
        ),
        EventKind.AFFILIATE_APPROVED: EventRule(
            label=lazy_gettext("Your account is approved"),
            fields=("reason",),
            is_required=True,
            notices=_affiliate(NoticeKind.AFFILIATE_APPROVED),
        ),
        EventKind.AFFILIATE_REJECTED: EventRule(
            label=lazy_gettext("Your account is not active"),
            fields=("reason",),
            is_required=True,
            notices=_affiliate(NoticeKind.ACCOUNT_NOT_ACTIVE),
        ),
        EventKind.AFFILIATE_BANNED: EventRule(
            label=lazy_gettext("Your account is banned"),
            fields=("reason",),
            is_required=True,
            notices=_affiliate(NoticeKind.ACCOUNT_BANNED),
        ),
        EventKind.ADVERTISER_SIGNED_UP: EventRule(
            label=lazy_gettext("An advertiser signed up"),
            fields=("advertiser",),
            notices=_staff(
                NoticeKind.ADVERTISER_SIGNED_UP, Permission.ADVERTISERS_WRITE, "advertisers/{advertiser_id}"
            ),
        ),
        EventKind.ADVERTISER_APPROVED: EventRule(
            label=lazy_gettext("Your account is approved"),
            fields=("reason",),
            is_required=True,
            notices=_advertiser(NoticeKind.ADVERTISER_APPROVED),
        ),
        EventKind.ADVERTISER_REJECTED: EventRule(
            label=lazy_gettext("Your account is not active"),
            fields=("reason",),
            is_required=True,
            notices=_advertiser(NoticeKind.ADVERTISER_REJECTED),
        ),
        EventKind.REQUEST_OPENED: EventRule(
            label=lazy_gettext("An affiliate requests an offer"),
            fields=("affiliate", "offer", "text"),
            notices=_staff(NoticeKind.REQUEST_OPENED, Permission.TICKETS_WRITE, "requests"),
        ),
        EventKind.REQUEST_APPROVED: EventRule(
            label=lazy_gettext("Your request is approved"),
            fields=("offer", "reason"),
            notices=_affiliate(NoticeKind.REQUEST_APPROVED, _OFFERS),
        ),
        EventKind.REQUEST_REJECTED: EventRule(
            label=lazy_gettext("Your request is rejected"),
            fields=("offer", "reason"),
            notices=_affiliate(NoticeKind.REQUEST_REJECTED, _OFFERS),
        ),
        EventKind.REQUEST_ANSWERED: EventRule(
            label=lazy_gettext("Your request is answered"),
            fields=("offer", "answer"),
            notices=_affiliate(NoticeKind.REQUEST_ANSWERED, _OFFERS),
        ),
        EventKind.QUESTION_OPENED: EventRule(
            label=lazy_gettext("An affiliate asks a question"),
            fields=("affiliate", "title", "text"),
            notices=_staff(NoticeKind.QUESTION_OPENED, Permission.TICKETS_WRITE, "requests"),
        ),
        EventKind.QUESTION_ANSWERED: EventRule(
            label=lazy_gettext("Your question is answered"),
            fields=("offer", "answer"),
            notices=_affiliate(NoticeKind.QUESTION_ANSWERED),
        ),
        EventKind.OFFERS_CONNECTED: EventRule(
            label=lazy_gettext("You are connected to offers"),
            fields=("offers",),
            notices=_affiliate(NoticeKind.OFFERS_CONNECTED, _OFFERS),
        ),
        EventKind.OFFERS_DISCONNECTED: EventRule(
            label=lazy_gettext("You are disconnected from offers"),
            fields=("offers",),
            notices=_affiliate(NoticeKind.OFFERS_DISCONNECTED, _OFFERS),
        ),
        EventKind.OFFER_CHANGED: EventRule(
            label=lazy_gettext("An offer has changed"),
            fields=("offer",),
            notices=_connected(NoticeKind.OFFER_CHANGED),
        ),
        EventKind.OFFER_PAUSED: EventRule(
            label=lazy_gettext("An offer is paused"),
            fields=("offer",),
            notices=_connected(NoticeKind.OFFER_PAUSED),
        ),
        EventKind.OFFER_RESUMED: EventRule(
            label=lazy_gettext("An offer takes clicks again"),
            fields=("offer",),
            notices=_connected(NoticeKind.OFFER_RESUMED),
        ),
        EventKind.OFFER_REMOVED: EventRule(
            label=lazy_gettext("An offer is removed"),
            fields=("offer",),
            notices=_connected(NoticeKind.OFFER_REMOVED),
        ),
        EventKind.PAYOUT_CHANGED: EventRule(
            label=lazy_gettext("An offer has a new payout"),
            fields=("offer", "changes"),
            notices=(NoticeRule(audience=EventAudience.PAID, permission=_OFFERS, mail=NoticeKind.PAYOUT_CHANGED),),
        ),
        EventKind.CAP_NEARLY_FULL: EventRule(
            label=lazy_gettext("A cap of an offer fills up"),
            fields=("offer", "limit", "reached"),
            notices=_capped(NoticeKind.CAP_NEARLY_FULL),
        ),
        EventKind.CAP_FULL: EventRule(
            label=lazy_gettext("A cap of an offer is full"),
            fields=("offer", "limit"),
            notices=_capped(NoticeKind.CAP_FULL),
        ),
        EventKind.POSTBACK_PAUSED: EventRule(
            label=lazy_gettext("A postback is paused"),
            fields=("postback", "affiliate", "offer", "url"),
            notices=_affiliate(NoticeKind.POSTBACK_PAUSED, Permission.POSTBACKS_WRITE),
        ),
        EventKind.PIXEL_OPENED: EventRule(
            label=lazy_gettext("A pixel waits for a check"),
            fields=("affiliate", "pixel", "offer"),
            notices=_staff(NoticeKind.PIXEL_OPENED, Permission.PIXELS_WRITE, "pixels"),
        ),
        EventKind.PIXEL_ACCEPTED: EventRule(
            label=lazy_gettext("Your pixel is accepted"),
            fields=("pixel", "offer"),
            notices=_affiliate(NoticeKind.PIXEL_ACCEPTED, Permission.PIXELS_WRITE),
        ),
        EventKind.PIXEL_REJECTED: EventRule(
            label=lazy_gettext("Your pixel is rejected"),
            fields=("pixel", "offer"),
            notices=_affiliate(NoticeKind.PIXEL_REJECTED, Permission.PIXELS_WRITE),
        ),
        EventKind.PAYMENT_MADE: EventRule(
            label=lazy_gettext("A payment is prepared"), fields=("amount",), notices=_PAYMENTS
        ),
        EventKind.PAYMENT_PAID: EventRule(
            label=lazy_gettext("A payment is on its way"),
            fields=("amount", "payment"),
            is_required=True,
            document=DocumentKind.REMITTANCE,
            notices=_affiliate(NoticeKind.PAYMENT_EXECUTED, _BALANCES),
        ),
        EventKind.PAYMENT_CANCELLED: EventRule(
            label=lazy_gettext("A payment is cancelled"),
            fields=("amount", "payment"),
            is_required=True,
            notices=_affiliate(NoticeKind.PAYMENT_CANCELLED, _BALANCES),
        ),
        EventKind.BALANCE_CORRECTED: EventRule(
            label=lazy_gettext("Your balance is corrected"),
            fields=("amount", "comment"),
            is_required=True,
            notices=_affiliate(NoticeKind.BALANCE_CORRECTED, _BALANCES),
        ),
        EventKind.PAYMENT_REQUEST_OPENED: EventRule(
            label=lazy_gettext("An affiliate asks to be paid"),
            fields=("affiliate", "amount"),
            notices=_staff(NoticeKind.PAYMENT_REQUEST_OPENED, Permission.PAYMENTS_WRITE, "payments/requests"),
        ),
        EventKind.PAYMENT_REQUEST_REJECTED: EventRule(
            label=lazy_gettext("Your payment request is rejected"),
            fields=("amount", "reason"),
            is_required=True,
            notices=_affiliate(NoticeKind.PAYMENT_REQUEST_REJECTED, _BALANCES),
        ),
        EventKind.PAYEE_CHANGED: EventRule(
            label=lazy_gettext("Your payment systems were changed"),
            is_required=True,
            notices=(NoticeRule(audience=EventAudience.ACCOUNT, mail=NoticeKind.PAYEE_CHANGED),),
        ),
        EventKind.INVOICE_ISSUED: EventRule(
            label=lazy_gettext("You get an invoice"),
            fields=("number", "amount", "due"),
            is_required=True,
            document=DocumentKind.INVOICE,
            notices=(_billed(NoticeKind.INVOICE_ISSUED),),
        ),
        EventKind.INVOICE_CREDITED: EventRule(
            label=lazy_gettext("An invoice is taken back"),
            fields=("number", "amount", "credited"),
            is_required=True,
            document=DocumentKind.CREDIT_NOTE,
            notices=(_billed(NoticeKind.INVOICE_CREDITED),),
        ),
        EventKind.INVOICE_OVERDUE: EventRule(
            label=lazy_gettext("An invoice is overdue"),
            fields=("number", "amount", "due", "advertiser"),
            is_required=True,
            document=DocumentKind.INVOICE,
            notices=(
                *_staff(NoticeKind.INVOICE_UNPAID, Permission.INVOICES_WRITE, "invoices/{subject}"),
                _billed(NoticeKind.INVOICE_OVERDUE),
            ),
        ),
        EventKind.PASSWORD_CHANGED: _access(NoticeKind.PASSWORD_CHANGED, lazy_gettext("Your password was changed")),
        EventKind.FACTOR_ADDED: _access(NoticeKind.FACTOR_ADDED, lazy_gettext("Your account has a second factor")),
        EventKind.FACTOR_REMOVED: _access(
            NoticeKind.FACTOR_REMOVED, lazy_gettext("The second factor of your account was removed")
        ),
        EventKind.KEY_MADE: _access(NoticeKind.KEY_MADE, lazy_gettext("Your account has a new API key")),
        EventKind.THREAD_ANSWERED: _thread(
            lazy_gettext("Staff write to you"), EventAudience.AFFILIATE, Permission.THREADS
        ),
        EventKind.THREAD_ANSWERED_ADVERTISER: _thread(
            lazy_gettext("Staff write to you"), EventAudience.ADVERTISER, Permission.THREADS
        ),
        EventKind.THREAD_AFFILIATE_WROTE: _thread(
            lazy_gettext("An affiliate writes"), EventAudience.STAFF, Permission.AFFILIATES_WRITE
        ),
        EventKind.THREAD_ADVERTISER_WROTE: _thread(
            lazy_gettext("An advertiser writes"), EventAudience.STAFF, Permission.ADVERTISERS_WRITE
        ),
        EventKind.NEWS_PUBLISHED: EventRule(
            label=lazy_gettext("News of the network"),
            fields=("title",),
            notices=(NoticeRule(audience=EventAudience.READERS, mail=NoticeKind.NEWS, page="news"),),
        ),
        EventKind.MAIL_REFUSED: EventRule(
            label=lazy_gettext("An e-mail address refuses mails"),
            fields=("email", "answer"),
            notices=_staff(NoticeKind.MAIL_REFUSED, Permission.SETTINGS_WRITE, "mails"),
        ),
        EventKind.MESSAGE_SENT: EventRule(
            label=lazy_gettext("The network writes to you"),
            fields=("title",),
            notices=(NoticeRule(audience=EventAudience.RECEIVERS, mail=NoticeKind.MESSAGE, page="messages/{subject}"),),
        ),
        EventKind.ALERT_OPENED: _alert(NoticeKind.ALERT_OPENED, lazy_gettext("An alert is open"), BELL_ONLY),
        EventKind.ALERT_CLOSED: _alert(NoticeKind.ALERT_CLOSED, lazy_gettext("An alert is over"), frozenset()),
        EventKind.CONVERSION_MADE: EventRule(
            label=lazy_gettext("A conversion is made"), fields=_CONVERSION, notices=()
        ),
        EventKind.CONVERSION_CHANGED: EventRule(
            label=lazy_gettext("A conversion has changed"), fields=(*_CONVERSION, "before"), notices=()
        ),
    }
)
"""Every kind, in the order in which pages list them."""
