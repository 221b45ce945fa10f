"""Every method of the API by topic.

The list is written by hand: registration by import hides what exists.
"""

from trackyard.actions.deps import Deps
from trackyard.api.conversions import by_id, comparisons, conversions, edits, imports, own_imports
from trackyard.api.events import notices
from trackyard.api.money import (
    affiliate_payments,
    corrections,
    currencies,
    exchange_rates,
    held_changes,
    invoices,
    payment_requests,
    payment_runs,
    payment_systems,
    referrals,
    statements,
)
from trackyard.api.offers import categories, connections, estimates, offers, promo_codes, smartlinks, sources, tickets
from trackyard.api.offers import lists as offer_lists
from trackyard.api.offers.feeds import product_feeds
from trackyard.api.people import (
    access,
    advertisers,
    affiliates,
    company_people,
    email_confirmations,
    invitations,
    keys,
    own_account,
    permissions,
    preferences,
    presets,
    second_factor,
    security_log,
    sessions,
    sign_in,
    staff,
)
from trackyard.api.people.advertiser_side import account, figures, own_offers, signing
from trackyard.api.platform import (
    custom_fields,
    domains,
    erasures,
    files,
    html_creatives,
    mail_texts,
    messages,
    network,
    news,
    rebuild,
    reconciliation,
    reference,
    settings,
    status,
)
from trackyard.api.platform.alerts import alerts
from trackyard.api.statistics import (
    ad_costs,
    cap_stats,
    clicks,
    cohorts,
    health,
    reports,
    saved_reports,
    subs,
)
from trackyard.api.statistics.automation import kpi_rules, rule_presets, rules
from trackyard.api.tracking import (
    click_check,
    explain,
    logs,
    pixels,
    postback_check,
    postback_trials,
    postbacks,
    resends,
)
from trackyard.wire.endpoint import Endpoint, Topic

