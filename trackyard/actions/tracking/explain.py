"""Follow an id to the click, its conversions, postbacks and deliveries.

docs/spec/platform.md#explanations. Everything is read in the caller's scope; what is out of scope does not exist.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Final

from trackyard.actions.deps import Deps
from trackyard.actions.people.scope import scope_of
from trackyard.actions.tracking.click_check import ClickCheck, explain_click
from trackyard.analytics.reports.logs import (
    ServerRecordFilter,
    find_attempts,
    find_conversion_of_delivery,
    find_records_without_click,
    find_server_records,
)
from trackyard.base.errors import NotFound
from trackyard.base.ids import is_hex24
from trackyard.base.masks import mask_secrets
from trackyard.domain.conversions.conversions import ConversionHistoryEntry
from trackyard.domain.conversions.lists import FAR_FUTURE_MS, ConversionFilter, ListedConversion
from trackyard.domain.conversions.postbacks import parse_postback
from trackyard.domain.conversions.statuses import STATUSES_BY_NUMBER
from trackyard.domain.offers.goals import GOAL_LENGTH
from trackyard.domain.people.callers import Access
from trackyard.domain.people.scope import Scope
from trackyard.domain.statistics.rows import AffiliatePostbackLog, ServerPostbackLog
from trackyard.domain.tracking.outbound_calls import DeliveryOutcome
from trackyard.journal.records import Click, decode_postback
from trackyard.store.conversions import conversions, inbox, lists
from trackyard.store.conversions.inbox import UndecidedPostback
from trackyard.store.engine.database import Connection
from trackyard.store.tracking import deliveries
from trackyard.store.tracking.deliveries import PARKED, QueuedDelivery

MAX_CONVERSIONS: Final = 50
MAX_POSTBACKS: Final = 100
MAX_ATTEMPTS: Final = 500
MAX_WITHOUT_CLICK: Final = 5
WAITING: Final = "waiting"
"""The outcome of a delivery without an attempt."""
_MAX_UNDECIDED: Final = 2000
"""Undecided postbacks that are searched for an id; more wait only while a database is away."""
_SKEW_MS: Final = 120_000
"""An id and its record are made at most this long one after the other."""


class SoughtKind(StrEnum):
    """The kind of thing that an id belongs to."""

    CLICK = "click"
    CONVERSION = "conversion"
    ACTION = "action"
    INBOUND_POSTBACK = "inbound_postback"
    DELIVERY = "delivery"


class InboundState(StrEnum):
    """Where an inbound postback is."""

    DECIDED = "decided"
    QUEUED = "queued"
    WAITING = "waiting"
    QUARANTINED = "quarantined"


_INBOX_STATES: Final[Mapping[str, InboundState]] = {
    inbox.READY: InboundState.QUEUED,
    inbox.UNMATCHED: InboundState.QUEUED,
    inbox.WAITING: InboundState.WAITING,
    inbox.QUARANTINED: InboundState.QUARANTINED,
}


@dataclass(frozen=True, slots=True)
class SoughtId:
    """An id to explain.

    advertiser, offer: narrow an id of an action that several have; "" and 0 = any.
    """

    text: str
    advertiser: str = ""
    offer: int = 0


@dataclass(frozen=True, slots=True)
class ExplainedConversion:
    """A conversion with its states, the first one first."""

    conversion: ListedConversion
    history: Sequence[ConversionHistoryEntry]


@dataclass(frozen=True, slots=True)
class ExplainedPostback:
    """An inbound postback. sent_click_id: the click id in it, cut after 24 characters."""

    id: str
    time: int
    state: InboundState
    response: str
    method: str
    ip: str
    query: str
    body: str
    sent_click_id: str
    goal: str
    action_id: str
    conversion_id: str = ""
    forgiven: int = 0


@dataclass(frozen=True, slots=True)
class ExplainedDelivery:
    """A delivery to an affiliate.

    status: the status of the conversion at `version`.
    outcome: the outcome of the last attempt; for a queued delivery WAITING, failed or parked.
    next_at: the time of the next attempt, UTC milliseconds; None once it is sent or given up.
    attempts: the first one first.
    """

    job_id: str
    conversion_id: str
    version: int
    postback_id: int
    status: str
    url: str
    outcome: str
    next_at: int | None
    attempts: Sequence[AffiliatePostbackLog]


@dataclass(frozen=True, slots=True)
class Explanation:
    """All that belongs to an id.

    candidates: conversions of several clicks with the sought action ID; then everything else is empty.
    click_id: "" when no click is known; click is None when it is not recorded.
    today: the decision on the click by the rules of today.
    without_click: the last postbacks since the click without a click id; only for callers who may see everything.
    cut: the lists that are longer than shown, by name.
    """

    kind: SoughtKind
    click_id: str = ""
    candidates: Sequence[ListedConversion] = ()
    click: Click | None = None
    today: ClickCheck | None = None
    conversions: Sequence[ExplainedConversion] = ()
    postbacks: Sequence[ExplainedPostback] = ()
    without_click: Sequence[ExplainedPostback] = ()
    deliveries: Sequence[ExplainedDelivery] = ()
    cut: Sequence[str] = ()


@dataclass(frozen=True, slots=True)
class _Subject:
    """The click or conversions that an id belongs to. postbacks: for an action without a click."""

    kind: SoughtKind
    click_id: str = ""
    candidates: Sequence[ListedConversion] = ()
    postbacks: Sequence[ExplainedPostback] = ()


@dataclass(slots=True)
class _Search:
    """One search in the caller's scope."""

    deps: Deps
    access: Access
    sought: SoughtId
    scope: Scope = field(init=False)

    def __post_init__(self) -> None:
        with self.deps.database.read() as conn:
            self.scope = scope_of(conn, self.access)

    def find_subject(self) -> _Subject | None:
        """Return the subject of the id, tried as the id of a record, then as an action ID."""
        text = self.sought.text.lower()
        found = self._find_record(text) if is_hex24(text) else None
        return found or self._find_action() or (self._find_unrecorded_click(text) if is_hex24(text) else None)

    def _find_record(self, text: str) -> _Subject | None:
        if self.find_click(text) is not None:
            return _Subject(SoughtKind.CLICK, text)
        found = self.list_conversions(ids=frozenset({text}))
        if found:
            return _Subject(SoughtKind.CONVERSION, found[0].click_id)
        made_at = int(text[:8], 16) * 1000
        window = ServerRecordFilter(made_at - _SKEW_MS, made_at + _SKEW_MS, record_id=text)
        postbacks = [*self._logged(window), *self._undecided(lambda each: each.id == text)]
        if postbacks:
            return _subject_of(SoughtKind.INBOUND_POSTBACK, postbacks)
        with self.deps.database.read() as conn:
            conversion_id = deliveries.find_conversion_of(conn, self.scope, text)
        conversion_id = conversion_id or find_conversion_of_delivery(self.deps.analytics, self.scope, text)
        found = self.list_conversions(ids=frozenset({conversion_id or ""}))
        return _Subject(SoughtKind.DELIVERY, found[0].click_id) if found else None

    def _find_action(self) -> _Subject | None:
        sought = self.sought
        found = self.list_conversions(
            action_ids=frozenset({sought.text[:GOAL_LENGTH]}),
            offers=frozenset({sought.offer}) if sought.offer else None,
            advertisers=frozenset({sought.advertiser}) if sought.advertiser else None,
        )
        clicks = {each.click_id for each in found}
        if len(clicks) > 1:
            return _Subject(SoughtKind.ACTION, candidates=found)
        if found:
            return _Subject(SoughtKind.ACTION, found[0].click_id)
        wanted = ServerRecordFilter(
            0, FAR_FUTURE_MS, action_id=sought.text, advertiser=sought.advertiser, offer=sought.offer
        )
        named = not (sought.advertiser or sought.offer)
        undecided = self._undecided(lambda each: each.action_id == sought.text) if named else []
        postbacks = [*self._logged(wanted), *undecided]
        return _subject_of(SoughtKind.ACTION, postbacks) if postbacks else None

    def _find_unrecorded_click(self, text: str) -> _Subject | None:
        """Return a click that only its conversions or postbacks know."""
        if self.list_conversions(click_ids=frozenset({text})) or self.list_postbacks(text, sees_all=False):
            return _Subject(SoughtKind.CLICK, text)
        return None

    def find_click(self, click_id: str) -> tuple[Click, ClickCheck] | None:
        """Return a recorded click in scope and the decision by the rules of today; None when there is none."""
        try:
            found = explain_click(self.deps, self.access, click_id)
        except NotFound:
            return None
        return found.click, found.today

    def list_conversions(
        self,
        *,
        ids: frozenset[str] | None = None,
        click_ids: frozenset[str] | None = None,
        action_ids: frozenset[str] | None = None,
        offers: frozenset[int] | None = None,
        advertisers: frozenset[str] | None = None,
    ) -> list[ListedConversion]:
        """Return the newest conversions in scope, the oldest first."""
        chosen = ConversionFilter(
            since=0,
            until=FAR_FUTURE_MS,
            ids=ids,
            click_ids=click_ids,
            action_ids=action_ids,
            offers=offers,
            advertisers=advertisers,
        )
        with self.deps.database.read() as conn:
            found, _ = lists.list_conversions(conn, self.scope, chosen, page=1, limit=MAX_CONVERSIONS + 1)
        return found[::-1]

    def list_postbacks(self, click_id: str, *, sees_all: bool) -> list[ExplainedPostback]:
        """Return the postbacks of a click. sees_all: the click itself is in scope."""
        scope = Scope.everything() if sees_all else self.scope
        since = int(click_id[:8], 16) * 1000 - _SKEW_MS
        wanted = ServerRecordFilter(since, FAR_FUTURE_MS, click_id=click_id)
        logged = [_logged_postback(each) for each in self._records(scope, wanted)]
        known = {each.id for each in logged if each.state is InboundState.DECIDED}
        waiting = []
        if scope.is_everything:
            with self.deps.database.read() as conn:
                waiting = [_undecided_postback(each) for each in inbox.list_undecided(conn, MAX_POSTBACKS, click_id)]
        pending = {each.id for each in waiting}
        merged = [each for each in logged if each.id not in pending] + [
            each for each in waiting if each.id not in known
        ]
        return sorted(merged, key=lambda each: (each.time, each.id))

    def list_without_click(self, since: int) -> list[ExplainedPostback]:
        """Return the last postbacks since a time (UTC ms) without a click."""
        if not self.scope.is_everything:
            return []
        found = find_records_without_click(self.deps.analytics, since, FAR_FUTURE_MS, MAX_WITHOUT_CLICK)
        return [_logged_postback(each) for each in found]

    def _logged(self, wanted: ServerRecordFilter) -> list[ExplainedPostback]:
        return [_logged_postback(each) for each in self._records(self.scope, wanted)]

    def _records(self, scope: Scope, wanted: ServerRecordFilter) -> Sequence[ServerPostbackLog]:
        return find_server_records(self.deps.analytics, scope, wanted, MAX_POSTBACKS + 1)

    def _undecided(self, matches: Callable[[ExplainedPostback], bool]) -> list[ExplainedPostback]:
        """Return undecided postbacks; their click is unknown, so only callers who may see everything get them."""
        if not self.scope.is_everything:
            return []
        with self.deps.database.read() as conn:
            found = [_undecided_postback(each) for each in inbox.list_undecided(conn, _MAX_UNDECIDED)]
        return [each for each in found if matches(each)]


