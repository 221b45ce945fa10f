"""Making calls to affiliates again, by hand: one of the log, or all of a span (docs/api/resends.md)."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.analytics.reports.logs import find_attempt, list_calls
from trackyard.base.errors import BadInput, NotFound
from trackyard.base.ids import new_id
from trackyard.domain.conversions.statuses import BY_NUMBER
from trackyard.domain.people.callers import Caller
from trackyard.domain.people.roles import Permission
from trackyard.domain.statistics.rows import AffiliateLog
from trackyard.domain.tracking.postbacks import host_of
from trackyard.store.engine.database import Connection
from trackyard.store.people import affiliates
from trackyard.store.tracking import deliveries, offer_urls, postbacks
from trackyard.store.tracking.deliveries import CROSS, NewDelivery

MOST_CALLS: Final = 5_000
_TOGETHER: Final = 300
"""What one replay queues at the most: it is one transaction."""


@dataclass(frozen=True, slots=True)
class Resent:
    """What is made again. waiting: calls that were queued by hand before and are not made yet · dropped: calls of
    postbacks that were removed."""

    queued: int
    waiting: int
    dropped: int


def get_attempt(deps: Deps, caller: Caller, attempt_id: str) -> AffiliateLog:
    """A record of the affiliate postback log whose affiliate is in the caller's scope. Raises NotFound."""
    found = find_attempt(deps.analytics, attempt_id)
    if found is None:
        raise NotFound
    with deps.database.read() as conn:
        if not scope_of(conn, caller, Permission.POSTBACKS_WRITE).has_affiliate(found.affiliate):
            raise NotFound
    return found


def resend(deps: Deps, attempt: AffiliateLog) -> Resent:
    """Queues the call of a record of the log once more: one attempt, whether its postback is paused or not."""
    return _queue(deps, [attempt])


def replay(deps: Deps, caller: Caller, affiliate_id: int, since: int, until: int) -> Resent:
    """Queues every call of an affiliate's postbacks that was attempted from `since` to before `until` (UTC ms) once
    more, in the order of each conversion's changes; superseded ones are left out.

    Raises BadInput for an affiliate that does not exist or is out of scope, and for too many calls; TooHeavy.
    """
    with deps.database.read() as conn:
        scope = scope_of(conn, caller, Permission.POSTBACKS_WRITE)
        if affiliates.find_affiliate(conn, scope, affiliate_id) is None:
            raise BadInput({"pid": [f"An affiliate {affiliate_id} does not exist."]})
    calls = list_calls(deps.analytics, affiliate_id, since, until, MOST_CALLS + 1)
    if len(calls) > MOST_CALLS:
        raise BadInput({"to": [f"There are more than {MOST_CALLS} calls in this span: choose a shorter one."]})
    return _queue(deps, calls)


def _queue(deps: Deps, calls: Sequence[AffiliateLog]) -> Resent:
    """Queues calls, some in a transaction: all of them in one would hold up every other. What is queued stays when a
    later part fails; the same again adds those alone that are missing."""
    now = deps.clock.now_ms()
    kept = queued = 0
    for start in range(0, len(calls), _TOGETHER):
        with deps.database.write() as conn:
            there = _with_postback(conn, calls[start : start + _TOGETHER])
            queued += deliveries.add_forced(conn, [_again(call, now) for call in there])
        kept += len(there)
    return Resent(queued, kept - queued, len(calls) - kept)


def _with_postback(conn: Connection, calls: Sequence[AffiliateLog]) -> list[AffiliateLog]:
    """The calls whose postback, or whose offer's own URL, is still there, and whose URL was not erased."""
    calls = [call for call in calls if call.url]
    there = postbacks.existing(conn, {call.postback_id for call in calls})
    crossed = offer_urls.cross_urls(conn, {call.offer for call in calls if call.postback_id == CROSS})
    return [
        call for call in calls if (call.offer in crossed if call.postback_id == CROSS else call.postback_id in there)
    ]


def _again(call: AffiliateLog, now_ms: int) -> NewDelivery:
    return NewDelivery(
        id=new_id(now_ms),
        number=call.version,
        conversion_id=call.conversion_id,
        postback_id=call.postback_id,
        affiliate_id=call.affiliate,
        offer_id=call.offer,
        advertiser_id=call.advertiser,
        goal=call.goal,
        status=BY_NUMBER[call.status].value,
        url=call.url,
        host=host_of(call.url),
        next_at=now_ms,
        created_at=now_ms,
        job_id=call.job_id,
        forced=True,
    )
