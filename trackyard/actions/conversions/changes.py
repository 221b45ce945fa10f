"""Record changes of conversions with everything that follows, in the caller's transaction.

The conversion with its history, the ledger entry, the conversion events, the deliveries: all of it or nothing
(docs/spec/engine.md#exactly-once).
"""

import secrets
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from trackyard.actions.offers.counters import CounterBatch
from trackyard.base.ids import new_id
from trackyard.domain.conversions.conversions import DECLINED, Conversion, ConversionChange
from trackyard.domain.conversions.events import event_lines
from trackyard.domain.money.ledger import ledger_entries_of
from trackyard.domain.statistics.rows import encode_row
from trackyard.domain.tracking.outbound_calls import (
    CROSS_POSTBACK_ID,
    EVENTS,
    Delivery,
    DeliveryKind,
    DeliveryOutcome,
    DeliveryTarget,
    LoggedAttempt,
    NewDelivery,
    make_delivery,
)
from trackyard.domain.tracking.postbacks import (
    Postback,
    matching_postbacks,
    triggers_postbacks,
    with_codes,
    without_reason,
)
from trackyard.store.conversions import conversions
from trackyard.store.engine.database import Connection
from trackyard.store.money import ledger
from trackyard.store.platform.settings import hides_decline_reasons
from trackyard.store.statistics import outbox
from trackyard.store.statistics.outbox import OutboxRow
from trackyard.store.tracking import deliveries, offer_urls
from trackyard.store.tracking.offer_urls import CrossPostback


@dataclass(frozen=True, slots=True)
class DeliveryContext:
    """What deliveries of changes need. postbacks: of the affiliates concerned; titles: of offers by id.

    zone: the platform's, for dates in URLs.
    uncrossed: ids of conversions of which cross_postback_url is not called.
    """

    postbacks: Sequence[Postback]
    titles: Mapping[int, str]
    zone: ZoneInfo
    uncrossed: frozenset[str] = frozenset()


def record_changes(
    conn: Connection,
    changes: Sequence[ConversionChange],
    delivery_context: DeliveryContext,
    counting: CounterBatch,
    now_ms: int,
) -> None:
    """Write changes with all that follows from them. Changes of one conversion are in order.

    counting: has counted the changes.
    """
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
    hides = any(change.after.status in DECLINED for change in notified) and hides_decline_reasons(conn)
    crossed = offer_urls.cross_postbacks(conn, {change.after.offer_id for change in notified})
    return [
        new_delivery
        for change in notified
        for new_delivery in _deliveries_of_change(change, delivery_context, crossed, now_ms, hides_reasons=hides)
    ]


def log_attempts(conn: Connection, attempts: Iterable[tuple[Delivery, LoggedAttempt]], now_ms: int) -> None:
    """Add the log rows of attempts of deliveries, or of their ends, as their events declare."""
    rows = [
        OutboxRow("affiliate_log", encode_row(log_row(item, attempt)))
        for item, attempt in attempts
        if (log_row := EVENTS[item.kind].log_row) is not None
    ]
    outbox.add(conn, rows, now_ms)


def _deliveries_of_change(
    change: ConversionChange,
    delivery_context: DeliveryContext,
    crossed: Mapping[int, CrossPostback],
    now_ms: int,
    *,
    hides_reasons: bool,
) -> list[NewDelivery]:
    """Return the deliveries of a change: to the affiliate's postbacks and the offer's cross_postback_url.

    hides_reasons: whether deliveries to the affiliate omit why the conversion was declined.
    """
    after = change.after
    seen = without_reason(after) if hides_reasons else after
    targets: list[tuple[Conversion, DeliveryTarget]] = [
        (seen, DeliveryTarget(DeliveryKind.POSTBACK, postback.id, postback.url))
        for postback in matching_postbacks(delivery_context.postbacks, change)
    ]
    own = crossed.get(after.offer_id)
    if own is not None and after.id not in delivery_context.uncrossed:
        target = DeliveryTarget(DeliveryKind.CROSS_POSTBACK, CROSS_POSTBACK_ID, own.url, own.body)
        targets.append((with_codes(after, own.subs_key), target))
    title, zone = delivery_context.titles.get(after.offer_id, ""), delivery_context.zone
    return [
        make_delivery(target, new_id(now_ms), reported, title, zone, str(secrets.randbelow(10**9)), now_ms)
        for reported, target in targets
    ]


def _supersede(conn: Connection, conversion_ids: Sequence[str], now_ms: int) -> None:
    stale = deliveries.find_superseded(conn, conversion_ids) if conversion_ids else []
    if stale:
        deliveries.remove(conn, [item.id for item in stale])
        ends = [LoggedAttempt(new_id(now_ms), now_ms, item.attempts, DeliveryOutcome.SUPERSEDED) for item in stale]
        log_attempts(conn, zip(stale, ends, strict=True), now_ms)