def find_explanation(deps: Deps, access: Access, sought: SoughtId) -> Explanation | None:
    """Return all that belongs to an id; None when nothing in scope has it. Raises ReportTooHeavy."""
    search = _Search(deps, access, sought)
    subject = search.find_subject()
    if subject is None:
        return None
    if subject.candidates or not subject.click_id:
        return Explanation(subject.kind, candidates=subject.candidates, postbacks=subject.postbacks)
    return _cut(_explain_click(search, subject))


def _explain_click(search: _Search, subject: _Subject) -> Explanation:
    click_id = subject.click_id
    found = search.find_click(click_id)
    listed = search.list_conversions(click_ids=frozenset({click_id}))
    postbacks = search.list_postbacks(click_id, sees_all=found is not None or bool(listed))
    without_click = search.list_without_click(found[0].time) if found and not postbacks and not listed else []
    with search.deps.database.read() as conn:
        histories = [_history(conn, each) for each in listed]
        queued = deliveries.list_queued(conn, [each.id for each in listed])
    attempts: Sequence[AffiliatePostbackLog] = ()
    if listed:
        since = min(each.created_at for each in listed) - _SKEW_MS
        ids = [each.id for each in listed]
        attempts = find_attempts(search.deps.analytics, ids, since, MAX_ATTEMPTS + 1)
    return Explanation(
        subject.kind,
        click_id,
        click=found[0] if found else None,
        today=found[1] if found else None,
        conversions=histories,
        postbacks=postbacks or subject.postbacks,
        without_click=without_click,
        deliveries=_deliveries(attempts, queued),
        cut=("attempts",) if len(attempts) > MAX_ATTEMPTS else (),
    )


