"""The SQL schema, a file for each part of it."""

from trackyard.store.tables.conversions import conversion, conversion_event, ledger
from trackyard.store.tables.installation import audit, currency, currency_rate, edge, rule_change, rule_clock, setting
from trackyard.store.tables.offers import (
    affiliate_postback,
    category,
    connection,
    domain,
    file,
    offer,
    offer_label,
    smartlink_category,
    source,
    ticket,
)
from trackyard.store.tables.people import (
    advertiser,
    advertiser_blacklist,
    affiliate,
    api_key,
    custom_field,
    invoice,
    payment_system,
    sign_in_failure,
    staff,
)
from trackyard.store.tables.queues import conversion_task, delivery, edge_progress, fetch, inbox, mail, outbox
from trackyard.store.tables.schema import metadata

__all__ = [
    "advertiser",
    "advertiser_blacklist",
    "affiliate",
    "affiliate_postback",
    "api_key",
    "audit",
    "category",
    "connection",
    "conversion",
    "conversion_event",
    "conversion_task",
    "currency",
    "currency_rate",
    "custom_field",
    "delivery",
    "domain",
    "edge",
    "edge_progress",
    "fetch",
    "file",
    "inbox",
    "invoice",
    "ledger",
    "mail",
    "metadata",
    "offer",
    "offer_label",
    "outbox",
    "payment_system",
    "rule_change",
    "rule_clock",
    "setting",
    "sign_in_failure",
    "smartlink_category",
    "source",
    "staff",
    "ticket",
]
