"""A change of conversions and everything that follows from it, in the caller's one transaction.

The conversion with its history, the ledger entry, the facts for statistics, the calls to its affiliate: all of it
or nothing (docs/spec/engine.md#exactly-once).
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from trackyard.actions.offers.counters import Counting
from trackyard.base.ids import new_id
from trackyard.domain.conversions.conversions import Change
from trackyard.domain.conversions.events import fact_lines
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import entries_of
from trackyard.domain.statistics.rows import AffiliateLog, encode_row
from trackyard.domain.tracking.postbacks import Postback, chosen, filled, host_of, is_told
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection
from trackyard.store.money import ledger
from trackyard.store.statistics import outbox
from trackyard.store.statistics.outbox import OutboxRow
from trackyard.store.tracking import deliveries, offer_urls
from trackyard.store.tracking.deliveries import CROSS, Delivery, NewDelivery


@dataclass(frozen=True, slots=True)
class Listeners:
    """Who is told of changes. postbacks: of the affiliates concerned · titles: of the offers, by id · zone: the
    platform's, for dates in URLs."""

    postbacks: Sequence[Postback]
    titles: Mapping[int, str]
    zone: ZoneInfo


def record(conn: Connection, changes: Sequence[Change], listeners: Listeners, counting: Counting, now_ms: int) -> None:
    """Writes changes (those of one conversion in their order) with all that follows from them. counting: has counted
    them."""
    if not changes:
        return
    conversions.record(conn, changes)
    ledger.add_entries(conn, [entry for change in changes for entry in entries_of(change)])
    outbox.add(conn, [OutboxRow("fact", fact_lines(change)) for change in changes], now_ms)
    deliveries.add(conn, calls_of(conn, changes, listeners, now_ms))
    _supersede(conn, [change.after.id for change in changes if change.before is not None], now_ms)
    counting.store(conn, now_ms)


def calls_of(conn: Connection, changes: Sequence[Change], listeners: Listeners, now_ms: int) -> list[NewDelivery]:
    """The calls that changes bring about, in their order."""
    told = [change for change in changes if is_told(change)]
    crossed = offer_urls.cross_urls(conn, {change.after.offer_id for change in told})
    return [call for change in told for call in _calls(change, listeners, crossed, now_ms)]


def log_row(item: Delivery, now_ms: int, *, attempt: int, http_code: int, outcome: str, error: str = "") -> OutboxRow:
    """The record of one attempt of a delivery, or of its end, in the affiliate postback log."""
    row = AffiliateLog(
        id=new_id(now_ms),
        time=now_ms,
        job_id=item.job_id,
        conversion_id=item.conversion_id,
        postback_id=item.postback_id,
        offer=item.offer_id,
        affiliate=item.affiliate_id,
        advertiser=item.advertiser_id,
        goal=item.goal,
        status=Status(item.status).number,
        http_code=http_code,
        url=item.url,
        attempt=attempt,
        outcome=outcome,
        error=error,
        forced=int(item.forced),
        version=item.number,
    )
    return OutboxRow("affiliate_log", encode_row(row))


def _calls(change: Change, listeners: Listeners, crossed: Mapping[int, str], now_ms: int) -> list[NewDelivery]:
    """The calls of a change: of the affiliate's postbacks, and of the offer's cross_postback_url."""
    after = change.after
    called = [(postback.id, postback.url) for postback in chosen(listeners.postbacks, change)]
    if after.offer_id in crossed:
        called.append((CROSS, crossed[after.offer_id]))
    title = listeners.titles.get(after.offer_id, "")
    calls = []
    for postback_id, template in called:
        url = filled(template, after, title, listeners.zone, str(secrets.randbelow(10**9)))
        delivery_id = new_id(now_ms)
        calls.append(
            NewDelivery(
                id=delivery_id,
                number=after.version,
                conversion_id=after.id,
                postback_id=postback_id,
                affiliate_id=after.affiliate_id,
                offer_id=after.offer_id,
                advertiser_id=after.advertiser_id,
                goal=after.goal,
                status=after.status.value,
                url=url,
                host=host_of(template),
                next_at=now_ms,
                created_at=now_ms,
                job_id=delivery_id,
            )
        )
    return calls


def _supersede(conn: Connection, conversion_ids: Sequence[str], now_ms: int) -> None:
    stale = deliveries.find_superseded(conn, conversion_ids) if conversion_ids else []
    if stale:
        deliveries.remove(conn, [item.id for item in stale])
        rows = [log_row(item, now_ms, attempt=item.attempts, http_code=0, outcome="superseded") for item in stale]
        outbox.add(conn, rows, now_ms)