def _cut(whole: Explanation) -> Explanation:
    """Return an explanation with lists of at most their length, the newest records."""
    parts = {
        "conversions": (whole.conversions, MAX_CONVERSIONS),
        "postbacks": (whole.postbacks, MAX_POSTBACKS),
        "deliveries": (whole.deliveries, MAX_POSTBACKS),
    }
    cut = [*whole.cut, *(name for name, (rows, most) in parts.items() if len(rows) > most)]
    return replace(whole, cut=cut, **{name: rows[-most:] for name, (rows, most) in parts.items()})  # type: ignore[arg-type]


def _history(conn: Connection, listed: ListedConversion) -> ExplainedConversion:
    history, _ = conversions.list_history(conn, listed.id, page=1, limit=MAX_POSTBACKS)
    return ExplainedConversion(listed, history)


def _deliveries(attempts: Sequence[AffiliatePostbackLog], queued: Sequence[QueuedDelivery]) -> list[ExplainedDelivery]:
    """Return deliveries by their first attempts; deliveries without one come last."""
    waiting = {each.job_id: each for each in queued}
    made: dict[str, list[AffiliatePostbackLog]] = {}
    for attempt in attempts:
        made.setdefault(attempt.job_id, []).append(attempt)
    begun = [_begun_delivery(rows, waiting.pop(job_id, None)) for job_id, rows in made.items()]
    return [*begun, *map(_queued_delivery, waiting.values())]


