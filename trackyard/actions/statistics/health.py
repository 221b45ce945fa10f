"""Use cases of health of offers, advertisers and affiliates (docs/spec/statistics.md#health)."""

from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.offers.unpaid import find_unpaid_of, unpaid_sentence
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.health import (
    count_clicks,
    count_conversions,
    list_host_results,
    list_postback_results,
)
from trackyard.analytics.reports.quality import list_marked_subs, list_networks, list_offer_traffic
from trackyard.analytics.reports.subs import list_sub_values
from trackyard.base.texts.marks import gettext, lazy_gettext
from trackyard.domain.people.callers import Access
from trackyard.domain.statistics.health import Health, HealthFinding, HealthKind, HealthVerdict
from trackyard.domain.statistics.quality.comparing import find_quality_findings
from trackyard.store.conversions.lists import count_declined, count_repeated_addresses
from trackyard.store.statistics.url_checks import find_check

HEALTH_DAYS: Final = 7
"""Days that health looks at."""
_DAY_MS: Final = 86_400_000

_SENTENCES: Final = {
    HealthKind.NO_TRAFFIC: lazy_gettext("No click came in the last 7 days."),
    HealthKind.REJECTED: lazy_gettext("%(percent)s percent of the clicks were rejected, most often for %(reason)s."),
    HealthKind.POSTBACKS_FAIL: lazy_gettext(
        "%(failed)s of %(number)s postbacks changed nothing, most often with: %(response)s."
    ),
    HealthKind.POSTBACKS_WITHOUT_CLICK: lazy_gettext(
        "%(clickless)s of %(number)s postbacks named no recorded click, the last with: %(response)s. Ask the sender "
        "to send the click ID of the offer's URL as clickid."
    ),
    HealthKind.MACROS: lazy_gettext("Postbacks came with %(names)s as text: the sender does not fill its macros."),
    HealthKind.GOALS: lazy_gettext(
        "%(number)s conversions of goal %(goal)s matched no payment, so they were declined."
    ),
    HealthKind.DUPLICATES: lazy_gettext("%(number)s postbacks repeated conversions."),
    HealthKind.POSTBACKS_SILENT: lazy_gettext("No postback came for a day, and %(clicks)s clicks came in 7 days."),
    HealthKind.DELIVERIES_FAIL: lazy_gettext("%(failed)s deliveries to %(host)s failed, the last with: %(error)s."),
    HealthKind.URL_FAILS: lazy_gettext("The URL of the offer reaches no page: %(reason)s."),
    HealthKind.URL_LOSES_CLICK: lazy_gettext("The click ID is lost on the way to %(host)s."),
    HealthKind.URL_SLOW: lazy_gettext("The page at %(host)s answers after %(milliseconds)s ms."),
    HealthKind.CONVERSION_TIME: lazy_gettext(
        "Half of the conversions came within %(seconds)s seconds of their click; before it was %(usual)s seconds."
    ),
    HealthKind.MARKED_CLICKS: lazy_gettext(
        "Affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s clicks have a suspicious signal."
    ),
    HealthKind.MARKED_SUB: lazy_gettext(
        "Sub %(name)s of affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s clicks have a suspicious "
        "signal; of others %(usual)s percent do."
    ),
    HealthKind.FEW_CONVERSIONS: lazy_gettext(
        "Affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s clicks converted; of others %(usual)s percent "
        "do."
    ),
    HealthKind.QUICK_CONVERSIONS: lazy_gettext(
        "Affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s conversions came within 10 seconds of the "
        "click; of others %(usual)s percent do."
    ),
    HealthKind.LATE_CONVERSIONS: lazy_gettext(
        "Affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s conversions came more than a day after the "
        "click; of others %(usual)s percent do."
    ),
    HealthKind.OTHER_DEVICES: lazy_gettext(
        "Affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s conversions came from the device %(name)s; by "
        "its clicks %(usual)s percent would."
    ),
    HealthKind.UNPAID_VISITORS: "%(sentence)s",
    HealthKind.REPEATED_ADDRESSES: lazy_gettext(
        "Affiliate %(affiliate)s, offer %(offer)s: %(number)s of %(of)s conversions came from IP addresses that had "
        "converted before."
    ),
}
VERDICTS: Final = {
    HealthVerdict.FINE: lazy_gettext("It works."),
    HealthVerdict.QUIET: lazy_gettext("Nothing comes."),
    HealthVerdict.LOOK: lazy_gettext("It works, and something needs a look."),
    HealthVerdict.BROKEN: lazy_gettext("Something is broken."),
}
"""Verdicts in words."""


def look_at(deps: Deps, access: Access, of: str, key: int | str) -> Health:
    """Return the health of a thing in the last days, in the scope of the caller.

    of: offer, advertiser or affiliate. key: its id. Raises ReportTooHeavy.
    """
    until = deps.clock.now_ms()
    since = until - HEALTH_DAYS * _DAY_MS
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        declined = count_declined(conn, scope, of, key, since)
        url = find_check(conn, int(key)) if of == "offer" else None
        unpaid = find_unpaid_of(conn, int(key), deps.zone) if of == "offer" else []
    place = (deps.analytics, scope, of, key, since, until)
    clicks = count_clicks(*place)
    with deps.database.read() as conn:
        repeated = count_repeated_addresses(conn, scope, clicks.offers, since)
    compared = (deps.analytics, scope, clicks.offers, since, until)
    traffic, marked_subs = list_offer_traffic(*compared, repeated), list_marked_subs(*compared)
    conversions, times = count_conversions(*place)
    return Health(
        since=since,
        until=until,
        clicks=clicks.accepted,
        last_click_at=clicks.last_at,
        rejected=clicks.rejected,
        conversions=conversions,
        postbacks=list_postback_results(*place),
        declined=declined,
        hosts=list_host_results(*place),
        times=times,
        url=url,
        networks=list_networks(*place),
        subs=list_sub_values(*place, clicks.affiliates),
        of=of,
        unpaid=[unpaid_sentence(each) for each in unpaid],
        quality=find_quality_findings(traffic, marked_subs, only=int(key) if of == "affiliate" else None),
    )


def health_sentence(finding: HealthFinding) -> str:
    """Return a finding in words."""
    return gettext(_SENTENCES[finding.kind], **finding.values)
