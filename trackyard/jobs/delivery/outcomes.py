"""Record the outcomes of attempts in the caller's transaction (docs/spec/postbacks.md#retries)."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from trackyard.actions.conversions.changes import log_attempts
from trackyard.actions.tracking.pauses import pause_postbacks
from trackyard.base.ids import new_id
from trackyard.domain.tracking.outbound_calls import (
    DEFAULT_RETRY_SECONDS,
    EVENTS,
    Delivery,
    DeliveryOutcome,
    LoggedAttempt,
)
from trackyard.outbound.results import HttpResult, wire_url
from trackyard.store.engine.database import Connection
from trackyard.store.tracking import deliveries, pauses

RetrySchedule = Sequence[int]
"""Seconds from a failed attempt to the next; after the last of them the delivery is dead."""

MAX_DEAD_IN_ROW: Final = 20
"""This many dead deliveries in a row pause their postback."""

MAX_PAUSED_MS: Final = 7 * 24 * 3_600_000
"""The age at which a delivery of a paused postback is dropped."""

MAX_RETRY_AFTER_S: Final = 3600
"""Seconds that a receiver may put off its next attempt by `Retry-After`."""

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
    _store_outcomes(conn, outcomes)
    at = max((attempt.at for attempt in attempts), default=0)
    logged = [outcome for outcome in outcomes if outcome.name is not DeliveryOutcome.PARKED]
    log_attempts(conn, [(outcome.attempt.item, _logged_attempt(outcome)) for outcome in logged], at)
    _count_dead(conn, outcomes, at)
    return [outcome.name for outcome in outcomes]


def _store_outcomes(conn: Connection, outcomes: Sequence[_AttemptOutcome]) -> None:
    """Retry, park or remove deliveries; one that was sent by hand also removes the one that waits."""
    retried: list[tuple[Delivery, int]] = []
    parked: list[tuple[Delivery, int]] = []
    ended: set[str] = set()
    for outcome in outcomes:
        item = outcome.attempt.item
        match outcome.name:
            case DeliveryOutcome.FAILED:
                retried.append((item, outcome.due_at))
            case DeliveryOutcome.PARKED:
                parked.append((item, outcome.due_at))
            case DeliveryOutcome.SENT:
                ended |= {item.id, item.job_id}
            case DeliveryOutcome.DEAD | DeliveryOutcome.SUPERSEDED | DeliveryOutcome.DROPPED:
                ended.add(item.id)
            case _:
                assert_never(outcome.name)
    deliveries.retry(conn, retried)
    deliveries.park(conn, parked)
    deliveries.remove(conn, ended)


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
    own_schedule = EVENTS[item.kind].retry_seconds
    schedule = retry_seconds if own_schedule is None else own_schedule
    next_at = next_attempt(item.attempts + 1, attempt.at, jitter, schedule)
    if item.forced or next_at is None or not answer.is_retryable:
        return _AttemptOutcome(attempt, DeliveryOutcome.DEAD)
    wanted_at = attempt.at + min(answer.retry_after, MAX_RETRY_AFTER_S) * 1000
    return _AttemptOutcome(attempt, DeliveryOutcome.FAILED, max(next_at, wanted_at))


def _logged_attempt(outcome: _AttemptOutcome) -> LoggedAttempt:
    attempt = outcome.attempt
    item, answer = attempt.item, attempt.answer
    if answer is None:
        error = REMOVED_ERROR if item.removed else PAUSED_ERROR if outcome.name is DeliveryOutcome.DROPPED else ""
        return LoggedAttempt(new_id(attempt.at), attempt.at, item.attempts, outcome.name, error=error)
    return LoggedAttempt(
        id=new_id(attempt.at),
        at=attempt.at,
        number=item.attempts + 1,
        outcome=outcome.name,
        http_code=answer.http_code,
        error=answer.error,
        started_at=attempt.started_at,
        milliseconds=attempt.milliseconds,
        answer=answer.body,
        url=wire_url(item.url),
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
