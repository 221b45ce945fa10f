"""Each state of the audit log has an event or a reason (docs/spec/events.md#states)."""

from collections.abc import Mapping
from typing import Final

from trackyard.domain.events.kinds import EventKind
from trackyard.store.engine.audit_writer import is_audited
from trackyard.store.tables.schema import metadata

_WORDS: Final = ("status", "state", "enabled", "is_active", "is_on")
_ENDS: Final = ("_status", "_state", "removed_at", "paused_at", "closed_at", "undone_at", "shown_at", "confirmed_at")
_OWN: Final = "A person sets up the own work with it, and sees it at once."

STATES: Final[Mapping[str, tuple[EventKind, ...] | str]] = {
    "advertiser.status": (
        EventKind.ADVERTISER_SIGNED_UP,
        EventKind.ADVERTISER_APPROVED,
        EventKind.ADVERTISER_REJECTED,
    ),
    "advertiser.hide_conversion_status": "It decides what affiliates see of conversions; it is not a state.",
    "advertiser_blacklist.enabled": "An advertiser blocks an affiliate, who is not to learn it.",
    "affiliate.status": (
        EventKind.AFFILIATE_SIGNED_UP,
        EventKind.AFFILIATE_APPROVED,
        EventKind.AFFILIATE_REJECTED,
        EventKind.AFFILIATE_BANNED,
    ),
    "affiliate.email_state": "The person confirms the own e-mail address, with mails of its own.",
    "affiliate_postback.status": "The affiliate asks for calls of a status; it is not a state of the postback.",
    "affiliate_postback.paused_at": (EventKind.POSTBACK_PAUSED,),
    "alert.closed_at": (EventKind.ALERT_OPENED, EventKind.ALERT_CLOSED),
    "automation_firing.undone_at": "What a rule did has events: of offers and connections.",
    "automation_rule.is_on": _OWN,
    "automation_rule.new_status": "It is what a rule does, not a state.",
    "automation_rule.removed_at": _OWN,
    "connection.enabled": (
        EventKind.OFFERS_CONNECTED,
        EventKind.OFFERS_DISCONNECTED,
        EventKind.REQUEST_APPROVED,
    ),
    "conversion_task.state": "The person who imports or edits conversions waits for the task on its page.",
    "correction.removed_at": (EventKind.BALANCE_CORRECTED,),
    "held_change.state": "Every administrator gets a mail at once, and the page of held changes counts them.",
    "invoice.status": "Invoices are records of staff, and no other people see them yet.",
    "message.state": (EventKind.MESSAGE_SENT,),
    "news.shown_at": (EventKind.NEWS_PUBLISHED,),
    "offer.status": (EventKind.OFFER_PAUSED, EventKind.OFFER_RESUMED, EventKind.OFFER_CHANGED),
    "offer.caps_status": (EventKind.OFFER_CHANGED,),
    "offer.removed_at": (EventKind.OFFER_REMOVED,),
    "payment.status": (EventKind.PAYMENT_MADE, EventKind.PAYMENT_PAID, EventKind.PAYMENT_CANCELLED),
    "payment_request.status": (EventKind.PAYMENT_REQUEST_OPENED, EventKind.PAYMENT_REQUEST_REJECTED),
    "pixel.is_active": _OWN,
    "pixel.moderation_status": (EventKind.PIXEL_OPENED, EventKind.PIXEL_ACCEPTED, EventKind.PIXEL_REJECTED),
    "second_factor.confirmed_at": (EventKind.FACTOR_ADDED, EventKind.FACTOR_REMOVED),
    "staff.status": "A staff user who stops working cannot sign in, and hears it from the network.",
    "ticket.status": (
        EventKind.REQUEST_OPENED,
        EventKind.REQUEST_APPROVED,
        EventKind.REQUEST_REJECTED,
        EventKind.REQUEST_ANSWERED,
        EventKind.QUESTION_OPENED,
        EventKind.QUESTION_ANSWERED,
    ),
}
"""The events of each state, or why it has none. A state without a row fails the test below."""


def _states() -> set[str]:
    return {
        f"{table.name}.{column.name}"
        for table in metadata.tables.values()
        if is_audited(table)
        for column in table.columns
        if column.name in _WORDS or column.name.endswith(_ENDS)
    }


def test_each_state_has_an_event_or_a_reason() -> None:
    assert _states() == set(STATES)
    assert len(STATES) == 29
    assert all(each and (not isinstance(each, str) or each.endswith(".")) for each in STATES.values())


def test_each_event_belongs_to_a_state_or_is_named_here() -> None:
    """A kind that is of no state is a moment, or a change of a record."""
    moments = {
        EventKind.OFFER_CHANGED,
        EventKind.PAYOUT_CHANGED,
        EventKind.CAP_NEARLY_FULL,
        EventKind.CAP_FULL,
        EventKind.PAYEE_CHANGED,
        EventKind.INVOICE_ISSUED,
        EventKind.INVOICE_CREDITED,
        EventKind.INVOICE_OVERDUE,
        EventKind.PASSWORD_CHANGED,
        EventKind.KEY_MADE,
        EventKind.MAIL_REFUSED,
        EventKind.THREAD_ANSWERED,
        EventKind.THREAD_ANSWERED_ADVERTISER,
        EventKind.THREAD_AFFILIATE_WROTE,
        EventKind.THREAD_ADVERTISER_WROTE,
        EventKind.CONVERSION_MADE,
        EventKind.CONVERSION_CHANGED,
    }
    named = {kind for kinds in STATES.values() if not isinstance(kinds, str) for kind in kinds}
    assert named | moments == set(EventKind)
