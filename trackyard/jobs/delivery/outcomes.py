"""Record the outcomes of attempts in the caller's transaction (docs/spec/postbacks.md#retries)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from trackyard.actions.conversions.changes import log_row
from trackyard.actions.tracking.pauses import pause_postbacks
from trackyard.domain.tracking.events import DEFAULT_RETRY_SECONDS, EVENTS, DeliveryOutcome
from trackyard.outbound.client import HttpResult
from trackyard.store.engine.database import Connection
from trackyard.store.statistics import outbox
from trackyard.store.tracking import deliveries, pauses
from trackyard.store.tracking.deliveries import Delivery

RetrySchedule = Sequence[int]
"""Seconds from a failed attempt to the next; after the last of them the delivery is dead."""

MAX_DEAD_IN_ROW: Final = 20
"""So many dead calls in a row pause their postback."""

MAX_PAUSED_MS: Final = 7 * 24 * 3_600_000
"""The age at which a call of a paused postback is dropped."""

REMOVED_ERROR: Final = "the postback was removed"
PAUSED_ERROR: Final = "the postback was paused for too long"


@dataclass(frozen=True, slots=True)
class Attempt:
    """The end of a claim.

    answer: None = no request was made
    at, started_at: UTC ms of the end and the start of the request
    milliseconds: duration of the request
    """

    item: Delivery
    answer: HttpResult | None
    at: int
    started_at: int = 0
    milliseconds: int = 0


@dataclass(frozen=True, slots=True)
class _AttemptOutcome:
    """The outcome of an attempt. due_at: UTC ms of the next step."""

    attempt: Attempt
    name: DeliveryOutcome
    due_at: int = 0


def should_send(item: Delivery) -> bool:
    """Return whether a claimed delivery is made.

    Not one that is superseded, that lost its postback, or has a paused one (unless it is forced).
    """
    return not (item.superseded or item.removed or (item.paused and not item.forced))


def next_attempt(failed: int, at: int, jitter: float, retry_seconds: RetrySchedule) -> int | None:
    """Return when a delivery that failed `failed` times is retried (UTC ms); None = it is dead.

    jitter: 0..1, adds up to a tenth of the pause.
    """
    if failed > len(retry_seconds):
        return None
    return at + int(retry_seconds[failed - 1] * 1000 * (1 + jitter / 10))


def record_attempts(
    conn: Connection,
    attempts: Sequence[Attempt],
    draw_jitter: Callable[[], float],
    retry_seconds: RetrySchedule = DEFAULT_RETRY_SECONDS,
) -> list[DeliveryOutcome]:
    """Record attempts and what follows from each; return the outcomes."""
    outcomes = [_outcome(attempt, draw_jitter(), retry_seconds) for attempt in attempts]
    failed = [outcome.attempt.item for outcome in outcomes if outcome.name is DeliveryOutcome.FAILED]
    outdated = deliveries.find_outdated(conn, failed)
    outcomes = [
        _AttemptOutcome(outcome.attempt, DeliveryOutcome.SUPERSEDED)
        if outcome.name is DeliveryOutcome.FAILED and outcome.attempt.item.id in outdated
        else outcome
        for outcome in outcomes
    ]
    deliveries.retry(conn, _reschedule(outcomes, DeliveryOutcome.FAILED))
    deliveries.park(conn, _reschedule(outcomes, DeliveryOutcome.PARKED))
    deliveries.remove(conn, _finished_ids(outcomes))
    at = max((attempt.at for attempt in attempts), default=0)
    outbox.add(
        conn,
        [
            _attempt_log_row(outcome)
            for outcome in outcomes
            if outcome.name is not DeliveryOutcome.PARKED and EVENTS[outcome.attempt.item.kind].is_logged
        ],
        at,
    )
    _count_dead(conn, outcomes, at)
    return [outcome.name for outcome in outcomes]


def _outcome(attempt: Attempt, jitter: float, retry_seconds: RetrySchedule) -> _AttemptOutcome:
    item, answer = attempt.item, attempt.answer
    if item.removed:
        return _AttemptOutcome(attempt, DeliveryOutcome.DROPPED)
    if answer is None:
        if item.superseded:
            return _AttemptOutcome(attempt, DeliveryOutcome.SUPERSEDED)
        expires_at = item.created_at + MAX_PAUSED_MS
        return (
            _AttemptOutcome(attempt, DeliveryOutcome.PARKED, expires_at)
            if attempt.at < expires_at
            else _AttemptOutcome(attempt, DeliveryOutcome.DROPPED)
        )
    if answer.is_success:
        return _AttemptOutcome(attempt, DeliveryOutcome.SENT)
    next_at = next_attempt(item.attempts + 1, attempt.at, jitter, retry_seconds)
    if item.forced or not EVENTS[item.kind].is_retried or next_at is None or not answer.is_retryable:
        return _AttemptOutcome(attempt, DeliveryOutcome.DEAD)
    return _AttemptOutcome(attempt, DeliveryOutcome.FAILED, next_at)


def _reschedule(outcomes: Sequence[_AttemptOutcome], name: DeliveryOutcome) -> list[tuple[Delivery, int]]:
    return [(outcome.attempt.item, outcome.due_at) for outcome in outcomes if outcome.name is name]


def _finished_ids(outcomes: Sequence[_AttemptOutcome]) -> set[str]:
    """Return the ids of finished deliveries, and of waiting ones that were sent by hand meanwhile."""
    ended = {
        outcome.attempt.item.id
        for outcome in outcomes
        if outcome.name not in (DeliveryOutcome.FAILED, DeliveryOutcome.PARKED)
    }
    return ended | {outcome.attempt.item.job_id for outcome in outcomes if outcome.name is DeliveryOutcome.SENT}


def _attempt_log_row(outcome: _AttemptOutcome) -> outbox.OutboxRow:
    attempt = outcome.attempt
    item, answer = attempt.item, attempt.answer
    error = REMOVED_ERROR if item.removed else PAUSED_ERROR if outcome.name is DeliveryOutcome.DROPPED else ""
    return log_row(
        item,
        attempt.at,
        attempt=item.attempts + (answer is not None),
        http_code=0 if answer is None else answer.http_code,
        outcome=outcome.name,
        error=error if answer is None else answer.error,
        started_at=attempt.started_at,
        milliseconds=attempt.milliseconds,
        answer=b"" if answer is None else answer.body,
    )


def _count_dead(conn: Connection, outcomes: Sequence[_AttemptOutcome], now_ms: int) -> None:
    """Count dead deliveries in a row, in the order of the attempts; forced ones only end a row."""
    succeeded: set[int] = set()
    dead: Counter[int] = Counter()
    for outcome in outcomes:
        item = outcome.attempt.item
        if not EVENTS[item.kind].pauses:
            continue
        if outcome.name is DeliveryOutcome.SENT:
            succeeded.add(item.postback_id)
            dead.pop(item.postback_id, None)
        elif outcome.name is DeliveryOutcome.DEAD and not item.forced:
            dead[item.postback_id] += 1
    to_pause = pauses.count_dead(conn, dead, succeeded, MAX_DEAD_IN_ROW)
    if to_pause:
        pause_postbacks(conn, to_pause, now_ms)
