"""Send postbacks again by hand: one of the log, or all of a period (docs/api/resends.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.logs import find_attempt, list_deliveries
from trackyard.base.errors import BadInput, NotFound, required
from trackyard.base.ids import new_id
from trackyard.domain.conversions.statuses import STATUSES_BY_NUMBER
from trackyard.domain.people.callers import Access
from trackyard.domain.platform.hosts import delivery_host
from trackyard.domain.statistics.rows import AffiliatePostbackLog
from trackyard.domain.tracking.outbound_calls import CROSS_POSTBACK_ID, DeliveryKind, NewDelivery
from trackyard.domain.tracking.postbacks import fill_body, with_codes
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection
from trackyard.store.offers import offers
from trackyard.store.people import affiliates
from trackyard.store.tracking import deliveries, offer_urls, postbacks

MAX_DELIVERIES: Final = 5_000
_BATCH_SIZE: Final = 300
"""Deliveries queued per transaction."""


@dataclass(frozen=True, slots=True)
class Resent:
    """The result of a resend.

    queued: new forced deliveries.
    waiting: forced deliveries that were queued before.
    dropped: deliveries of postbacks that were removed.
    """

    queued: int
    waiting: int
    dropped: int


def get_attempt(deps: Deps, access: Access, attempt_id: str) -> AffiliatePostbackLog:
    """Return a record of the affiliate postback log in the caller's scope. Raises NotFound."""
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
    found = required(find_attempt(deps.analytics, attempt_id))
    if not scope.has_affiliate(found.affiliate):
        raise NotFound
    return found


def resend(deps: Deps, attempt: AffiliatePostbackLog) -> Resent:
    """Queue the delivery of a log record once more: one attempt, also of a paused postback."""
    return _queue(deps, [attempt])


def replay(deps: Deps, access: Access, affiliate_id: int, since: int, until: int) -> Resent:
    """Queue an affiliate's deliveries of a span (UTC ms, `until` excluded) once more.

    In the order of each conversion's changes; superseded ones are left out. Raises BadInput for an affiliate that does
    not exist or is out of scope, and for too many deliveries; ReportTooHeavy.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, access)
        if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise BadInput({"pid": [f"An affiliate {affiliate_id} does not exist."]})
    attempts = list_deliveries(deps.analytics, affiliate_id, since, until, MAX_DELIVERIES + 1)
    if len(attempts) > MAX_DELIVERIES:
        raise BadInput({"to": [f"There are more than {MAX_DELIVERIES} calls in this span: choose a shorter one."]})
    return _queue(deps, attempts)


def _queue(deps: Deps, attempts: Sequence[AffiliatePostbackLog]) -> Resent:
    """Queue deliveries in several transactions: one would block all other writers.

    What is queued stays when a later part fails; a repeat adds only the missing ones.
    """
    now = deps.clock.now_ms()
    present_count = queued = 0
    for start in range(0, len(attempts), _BATCH_SIZE):
        with deps.database.write() as conn:
            present = _with_postback(conn, attempts[start : start + _BATCH_SIZE])
            bodies = _bodies_of(deps, conn, present)
            again = [_resent_delivery(attempt, now, bodies.get(attempt.id)) for attempt in present]
            queued += deliveries.add_forced(conn, again)
        present_count += len(present)
    return Resent(queued, present_count - queued, len(attempts) - present_count)


def _with_postback(conn: Connection, attempts: Sequence[AffiliatePostbackLog]) -> list[AffiliatePostbackLog]:
    """Return the deliveries that still have their postback or offer URL, and a URL that was not erased."""
    attempts = [attempt for attempt in attempts if attempt.url]
    present = postbacks.existing_postbacks(conn, {attempt.postback_id for attempt in attempts})
    crossed = offer_urls.cross_postbacks(
        conn, {attempt.offer for attempt in attempts if attempt.postback_id == CROSS_POSTBACK_ID}
    )
    return [
        attempt
        for attempt in attempts
        if (attempt.offer in crossed if attempt.postback_id == CROSS_POSTBACK_ID else attempt.postback_id in present)
    ]


def _bodies_of(deps: Deps, conn: Connection, attempts: Sequence[AffiliatePostbackLog]) -> dict[str, str]:
    """Return the bodies of requests with POST by attempt, filled from the conversions as they are now.

    The log keeps no bodies.
    """
    own = [attempt for attempt in attempts if attempt.postback_id == CROSS_POSTBACK_ID]
    crossed = offer_urls.cross_postbacks(conn, {attempt.offer for attempt in own})
    posted = [(attempt, body) for attempt in own if (body := crossed[attempt.offer].body) is not None]
    keys = {offer_id: each.subs_key for offer_id, each in crossed.items()}
    if not posted:
        return {}
    found = conversions.find_by_id(conn, {attempt.conversion_id for attempt, _ in posted})
    names = offers.names_of(conn, {attempt.offer for attempt, _ in posted})
    return {
        attempt.id: fill_body(
            body,
            with_codes(found[attempt.conversion_id], keys[attempt.offer]),
            names[attempt.offer].title,
            deps.zone,
            attempt.id,
        )
        for attempt, body in posted
        if attempt.conversion_id in found
    }


def _resent_delivery(attempt: AffiliatePostbackLog, now_ms: int, body: str | None) -> NewDelivery:
    return NewDelivery(
        id=new_id(now_ms),
        kind=DeliveryKind.POSTBACK if attempt.postback_id != CROSS_POSTBACK_ID else DeliveryKind.CROSS_POSTBACK,
        subject_id=attempt.conversion_id,
        sequence=attempt.version,
        postback_id=attempt.postback_id,
        affiliate_id=attempt.affiliate,
        offer_id=attempt.offer,
        advertiser_id=attempt.advertiser,
        goal=attempt.goal,
        status=STATUSES_BY_NUMBER[attempt.status].value,
        url=attempt.url,
        host=delivery_host(attempt.url),
        next_at=now_ms,
        created_at=now_ms,
        job_id=attempt.job_id,
        forced=True,
        body=body,
    )
