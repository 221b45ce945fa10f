"""Record changes of conversions with everything that follows, in the caller's transaction.

The conversion with its history, the ledger entry, the conversion events, the deliveries: all of it or nothing
(docs/spec/engine.md#exactly-once).
"""

import secrets
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final
from zoneinfo import ZoneInfo

from trackyard.actions.offers.counters import CounterBatch
from trackyard.base.ids import new_id
from trackyard.domain.conversions.conversions import ConversionChange
from trackyard.domain.conversions.events import event_lines
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.domain.statistics.rows import AffiliatePostbackLog, encode_row
from trackyard.domain.tracking.events import DeliveryOutcome, EventKind
from trackyard.domain.tracking.postbacks import Postback, fill_url, host_of, matching_postbacks, triggers_postbacks
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection
from trackyard.store.money import ledger
from trackyard.store.statistics import outbox
from trackyard.store.statistics.outbox import OutboxRow
from trackyard.store.tracking import deliveries, offer_urls
from trackyard.store.tracking.deliveries import CROSS_POSTBACK_ID, Delivery, NewDelivery

MAX_LOGGED_ANSWER: Final = 256
"""Bytes of a receiver's answer that the log keeps."""


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """What deliveries of changes need. postbacks: of the affiliates concerned; titles: of offers by id.

    zone: the platform's, for dates in URLs.
    """

    postbacks: Sequence[Postback]
    titles: Mapping[int, str]
    zone: ZoneInfo


def record_changes(
    conn: Connection,
    changes: Sequence[ConversionChange],
    delivery_context: DeliveryContext,
    counting: CounterBatch,
    now_ms: int,
) -> None:
    """Write changes, those of one conversion in order, with all that follows. counting: has counted them."""
    if not changes:
        return
    conversions.record_changes(conn, changes)
    ledger.add_entries(conn, [entry for change in changes for entry in ledger_entries_of(change)])
    outbox.add(conn, [OutboxRow("fact", event_lines(change)) for change in changes], now_ms)
    deliveries.add(conn, new_deliveries_of(conn, changes, delivery_context, now_ms))
    _supersede(conn, [change.after.id for change in changes if change.before is not None], now_ms)
    counting.store(conn, now_ms)


def new_deliveries_of(
    conn: Connection, changes: Sequence[ConversionChange], delivery_context: DeliveryContext, now_ms: int
) -> list[NewDelivery]:
    """Return the deliveries that changes cause, in order."""
    notified = [change for change in changes if triggers_postbacks(change)]
    cross_url_by_offer = offer_urls.cross_urls(conn, {change.after.offer_id for change in notified})
    return [
        new_delivery
        for change in notified
        for new_delivery in _deliveries_of_change(change, delivery_context, cross_url_by_offer, now_ms)
    ]


def log_row(
    item: Delivery,
    now_ms: int,
    *,
    attempt: int,
    http_code: int,
    outcome: DeliveryOutcome,
    error: str = "",
    started_at: int = 0,
    milliseconds: int = 0,
    answer: bytes = b"",
) -> OutboxRow:
    """Return the log row of one attempt of a delivery, or of its end.

    started_at: UTC ms, 0 = no request was made; answer: the first bytes of the receiver's answer
    """
    row = AffiliatePostbackLog(
        id=new_id(now_ms),
        time=now_ms,
        job_id=item.job_id,
        conversion_id=item.subject_id,
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
        version=item.sequence,
        started_at=started_at,
        milliseconds=milliseconds,
        answer=answer[:MAX_LOGGED_ANSWER].decode(errors="replace"),
    )
    return OutboxRow("affiliate_log", encode_row(row))


def _deliveries_of_change(
    change: ConversionChange, delivery_context: DeliveryContext, cross_url_by_offer: Mapping[int, str], now_ms: int
) -> list[NewDelivery]:
    """Return the deliveries of a change: to the affiliate's postbacks and the offer's cross_postback_url."""
    after = change.after
    targets = [
        (EventKind.POSTBACK, postback.id, postback.url)
        for postback in matching_postbacks(delivery_context.postbacks, change)
    ]
    if after.offer_id in cross_url_by_offer:
        targets.append((EventKind.CROSS_POSTBACK, CROSS_POSTBACK_ID, cross_url_by_offer[after.offer_id]))
    title = delivery_context.titles.get(after.offer_id, "")
    new_deliveries = []
    for kind, postback_id, template in targets:
        url = fill_url(template, after, title, delivery_context.zone, str(secrets.randbelow(10**9)))
        delivery_id = new_id(now_ms)
        new_deliveries.append(
            NewDelivery(
                id=delivery_id,
                kind=kind,
                subject_id=after.id,
                sequence=after.version,
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
    return new_deliveries


def _supersede(conn: Connection, conversion_ids: Sequence[str], now_ms: int) -> None:
    stale = deliveries.find_superseded(conn, conversion_ids) if conversion_ids else []
    if stale:
        deliveries.remove(conn, [item.id for item in stale])
        rows = [
            log_row(item, now_ms, attempt=item.attempts, http_code=0, outcome=DeliveryOutcome.SUPERSEDED)
            for item in stale
        ]
        outbox.add(conn, rows, now_ms)
