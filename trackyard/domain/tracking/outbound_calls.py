"""Outbound events: every kind of request that is queued in `delivery`. Pure.

docs/spec/postbacks.md#delivery
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple
from zoneinfo import ZoneInfo

from trackyard.domain.conversions.conversions import Conversion
from trackyard.domain.conversions.statuses import Status
from trackyard.domain.platform.hosts import delivery_host
from trackyard.domain.statistics.rows import AffiliatePostbackLog
from trackyard.domain.tracking.postbacks import fill_body, fill_url

CROSS_POSTBACK_ID: Final = 0
"""The postback_id of deliveries to an offer's cross_postback_url."""
MAX_LOGGED_ANSWER: Final = 256
"""Bytes of a receiver's answer that the log keeps."""
DEFAULT_RETRY_SECONDS: Final = (5, 60, 600, 3_600, 21_600)
"""Seconds from each failed attempt to the next; after the last one the delivery is dead."""


class DeliveryKind(StrEnum):
    """What a delivery reports; stored with it."""

    POSTBACK = "postback"
    CROSS_POSTBACK = "cross"


class DeliveryOutcome(StrEnum):
    """The outcome of an attempt, as in the affiliate postback log; `parked` is not logged."""

    SENT = "sent"
    FAILED = "failed"
    DEAD = "dead"
    SUPERSEDED = "superseded"
    DROPPED = "dropped"
    PARKED = "parked"


class Destination(NamedTuple):
    """The host of deliveries, and their affiliate: failures for one affiliate do not count for another."""

    host: str
    affiliate_id: int


@dataclass(frozen=True, slots=True)
class NewDelivery:
    """A request to make.

    subject_id, sequence: the reported object, and the order among its kind; for postbacks the conversion and version.
    postback_id: 0 = the offer's own URL.
    next_at: when the first attempt is due, UTC milliseconds.
    job_id: the id by which its receiver knows it, as a rule `id`.
    forced: sent again by hand.
    body: the body of a POST request; None = GET.
    """

    id: str
    kind: DeliveryKind
    subject_id: str
    sequence: int
    postback_id: int
    affiliate_id: int
    offer_id: int
    advertiser_id: str
    goal: str
    status: str
    url: str
    host: str
    next_at: int
    created_at: int
    job_id: str
    forced: bool = False
    body: str | None = None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A stored delivery. attempts: made so far; secret: the key of its affiliate's signatures.

    superseded: it was attempted, and a later one of the same subject and postback waits.
    removed: its postback, or the offer's URL, is gone; paused: its postback is paused.
    owner: the worker that leased it when it was read.
    """

    id: str
    job_id: str
    kind: DeliveryKind
    subject_id: str
    sequence: int
    postback_id: int
    affiliate_id: int
    offer_id: int
    advertiser_id: str
    goal: str
    status: str
    url: str
    host: str
    attempts: int
    forced: bool
    created_at: int
    owner: str
    secret: str
    superseded: bool
    removed: bool
    paused: bool
    body: str | None = None

    @property
    def destination(self) -> Destination:
        """Return where it goes."""
        return Destination(self.host, self.affiliate_id)


@dataclass(frozen=True, slots=True)
class LoggedAttempt:
    """A log record of an attempt, or of the end of a delivery without one.

    at, started_at: when the request ended and started, UTC milliseconds; started_at is 0 when no request was made.
    number: attempts so far.
    milliseconds: duration of the request.
    answer: the receiver's answer, or its beginning.
    url: the URL as it was sent; "" = no request was made.
    """

    id: str
    at: int
    number: int
    outcome: DeliveryOutcome
    http_code: int = 0
    error: str = ""
    started_at: int = 0
    milliseconds: int = 0
    answer: bytes = b""
    url: str = ""


def conversion_order(conversion: Conversion) -> tuple[str, int]:
    """Return the id and version of a conversion."""
    return conversion.id, conversion.version


def affiliate_log_row(item: Delivery, attempt: LoggedAttempt) -> AffiliatePostbackLog:
    """Return the row of the affiliate postback log for an attempt of a delivery, or for its end."""
    return AffiliatePostbackLog(
        id=attempt.id,
        time=attempt.at,
        job_id=item.job_id,
        conversion_id=item.subject_id,
        postback_id=item.postback_id,
        offer=item.offer_id,
        affiliate=item.affiliate_id,
        advertiser=item.advertiser_id,
        goal=item.goal,
        status=Status(item.status).number,
        http_code=attempt.http_code,
        url=attempt.url or item.url,
        attempt=attempt.number,
        outcome=attempt.outcome,
        error=attempt.error,
        forced=int(item.forced),
        version=item.sequence,
        started_at=attempt.started_at,
        milliseconds=attempt.milliseconds,
        answer=attempt.answer[:MAX_LOGGED_ANSWER].decode(errors="replace"),
    )


@dataclass(frozen=True, slots=True)
class OutboundEvent:
    """How deliveries of one kind are made.

    fill: puts values for the macros of its kind into a URL; of a conversion, an offer title, a zone, a random text.
    order_key: returns the subject of a delivery and its place in the order of that subject's deliveries.
    retry_seconds: seconds from each failed attempt to the next; None = as configured, () = no retry.
    log_row: makes the log row of an attempt; None = not logged.
    pauses: dead deliveries in a row pause the postback.
    """

    fill: Callable[[str, Conversion, str, ZoneInfo, str], str] = fill_url
    order_key: Callable[[Conversion], tuple[str, int]] = conversion_order
    retry_seconds: Sequence[int] | None = None
    log_row: Callable[[Delivery, LoggedAttempt], AffiliatePostbackLog] | None = affiliate_log_row
    pauses: bool = False


EVENTS: Final[Mapping[DeliveryKind, OutboundEvent]] = {
    DeliveryKind.POSTBACK: OutboundEvent(pauses=True),
    DeliveryKind.CROSS_POSTBACK: OutboundEvent(),
}
"""Every kind of event; a new one is a row here and the action that adds its delivery.

Parallel tracking and trials are made at most once and are not queued here."""


@dataclass(frozen=True, slots=True)
class DeliveryTarget:
    """Where an event goes. url: with macros. body: of a request with POST, with macros; None = GET."""

    kind: DeliveryKind
    postback_id: int
    url: str
    body: str | None = None


def make_delivery(
    target: DeliveryTarget,
    delivery_id: str,
    conversion: Conversion,
    offer_title: str,
    zone: ZoneInfo,
    rand: str,
    now_ms: int,
) -> NewDelivery:
    """Return the delivery of an event about a conversion, due at once."""
    event = EVENTS[target.kind]
    subject_id, sequence = event.order_key(conversion)
    return NewDelivery(
        id=delivery_id,
        kind=target.kind,
        subject_id=subject_id,
        sequence=sequence,
        postback_id=target.postback_id,
        affiliate_id=conversion.affiliate_id,
        offer_id=conversion.offer_id,
        advertiser_id=conversion.advertiser_id,
        goal=conversion.goal,
        status=conversion.status.value,
        url=event.fill(target.url, conversion, offer_title, zone, rand),
        host=delivery_host(target.url),
        next_at=now_ms,
        created_at=now_ms,
        job_id=delivery_id,
        body=None if target.body is None else fill_body(target.body, conversion, offer_title, zone, rand),
    )
