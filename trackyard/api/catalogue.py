"""Every method of the API by topic, listed by hand: registration by import hides what exists."""

from trackyard.actions.deps import Deps
from trackyard.api.conversions import by_id, conversions, edits
from trackyard.api.money import affiliate_payments, currencies, invoices, payment_systems, referrals
from trackyard.api.offers import categories, connections, offers, smartlinks, sources, tickets
from trackyard.api.offers import lists as offer_lists
from trackyard.api.people import advertisers, affiliates, own_account, permissions, sign_in, staff
from trackyard.api.platform import (
    custom_fields,
    domains,
    erasures,
    files,
    news,
    rebuild,
    reconciliation,
    reference,
    settings,
)
from trackyard.api.statistics import cap_stats, clicks, cohorts, reports, subs
from trackyard.api.tracking import click_check, logs, pixels, postback_check, postback_trials, postbacks, resends
from trackyard.wire.endpoint import Endpoint, Topic

TOPICS: tuple[Topic, ...] = (
    Topic("advertisers", "Advertisers", advertisers.ENDPOINTS),
    Topic("invoices", "Invoices of advertisers", invoices.ENDPOINTS),
    Topic("affiliates", "Affiliates, for staff", affiliates.ENDPOINTS),
    Topic("own-account", "The calling affiliate's own account", own_account.ENDPOINTS),
    Topic("permissions", "Permissions of affiliates, for administrators", permissions.ENDPOINTS),
    Topic("payment-systems", "Payment systems", payment_systems.ENDPOINTS),
    Topic("custom-fields", "Custom sign-up fields", custom_fields.ENDPOINTS),
    Topic("offers", "Offers, for staff", offers.ENDPOINTS),
    Topic("offer-lists", "Lists of offers", offer_lists.ENDPOINTS),
    Topic("creatives", "Creatives and logos of offers", files.ENDPOINTS),
    Topic("connections", "Connections of affiliates to offers", connections.ENDPOINTS),
    Topic("tickets", "Tickets: requests to join offers", tickets.ENDPOINTS),
    Topic("sources", "Traffic sources", sources.ENDPOINTS),
    Topic("categories", "Categories of offers", categories.ENDPOINTS),
    Topic("smartlinks", "SmartLink categories", smartlinks.ENDPOINTS),
    Topic("domains", "Domains of tracking links", domains.ENDPOINTS),
    Topic("reference", "Reference lists of values that parameters accept", reference.ENDPOINTS),
    Topic("postbacks", "Postbacks of affiliates", postbacks.ENDPOINTS),
    Topic("postback-trials", "Test of a postback URL", postback_trials.ENDPOINTS),
    Topic("resends", "Repeated deliveries and resumed postbacks", resends.ENDPOINTS),
    Topic("pixels", "Pixels of affiliates", pixels.ENDPOINTS),
    Topic("news", "News", news.ENDPOINTS),
    Topic("statistics", "Statistics reports", reports.ENDPOINTS),
    Topic("conversions", "Conversions", conversions.ENDPOINTS),
    Topic("conversion-by-id", "One conversion", by_id.ENDPOINTS),
    Topic("clicks", "Clicks", clicks.ENDPOINTS),
    Topic("click-check", "Check of a click", click_check.ENDPOINTS),
    Topic("postback-check", "Check of an advertiser's postback", postback_check.ENDPOINTS),
    Topic("reconciliation", "Reconciliation, for administrators", reconciliation.ENDPOINTS),
    Topic("rebuild", "Rebuild of the analytic tables, for administrators", rebuild.ENDPOINTS),
    Topic("erasures", "Erasure of personal data, for administrators", erasures.ENDPOINTS),
    Topic("subs", "Values of subs", subs.ENDPOINTS),
    Topic("cohorts", "Retention and time to action", cohorts.ENDPOINTS),
    Topic("cap-stats", "Use of caps", cap_stats.ENDPOINTS),
    Topic("referrals", "Referral payments", referrals.ENDPOINTS),
    Topic("edits", "Edits and imports of conversions, for staff", edits.ENDPOINTS),
    Topic("affiliate-payments", "Payments to affiliates", affiliate_payments.ENDPOINTS),
    Topic("logs", "Postback logs and the history of a conversion", logs.ENDPOINTS),
    Topic("sign-in", "Sign-in", sign_in.ENDPOINTS),
    Topic("staff", "Staff users, for administrators", staff.ENDPOINTS),
    Topic("settings", "Platform settings and audit log, for administrators", settings.ENDPOINTS),
    Topic("currencies", "Currencies and exchange rates", currencies.ENDPOINTS),
)
"""The tags of the OpenAPI documents and the pages of docs/api."""

CATALOGUE: tuple[Endpoint[Deps], ...] = tuple(endpoint for topic in TOPICS for endpoint in topic.endpoints)