TOPICS: tuple[Topic, ...] = (
    Topic("advertisers", "Advertisers", advertisers.routes.endpoints),
    Topic("advertiser-sign-in", "Sign-in of advertisers, and their keys", signing.routes.endpoints),
    Topic("advertiser-account", "The calling advertiser's own record", account.routes.endpoints),
    Topic("invitations", "Invitations of affiliates, advertisers and staff users", invitations.routes.endpoints),
    Topic("access", "Access to accounts, for staff", access.routes.endpoints),
    Topic("company-people", "People of affiliates and advertisers", company_people.routes.endpoints),
    Topic("advertiser-offers", "The calling advertiser's own offers", own_offers.routes.endpoints),
    Topic("advertiser-figures", "The calling advertiser's own statistics and conversions", figures.routes.endpoints),
    Topic("invoices", "Invoices of advertisers", invoices.routes.endpoints),
    Topic("affiliates", "Affiliates, for staff", affiliates.routes.endpoints),
    Topic("own-account", "The calling affiliate's own account", own_account.routes.endpoints),
    Topic("email-confirmations", "E-mail addresses of affiliates", email_confirmations.routes.endpoints),
    Topic("permissions", "Permissions of affiliates and staff users, for administrators", permissions.routes.endpoints),
    Topic("presets", "Presets of permissions, for administrators", presets.routes.endpoints),
    Topic("payment-systems", "Payment systems", payment_systems.routes.endpoints),
    Topic("custom-fields", "Custom sign-up fields", custom_fields.routes.endpoints),
    Topic("offers", "Offers, for staff", offers.routes.endpoints),
    Topic("estimates", "Estimates of edits of offers", estimates.routes.endpoints),
    Topic("offer-lists", "Lists of offers", offer_lists.routes.endpoints),
    Topic("creatives", "Creatives and logos of offers", files.routes.endpoints),
    Topic("html-creatives", "HTML creatives of offers, for staff", html_creatives.routes.endpoints),
    Topic("product-feeds", "Product feeds of offers", product_feeds.routes.endpoints),
    Topic("connections", "Connections of affiliates to offers", connections.routes.endpoints),
    Topic("tickets", "Tickets: requests to join offers, and questions", tickets.routes.endpoints),
    Topic("promo-codes", "Promo codes of offers, for staff", promo_codes.routes.endpoints),
    Topic("sources", "Traffic sources", sources.routes.endpoints),
    Topic("categories", "Categories of offers", categories.routes.endpoints),
    Topic("smartlinks", "SmartLink categories", smartlinks.routes.endpoints),
    Topic("domains", "Domains of tracking links", domains.routes.endpoints),
    Topic("reference", "Reference lists of values that parameters accept", reference.routes.endpoints),
    Topic("postbacks", "Postbacks of affiliates", postbacks.routes.endpoints),
    Topic("postback-trials", "Test of a postback URL", postback_trials.routes.endpoints),
    Topic("resends", "Repeated deliveries and resumed postbacks", resends.routes.endpoints),
    Topic("pixels", "Pixels of affiliates", pixels.routes.endpoints),
    Topic("news", "News", news.routes.endpoints),
    Topic("messages", "Messages to affiliates", messages.routes.endpoints),
    Topic("statistics", "Statistics reports", reports.routes.endpoints),
    Topic("ad-costs", "Costs of advertising, for staff", ad_costs.routes.endpoints),
    Topic("saved-reports", "Saved reports", saved_reports.routes.endpoints),
    Topic("conversions", "Conversions", conversions.routes.endpoints),
    Topic("conversion-by-id", "One conversion", by_id.routes.endpoints),
    Topic("clicks", "Clicks", clicks.routes.endpoints),
    Topic("click-check", "Check of a click", click_check.routes.endpoints),
    Topic("explain", "Explanations", explain.routes.endpoints),
    Topic("postback-check", "Check of an advertiser's postback", postback_check.routes.endpoints),
    Topic("health", "Health of offers, advertisers and affiliates", health.routes.endpoints),
    Topic(
        "rules",
        "Rules that watch the statistics, for administrators",
        (*rules.routes.endpoints, *rule_presets.routes.endpoints),
    ),
    Topic("kpi-rules", "KPI rules and what rules block, for administrators", kpi_rules.routes.endpoints),
    Topic("reconciliation", "Reconciliation, for administrators", reconciliation.routes.endpoints),
    Topic("rebuild", "Rebuild of the analytic tables, for administrators", rebuild.routes.endpoints),
    Topic("erasures", "Erasure of personal data, for administrators", erasures.routes.endpoints),
    Topic("subs", "Values of subs", subs.routes.endpoints),
    Topic("cohorts", "Retention and time to action", cohorts.routes.endpoints),
    Topic("cap-stats", "Use of caps", cap_stats.routes.endpoints),
    Topic("referrals", "Referral payments", referrals.routes.endpoints),
    Topic("edits", "Edits and imports of conversions, for staff", (*edits.routes.endpoints, *imports.routes.endpoints)),
    Topic("comparisons", "Comparisons of files with conversions, for staff", comparisons.routes.endpoints),
    Topic("own-imports", "Imports of conversions by affiliates", own_imports.routes.endpoints),
    Topic("affiliate-payments", "Payments to affiliates", affiliate_payments.routes.endpoints),
    Topic("payment-runs", "Payment runs, corrections and deletions", payment_runs.routes.endpoints),
    Topic("payment-requests", "Requests of affiliates to be paid", payment_requests.routes.endpoints),
    Topic("corrections", "Corrections of what affiliates earned", corrections.routes.endpoints),
    Topic("statements", "Statements of affiliates", statements.routes.endpoints),
    Topic("held-changes", "Changes that wait for a second person, for administrators", held_changes.routes.endpoints),
    Topic("logs", "Postback logs and the history of a conversion", logs.routes.endpoints),
    Topic("sign-in", "Sign-in", sign_in.routes.endpoints),
    Topic("sessions", "One's own sessions and key", sessions.routes.endpoints),
    Topic("security-log", "Sign-ins and reads of keys, for administrators", security_log.routes.endpoints),
    Topic("keys", "API keys", keys.routes.endpoints),
    Topic("second-factor", "Second factors of sign-in", second_factor.routes.endpoints),
    Topic("preferences", "Preferences of people for their pages", preferences.routes.endpoints),
    Topic("notices", "Notices of the calling account", notices.routes.endpoints),
    Topic("staff", "Staff users, for administrators", staff.routes.endpoints),
    Topic("settings", "Platform settings and audit log, for administrators", settings.routes.endpoints),
    Topic("network", "The face of the network", network.routes.endpoints),
    Topic("mail-texts", "Texts of mails", mail_texts.routes.endpoints),
    Topic("status", "State of the platform, for administrators", status.routes.endpoints),
    Topic("alerts", "Alerts and digests, for staff", alerts.routes.endpoints),
    Topic(
        "currencies", "Currencies and exchange rates", (*currencies.routes.endpoints, *exchange_rates.routes.endpoints)
    ),
)
"""The tags of the OpenAPI documents and the pages of docs/api."""

CATALOGUE: tuple[Endpoint[Deps], ...] = tuple(endpoint for topic in TOPICS for endpoint in topic.endpoints)
