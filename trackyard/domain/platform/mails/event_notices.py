"""The texts of the mails about events (docs/spec/events.md)."""

from typing import Final

from trackyard.base.texts.marks import lazy_gettext
from trackyard.domain.platform.mails.kinds import Notice, NoticeKind

EVENT_NOTICES: Final = (
    Notice(
        NoticeKind.OFFERS_CONNECTED,
        lazy_gettext("You are connected to {offers}"),
        lazy_gettext(
            "Hello {name},\n\nyou are now connected to:\n\n{offers}\n\nYour links to them are in your account.\n"
        ),
        lazy_gettext("Get your links"),
        page="offers",
    ),
    Notice(
        NoticeKind.OFFERS_DISCONNECTED,
        lazy_gettext("You are disconnected from {offers}"),
        lazy_gettext(
            "Hello {name},\n\nyou are no longer connected to:\n\n{offers}\n\nPlease stop sending traffic to them.\n"
        ),
    ),
    Notice(
        NoticeKind.REQUEST_APPROVED,
        lazy_gettext("Your request for {offer} is approved"),
        lazy_gettext("Hello {name},\n\nyour request is approved: you are now connected to\n\n{offer}\n\n{reason}\n"),
        lazy_gettext("Get your link"),
    ),
    Notice(
        NoticeKind.REQUEST_REJECTED,
        lazy_gettext("Your request for {offer} is rejected"),
        lazy_gettext("Hello {name},\n\nyour request was rejected for\n\n{offer}\n\nReason: {reason}\n"),
    ),
    Notice(
        NoticeKind.REQUEST_ANSWERED,
        lazy_gettext("An answer to your request for {offer}"),
        lazy_gettext("Hello {name},\n\nyour request is not decided yet. The answer to it:\n\n{answer}\n\n{offer}\n"),
        lazy_gettext("See your request"),
        page="requests",
    ),
    Notice(
        NoticeKind.QUESTION_ANSWERED,
        lazy_gettext("An answer to your question: {offer}"),
        lazy_gettext("Hello {name},\n\nthe answer to your question:\n\n{answer}\n\n{offer}\n"),
        lazy_gettext("See your question"),
        page="requests",
    ),
    Notice(
        NoticeKind.OFFER_CHANGED,
        lazy_gettext("{offer} has changed"),
        lazy_gettext(
            "Hello {name},\n\nan offer that you are connected to has changed:\n\n{offer}\n\n"
            "Please look at its terms in your account.\n"
        ),
        lazy_gettext("See the terms"),
    ),
    Notice(
        NoticeKind.ADVERTISER_APPROVED,
        lazy_gettext("Your account is approved"),
        lazy_gettext(
            "Hello {name},\n\nyour account is approved.\n\n{reason}\n\nSign in to see your offers, conversions, "
            "statistics and the URLs of your postbacks.\n"
        ),
        lazy_gettext("Sign in"),
    ),
    Notice(
        NoticeKind.PAYMENT_EXECUTED,
        lazy_gettext("Your payment of {amount} is on its way"),
        lazy_gettext(
            "Hello {name},\n\na payment to you was executed:\n\nPayment: {payment}\nAmount: {amount}\n\n"
            "What it pays is marked as paid in your account.\n"
        ),
        lazy_gettext("See your payments"),
        page="payments",
    ),
    Notice(
        NoticeKind.INVOICE_ISSUED,
        lazy_gettext("Invoice {number} over {amount}"),
        lazy_gettext(
            "Hello {name},\n\nyou get an invoice:\n\nInvoice: {number}\nAmount: {amount}\nDue date: {due}\n\n"
            "The document is in your account, and its file goes with this mail.\n"
        ),
        lazy_gettext("See the invoice"),
        page="invoices",
    ),
    Notice(
        NoticeKind.INVOICE_CREDITED,
        lazy_gettext("Credit note {number} over {amount}"),
        lazy_gettext(
            "Hello {name},\n\nan invoice is taken back as a whole:\n\nInvoice: {credited}\nCredit note: {number}\n"
            "Amount: {amount}\n\nThe invoice is not to be paid. What was paid of it is owed to you.\n"
        ),
        lazy_gettext("See the credit note"),
        page="invoices",
    ),
    Notice(
        NoticeKind.INVOICE_OVERDUE,
        lazy_gettext("Invoice {number} is overdue"),
        lazy_gettext(
            "Hello {name},\n\nthis invoice is not marked as paid:\n\nInvoice: {number}\nAmount: {amount}\n"
            "Due date: {due}\n\nIf you have paid it in the meantime, please ignore this mail.\n"
        ),
        lazy_gettext("See the invoice"),
        page="invoices",
    ),
    Notice(
        NoticeKind.INVOICE_UNPAID,
        lazy_gettext("Invoice {number} of {advertiser} is overdue"),
        lazy_gettext(
            "Hello {name},\n\nan invoice is unpaid after its due date:\n\nAdvertiser: {advertiser}\nInvoice: {number}\n"
            "Amount: {amount}\nDue date: {due}\n\nThe advertiser got a reminder. Mark the invoice as paid once the "
            "money is there.\n"
        ),
        lazy_gettext("See the invoice"),
        page="invoices",
    ),
    Notice(
        NoticeKind.PAYMENT_REQUEST_REJECTED,
        lazy_gettext("Your request for {amount} is rejected"),
        lazy_gettext(
            "Hello {name},\n\nyour request to be paid was rejected:\n\nAmount: {amount}\nReason: {reason}\n\n"
            "The amount stays available, and you can ask again.\n"
        ),
        lazy_gettext("See your payments"),
        page="payments",
    ),
    Notice(
        NoticeKind.ACCOUNT_NOT_ACTIVE,
        lazy_gettext("Your account is not active"),
        lazy_gettext("Hello {name},\n\nyour account is not active.\n\nReason: {reason}\n"),
    ),
    Notice(
        NoticeKind.ACCOUNT_BANNED,
        lazy_gettext("Your account is banned"),
        lazy_gettext("Hello {name},\n\nyour account is banned.\n\nReason: {reason}\n"),
    ),
    Notice(
        NoticeKind.AFFILIATE_SIGNED_UP,
        lazy_gettext("{affiliate} signed up as an affiliate"),
        lazy_gettext(
            "Hello {name},\n\n{affiliate} signed up and waits for approval. Read the answers, then approve or reject "
            "the affiliate.\n"
        ),
        lazy_gettext("Decide"),
    ),
    Notice(
        NoticeKind.AFFILIATE_APPROVED,
        lazy_gettext("Your account is approved"),
        lazy_gettext(
            "Hello {name},\n\nyour account is approved.\n\n{reason}\n\nSign in, choose an offer, and copy your link.\n"
        ),
        lazy_gettext("Choose an offer"),
        page="offers",
    ),
    Notice(
        NoticeKind.ADVERTISER_SIGNED_UP,
        lazy_gettext("{advertiser} signed up as an advertiser"),
        lazy_gettext(
            "Hello {name},\n\n{advertiser} signed up and waits for approval. Read the answers, then approve or reject "
            "the advertiser.\n"
        ),
        lazy_gettext("Decide"),
    ),
    Notice(
        NoticeKind.ADVERTISER_REJECTED,
        lazy_gettext("Your account is not active"),
        lazy_gettext("Hello {name},\n\nyour account is not active.\n\nReason: {reason}\n"),
    ),
    Notice(
        NoticeKind.REQUEST_OPENED,
        lazy_gettext("{affiliate} requests {offer}"),
        lazy_gettext("Hello {name},\n\n{affiliate} requests {offer}.\n\n{text}\n"),
        lazy_gettext("Decide"),
    ),
    Notice(
        NoticeKind.QUESTION_OPENED,
        lazy_gettext("{affiliate} asks: {title}"),
        lazy_gettext("Hello {name},\n\n{affiliate} asks: {title}\n\n{text}\n"),
        lazy_gettext("Answer"),
    ),
    Notice(
        NoticeKind.OFFER_PAUSED,
        lazy_gettext("{offer} is paused"),
        lazy_gettext(
            "Hello {name},\n\nan offer that you are connected to takes no more clicks:\n\n{offer}\n\nPlease stop "
            "sending traffic to it.\n"
        ),
        lazy_gettext("See the offer"),
    ),
    Notice(
        NoticeKind.OFFER_RESUMED,
        lazy_gettext("{offer} takes clicks again"),
        lazy_gettext("Hello {name},\n\nan offer that you are connected to takes clicks again:\n\n{offer}\n"),
        lazy_gettext("See the offer"),
    ),
    Notice(
        NoticeKind.PAYMENT_MADE,
        lazy_gettext("A payment of {amount} is prepared"),
        lazy_gettext(
            "Hello {name},\n\na payment of {amount} to you is prepared. Another mail follows when it is on its way.\n"
        ),
        lazy_gettext("See your payments"),
        page="payments",
    ),
    Notice(
        NoticeKind.PAYMENT_CANCELLED,
        lazy_gettext("Your payment of {amount} is cancelled"),
        lazy_gettext(
            "Hello {name},\n\na payment to you was cancelled:\n\nPayment: {payment}\nAmount: {amount}\n\n"
            "The amount is available again.\n"
        ),
        lazy_gettext("See your payments"),
        page="payments",
    ),
    Notice(
        NoticeKind.BALANCE_CORRECTED,
        lazy_gettext("Your balance is corrected by {amount}"),
        lazy_gettext("Hello {name},\n\nyour balance is corrected by {amount}.\n\n{comment}\n"),
        lazy_gettext("See your payments"),
        page="payments",
    ),
    Notice(
        NoticeKind.PAYMENT_REQUEST_OPENED,
        lazy_gettext("{affiliate} asks to be paid {amount}"),
        lazy_gettext("Hello {name},\n\n{affiliate} asks to be paid {amount}.\n"),
        lazy_gettext("Decide"),
    ),
    Notice(
        NoticeKind.MESSAGE,
        "{title}",
        lazy_gettext("Hello {name},\n\n{title}\n\n{text}\n"),
        lazy_gettext("Read it in your account"),
        page="messages",
    ),
    Notice(
        NoticeKind.THREAD_ANSWERED,
        lazy_gettext("{author} writes about {title}"),
        lazy_gettext("Hello {name},\n\n{author} writes about {title}:\n\n{text}\n"),
        lazy_gettext("Answer"),
        page="threads",
    ),
    Notice(
        NoticeKind.MAIL_REFUSED,
        lazy_gettext("Mails to {email} are refused"),
        lazy_gettext(
            "Hello {name},\n\nthe mail server refused a mail to {email} for good. Its answer:\n\n{answer}\n\n"
            "Ask the person for another e-mail address. No other notice about this address follows until it takes a "
            "mail again.\n"
        ),
        lazy_gettext("See the mails"),
    ),
    Notice(
        NoticeKind.OFFER_REMOVED,
        lazy_gettext("{offer} is removed"),
        lazy_gettext(
            "Hello {name},\n\nan offer that you are connected to is removed:\n\n{offer}\n\nPlease stop sending traffic "
            "to it.\n"
        ),
        lazy_gettext("See the offers"),
        page="offers",
    ),
    Notice(
        NoticeKind.PAYOUT_CHANGED,
        lazy_gettext("{offer} has a new payout: {changes}"),
        lazy_gettext(
            "Hello {name},\n\nan offer has a new payout:\n\n{offer}\n\nIt pays for each conversion from now on:\n\n"
            "{changes}\n"
        ),
        lazy_gettext("See the terms"),
    ),
    Notice(
        NoticeKind.CAP_NEARLY_FULL,
        lazy_gettext("{offer}: a cap fills up, {reached} of {limit}"),
        lazy_gettext(
            "Hello {name},\n\na cap of this offer fills up:\n\n{offer}\n\nIt takes {limit} and has {reached}. "
            "Conversions beyond the cap may not be paid.\n"
        ),
        lazy_gettext("See the offer"),
    ),
    Notice(
        NoticeKind.CAP_FULL,
        lazy_gettext("{offer}: a cap is full, {limit}"),
        lazy_gettext(
            "Hello {name},\n\na cap of this offer is full:\n\n{offer}\n\nIt takes {limit}. Conversions beyond the cap "
            "may not be paid.\n"
        ),
        lazy_gettext("See the offer"),
    ),
    Notice(
        NoticeKind.PIXEL_OPENED,
        lazy_gettext("{affiliate}: the pixel {pixel} waits for a check"),
        lazy_gettext(
            "Hello {name},\n\n{affiliate} wrote the code of the pixel {pixel} for {offer}. Read it, then accept or "
            "reject it. Until then no visitor gets it.\n"
        ),
        lazy_gettext("Decide"),
    ),
    Notice(
        NoticeKind.PIXEL_ACCEPTED,
        lazy_gettext("Your pixel {pixel} is accepted"),
        lazy_gettext("Hello {name},\n\nthe code of your pixel {pixel} is accepted for\n\n{offer}\n"),
        lazy_gettext("See your pixels"),
        page="postbacks",
    ),
    Notice(
        NoticeKind.PIXEL_REJECTED,
        lazy_gettext("Your pixel {pixel} is rejected"),
        lazy_gettext(
            "Hello {name},\n\nthe code of your pixel {pixel} is rejected for\n\n{offer}\n\nNo visitor gets it. Change "
            "the code, or ask your manager why.\n"
        ),
        lazy_gettext("See your pixels"),
        page="postbacks",
    ),
    Notice(
        NoticeKind.ALERT_OPENED,
        lazy_gettext("Alert: {alert}"),
        lazy_gettext("Hello {name},\n\n{alert}\n"),
        lazy_gettext("See the alerts"),
    ),
    Notice(
        NoticeKind.ALERT_CLOSED,
        lazy_gettext("Over: {alert}"),
        lazy_gettext("Hello {name},\n\nan alert is over:\n\n{alert}\n"),
        lazy_gettext("See the alerts"),
    ),
)
"""A text for each kind of mail that an event has."""