def _begun_delivery(attempts: Sequence[AffiliatePostbackLog], queued: QueuedDelivery | None) -> ExplainedDelivery:
    last = attempts[-1]
    if queued is not None:
        return replace(_queued_delivery(queued), attempts=attempts)
    return ExplainedDelivery(
        last.job_id,
        last.conversion_id,
        last.version,
        last.postback_id,
        STATUSES_BY_NUMBER[last.status].value,
        last.url,
        last.outcome,
        None,
        attempts,
    )


def _queued_delivery(queued: QueuedDelivery) -> ExplainedDelivery:
    outcome = DeliveryOutcome.PARKED if queued.owner == PARKED else DeliveryOutcome.FAILED
    return ExplainedDelivery(
        queued.job_id,
        queued.subject_id,
        queued.sequence,
        queued.postback_id,
        queued.status,
        queued.url,
        outcome.value if queued.attempts or queued.owner == PARKED else WAITING,
        queued.next_at,
        (),
    )


def _subject_of(kind: SoughtKind, postbacks: Sequence[ExplainedPostback]) -> _Subject:
    """Return the click of postbacks; without one, or with several, only the postbacks."""
    named = {each.sent_click_id for each in postbacks}
    only = named.pop() if len(named) == 1 else ""
    return _Subject(kind, only if is_hex24(only) else "", postbacks=postbacks)


def _logged_postback(log: ServerPostbackLog) -> ExplainedPostback:
    return ExplainedPostback(
        id=log.id,
        time=log.time,
        state=InboundState.DECIDED if log.revision else InboundState.WAITING,
        response=log.response,
        method=log.method,
        ip=log.ip,
        query=log.query,
        body=log.body,
        sent_click_id=log.click_id,
        goal=log.goal,
        action_id=log.action_id,
        conversion_id=log.conversion_id,
        forgiven=log.forgiven,
    )


def _undecided_postback(undecided: UndecidedPostback) -> ExplainedPostback:
    record = decode_postback(undecided.call)
    postback = parse_postback(record.id, record.time, record.ip, record.params, forgiven=record.forgiven)
    return ExplainedPostback(
        id=record.id,
        time=record.time,
        state=_INBOX_STATES[undecided.state],
        response="",
        method=record.method,
        ip=record.ip,
        query=mask_secrets(record.query),
        body=mask_secrets(record.body),
        sent_click_id=postback.click_id[:24],
        goal=postback.goal,
        action_id=postback.action_id,
        forgiven=postback.forgiven,
    )
